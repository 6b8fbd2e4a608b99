// Package places has the argument that lists regions and zones, and reports
// which of these cannot take nodes.
package places

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// Argument is a list of regions with their zones (nested), or a list of zones. An
// empty list lists none.
func Argument(kind string, nested bool) schema.ListNestedAttribute {
	number := func(least int64, description string) schema.Int64Attribute {
		return attribute.Number(description, int64validator.AtLeast(least), int64validator.AtMost(placement.MaxNodes))
	}
	unasked := ""
	if nested {
		unasked = " It gets no requests: the last refresh counts."
	}
	attributes := map[string]schema.Attribute{
		"name":   attribute.RequiredText(fmt.Sprintf("Name of the %s.", kind)),
		"weight": number(1, "Share of the nodes, relative to the others. Defaults to `100`."),
		"cap":    number(placement.Unlimited, "Maximum number of nodes. Defaults to `-1`, none."),
		"min":    number(0, "Minimum number of nodes, filled first. Defaults to `0`."),
		"closed": attribute.Flag(fmt.Sprintf("Whether the %s is closed, as in an outage: it takes no nodes, and its "+
			"nodes stay as they are.%s", kind, unasked)),
	}
	description := "Availability zones to spread nodes over."
	if nested {
		zones := Argument("zone", false)
		zones.MarkdownDescription = "Availability zones of the region. Without any, Nova chooses the zone."
		attributes["zones"] = zones
		description = "Regions to spread nodes over, and the availability zones in each." + Misspelled
	}
	return schema.ListNestedAttribute{
		Optional:            true,
		MarkdownDescription: description,
		Validators:          []validator.List{binsValidator{kind}},
		NestedObject:        schema.NestedAttributeObject{Attributes: attributes},
	}
}

// RegionArgument is an argument that names one region, which may be the provider's.
func RegionArgument(description string) schema.StringAttribute {
	region := attribute.Text(description, attribute.NotEmpty)
	region.Computed = true
	return region
}

// Misspelled ends the description of a list of places. Terraform drops keys
// that it does not know, so the provider cannot refuse them.
const Misspelled = " Terraform silently drops misspelled keys: [check a " +
	"list](../guides/from-senlin.md#to-reuse-the-policy-files) that is written by hand."

// ReadBins translates a list of zones.
func ReadBins(list types.List) []placement.Bin {
	bins := make([]placement.Bin, len(list.Elements()))
	for i, zone := range value.Objects(list) {
		bins[i] = readBin(zone)
	}
	return bins
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
	if len(list.Elements()) != 1 {
		return false
	}
	region, ok := list.Elements()[0].(types.Object)
	return ok && value.Given(region) && region.Attributes()["name"].IsNull()
}

// ReadRegions translates a list of regions with their zones.
func ReadRegions(list types.List) []placement.Region {
	regions := make([]placement.Region, len(list.Elements()))
	for i, fields := range value.Objects(list) {
		regions[i] = placement.Region{Bin: readBin(fields), Zones: ReadBins(value.In[types.List](fields, "zones"))}
	}
	return regions
}

// binsValidator refuses a place that is null or named twice, and a min above the
// cap.
type binsValidator struct{ kind string }

func (v binsValidator) Description(context.Context) string {
	return fmt.Sprintf("each %s is named once, and no min is above its cap", v.kind)
}

func (v binsValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v binsValidator) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	checkBins(v.kind, req.Path, req.ConfigValue.Elements(), &resp.Diagnostics)
}

// checkBins checks elements one by one, because any of them may be unknown.
func checkBins(kind string, at path.Path, elements []attr.Value, diags *diag.Diagnostics) {
	first := map[string]int{}
	for i, element := range elements {
		if element.IsNull() {
			diags.AddAttributeError(at.AtListIndex(i), fmt.Sprintf("The %s is null", kind),
				fmt.Sprintf("The element %d of the list is null. Leave it out: [for x in list : x if x != null].", i))
		}
		object, ok := element.(types.Object)
		if !ok || !value.Given(object) {
			continue
		}
		fields := object.Attributes()
		name := value.In[types.String](fields, "name")
		if kind == "region" && name.IsNull() && len(elements) > 1 {
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
