package placementtf

import (
	"cmp"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// maxTold is the maximum number of nodes with a text in the state. It keeps plans of large clusters readable.
const maxTold = 100

// others counts the nodes without a text. No node has this name, because each name has an index.
const others = "others"

// record puts a change into the state; batch is the number of its batch. Maps of texts keep a plan short: it shows what
// the last plan did as one line for each node, and this one too. Nodes that come are in moves, with their places.
func (m *attachmentModel) record(change planner.Change, batch int64) {
	moved := change.With(verdict.Leaves, verdict.Changes, verdict.Returns)
	m.Change = told(moved, func(v *verdict.Verdict) string {
		return fmt.Sprintf("%s: %s", v.Outcome, cmp.Or(v.Reason, fmt.Sprint(v.Place)))
	})
	m.Moves = value.TextOrNull(change.Moves(batch))
	m.hold(change)
}

// hold replaces the held nodes. The apply of a plan that leaves the cluster in step ends their holds.
func (m *attachmentModel) hold(change planner.Change) {
	if m.inStep() {
		change.Blocked = nil
	}
	m.Held = told(change.Blocked, func(v *verdict.Verdict) string { return v.Reason })
}

// told returns a text about each of the first nodes, by name.
func told(list verdict.List, about func(*verdict.Verdict) string) types.String {
	texts := map[string]string{}
	for i, v := range list {
		if i == maxTold {
			texts[others] = text.Nodes(int64(len(list) - maxTold))
			break
		}
		texts[v.Name] = about(v)
	}
	return packed.Map(texts)
}
