package say

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// inStep is the status of a cluster that is as its policy says.
const inStep = string(status.InStep)

// status returns the status of a cluster in one line of at most [status.Limit] characters. It begins with a word for
// machines: see [status.Word].
func (p *speech) status() string {
	if says := p.stated(5); utf8.RuneCountInString(says) <= status.Limit {
		return says
	}
	says := []rune(p.stated(1))
	if len(says) > status.Limit {
		says = append(says[:status.Limit-3], []rune("...")...)
	}
	return string(says)
}

// stated returns the status with lists of at most so many names.
func (p *speech) stated(most int) string {
	remaining := p.Remaining + p.Verdicts.Replaced()
	protected := p.Verdicts.Held(hold.Protected).Names()
	waits := p.absentees.texts(func(a absentee) bool { return !slices.Contains(protected, a.name) })
	behind := fmt.Sprintf("behind: %d of %s to replace", remaining, text.Nodes(p.Policy.Capacity))
	switch {
	case len(p.Failure.Failures) > 0:
		return p.revertedStatus()
	case p.Verdicts.Replaced() > 0:
		return behind
	}
	held, quiet := p.heldStatus(false, most), p.heldStatus(true, most)
	switch {
	case held != "":
		return held
	case p.Short > 0:
		return fmt.Sprintf("held: Nova found no host for %d of %s", p.Short, text.Nodes(p.Policy.Capacity))
	case len(waits) > 0:
		return "waits: " + strings.Join(waits[:min(len(waits), most)], ", ") + more(len(waits)-most)
	case quiet != "":
		return quiet
	case remaining > 0:
		return behind
	}
	return p.inStep()
}

// more counts what a list leaves out, if anything.
func more(left int) string {
	if left <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", left)
}

// inStep returns the status of a cluster without a hold, in which no node remains to be replaced.
func (p *speech) inStep() string {
	var plain int64
	for _, n := range p.Next.Nodes {
		if n.Template != p.Policy.Templates.At(n.Place) && !p.Policy.Update.Has(roster.Outdated) {
			plain++
		}
	}
	target := int64(len(p.Verdicts.Held(hold.Target)))
	switch {
	case len(p.Policy.Loose) > 0:
		return "held: wiring: " + text.Few(p.loose())
	case plain > 0:
		return fmt.Sprintf("behind: %s of another template, and no cause replaces them", text.Nodes(plain))
	case target > 0:
		return fmt.Sprintf("%s, as target says: %s of another template", inStep, text.Nodes(target))
	}
	return inStep
}

// loose lists the regions whose servers do not follow their nodes, each with the missing line.
func (p *speech) loose() (list []string) {
	for _, region := range slices.Sorted(maps.Keys(p.Policy.Loose)) {
		list = append(list, fmt.Sprintf("%s of %s", p.Policy.Loose[region], region))
	}
	return list
}

// heldStatus returns the status of the first hold that is quiet or not, with at most so many nodes.
func (p *speech) heldStatus(quiet bool, most int) (says string) {
	for _, h := range hold.All {
		list := p.Verdicts.Held(h)
		if h == hold.Protected && len(p.kept()) == 0 { // the update reaches its target without them
			list = slices.DeleteFunc(list, func(v verdict.Verdict) bool { return v.Cause == roster.Outdated })
		}
		if h.Quiet == quiet && h.Status != "" && len(list) > 0 && says == "" {
			says = p.fill(h.Status, list[:min(len(list), most)]...) + more(len(list)-most)
		}
	}
	return says
}

// Moves returns the change in one line: "batch 2 of 5: web-1 leaves; web-8 comes". Number is the
// number of the batch, or 0 if the plan replaces no batch.
func (c Change) Moves(number int64) string {
	var parts []string
	say := func(outcome verdict.Outcome, one, many string) {
		switch names := c.With(outcome).Names(); len(names) {
		case 0:
		case 1:
			parts = append(parts, names[0]+" "+one)
		default:
			parts = append(parts, text.Few(names)+" "+many)
		}
	}
	say(verdict.Leaves, "leaves", "leave")
	say(verdict.Changes, "changes", "change")
	say(verdict.Returns, "comes back", "come back")
	say(verdict.Comes, "comes", "come")
	moves := strings.Join(parts, "; ")
	if number > 0 && c.Replaced() > 0 {
		return fmt.Sprintf("batch %d of %d: %s", number, number+(c.Remaining+c.batch-1)/c.batch, moves)
	}
	return moves
}
