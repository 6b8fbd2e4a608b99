package deletiontf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/request"
)

// NewPlan returns stackpolicy_deletion_plan, the deletion policy.
func NewPlan() datasource.DataSource {
	return &backend.DataSource[planModel]{Name: "deletion_plan", Fields: planSchema, Fill: fillPlan}
}

// fillPlan needs no cloud.
func fillPlan(ctx context.Context, _ *backend.Backend, model *planModel, diags *diag.Diagnostics) {
	members := model.nodes(diags)
	asked := model.request(ctx, diags)
	if diags.HasError() {
		return
	}
	chosen := model.choose(members, asked, diags)
	if model.checkProtected(members, chosen, diags); !diags.HasError() {
		model.fill(members, chosen, asked.Terms())
	}
}

func planSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Chooses the nodes to remove from a cluster, as Senlin's deletion policy promised. It " +
			"needs no cloud. First it takes unhealthy nodes (`ERROR`, `UNKNOWN`, or tainted) in the order of " +
			"`nodes`, then nodes that are not created yet, then all others, both by `criteria`. Protected nodes are " +
			"never chosen. " + requesttf.NotForetold,
		Attributes: map[string]schema.Attribute{
			"nodes": nodes.Argument("Each needs an `id`; the request decides which other attributes count."),
			"decision": requesttf.DecisionArgument("`deletion`",
				"The plan removes its `candidates`, and others up to each count."),
			"criteria": attribute.Text("Which healthy nodes are taken first: `RANDOM` (the default, by `seed`), "+
				"`OLDEST_FIRST`, `YOUNGEST_FIRST`, `OLDEST_PROFILE_FIRST` or `HIGHEST_INDEX_FIRST`.",
				stringvalidator.OneOf(deletion.AllCriteria()...)),
			"destroy_after_deletion": attribute.Flag("Passed on. Defaults to the value in the decision, or `true`."),
			"grace_period": durations.Argument(0, duration.Longest, "Passed on. Defaults to the value in the "+
				"decision, or `0s`."),
			"reduce_desired_capacity": attribute.Flag("Passed on. Defaults to the value in the decision, or `true`."),
			"protected": attribute.Texts("Ids or names of nodes that are not chosen, in addition to nodes whose "+
				"`protected` is true. Region plans and zone plans know only that attribute.",
				listvalidator.NoNullValues()),
			"seed":   attribute.Text("Seed of `RANDOM`. Defaults to the ids of all nodes."),
			"status": attribute.ComputedText("`OK`: a choice that cannot be made is an error."),
			"reason": attribute.ComputedText("The result of the request, in a sentence."),
			"deletion": attribute.ComputedObject("The nodes to remove, and how; null if there are none.",
				attribute.Fields{
					"count":      attribute.ComputedNumber("Number of nodes."),
					"candidates": attribute.ComputedTexts("Ids of the nodes, in the order in which they are removed."),
					"names": attribute.ComputedTexts("Names of the nodes, which fit into `deletion.candidates` of a " +
						"placement attachment."),
					"destroy_after_deletion":  attribute.ComputedFlag("As given."),
					"grace_period":            attribute.ComputedNumber("As given, in seconds."),
					"reduce_desired_capacity": attribute.ComputedFlag("As given."),
				}),
			"survivors": attribute.ComputedTexts("Ids of the nodes that stay, in the order of `nodes`."),
		},
		Blocks: map[string]schema.Block{
			"scale_in": requesttf.ScaleInBlock(),
			"resize":   requesttf.ResizeBlock(),
			"delete_nodes": attribute.Block("Remove these nodes (CLUSTER_DEL_NODES).", attribute.Fields{
				"candidates": attribute.Texts("Required. Ids or names of the nodes to remove.",
					listvalidator.NoNullValues()),
			}, "candidates"),
		},
	}
}

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

// choose returns the nodes to remove.
func (m planModel) choose(members []node.Node, asked request.Removal, diags *diag.Diagnostics) []node.Node {
	if asked.Candidates != nil {
		return named(members, asked.Candidates, diags)
	}
	wanted, err := asked.Wanted(members)
	if err != nil {
		requesttf.Report(err, diags)
		return nil
	}
	requesttf.WarnOfCut(wanted.Cut, int64(len(members)), diags)
	warnOfProtected(wanted.Named, path.Root("decision"), diags)
	others, err := deletion.Choose(without(members, wanted.Named), deletion.Request{
		Count:    wanted.Count,
		Groups:   wanted.Groups,
		GroupBy:  wanted.GroupBy,
		Criteria: deletion.Criteria(m.Criteria.ValueString()),
		Seed:     m.Seed.ValueString(),
	})
	_, tooFew := errors.AsType[*deletion.ProtectedError](err)
	switch {
	case tooFew:
		diags.AddError("Too few nodes can be removed", err.Error()+". Remove fewer nodes, or protect fewer.")
	case err != nil:
		diags.AddError("Unable to choose nodes", err.Error()+".")
	}
	return append(wanted.Named, others...)
}

// checkProtected warns of protected names and ids that no node has, and refuses the
// removal of a node that such a name seems to mean.
func (m planModel) checkProtected(members, chosen []node.Node, diags *diag.Diagnostics) {
	for i, written := range value.Texts(m.Protected) {
		at := path.Root("protected").AtListIndex(i)
		means := slices.IndexFunc(chosen, func(n node.Node) bool {
			return deletion.Misspelled(written, n.Name) || deletion.Misspelled(written, n.ID)
		})
		switch {
		case slices.ContainsFunc(members, func(n node.Node) bool { return written == n.ID || written == n.Name }):
		case means >= 0:
			diags.AddAttributeError(at, "A protected node is not there", fmt.Sprintf(
				"No node has the id or name %q, and %q would be removed. Correct the name, or remove it from the list.",
				written, cmp.Or(chosen[means].Name, chosen[means].ID)))
		default:
			diags.AddAttributeWarning(at, "A protected node is not there", fmt.Sprintf(
				"No node has the id or name %q. Correct it, or remove it from the list.", written))
		}
	}
}

// without returns the members that are not in some.
func without(members, some []node.Node) []node.Node {
	gone := map[string]bool{}
	for _, n := range some {
		gone[n.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(members), func(n node.Node) bool { return gone[n.ID] })
}

// named looks up candidates by id or name.
func named(members []node.Node, candidates []string, diags *diag.Diagnostics) []node.Node {
	at := path.Root("delete_nodes").AtName("candidates")
	chosen, faults := request.Named(members, candidates)
	for _, f := range faults {
		diags.AddAttributeError(at.AtListIndex(f.Index), "Invalid candidate", f.Fault)
	}
	warnOfProtected(chosen, at, diags)
	return chosen
}

// warnOfProtected warns of protected nodes that an argument names.
func warnOfProtected(chosen []node.Node, at path.Path, diags *diag.Diagnostics) {
	for _, n := range chosen {
		if n.Protected {
			diags.AddAttributeWarning(at, "Protected candidate", fmt.Sprintf(
				"The node %q is protected. It is removed anyway, because it is named.", n.ID))
		}
	}
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
