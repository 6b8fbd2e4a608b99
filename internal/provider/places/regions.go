package places

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Argument is a list of regions with zones, or of zones.
func Argument(kind string, nested bool) schema.ListNestedAttribute {
	number := func(least int64, description string) schema.Int64Attribute {
		return schema.Int64Attribute{Optional: true, MarkdownDescription: description,
			Validators: []validator.Int64{int64validator.Between(least, placement.MaxNodes)}}
	}
	attributes := map[string]schema.Attribute{
		"name":   schema.StringAttribute{Required: true, MarkdownDescription: fmt.Sprintf("Name of the %s.", kind), Validators: []validator.String{stringvalidator.LengthAtLeast(1)}},
		"weight": number(1, fmt.Sprintf("Share of the nodes, relative to the other %ss. Defaults to `100`.", kind)),
		"cap":    number(placement.Unlimited, fmt.Sprintf("Most nodes in the %s. Defaults to `-1`, no cap.", kind)),
		"min":    number(0, fmt.Sprintf("Least nodes in the %s: filled before all others, and kept when the cluster shrinks. Defaults to `0`.", kind)),
	}
	description := "Availability zones to spread nodes over, in one `region`. Give these or `regions`."
	if nested {
		attributes["zones"] = Argument("zone", false)
		description = "Regions to spread nodes over, and the availability zones in each. Give these or `zones`. A region without zones leaves the zone of its nodes to Nova."
	}
	return schema.ListNestedAttribute{
		Optional:            true,
		MarkdownDescription: description,
		Validators:          []validator.List{listvalidator.SizeAtLeast(1), BinsValidator{kind}},
		NestedObject:        schema.NestedAttributeObject{Attributes: attributes},
	}
}
