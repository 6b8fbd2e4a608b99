package deletion

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/request"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
)

type planModel struct {
	Nodes                 types.List   `tfsdk:"nodes"`
	ScaleIn               types.Object `tfsdk:"scale_in"`
	Resize                types.Object `tfsdk:"resize"`
	DeleteNodes           types.Object `tfsdk:"delete_nodes"`
	Decision              types.Object `tfsdk:"decision"`
	Criteria              types.String `tfsdk:"criteria"`
	DestroyAfterDeletion  types.Bool   `tfsdk:"destroy_after_deletion"`
	GracePeriod           types.Int64  `tfsdk:"grace_period"`
	ReduceDesiredCapacity types.Bool   `tfsdk:"reduce_desired_capacity"`
	Protected             types.List   `tfsdk:"protected"`
	Seed                  types.String `tfsdk:"seed"`
	Status                types.String `tfsdk:"status"`
	Reason                types.String `tfsdk:"reason"`
	Deletion              types.Object `tfsdk:"deletion"`
	Survivors             types.List   `tfsdk:"survivors"`
}

// nodes translates the nodes, with what is protected by name or id.
func (m planModel) nodes(ctx context.Context, diags *diag.Diagnostics) []node.Node {
	var protected []string
	diags.Append(m.Protected.ElementsAs(ctx, &protected, false)...)
	list := nodes.Read(m.Nodes, diags)
	for i, n := range list {
		list[i].Protected = n.Protected || slices.Contains(protected, n.ID) || slices.Contains(protected, n.Name)
	}
	return list
}

// deletionRequest is what is asked: candidates, or a number of nodes.
type deletionRequest struct {
	candidates []string
	change     cluster.Request // counts nodes where there are no groups
	choice     deletion.Request
}

func (m planModel) request(ctx context.Context, diags *diag.Diagnostics) deletionRequest {
	var r deletionRequest
	r.choice.Criteria = deletion.Criteria(m.Criteria.ValueString())
	r.choice.Seed = m.Seed.ValueString()
	r.change.ScaleIn = request.ReadCount(ctx, m.ScaleIn, diags)
	if resize := value.Object[request.Resize](ctx, m.Resize, diags); resize != nil {
		value := resize.Read()
		r.change.Resize = &value
	}
	given := 0
	for _, o := range []types.Object{m.ScaleIn, m.Resize, m.DeleteNodes} {
		if !o.IsNull() {
			given++
		}
	}
	switch {
	case given > 1:
		diags.AddError("Invalid request", "More than one of scale_in, resize and delete_nodes is asked at once: ask one.")
		return r
	case given == 0 && m.Decision.IsNull():
		diags.AddError("Invalid request", "Nothing is asked of the cluster: give one of scale_in, resize and delete_nodes, or another policy's decision.")
		return r
	}
	if m.DeleteNodes.IsNull() {
		m.readDecision(ctx, &r, diags)
		if !diags.HasError() {
			request.Report(r.change.Check(), diags)
		}
		return r
	}
	named := value.Object[struct {
		Candidates types.List `tfsdk:"candidates"`
	}](ctx, m.DeleteNodes, diags)
	r.candidates = []string{}
	diags.Append(named.Candidates.ElementsAs(ctx, &r.candidates, false)...)
	return r
}

func (m planModel) readDecision(ctx context.Context, r *deletionRequest, diags *diag.Diagnostics) {
	decision := value.Object[struct {
		Deletion types.Object `tfsdk:"deletion"`
	}](ctx, m.Decision, diags)
	if decision == nil {
		return
	}
	r.change.Decision = &cluster.Decision{}
	decided := value.Object[struct {
		Count   types.Int64 `tfsdk:"count"`
		Regions types.Map   `tfsdk:"regions"`
		Zones   types.Map   `tfsdk:"zones"`
	}](ctx, decision.Deletion, diags)
	if decided == nil {
		return
	}
	at := path.Root("decision").AtName("deletion")
	count := int64(1)
	switch {
	case !decided.Regions.IsNull() && !decided.Zones.IsNull():
		diags.AddAttributeError(at, "Invalid request", "A decision names numbers by region or by zone, not both.")
	case !decided.Regions.IsNull():
		diags.Append(decided.Regions.ElementsAs(ctx, &r.choice.Groups, false)...)
		r.choice.GroupBy = func(n node.Node) string { return n.Region }
	case !decided.Zones.IsNull():
		diags.Append(decided.Zones.ElementsAs(ctx, &r.choice.Groups, false)...)
		r.choice.GroupBy = func(n node.Node) string { return n.Zone }
	}
	if r.choice.Groups != nil {
		count = 0
		for _, n := range r.choice.Groups {
			count += n
		}
		if !decided.Count.IsNull() && decided.Count.ValueInt64() != count {
			diags.AddAttributeError(at.AtName("count"), "Invalid request",
				fmt.Sprintf("The decision is to remove %d nodes, and those that it names by region or zone are %d.", decided.Count.ValueInt64(), count))
		}
	} else if !decided.Count.IsNull() {
		count = decided.Count.ValueInt64()
	}
	r.change.Decision.Deletion = &count
}

// choose returns the nodes that go, and false after an error.
func (r deletionRequest) choose(nodes []node.Node, diags *diag.Diagnostics) ([]node.Node, bool) {
	if r.candidates != nil {
		return named(nodes, r.candidates, diags)
	}
	size := int64(len(nodes))
	change, err := r.change.Change(size)
	if err != nil {
		request.Report(err, diags)
		return nil, false
	}
	r.choice.Count = -change
	if change >= 0 {
		return nil, true // the cluster does not shrink
	}
	if r.choice.Count > size && r.choice.Groups == nil {
		diags.AddWarning("Fewer nodes than are to go", fmt.Sprintf("%s are to be removed, and the cluster has %d: all of them go.", text.Nodes(r.choice.Count), size))
	}
	chosen, err := deletion.Choose(nodes, r.choice)
	_, tooFew := errors.AsType[*deletion.ProtectedError](err)
	switch {
	case tooFew:
		diags.AddError("Too few nodes may go", err.Error()+". Remove fewer nodes, or protect fewer.")
	case err != nil:
		diags.AddError("Unable to choose nodes", err.Error()+".")
	}
	return chosen, err == nil
}

// named looks candidates up by id, or by name.
func named(nodes []node.Node, candidates []string, diags *diag.Diagnostics) ([]node.Node, bool) {
	var chosen []node.Node
	at := path.Root("delete_nodes").AtName("candidates")
	for i, candidate := range candidates {
		j := slices.IndexFunc(nodes, func(n node.Node) bool { return n.ID == candidate })
		if j < 0 {
			j = slices.IndexFunc(nodes, func(n node.Node) bool { return n.Name == candidate })
		}
		switch {
		case j < 0:
			diags.AddAttributeError(at.AtListIndex(i), "Unknown candidate", fmt.Sprintf("None of the %d nodes has the id or name %q.", len(nodes), candidate))
			continue
		case slices.ContainsFunc(chosen, func(n node.Node) bool { return n.ID == nodes[j].ID }):
			diags.AddAttributeError(at.AtListIndex(i), "Candidate given twice", fmt.Sprintf("The node %q is named more than once.", candidate))
		case nodes[j].Protected:
			diags.AddAttributeWarning(at.AtListIndex(i), "Protected candidate", fmt.Sprintf("The node %q is protected, and is to go all the same, for it is named.", candidate))
		}
		chosen = append(chosen, nodes[j])
	}
	return chosen, !diags.HasError()
}

func (m *planModel) fill(ctx context.Context, nodes, chosen []node.Node, diags *diag.Diagnostics) {
	candidates, survivors, goes := []string{}, []string{}, map[string]bool{}
	for _, n := range chosen {
		candidates, goes[n.ID] = append(candidates, n.ID), true
	}
	for _, n := range nodes {
		if !goes[n.ID] {
			survivors = append(survivors, n.ID)
		}
	}
	deletionType := planSchema().Attributes["deletion"].GetType().(types.ObjectType)
	m.Status, m.Reason, m.Deletion = types.StringValue("OK"), types.StringValue("Nothing to delete."), types.ObjectNull(deletionType.AttrTypes)
	if len(candidates) > 0 {
		list, more := types.ListValueFrom(ctx, types.StringType, candidates)
		diags.Append(more...)
		m.Reason = types.StringValue("Candidates generated")
		m.Deletion = types.ObjectValueMust(deletionType.AttrTypes, map[string]attr.Value{
			"count":                   types.Int64Value(int64(len(candidates))),
			"candidates":              list,
			"destroy_after_deletion":  types.BoolValue(m.DestroyAfterDeletion.IsNull() || m.DestroyAfterDeletion.ValueBool()),
			"grace_period":            types.Int64Value(m.GracePeriod.ValueInt64()),
			"reduce_desired_capacity": types.BoolValue(m.ReduceDesiredCapacity.IsNull() || m.ReduceDesiredCapacity.ValueBool()),
		})
	}
	var more diag.Diagnostics
	m.Survivors, more = types.ListValueFrom(ctx, types.StringType, survivors)
	diags.Append(more...)
}
