package deletiontf

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/drain"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// drainModel is the action: a node, and how it waits for its turn.
type drainModel struct {
	nodeModel

	AtOnce      types.Int64  `tfsdk:"at_once"`
	Nodes       types.Map    `tfsdk:"nodes"`
	TurnTimeout types.String `tfsdk:"turn_timeout"`
}

func (m drainModel) Validate(ctx context.Context, diags *diag.Diagnostics) {
	m.nodeModel.Validate(ctx, diags)
	if !m.AtOnce.IsNull() && (m.Cluster.IsNull() || m.Nodes.IsNull()) {
		diags.AddAttributeError(path.Root("at_once"), "Turns of no cluster", "at_once counts the nodes of a cluster: "+
			"give cluster, and nodes = stackpolicy_placement_attachment.NAME.nodes.")
	}
}

// checkMethod refuses turns of servers that are made again: their actions hold places in Terraform's
// queue while the destructions and creations that would end the turns wait for a place.
func (m drainModel) checkMethod(walk *backend.Walk, diags *diag.Diagnostics) {
	walk.Note(backend.Acts, m.Cluster.ValueString(), "")
	if !m.AtOnce.IsNull() {
		walk.Note(backend.Turned, m.Cluster.ValueString(), "")
	}
	method, noted := walk.Noted(backend.Methods, m.Cluster.ValueString())
	if !m.AtOnce.IsNull() && noted && method != roster.InPlace {
		diags.AddAttributeError(path.Root("at_once"), "Turns of servers that are made again", fmt.Sprintf(
			"Cluster %q is updated with method = %q, and at_once needs %q: then Terraform drains, updates and awaits "+
				"a server in one step. Remove at_once. Each apply replaces one batch, and rollout applies until "+
				"nothing is left.", m.Cluster.ValueString(), method, roster.InPlace))
	}
}

// turns returns the turns of the cluster, or nil without at_once.
func (m drainModel) turns(b *backend.Backend) *drain.Turns {
	if m.AtOnce.IsNull() {
		return nil
	}
	return b.Walk().Turns(m.Cluster.ValueString())
}

// begin waits for the turn of the node, and reports whether it has begun.
func (m drainModel) begin(
	ctx context.Context, turns *drain.Turns, b *backend.Backend, tell func(step string), diags *diag.Diagnostics,
) bool {
	err := turns.Begin(ctx, drain.Ask{
		Node: m.label(), Server: m.ServerID.ValueString(), AtOnce: int(m.AtOnce.ValueInt64()),
		Limit: durations.Or(m.TurnTimeout, defaultTurn), Tell: tell,
		Out: func(ctx context.Context) (map[string]string, error) { return m.out(ctx, b, diags) },
	})
	if err != nil {
		diags.AddError("The node gets no turn",
			fmt.Sprintf("%s was not touched: %v. %s", m.message("").Node(), err, adviceOf(err)))
	}
	return err == nil
}

// adviceOf says what to do about a node that gets no turn.
func adviceOf(err error) string {
	switch {
	case value.Is[*drain.StoppedError](err):
		return "Another error says what to do about it. Then apply again."
	case value.Is[*drain.FullError](err):
		return "Apply again: that apply checks them, and marks those that serve. If they do not, change their image " +
			"or go back to the one before, and apply: they are changed first."
	case value.Is[*drain.OverdueError](err):
		return "It ends with the action stackpolicy_ready in after_update, with the same cluster and the same " +
			"provider block. If its update takes longer, raise turn_timeout. Apply again."
	}
	return "Apply again."
}

// out returns the names of the nodes that are not in service, by the ids of their servers.
func (m drainModel) out(ctx context.Context, b *backend.Backend, diags *diag.Diagnostics) (map[string]string, error) {
	query := cluster.Query{NoProfiles: true}
	for name, n := range m.Nodes.Elements() {
		query.Names = append(query.Names, name)
		query.Regions = append(query.Regions, n.(types.Object).Attributes()["region"].(types.String).ValueString())
	}
	slices.Sort(query.Names)
	servers, err := cluster.Read(ctx, b.Get(ctx, diags), query)
	out := map[string]string{}
	for _, s := range servers {
		if s.Drained || s.InService == "" || s.Status != "ACTIVE" {
			out[s.ID] = s.Name
		}
	}
	return out, err
}
