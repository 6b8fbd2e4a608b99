package deletiontf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
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
