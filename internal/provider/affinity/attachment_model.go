package affinity

import (
	"context"
	"net/http"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

type attachmentModel struct {
	ID                 types.String `tfsdk:"id"`
	ServerGroup        types.Object `tfsdk:"servergroup"`
	SchedulerHints     types.Object `tfsdk:"scheduler_hints"`
	Region             types.String `tfsdk:"region"`
	AvailabilityZone   types.String `tfsdk:"availability_zone"`
	EnableDRSExtension types.Bool   `tfsdk:"enable_drs_extension"`
	ServerGroupID      types.String `tfsdk:"servergroup_id"`
	ServerGroupName    types.String `tfsdk:"servergroup_name"`
	Policy             types.String `tfsdk:"policy"`
	InheritedGroup     types.Bool   `tfsdk:"inherited_group"`
	Members            types.List   `tfsdk:"members"`
	Zone               types.String `tfsdk:"zone"`
	Binding            types.Object `tfsdk:"binding"`
}

type serverGroupModel struct {
	Name             types.String `tfsdk:"name"`
	Policies         types.String `tfsdk:"policies"`
	MaxServerPerHost types.Int64  `tfsdk:"max_server_per_host"`
}

type identity struct {
	Region        types.String `tfsdk:"region"`
	ServerGroupID types.String `tfsdk:"servergroup_id"`
	Created       types.Bool   `tfsdk:"created"`
}

var (
	serverGroupType = types.ObjectType{AttrTypes: map[string]attr.Type{"name": types.StringType, "policies": types.StringType, "max_server_per_host": types.Int64Type}}
	bindingDataType = types.ObjectType{AttrTypes: map[string]attr.Type{"servergroup_id": types.StringType, "inherited_group": types.BoolType}}
	bindingType     = types.ObjectType{AttrTypes: map[string]attr.Type{"AffinityPolicy": types.ObjectType{AttrTypes: map[string]attr.Type{
		"version": types.Float64Type, "data": bindingDataType}}}}
)

func attachmentSchema() schema.Schema {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.Schema{
		MarkdownDescription: "Attaches a cluster to a Nova server group, as Senlin's affinity policy did: a group that exists is *inherited*, and stays when the attachment goes; else one is created, and deleted with the attachment.\n\n" +
			"Give its `servergroup_id` to the scheduler hints of your servers. A group's policy and rules cannot change: another name, policy, rule or region replaces the attachment.",
		Attributes: map[string]schema.Attribute{
			"id": text("`<region>/<server group id>`."),
			"servergroup": schema.SingleNestedAttribute{Optional: true, MarkdownDescription: "The server group that the cluster is to have.",
				Attributes: map[string]schema.Attribute{
					"name": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
						MarkdownDescription: "Name or id of the group. One that exists is inherited; else one of this name is created. Without a name, and without scheduler hints, one is created as `server_group_` and random letters."},
					"policies": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString(affinity.AntiAffinity), Validators: []validator.String{stringvalidator.OneOf(affinity.Policies()...)},
						MarkdownDescription: "Its policy: `affinity`, `anti-affinity`, `soft-affinity` or `soft-anti-affinity` (the soft ones need Nova's microversion 2.15). A group that is inherited must have it. Defaults to `anti-affinity`."},
					"max_server_per_host": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AtLeast(1)},
						MarkdownDescription: "Most members on one host, of an `anti-affinity` group. Needs Nova's microversion 2.64. By default there is one a host in a group that is created, and any rule fits in one that is inherited."},
				}},
			"scheduler_hints": schema.SingleNestedAttribute{Optional: true, MarkdownDescription: "Scheduler hints of the cluster's servers, whose group is inherited where `servergroup` names none.",
				Attributes: map[string]schema.Attribute{
					"group": schema.StringAttribute{Optional: true, MarkdownDescription: "Name or id of a server group, which must exist."},
				}},
			"region":               schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Region of the group. Defaults to the provider's."},
			"availability_zone":    schema.StringAttribute{Optional: true, MarkdownDescription: "Availability zone that nodes are to go to."},
			"enable_drs_extension": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether nodes go to a vSphere cluster with DRS: the first hypervisor that is up, enabled and has `drs` in its hostname. Needs the rights of an admin. Defaults to `false`."},
			"servergroup_id":       text("Id of the group."),
			"servergroup_name":     text("Name of the group."),
			"policy":               text("Policy of the group."),
			"inherited_group":      schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the group was there before, and stays when the attachment goes."},
			"members":              schema.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: "Ids of the servers in the group, as of the last refresh, sorted."},
			"zone":                 text("Availability zone to give to servers: that of `availability_zone`, with the host of the DRS cluster (`zone:host`) where that is enabled. Chosen once: a host that fails later moves nobody."),
			"binding":              schema.ObjectAttribute{AttributeTypes: bindingType.AttrTypes, Computed: true, MarkdownDescription: "Senlin's policy binding data: `AffinityPolicy` with `version` and `data`, which has `servergroup_id` and `inherited_group`."},
		},
	}
}

// validate checks what is known of the arguments.
func (m attachmentModel) validate(ctx context.Context, diags *diag.Diagnostics) {
	if !value.Known(ctx, m.ServerGroup, m.SchedulerHints) {
		return
	}
	policy := m.policy(ctx, diags)
	group := path.Root("servergroup")
	if policy.MaxServerPerHost > 0 && policy.Policy != affinity.AntiAffinity {
		diags.AddAttributeError(group.AtName("max_server_per_host"), "Invalid rule", "Nova knows max_server_per_host only of anti-affinity, and this group is to have the policy "+policy.Policy+".")
	}
	if policy.Name != "" && policy.Hint != "" && policy.Name != policy.Hint {
		diags.AddAttributeWarning(path.Root("scheduler_hints").AtName("group"), "Scheduler hints without effect", "The server group named by servergroup takes precedence over that of the scheduler hints.")
	}
}

// policy translates the arguments.
func (m attachmentModel) policy(ctx context.Context, diags *diag.Diagnostics) affinity.Policy {
	policy := affinity.Policy{Policy: affinity.AntiAffinity}
	if g := value.Object[serverGroupModel](ctx, m.ServerGroup, diags); g != nil {
		policy.Name = g.Name.ValueString()
		policy.Policy = value.TextOr(g.Policies, policy.Policy)
		policy.MaxServerPerHost = int(g.MaxServerPerHost.ValueInt64())
	}
	hints := value.Object[struct {
		Group types.String `tfsdk:"group"`
	}](ctx, m.SchedulerHints, diags)
	if hints != nil {
		policy.Hint = hints.Group.ValueString()
	}
	return policy
}

// replaces tells whether the plan needs another group than the state has, and
// which argument says so.
func (m attachmentModel) replaces(ctx context.Context, state attachmentModel, diags *diag.Diagnostics) (at path.Path, replace bool) {
	if !m.Region.IsUnknown() && !m.Region.IsNull() && !m.Region.Equal(state.Region) {
		return path.Root("region"), true
	}
	if !value.Known(ctx, m.ServerGroup, m.SchedulerHints) {
		return path.Root("servergroup"), true // as Terraform has it: what is not known may differ
	}
	want, had := m.policy(ctx, diags), state.policy(ctx, diags)
	group := path.Root("servergroup")
	isOurs := func(name string) bool {
		return name == state.ServerGroupName.ValueString() || name == state.ServerGroupID.ValueString()
	}
	switch {
	case want.Policy != state.Policy.ValueString():
		return group, true
	case want.MaxServerPerHost != had.MaxServerPerHost:
		return group, true
	case want.Name != "":
		return group, !isOurs(want.Name)
	case want.Hint != "":
		return path.Root("scheduler_hints"), !isOurs(want.Hint)
	}
	// Nothing is named: the group is to be one of the attachment's own.
	return group, state.InheritedGroup.ValueBool()
}

// keep fills in what an attachment that stays has.
func (m *attachmentModel) keep(state attachmentModel) {
	m.ID, m.Region = state.ID, state.Region
	m.ServerGroupID, m.ServerGroupName, m.Policy = state.ServerGroupID, state.ServerGroupName, state.Policy
	m.InheritedGroup, m.Members, m.Binding = state.InheritedGroup, state.Members, state.Binding
	if m.EnableDRSExtension.ValueBool() && state.EnableDRSExtension.ValueBool() && m.AvailabilityZone.Equal(state.AvailabilityZone) {
		m.Zone = state.Zone // chosen once
	}
}

// planZone fills in the zone, where no host has to be looked for.
func (m *attachmentModel) planZone() {
	m.Zone = types.StringUnknown()
	if !m.EnableDRSExtension.IsUnknown() && !m.EnableDRSExtension.ValueBool() {
		m.Zone = m.AvailabilityZone
	}
}

// forget leaves open what a new attachment will have.
func (m *attachmentModel) forget() {
	m.ID, m.ServerGroupID, m.ServerGroupName, m.Policy = types.StringUnknown(), types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	m.InheritedGroup, m.Members, m.Binding = types.BoolUnknown(), types.ListUnknown(types.StringType), types.ObjectUnknown(bindingType.AttrTypes)
}

// bind puts a binding into the state.
func (m *attachmentModel) bind(ctx context.Context, b affinity.Binding, diags *diag.Diagnostics) {
	m.ID = types.StringValue(m.Region.ValueString() + "/" + b.Group.ID)
	m.ServerGroupID, m.ServerGroupName = types.StringValue(b.Group.ID), types.StringValue(b.Group.Name)
	m.Policy, m.InheritedGroup = types.StringValue(b.Group.Policy), types.BoolValue(b.Inherited)
	var more diag.Diagnostics
	m.Members, more = types.ListValueFrom(ctx, types.StringType, value.Sorted(b.Group.Members))
	diags.Append(more...)
	data := types.ObjectValueMust(bindingDataType.AttrTypes, map[string]attr.Value{"servergroup_id": m.ServerGroupID, "inherited_group": m.InheritedGroup})
	policy := types.ObjectValueMust(bindingType.AttrTypes["AffinityPolicy"].(types.ObjectType).AttrTypes, map[string]attr.Value{"version": types.Float64Value(1.0), "data": data})
	m.Binding = types.ObjectValueMust(bindingType.AttrTypes, map[string]attr.Value{"AffinityPolicy": policy})
}

// adopt fills in, after an import, what a configuration may say of the group.
func (m *attachmentModel) adopt(g openstack.ServerGroup) {
	most := types.Int64Null()
	if g.MaxServerPerHost > 0 {
		most = types.Int64Value(int64(g.MaxServerPerHost))
	}
	m.ServerGroup = types.ObjectValueMust(serverGroupType.AttrTypes, map[string]attr.Value{
		"name": types.StringValue(g.Name), "policies": types.StringValue(g.Policy), "max_server_per_host": most})
}

func (m attachmentModel) identity() identity {
	return identity{m.Region, m.ServerGroupID, types.BoolValue(!m.InheritedGroup.ValueBool())}
}

// targetZone is the zone to give to servers, "" where none is asked for.
func (m attachmentModel) targetZone(ctx context.Context, compute *openstack.Compute, diags *diag.Diagnostics) string {
	return zoneWithHost(ctx, compute, m.AvailabilityZone.ValueString(), m.EnableDRSExtension.ValueBool(), diags)
}

// zoneWithHost adds the host of the vSphere cluster with DRS to a zone, where
// that is asked for.
func zoneWithHost(ctx context.Context, compute *openstack.Compute, zone string, drs bool, diags *diag.Diagnostics) string {
	if !drs {
		return zone
	}
	if zone == "" {
		zone = "nova" // as the policy's document has it
	}
	at := path.Root("enable_drs_extension")
	hypervisors, err := compute.Hypervisors(ctx)
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusForbidden):
		diags.AddAttributeError(at, "Only an admin sees hypervisors", "The DRS extension looks for a host among all hypervisors, and Nova shows these to admins only: "+err.Error()+". Log in as an admin, or leave the extension off.")
	case err != nil:
		diags.AddAttributeError(at, "Unable to look for a vSphere host", err.Error())
	case affinity.DRSHost(hypervisors) == "":
		diags.AddAttributeError(at, "No suitable vSphere host is available.", "None of the hypervisors of region "+compute.Region+" is up, enabled and has drs in its hostname.")
	}
	return zone + ":" + affinity.DRSHost(hypervisors)
}
