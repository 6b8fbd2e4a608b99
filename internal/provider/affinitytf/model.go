package affinitytf

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

type attachmentModel struct {
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
	serverGroupType = attachmentSchema().Blocks["servergroup"].Type().(types.ObjectType)
	bindingDataType = types.ObjectType{
		AttrTypes: map[string]attr.Type{"servergroup_id": types.StringType, "inherited_group": types.BoolType},
	}
	bindingType = types.ObjectType{
		AttrTypes: map[string]attr.Type{"AffinityPolicy": types.ObjectType{AttrTypes: map[string]attr.Type{
			"version": types.Float64Type, "data": bindingDataType}}},
	}
)

// Validate checks the arguments that are known.
func (m attachmentModel) Validate(ctx context.Context, diags *diag.Diagnostics) {
	if !m.groupKnown(ctx) {
		return
	}
	policy := m.policy(ctx, diags)
	if policy.MaxServerPerHost > 0 && policy.Policy != affinity.AntiAffinity {
		diags.AddAttributeError(path.Root("servergroup").AtName("max_server_per_host"), "Invalid rule",
			"Only a group of the policy anti-affinity has a max_server_per_host, and servergroup asks for "+
				policy.Policy+". Remove the argument, or ask for anti-affinity.")
	}
	if policy.Name != "" && policy.Hint != "" && policy.Name != policy.Hint {
		diags.AddAttributeWarning(path.Root("scheduler_hints").AtName("group"), "Scheduler hints without effect",
			"The group of servergroup counts, not the group of the scheduler hints. Name only one group.")
	}
}

// groupKnown reports whether all arguments that ask for a group are known, except
// the region.
func (m attachmentModel) groupKnown(ctx context.Context) bool {
	return value.Known(ctx, m.ServerGroup, m.SchedulerHints)
}

// policy translates the arguments, which must be known. The model must be the
// configuration: in a plan an empty block has the default policy, and looks given.
func (m attachmentModel) policy(ctx context.Context, diags *diag.Diagnostics) affinity.Policy {
	var policy affinity.Policy
	if value.Given(m.ServerGroup) { // an empty block asks for the default policy
		g := value.Object[serverGroupModel](ctx, m.ServerGroup, diags)
		policy.Name = g.Name.ValueString()
		policy.Policy = value.TextOr(g.Policies, affinity.AntiAffinity)
		policy.MaxServerPerHost = int(g.MaxServerPerHost.ValueInt64())
	}
	hint := value.In[types.String](m.SchedulerHints.Attributes(), "group")
	policy.Hint = hint.ValueString()
	return policy
}

// attached returns the group in the state.
func (m attachmentModel) attached(ctx context.Context, diags *diag.Diagnostics) affinity.Attached {
	return affinity.Attached{
		ID:               m.ServerGroupID.ValueString(),
		Name:             m.ServerGroupName.ValueString(),
		Region:           m.Region.ValueString(),
		Policy:           m.Policy.ValueString(),
		MaxServerPerHost: m.policy(ctx, diags).MaxServerPerHost,
		Inherited:        m.InheritedGroup.ValueBool(),
	}
}

// own returns the id of the group in the state, if the attachment created it.
func (m attachmentModel) own() string {
	if m.InheritedGroup.ValueBool() {
		return ""
	}
	return m.ServerGroupID.ValueString()
}

// keep fills in the attributes of an attachment that keeps its group.
func (m *attachmentModel) keep(state attachmentModel) {
	m.ServerGroupID, m.ServerGroupName, m.Policy = state.ServerGroupID, state.ServerGroupName, state.Policy
	m.InheritedGroup, m.Members, m.Binding = state.InheritedGroup, state.Members, state.Binding
}

// bind fills in the attributes of a group.
func (m *attachmentModel) bind(group openstack.ServerGroup, inherited bool) {
	m.ServerGroupID, m.ServerGroupName = types.StringValue(group.ID), types.StringValue(group.Name)
	m.Policy, m.InheritedGroup = types.StringValue(group.Policy), types.BoolValue(inherited)
	m.Members = value.List(slices.Sorted(slices.Values(group.Members)))
	data := types.ObjectValueMust(bindingDataType.AttrTypes,
		map[string]attr.Value{"servergroup_id": m.ServerGroupID, "inherited_group": m.InheritedGroup})
	policy := types.ObjectValueMust(bindingType.AttrTypes["AffinityPolicy"].(types.ObjectType).AttrTypes,
		map[string]attr.Value{"version": types.Float64Value(1.0), "data": data})
	m.Binding = types.ObjectValueMust(bindingType.AttrTypes, map[string]attr.Value{"AffinityPolicy": policy})
}

// imported reports whether the state comes from an import and has not been read yet.
func (m attachmentModel) imported() bool { return m.Policy.IsNull() }

// adopt fills in, after an import, the arguments about the group.
func (m *attachmentModel) adopt(g openstack.ServerGroup) {
	perHost := types.Int64Null()
	if g.MaxServerPerHost > 0 {
		perHost = types.Int64Value(int64(g.MaxServerPerHost))
	}
	m.ServerGroup = types.ObjectValueMust(serverGroupType.AttrTypes, map[string]attr.Value{
		"name": types.StringValue(g.Name), "policies": types.StringValue(g.Policy), "max_server_per_host": perHost})
}

func (m attachmentModel) identity() identity {
	return identity{m.Region, m.ServerGroupID, types.BoolValue(!m.InheritedGroup.ValueBool())}
}
