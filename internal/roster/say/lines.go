package say

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/cause"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// maxLines is the maximum number of reasons in a list. It keeps the plans of large clusters as short as others.
const maxLines = 10

// ChangedByReason says how the plan changes the nodes that are there, by reason: "web-1 to web-3 leave: replaced
// (TEMPLATE): ...".
func (c Change) ChangedByReason() []string {
	verbs := map[verdict.Outcome][2]string{
		verdict.Leaves: {"leaves", "leave"}, verdict.Changes: {"changes", "change"},
		verdict.Returns: {"comes back", "come back"},
	}
	return byReason(c.With(verdict.Leaves, verdict.Changes, verdict.Returns), func(list verdict.List) string {
		return names(list) + " " + verbs[list[0].Outcome][min(len(list), 2)-1]
	})
}

// HeldByReason says what holds nodes that should be replaced, by reason: "web-4 to web-36: TEMPLATE: ...; wiring: ...".
// A node whose turn comes with a later batch is not held by anything.
func (c Change) HeldByReason() []string {
	return byReason(c.Blocked.Filter(func(v *verdict.Verdict) bool { return v.Hold != hold.Batch }), names)
}

// byReason joins the nodes of each reason, in the order of outcomes, holds, causes and indices.
func byReason(list verdict.List, about func(verdict.List) string) (lines []string) {
	outcomes := []verdict.Outcome{verdict.Leaves, verdict.Changes, verdict.Returns, verdict.Held}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *verdict.Verdict) int {
		return cmp.Or(
			cmp.Compare(slices.Index(outcomes, a.Outcome), slices.Index(outcomes, b.Outcome)),
			cmp.Compare(slices.Index(hold.All, a.Hold), slices.Index(hold.All, b.Hold)),
			cmp.Compare(slices.Index(cause.All, a.Row()), slices.Index(cause.All, b.Row())),
		)
	})
	type key struct {
		outcome verdict.Outcome
		reason  string
	}
	groups, keys := map[key]verdict.List{}, []key(nil)
	for _, v := range list {
		k := key{v.Outcome, v.Reason}
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], v)
	}
	left := len(list)
	for _, k := range keys {
		group := groups[k]
		if len(lines) == maxLines {
			return append(lines, text.Nodes(int64(left))+" for other reasons")
		}
		left -= len(group)
		lines = append(lines, strings.TrimSuffix(about(group)+": "+k.reason, ": "))
	}
	return lines
}

// names names nodes, and runs of three and more by the first and the last: "web-1 to web-36, web-40".
func names(list verdict.List) string {
	var said []string
	for i := 0; i < len(list); {
		end := i + 1
		for end < len(list) && follows(list[end-1], list[end]) {
			end++
		}
		if end-i > 2 {
			said = append(said, fmt.Sprintf("%s to %s", list[i].Name, list[end-1].Name))
		} else {
			said = append(said, list[i:end].Names()...)
		}
		i = end
	}
	return text.Few(said)
}

var digits = regexp.MustCompile("[0-9]+")

// follows reports whether a node has the index after another one's, and a name of the same form.
func follows(a, b *verdict.Verdict) bool {
	return b.Index == a.Index+1 && digits.ReplaceAllString(a.Name, "") == digits.ReplaceAllString(b.Name, "")
}
