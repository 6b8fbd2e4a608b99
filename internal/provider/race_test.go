package provider_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// race is a saved plan, and a cloud that changes before its apply.
type race struct{ acctest.Loop }

// saved applies a configuration, and saves the plan of the next configuration.
func saved(t *testing.T, c *acctest.Cloud, now, next string) race {
	t.Helper()
	r := race{acctest.Loop{Workspace: c.Workspace(t, now), Cloud: c}}
	acctest.Apply(t, r.Workspace)
	require.NoError(t, r.Write(next))
	acctest.Must(t, r.Workspace, "plan", "-no-color", "-out=saved.tfplan")
	return r
}

// apply applies the saved plan.
func (r race) apply(t *testing.T) (string, error) {
	t.Helper()
	return r.Run(t.Context(), "apply", "-no-color", "saved.tfplan")
}

// repair applies once more. Then there is a server for each node, and a group, and
// nothing is left to do.
func (r race) repair(t *testing.T, servers int) {
	t.Helper()
	acctest.Apply(t, r.Workspace)
	r.Settled(t, "the next apply")
	assert.Len(t, r.Cloud.Fake.Servers("RegionOne"), servers)
	assert.Equal(t, 1, r.Cloud.Groups(t, "RegionOne"), "server groups")
}

// TestRaceGroup: the server group is deleted between plan and apply: a group that the
// attachment has, and a group that it would inherit.
func TestRaceGroup(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	r := saved(t, c, guarded(c, 1), guarded(c, 2))
	c.DropGroups(t, "RegionOne")
	_, err := r.apply(t)
	require.Error(t, err, "a server without its group")
	assert.Regexp(t, `(was not|could\s+not\s+be)[\s│]+found`, err.Error())
	r.repair(t, 2)

	c = acctest.NewFake(t, fakecloud.Config{})
	c.Fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: c.Prefix + "group", Policy: "soft-anti-affinity"})
	r = saved(t, c, "", guarded(c, 1))
	c.DropGroups(t, "RegionOne")
	_, err = r.apply(t)
	assert.NoError(t, err)
	r.repair(t, 1)
	_, err = r.Destroy(t.Context())
	assert.NoError(t, err)
	assert.Zero(t, c.Groups(t, "RegionOne"), "groups that were made in its place")
}

// TestRaceCluster: servers change between a plan that removes a server and its apply.
func TestRaceCluster(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	for name, change := range map[string]func(c *acctest.Cloud, id string){
		"killed": func(c *acctest.Cloud, id string) { c.Fake.RemoveServers("RegionOne", id) },
		"moved":  func(c *acctest.Cloud, id string) { c.Fake.MoveServer("RegionOne", id, "r1-cmp-4") },
	} {
		for _, node := range []string{"0", "1"} { // one of these nodes is removed
			c := acctest.NewFake(t, fakecloud.Config{})
			r := saved(t, c, guarded(c, 2), guarded(c, 1))
			change(c, c.Servers(t)[node].ID)
			_, err := r.apply(t)
			assert.NoError(t, err, name)
			r.repair(t, 1)
		}
	}
}

// TestRaceApplies: two applies of one group at once, each with a state of its own: both make a group of the name. A
// state has one of them, and the next request for the name reports both. The group of the other apply can be found by
// its name.
func TestRaceApplies(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	both := []*workspace.Workspace{c.Workspace(t, guarded(c, 1)), c.Workspace(t, guarded(c, 1))}
	post := fakecloud.Fault{Method: http.MethodPost, Path: "/os-server-groups", Effect: fakecloud.Delay}
	first, second := post, post
	second.Nth = 2 // injected before the first fault, which waits for it
	first.Delay, first.Until = 50*time.Second, c.Fake.Inject(second).Hit()
	c.Fake.Inject(first)
	var wait sync.WaitGroup
	for _, w := range both {
		wait.Go(func() {
			_, err := w.Run(t.Context(), "apply", "-auto-approve", "-no-color", "-target=stackpolicy_affinity_attachment.web")
			assert.NoError(t, err)
		})
	}
	wait.Wait()
	r := race{acctest.Loop{Workspace: both[0], Cloud: c}}
	acctest.Apply(t, r.Workspace)
	r.Settled(t, "the next apply")
	for _, s := range c.Fake.Servers("RegionOne") {
		assert.Equal(t, c.Prefix+"0", s.Name, "its name")
	}
	groups := c.Fake.ServerGroups("RegionOne")
	require.Len(t, groups, 2, "groups of applies at once")
	other := race{acctest.Loop{Workspace: c.Workspace(t, guarded(c, 1)), Cloud: c}}
	_, err := other.Run(t.Context(), "plan", "-no-color")
	require.Error(t, err)
	for _, says := range []string{"Several server groups have the name", groups[0].ID, groups[1].ID} {
		assert.Regexp(t, acctest.Says(says), err.Error())
	}
}
