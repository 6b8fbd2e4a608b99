package placementtf

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

type attachmentModel struct {
	ID              types.String `tfsdk:"id"`
	Cluster         types.String `tfsdk:"cluster"`
	DesiredCapacity value.Whole  `tfsdk:"desired_capacity"`
	MinSize         value.Whole  `tfsdk:"min_size"`
	MaxSize         value.Whole  `tfsdk:"max_size"`
	Regions         types.List   `tfsdk:"regions"`
	Zones           types.List   `tfsdk:"zones"`
	Region          types.String `tfsdk:"region"`
	NodeNamePattern types.String `tfsdk:"node_name_pattern"`
	Template        types.Map    `tfsdk:"template"`
	RespectQuotas   types.Bool   `tfsdk:"respect_quotas"`
	FlavorID        types.String `tfsdk:"flavor_id"`
	Deletion        types.Object `tfsdk:"deletion"`
	Selector        types.Object `tfsdk:"selector"`
	Update          types.Object `tfsdk:"update"`

	Nodes          types.Map    `tfsdk:"nodes"`
	NextIndex      types.Int64  `tfsdk:"next_index"`
	Revisions      types.Map    `tfsdk:"revisions"`
	NewestRevision types.Int64  `tfsdk:"newest_revision"`
	Distribution   types.Map    `tfsdk:"distribution"`
	Change         types.Object `tfsdk:"change"`
	Remaining      types.Int64  `tfsdk:"remaining"`
	Summary        types.String `tfsdk:"summary"`
}

type deletionModel struct {
	Criteria   types.String `tfsdk:"criteria"`
	Candidates types.List   `tfsdk:"candidates"`
	Protected  types.List   `tfsdk:"protected"`
}

type updateModel struct {
	Causes           types.List   `tfsdk:"causes"`
	MaxBatchSize     types.String `tfsdk:"max_batch_size"`
	Target           types.String `tfsdk:"target"`
	Method           types.String `tfsdk:"method"`
	StopAbove        types.String `tfsdk:"stop_above"`
	RequireInService types.Bool   `tfsdk:"require_in_service"`
}

// Types of the values that the attachment works out.
var (
	rosterNodeType = types.ObjectType{AttrTypes: map[string]attr.Type{"index": types.Int64Type, "region": types.StringType, "zone": types.StringType, "revision": types.Int64Type}}
	templateType   = types.MapType{ElemType: types.StringType}
)

// listed reports whether a list has elements. An empty one lists nothing.
func listed(list types.List) bool { return value.Given(list) && len(list.Elements()) > 0 }

// listedRegions translates the regions, or the zones as those of one region.
func (m attachmentModel) listedRegions(ctx context.Context, diags *diag.Diagnostics) []placement.Region {
	if listed(m.Regions) {
		return places.ReadRegions(ctx, m.Regions, diags)
	}
	return places.InRegion(m.Region.ValueString(), places.ReadBins(ctx, m.Zones, diags)).Regions
}

// deletion is the block deletion, empty where there is none.
func (m attachmentModel) deletion(ctx context.Context, diags *diag.Diagnostics) deletionModel {
	if d := value.Object[deletionModel](ctx, m.Deletion, diags); d != nil {
		return *d
	}
	return deletionModel{Candidates: types.ListNull(types.StringType), Protected: types.ListNull(types.StringType)}
}

// texts lists the known elements of a list.
func texts(list types.List) (all []string) {
	for _, element := range list.Elements() {
		if text, ok := element.(types.String); ok && value.Given(text) {
			all = append(all, text.ValueString())
		}
	}
	return all
}

// policy translates what the cluster should be.
func (m attachmentModel) policy(ctx context.Context, before *attachmentModel, diags *diag.Diagnostics) roster.Policy {
	pattern, cluster := roster.Pattern(m.NodeNamePattern.ValueString()), m.Cluster.ValueString()
	d := m.deletion(ctx, diags)
	if !value.Given(m.NodeNamePattern) || !value.Given(m.Cluster) {
		pattern = "{index}" // whatever the names will be, they differ
	}
	policy := roster.Policy{
		Name:       func(index int64) string { return pattern.Name(cluster, index) },
		Capacity:   m.DesiredCapacity.ValueInt64(),
		Regions:    m.listedRegions(ctx, diags),
		Criteria:   deletion.Criteria(d.Criteria.ValueString()),
		Candidates: texts(d.Candidates),
		Protected:  texts(d.Protected),
		Template:   m.template(),
		Update:     m.update(ctx, diags),
	}
	if before == nil {
		return policy
	}
	policy.Done = texts(before.deletion(ctx, diags).Candidates)
	if u, was := policy.Update, before.update(ctx, diags); u != nil {
		u.New = was == nil || u.RequireInService && !was.RequireInService
	}
	return policy
}

// template is nil without one.
func (m attachmentModel) template() roster.Template {
	if !value.Given(m.Template) {
		return nil
	}
	template := roster.Template{}
	for name, element := range m.Template.Elements() {
		template[name] = element.(types.String).ValueString()
	}
	return template
}

// update is nil without the block.
func (m attachmentModel) update(ctx context.Context, diags *diag.Diagnostics) *roster.Update {
	if !value.GivenBlock(m.Update) {
		return nil
	}
	u := value.Object[updateModel](ctx, m.Update, diags)
	amount := func(name string, v types.String, byDefault string) roster.Amount {
		a, err := roster.ParseAmount(value.TextOr(v, byDefault))
		if err != nil {
			diags.AddAttributeError(path.Root("update").AtName(name), "Invalid number of nodes", err.Error()+".")
		}
		return a
	}
	update := &roster.Update{
		BatchSize:        amount("max_batch_size", u.MaxBatchSize, "1"),
		Target:           amount("target", u.Target, "100%"),
		StopAbove:        amount("stop_above", u.StopAbove, "50%"),
		InPlace:          u.Method.ValueString() == roster.InPlace,
		RequireInService: u.RequireInService.ValueBool(),
	}
	for _, cause := range texts(u.Causes) {
		update.Causes = append(update.Causes, roster.Cause(cause))
	}
	return update
}

// roster is what the state remembers, with the zones of nodes that have none for
// now. The values are read one by one: for a large cluster that is much faster
// than by reflection.
func (m attachmentModel) roster(zones map[string]string) roster.Roster {
	r := roster.Roster{Nodes: make(map[string]roster.Node, len(m.Nodes.Elements())), Next: m.NextIndex.ValueInt64(),
		Revisions: map[int64]roster.Template{}, Newest: m.NewestRevision.ValueInt64()}
	for name, element := range m.Nodes.Elements() {
		fields := element.(types.Object).Attributes()
		n := roster.Node{
			Index:    fields["index"].(types.Int64).ValueInt64(),
			Place:    placement.Place{Region: fields["region"].(types.String).ValueString(), Zone: fields["zone"].(types.String).ValueString()},
			Revision: fields["revision"].(types.Int64).ValueInt64(),
		}
		if zone, there := zones[name]; there && n.Zone == "" {
			n.Zone, n.Unplaced = zone, true
		}
		r.Nodes[name] = n
	}
	for number, element := range m.Revisions.Elements() {
		template := roster.Template{}
		for name, v := range element.(types.Map).Elements() {
			template[name] = v.(types.String).ValueString()
		}
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			r.Revisions[n] = template
		}
	}
	return r
}

// remember puts a roster into the state, and the spread that it comes to.
func (m *attachmentModel) remember(ctx context.Context, r roster.Roster, regions []placement.Region, diags *diag.Diagnostics) {
	nodes := make(map[string]attr.Value, len(r.Nodes))
	for name, n := range r.Nodes {
		zone := value.TextOrNull(n.Zone)
		if n.Unplaced {
			zone = types.StringNull()
		}
		nodes[name] = types.ObjectValueMust(rosterNodeType.AttrTypes, map[string]attr.Value{
			"index": types.Int64Value(n.Index), "region": types.StringValue(n.Region), "zone": zone, "revision": types.Int64Value(n.Revision)})
	}
	m.Nodes = types.MapValueMust(rosterNodeType, nodes)
	m.NextIndex, m.NewestRevision = types.Int64Value(r.Next), types.Int64Value(r.Newest)
	revisions := make(map[string]map[string]string, len(r.Revisions))
	for number, template := range r.Revisions {
		revisions[strconv.FormatInt(number, 10)] = template
	}
	var more diag.Diagnostics
	m.Revisions, more = types.MapValueFrom(ctx, templateType, revisions)
	diags.Append(more...)
	m.Distribution, more = types.MapValueFrom(ctx, zoneCountsType, distribution(r, regions))
	diags.Append(more...)
	m.Summary = types.StringValue(spreadTable(r, regions))
}

// distribution counts the nodes by region and zone, with 0 for a listed place
// that has none.
func distribution(r roster.Roster, listed []placement.Region) map[string]map[string]int64 {
	nodes := r.Counts()
	for _, region := range listed {
		for _, zone := range region.Zones {
			nodes[placement.Place{Region: region.Name, Zone: zone.Name}] += 0
		}
	}
	counts := byZone(nodes)
	for _, region := range listed {
		if counts[region.Name] == nil {
			counts[region.Name] = map[string]int64{}
		}
	}
	return counts
}

// byZone is how Terraform sees the nodes of places: by region, and in it by zone.
func byZone(nodes placement.Counts) map[string]map[string]int64 {
	counts := map[string]map[string]int64{}
	for at, n := range nodes {
		if counts[at.Region] == nil {
			counts[at.Region] = map[string]int64{}
		}
		counts[at.Region][at.Zone] = max(n, -n)
	}
	return counts
}
