package say

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// status returns the status of a cluster in one line of at most [status.Limit] characters. It begins with a word for
// machines.
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
	s := p.Status()
	says := string(s.Word)
	if s.Word == status.Shut {
		says += " until " + s.Opens
	}
	switch target := int64(len(p.Verdicts.Held(hold.Target))); {
	case s.Word != status.InStep:
		return says + ": " + p.about(s, most)
	case target > 0:
		return fmt.Sprintf("%s, as target says: %s of another template", says, text.Nodes(target))
	}
	return says
}

// about returns what a status says after its word.
func (p *speech) about(s verdict.Status, most int) string {
	switch {
	case len(p.Failure.Failures) > 0:
		return p.failed()
	case s.Hold != nil:
		return p.fill(s.Hold.Status, s.Nodes[:min(len(s.Nodes), most)]...) + more(len(s.Nodes)-most)
	case s.Word == status.Waits:
		return strings.Join(absences(s.Waits[:min(len(s.Waits), most)]), ", ") + more(len(s.Waits)-most)
	case s.Word == status.Held && p.Short > 0:
		return fmt.Sprintf("Nova found no host for %d of %s", p.Short, text.Nodes(p.Policy.Capacity))
	case s.Word == status.Held:
		var loose []string // regions whose servers do not follow their nodes, each with the missing line
		for _, region := range slices.Sorted(maps.Keys(p.Policy.Loose)) {
			loose = append(loose, fmt.Sprintf("%s of %s", p.Policy.Loose[region], region))
		}
		return "wiring: " + text.Few(loose)
	case s.Left > 0:
		return fmt.Sprintf("%d of %s to replace", s.Left, text.Nodes(p.Policy.Capacity))
	}
	return text.Nodes(p.Uncaused()) + " of another template, and no cause replaces them"
}

// absences lists absent nodes, each with its reason.
func absences(list []verdict.Absence) (texts []string) {
	for _, a := range list {
		texts = append(texts, fmt.Sprintf("%s (%s)", a.Name, absence(a)))
	}
	return texts
}

// more counts what a list leaves out, if anything.
func more(left int) string {
	if left <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", left)
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
