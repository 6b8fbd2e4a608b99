package examples_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Tables of the guide "Operating a cluster": each row is tested below.

// whatHappens fails unless the guide has the row.
func whatHappens(t *testing.T, when, next string) {
	t.Helper()
	quoted(t, "operating-a-cluster", "| "+when+" | "+next+" |")
}

// startGuide prepares the cluster of the guide. A deleted server can be seen for a moment, as on a real cloud.
func startGuide(t *testing.T) example {
	t.Helper()
	if !acctest.Live() {
		t.Parallel()
	}
	e := startOn(t, acctest.New(t, fakecloud.Config{DeleteTime: time.Second}), "guides/what-happens-when")
	e.c.Admin(t, "RegionOne") // some of the changes need an administrator
	return e
}

// next returns what the next plan does, by address without the type: web["web-0"] for a server, placement for the
// attachment. It leaves out resources without a change.
func (e example) next(t *testing.T, variables ...string) map[string]string {
	t.Helper()
	plan, err := e.Plan(t.Context(), "next.tfplan", variables...)
	require.NoError(t, err)
	found := map[string]string{}
	for _, r := range plan.ResourceChanges {
		name := "placement"
		if r.Type == "openstack_compute_instance_v2" {
			name = r.Index.(string)
		}
		switch a := r.Change.Actions; {
		case a.NoOp():
		case a.Update():
			found[name] = "in place"
		case a.Replace():
			found[name] = "replaced"
		case a.Create():
			found[name] = "created"
		case a.Delete():
			found[name] = "destroyed"
		}
	}
	return found
}

// elsewhere returns a zone that a node is not in.
func (e example) elsewhere(t *testing.T, id string) string {
	t.Helper()
	was := e.c.Server(t, "RegionOne", id).AvailabilityZone
	for _, zone := range e.c.Zones(t, "RegionOne") {
		if zone != was {
			return zone
		}
	}
	t.Fatalf("there is no zone but %s", was)
	return ""
}

// act makes Nova act on a server of RegionOne.
func act(body, status string) func(*testing.T, example, string) {
	return func(t *testing.T, e example, id string) { e.c.Act(t, "RegionOne", id, body, status) }
}

// byHand has changes of a server outside Terraform, and the reaction of the next plan.
var byHand = []struct {
	when, next string
	do         func(t *testing.T, e example, id string)
	server     string // change of the server by the plan
	status     string // status after the apply
	night      bool   // whether the module "stateful" has it at night
}{
	{"nothing", "is empty", func(*testing.T, example, string) {}, "", "ACTIVE", false},
	{"it is migrated to another zone", "remembers its new zone, and leaves the server alone", func(t *testing.T, e example, id string) {
		e.c.Migrate(t, "RegionOne", id, e.elsewhere(t, id))
	}, "", "ACTIVE", true},
	{"it is shelved", "unshelves it", act(`{"shelve": null}`, "SHELVED_OFFLOADED"), "in place", "ACTIVE", true},
	{"it is shelved, and unshelved in another zone", "remembers its new zone, and leaves the server alone", func(t *testing.T, e example, id string) {
		zone := e.elsewhere(t, id)
		e.c.Act(t, "RegionOne", id, `{"shelve": null}`, "SHELVED_OFFLOADED")
		e.c.Act(t, "RegionOne", id, fmt.Sprintf(`{"unshelve": {"availability_zone": %q}}`, zone), "ACTIVE")
	}, "", "ACTIVE", true},
	{"it is renamed", "gives it its name back",
		func(t *testing.T, e example, id string) { e.c.Rename(t, "RegionOne", id, "web-renamed") }, "in place", "ACTIVE", true},
	{"it is locked", "leaves it alone; when the cluster shrinks it is not chosen", func(t *testing.T, e example, id string) {
		e.c.Act(t, "RegionOne", id, `{"lock": null}`, "ACTIVE")
		t.Cleanup(func() { e.c.Act(t, "RegionOne", id, `{"unlock": null}`, "ACTIVE") })
	}, "", "ACTIVE", true},
	{"it is paused", "unpauses it", act(`{"pause": null}`, "PAUSED"), "in place", "ACTIVE", true},
	{"it is stopped", "starts it", act(`{"os-stop": null}`, "SHUTOFF"), "in place", "ACTIVE", false},
	{"it is deleted", "makes it again, under its name and in its place",
		func(t *testing.T, e example, id string) { e.c.Kill(t, "RegionOne", id) }, "created", "ACTIVE", false},
	{"it ends up in ERROR", "leaves it alone; when the cluster shrinks it is chosen first",
		func(t *testing.T, e example, id string) { e.c.Reset(t, "RegionOne", id) }, "", "ERROR", false},
}

// TestAccWhatHappens_byHand makes all these changes at once, each to a node of its own.
func TestAccWhatHappens_byHand(t *testing.T) {
	runs.In(t, runs.Sweep)
	e := startGuide(t)
	e.apply(t)
	ids := e.servers(t)
	for i, row := range byHand {
		whatHappens(t, row.when, row.next)
		row.do(t, e, ids[fmt.Sprint("web-", i)])
	}
	next := e.next(t)
	for i, row := range byHand {
		assert.Equal(t, row.server, next[fmt.Sprint("web-", i)], "%s: the plan has the server", row.when)
	}
	acctest.Apply(t, e.Workspace)
	after := e.c.Servers(t)
	for i, row := range byHand {
		s, there := after[fmt.Sprint(i)]
		if !there || s.Status != row.status || (s.ID == ids[fmt.Sprint("web-", i)]) != (row.server != "created") {
			t.Errorf("%s: afterwards the server is %s, there: %t", row.when, s.Status, there)
		}
	}
	// A shelved server had no place for a while.
	if next := e.next(t); len(next) > 1 || len(next) == 1 && next["placement"] == "" {
		t.Errorf("the plan after that has %v", next)
	}
	// The server in ERROR is chosen first, and the locked one stays.
	assert.Equal(t, map[string]string{"web-9": "destroyed", "placement": "in place"}, e.next(t, "size=9"), "one node fewer: web-9 is in ERROR")
	next = e.next(t, "size=1")
	assert.NotContains(t, next, "web-5", "one node only: it is locked")
	assert.Len(t, next, len(ids))
}

// TestWhatHappens_modules makes each of these changes to a server of both modules, which also replace a server in ERROR.
func TestWhatHappens_modules(t *testing.T) {
	for module, replaced := range map[string]string{"cluster": "destroyed", "stateful": "replaced"} {
		for _, row := range byHand {
			t.Run(module+"/"+row.when, func(t *testing.T) {
				runs.In(t, runs.Some(module == "cluster" || !row.night, runs.Sweep, runs.Night))
				t.Parallel()
				e := startModule(t, module)
				id, want := e.servers(t)["web-1"], row.server
				if row.status == "ERROR" {
					want = replaced
				}
				row.do(t, e, id)
				assert.Equal(t, want, e.next(t)["web-1"], "the plan has the server")
				acctest.Apply(t, e.Workspace)
				after := e.servers(t)
				assert.Len(t, after, 3)
				assert.Equal(t, want == "" || want == "in place", after["web-1"] == id, "the server is the same afterwards")
			})
		}
	}
}

// startModule makes three nodes with a module.
func startModule(t *testing.T, module string) example {
	t.Helper()
	e := startOn(t, acctest.NewAdmin(t, fakecloud.Config{}), "clusters/first")
	e.edit(t, "modules/cluster", "modules/"+module)
	e.edit(t, "desired_capacity = 6", "desired_capacity = 3")
	e.edit(t, "weight = 200, cap = 3", "weight = 100")
	require.NoError(t, e.Init(t.Context()))
	e.apply(t)
	return e
}

// TestAccWhatHappens_suspended: the one state in which an apply cannot continue.
func TestAccWhatHappens_suspended(t *testing.T) {
	runs.In(t, runs.Sweep)
	e := startGuide(t)
	e.apply(t, "size=2")
	whatHappens(t, "it is suspended, rescued, `SOFT_DELETED` or waits for the confirmation of a resize",
		"fails with `Invalid power_state`, for the whole cluster: resume, unrescue, restore or confirm it first")
	id := e.servers(t)["web-0"]
	e.c.Act(t, "RegionOne", id, `{"suspend": null}`, "SUSPENDED")
	_, err := e.Run(t.Context(), "plan", "-no-color", "-var=size=2")
	assert.ErrorContains(t, err, "Invalid power_state", "with a suspended server")
	if e.c.Fake != nil { // few clouds keep deleted servers
		e.c.Fake.UpdateServer("RegionOne", id, func(s *fakecloud.Server) { s.Status = "SOFT_DELETED" })
		_, err := e.Run(t.Context(), "plan", "-no-color", "-var=size=2")
		assert.ErrorContains(t, err, "Invalid power_state", "with a deleted server that is kept")
		e.c.Fake.UpdateServer("RegionOne", id, func(s *fakecloud.Server) { s.Status = "SUSPENDED" })
	}
	e.c.Act(t, "RegionOne", id, `{"resume": null}`, "ACTIVE")
	assert.Empty(t, e.next(t, "size=2"), "after that the plan has")
}

// fails applies, and fails unless the apply fails with the text.
func (e example) fails(t *testing.T, text string, variables ...string) {
	t.Helper()
	_, err := e.Apply(t.Context(), variables...)
	require.Error(t, err)
	assert.Regexp(t, acctest.Says(text), err.Error())
}

// TestAccWhatHappens_quota: a quota ends a growth half way.
func TestAccWhatHappens_quota(t *testing.T) {
	runs.In(t, runs.Sweep)
	e := startGuide(t)
	e.apply(t, "size=3")
	before := e.servers(t)
	raise := e.c.Room(t, "RegionOne", 1)
	// One after the other: Nova lets several at once pass its first check, and puts all of them into ERROR at its
	// second.
	e.Env = append(e.Env, "TF_CLI_ARGS_apply=-parallelism=1")
	e.fails(t, "Quota exceeded for instances", "size=6")
	half := e.servers(t)
	kept(t, before, half, 4)
	created := 0
	for name, action := range e.next(t, "size=6") {
		if action == "created" && half[name] == "" {
			created++
		}
	}
	whatHappens(t, "Nova refuses servers (403, a quota)", "makes those that are missing, under their names and in their places; the others stay")
	assert.Equal(t, 2, created, "servers that the plan makes")
	whatHappens(t, "the same, and `desired_capacity` is set to the number of servers that there are", "takes back what has no server: no server is destroyed")
	assert.Equal(t, map[string]string{"placement": "in place"}, e.next(t, "size=4"), "taken back, the plan has")
	raise()
	e.apply(t, "size=6")
	kept(t, half, e.servers(t), 6)
}

// TestAccWhatHappens_noValidHost: one server of a growth finds no host.
func TestAccWhatHappens_noValidHost(t *testing.T) {
	runs.In(t, runs.Sweep)
	e := startGuide(t)
	group := "servergroup_id=" + e.c.Group(t, "RegionOne", "apart", "anti-affinity")
	e.apply(t, "size=4", group) // one on each host
	before := e.servers(t)
	e.fails(t, "unexpected state 'ERROR', wanted target 'ACTIVE'", "size=5", group)
	whatHappens(t, "a new server ends in ERROR (`No valid host was found`)", "replaces it, in the same place: it is tainted")
	assert.Equal(t, map[string]string{"web-4": "replaced"}, e.next(t, "size=5", group), "the plan has")
	whatHappens(t, "the same, and `desired_capacity` is what it was before", "removes that server and its node, and no other")
	assert.Equal(t, map[string]string{"web-4": "destroyed", "placement": "in place"}, e.next(t, "size=4", group), "taken back, the plan has")
	e.apply(t, "size=4", group)
	assert.Equal(t, before, e.servers(t), "the servers")
}
