package backend

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	acting "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	data "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

// Model is the Go form of a configuration.
type Model interface {
	// Validate reports what is wrong with the configuration, as far as it is known.
	Validate(ctx context.Context, diags *diag.Diagnostics)
}

func validate[M Model](ctx context.Context, given tfsdk.Config, diags *diag.Diagnostics) {
	var config M
	diags.Append(given.Get(ctx, &config)...)
	if !diags.HasError() {
		config.Validate(ctx, diags)
	}
}

// Attachment has the interfaces that each resource of this provider implements.
type Attachment interface {
	resource.ResourceWithConfigure
	resource.ResourceWithValidateConfig
	resource.ResourceWithModifyPlan
	resource.ResourceWithImportState
	resource.ResourceWithIdentity
}

// Resource has the methods that are the same in all resources, which embed it. The
// backend is nil while Terraform only validates.
type Resource[M Model] struct {
	Name     string // without the provider's name
	Fields   func() schema.Schema
	Identity map[string]identityschema.Attribute
	Backend  *Backend
}

// Metadata implements resource.Resource.
func (r *Resource[M]) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.Name
	resp.ResourceBehavior.MutableIdentity = true // an update may rename a cluster, or take another group or region
}

// Schema implements resource.Resource.
func (r *Resource[M]) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.Fields()
}

// IdentitySchema implements resource.ResourceWithIdentity.
func (r *Resource[M]) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema.Attributes = r.Identity
}

// Configure implements resource.ResourceWithConfigure.
func (r *Resource[M]) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.Backend, _ = req.ProviderData.(*Backend)
}

// ValidateConfig implements resource.ResourceWithValidateConfig.
func (r *Resource[M]) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	validate[M](ctx, req.Config, &resp.Diagnostics)
}

// DataSource is a data source, which fills in its model.
type DataSource[M Model] struct {
	Name    string
	Fields  func() data.Schema
	Fill    func(ctx context.Context, b *Backend, model *M, diags *diag.Diagnostics)
	Backend *Backend
}

// Read implements datasource.DataSource.
func (d *DataSource[M]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model M
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if d.Fill(ctx, d.Backend, &model, &resp.Diagnostics); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}

// Metadata implements datasource.DataSource.
func (d *DataSource[M]) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.Name
}

// Schema implements datasource.DataSource.
func (d *DataSource[M]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.Fields()
}

// Configure implements datasource.DataSourceWithConfigure.
func (d *DataSource[M]) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.Backend, _ = req.ProviderData.(*Backend)
}

// ValidateConfig implements datasource.DataSourceWithValidateConfig.
func (d *DataSource[M]) ValidateConfig(
	ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse,
) {
	validate[M](ctx, req.Config, &resp.Diagnostics)
}

// Acting has the interfaces that each action of this provider implements.
type Acting interface {
	action.ActionWithConfigure
	action.ActionWithValidateConfig
	action.ActionWithModifyPlan
}

// Action is embedded in actions, as [Resource] is in resources.
type Action[M Model] struct {
	Name    string
	Fields  func() acting.Schema
	Backend *Backend
}

// Metadata implements action.Action.
func (a *Action[M]) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + a.Name
}

// Schema implements action.Action.
func (a *Action[M]) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = a.Fields()
}

// Configure implements action.ActionWithConfigure.
func (a *Action[M]) Configure(_ context.Context, req action.ConfigureRequest, _ *action.ConfigureResponse) {
	a.Backend, _ = req.ProviderData.(*Backend)
}

// ValidateConfig implements action.ActionWithValidateConfig.
func (a *Action[M]) ValidateConfig(
	ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse,
) {
	validate[M](ctx, req.Config, &resp.Diagnostics)
}
