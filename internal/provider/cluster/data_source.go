// Package cluster is the Terraform face of reading a cluster.
package cluster

import (
	"context"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
)

var (
	_ datasource.DataSourceWithConfigure      = &dataSource{}
	_ datasource.DataSourceWithValidateConfig = &dataSource{}
)

// New returns stackpolicy_cluster.
func New() datasource.DataSource { return &dataSource{} }

// dataSource is stackpolicy_cluster, the one reader of clusters.
type dataSource struct{ backend.DataSource }

func (d *dataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_cluster"
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schemaOf()
}

func (d *dataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var model model
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if model.SelectsNothing() {
		resp.Diagnostics.AddError("Empty selector",
			"Nothing says which servers belong to the cluster. Give at least one of name_regex, metadata, tags, servergroup_id and ids.")
	}
}

func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model model
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	cloud := d.Backend.Get(&resp.Diagnostics)
	if cloud == nil {
		return
	}
	query := model.query(ctx, &resp.Diagnostics)
	if len(query.Regions) == 0 {
		region, err := cloud.Region(ctx)
		if err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("regions"), "Unable to tell the region", err.Error())
			return
		}
		query.Regions = []string{region}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	nodes, err := cluster.Read(ctx, cloud, query)
	if err != nil {
		resp.Diagnostics.AddError("Unable to read the cluster", err.Error())
		return
	}
	model.fill(ctx, nodes, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

func schemaOf() schema.Schema {
	list := func(description string) schema.Attribute {
		return schema.ListAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: description}
	}
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	return schema.Schema{
		MarkdownDescription: "Reads a cluster: the servers that belong together, from several regions at once. All plans of a configuration that take its `nodes` see this one snapshot.\n\n" +
			"At least one of `name_regex`, `metadata`, `tags`, `servergroup_id` and `ids` says which servers belong; those that match all that is given do. One region that cannot be read fails the whole read: a missing region never looks like an empty one.",
		Attributes: map[string]schema.Attribute{
			"regions": list("Regions to read. Defaults to the provider's."),
			"name_regex": schema.StringAttribute{Optional: true, Validators: []validator.String{nodes.RegexValidator{}},
				MarkdownDescription: "Regular expression (RE2) that names match, anywhere unless anchored with `^` and `$`."},
			"metadata":               schema.MapAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: "Metadata that servers have; all pairs must match."},
			"tags":                   list("Tags that servers have, all of them. Needs Nova's microversion 2.26."),
			"servergroup_id":         text("Id of a server group whose members the servers are. It must exist in one of the regions."),
			"ids":                    list("Ids of servers. Those that no longer exist are left out."),
			"profile_metadata_key":   text("Key of the metadata that tells a node's profile; where its value is a time (RFC 3339), that is `profile_created_at`. By default the profile is the server's image, and its age that of the image in Glance."),
			"tainted_metadata_key":   text("Key of the metadata that marks a node as one to remove first. Any value marks but an empty one, `0`, `false`, `no` and `off`. Defaults to `" + nodes.DefaultTaintedKey + "`."),
			"protected_metadata_key": text("Key of the metadata that marks a node as one not to remove, in the same way. A server that is locked in Nova counts as marked. Defaults to `" + nodes.DefaultProtectedKey + "`."),
			"nodes": schema.ListNestedAttribute{Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: nodes.Attributes(true)},
				MarkdownDescription: "Nodes of the cluster, sorted by region, creation time and id."},
			"size": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of nodes."},
			"distribution": schema.MapAttribute{ElementType: types.MapType{ElemType: types.Int64Type}, Computed: true,
				MarkdownDescription: "Number of nodes by region and zone. Nodes that have no zone yet are counted under the empty name."},
		},
	}
}
