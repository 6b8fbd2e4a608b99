package roster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Notice is something that a person should know about a plan: a title, and a
// text of one or more sentences.
type Notice struct {
	Title Title
	Text  string
}

// Title is the first line of a notice.
type Title string

// The titles.
const (
	FirstTemplate     Title = "The first template is taken for what all nodes were made from"
	OtherMarks        Title = "Nodes carry the mark of another template"
	BatchWaits        Title = "A batch waits for the one before"
	BatchBakes        Title = "A batch has to serve before the next one"
	TooManyUnhealthy  Title = "Too many nodes are unhealthy to replace them"
	NoRoom            Title = "No room for a replacement"
	NoHost            Title = "Nodes wait for a host"
	PlacesClosed      Title = "Nodes wait for their places"
	ProtectedOutdated Title = "Protected nodes stay as they are"
	UnknownCandidate  Title = "A candidate is not there"
	BelowMin          Title = "A place is left below its min"
	UnseenChosen      Title = "A node was chosen unseen"
	ClosedChosen      Title = "A closed place loses nodes"
	UpdateBegins      Title = "The update begins with the next apply"
)

func notice(title Title, format string, args ...any) Notice {
	return Notice{title, fmt.Sprintf(format, args...)}
}

// tell says why an update does less than it could, at length and, of the first thing
// that holds it, as a status: before has all nodes, left those that are there after the
// plan.
func tell(before, left facts, b batch, next Roster, change Change, policy Policy) (notices []Notice, holds string) {
	u, more := policy.Update, change.Remaining
	say := func(title Title, format string, args ...any) {
		notices = append(notices, notice(title, format, args...))
	}
	hold := func(status, detail string) {
		if holds == "" {
			holds = status + ": " + detail
		}
	}
	if u == nil {
		return nil, ""
	}
	if u.New {
		if more > 0 {
			say(
				UpdateBegins,
				"%s should be replaced, and this apply replaces none: Terraform must first have stored "+
					"create_before_destroy of the servers. "+
					"The next apply takes the first batch.",
				text.Nodes(more),
			)
		}
		return notices, ""
	}
	if u.Has(Unhealthy) && outage(before, policy) {
		sick := before.number((*fact).sick)
		all := text.Nodes(int64(len(before)))
		hold("held", fmt.Sprintf("%d of %s are unhealthy, more than stop_above allows", sick, all))
		say(
			TooManyUnhealthy,
			"Unhealthy: %d of %s. That is more than stop_above (%s) allows, so none is replaced for that. "+
				"Look at the cloud first; raise stop_above to replace them anyway, or name some in candidates.",
			sick,
			text.Nodes(int64(len(before))),
			u.StopAbove,
		)
	}
	if n := int64(len(b.blocked)); n > 0 {
		hold("held", "no room for the substitutes of "+text.Few(b.blocked))
		say(
			NoRoom,
			"%s should be replaced now, and there is no room for substitutes: %s. %s Raise a cap, or list another "+
				"place.",
			text.Nodes(n),
			text.Few(b.blocked),
			detail(b.noRoom),
		)
	}
	b.homeless = slices.DeleteFunc(b.homeless, func(name string) bool { return left[name] == nil })
	if n := int64(len(b.homeless)); n > 0 {
		hold("held", "Nova found no host for "+text.Few(left.located(b.homeless)))
		say(
			NoHost,
			"Nova found no host for the servers of %s: %s. With method = %q a node keeps its place, so it is made "+
				"again there once retry_full_after is over. "+
				"Make room, or remove the node, so that another one comes where room is.",
			text.Nodes(n),
			text.Few(left.located(b.homeless)),
			u.Method,
		)
	}
	size := u.size(policy.Capacity)
	w := waitsFor(before, left, next, more, policy)
	if len(w.names) > 0 {
		hold("waits", text.Few(w.names))
	}
	if more > int64(len(b.blocked)) && b.replaces() < size && len(w.names) > 0 {
		say(BatchWaits, "%s more should be replaced, at most %d at a time. This batch waits for %s: %s. %s",
			text.Nodes(more), size, text.Nodes(int64(len(w.names))), text.Few(w.names), w.advice())
	}
	if names := left.baking(); more > int64(len(b.blocked)) && b.replaces() < size && len(names) > 0 {
		hold("bakes", text.Few(names)+" must be in service for longer")
		say(
			BatchBakes,
			"%s more should be replaced. %s not in service for as long as update.pause says: %s. Apply again then.",
			text.Nodes(more),
			isOrAre(len(names)),
			text.Few(names),
		)
	}
	if held := heldBack(left, b.full, policy); more > 0 && len(b.picked) == 0 && len(held) > 0 {
		hold("held", text.Few(held))
		say(PlacesClosed, "%s should be replaced, and their places take no nodes now: %s. "+
			"They stay as they are until their places take nodes again; the next plan goes on then by itself.",
			text.Nodes(int64(len(held))),
			text.Few(held))
	}
	if kept := protectedOutdated(
		left,
	); u.Has(Outdated) &&
		int64(len(kept)) > policy.Capacity-min(policy.target(next), policy.Capacity) {
		hold(InStep+" except for protected nodes", text.Few(kept))
		say(
			ProtectedOutdated,
			"%s of another template than the wanted one will not be replaced: %s.",
			text.Nodes(int64(len(kept))),
			text.Few(kept),
		)
	}
	return notices, holds
}

// wait is what a batch waits for.
type wait struct {
	names    []string // of nodes, each with why
	underWay bool     // whether nodes of the cluster are among them
	behind   bool     // whether some of those have servers that did not change
	unseen   bool     // whether some of those were not looked at
	leaving  bool     // whether nodes that leave are among them
	closed   bool     // whether nodes of closed regions are among them
}

// waitsFor finds the nodes that keep a batch from being chosen: those that are under
// way, those that leave and whose servers are still there and, where a method takes
// nodes from service, all that are out of it. Those of closed places only where more
// nodes should be replaced: nobody waits for them otherwise.
func waitsFor(before, left facts, next Roster, more int64, policy Policy) (w wait) {
	for _, name := range left.names() {
		f := before[name]
		if f == nil || f.Mark != left[name].Mark {
			continue
		}
		keeps := policy.Update.keeps(Outdated)
		switch {
		case keeps && f.unseen && more > 0:
			why := policy.rests(placement.Place{Region: f.Region})
			w.names = append(w.names, fmt.Sprintf("%s (%s %s)", name, f.Region, why))
			w.closed = true
			continue
		case f.trouble == "", !keeps && !f.underWay(), f.rests != "" && (!keeps || more == 0):
			continue
		}
		w.names = append(w.names, fmt.Sprintf("%s (%s)", name, f.trouble))
		w.underWay = true
		w.unseen = w.unseen || !f.looked
		w.behind = w.behind || f.trouble == isBehind
	}
	for _, name := range next.leavingFrom(policy) {
		if _, leavesNow := before[name]; !leavesNow {
			w.names = append(w.names, name+" (it leaves, and its server is still there)")
			w.leaving = true
		}
	}
	return w
}

// advice says what ends the wait.
func (w wait) advice() string {
	var parts []string
	if w.underWay {
		parts = append(
			parts,
			"Apply again when what is under way is in service; if it never will be, change the template, or name it "+
				"in candidates.",
		)
	}
	if w.unseen {
		parts = append(parts, "Plan without -refresh=false, so that what was not looked at is seen.")
	}
	if w.behind {
		parts = append(parts, "A server that stays what it was takes no argument from what changed in the template: "+
			"give the former template again, or attach stackpolicy_readiness_attachment, which marks servers that "+
			"need no change.")
	}
	if w.closed {
		parts = append(
			parts,
			"A closed region is not looked at, so all its nodes count as out of service for a method that takes "+
				"others from it: open the region first.",
		)
	}
	if w.leaving {
		parts = append(
			parts,
			"A server that leaves is destroyed by an apply that ends without an error; one that is no longer "+
				"Terraform's has to be deleted or renamed.",
		)
	}
	return strings.Join(parts, " ")
}

// heldBack names the nodes that should be replaced and wait for their places, and says
// why: those in service whose places take no nodes now and that would get another
// template or are too old, and all of closed places.
func heldBack(left facts, full []placement.Place, policy Policy) (held []string) {
	u := policy.Update
	if u.keeps(Outdated) {
		full = nil // it gives up its own room first
	}
	board := boardOf(left, policy.Regions, full)
	for _, name := range left.names() {
		f := left[name]
		aged := !f.aged.IsZero() && u.Has(TooOld)
		concerned := aged || (f.outdated && u.Has(Outdated))
		switch {
		case !f.free():
		case f.rests != "" && (concerned || f.unhealthy != "" && u.Has(Unhealthy)):
			held = append(held, fmt.Sprintf("%s (%s %s)", name, f.Place, f.rests))
		case concerned && (aged || u.Method != InPlace) && f.trouble == "" && board.Closed(f.Place):
			held = append(held, fmt.Sprintf("%s (%s %s)", name, f.Place, board.Why(f.Place)))
		}
	}
	return held
}

func isOrAre(n int) string {
	if n == 1 {
		return "One that has what is wanted is"
	}
	return fmt.Sprintf("%d that have what is wanted are", n)
}

// located adds the places of nodes to their names.
func (all facts) located(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf("%s (%s)", name, all[name].Place)
	}
	return list
}

// protectedOutdated names the protected nodes that keep an update from its target.
func protectedOutdated(left facts) (kept []string) {
	for _, name := range left.names() {
		if f := left[name]; f.protected != "" && f.outdated {
			kept = append(kept, name+" "+f.protected)
		}
	}
	return kept
}

// detail returns what a notice says about an error.
func detail(err error) string {
	if infeasible, ok := errors.AsType[*placement.InfeasibleError](err); ok {
		return infeasible.Detail()
	}
	return err.Error()
}
