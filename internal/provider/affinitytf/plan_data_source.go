package affinitytf

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/request"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// NewPlan returns stackpolicy_affinity_plan: a placement for each new node of a server group.
func NewPlan() datasource.DataSource {
	return &backend.DataSource[planModel]{Name: "affinity_plan", Fields: planSchema, Fill: fillPlan}
}

func fillPlan(ctx context.Context, b *backend.Backend, model *planModel, diags *diag.Diagnostics) {
	asked := model.Read(ctx, diags)
	cloud, compute := b.Compute(ctx, &model.Region, diags)
	if !diags.HasError() {
		model.plan(ctx, cloud, compute, *asked, diags)
	}
}

func planSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Plans a placement for each new node of a server group, as Senlin's affinity policy " +
			"did. A request that removes nodes plans nothing. A warning says if the group gets more members than " +
			"Nova's quota or its rule allows.",
		Attributes: requesttf.Attributes(map[string]schema.Attribute{
			"servergroup_id": attribute.RequiredText("Id of the server group. Its members are the nodes that a " +
				"resize starts from."),
			"region": places.RegionArgument("Region of the group. Defaults to the provider's."),
			"availability_zone": attribute.Text(zoneArgument+" From a decision that names zones the plan takes the "+
				"share of this zone; without the argument each node is placed in the zone that the decision names.",
				attribute.NotEmpty),
			"enable_drs_extension": attribute.Flag(drsArgument),
			"status":               attribute.ComputedText("`OK`: a plan that cannot be made is an error."),
			"reason":               attribute.ComputedText("The result of the request, in a sentence."),
			"placement":            placementAttribute(),
			"violations":           violationsAttribute(),
		}),
		Blocks: requesttf.Blocks("The node is placed in the zone that it names, whatever `availability_zone` is. " +
			"A node that names another region than the plan's is not planned, and `reason` says so."),
	}
}

func placementAttribute() schema.Attribute {
	return attribute.ComputedObject("Placements of the new nodes; null if there are none.", attribute.Fields{
		"count": attribute.ComputedNumber("Number of nodes to create."),
		"placements": attribute.ComputedObjects("One placement for each node.", attribute.Fields{
			"servergroup": attribute.ComputedText("Id of the server group."),
			"zone": attribute.ComputedText("Availability zone, with the host of the DRS cluster " +
				"(`zone:host`)."),
		}),
	})
}

func violationsAttribute() schema.Attribute {
	return attribute.ComputedObjects("Hosts that have more members of an anti-affinity group than it allows.",
		attribute.Fields{
			"host_id": attribute.ComputedText("Nova's hash of project and host."),
			"members": attribute.ComputedTexts("Ids of the members on the host."),
		})
}

type planModel struct {
	ServerGroupID      types.String `tfsdk:"servergroup_id"`
	Region             types.String `tfsdk:"region"`
	AvailabilityZone   types.String `tfsdk:"availability_zone"`
	EnableDRSExtension types.Bool   `tfsdk:"enable_drs_extension"`
	Status             types.String `tfsdk:"status"`
	Reason             types.String `tfsdk:"reason"`
	Placement          types.Object `tfsdk:"placement"`
	Violations         types.List   `tfsdk:"violations"`
	requesttf.Model
}

var (
	placementsType = placementAttribute().GetType().(types.ObjectType)
	placementType  = placementsType.AttrTypes["placements"].(types.ListType).ElemType.(types.ObjectType)
	violationType  = violationsAttribute().GetType().(types.ListType).ElemType.(types.ObjectType)
)

// mostPlacements is the maximum number of placements, one for each node: a larger
// number is a mistake, and would only fill the memory.
const mostPlacements = 100_000

// plan fills in the result.
func (m *planModel) plan(
	ctx context.Context, cloud *openstack.Cloud, compute *openstack.Compute, asked request.Request,
	diags *diag.Diagnostics,
) {
	group, err := compute.ServerGroup(ctx, m.ServerGroupID.ValueString())
	if err != nil {
		diags.AddAttributeError(path.Root("servergroup_id"), "Unable to read the server group", err.Error())
		return
	}
	places.RefuseUnknown(ctx, cloud, asked, []string{compute.Region}, diags)
	additions, err := asked.Additions(compute.Region, m.AvailabilityZone.ValueString(), int64(len(group.Members)))
	p := placing{group: group, zones: additions.Zones}
	if err == nil && p.count() > mostPlacements {
		err = fmt.Errorf("a placement for each of %d nodes is more than can be listed (%d)", p.count(), mostPlacements)
	}
	if err != nil {
		requesttf.Report(err, diags)
		return
	}
	p.zones = m.targets(ctx, cloud, compute, asked, additions.Zones, diags)
	p.members = m.readMembers(ctx, cloud, p, diags)
	if diags.HasError() {
		return
	}
	if len(p.zones) > 0 {
		m.warn(ctx, cloud, compute, p, diags)
	}
	m.findViolations(group, p.members)
	m.Status, m.Reason, m.Placement = types.StringValue("OK"), types.StringValue(additions.Reason), p.list()
}

// targets returns the zones to give to servers, with the host of the DRS cluster if
// the extension is enabled, and reports zones that do not exist.
func (m *planModel) targets(
	ctx context.Context, cloud *openstack.Cloud, compute *openstack.Compute, asked request.Request,
	zones map[string]int64, diags *diag.Diagnostics,
) map[string]int64 {
	targets := map[string]int64{}
	for _, name := range slices.Sorted(maps.Keys(zones)) {
		wanted := zoneWanted{name, path.Root("availability_zone"), m.EnableDRSExtension.ValueBool()}
		switch {
		case name == m.AvailabilityZone.ValueString():
		case asked.NodeCreate != nil:
			wanted.at = path.Root("node_create").AtName("zone")
		default:
			wanted.at = path.Root("decision")
		}
		targets[targetZone(ctx, cloud, compute, wanted, diags)] += zones[name]
	}
	return targets
}

// placing is a plan of more members for a group.
type placing struct {
	group   openstack.ServerGroup
	members []node.Node      // members whose places matter
	zones   map[string]int64 // number of new members by zone, which may be zone:host, or "" for any zone
}

func (p placing) count() (count int64) {
	for _, n := range p.zones {
		count += n
	}
	return count
}

// list returns an entry for each new member, sorted by zone, or null if there are no new members.
func (p placing) list() types.Object {
	if len(p.zones) == 0 {
		return types.ObjectNull(placementsType.AttrTypes)
	}
	var list []attr.Value
	for _, zone := range slices.Sorted(maps.Keys(p.zones)) {
		entry := types.ObjectValueMust(placementType.AttrTypes, map[string]attr.Value{
			"servergroup": types.StringValue(p.group.ID),
			"zone":        value.TextOrNull(zone),
		})
		list = append(list, slices.Repeat([]attr.Value{entry}, int(p.zones[zone]))...)
	}
	return types.ObjectValueMust(placementsType.AttrTypes, map[string]attr.Value{
		"count":      types.Int64Value(p.count()),
		"placements": types.ListValueMust(placementType, list),
	})
}

// warn reports new members that Nova would refuse, before anything is built.
func (m *planModel) warn(
	ctx context.Context, cloud *openstack.Cloud, compute *openstack.Compute, p placing, diags *diag.Diagnostics,
) {
	group, after := p.group, int64(len(p.group.Members))+p.count()
	limits, err := cloud.Limits(ctx, compute.Region)
	if err != nil {
		diags.AddError("Unable to look up quotas", err.Error())
		return
	}
	if most := int64(limits.MaxServerGroupMembers); most >= 0 && after > most {
		diags.AddAttributeWarning(path.Root("servergroup_id"), "The group gets more members than its quota",
			fmt.Sprintf("The server group %q has %d members and would have %d; Nova's quota server_group_members "+
				"allows %d, and refuses the servers beyond it. Raise the quota, or ask for fewer nodes.", group.Name,
				len(group.Members), after, most))
	}
	if group.Policy == affinity.Affinity && len(p.zones) > 1 {
		diags.AddAttributeWarning(path.Root("decision"), "Too few hosts for the group", fmt.Sprintf("The server "+
			"group %q keeps its servers on one host, and its new members would be in %s. Nova refuses members that "+
			"are not in the zone of "+
			"the host: decide on one zone.", group.Name, text.And(slices.Sorted(maps.Keys(p.zones)))))
	}
	if group.Policy != affinity.AntiAffinity {
		return
	}
	hypervisors, err := compute.Hypervisors(ctx)
	var zoneOf map[string]string
	if err == nil && p.zoned() {
		zoneOf, err = hostZones(ctx, compute)
	}
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusForbidden):
		return // this user cannot see hypervisors, so nothing can be said
	case err != nil:
		diags.AddError("Unable to look up hypervisors", err.Error())
		return
	}
	for _, zone := range slices.Sorted(maps.Keys(p.zones)) {
		where := "region " + compute.Region
		if zone != "" {
			where = fmt.Sprintf("%q in %s", zone, where)
			after = p.zones[zone] + p.membersIn(zone)
		}
		if room := affinity.Room(group, hypervisors, zoneOf, zone); after > room {
			diags.AddAttributeWarning(path.Root("servergroup_id"), "Too few hosts for the group", fmt.Sprintf("The "+
				"server group %q would have %d members in %s, and its rule (%d a host) places %d on the hosts there "+
				"that are up and enabled. Nova refuses the others: ask for fewer nodes, or add hosts.", group.Name,
				after, where, max(group.MaxServerPerHost, 1), room))
		}
	}
}

// zoned reports whether all new members have a zone.
func (p placing) zoned() bool {
	_, anywhere := p.zones[""]
	return len(p.zones) > 0 && !anywhere
}

// membersIn counts the members in a zone, which may be zone:host.
func (p placing) membersIn(zone string) (count int64) {
	name, _, _ := strings.Cut(zone, ":")
	for _, member := range p.members {
		if member.Zone == name {
			count++
		}
	}
	return count
}

// readMembers reads the members of an anti-affinity group, if their places matter.
func (m *planModel) readMembers(
	ctx context.Context, cloud *openstack.Cloud, p placing, diags *diag.Diagnostics,
) []node.Node {
	none := len(p.group.Members) == 0 || (len(p.group.Members) == 1 && !p.zoned())
	if p.group.Policy != affinity.AntiAffinity || none {
		return nil
	}
	members, err := cluster.Read(ctx, cloud, cluster.Query{
		Regions:    []string{m.Region.ValueString()},
		Selector:   cluster.Selector{IDs: p.group.Members},
		NoProfiles: true,
	})
	if err != nil {
		diags.AddError("Unable to read the members of the server group", err.Error())
	}
	return members
}

// findViolations fills in the hosts with more members than the group's rule allows.
func (m *planModel) findViolations(group openstack.ServerGroup, members []node.Node) {
	hosts := map[string]string{}
	for _, n := range members {
		hosts[n.ID] = n.HostID
	}
	var list []attr.Value
	for _, v := range affinity.Violations(group, hosts) {
		list = append(list, types.ObjectValueMust(violationType.AttrTypes,
			map[string]attr.Value{"host_id": types.StringValue(v.HostID), "members": value.List(v.Members)}))
	}
	m.Violations = types.ListValueMust(violationType, list)
}
