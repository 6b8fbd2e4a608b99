package placementtf

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stretchr/testify/assert"
)

// TestZoneOf: a disk has one zone, or one for each place, and else the one that Nova has.
func TestZoneOf(t *testing.T) {
	text := func(s string) attr.Value { return types.StringValue(s) }
	by := func(zones map[string]attr.Value) attr.Value { return types.MapValueMust(types.StringType, zones) }
	for _, c := range []struct {
		given attr.Value
		want  string
	}{
		{nil, "az-1"},
		{text("nova"), "nova"},
		{by(map[string]attr.Value{"az-1": text("nova")}), "nova"},
		{by(map[string]attr.Value{"az-2": text("nova")}), "az-1"},
		{by(map[string]attr.Value{"az-1": text("a"), "RegionOne/az-1": text("b")}), "b"},
	} {
		at := placement.Place{Region: "RegionOne", Zone: "az-1"}
		assert.Equal(t, c.want, zoneOf(c.given, at).ValueString(), "%v", c.given)
	}
}
