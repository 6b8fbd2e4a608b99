package readinesstf

import (
	"context"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/probe"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/readiness"
)

type attachmentModel struct {
	checksModel

	ID        types.String `tfsdk:"id"`
	Nodes     types.Map    `tfsdk:"nodes"`
	Servers   types.Map    `tfsdk:"servers"`
	Addresses types.Map    `tfsdk:"addresses"`
	Pending   types.List   `tfsdk:"pending"`
}

type identity struct {
	Cluster types.String `tfsdk:"cluster"`
}

// member is a node with its server.
type member struct {
	id, region, address, mark types.String
}

// members returns the nodes that have a server and are in open places, as far as they are known.
func (m attachmentModel) members() map[string]member {
	nodes, members := objects(m.Nodes), map[string]member{}
	for name, server := range objects(m.Servers) {
		n, there := nodes[name]
		if closed, _ := n["closed"].(types.Bool); !there || closed.ValueBool() {
			continue
		}
		address, given := m.Addresses.Elements()[name].(types.String)
		if !given {
			address = textIn(server, "access_ip_v4")
			six := textIn(server, "access_ip_v6")
			if address.ValueString() == "" && !address.IsUnknown() && six.ValueString() != "" {
				address = six
			}
		}
		if m.Addresses.IsUnknown() {
			address = types.StringUnknown()
		}
		members[name] = member{textIn(server, "id"), textIn(server, "region"), address, textIn(n, "mark")}
	}
	return members
}

// objects returns the known elements of a map.
func objects(of types.Map) map[string]map[string]attr.Value {
	elements := map[string]map[string]attr.Value{}
	for name, element := range of.Elements() {
		if object, ok := element.(types.Object); ok && value.Given(object) {
			elements[name] = object.Attributes()
		}
	}
	return elements
}

// textIn returns an attribute of an object.
func textIn(object map[string]attr.Value, name string) types.String {
	text, _ := object[name].(types.String)
	return text
}

// nodes translates the members, all of which must be known.
func (m attachmentModel) nodes(region string) map[string]readiness.Node {
	nodes := map[string]readiness.Node{}
	for name, s := range m.members() {
		nodes[name] = readiness.Node{
			Name:    name,
			ID:      s.id.ValueString(),
			Region:  value.TextOr(s.region, region),
			Address: s.address.ValueString(),
			Mark:    value.TextOr(s.mark, defaultMark),
		}
	}
	return nodes
}

// regions returns the regions of servers, sorted, with "" if one names none, and so is in the provider's, or is not
// known yet.
func (m attachmentModel) regions() []string {
	named := map[string]bool{}
	for _, s := range m.members() {
		named[s.region.ValueString()] = true
	}
	return slices.Sorted(maps.Keys(named))
}

func (m attachmentModel) Validate(_ context.Context, diags *diag.Diagnostics) { m.checks(diags) }

// checks returns the checks of the configuration that are known, and reports faults
// of the checks and of the servers' addresses.
func (m attachmentModel) checks(diags *diag.Diagnostics) (http *probe.HTTP, tcp *probe.TCP) {
	http, tcp = m.read(diags)
	if diags.HasError() {
		return http, tcp
	}
	members := m.members()
	for _, name := range slices.Sorted(maps.Keys(members)) {
		at := path.Root("servers").AtMapKey(name)
		if _, given := m.Addresses.Elements()[name]; given {
			at = path.Root("addresses").AtMapKey(name)
		}
		m.checkAddress(name, members[name].address, http, tcp, at, diags)
	}
	return http, tcp
}
