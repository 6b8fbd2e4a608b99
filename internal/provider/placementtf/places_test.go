package placementtf_test

import (
	"net/http"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestPlacementPlaces: a plan uses what the refresh found out about places, and asks again only
// for new places. It reports places that take no nodes at the argument that names them, and says
// what it does there.
func TestPlacementPlaces(t *testing.T) {
	t.Parallel()
	const (
		skipped = "regions[0]: Availability zone skipped"
		lost    = "regions: Availability zone skipped"
		keeps   = "loses its own nodes last, because Nova deletes no server there."
		counts  = "It takes no nodes; its present nodes still count."
		looks   = "RegionOne/os-availability-zone"
	)
	moves := templated("a", "SUBSTITUTE", "PLACEMENT")
	planEach(t, map[string]plannedCase{
		"a zone is down, at first": {happens: down("az-2"), config: zonal(3, "az-1 az-2", nil), nodes: "RegionOne/az-1: web-0 web-1 web-2",
			at: skipped, says: counts, asks: looks + " RegionOne/servers"},
		"a zone that nobody knows, at first": { // servers and quotas are not read
			config: zonal(3, "az-1 az-tow", attributes{"respect_quotas": true}),
			at:     "regions[0]: Unknown availability zone",
			asks:   looks,
		},
		"a region that nobody knows": {before: across(2, "RegionOne", nil), config: across(2, "RegionOne RegionTow", nil),
			at: "regions[1]: Unknown region"},
		"zones cannot be asked for": { // no diagnostic about mins of a cluster without nodes
			happens: func(_ *testing.T, a attached) {
				a.Fake.Inject(fakecloud.Fault{Path: "/os-availability-zone", Status: http.StatusForbidden, Times: fakecloud.Forever})
			},
			config: zonal(2, "", attributes{"regions": protocol.Zones([]any{attributes{"name": "az-1", "min": 1}})}),
			at:     ": Unable to look up regions and availability zones",
			asks:   looks,
		},
		"growth where a zone is down": {before: zonal(2, "az-1 az-2", nil), happens: down("az-2"), config: zonal(4, "az-1 az-2", nil),
			nodes: "RegionOne/az-1: web-0 web-2 web-3; RegionOne/az-2: web-1", at: skipped, says: counts},
		"growth where all is up": {before: zonal(2, "az-1 az-2", nil), config: zonal(4, "az-1 az-2", nil),
			nodes: "RegionOne/az-1: web-0 web-2; RegionOne/az-2: web-1 web-3"},
		"a shrink where a zone is down": { // the zone gives up its share
			before:  zonal(4, "az-1 az-2", oldestFirst),
			happens: down("az-2"),
			config:  zonal(2, "az-1 az-2", oldestFirst),
			nodes:   "RegionOne/az-1: web-1; RegionOne/az-2: web-3",
			change:  "-web-0 -web-2",
			at:      skipped,
			says:    "It takes no nodes, and loses its share of leaving nodes, because Nova still deletes servers there.",
		},
		"a growth that failed is taken back": { // no healthy server leaves, whatever the criteria say
			before:  zonal(2, "az-1 az-2", oldestFirst),
			happens: inTurn(boots, becomes(zonal(5, "az-1 az-2", oldestFirst)), another("web-2")),
			config:  zonal(3, "az-1 az-2", oldestFirst),
			nodes:   "RegionOne/az-1: web-0 web-2; RegionOne/az-2: web-1",
			change:  "-web-3 -web-4",
		},
		"neither, where a zone is down": {before: zonal(2, "az-1 az-2", nil), happens: down("az-2"), config: zonal(2, "az-1 az-2", attributes{"max_size": 9}),
			nodes: "RegionOne/az-1: web-0; RegionOne/az-2: web-1"},
		"a new zone": {before: across(2, "RegionTwo:az-1 RegionOne:az-1", nil), happens: down("az-2"),
			config: across(3, "RegionTwo:az-1 RegionOne:az-2,az-3", nil), nodes: "RegionOne/az-1: web-0; RegionOne/az-3: web-2; RegionTwo/az-1: web-1",
			at: "regions[1]: Availability zone skipped\n: A place with nodes is no longer listed", says: counts, asks: looks},
		"no zone is up": {before: zonal(2, "az-1 az-2", nil), happens: func(t *testing.T, a attached) { down("az-1")(t, a); down("az-2")(t, a) },
			config: zonal(3, "az-1 az-2", nil), at: "regions[0]: Availability zone skipped\n" + skipped + "\nregions: No availability zone found available."},
		"no room, and a zone is down": {before: zonal(2, "az-1 az-2", nil), happens: down("az-2"),
			config: zonal(4, "", attributes{"regions": protocol.Zones(protocol.Listing("az-1 az-2", 2, 2))}),
			at:     skipped + "\nregions: There is no feasible plan to handle all nodes.",
			says:   counts},
		"a shrink where all is closed": {before: zonal(2, "az-1 az-2", oldestFirst), config: zonal(1, "az-1! az-2!", oldestFirst),
			nodes: "RegionOne/az-2: web-1", change: "-web-0"},
		"growth where all is closed": {before: zonal(2, "az-1 az-2", nil), config: zonal(3, "az-1! az-2!", nil), at: "regions: All places are closed"},
		"a shrink where a region is closed": { // it gives up no node while another region can
			before: across(2, "RegionOne RegionTwo", oldestFirst),
			config: across(1, "RegionOne! RegionTwo", oldestFirst),
			nodes:  "RegionOne: web-0",
			change: "-web-1",
		},
		"a shrink where nodes are in a closed region alone": {before: across(2, "RegionOne", oldestFirst),
			config: across(1, "RegionOne! RegionTwo", oldestFirst), nodes: "RegionOne: web-1", change: "-web-0"},
		"a shrink where a region is gone, by a plan that looks": {before: across(4, "RegionOne RegionTwo", oldestFirst), happens: hidden, unseen: true,
			config: across(2, "RegionOne RegionTwo", oldestFirst), nodes: "RegionTwo: web-2 web-3", change: "-web-0 -web-1",
			at: "regions[1]: Region skipped", says: "there is one in RegionOne. It keeps its nodes, because nothing"},
		"a shrink to zones of which one is misspelled": {before: zonal(4, "az-1 az-2", nil), config: zonal(3, "az-1 az-tow", nil),
			at: "regions[0]: Unknown availability zone", asks: looks},
		"a shrink where a zone is not listed any more": {before: zonal(4, "az-1 az-2", oldestFirst), happens: gone("az-2"),
			config: zonal(2, "az-1 az-2", oldestFirst), nodes: "RegionOne/az-2: web-2 web-3", change: "-web-0 -web-1", at: skipped, says: keeps},
		"one by the list of zones that Nova has": {before: zonal(4, "az-1 az-2", oldestFirst), happens: gone("az-2"),
			config: zonal(2, "az-1", oldestFirst), nodes: "RegionOne/az-2: web-2 web-3", change: "-web-0 -web-1", at: lost, says: keeps},
		"an update by that list that does not look": {before: zonal(4, "az-1 az-2", moves), unseen: true,
			happens: func(t *testing.T, a attached) { t.Helper(); a.boot(t, nil); a.Look(t); gone("az-2")(t, a) },
			config:  zonal(4, "az-1", moves),
			nodes:   "RegionOne/az-1: web-0 web-1; RegionOne/az-2: web-2 web-3", at: lost, says: keeps, asks: looks},
		"a shrink to a zone that is down": {before: zonal(4, "az-1 az-2", nil), happens: down("az-2"), config: zonal(3, "az-2", nil),
			at: "regions[0]: Availability zone skipped\nregions: No availability zone found available.", asks: looks},
		"a shrink to a region without an endpoint": {before: across(4, "RegionOne", nil), happens: hidden, config: across(3, "RegionTwo", nil),
			at: "regions[0]: Region skipped\nregions: No region is found usable."},
		"zones of a region without an endpoint": {happens: hidden, config: across(3, "RegionTwo:az-1", nil),
			at: "regions[0]: Region skipped\nregions: No region is found usable.", says: "in the catalogue of this user; there is one in RegionOne. It takes"},
		"a shrink where too few nodes are left elsewhere": {before: across(4, "RegionOne RegionTwo", nil), happens: hidden, unseen: true,
			config: across(1, "RegionOne RegionTwo", nil), at: "regions[1]: Region skipped\nregions: There is no feasible plan to handle all nodes.",
			says: "RegionTwo 0 (no compute endpoint, and keeps its nodes)"},
		"a candidate in a region that is gone": {before: across(4, "RegionOne RegionTwo", nil), happens: hidden, unseen: true,
			config: across(3, "RegionOne RegionTwo", leaving("web-2", "")), at: "deletion.candidates: Invalid candidate",
			says: "its region cannot be reached"},
		"a zone with nodes is not listed any more": {before: zonal(2, "az-1 az-2", nil), happens: gone("az-2"),
			config: zonal(2, "az-1 az-2", attributes{"max_size": 9}), nodes: "RegionOne/az-1: web-0; RegionOne/az-2: web-1", at: skipped, says: keeps},
		"such a zone, and nothing is asked for": {
			before:  zonal(2, "az-1 az-2", nil),
			happens: gone("az-2"),
			config:  zonal(2, "az-1 az-2", nil),
			nodes:   "RegionOne/az-1: web-0; RegionOne/az-2: web-1",
		},
		"one that is closed and has nodes": {before: zonal(2, "az-1 az-2", nil), happens: gone("az-2"), config: zonal(2, "az-1 az-2!", nil),
			nodes: "RegionOne/az-1: web-0; RegionOne/az-2: web-1"},
		"one that is closed and has none": {before: zonal(2, "az-1 az-2", nil), config: zonal(2, "az-1 az-2 az-9!", nil),
			at: "regions[0]: Unknown availability zone", asks: looks},
	})
}
