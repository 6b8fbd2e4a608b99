package placementtf_test

import (
	"net/http"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestPlacementQuotas: a region takes the nodes that its quota still allows, next to the servers that
// run. Quotas are read only for regions in which nodes may be placed.
func TestPlacementQuotas(t *testing.T) {
	t.Parallel()
	const (
		two    = "RegionOne RegionTwo"
		binds  = ": A quota binds"
		noRoom = ": A quota has no room for new servers next to the old ones"
		limits = "RegionOne/limits RegionTwo/limits"
	)
	respect := func(more attributes) attributes { return with(attributes{"respect_quotas": true}, more) }
	update := func(image string) attributes {
		return attributes{"template": attributes{"image": image},
			"update": attributes{"causes": []any{"TEMPLATE"}, "max_batch_size": "1", "require_in_service": false}}
	}
	planEach(t, map[string]plannedCase{
		"at first": { // the summary has the cap of the configuration
			happens: quota("instances", 2, false),
			config:  across(5, two, respect(nil)),
			nodes:   "RegionOne: web-0 web-1; RegionTwo: web-2 web-3 web-4",
			at:      binds,
			says:    `The region "RegionOne" gets 2 nodes and is full then: 0 of 2 instances in use.`,
			asks:    "RegionOne/limits RegionOne/servers RegionTwo/limits RegionTwo/servers",
			shows:   "RegionOne 2 2.50 100 0 none",
		},
		"next to servers that run": {before: across(4, two, nil), happens: quota("instances", 3, true), config: across(8, two, respect(nil)),
			nodes: "RegionOne: web-0 web-1 web-4; RegionTwo: web-2 web-3 web-5 web-6 web-7", at: binds,
			says: `The region "RegionOne" gets 1 node and is full then: 2 of 3 instances in use.`, asks: limits},
		"all used": {before: across(4, two, nil), happens: quota("instances", 2, true), config: across(6, two, respect(nil)),
			nodes: "RegionOne: web-0 web-1; RegionTwo: web-2 web-3 web-4 web-5", at: binds,
			says: `The region "RegionOne" is full and gets no node: 2 of 2 instances in use.`, asks: limits},
		"below the nodes that have no server yet": { // a quota is not a cap that nodes could exceed
			before:  across(6, two, nil),
			happens: quota("instances", 2, false),
			config:  across(7, two, respect(nil)),
			nodes:   "RegionOne: web-0 web-1 web-2; RegionTwo: web-3 web-4 web-5 web-6",
			at:      binds + "\n" + noRoom,
			asks:    limits,
		},
		"of what the flavor needs": {happens: quota("cores", 1, false), config: across(3, two, respect(attributes{"flavors": []any{"m1.tiny"}})),
			nodes: "RegionOne: web-0; RegionTwo: web-1 web-2", at: binds,
			asks: "RegionOne/flavors RegionOne/limits RegionOne/servers RegionTwo/flavors RegionTwo/limits RegionTwo/servers"},
		"of no region that is gone": {happens: hidden, config: across(1, two, respect(nil)), nodes: "RegionOne: web-0",
			at: "regions[1]: Region skipped", asks: "RegionOne/limits RegionOne/servers"},
		"too small": { // there is no plan, so no quota is used up
			before:  across(2, "RegionOne", nil),
			happens: quota("instances", 2, false),
			config:  across(9, "RegionOne", respect(nil)),
			at:      "regions: There is no feasible plan to handle all nodes.",
			asks:    "RegionOne/limits",
		},
		"without room next to the old servers": {before: across(4, "RegionOne", update("a")), happens: quota("instances", 5, true),
			config: across(5, "RegionOne", respect(update("b"))), nodes: "RegionOne: web-1 web-2 web-3 web-4 web-5", change: "-web-0",
			at: binds + "\n" + noRoom + "\n" + unchecked, says: "Use a smaller max_batch_size", asks: "RegionOne/limits"},
		"without any room": {before: across(4, "RegionOne", update("a")), happens: quota("instances", 4, true),
			config: across(4, "RegionOne", respect(update("b"))), nodes: "RegionOne: web-1 web-2 web-3 web-4", change: "-web-0",
			at: binds + "\n" + noRoom + "\n" + unchecked, asks: "RegionOne/limits",
			says: "Raise the quota, or apply a smaller desired_capacity until all nodes are replaced."},
		"of nodes that come back": {before: across(4, "RegionOne", nil), happens: inTurn(quota("instances", 4, true), becomes(across(2, "RegionOne", nil))),
			config: across(4, "RegionOne", respect(nil)), nodes: "RegionOne: web-0 web-1 web-2 web-3", change: "<web-0 <web-3", at: binds,
			asks: "RegionOne/limits"},
		"of a shrink": {before: across(2, two, oldestFirst), config: across(1, two, respect(oldestFirst)), nodes: "RegionTwo: web-1", change: "-web-0"},
		"of an update": {before: across(2, two, update("a")), config: across(2, two, respect(update("a"))), nodes: "RegionOne: web-0; RegionTwo: web-1",
			asks: limits},
		"of a candidate": {before: across(2, two, nil), config: across(2, two, respect(attributes{"deletion": attributes{"candidates": []any{"web-1"}}})),
			nodes: "RegionOne: web-0; RegionTwo: web-2", change: "-web-1", asks: limits},
		"that cannot be asked for": { // there is no plan, so nothing else is reported
			happens: func(t *testing.T, a attached) {
				t.Helper()
				down("az-2")(t, a)
				a.Fake.Inject(fakecloud.Fault{Path: "/limits", Status: http.StatusForbidden, Times: fakecloud.Forever})
			},
			config: zonal(2, "az-1 az-2", respect(nil)),
			at:     ": Unable to look up quotas",
			asks:   "RegionOne/limits RegionOne/os-availability-zone RegionOne/servers",
		},
	})
}
