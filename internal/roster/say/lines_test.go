package say

import (
	"fmt"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/cause"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stretchr/testify/assert"
)

// TestByReason: the lines are as many for a large cluster as for a small one, in the order of outcomes, holds and causes. Nodes of
// one reason are named by runs, and there are no more than ten reasons.
func TestByReason(t *testing.T) {
	of := func(outcome verdict.Outcome, h *hold.Hold, c roster.Cause, why string, indices ...int) (list verdict.List) {
		for _, i := range indices {
			fact := &facts.Fact{Name: fmt.Sprintf("web-%d", i), Node: roster.Node{Index: int64(i)}}
			list = append(list, &verdict.Verdict{Want: verdict.Want{Fact: fact, Cause: c}, Outcome: outcome, Refusal: verdict.Refusal{Hold: h}, Reason: why})
		}
		return list
	}
	to := func(first, last int) (indices []int) {
		for i := first; i <= last; i++ {
			indices = append(indices, i)
		}
		return indices
	}
	for last, want := range map[int]string{6: "web-4 to web-6: old", 40: "web-4 to web-40: old", 9999: "web-4 to web-9999: old"} {
		c := Change{List: append(of(verdict.Returns, nil, "", "", 3), of(verdict.Leaves, nil, "", "replaced", 0, 2)...)}
		c.Blocked = append(of(verdict.Held, hold.Batch, roster.Outdated, "next", 9), of(verdict.Held, hold.Waits, roster.Outdated, "old", to(4, last)...)...)
		c.Blocked = append(c.Blocked, of(verdict.Held, hold.Closed, roster.Outdated, "closed", 1)...)
		assert.Equal(t, []string{"web-0, web-2 leave: replaced", "web-3 comes back"}, c.ChangedByReason())
		assert.Equal(t, []string{"web-1: closed", want}, c.HeldByReason())
	}
	causes := append(of(verdict.Held, hold.Waits, roster.Outdated, "old", 1, 2, 5, 7, 9, 11, 13), of(verdict.Held, hold.Waits, roster.Unhealthy, "ill", 3)...)
	assert.Equal(t, []string{"web-3: ill", "web-1, web-2, web-5, web-7, web-9 and 2 more: old"}, Change{Blocked: causes}.HeldByReason())
	var many verdict.List
	for i := range 30 {
		many = append(many, of(verdict.Held, hold.Waits, roster.Outdated, fmt.Sprint("reason ", i/2), i)...)
	}
	lines := Change{Blocked: many}.HeldByReason()
	assert.Len(t, lines, maxLines+1)
	assert.Equal(t, "10 nodes for other reasons", lines[maxLines])
}

// TestWords: each word in braces of a reason has a value.
func TestWords(t *testing.T) {
	for _, c := range cause.All {
		for _, word := range brace.FindAllString(c.Reason, -1) {
			assert.Contains(t, words, word[1:len(word)-1], c.Name)
		}
	}
}
