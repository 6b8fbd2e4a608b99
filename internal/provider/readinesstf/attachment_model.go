package readinesstf

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/probeblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/probe"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/readiness"
)

type attachmentModel struct {
	ID        types.String    `tfsdk:"id"`
	Cluster   types.String    `tfsdk:"cluster"`
	Servers   types.Map       `tfsdk:"servers"`
	HTTP      types.Object    `tfsdk:"http"`
	TCP       types.Object    `tfsdk:"tcp"`
	Hook      types.Object    `tfsdk:"hook"`
	StableFor durations.Value `tfsdk:"stable_for"`
	Timeout   durations.Value `tfsdk:"timeout"`
	Pending   types.List      `tfsdk:"pending"`

	AllowLinkLocal types.Bool `tfsdk:"allow_link_local"`
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
	http, tcp = probeblock.Read(m.HTTP, m.TCP, m.AllowLinkLocal.ValueBool(), path.Empty(), diags)
	if m.Timeout.Known() && m.StableFor.Known() && m.stableFor() >= m.limit() {
		diags.AddAttributeError(path.Root("stable_for"), "Not enough time",
			fmt.Sprintf("No server could be stable for %s within a timeout of %s. Raise timeout, or lower stable_for.",
				duration.Format(m.stableFor()), duration.Format(m.limit())))
	}
	hookblock.Validate(m.Hook, path.Root("hook"), diags)
	m.checkAddresses(http, tcp, diags)
	return http, tcp
}

// checkAddresses refuses addresses that cannot be checked over the network.
func (m attachmentModel) checkAddresses(http *probe.HTTP, tcp *probe.TCP, diags *diag.Diagnostics) {
	if diags.HasError() || (http == nil && tcp == nil) {
		return
	}
	servers := m.servers()
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		address := servers[name].address
		if address.IsUnknown() {
			continue
		}
		var err error
		if tcp != nil || http.URL.NeedsAddress() {
			err = probe.CheckAddress(address.ValueString())
			if err == nil && !m.AllowLinkLocal.IsUnknown() {
				err = probe.CheckRange(address.ValueString(), m.AllowLinkLocal.ValueBool())
			}
		}
		if err == nil && http != nil {
			_, err = http.URL.For(name, address.ValueString())
		}
		if err != nil {
			diags.AddAttributeError(path.Root("servers").AtMapKey(name).AtName("address"), "Unusable address",
				fmt.Sprintf("The node %q cannot be checked over the network: %s. Give an address that can be reached "+
					"from where Terraform runs, or leave out http and tcp.", name, err))
		}
	}
}

// checkMarks refuses marks that differ from the marks of the nodes: a number, although the
// node's mark has a hash of its template. The servers would never count as in service.
func (m attachmentModel) checkMarks(walk *backend.Walk, diags *diag.Diagnostics) {
	for name, s := range m.servers() {
		mark := value.TextOr(s.mark, defaultMark)
		wanted, _ := walk.Noted(backend.Marks, backend.Key(m.Cluster.ValueString(), name))
		if s.mark.IsUnknown() || strings.Contains(mark, "-") || !strings.Contains(wanted, "-") {
			continue
		}
		diags.AddAttributeError(path.Root("servers"), "A mark of no node",
			fmt.Sprintf("The servers of cluster %q would be marked with numbers, but its nodes have other marks, so "+
				"no server would ever count as in service. Write "+
				"mark = stackpolicy_placement_attachment.NAME.nodes[name].mark in servers.", m.Cluster.ValueString()))
		return
	}
}

func (m attachmentModel) limit() time.Duration { return m.Timeout.Or(defaultTimeout) }

func (m attachmentModel) stableFor() time.Duration { return m.StableFor.Or(0) }

// waiter returns the waiter for a configuration that is completely known.
func (m attachmentModel) waiter(hooks *hook.Runner, diags *diag.Diagnostics) *readiness.Waiter {
	w := &readiness.Waiter{StableFor: m.stableFor(), Timeout: m.limit()}
	w.HTTP, w.TCP = m.checks(diags)
	if w.HTTP != nil {
		w.HTTP.Client = hooks.HTTP
	}
	if spec := hookblock.Spec(m.Hook); spec != nil {
		w.Hook = func(ctx context.Context, n readiness.Node) (string, error) {
			warning, err := hooks.Run(ctx, *spec, m.message(n), &hook.Progress{})
			if abandoned, ok := errors.AsType[*hook.AbandonedError](err); ok {
				err = fmt.Errorf("its hook did not complete: %w",
					errors.Unwrap(errors.Unwrap(abandoned))) // the outer errors name the node
			}
			return warning, err
		}
	}
	return w
}

// message returns the message to the consumer of a hook about a node.
func (m attachmentModel) message(n readiness.Node) hook.Message {
	return hook.Message{Token: n.Token(), NodeID: n.ID, Transition: hook.Launch, Region: n.Region, NodeName: n.Name,
		Cluster: m.Cluster.ValueString(), Address: probe.PlainAddress(n.Address)}
}
