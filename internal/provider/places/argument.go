// Package places has the argument that lists regions and zones, and reports
// which of these cannot take nodes.
package places

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// Bin is a region or a zone of a placement policy.
type Bin struct {
	Name   types.String `tfsdk:"name"`
	Weight value.Whole  `tfsdk:"weight"`
	Cap    value.Whole  `tfsdk:"cap"`
	Min    value.Whole  `tfsdk:"min"`
}

type regionModel struct {
	Bin
	Zones types.List `tfsdk:"zones"`
}

// Argument is a list of regions with their zones (nested), or one of zones. An
// empty list lists none.
func Argument(kind string, nested bool) schema.ListNestedAttribute {
	number := func(least int64, description string) schema.Int64Attribute {
		return schema.Int64Attribute{CustomType: value.WholeType{}, Optional: true, MarkdownDescription: description,
			Validators: []validator.Int64{int64validator.Between(least, placement.MaxNodes)}}
	}
	attributes := map[string]schema.Attribute{
		"name":   schema.StringAttribute{Required: true, MarkdownDescription: fmt.Sprintf("Name of the %s.", kind), Validators: []validator.String{stringvalidator.LengthAtLeast(1)}},
		"weight": number(1, fmt.Sprintf("Share of the nodes, relative to the other %ss. Defaults to `100`.", kind)),
		"cap":    number(placement.Unlimited, fmt.Sprintf("Maximum number of nodes in the %s. Defaults to `-1`, no cap.", kind)),
		"min":    number(0, fmt.Sprintf("Minimum number of nodes in the %s: filled before all others, and kept when the cluster shrinks. Defaults to `0`.", kind)),
	}
	description := "Availability zones to spread nodes over, in one `region`. Give these or `regions`."
	if nested {
		zones := Argument("zone", false)
		zones.MarkdownDescription = "Availability zones of the region to spread its nodes over. Without any the zone is left to Nova."
		attributes["zones"] = zones
		description = "Regions to spread nodes over, and the availability zones in each. Give these or `zones`. A region without zones leaves the zone of its nodes to Nova."
	}
	return schema.ListNestedAttribute{
		Optional:            true,
		MarkdownDescription: description,
		Validators:          []validator.List{binsValidator{kind}},
		NestedObject:        schema.NestedAttributeObject{Attributes: attributes},
	}
}

// Bin translates a bin, with the defaults of what was not given.
func (m Bin) Bin() placement.Bin {
	return placement.Bin{Name: m.Name.ValueString(), Weight: m.Weight.Or(placement.DefaultWeight), Cap: m.Cap.Or(placement.Unlimited), Min: m.Min.Or(0)}
}

// ReadBins translates a list of zones.
func ReadBins(ctx context.Context, list types.List, diags *diag.Diagnostics) []placement.Bin {
	var models []Bin
	diags.Append(list.ElementsAs(ctx, &models, false)...)
	bins := make([]placement.Bin, len(models))
	for i, m := range models {
		bins[i] = m.Bin()
	}
	return bins
}

// ReadRegions translates a list of regions with their zones.
func ReadRegions(ctx context.Context, list types.List, diags *diag.Diagnostics) []placement.Region {
	var models []regionModel
	diags.Append(list.ElementsAs(ctx, &models, false)...)
	regions := make([]placement.Region, len(models))
	for i, m := range models {
		regions[i] = placement.Region{Bin: m.Bin.Bin(), Zones: ReadBins(ctx, m.Zones, diags)}
	}
	return regions
}

// binsValidator refuses a place that is null or named twice, and a min above its
// cap.
type binsValidator struct{ kind string }

// Description implements validator.List.
func (v binsValidator) Description(context.Context) string {
	return fmt.Sprintf("each %s is named once, and no min is above its cap", v.kind)
}

// MarkdownDescription implements validator.List.
func (v binsValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateList implements validator.List.
func (v binsValidator) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	checkBins(v.kind, req.Path, req.ConfigValue.Elements(), &resp.Diagnostics)
}

// checkBins looks at elements one by one: any of them may be unknown.
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
		name, _ := fields["name"].(types.String)
		if value.Given(name) {
			if j, twice := first[name.ValueString()]; twice {
				diags.AddAttributeError(at.AtListIndex(i).AtName("name"), fmt.Sprintf("The %s is named twice", kind),
					fmt.Sprintf("%q is at the indices %d and %d. Give each %s once, with the sum of the weights if that was meant.", name.ValueString(), j, i, kind))
			}
			first[name.ValueString()] = i
		}
		least, _ := fields["min"].(value.Whole)
		most, _ := fields["cap"].(value.Whole)
		if value.Given(least) && value.Given(most) && most.ValueInt64() >= 0 && least.ValueInt64() > most.ValueInt64() {
			diags.AddAttributeError(at.AtListIndex(i).AtName("min"), "The min is above the cap",
				fmt.Sprintf("The min of the %s %q (%d) is larger than its cap (%d). Lower the min or raise the cap.", kind, name.ValueString(), least.ValueInt64(), most.ValueInt64()))
		}
	}
}
