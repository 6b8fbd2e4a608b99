// Package places has the arguments that list regions and zones, and looks up
// whether these can take nodes.
package places

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Bin is a region or a zone of a placement policy.
type Bin struct {
	Name   types.String `tfsdk:"name"`
	Weight types.Int64  `tfsdk:"weight"`
	Cap    types.Int64  `tfsdk:"cap"`
	Min    types.Int64  `tfsdk:"min"`
}

// DefaultWeight is the weight of a region or zone that names none.
const DefaultWeight = 100

// BinsArgument is a list of regions, or of zones.
func BinsArgument(kind string) schema.Attribute {
	number := func(least int64, description string) schema.Int64Attribute {
		return schema.Int64Attribute{Optional: true, MarkdownDescription: description,
			Validators: []validator.Int64{int64validator.Between(least, placement.MaxNodes)}}
	}
	return schema.ListNestedAttribute{
		Required:            true,
		MarkdownDescription: fmt.Sprintf("The %ss to spread nodes over. Their order does not matter.", kind),
		Validators:          []validator.List{listvalidator.SizeAtLeast(1), BinsValidator{kind}},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name":   schema.StringAttribute{Required: true, MarkdownDescription: fmt.Sprintf("Name of the %s.", kind), Validators: []validator.String{stringvalidator.LengthAtLeast(1)}},
			"weight": number(1, fmt.Sprintf("Share of the nodes, relative to the other %ss. Defaults to `100`.", kind)),
			"cap":    number(placement.Unlimited, fmt.Sprintf("Most nodes in the %s. Defaults to `-1`, no cap.", kind)),
			"min":    number(0, fmt.Sprintf("Least nodes in the %s: filled before all others, and never removed. Defaults to `0`.", kind)),
		}},
	}
}

// Bin translates a bin, with the defaults of what was not given.
func (m Bin) Bin() placement.Bin {
	b := placement.Bin{Name: m.Name.ValueString(), Weight: DefaultWeight, Cap: placement.Unlimited, Min: m.Min.ValueInt64()}
	if !m.Weight.IsNull() {
		b.Weight = m.Weight.ValueInt64()
	}
	if !m.Cap.IsNull() {
		b.Cap = m.Cap.ValueInt64()
	}
	return b
}

// ReadBins translates a list of bins.
func ReadBins(ctx context.Context, list types.List, diags *diag.Diagnostics) []placement.Bin {
	var models []Bin
	diags.Append(list.ElementsAs(ctx, &models, false)...)
	bins := make([]placement.Bin, len(models))
	for i, m := range models {
		bins[i] = m.Bin()
	}
	return bins
}

// BinsValidator refuses a name given twice and a min above its cap.
type BinsValidator struct{ kind string }

// Description implements validator.List.
func (v BinsValidator) Description(context.Context) string {
	return fmt.Sprintf("each %s is named once, and no min is above its cap", v.kind)
}

// MarkdownDescription implements validator.List.
func (v BinsValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateList implements validator.List.
func (v BinsValidator) ValidateList(ctx context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	CheckBins(ctx, v.kind, req.Path, req.ConfigValue.Elements(), &resp.Diagnostics)
}

// CheckBins looks at elements one by one: any of them may be unknown.
func CheckBins(_ context.Context, kind string, at path.Path, elements []attr.Value, diags *diag.Diagnostics) {
	first := map[string]int{}
	for i, element := range elements {
		object, ok := element.(types.Object)
		if !ok || object.IsNull() || object.IsUnknown() {
			continue
		}
		fields := object.Attributes()
		name, _ := fields["name"].(types.String)
		if !name.IsNull() && !name.IsUnknown() {
			if j, twice := first[name.ValueString()]; twice {
				diags.AddAttributeError(at.AtListIndex(i).AtName("name"), fmt.Sprintf("The %s is named twice", kind),
					fmt.Sprintf("%q stands at the indices %d and %d. Give each %s once, with the sum of the weights if that was meant.", name.ValueString(), j, i, kind))
			}
			first[name.ValueString()] = i
		}
		least, _ := fields["min"].(types.Int64)
		most, _ := fields["cap"].(types.Int64)
		if !least.IsUnknown() && !most.IsNull() && !most.IsUnknown() && most.ValueInt64() >= 0 && least.ValueInt64() > most.ValueInt64() {
			diags.AddAttributeError(at.AtListIndex(i).AtName("min"), "The min is above the cap",
				fmt.Sprintf("The %s %q is to have at least %d nodes and at most %d.", kind, name.ValueString(), least.ValueInt64(), most.ValueInt64()))
		}
	}
}
