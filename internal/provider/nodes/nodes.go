// Package nodes has the attributes for nodes of a cluster, and for the selector that
// finds them.
package nodes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// Attributes returns the attributes of a node. Computed ones come from the cloud; a
// node that is given to a plan needs only an id.
func Attributes(computed bool) map[string]schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: computed, Optional: !computed, MarkdownDescription: description}
	}
	flag := func(description string) schema.Attribute {
		return schema.BoolAttribute{Computed: computed, Optional: !computed, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"id": schema.StringAttribute{
			Computed:            computed,
			Required:            !computed,
			Validators:          []validator.String{attribute.NotEmpty},
			MarkdownDescription: "Id of the server.",
		},
		"name":               text("Name of the server."),
		"region":             text("Region that the server is in."),
		"zone":               text("Availability zone that the server is in; null before Nova has placed it."),
		"status":             text("Status in Nova, such as `ACTIVE` or `ERROR`."),
		"created_at":         text("Time at which the server was created (RFC 3339)."),
		"profile":            text("Profile that the node was made from, by default its image."),
		"profile_created_at": text("Time at which the profile was made (RFC 3339)."),
		"tainted":            flag("Whether the node is marked as one to remove first."),
		"protected":          flag("Whether the node must not be removed: marked so, or locked in Nova."),
		"in_service":         text("Mark of a server that was found in service, for information."),
		"drained":            flag("Whether its drain has begun, for information."),
		"host_id":            text("Nova's hash of project and host."),
	}
}

// Argument is the list of nodes that a plan takes; needed says which attributes each must have.
func Argument(needed string) schema.Attribute {
	return schema.ListNestedAttribute{
		Required:            true,
		Validators:          []validator.List{listvalidator.NoNullValues()},
		NestedObject:        schema.NestedAttributeObject{Attributes: Attributes(false)},
		MarkdownDescription: "Nodes of the cluster: the `nodes` of a `stackpolicy_cluster`, or literal ones. " + needed,
	}
}

// Values returns nodes as a list of objects. Each is made, and read, without reflection,
// which takes the plugin framework several times as long.
func Values(nodes []node.Node) types.List {
	kind := schema.NestedAttributeObject{Attributes: Attributes(true)}.Type().(types.ObjectType)
	values := make([]attr.Value, len(nodes))
	for i, n := range nodes {
		values[i] = types.ObjectValueMust(kind.AttrTypes, map[string]attr.Value{
			"id":                 types.StringValue(n.ID),
			"name":               value.TextOrNull(n.Name),
			"region":             types.StringValue(n.Region),
			"zone":               value.TextOrNull(n.Zone),
			"status":             types.StringValue(n.Status),
			"created_at":         value.TimeOrNull(n.CreatedAt),
			"profile":            value.TextOrNull(n.Profile),
			"profile_created_at": value.TimeOrNull(n.ProfileCreatedAt),
			"tainted":            types.BoolValue(n.Tainted),
			"protected":          types.BoolValue(n.Protected),
			"in_service":         value.TextOrNull(n.InService),
			"drained":            types.BoolValue(n.Drained || n.Draining),
			"host_id":            value.TextOrNull(n.HostID),
		})
	}
	return types.ListValueMust(kind, values)
}

// Read translates the nodes that a plan was given, and reports invalid nodes at
// their attributes.
func Read(list types.List, diags *diag.Diagnostics) []node.Node {
	nodes := make([]node.Node, len(list.Elements()))
	seen := make(map[string]int, len(nodes))
	for i, fields := range value.Objects(list) { // id is required, so no node is null
		at := path.Root("nodes").AtListIndex(i)
		text := func(name string) types.String { return value.In[types.String](fields, name) }
		flag := func(name string) bool { return value.In[types.Bool](fields, name).ValueBool() }
		id := text("id").ValueString()
		zone, _, _ := strings.Cut(text("zone").ValueString(), ":") // zone:host asks for a host in the zone
		if first, twice := seen[id]; twice {
			diags.AddAttributeError(at.AtName("id"), "Node given twice",
				fmt.Sprintf("The nodes %d and %d have the same id %q. Leave one of them out.", first, i, id))
		}
		seen[id] = i
		nodes[i] = node.Node{
			ID:               id,
			Name:             text("name").ValueString(),
			Index:            node.IndexOf(text("name").ValueString()),
			Region:           text("region").ValueString(),
			Zone:             zone,
			Status:           text("status").ValueString(),
			HostID:           text("host_id").ValueString(),
			Profile:          text("profile").ValueString(),
			Tainted:          flag("tainted"),
			Protected:        flag("protected"),
			CreatedAt:        value.ReadTime(text("created_at"), at.AtName("created_at"), diags),
			ProfileCreatedAt: value.ReadTime(text("profile_created_at"), at.AtName("profile_created_at"), diags),
		}
	}
	return nodes
}

// ReportRead reports why a cluster could not be read. Group is the path of the selector's
// server group; without is a sentence that says how to go on without a region that does
// not answer.
func ReportRead(err error, group path.Path, without string, diags *diag.Diagnostics) {
	gone, isGone := errors.AsType[*cluster.GroupGoneError](err)
	_, region := errors.AsType[*cluster.RegionError](err)
	switch {
	case isGone:
		diags.AddAttributeError(group, "Unknown server group", fmt.Sprintf("No region that is read (%s) has the "+
			"server group %q. Correct the id, add the region that has it, or select servers in another way.",
			strings.Join(gone.Regions, ", "), gone.ID))
	case region && gophercloud.ResponseCodeIs(err, http.StatusForbidden):
		diags.AddError("Unable to read the cluster", err.Error()+"\n\nThe region answers, and refuses this login. It "+
			"needs the role reader or member in the project of the servers.")
	case region:
		diags.AddError("Unable to read the cluster", err.Error()+"\n\n"+without)
	default:
		diags.AddError("Unable to read the cluster", err.Error())
	}
}

// Selector says which servers belong to a cluster.
type Selector struct {
	NameRegex     types.String `tfsdk:"name_regex"`
	Metadata      types.Map    `tfsdk:"metadata"`
	Tags          types.List   `tfsdk:"tags"`
	ServerGroupID types.String `tfsdk:"servergroup_id"`
	IDs           types.List   `tfsdk:"ids"`
}

// Selector translates the selector.
func (m Selector) Selector(ctx context.Context, diags *diag.Diagnostics) cluster.Selector {
	s := cluster.Selector{NameRegex: m.NameRegex.ValueString(), ServerGroupID: m.ServerGroupID.ValueString(),
		Tags: value.Texts(m.Tags), IDs: value.Texts(m.IDs)}
	diags.Append(m.Metadata.ElementsAs(ctx, &s.Metadata, false)...)
	return s
}

// regex refuses an invalid regular expression.
var regex = attribute.Check("a regular expression (RE2)", "Invalid regular expression", func(given string) string {
	if _, err := regexp.Compile(given); err != nil {
		return err.Error() + ". The syntax is RE2's, as in Go and in Terraform's own regex function."
	}
	return ""
})

// SelectorAttributes returns the attributes of a [Selector]: arguments of
// stackpolicy_cluster, and the content of [SelectorBlock].
func SelectorAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name_regex": attribute.Text("Regular expression (RE2) that names match, anywhere unless anchored.", regex),
		"metadata": schema.MapAttribute{
			ElementType:         types.StringType,
			Optional:            true,
			Validators:          []validator.Map{mapvalidator.NoNullValues()},
			MarkdownDescription: "Metadata that servers must have.",
		},
		"tags":           attribute.Texts("Tags that servers must have, all of them.", listvalidator.NoNullValues()),
		"servergroup_id": attribute.Text("Id of a server group that servers must be in."),
		"ids": attribute.Texts("Ids of servers. Servers that no longer exist are left out.",
			listvalidator.NoNullValues()),
	}
}

// SelectorBlock is the block that says how to find the nodes' servers.
func SelectorBlock() schema.Block {
	return attribute.Block("Limits which servers can be nodes, in addition to their names.", SelectorAttributes())
}
