package deletiontf

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/request"
)

type planModel struct {
	Nodes                 types.List    `tfsdk:"nodes"`
	ScaleIn               types.Object  `tfsdk:"scale_in"`
	Resize                types.Object  `tfsdk:"resize"`
	DeleteNodes           types.Object  `tfsdk:"delete_nodes"`
	Decision              types.Dynamic `tfsdk:"decision"`
	Criteria              types.String  `tfsdk:"criteria"`
	DestroyAfterDeletion  types.Bool    `tfsdk:"destroy_after_deletion"`
	GracePeriod           types.String  `tfsdk:"grace_period"`
	ReduceDesiredCapacity types.Bool    `tfsdk:"reduce_desired_capacity"`
	Protected             types.List    `tfsdk:"protected"`
	Seed                  types.String  `tfsdk:"seed"`
	Status                types.String  `tfsdk:"status"`
	Reason                types.String  `tfsdk:"reason"`
	Deletion              types.Object  `tfsdk:"deletion"`
	Survivors             types.List    `tfsdk:"survivors"`
}

// nodes translates the nodes, and marks as protected the nodes that protected names.
func (m planModel) nodes(diags *diag.Diagnostics) []node.Node {
	protected := value.Texts(m.Protected)
	list := nodes.Read(m.Nodes, diags)
	for i, n := range list {
		list[i].Protected = n.Protected || slices.Contains(protected, n.ID) || slices.Contains(protected, n.Name)
	}
	return list
}

func (m planModel) Validate(ctx context.Context, diags *diag.Diagnostics) {
	if value.Known(ctx, m.ScaleIn, m.Resize, m.DeleteNodes, m.Decision) {
		m.request(ctx, diags)
	}
}

// request translates the request, and checks it.
func (m planModel) request(ctx context.Context, diags *diag.Diagnostics) request.Removal {
	asked := request.Removal{
		ScaleIn:  requesttf.ReadCount(m.ScaleIn),
		Resize:   requesttf.ReadResize(ctx, m.Resize, diags),
		Decision: requesttf.ReadDecision(m.Decision, diags),
	}
	if candidates, given := m.DeleteNodes.Attributes()["candidates"].(types.List); given {
		// Never nil: a validator reports a block without candidates, or with a null one.
		asked.Candidates = append([]string{}, value.Texts(candidates)...)
	}
	if !diags.HasError() {
		requesttf.Report(asked.Check(), diags)
	}
	return asked
}

func (m *planModel) fill(members, chosen []node.Node, decided request.Terms) {
	var candidates, names, survivors []string
	for _, n := range chosen {
		candidates = append(candidates, n.ID)
		names = append(names, cmp.Or(n.Name, n.ID))
	}
	for _, n := range without(members, chosen) {
		survivors = append(survivors, n.ID)
	}
	deletionType := planSchema().Attributes["deletion"].GetType().(types.ObjectType)
	m.Status = types.StringValue("OK")
	m.Reason = types.StringValue("Nothing to delete.")
	m.Deletion = types.ObjectNull(deletionType.AttrTypes)
	if len(candidates) > 0 {
		terms := request.Terms{
			DestroyAfterDeletion:  m.DestroyAfterDeletion.ValueBoolPointer(),
			ReduceDesiredCapacity: m.ReduceDesiredCapacity.ValueBoolPointer(),
		}
		if !m.GracePeriod.IsNull() {
			terms.GracePeriod = new(int64(durations.Or(m.GracePeriod, 0) / time.Second))
		}
		terms = terms.Or(decided).Or(request.DefaultTerms())
		m.Reason = types.StringValue("Candidates generated")
		m.Deletion = types.ObjectValueMust(deletionType.AttrTypes, map[string]attr.Value{
			"count":                   types.Int64Value(int64(len(candidates))),
			"candidates":              value.List(candidates),
			"names":                   value.List(names),
			"destroy_after_deletion":  types.BoolValue(*terms.DestroyAfterDeletion),
			"grace_period":            types.Int64Value(*terms.GracePeriod),
			"reduce_desired_capacity": types.BoolValue(*terms.ReduceDesiredCapacity),
		})
	}
	m.Survivors = value.List(survivors)
}
