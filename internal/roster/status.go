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
	switch {
	case c.Reverted != nil:
		return c.Reverted.status()
	case c.Replaced > 0 && batch > 0:
		size := policy.Update.size(policy.Capacity)
		last := batch + (c.Remaining+size-1)/size
		return fmt.Sprintf("batch %d of %d: %s", batch, last, c.moves())
	case c.Replaced > 0:
		return fmt.Sprintf("behind: the next plan replaces %d of %s",
			c.Replaced, text.Nodes(c.Replaced+c.Remaining))
	case c.Holds != "":
		return c.Holds
	case c.Remaining > 0:
		return fmt.Sprintf("behind: %s to replace", text.Nodes(c.Remaining))
	}
	return InStep
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
	say := func(names []string, one, many string) {
		verb := many
		if len(names) == 1 {
			verb = one
		}
		if len(names) > 0 {
			parts = append(parts, text.Few(names)+" "+verb)
		}
	}
	say(departing(c.Departed), "leaves", "leave")
	say(departing(c.Revised), "changes", "change")
	say(c.Returned, "comes back", "come back")
	say(c.Created, "comes", "come")
	return strings.Join(parts, "; ")
}

func departing(list []Departure) []string {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = d.Name
	}
	return names
}
