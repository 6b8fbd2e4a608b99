//go:build unix

package readinesstf_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAccPiles: the same fault met ten times makes no more servers than met once, and what is only slow gets in.
func TestAccPiles(t *testing.T) {
	for _, c := range []struct {
		what string
		then func(b *behind)
		most int // number of servers
	}{
		{"a bad image, then another bad one", func(b *behind) {
			b.write("bad1")
			_, _ = b.apply()
			b.write("bad2")
		}, 10},
		{"a growth whose creation answers are lost", func(b *behind) {
			b.size = 7
			b.write("a")
			b.Cloud.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodPost, Path: "/servers", Status: 500, Acts: true,
				Times: fakecloud.Forever})
		}, 6 + 3*2}, // two tries in each zone
		{"a bad image, then a slow one", func(b *behind) {
			b.write("bad1")
			_, _ = b.apply()
			b.write(slow)
		}, 6},
		{"a taint, while no zone has a host", func(b *behind) {
			b.run("taint", fmt.Sprintf("openstack_compute_instance_v2.web[%q]", b.Cloud.Prefix+"0"))
			soldOut(b)
		}, 10},
		{"a growth, while no zone has a host", func(b *behind) {
			b.size = 8
			b.write("a")
			soldOut(b)
		}, 10},
	} {
		t.Run(c.what, func(t *testing.T) {
			runs.In(t, runs.Some(!strings.Contains(c.what, "no zone has a host"), runs.Sweep, runs.Night))
			t.Parallel()
			b := &behind{}
			b.start(t, acctest.NewFake(t, fakecloud.Config{}), "a")
			c.then(b)
			var counts []int
			for range 10 {
				_, _ = b.apply()
				counts = append(counts, len(b.Cloud.AllServers(t)))
			}
			assert.LessOrEqual(t, counts[9], c.most, "servers after each apply: %v", counts)
			assert.Equal(t, counts[6], counts[9], "servers after each apply: %v", counts)
		})
	}
}

// TestAccEndsWell: after one apply that ended well the next plan is empty, whatever the apply had to do for it.
func TestAccEndsWell(t *testing.T) {
	runs.In(t, runs.Sweep)
	for _, c := range []struct {
		what string
		then func(b *behind)
	}{
		{"all marks are wiped", func(b *behind) {
			for _, s := range b.Cloud.Servers(b.T) {
				b.Cloud.Fake.UpdateServer("RegionOne", s.ID, func(s *fakecloud.Server) { delete(s.Metadata, openstack.MarkKey) })
			}
		}},
		{"servers were stopped, and the apply starts them", func(b *behind) { b.power("a", "os-stop", "SHUTOFF") }},
		{"a growth came with -target in part", func(b *behind) {
			b.size = 8
			b.must("a", fmt.Sprintf("-target=openstack_compute_instance_v2.web[%q]", b.Cloud.Prefix+"6"))
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			b := &behind{}
			b.start(t, acctest.NewFake(t, fakecloud.Config{}), "a")
			c.then(b)
			_, err := b.apply()
			require.NoError(t, err)
			b.Settled(t, c.what)
		})
	}
}

// TestAccStray: a server that Terraform never heard of is named with its id, and stands in the way of nothing. Once it
// is deleted, nothing speaks of it.
func TestAccStray(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	b := &behind{}
	b.start(t, acctest.NewFake(t, fakecloud.Config{}), "a")
	b.Cloud.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodPost, Path: "/servers", Status: 500, Acts: true, Times: 1})
	b.size = 7
	b.write("a")
	_, err := b.apply()
	require.Error(t, err)
	text := b.finish("b") // a rollout does not wait for it
	require.Len(t, b.Cloud.AllServers(t), 8)
	known, stray := b.ServerIDs(t), ""
	for _, s := range b.Cloud.AllServers(t) {
		if !slices.Contains(known, s.ID) {
			stray = s.ID
		}
	}
	assert.Regexp(t, acctest.Says("Servers belong to no node"), text)
	assert.Contains(t, text, stray)
	status := func() string {
		b.must("b", "-refresh-only")
		return fmt.Sprint(acctest.Resources(t, b.Workspace, "stackpolicy_placement_attachment")[0]["status"])
	}
	assert.Regexp(t, `^held: no node has the servers \S+ \(`+stray+`\): delete them$`, status())
	b.Settled(t, "the server is there")
	b.Cloud.Fake.RemoveServers("RegionOne", stray)
	assert.Equal(t, "in step", status())
	b.Settled(t, "the server is deleted")
}

// soldOut leaves no host for further servers.
func soldOut(b *behind) {
	for _, zone := range b.zones {
		b.Cloud.Fake.SellOut("RegionOne", zone, "m1.small", true)
	}
}

// TestMistakesKilled: terraform is killed after Nova has made a server of a batch, and
// before the server is in the state. The rollout goes on: the next plan has the id of the server, and the plan after it has
// both ids.
func TestMistakesKilled(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	b := &behind{installed: true}
	b.start(t, acctest.NewFake(t, fakecloud.Config{}), "a")
	b.write("b")
	hang := b.Cloud.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: "POST", Path: "/servers", Effect: fakecloud.Hang, Acts: true})
	err := acctest.Signalled(t, b.Workspace, hang, syscall.SIGKILL, 0, "apply", "-auto-approve", "-input=false", "-no-color", "-parallelism=1")
	assert.Error(t, err)
	b.applies++
	text := b.finish("b")
	known := b.ServerIDs(t)
	for _, s := range b.Cloud.AllServers(t) {
		if slices.Contains(known, s.ID) {
			continue
		}
		for _, said := range []string{"Servers are there that this plan makes again", "Servers belong to no node", s.ID} {
			assert.Regexp(t, acctest.Says(said), text)
		}
		b.Cloud.Kill(t, "RegionOne", s.ID)
	}
	b.counted("`kill -9` after Nova made a server, which is not in the state; in the end it is deleted by hand")
}
