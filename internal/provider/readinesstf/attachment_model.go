package readinesstf

import (
	"context"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/probe"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/readiness"
)

type attachmentModel struct {
	checksModel

	ID      types.String `tfsdk:"id"`
	Servers types.Map    `tfsdk:"servers"`
	Pending types.List   `tfsdk:"pending"`
}

type identity struct {
	Cluster types.String `tfsdk:"cluster"`
}

// server is an element of servers in the configuration.
type server struct {
	id, region, address, mark types.String
}

// servers returns the known servers, by the names of their nodes.
func (m attachmentModel) servers() map[string]server {
	servers := map[string]server{}
	for name, element := range m.Servers.Elements() {
		if object, ok := element.(types.Object); ok && !object.IsNull() && !object.IsUnknown() {
			fields := object.Attributes()
			text := func(name string) types.String { return fields[name].(types.String) }
			servers[name] = server{text("id"), text("region"), text("address"), text("mark")}
		}
	}
	return servers
}

// nodes translates the servers, all of which must be known.
func (m attachmentModel) nodes(region string) map[string]readiness.Node {
	nodes := map[string]readiness.Node{}
	for name, s := range m.servers() {
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

// regions returns the known regions that servers name, sorted.
func (m attachmentModel) regions() []string {
	named := map[string]bool{}
	for _, s := range m.servers() {
		if value.Given(s.region) {
			named[s.region.ValueString()] = true
		}
	}
	return slices.Sorted(maps.Keys(named))
}

// regionless reports whether a server names no region, and so is in the
// provider's.
func (m attachmentModel) regionless() bool {
	for _, s := range m.servers() {
		if s.region.ValueString() == "" {
			return true
		}
	}
	return false
}

// Validate implements backend.Model.
func (m attachmentModel) Validate(_ context.Context, diags *diag.Diagnostics) { m.checks(diags) }

// checks returns the checks of the configuration that are known, and reports faults
// of the checks and of the servers' addresses.
func (m attachmentModel) checks(diags *diag.Diagnostics) (http *probe.HTTP, tcp *probe.TCP) {
	http, tcp = m.read(diags)
	if diags.HasError() {
		return http, tcp
	}
	servers := m.servers()
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		m.checkAddress(name, servers[name].address, http, tcp, path.Root("servers").AtMapKey(name), diags)
	}
	return http, tcp
}

// checkMarks refuses marks of other nodes, once.
func (m attachmentModel) checkMarks(walk *backend.Walk, diags *diag.Diagnostics) {
	for name, s := range m.servers() {
		if !m.checkMark(name, s.mark, path.Root("servers"), walk, diags) {
			return
		}
	}
}
