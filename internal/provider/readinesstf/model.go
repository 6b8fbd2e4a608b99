package readinesstf

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/probe"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/probeblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/readiness"
)

type attachmentModel struct {
	Cluster   types.String `tfsdk:"cluster"`
	Nodes     types.Map    `tfsdk:"nodes"`
	Servers   types.Map    `tfsdk:"servers"`
	Addresses types.Map    `tfsdk:"addresses"`
	HTTP      types.Object `tfsdk:"http"`
	TCP       types.Object `tfsdk:"tcp"`
	Hook      types.Object `tfsdk:"hook"`
	StableFor types.String `tfsdk:"stable_for"`
	Timeout   types.String `tfsdk:"timeout"`
	Pending   types.List   `tfsdk:"pending"`

	AllowLinkLocal types.Bool `tfsdk:"allow_link_local"`
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
		if closed := value.In[types.Bool](n, "closed"); !there || closed.ValueBool() {
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
	return value.In[types.String](object, name)
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

func (m attachmentModel) Validate(_ context.Context, diags *diag.Diagnostics) { m.checks(nil, diags) }

// checks returns the checks that are known, and reports faults of the checks and of the servers' addresses. Without a
// walk nobody knows which servers are in ERROR, and so have no address.
func (m attachmentModel) checks(walk *backend.Walk, diags *diag.Diagnostics) (http *probe.HTTP, tcp *probe.TCP) {
	http, tcp = probeblock.Read(m.HTTP, m.TCP, m.AllowLinkLocal.ValueBool(), path.Empty(), diags)
	if durations.Known(m.Timeout) && durations.Known(m.StableFor) && m.stableFor() >= m.limit() {
		diags.AddAttributeError(path.Root("stable_for"), "Not enough time",
			fmt.Sprintf("No server could be stable for %s within a timeout of %s. Raise timeout, or lower stable_for.",
				duration.Format(m.stableFor()), duration.Format(m.limit())))
	}
	hookblock.Validate(m.Hook, diags)
	if diags.HasError() {
		return http, tcp
	}
	members := m.members()
	for _, name := range slices.Sorted(maps.Keys(members)) {
		at := path.Root("servers").AtMapKey(name)
		if _, given := m.Addresses.Elements()[name]; given {
			at = path.Root("addresses").AtMapKey(name)
		}
		id := members[name].id.ValueString()
		err := m.unreachable(name, members[name].address, http, tcp)
		switch bare := members[name].address.ValueString() == "" && id != ""; {
		case err == nil || bare && walk == nil:
		case bare && walk.IsDead(m.Cluster.ValueString(), name, id):
			diags.AddAttributeError(at, "A server in ERROR cannot be checked",
				fmt.Sprintf("The server %s of the node %q is in ERROR, so it has no address. Name the node in "+
					"candidates: another one takes its place.", id, name))
		default:
			diags.AddAttributeError(at, "Unusable address",
				fmt.Sprintf("The node %q cannot be checked over the network: %s. Give an address that can be reached "+
					"from where Terraform runs, or leave out http and tcp.", name, err))
		}
	}
	return http, tcp
}

// unreachable says why the checks cannot reach an address over the network, and returns nil if they can.
func (m attachmentModel) unreachable(name string, address types.String, http *probe.HTTP, tcp *probe.TCP) (err error) {
	if address.IsUnknown() || (http == nil && tcp == nil) {
		return nil
	}
	if tcp != nil || http.URL.NeedsAddress() {
		err = probe.CheckAddress(address.ValueString())
		if err == nil && !m.AllowLinkLocal.IsUnknown() {
			err = probe.CheckRange(address.ValueString(), m.AllowLinkLocal.ValueBool())
		}
	}
	if err == nil && http != nil {
		_, err = http.URL.For(name, address.ValueString())
	}
	return err
}

// asks reports whether there is a check of the service.
func (m attachmentModel) asks() bool {
	return value.GivenBlock(m.HTTP) || value.GivenBlock(m.TCP) || value.GivenBlock(m.Hook)
}

func (m attachmentModel) limit() time.Duration { return durations.Or(m.Timeout, defaultTimeout) }

func (m attachmentModel) stableFor() time.Duration { return durations.Or(m.StableFor, 0) }

// waiter returns the waiter with the checks of a configuration that is completely known.
func (m attachmentModel) waiter(http *probe.HTTP, tcp *probe.TCP, hooks *hook.Runner) *readiness.Waiter {
	w := &readiness.Waiter{HTTP: http, TCP: tcp, StableFor: m.stableFor(), Timeout: m.limit()}
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
