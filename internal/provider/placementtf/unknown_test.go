package placementtf_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stretchr/testify/assert"
)

// TestPlacementUnknownParts: with unknown nodes, the id and the region are known, as the next plan
// will find them. With unknown templates alone, the nodes have names and places.
func TestPlacementUnknownParts(t *testing.T) {
	t.Parallel()
	anything := tftypes.UnknownValue
	zone := func(more attributes) attributes { return zonal(1, "az-1", more) }
	const (
		rest   = " nodes=unknown slots=unknown next_index=unknown distribution=unknown change=unknown remaining=unknown status=unknown summary=unknown"
		here   = "id=web"
		places = " nodes={web-0={closed=false flavor= flavor_id= generation=1 image_id= index=0 mark=unknown ordinal= region=RegionOne " +
			"template=unknown zone=az-1}} slots= next_index=1 distribution={RegionOne={az-1=1}} change= remaining=0 status=in step summary=unknown"
	)
	image := attributes{"template": attributes{"image": anything}}
	for name, c := range map[string]struct {
		config attributes
		want   string
		first  bool // whether the case needs a new attachment
	}{
		"the size":             {config: zone(attributes{"desired_capacity": anything}), want: here + rest},
		"the zones":            {config: zone(attributes{"regions": protocol.Zones(anything)}), want: here + rest},
		"the regions":          {config: across(2, "", attributes{"regions": anything}), want: here + rest},
		"the region":           {config: across(2, "", attributes{"regions": []any{attributes{"name": anything}}}), want: here + rest},
		"whether quotas count": {config: zone(attributes{"respect_quotas": anything, "desired_capacity": 2}), want: here + rest},
		"the cluster":          {config: zone(attributes{"cluster": anything, "desired_capacity": 2}), want: "id=unknown" + rest},
		"the pattern":          {config: zone(attributes{"node_name_pattern": anything, "desired_capacity": 2}), want: here + rest},
		"who leaves":           {config: zone(attributes{"deletion": anything}), want: here + rest},
		"what is kept":         {config: zone(attributes{"stateful": anything}), want: here + rest},
		"the template":         {config: zone(image), want: here + places, first: true},
		"that of a zone":       {config: zone(attributes{"regions": protocol.Zones([]any{with(attributes{"name": "az-1"}, image)})}), want: here + places, first: true},
	} {
		a := begin(t)
		_, state := a.plan(t, c.config)
		assert.Equal(t, c.want, works(state), "%s, at first", name)
		if c.first {
			continue
		}
		a.Must(t, zone(nil))
		a.Home = "RegionTwo"
		a.Later(t)
		_, state = a.plan(t, c.config)
		assert.Equal(t, c.want, works(state), "%s, later", name)
	}
	plannedCase{before: zone(templated("a", "IN_PLACE", "TEMPLATE")), happens: boots,
		config: zone(with(templated("b", "IN_PLACE", "TEMPLATE"), attributes{"deletion": attributes{"criteria": anything}})), nodes: "unknown",
		change: "unknown"}.plan(t, "who is first, of those that change in place")
	plannedCase{config: zone(attributes{"deletion": attributes{"candidates": anything}}), nodes: "RegionOne/az-1: web-0",
		asks: "RegionOne/os-availability-zone RegionOne/servers"}.plan(t, "the candidates, at first")
}

// TestPlacementUnknownAt: a value that must be known is refused at its argument.
func TestPlacementUnknownAt(t *testing.T) {
	t.Parallel()
	template := attributes{"template": attributes{"image": "a"}}
	anything := attributes{"template": attributes{"image": tftypes.UnknownValue}}
	place := func(name string, more attributes) []any { return []any{with(attributes{"name": name}, more)} }
	update := func(argument string) attributes {
		config := templated("a", "SUBSTITUTE", "TEMPLATE")
		config["update"].(attributes)[argument] = tftypes.UnknownValue
		return zonal(1, "az-1", config)
	}
	for _, c := range []plannedCase{
		{at: "template", before: zonal(1, "az-1", template), config: zonal(1, "az-1", anything)},
		{at: "regions", before: zonal(1, "az-1", template), config: zonal(1, "", with(template, attributes{"regions": protocol.Zones(place("az-1", anything))}))},
		{at: "regions", before: across(1, "RegionOne", template), config: across(1, "", with(template, attributes{"regions": place("RegionOne", anything)}))},
		{at: "update.max_batch_size", before: zonal(1, "az-1", template), config: update("max_batch_size")},
		{at: "update.require_in_service", before: zonal(1, "az-1", template), config: update("require_in_service")},
	} {
		c.at += ": Not known before the apply"
		c.plan(t, c.at)
	}
}

// TestPlacementUnknownOfAttached: an unknown value of an existing attachment cannot change the plan, or makes the nodes
// unknown.
func TestPlacementUnknownOfAttached(t *testing.T) {
	t.Parallel()
	const unknown = "unknown"
	anything := tftypes.UnknownValue
	quotas := func(on any) attributes { return attributes{"respect_quotas": on} }
	deletion := func(name string) attributes { return attributes{"deletion": attributes{name: anything}} }
	for name, c := range map[string]struct {
		size    int
		more    attributes
		unknown bool
	}{
		"whether quotas count, where nothing is made":         {2, quotas(anything), false},
		"the criterion, where a node leaves":                  {1, deletion("criteria"), true},
		"who is protected, where a node leaves":               {1, deletion("protected"), true},
		"the criterion, where none does":                      {3, deletion("criteria"), false},
		"the candidates":                                      {2, deletion("candidates"), true},
		"the name of the cluster, without a new node":         {2, attributes{"cluster": anything}, false},
		"what is asked of health":                             {3, attributes{"health": anything}, false},
		"where health is asked":                               {3, attributes{"health": attributes{"http": attributes{"url": anything}}}, false},
		"the bounds":                                          {2, attributes{"min_size": anything, "max_size": anything}, false},
		"the selector, which a refresh asks and a plan never": {3, attributes{"selector": attributes{"name_regex": anything}}, false},
	} {
		nodes, change := []string{2: "RegionOne/az-1: web-0 web-1", 3: "RegionOne/az-1: web-0 web-1 web-2"}[max(c.size, 2)], ""
		if c.unknown {
			nodes, change = unknown, unknown
		}
		plannedCase{before: zonal(2, "az-1", nil), config: zonal(c.size, "az-1", c.more), nodes: nodes, change: change}.plan(t, name)
	}
}
