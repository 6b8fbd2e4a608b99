package roster

import (
	"fmt"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// InStep is the status of a cluster that is what its policy says.
const InStep = "in step"

// Status is what a cluster does, in one line that begins with what a machine needs to
// know: "in step", "batch 2 of 5", "behind", "waits", "bakes", "held" or "reverted". The
// batch is the number of the one that the change takes; 0 for a change that is only looked at.
func (c Change) Status(policy Policy, batch int64) string {
	replaced := c.Replaced()
	switch {
	case c.Reverted != nil:
		return c.Reverted.status()
	case replaced > 0 && batch > 0:
		size := policy.batch()
		last := batch + (c.Remaining+size-1)/size
		return fmt.Sprintf("batch %d of %d: %s", batch, last, c.moves())
	case replaced > 0:
		return fmt.Sprintf("behind: the next plan replaces %d of %s", replaced, text.Nodes(replaced+c.Remaining))
	}
	if holds := c.held(); holds != "" {
		return holds
	}
	switch came := c.Names(Comes); {
	case c.Remaining > 0:
		return fmt.Sprintf("behind: %s to replace", text.Nodes(c.Remaining))
	case c.outdated > 0 && !policy.Update.Has(Outdated):
		return fmt.Sprintf("behind: %s of another template, and no cause replaces them", text.Nodes(c.outdated))
	case len(came) > 0:
		return "waits: not in service yet: " + text.Few(came)
	}
	if n := len(held(c.Verdicts, HeldTarget)); n > 0 {
		return fmt.Sprintf("%s, as target says: %s of another template", InStep, text.Nodes(int64(n)))
	}
	return InStep
}

// held is what holds the next batch, of all holds the one that says the most.
func (c Change) held() string {
	names := func(holds ...Hold) []string { return namesOf(held(c.Verdicts, holds...)) }
	if list := held(c.Verdicts, HeldOutage); len(list) > 0 {
		return "held: " + list[0].why
	}
	if list := names(HeldNoRoom); len(list) > 0 {
		return "held: no room for the substitutes of " + text.Few(list)
	}
	if list := held(c.Verdicts, HeldNoHost); len(list) > 0 {
		return "held: Nova found no host for " + text.Few(located(list))
	}
	if list := names(HeldTwice); len(list) > 0 {
		return "held: " + text.Few(list) + " never served, nor did what they replaced"
	}
	if list := names(HeldFormer); len(list) > 0 {
		return "held: the servers of " + text.Few(list) + " did not follow their nodes"
	}
	if len(c.waits.names) > 0 {
		return "waits: " + text.Few(c.waits.names)
	}
	if len(names(HeldBakes)) > 0 {
		return "bakes: " + text.Few(c.baking) + " must be in service for longer"
	}
	for _, hold := range []Hold{HeldClosed, HeldUnseen} {
		if list := held(c.Verdicts, hold); len(list) > 0 {
			return "held: " + text.Few(withWhy(list))
		}
	}
	if len(c.kept) > 0 {
		return InStep + " except for protected nodes: " + text.Few(c.kept)
	}
	return ""
}

// status says whose template failed, and who goes back.
func (r *Reverted) status() string {
	failed := "the template of " + text.Few(r.Nodes) + " failed"
	switch n := int64(len(r.Back)); {
	case r.Holds:
		return "held: " + failed + ", and none is settled to go back to"
	case n == 1:
		return "reverted: " + failed + ", 1 node goes back"
	case n > 1:
		return fmt.Sprintf("reverted: %s, %s go back", failed, text.Nodes(n))
	}
	return "reverted: " + failed
}

// moves says who goes, changes and comes.
func (c Change) moves() string {
	var parts []string
	say := func(outcome Outcome, one, many string) {
		switch names := c.Names(outcome); len(names) {
		case 0:
		case 1:
			parts = append(parts, names[0]+" "+one)
		default:
			parts = append(parts, text.Few(names)+" "+many)
		}
	}
	say(Leaves, "leaves", "leave")
	say(Changes, "changes", "change")
	say(Returns, "comes back", "come back")
	say(Comes, "comes", "come")
	return strings.Join(parts, "; ")
}
