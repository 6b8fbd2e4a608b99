package placementtf_test

import (
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestPlacementBatches: the moves of a plan count the batches of one configuration: each apply
// takes the next batch. Another configuration, or the first batch after the last one, starts again
// from 1. The status says what is left to do. A plan with nothing left to do is empty.
func TestPlacementBatches(t *testing.T) {
	t.Parallel()
	image := func(name string, size int) attributes {
		return zonal(size, "az-1", attributes{"template": attributes{"version": name}, "deletion": oldestFirst["deletion"],
			"update": attributes{"causes": []any{"TEMPLATE", "UNHEALTHY"}, "max_batch_size": "2"}})
	}
	bare := zonal(4, "az-1", attributes{"template": attributes{"version": "a"}})
	a := attach(t, bare)
	f := follower{attached: a, servers: map[string]followed{}}
	f.follow()
	breaks := func(name string) func() {
		return func() {
			a.Fake.UpdateServer("RegionOne", f.servers[name].id, func(s *fakecloud.Server) { s.Status = "ERROR" })
		}
	}
	for i, step := range []struct {
		config    attributes
		happens   func()
		batch     string // batch in the moves
		status    string
		remaining string
		stays     bool // whether nothing is left to do
	}{
		{config: bare, status: "in step", remaining: "0", stays: true},
		{config: image("b", 5), status: "behind", remaining: "4"}, // the apply brings the block update
		{config: image("b", 5), batch: "batch 1 of 2", status: "behind", remaining: "2"},
		{config: image("b", 5), batch: "batch 2 of 2", status: "in step", remaining: "0"},
		{config: image("b", 5), batch: "batch 2 of 2", status: "in step", remaining: "0", stays: true},
		{config: image("b", 5), happens: breaks("web-4"), batch: "batch 1 of 1", status: "in step", remaining: "0"},
		{config: image("c", 5), batch: "batch 1 of 3", status: "behind", remaining: "3"},
		{config: image("d", 5), batch: "batch 1 of 3", status: "behind", remaining: "3"},
		{config: image("d", 5), batch: "batch 2 of 3", status: "behind", remaining: "1"},
	} {
		if step.happens != nil {
			step.happens()
		}
		a.Look(t)
		before := a.I.State
		a.Must(t, step.config)
		f.follow()
		state := protocol.Object(a.I.State)
		status, _, _ := strings.Cut(protocol.Shown(state["status"]), ":")
		batch, _, moves := strings.Cut(movesOf(state), ":")
		if !moves {
			batch = ""
		}
		if remaining := protocol.Shown(state["remaining"]); batch != step.batch || status != step.status || remaining != step.remaining {
			t.Errorf("step %d: %q, %s, %s remaining", i, batch, state["status"], remaining)
		}
		if step.stays && !a.I.State.Equal(before) {
			t.Errorf("step %d: a plan with nothing to do changes %s\nto %s", i, before, a.I.State)
		}
	}
}

// TestPlacementServed: a node that served once is remembered: it gets a substitute for another template,
// whatever the state of its server. A node that never served is changed at once, under its name.
func TestPlacementServed(t *testing.T) {
	t.Parallel()
	old, wanted := templated("a", "SUBSTITUTE", "TEMPLATE"), templated("b", "SUBSTITUTE", "TEMPLATE")
	planEach(t, map[string]plannedCase{
		"it did": {happens: inTurn(boots, becomes(zonal(2, "az-1", old)), breaks("web-1")), nodes: "RegionOne/az-1: web-2 web-3",
			change: "+web-2 +web-3 -web-0 -web-1",
			before: zonal(2, "az-1", old), config: zonal(2, "az-1", wanted)},
		"it never did": {happens: inTurn(boots, breaks("web-1")), nodes: "RegionOne/az-1: web-1 web-2", change: "+web-2 -web-0 ~web-1",
			before: zonal(2, "az-1", old), config: zonal(2, "az-1", wanted)},
	})
}

// TestPlacementRepaired: once a refresh sees that a server made again by an update is healthy,
// nothing remains, with each method, so that a loop that waits for 0 ends.
func TestPlacementRepaired(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"SUBSTITUTE", "RECREATE", "IN_PLACE"} {
		oneByOne := templated("a", method, "UNHEALTHY")
		oneByOne["update"].(attributes)["max_batch_size"] = "1"
		config := zonal(4, "az-1", oneByOne)
		a := attach(t, config)
		f := follower{attached: a, servers: map[string]followed{}}
		f.follow()
		turns := func(name, status string) {
			a.Fake.UpdateServer("RegionOne", f.servers[name].id, func(s *fakecloud.Server) { s.Status = status })
		}
		turns("web-1", "ERROR")
		turns("web-2", "ERROR") // recovers by itself
		a.Look(t)
		a.Must(t, config)
		if state := protocol.Object(a.I.State); !strings.HasPrefix(movesOf(state), "batch 1 of ") ||
			protocol.Shown(state["status"]) != "behind: 1 of 4 nodes to replace" {
			t.Errorf("%s repairs nothing: %s, %s", method, movesOf(state), state["status"])
		}
		f.follow()
		for name := range f.servers {
			turns(name, "ACTIVE")
		}
		a.Look(t)
		if state := protocol.Object(a.I.State); protocol.Shown(state["status"]) != "in step" || protocol.Shown(state["remaining"]) != "0" {
			t.Errorf("%s: %s, %s remaining", method, state["status"], state["remaining"])
		}
	}
}

// TestPlacementAwaits: a plan expects once that an apply makes a missing server. If the apply does not, for example because
// the selector leaves the server out, the next plans are empty until the server is found again.
func TestPlacementAwaits(t *testing.T) {
	t.Parallel()
	config := zonal(2, "az-1", nil)
	a := attach(t, config)
	boots(t, a)
	for i, step := range []struct {
		happens      func(*testing.T, attached)
		found, plans string // status of the refresh, and of the plan
	}{
		{nil, "in step", "in step"},
		{loses("web-1"), "waits: web-1 (no server of its name was found)", "in step"},
		{nil, "waits: web-1 (no server of its name was found)", "waits: web-1 (no server of its name was found)"},
		{another("web-1"), "in step", "in step"},
		{loses("web-1"), "waits: web-1 (no server of its name was found)", "in step"},
	} {
		if step.happens != nil {
			step.happens(t, a)
		}
		a.Later(t)
		a.Look(t)
		found := protocol.Shown(protocol.Object(a.I.State)["status"])
		a.Must(t, config)
		if plans := protocol.Shown(protocol.Object(a.I.State)["status"]); found != step.found || plans != step.plans {
			t.Errorf("step %d: found %q, planned %q", i, found, plans)
		}
	}
}

// TestPlacementComesBack: a removed node is remembered, with what was seen of it: it comes back
// while its server runs. A plan that brings nodes back places them, so it reports the places
// that take no nodes.
func TestPlacementComesBack(t *testing.T) {
	t.Parallel()
	removes := func(names string, more func(*testing.T, attached)) func(*testing.T, attached) {
		return func(t *testing.T, a attached) {
			t.Helper()
			a.boot(t, nil)
			becomes(zonal(4-len(strings.Fields(names)), "az-1 az-2", leaving(names, "")))(t, a)
			if more != nil {
				more(t, a)
			}
		}
	}
	const skipped = "zones[1]: Availability zone skipped"
	for name, c := range map[string]plannedCase{
		"all": {happens: removes("web-0 web-2", nil), nodes: "RegionOne/az-1: web-0 web-1; RegionOne/az-2: web-2 web-3", change: "<web-0 <web-2"},
		"where their zone is up": {happens: removes("web-0 web-2", down("az-2")), nodes: "RegionOne/az-1: web-0 web-1 web-4; RegionOne/az-2: web-3",
			change: "+web-4 <web-0", at: skipped},
		"where another zone is down": {happens: removes("web-0", down("az-2")), nodes: "RegionOne/az-1: web-0 web-1; RegionOne/az-2: web-2 web-3",
			change: "<web-0", at: skipped},
		"without a refresh": {happens: removes("web-0 web-2", nil), unseen: true, nodes: "RegionOne/az-1: web-0 web-1; RegionOne/az-2: web-2 web-3",
			change: "<web-0 <web-2"},
	} {
		c.before, c.config = zonal(4, "az-1 az-2", nil), zonal(4, "az-1 az-2", nil)
		c.plan(t, name)
	}
}

// TestPlacementOpens: the plan that opens a region updates nothing there, because what was seen of
// its nodes is old. It fills the region like any other.
func TestPlacementOpens(t *testing.T) {
	t.Parallel()
	const both, closed = "RegionOne:az-1 RegionTwo:az-1", "RegionOne!:az-1 RegionTwo:az-1"
	const looks = "RegionOne/os-availability-zone" // no refresh looked it up
	old, wanted := templated("a", "SUBSTITUTE", "TEMPLATE"), templated("b", "SUBSTITUTE", "TEMPLATE")
	closes := func(t *testing.T, a attached) {
		t.Helper()
		a.boot(t, nil)
		becomes(across(4, closed, old))(t, a)
	}
	for name, c := range map[string]plannedCase{
		"opened": {config: across(4, both, wanted), nodes: "RegionOne/az-1: web-0 web-1; RegionTwo/az-1: web-4 web-5", change: "+web-4 +web-5 -web-2 -web-3",
			asks: looks},
		"opened, and it grows": {config: across(6, both, old), nodes: "RegionOne/az-1: web-0 web-1 web-4; RegionTwo/az-1: web-2 web-3 web-5",
			change: "+web-4 +web-5", asks: looks},
		"closed still": {config: across(4, closed, wanted), nodes: "RegionOne/az-1: web-0 web-1; RegionTwo/az-1: web-4 web-5",
			change: "+web-4 +web-5 -web-2 -web-3"},
	} {
		c.before, c.happens = across(4, both, old), closes
		c.plan(t, name)
	}
}

// TestPlacementDestroyed: destroying the attachment forgets it, and sends no request.
func TestPlacementDestroyed(t *testing.T) {
	t.Parallel()
	a := attach(t, zonal(2, "az-1", nil))
	a.Later(t)
	a.Fake.ResetRequests()
	if a.Must(t, nil); !a.I.State.IsNull() || len(a.Fake.Requests()) > 0 {
		t.Errorf("%s, %v", a.I.State, a.Fake.Requests())
	}
}

// TestPlacementRenamed: an attachment with another cluster gets another id. Its nodes keep their
// names, and a name that a node had is not given again, whichever pattern made it.
func TestPlacementRenamed(t *testing.T) {
	t.Parallel()
	a := attach(t, zonal(2, "az-1", nil))
	_, state := a.plan(t, zonal(3, "az-1", attributes{"cluster": "www"}))
	if got := works(state); !strings.HasPrefix(got, "id=www ") || !strings.Contains(got, "change=+www-2 ") {
		t.Error(got)
	}
	named := attributes{"node_name_pattern": "{cluster}-1{index}"}
	plannedCase{before: zonal(2, "az-1", named), happens: inTurn(becomes(zonal(1, "az-1", named)), becomes(zonal(9, "az-1", nil))),
		config: zonal(11, "az-1", nil), nodes: "RegionOne/az-1: web-11 web-12 web-13 web-2 web-3 web-4 web-5 web-6 web-7 web-8 web-9",
		change: "+web-12 +web-13"}.plan(t, "another pattern")
}

// follower makes and marks the servers of an attachment, in place of Terraform
// and a readiness attachment. A server of a bad image never gets into service.
type follower struct {
	attached
	servers map[string]followed
}

type followed struct{ id, mark, generation string }

func (f *follower) follow() {
	nodes := protocol.Object(protocol.Object(f.I.State)["nodes"])
	for name, s := range f.servers {
		if _, stays := nodes[name]; !stays {
			f.Fake.RemoveServers("RegionOne", s.id)
			delete(f.servers, name)
		}
	}
	for name, value := range nodes {
		node := protocol.Object(value)
		is := followed{f.servers[name].id, protocol.Text(node["mark"]), node["generation"].String()}
		if is.id != "" && is.generation != f.servers[name].generation {
			f.Fake.RemoveServers("RegionOne", is.id)
			is.id = ""
		}
		if is.id == "" {
			is.id = f.server(name, protocol.Text(node["zone"]), 0, nil)
		}
		f.Fake.UpdateServer("RegionOne", is.id, func(s *fakecloud.Server) {
			if image := protocol.Text(protocol.Object(node["template"])["image"]); image != "bad" {
				s.Metadata = map[string]string{openstack.MarkKey: is.mark}
			}
		})
		f.servers[name] = is
	}
}
