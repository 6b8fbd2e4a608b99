package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
)

// nodeModel is a node in HCL: computed by stackpolicy_cluster, and given to the
// plans.
type nodeModel struct {
	ID               types.String `tfsdk:"id"`
	Name             types.String `tfsdk:"name"`
	Region           types.String `tfsdk:"region"`
	Zone             types.String `tfsdk:"zone"`
	Status           types.String `tfsdk:"status"`
	CreatedAt        types.String `tfsdk:"created_at"`
	Profile          types.String `tfsdk:"profile"`
	ProfileCreatedAt types.String `tfsdk:"profile_created_at"`
	Tainted          types.Bool   `tfsdk:"tainted"`
	Protected        types.Bool   `tfsdk:"protected"`
	HostID           types.String `tfsdk:"host_id"`
}

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

func newNodeModel(n cluster.Node) nodeModel {
	return nodeModel{
		ID:               types.StringValue(n.ID),
		Name:             textOrNull(n.Name),
		Region:           types.StringValue(n.Region),
		Zone:             textOrNull(n.Zone),
		Status:           types.StringValue(n.Status),
		CreatedAt:        timeOrNull(n.CreatedAt),
		Profile:          textOrNull(n.Profile),
		ProfileCreatedAt: timeOrNull(n.ProfileCreatedAt),
		Tainted:          types.BoolValue(n.Tainted),
		Protected:        types.BoolValue(n.Protected),
		HostID:           textOrNull(n.HostID),
	}
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
func readNodes(ctx context.Context, list types.List, diags *diag.Diagnostics) []cluster.Node {
	var models []nodeModel
	diags.Append(list.ElementsAs(ctx, &models, false)...)
	nodes := make([]cluster.Node, len(models))
	seen := make(map[string]int, len(models))
	for i, m := range models {
		at := path.Root("nodes").AtListIndex(i)
		id := m.ID.ValueString()
		if first, twice := seen[id]; twice {
			diags.AddAttributeError(at.AtName("id"), "Node given twice", fmt.Sprintf("The nodes %d and %d have the same id %q.", first, i, id))
		}
		seen[id] = i
		nodes[i] = cluster.Node{
			ID: id, Name: m.Name.ValueString(), Region: m.Region.ValueString(), Zone: m.Zone.ValueString(),
			Status: m.Status.ValueString(), HostID: m.HostID.ValueString(), Profile: m.Profile.ValueString(),
			Tainted: m.Tainted.ValueBool(), Protected: m.Protected.ValueBool(),
			CreatedAt:        readTime(m.CreatedAt, at.AtName("created_at"), diags),
			ProfileCreatedAt: readTime(m.ProfileCreatedAt, at.AtName("profile_created_at"), diags),
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
