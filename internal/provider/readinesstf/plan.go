package readinesstf

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wiring"
)

// judge refuses a plan whose servers do not follow their nodes. The plan at apply knows more, and has the same
// mistakes or fewer: without a placement attachment in the walk nothing is known about batches.
func (m attachmentModel) judge(state attachmentModel, walk *backend.Walk, diags *diag.Diagnostics) {
	if m.Nodes.IsUnknown() || m.Servers.IsUnknown() || m.Cluster.IsUnknown() {
		return
	}
	if walk.CheckCluster(m.Cluster, slices.Sorted(maps.Keys(m.Nodes.Elements())), diags) {
		return
	}
	m.warnUnchecked(walk, diags)
	for _, f := range wiring.Judge(m.planned(state, walk)) {
		at := path.Root("servers").AtMapKey(f.Node)
		detail := "Cluster \"" + m.Cluster.ValueString() + "\": " + f.Text
		if f.Passes {
			diags.AddAttributeWarning(at, f.Title, detail)
		} else {
			diags.AddAttributeError(at, f.Title, detail)
		}
	}
}

// warnUnchecked warns that a batch begins although this attachment does not ask the servers.
func (m attachmentModel) warnUnchecked(walk *backend.Walk, diags *diag.Diagnostics) {
	planned, _ := walk.Cluster(m.Cluster.ValueString())
	if planned.Begins && !m.asks() {
		diags.AddAttributeWarning(path.Root("servers"), "ACTIVE is taken for service",
			"The readiness attachment has no check. "+wiring.Unchecked)
	}
}

// planned translates the nodes and the servers, with what the plan of their cluster tells about them.
func (m attachmentModel) planned(state attachmentModel, walk *backend.Walk) wiring.Plan {
	told, _ := walk.Cluster(m.Cluster.ValueString())
	p := wiring.Plan{
		Batch:      int(told.Batch),
		InPlace:    told.Method == roster.InPlace,
		MakesFirst: told.Method == roster.Substitute,
		Begins:     told.Begins,
		Free:       math.MaxInt,
		Failed:     told.Failed,
	}
	if told.Batch >= 0 && (told.Method == "" || p.MakesFirst) {
		p.Free = int(told.Free)
	}
	nodes, servers, before := m.Nodes.Elements(), m.Servers.Elements(), objects(state.Servers)
	names := map[string]bool{}
	for _, list := range []map[string]attr.Value{nodes, servers} {
		for name, element := range list {
			names[name] = names[name] || element.IsUnknown()
		}
	}
	for name := range told.Nodes {
		if _, handed := names[name]; !handed {
			p.Unseen = append(p.Unseen, name)
		}
	}
	known, has := objects(m.Nodes), objects(m.Servers)
	for name, unknown := range names {
		if unknown {
			continue
		}
		node := known[name]
		n := wiring.Planned{Name: name, Node: node != nil, Server: has[name] != nil, Has: madeOf(has[name]),
			Was: madeOf(before[name]), Template: map[string]string{}}
		n.Wants = wiring.Made{
			Region: valueIn(node, "region"), Zone: valueIn(node, "zone"), Image: valueIn(node, "image_id"),
			Flavor: valueIn(node, "flavor_id"), FlavorName: valueIn(node, "flavor"),
		}
		template := value.In[types.Map](node, "template").Elements()
		for key := range template {
			n.Template[key] = textIn(template, key).ValueString()
		}
		if image := valueIn(node, "image"); image != (wiring.Value{}) {
			n.Template["image"] = image.Text
		}
		of := told.Nodes[name]
		n.Revised = of.Revised && told.Method != roster.InPlace
		n.Rises, n.Serves, n.Taken, n.Dead = of.MadeAgain, of.Serves, of.Has, of.Dead
		_, n.Managed = walk.Known.Noted(n.Serves)
		// no plan gives up what is silent in a cluster that never served
		n.Managed = n.Managed || !told.Marked && of.Has && len(of.Dead) == 0 && n.Was.ID.Text != ""
		for _, port := range portsOf(has[name]) {
			if slices.Contains(portsOf(before[name]), port) {
				n.Port = port
			}
		}
		p.Nodes = append(p.Nodes, n)
	}
	return p
}

// portsOf lists the ports that a server gets, as far as they are known.
func portsOf(server map[string]attr.Value) (ports []string) {
	for _, network := range value.Objects(server["network"]) {
		if port := valueIn(network, "port").Text; port != "" {
			ports = append(ports, port)
		}
	}
	return ports
}

// madeOf translates a server.
func madeOf(server map[string]attr.Value) wiring.Made {
	m := wiring.Made{
		ID: valueIn(server, "id"), Name: valueIn(server, "name"), Region: valueIn(server, "region"),
		Zone: valueIn(server, "availability_zone"), Image: valueIn(server, "image_id"),
		ImageName: valueIn(server, "image_name"), Flavor: valueIn(server, "flavor_id"),
		FlavorName: valueIn(server, "flavor_name"),
	}
	if hints := valueIn(server, "availability_zone_hints"); hints.Text != "" {
		m.Zone = hints
	}
	for _, device := range value.Objects(server["block_device"]) {
		if kind := valueIn(device, "source_type"); kind.Text == "image" {
			m.Image = valueIn(device, "uuid")
		}
	}
	return m
}

// valueIn returns an attribute of an object.
func valueIn(object map[string]attr.Value, name string) wiring.Value {
	text := textIn(object, name)
	return wiring.Value{Text: text.ValueString(), Unknown: text.IsUnknown()}
}

// keeps takes over nodes and servers from the state if the attachment has nothing to do for them: what the cloud says
// of a server may change without a reason to wait.
func (m *attachmentModel) keeps(state attachmentModel) {
	if state.Nodes.IsNull() || state.Servers.IsNull() || m.Nodes.IsUnknown() || m.Servers.IsUnknown() {
		return
	}
	m.Servers = settled(m.Servers, state.Servers)
	now, before := m.members(), state.members()
	if len(now) != len(before) || len(m.Servers.Elements()) != len(state.Servers.Elements()) {
		return
	}
	for name, n := range now {
		if was, there := before[name]; !there || was != n {
			return
		}
	}
	m.Nodes, m.Servers = state.Nodes, state.Servers
}

// settled returns the planned servers. A server that the plan does not make again keeps what the state says it was made
// from: terraform-provider-openstack plans the names and ids that it has read, and changes them with an update in
// place, and a value of this plan must be the same at apply.
func settled(planned, before types.Map) types.Map {
	was, all := before.Elements(), planned.Elements()
	for name, element := range all {
		now, known := element.(types.Object)
		then, there := was[name].(types.Object)
		if !known || !there || !value.Given(now) ||
			!textIn(now.Attributes(), "id").Equal(textIn(then.Attributes(), "id")) {
			continue
		}
		fields, of := now.Attributes(), then.Attributes()
		for field, v := range fields {
			switch list, is := v.(types.List); {
			case field == "name", field == "access_ip_v4", field == "access_ip_v6", v.IsNull(), of[field].IsNull():
			case is && len(list.Elements()) != len(of[field].(types.List).Elements()):
			default:
				fields[field] = of[field]
			}
		}
		all[name] = types.ObjectValueMust(now.AttributeTypes(context.Background()), fields)
	}
	return types.MapValueMust(planned.ElementType(context.Background()), all)
}

// found returns the servers of a state with the images and flavors that Nova shows, where it shows others: a plan that
// gives a server what it has changes nothing. Nova does not show the id of a flavor.
func found(state types.Map, snapshot []node.Node) types.Map {
	if state.IsNull() {
		return state
	}
	seen := map[string]node.Node{}
	for _, n := range snapshot {
		seen[n.ID] = n
	}
	all := state.Elements()
	for name, element := range all {
		server, known := element.(types.Object)
		if !known || !value.Given(server) {
			continue
		}
		fields := server.Attributes()
		source := seen[textIn(fields, "id").ValueString()]
		if source.Profile != "" && textIn(fields, "image_id").ValueString() != "" {
			fields["image_id"] = types.StringValue(source.Profile)
		}
		flavor, id := valueIn(fields, "flavor_name").Text, valueIn(fields, "flavor_id").Text
		if source.Flavor != "" && flavor != "" && flavor != source.Flavor && id != source.Flavor {
			fields["flavor_name"], fields["flavor_id"] = types.StringValue(source.Flavor), types.StringNull()
		}
		all[name] = types.ObjectValueMust(server.AttributeTypes(context.Background()), fields)
	}
	return types.MapValueMust(state.ElementType(context.Background()), all)
}
