package provider

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
)

// nodeAttributes lists the attributes of a node. Computed ones come from the
// cloud; of those given to a plan only id is required.
func nodeAttributes(computed bool) map[string]schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: computed, Optional: !computed, MarkdownDescription: description}
	}
	flag := func(description string) schema.Attribute {
		return schema.BoolAttribute{Computed: computed, Optional: !computed, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"id":                 schema.StringAttribute{Computed: computed, Required: !computed, MarkdownDescription: "Id of the server."},
		"name":               text("Name of the server."),
		"region":             text("Region that the server is in."),
		"zone":               text("Availability zone that the server is in. Null before Nova has placed it."),
		"status":             text("Status in Nova, such as `ACTIVE` or `ERROR`."),
		"created_at":         text("When the server was created, as RFC 3339. Null if that is not known, or has not happened."),
		"profile":            text("What the node was made from: its image, or the value of `profile_metadata_key`."),
		"profile_created_at": text("How old the profile is, as RFC 3339. Null if that is not known."),
		"tainted":            flag("Whether the node is marked as one to remove first."),
		"protected":          flag("Whether the node must not be removed: marked so, or locked in Nova."),
		"host_id":            text("Nova's hash of project and host. Nodes with the same one share a host."),
	}
}

func nodesArgument(needed string) schema.Attribute {
	return schema.ListNestedAttribute{
		Required:            true,
		NestedObject:        schema.NestedAttributeObject{Attributes: nodeAttributes(false)},
		MarkdownDescription: "Nodes of the cluster as they are: the `nodes` of a `stackpolicy_cluster`, or literal ones. " + needed,
	}
}

func nodeType() attr.Type {
	return schema.NestedAttributeObject{Attributes: nodeAttributes(true)}.Type()
}

// nodeValues are nodes in HCL. They are made, and read, one by one: by
// reflection the plugin framework takes several times as long.
func nodeValues(nodes []cluster.Node) types.List {
	kind := nodeType().(types.ObjectType)
	values := make([]attr.Value, len(nodes))
	for i, n := range nodes {
		values[i] = types.ObjectValueMust(kind.AttrTypes, map[string]attr.Value{
			"id":                 types.StringValue(n.ID),
			"name":               textOrNull(n.Name),
			"region":             types.StringValue(n.Region),
			"zone":               textOrNull(n.Zone),
			"status":             types.StringValue(n.Status),
			"created_at":         timeOrNull(n.CreatedAt),
			"profile":            textOrNull(n.Profile),
			"profile_created_at": timeOrNull(n.ProfileCreatedAt),
			"tainted":            types.BoolValue(n.Tainted),
			"protected":          types.BoolValue(n.Protected),
			"host_id":            textOrNull(n.HostID),
		})
	}
	return types.ListValueMust(kind, values)
}

func textOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

func timeOrNull(t time.Time) types.String {
	if t.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(t.Format(time.RFC3339))
}

// readNodes translates the nodes that a plan was given, and names the
// attribute of one that makes no sense.
func readNodes(list types.List, diags *diag.Diagnostics) []cluster.Node {
	nodes := make([]cluster.Node, len(list.Elements()))
	seen := make(map[string]int, len(nodes))
	for i, element := range list.Elements() {
		at := path.Root("nodes").AtListIndex(i)
		fields := element.(types.Object).Attributes() // there, as no node is without its id
		text := func(name string) types.String { return fields[name].(types.String) }
		flag := func(name string) bool { return fields[name].(types.Bool).ValueBool() }
		id := text("id").ValueString()
		if first, twice := seen[id]; twice {
			diags.AddAttributeError(at.AtName("id"), "Node given twice", fmt.Sprintf("The nodes %d and %d have the same id %q.", first, i, id))
		}
		seen[id] = i
		nodes[i] = cluster.Node{
			ID: id, Name: text("name").ValueString(), Region: text("region").ValueString(), Zone: text("zone").ValueString(),
			Status: text("status").ValueString(), HostID: text("host_id").ValueString(), Profile: text("profile").ValueString(),
			Tainted: flag("tainted"), Protected: flag("protected"),
			CreatedAt:        readTime(text("created_at"), at.AtName("created_at"), diags),
			ProfileCreatedAt: readTime(text("profile_created_at"), at.AtName("profile_created_at"), diags),
		}
	}
	return nodes
}

func readTime(value types.String, at path.Path, diags *diag.Diagnostics) time.Time {
	if value.ValueString() == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, value.ValueString())
	if err != nil {
		diags.AddAttributeError(at, "Invalid time", fmt.Sprintf("%q is not a time as RFC 3339 writes it, such as 2026-11-21T08:00:00Z.", value.ValueString()))
	}
	return t
}
