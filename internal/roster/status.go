package roster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// InStep is the status of a cluster that is what its policy says.
const InStep = "in step"

// Status is what a cluster is, in one line that begins with what a machine needs to know: "in
// step", "behind", "waits", "bakes", "held" or "reverted". Applied says that the change is
// applied: then it is what the cluster is once that has ended well; else what it is now.
func (c Change) Status(policy Policy, applied bool) string {
	remaining, waits := c.Remaining, c.absent(applied)
	if !applied {
		remaining += c.Replaced()
	}
	behind := fmt.Sprintf("behind: %d of %s to replace", remaining, text.Nodes(c.size))
	switch {
	case c.Reverted != nil:
		return c.Reverted.status(applied)
	case applied && c.Remaining > 0 && policy.Update.Pause > 0 && len(c.made()) > 0:
		return "bakes: " + text.Few(c.made()) + " must be in service for longer"
	case c.goesOn(applied, len(waits) > 0):
		return behind
	}
	for _, quiet := range []bool{false, true} {
		for _, row := range holds {
			if list := held(c.Verdicts, row.Hold); len(list) > 0 && row.quiet == quiet && said[row.Hold].status != nil {
				if status := said[row.Hold].status(c, list); status != "" {
					return status
				}
			}
		}
		if len(waits) > 0 {
			return "waits: " + text.Few(waits)
		}
	}
	switch {
	case remaining > 0:
		return behind
	case c.plain > 0:
		return fmt.Sprintf("behind: %s of another template, and no cause replaces them", text.Nodes(c.plain))
	case len(c.kept) > 0:
		return InStep + " except for protected nodes: " + text.Few(c.kept)
	}
	if n := len(held(c.Verdicts, HeldTarget)); n > 0 {
		return fmt.Sprintf("%s, as target says: %s of another template", InStep, text.Nodes(int64(n)))
	}
	return InStep
}

// goesOn reports whether the next plan replaces nodes.
func (c Change) goesOn(applied, waits bool) bool {
	if !applied {
		return c.Replaced() > 0
	}
	return !waits && slices.ContainsFunc(c.Of(Held), func(v Verdict) bool { return v.Hold.goesOn() })
}

// goesOn reports whether a hold ends with an apply that ends well, or with the one after it.
func (h Hold) goesOn() bool {
	return h == HeldBegins || h == HeldBatch || h == HeldWaits || h == HeldServers
}

// absent lists the nodes that are not in service, each with why. An apply that ends well
// brings into service those that it makes and waits for.
func (c Change) absent(applied bool) (names []string) {
	for _, a := range c.out {
		if !applied || !a.pending && !a.next {
			names = append(names, fmt.Sprintf("%s (%s)", a.name, a.why))
		}
	}
	return names
}

// Awaits names the nodes that are not in service, and that an apply which ends well brings
// into service, or removes, although the plan does not change them.
func (c Change) Awaits() (names []string) {
	for _, a := range c.out {
		if a.pending {
			names = append(names, a.name)
		}
	}
	return names
}

// Absent reports whether a node that the plan does not change is not in service, or has left
// and still has a server.
func (c Change) Absent(name string) bool {
	return slices.ContainsFunc(c.out, func(a absentee) bool { return a.name == name })
}

// made names the nodes that come, or that get another server, by index.
func (c Change) made() (names []string) {
	for _, v := range c.Verdicts {
		if v.Outcome == Comes || v.Outcome == Changes {
			names = append(names, v.Name)
		}
	}
	return names
}

// Moves says what the change does, for people: "batch 2 of 5: web-1 leaves; web-8 comes".
// Batch is the number of the batch that it takes; 0 for none.
func (c Change) Moves(batch int64) string {
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
	moves := strings.Join(parts, "; ")
	if batch > 0 && c.Replaced() > 0 {
		return fmt.Sprintf("batch %d of %d: %s", batch, batch+(c.Remaining+c.batch-1)/c.batch, moves)
	}
	return moves
}

// status says whose template failed, and how many nodes still have it.
func (r *Reverted) status(applied bool) string {
	failed, n := "the template of "+text.Few(r.Nodes)+" failed", int64(len(r.Back))
	if applied {
		n = r.later
	}
	switch {
	case r.Holds:
		return "held: " + failed + ", and none is settled to go back to"
	case n == 1:
		return "reverted: " + failed + ", 1 node goes back"
	case n > 1:
		return fmt.Sprintf("reverted: %s, %s go back", failed, text.Nodes(n))
	}
	return "reverted: " + failed
}
