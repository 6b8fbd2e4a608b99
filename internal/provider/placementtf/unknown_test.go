package placementtf_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stretchr/testify/assert"
)

// TestPlacementUnknownParts: with unknown values in templates, a new attachment knows the rest.
func TestPlacementUnknownParts(t *testing.T) {
	t.Parallel()
	const want = "nodes={web-0={closed= flavor= flavor_id= generation=1 image=%[1]s image_id=%[1]s index=0 mark=unknown ordinal= parts=RegionOne/az-1 " +
		"region=RegionOne template=%[2]s zone=az-1}} slots= next_index=1 distribution={RegionOne={az-1=1}} change= remaining=0 " +
		"status=in step summary=unknown"
	anything := tftypes.UnknownValue
	image := attributes{"template": attributes{"image": anything, "size": "1"}}
	for name, c := range map[string]struct {
		config       attributes
		id, template string
	}{
		"a part of the template": {zonal(1, "az-1", image), "", "{image=unknown size=1}"},
		"the template":           {zonal(1, "az-1", attributes{"template": anything}), "", "unknown"},
		"a zone's part": {zonal(1, "az-1", attributes{"regions": protocol.Zones([]any{with(attributes{"name": "az-1"}, image)})}), "",
			"{image=unknown size=1}"},
		"what fills it in": {zonal(1, "az-1", attributes{"image": anything, "user_data": anything}), "unknown", "{user_data=unknown}"},
	} {
		_, state := begin(t).plan(t, c.config)
		assert.Equal(t, fmt.Sprintf(want, c.id, c.template), works(state), name)
	}
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
	anyhow := func(argument, asks string) plannedCase {
		return plannedCase{at: argument, config: zonal(2, "az-1", attributes{argument: tftypes.UnknownValue}), asks: asks}
	}
	const zones, servers = "RegionOne/os-availability-zone", "RegionOne/os-availability-zone RegionOne/servers"
	for _, c := range []plannedCase{
		anyhow("desired_capacity", ""), anyhow("deletion", ""), anyhow("stateful", ""),
		anyhow("cluster", zones), anyhow("node_name_pattern", zones), anyhow("respect_quotas", servers),
		{at: "regions", config: across(2, "", attributes{"regions": tftypes.UnknownValue})},
		{at: "regions[0]", says: "regions[0].zones[0].cap is known only after the apply", config: zonal(1, "", attributes{
			"regions": protocol.Zones(place("az-1", attributes{"cap": tftypes.UnknownValue}))})},
		{at: "deletion.criteria", before: zonal(2, "az-1", nil),
			config: zonal(1, "az-1", attributes{"deletion": attributes{"criteria": tftypes.UnknownValue}})},
		{at: "deletion.protected", before: zonal(2, "az-1", nil),
			config: zonal(1, "az-1", attributes{"deletion": attributes{"protected": tftypes.UnknownValue}})},
		{at: "deletion.candidates", before: zonal(2, "az-1", nil),
			config: zonal(2, "az-1", attributes{"deletion": attributes{"candidates": tftypes.UnknownValue}})},
		{at: "deletion.criteria", before: zonal(1, "az-1", templated("a", "IN_PLACE", "TEMPLATE")), happens: boots,
			config: zonal(1, "az-1", with(templated("b", "IN_PLACE", "TEMPLATE"), attributes{"deletion": attributes{"criteria": tftypes.UnknownValue}}))},
		{at: "template", before: zonal(1, "az-1", template), config: zonal(1, "az-1", anything)},
		{at: "regions", before: zonal(1, "az-1", template),
			config: zonal(1, "", with(template, attributes{"regions": protocol.Zones(place("az-1", anything))}))},
		{at: "regions", before: across(1, "RegionOne", template), config: across(1, "", with(template, attributes{"regions": place("RegionOne", anything)}))},
		{at: "update.max_batch_size", before: zonal(1, "az-1", template), config: update("max_batch_size")},
		{at: "update.require_in_service", before: zonal(1, "az-1", template), config: update("require_in_service")},
	} {
		c.at += ": Not known before the apply"
		c.plan(t, c.at)
	}
}

// TestPlacementUnknownOfAttached: an unknown value that cannot change the plan changes nothing.
func TestPlacementUnknownOfAttached(t *testing.T) {
	t.Parallel()
	anything := tftypes.UnknownValue
	for name, c := range map[string]struct {
		size int
		more attributes
	}{
		"whether quotas count, where nothing is made":         {2, attributes{"respect_quotas": anything}},
		"the criterion, where no node leaves":                 {3, attributes{"deletion": attributes{"criteria": anything}}},
		"the name of the cluster, without a new node":         {2, attributes{"cluster": anything}},
		"what is asked of health":                             {3, attributes{"health": anything}},
		"where health is asked":                               {3, attributes{"health": attributes{"http": attributes{"url": anything}}}},
		"the bounds":                                          {2, attributes{"min_size": anything, "max_size": anything}},
		"the selector, which a refresh asks and a plan never": {3, attributes{"selector": attributes{"name_regex": anything}}},
	} {
		nodes := []string{2: "RegionOne/az-1: web-0 web-1", 3: "RegionOne/az-1: web-0 web-1 web-2"}[c.size]
		plannedCase{before: zonal(2, "az-1", nil), config: zonal(c.size, "az-1", c.more), nodes: nodes}.plan(t, name)
	}
	plannedCase{config: zonal(1, "az-1", attributes{"deletion": attributes{"candidates": anything}}), nodes: "RegionOne/az-1: web-0",
		asks: "RegionOne/os-availability-zone RegionOne/servers"}.plan(t, "the candidates, at first")
}
