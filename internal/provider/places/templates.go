package places

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// FlavorsArgument is a list of flavors, the first choice first.
func FlavorsArgument(description string) schema.Attribute {
	return attribute.Texts(description, listvalidator.SizeAtLeast(1), listvalidator.UniqueValues(),
		listvalidator.NoNullValues(), listvalidator.ValueStringsAre(attribute.NotEmpty))
}

// longestUserData is what Nova takes of user data, in Base64.
const longestUserData = 65_535

// userData refuses more than Nova takes, without showing it. As in terraform-provider-openstack, a text that is Base64
// is not encoded again.
var userData = attribute.Check("at most 64 KiB in Base64", "The user data is too long", func(given string) string {
	size := base64.StdEncoding.EncodedLen(len(given))
	if _, err := base64.StdEncoding.DecodeString(given); err == nil {
		size = len(given)
	}
	if size <= longestUserData {
		return ""
	}
	return fmt.Sprintf("It has %d bytes, %d in Base64, and Nova takes %d of these: about 48 KiB of text. Compress it "+
		"with base64gzip, or let the server fetch a part of it.", len(given), size, longestUserData)
})

// UserDataArgument is the user data of servers.
func UserDataArgument(description string) schema.Attribute {
	argument := attribute.Text(description, userData)
	argument.Sensitive = true
	return argument
}

// each visits the regions of a list, each followed by its zones.
func each(list types.List, visit func(of placement.Place, at path.Path, fields map[string]attr.Value)) {
	for i, region := range value.Objects(list) {
		of, at := placement.Place{Region: name(region)}, path.Root("regions").AtListIndex(i)
		visit(of, at, region)
		for j, zone := range value.Objects(region["zones"]) {
			of.Zone = name(zone)
			visit(of, at.AtName("zones").AtListIndex(j), zone)
		}
	}
}

func name(place map[string]attr.Value) string {
	return value.In[types.String](place, "name").ValueString()
}

// Path returns where a place has an argument of its own: at its zone, its region, or for all places.
func Path(regions types.List, place placement.Place, argument string) path.Path {
	found := path.Root(argument)
	each(regions, func(of placement.Place, at path.Path, fields map[string]attr.Value) {
		own := fields[argument] != nil && !fields[argument].IsNull()
		if own && of.Region == place.Region && (of.Zone == "" || of.Zone == place.Zone) {
			found = at.AtName(argument)
		}
	})
	return found
}

// Own returns the values that regions and their zones have of an argument.
func Own[V attr.Value](regions types.List, argument string) map[placement.Place]V {
	values := map[placement.Place]V{}
	each(regions, func(of placement.Place, _ path.Path, fields map[string]attr.Value) {
		if v, has := fields[argument].(V); has && !v.IsNull() {
			values[of] = v
		}
	})
	return values
}

// Unknown returns the path of the first value in a list of places that is not known, except for what nodes are made
// from.
func Unknown(ctx context.Context, list types.List, at path.Path) (first path.Path, unknown bool) {
	if list.IsUnknown() {
		return at, true
	}
	for i, of := range value.Objects(list) {
		at := at.AtListIndex(i)
		for _, key := range slices.Sorted(maps.Keys(of)) {
			switch zones, nested := of[key].(types.List); {
			case key == "template", key == "image":
			case nested && key != "flavors":
				if first, unknown := Unknown(ctx, zones, at.AtName(key)); unknown {
					return first, true
				}
			case !value.Known(ctx, of[key]):
				return at.AtName(key), true
			}
		}
	}
	return at, false
}
