// Package backend hands the cloud of the provider block to resources and data
// sources.
package backend

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/action"
	acting "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	data "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Backend is made from the provider block. Data sources and resources ask it for
// the cloud only when they need it. A nil backend belongs to a provider that is not
// configured: it has no cloud and no hooks.
type Backend struct {
	cloud *openstack.Cloud
	err   error
	hooks *hook.Runner
	walk  *Walk
}

// New returns a backend with a cloud, or with the reason why there is none, and with
// the runner of hooks.
func New(cloud *openstack.Cloud, reason error, hooks *hook.Runner) *Backend {
	return &Backend{cloud: cloud, err: reason, hooks: hooks, walk: new(Walk)}
}

var errNotConfigured = errors.New("the provider is not configured")

// Get returns the cloud, logged in. If there is no cloud it reports the reason and
// returns nil. A refused login is reported only here.
func (b *Backend) Get(ctx context.Context, diags *diag.Diagnostics) *openstack.Cloud {
	reason := errNotConfigured
	if b != nil {
		reason = b.err
	}
	if reason != nil {
		diags.AddError("Unable to reach a cloud", "This needs an OpenStack cloud, and "+reason.Error()+".")
		return nil
	}
	if err := b.cloud.Login(ctx); err != nil {
		diags.AddError("Unable to log in", text.Sentence(err)+" "+b.cloud.LoginAdvice(err))
		return nil
	}
	return b.cloud
}

// Compute returns the cloud and the Nova of a region, or nil after an error. If no region is named, it fills in the
// provider's.
func (b *Backend) Compute(
	ctx context.Context, region *types.String, diags *diag.Diagnostics,
) (*openstack.Cloud, *openstack.Compute) {
	cloud := b.Get(ctx, diags)
	if cloud == nil {
		return nil, nil
	}
	name, err := region.ValueString(), error(nil)
	if name == "" {
		name, err = cloud.Region(ctx)
	}
	var compute *openstack.Compute
	if err == nil {
		compute, err = cloud.Compute(ctx, name)
	}
	if err != nil {
		if state, _, err := cloud.RegionState(ctx, name); name != "" && err == nil && state == openstack.RegionUnknown {
			known, _ := cloud.Regions(ctx) // kept from the request just made
			diags.AddAttributeError(path.Root("region"), "Unknown region", places.UnknownRegion(name, known))
			return nil, nil
		}
		diags.AddAttributeError(path.Root("region"), "Unable to use the region", err.Error())
		return nil, nil
	}
	*region = types.StringValue(name)
	return cloud, compute
}

// Regions returns the cloud, and the regions that a list names or else the provider's. The cloud is nil after an error.
func (b *Backend) Regions(ctx context.Context, named types.List, diags *diag.Diagnostics) (*openstack.Cloud, []string) {
	cloud, regions := b.Get(ctx, diags), value.Texts(named)
	if cloud == nil || len(regions) > 0 {
		return cloud, regions
	}
	region, err := cloud.Region(ctx)
	if err != nil {
		diags.AddAttributeError(path.Root("regions"), "Unable to determine the region", err.Error())
		return nil, nil
	}
	return cloud, []string{region}
}

// Hooks returns the runner of hooks, or nil if the provider block is not known yet.
func (b *Backend) Hooks() *hook.Runner {
	if b == nil {
		return nil
	}
	return b.hooks
}

// Walk returns what the resources of this walk tell each other. Without a backend
// nothing is shared.
func (b *Backend) Walk() *Walk {
	if b == nil {
		return new(Walk)
	}
	return b.walk
}

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
