package places

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// TemplateArgument is the argument of a template.
func TemplateArgument(description string) schema.Attribute {
	return schema.MapAttribute{
		Optional:            true,
		ElementType:         types.StringType,
		MarkdownDescription: description,
		Validators: []validator.Map{
			mapvalidator.SizeAtLeast(1), mapvalidator.ValueStringsAre(value.NotNull{}),
		},
	}
}

// FlavorsArgument is a list of flavors, the first choice first.
func FlavorsArgument(description string) schema.Attribute {
	return attribute.Texts(description, listvalidator.SizeAtLeast(1), listvalidator.UniqueValues(),
		listvalidator.ValueStringsAre(value.NotNull{}, attribute.NotEmpty))
}

// ArgumentWithTemplates is a list of places, each of which may have a
// template and flavors of its own.
func ArgumentWithTemplates(kind string, nested bool) schema.ListNestedAttribute {
	argument := Argument(kind, nested)
	over := "the template of the attachment"
	if kind == "zone" {
		over = "the templates of its region and of the attachment"
	}
	argument.NestedObject.Attributes["template"] = TemplateArgument(fmt.Sprintf(
		"Template of new nodes in the %s, merged over %s.", kind, over))
	argument.NestedObject.Attributes["flavors"] = FlavorsArgument(fmt.Sprintf("Flavors of new nodes of the %s, in "+
		"place of %s.", kind, over))
	if nested {
		zones := ArgumentWithTemplates("zone", false)
		zones.MarkdownDescription = argument.NestedObject.Attributes["zones"].GetMarkdownDescription()
		argument.NestedObject.Attributes["zones"] = zones
	}
	return argument
}

// Templates returns the templates of the places that have one: of regions and their
// zones, and of the zones of one region. Places that are not known yet have no
// template.
func Templates(regions, zones types.List, region string) map[placement.Place]types.Map {
	return own[types.Map](regions, zones, region, "template")
}

// Flavors are the flavors of places that have some, as [Templates] has their templates.
func Flavors(regions, zones types.List, region string) map[placement.Place]types.List {
	return own[types.List](regions, zones, region, "flavors")
}

// own are the values that places have of an argument.
func own[V attr.Value](regions, zones types.List, region, argument string) map[placement.Place]V {
	values := map[placement.Place]V{}
	read := func(element types.Object, at placement.Place) {
		if v := element.Attributes()[argument].(V); !v.IsNull() {
			values[at] = v
		}
	}
	inRegion := func(zones types.List, region string) {
		for _, element := range zones.Elements() {
			if zone, ok := element.(types.Object); ok && value.Given(zone) {
				read(zone, placement.Place{Region: region, Zone: name(zone)})
			}
		}
	}
	inRegion(zones, region)
	for _, element := range regions.Elements() {
		if r, ok := element.(types.Object); ok && value.Given(r) {
			read(r, placement.Place{Region: name(r)})
			inRegion(r.Attributes()["zones"].(types.List), name(r))
		}
	}
	return values
}

func name(place types.Object) string { return place.Attributes()["name"].(types.String).ValueString() }

// KnownBeside reports whether a list of places is known except for templates.
func KnownBeside(ctx context.Context, list types.List) bool {
	if list.IsUnknown() {
		return false
	}
	for _, element := range list.Elements() {
		place, ok := element.(types.Object)
		if !ok || place.IsUnknown() {
			return false
		}
		for key, v := range place.Attributes() {
			switch zones, nested := v.(types.List); {
			case key == "template":
			case key == "flavors":
				if !value.Known(ctx, v) {
					return false
				}
			case nested && !KnownBeside(ctx, zones), !nested && !value.Known(ctx, v):
				return false
			}
		}
	}
	return true
}
