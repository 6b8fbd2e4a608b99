// Package places reads the arguments that list regions and zones, and reports
// which of these cannot take nodes.
package places

import (
	"fmt"
	"math"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// RegionArgument is an argument that names one region, which may be the provider's.
func RegionArgument(description string) schema.StringAttribute {
	region := attribute.Text(description, attribute.NotEmpty)
	region.Computed = true
	return region
}

// readBin translates a place, with defaults for what is not given.
func readBin(fields map[string]attr.Value) placement.Bin {
	return placement.Bin{
		Name:   value.In[types.String](fields, "name").ValueString(),
		Weight: value.NumberOr(value.In[types.Int64](fields, "weight"), placement.DefaultWeight),
		Cap:    value.NumberOr(value.In[types.Int64](fields, "cap"), placement.Unlimited),
		Min:    value.NumberOr(value.In[types.Int64](fields, "min"), 0),

		Maintenance: value.In[types.Bool](fields, "closed").ValueBool(),
	}
}

// Named reports whether a list is given, and all its places and their names are known.
func Named(list types.List) bool {
	return value.Given(list) && !slices.ContainsFunc(value.Objects(list), func(place map[string]attr.Value) bool {
		zones, name := value.In[types.List](place, "zones"), value.In[types.String](place, "name")
		return !value.Given(name) || !zones.IsNull() && !Named(zones)
	})
}

// Nameless reports whether a list has one region, without a name.
func Nameless(list types.List) bool {
	regions := value.Objects(list)
	return len(regions) == 1 && regions[0]["name"].IsNull()
}

// ReadRegions translates a list of regions with their zones.
func ReadRegions(list types.List) []placement.Region {
	regions := make([]placement.Region, len(list.Elements()))
	for i, fields := range value.Objects(list) {
		regions[i] = placement.Region{Bin: readBin(fields), Zones: readBins(fields["zones"])}
	}
	return regions
}

func readBins(zones attr.Value) (bins []placement.Bin) {
	for _, zone := range value.Objects(zones) {
		bins = append(bins, readBin(zone))
	}
	return bins
}

// checkBins refuses a place that is named twice, and a min above the cap.
func checkBins(kind string, at path.Path, list types.List, diags *diag.Diagnostics) {
	first := map[string]int{}
	for i, fields := range value.Objects(list) {
		name := value.In[types.String](fields, "name")
		if kind == "region" && name.IsNull() && len(list.Elements()) > 1 {
			diags.AddAttributeError(at.AtListIndex(i).AtName("name"), "A region without a name",
				"Only the one region of a list may be without a name: then it is the provider's. Name each of these.")
		}
		if value.Given(name) {
			if j, twice := first[name.ValueString()]; twice {
				diags.AddAttributeError(at.AtListIndex(i).AtName("name"), fmt.Sprintf("The %s is named twice", kind),
					fmt.Sprintf("%q is at the indices %d and %d. List each %s once, with the sum of the weights if "+
						"you meant that.", name.ValueString(), j, i, kind))
			}
			first[name.ValueString()] = i
		}
		least := value.In[types.Int64](fields, "min")
		most := value.In[types.Int64](fields, "cap")
		if value.Given(least) && value.Given(most) && most.ValueInt64() >= 0 && least.ValueInt64() > most.ValueInt64() {
			diags.AddAttributeError(at.AtListIndex(i).AtName("min"), "The min is above the cap",
				fmt.Sprintf("The min of the %s %q (%d) is larger than its cap (%d). Lower the min or raise the cap.",
					kind, name.ValueString(), least.ValueInt64(), most.ValueInt64()))
		}
		if room := capsOf(fields["zones"]); value.Given(least) && least.ValueInt64() > room {
			diags.AddAttributeError(at.AtListIndex(i).AtName("min"), "The min is above the cap", fmt.Sprintf(
				"The caps of the zones of the region %q add up to %d, and its min is %d. Lower the min or raise a cap.",
				name.ValueString(), room, least.ValueInt64()))
		}
		if needs := minsOf(fields["zones"]); value.Given(most) && most.ValueInt64() >= 0 && needs > most.ValueInt64() {
			diags.AddAttributeError(at.AtListIndex(i).AtName("cap"), "The min is above the cap", fmt.Sprintf(
				"The mins of the zones of the region %q add up to %d, and its cap is %d. Lower a min or raise the cap.",
				name.ValueString(), needs, most.ValueInt64()))
		}
	}
}

// capsOf adds up the caps of a region's zones. There is no bound without zones, or if a
// zone has no cap or is not known.
func capsOf(zones attr.Value) (total int64) {
	list := value.Objects(zones)
	if len(list) == 0 {
		return math.MaxInt64
	}
	for _, zone := range list {
		most := value.In[types.Int64](zone, "cap")
		if !value.Given(most) || most.ValueInt64() < 0 {
			return math.MaxInt64
		}
		total = min(total+most.ValueInt64(), math.MaxInt64-placement.MaxNodes)
	}
	return total
}

// minsOf adds up the mins of a region's zones, as far as they are known.
func minsOf(zones attr.Value) (total int64) {
	for _, zone := range value.Objects(zones) {
		total += value.In[types.Int64](zone, "min").ValueInt64()
	}
	return total
}
