package placementtf_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

// TestPlacementRefuses: an impossible plan is a single error at the argument that asks for it,
// and says what to change there.
func TestPlacementRefuses(t *testing.T) {
	t.Parallel()
	const zone = "az-1"
	monitored := attributes{"health": attributes{"octavia": attributes{"pool_ids": []any{"1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63"}}}}
	unbalanced := func(_ *testing.T, a attached) {
		a.Fake.Inject(fakecloud.Fault{Service: fakecloud.LoadBalancing, Region: "RegionTwo", Status: http.StatusServiceUnavailable, Times: fakecloud.Forever})
	}
	planEach(t, map[string]plannedCase{
		"a size that is known only now": { // no place is looked up
			config: zonal(3, "az-tow", attributes{"max_size": 2}),
			at:     "desired_capacity: Size outside its bounds",
		},
		"such a size, and a template that is not known yet": {before: zonal(2, zone, nil),
			config: zonal(3, zone, attributes{"max_size": 2, "template": tftypes.UnknownValue}), at: "desired_capacity: Size outside its bounds"},
		"a pool of members that no region has": {config: across(2, "RegionOne RegionTwo", monitored), at: "health.octavia.pool_ids[0]: Unknown pool",
			says: `No region of the cluster has the pool "1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63", so`, asks: "RegionOne/servers RegionTwo/servers"},
		"such a pool, later": {before: zonal(2, zone, nil), config: zonal(2, zone, monitored), at: "health.octavia.pool_ids[0]: Unknown pool"},
		"a pool, where an Octavia does not answer": {happens: unbalanced, config: across(2, "RegionOne RegionTwo", monitored),
			nodes: "RegionOne: web-0; RegionTwo: web-1", asks: "RegionOne/servers RegionTwo/servers"},
		"a pool that a closed region may have": {config: across(2, "RegionOne! RegionTwo", monitored), nodes: "RegionTwo: web-0 web-1",
			asks: "RegionTwo/servers"},
		"a pool that was asked for before": {before: across(2, "RegionOne! RegionTwo", monitored), config: across(2, "RegionOne RegionTwo", monitored),
			nodes: "RegionTwo: web-0 web-1"},
		"a batch that is known only now": {config: zonal(3, "az-tow", attributes{"update": attributes{"causes": []any{"UNHEALTHY"}, "max_batch_size": "many"}}),
			at: "update.max_batch_size: Invalid number of nodes"},
		"no stateful where slots are kept": {before: zonal(2, zone, stateful()), happens: becomes(zonal(1, zone, stateful())), config: zonal(1, zone, nil),
			at: "stateful: Slots are kept without stateful", says: "Kept slots: web-1."},
		"stateful where slots are kept": {before: zonal(2, zone, stateful()), happens: becomes(zonal(1, zone, stateful())), config: zonal(2, zone, stateful()),
			nodes: "RegionOne/az-1: web-0 web-1"},
		"a slot to release with a node": {before: zonal(2, zone, stateful()), config: zonal(2, zone, stateful("web-1")),
			at: "stateful.release: A slot to release is in use", says: "Nodes still use the slots web-1. A slot can be released once its node is removed"},
		"a slot to release that never was": {before: zonal(2, zone, stateful()), config: zonal(2, zone, stateful("web-O")),
			at: "stateful.release[0]: Nothing to release", says: `There is no slot and no disk "web-O". Did you mean "web-0"?`},
		"an address of a slot that never is": {before: zonal(2, zone, stateful()), config: zonal(2, zone, with(stateful(), attributes{"networks": []any{
			attributes{"name": "shared", "addresses": attributes{"web-O": "10.9.0.9"}}}})),
			at: "networks: No such slot", says: `networks[0].addresses has "web-O", which is no slot, and no new node gets that name. Did you mean`},
		"a candidate that an apply removed": {before: zonal(2, zone, nil), happens: becomes(zonal(1, zone, leaving("web-1", ""))),
			config: zonal(2, zone, leaving("web-1", "")), nodes: "RegionOne/az-1: web-0 web-2"},
		"a candidate by the id of its server": {before: zonal(2, zone, nil), config: zonal(1, zone, leaving(unscheduledID, "")), nodes: "RegionOne/az-1: web-0",
			change: "-web-1", happens: func(t *testing.T, a attached) {
				t.Helper()
				a.boot(t, map[string]func(*fakecloud.Server){"web-1": func(s *fakecloud.Server) { s.ID = unscheduledID }})
			}},
		"a candidate that never was": {before: zonal(2, zone, nil), config: zonal(2, zone, leaving("web-7", "")), nodes: "RegionOne/az-1: web-0 web-1",
			at: ": A candidate is not there"},
		"a candidate in a closed place": {before: zonal(2, "az-1 az-2", templated("a", "RECREATE", "TEMPLATE")),
			config: zonal(2, "az-1! az-2", with(templated("a", "RECREATE", "TEMPLATE"), leaving("web-0", ""))), at: "deletion.candidates: Invalid candidate",
			says: "which is closed. Remove it from candidates and kept, or change that first."},
		"a candidate that is protected": {before: zonal(2, zone, nil), config: zonal(2, zone, leaving("web-0", "web-0")),
			at: "deletion.candidates: Invalid candidate", says: "Remove it from candidates and kept, or"},
		"a candidate that is misspelled": {before: zonal(2, zone, nil), config: zonal(1, zone, leaving("web-00", "")),
			at: "deletion.candidates: Invalid candidate", says: "web-00, so other nodes would be removed instead."},
		"a protected node that is misspelled": {before: zonal(2, zone, nil), config: zonal(1, zone, leaving("", "web-00")),
			at:   "deletion.protected: A protected node is not there",
			says: `No node has the protected name "web-00", and "web-0" would be removed or replaced.`},
		"a node that the plan makes is protected": {before: zonal(2, zone, nil), config: zonal(3, zone, leaving("", "web-2")),
			nodes: "RegionOne/az-1: web-0 web-1 web-2"},
		"a protected node that is not there": {before: zonal(2, zone, nil), config: zonal(2, zone, leaving("", "db-7")), nodes: "RegionOne/az-1: web-0 web-1",
			at: ": A protected node is not there"},
		"fewer nodes than are protected": {before: zonal(2, zone, nil), config: zonal(1, zone, leaving("", "web-0 web-1")),
			at: "desired_capacity: Too few nodes can be removed", says: "terraform destroy -refresh=false"},
		"a cause without its template": {before: zonal(2, zone, nil),
			config: zonal(2, zone, attributes{"update": attributes{"causes": []any{"TEMPLATE"}, "max_batch_size": "1", "require_in_service": false}}),
			nodes:  "RegionOne/az-1: web-0 web-1",
			at:     "update.causes: A missing argument"},
		"no template any more": {before: zonal(2, zone, templated("a", "SUBSTITUTE", "TEMPLATE")), config: zonal(2, zone, nil),
			at: "template: The template is gone"},
	})
}

// TestPlacementServersThere: a new attachment refuses to take names that servers have already, if its
// selector, its pattern and its open places find them.
func TestPlacementServersThere(t *testing.T) {
	t.Parallel()
	const (
		there = "cluster: Servers of this cluster are there already"
		looks = "RegionOne/os-availability-zone RegionOne/servers"
		nodes = "RegionOne/az-1: web-0"
	)
	selector := func(by string, what any) attributes { return attributes{"selector": attributes{by: what}} }
	for name, c := range map[string]plannedCase{
		"they are": {happens: another("web-7"), at: there, asks: looks,
			says: "In RegionOne 1 server has a name that this cluster would give: web-7."},
		"the selector finds them": {happens: another("web-7"), config: selector("name_regex", "^w"), at: there, asks: looks},
		"the selector finds none": {happens: another("web-7"), config: selector("tags", []any{"mine"}), nodes: nodes, asks: looks},
		"it finds others":         {happens: another("db-7"), config: selector("name_regex", "."), nodes: nodes, asks: looks},
		"it is not known": {happens: another("web-7"), config: selector("name_regex", tftypes.UnknownValue), nodes: nodes,
			asks: "RegionOne/os-availability-zone"},
		"its group is gone": {happens: another("web-7"), config: selector("servergroup_id", "gone"), nodes: nodes,
			asks: "RegionOne/os-availability-zone RegionOne/os-server-groups/gone"},
		"they cannot be read": {happens: fails("/servers/detail"), at: ": Unable to read the cluster", asks: looks},
		"their region is closed": {happens: another("web-7"), config: attributes{"regions": protocol.Listing("RegionOne! RegionTwo")},
			nodes: "RegionTwo: web-0", asks: "RegionTwo/servers"},
		"their region is gone too": {happens: inTurn(another("db-7"), hidden),
			config: attributes{"regions": protocol.Listing("RegionOne RegionTwo")}, nodes: "RegionOne: web-0",
			at: "regions[1]: Region skipped", asks: "RegionOne/servers"},
	} {
		c.config = with(zonal(1, "az-1", nil), c.config)
		c.plan(t, name)
	}
}

// TestPlacementNamesTaken: after an older state was restored, or two applies ran at once, new nodes skip the names of servers
// that the state does not know, and a warning lists them. Servers that the selector leaves out do not matter.
func TestPlacementNamesTaken(t *testing.T) {
	t.Parallel()
	const there = ": Servers have the names that come next"
	before := zonal(2, "az-1", nil)
	mine, slots := attributes{"selector": attributes{"metadata": attributes{"mine": "yes"}}}, attributes{"stateful": attributes{}}
	planEach(t, map[string]plannedCase{
		"of the next node": {happens: inTurn(boots, another("web-2")), before: before, config: zonal(3, "az-1", nil),
			nodes: "RegionOne/az-1: web-0 web-1 web-3", at: there, says: "web-2"},
		"of some after it": {happens: inTurn(boots, another("web-4"), another("web-3")), before: before, config: zonal(5, "az-1", nil),
			nodes: "RegionOne/az-1: web-0 web-1 web-2 web-5 web-6", at: there, says: "web-3, web-4"},
		"of none that comes": {happens: inTurn(boots, another("web-3"), another("web-02"), another("web-2-old"), another("db-2")), before: before,
			config: zonal(3, "az-1", nil), nodes: "RegionOne/az-1: web-0 web-1 web-2"},
		"of a slot": {happens: inTurn(boots, another("web-2")), before: zonal(2, "az-1", slots), config: zonal(3, "az-1", slots),
			nodes: "RegionOne/az-1: web-0 web-1 web-3", at: there, says: "web-2"},
		"and the selector leaves it out": {happens: inTurn(boots, another("web-2")), before: zonal(2, "az-1", mine), config: zonal(3, "az-1", mine),
			nodes: "RegionOne/az-1: web-0 web-1 web-2"},
		"and the plan removes one": {happens: inTurn(boots, another("web-2")), before: before, config: zonal(1, "az-1", oldestFirst),
			nodes: "RegionOne/az-1: web-1", change: "-web-0"},
	})
}

// TestPlacementWarns: the notices of a plan are about the cluster after the plan, and about
// the places that were listed before.
func TestPlacementWarns(t *testing.T) {
	t.Parallel()
	const dropped, looks = ": A place with nodes is no longer listed", "RegionOne/os-availability-zone"
	moves := templated("a", "SUBSTITUTE", "PLACEMENT")
	least := attributes{"regions": protocol.Zones([]any{attributes{"name": "az-1", "min": 4}})}
	planEach(t, map[string]plannedCase{
		"a place is dropped": {before: zonal(2, "az-1 az-2", nil), config: zonal(2, "az-1", nil), nodes: "RegionOne/az-1: web-0; RegionOne/az-2: web-1",
			asks: looks, at: dropped, says: "RegionOne/az-2 is no longer listed and has 1 node. They stay until the cluster shrinks"},
		"it was dropped before": {before: zonal(2, "az-1 az-2", nil), happens: becomes(zonal(2, "az-1", nil)), config: zonal(3, "az-1", nil),
			nodes: "RegionOne/az-1: web-0 web-2; RegionOne/az-2: web-1", asks: looks},
		"an update moves its nodes": {before: zonal(4, "az-1 az-2", with(moves, leaving("", "web-3"))),
			happens: func(t *testing.T, a attached) { t.Helper(); a.boot(t, nil) }, config: zonal(4, "az-1", with(moves, leaving("", "web-3"))),
			nodes: "RegionOne/az-1: web-0 web-1 web-4; RegionOne/az-2: web-3", change: "-web-2", at: dropped, asks: looks,
			says: "The update replaces them, batch by batch."},
		"mins that growth meets": {before: zonal(2, "az-1", nil), config: zonal(4, "", least), nodes: "RegionOne/az-1: web-0 web-1 web-2 web-3"},
		"mins that it does not meet": {before: zonal(2, "az-1", nil), config: zonal(3, "", least), nodes: "RegionOne/az-1: web-0 web-1 web-2",
			at: ": A place is below its min", says: "has 3 nodes, below its min of 4"},
		"a candidate at a min": {before: zonal(2, "az-1 az-2", nil), nodes: "RegionOne/az-2: web-1", change: "-web-0", at: ": A place is below its min",
			config: with(zonal(1, "", leaving("web-0", "")),
				attributes{"regions": protocol.Zones([]any{attributes{"name": "az-1", "min": 1}, attributes{"name": "az-2"}})})},
		"a shrink takes a zone that is not listed, though another region is fuller": {before: across(7, "RegionOne RegionTwo:az-1,az-2", nil),
			happens: boots, config: across(6, "RegionOne RegionTwo:az-1", oldestFirst), change: "-web-6", asks: "RegionTwo/os-availability-zone",
			nodes: "RegionOne: web-0 web-1 web-2 web-3; RegionTwo/az-1: web-4 web-5"},
		"a kept server": {before: zonal(2, "az-1", nil), happens: boots, config: zonal(1, "az-1", attributes{"deletion": attributes{"kept": []any{"web-1"}}}),
			nodes: "RegionOne/az-1: web-0", change: "-web-1", at: "deletion.kept: Kept servers leave the cluster", says: "web-1: the node leaves"},
	})
}

// TestPlacementNoRegion: zones need a region. If neither the configuration nor the provider names
// a region, that is an error at the argument region.
func TestPlacementNoRegion(t *testing.T) {
	t.Parallel()
	fake := acctest.NewFake(t, fakecloud.Config{}).Fake
	p := protocol.Start(t, fake, fakecloud.MemberUser, nil)
	i := protocol.Instance{Kind: "stackpolicy_placement_attachment", State: tftypes.NewValue(p.TypeOf("stackpolicy_placement_attachment"), nil)}
	_, err := p.Plan(t.Context(), p.Request(i, zonal(1, "az-1", nil)))
	assert.Error(t, err)
	assert.Equal(t, "regions: Unable to determine the region", p.At())
	_, err = p.Plan(t.Context(), p.Request(i, across(1, "RegionTwo", nil)))
	assert.NoError(t, err, "with regions")
}
