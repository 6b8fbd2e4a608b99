package roster

import (
	"errors"
	"fmt"
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
	MadeTwice         Title = "Nodes that never served are not made a third time"
	NotFollowed       Title = "Servers did not follow their nodes"
	NotSeen           Title = "Nodes wait to be looked at"
)

func notice(title Title, format string, args ...any) Notice {
	return Notice{title, fmt.Sprintf(format, args...)}
}

// tell says why an update does less than it could.
func (p *planning) tell(change Change) (notices []Notice) {
	u, more := p.policy.Update, change.Remaining
	say := func(title Title, format string, args ...any) {
		notices = append(notices, notice(title, format, args...))
	}
	of := func(holds ...Hold) []Verdict { return held(change.Verdicts, holds...) }
	if len(of(HeldBegins)) > 0 {
		say(UpdateBegins, "%s should be replaced, and this apply replaces none: Terraform must first have stored "+
			"what the servers depend on, and their lifecycle. The next apply takes the first batch.",
			text.Nodes(more))
		return notices
	}
	if p.policy.stops(p.sick) && u.Has(Unhealthy) {
		say(TooManyUnhealthy, "Unhealthy: %d of %s. That is more than stop_above (%s) allows, so none is replaced for "+
			"that. Look at the cloud first; raise stop_above to replace them anyway, or name some in candidates.",
			p.sick, text.Nodes(int64(len(p.all))), u.StopAbove)
	}
	if list := of(HeldNoRoom); len(list) > 0 {
		say(NoRoom, "%s should be replaced now, and there is no room for substitutes: %s. %s Raise a cap, or list "+
			"another place.", text.Nodes(int64(len(list))), text.Few(namesOf(list)), list[0].why)
	}
	if list := of(HeldNoHost); len(list) > 0 {
		say(NoHost, "Nova found no host for the servers of %s: %s. With method = %q a node keeps its place, so it is "+
			"made again there once retry_full_after is over. "+
			"Make room, or remove the node, so that another one comes where room is.",
			text.Nodes(int64(len(list))), text.Few(located(list)), u.Method)
	}
	if list := of(HeldTwice); len(list) > 0 {
		say(MadeTwice, "%s never served, nor did the one that each of them replaced: %s. They are not made a "+
			"third time. Change the template, or name them in candidates to try once more.",
			text.Nodes(int64(len(list))), text.Few(namesOf(list)))
	}
	if list := p.former(); len(list) > 0 {
		say(NotFollowed, "The servers of %s should have been made again, and are still the former ones: %s. Terraform "+
			"does not know that the server depends on the generation of its node: give it "+
			"replace_triggered_by = [terraform_data.generation[each.key]], with each.value.generation as input, and "+
			"apply; then name the nodes in candidates.", text.Nodes(int64(len(list))), text.Few(list))
	}
	if w := change.waits; len(of(HeldWaits, HeldBatch)) > 0 && len(w.names) > 0 && p.taken < p.size {
		say(BatchWaits, "%s more should be replaced, at most %d at a time. This batch waits for %s: %s. %s",
			text.Nodes(more), p.size, text.Nodes(int64(len(w.names))), text.Few(w.names), w.advice(p.policy))
	}
	if len(of(HeldBakes)) > 0 {
		say(BatchBakes, "%s more should be replaced. %s not in service for as long as update.pause says: %s. Apply "+
			"again then.", text.Nodes(more), isOrAre(len(p.baking)), text.Few(p.baking))
	}
	return append(notices, p.tellBarred(change)...)
}

// tellBarred says which nodes stay as they are for now.
func (p *planning) tellBarred(change Change) (notices []Notice) {
	say := func(title Title, format string, args ...any) {
		notices = append(notices, notice(title, format, args...))
	}
	if list := held(change.Verdicts, HeldClosed); len(list) > 0 && p.taken == 0 {
		say(PlacesClosed, "%s should be replaced, and their places take no nodes now: %s. "+
			"They stay as they are until their places take nodes again; the next plan goes on then by itself.",
			text.Nodes(int64(len(list))), text.Few(withWhy(list)))
	}
	if list := held(change.Verdicts, HeldUnseen); len(list) > 0 {
		say(NotSeen, "%s should be replaced, and no refresh has looked at them since they changed: %s. Plan without "+
			"-refresh=false.", text.Nodes(int64(len(list))), text.Few(namesOf(list)))
	}
	if len(change.kept) > 0 {
		say(ProtectedOutdated, "%s of another template than the wanted one will not be replaced: %s.",
			text.Nodes(int64(len(change.kept))), text.Few(change.kept))
	}
	return notices
}

// kept are the protected nodes of another template, where they keep the update from its
// target, each with why.
func (p *planning) kept(protected []Verdict) (names []string) {
	for _, v := range protected {
		if v.Cause == Outdated {
			names = append(names, v.Name+" "+v.want.protected)
		}
	}
	if int64(len(names)) <= p.policy.Capacity-min(p.aim.target, p.policy.Capacity) {
		return nil
	}
	return names
}

// former names the nodes whose servers should have been made again, and were not.
func (p *planning) former() (names []string) {
	for _, name := range p.left.names() {
		if v := p.verdicts[name]; p.left[name].behind && v.Outcome != Changes {
			names = append(names, name)
		}
	}
	return names
}

// whyNot says what holds a node, where that is the same for all.
func (p *planning) whyNot(hold Hold, w wait) string {
	switch {
	case hold == HeldBakes:
		return "the batch before it has to serve for longer: " + text.Few(p.baking)
	case hold == HeldWaits && len(w.names) > 0:
		return "the batch waits for " + text.Few(w.names)
	}
	return fmt.Sprintf("the batch is full (%d at a time)", p.size)
}

// wait is what a batch waits for.
type wait struct {
	names    []string // of nodes, each with why
	underWay bool     // whether nodes of the cluster are among them
	marks    bool     // whether some of those only lack a mark
	behind   bool     // whether some of those have servers that did not change
	unseen   bool     // whether some of those were not looked at
	leaving  bool     // whether nodes that leave are among them
	closed   bool     // whether nodes of closed places are among them
}

// waits are the nodes that keep the next batch from being chosen: those that count as under
// way or, where a method takes nodes from service, as out of it, and those that leave and
// whose servers are still there. Those of closed places are waited for only where more nodes
// should be replaced.
func (p *planning) waits(more int64) (w wait) {
	keeps := p.policy.keeps(Outdated)
	for _, name := range p.left.names() {
		f := p.left[name]
		v, counts := p.verdicts[name], p.under[name] || keeps && p.out[name]
		if v.Outcome == Changes || v.Outcome == Returns || !counts {
			continue
		}
		switch {
		case keeps && f.unseen && more > 0:
			w.names = append(w.names, fmt.Sprintf("%s (%s)", name, where(placement.Place{Region: f.Region},
				p.policy.rests(placement.Place{Region: f.Region}))))
			w.closed = true
			continue
		case f.trouble == "" || f.rests != "" && more == 0:
			continue
		}
		w.names = append(w.names, fmt.Sprintf("%s (%s)", name, f.trouble))
		if f.rests != "" {
			w.closed = true // no candidate is taken there
			continue
		}
		w.underWay = true
		w.unseen = w.unseen || !f.looked
		w.behind = w.behind || f.trouble == isBehind
		w.marks = w.marks || f.unmarked()
	}
	for _, name := range p.leaving {
		if v := p.verdicts[name]; v.Outcome != Returns {
			w.names = append(w.names, name+" (it leaves, and its server is still there)")
			w.leaving = true
		}
	}
	return w
}

// unmarked reports whether a node waits for nothing but its mark.
func (f *fact) unmarked() bool {
	return f.looked && serves(f.server) && f.server.InService == "" && !noted(f.Node, f.server) && f.unhealthy == ""
}

// advice says what ends the wait.
func (w wait) advice(policy Policy) string {
	var parts []string
	if w.underWay {
		parts = append(parts, "Apply again when what is under way is in service; if it never will be, change the "+
			"template, or name it in candidates.")
	}
	if w.marks && policy.RequireMarks {
		parts = append(parts, "Servers that run and have no mark are marked by stackpolicy_readiness_attachment; "+
			"without one set require_in_service = false in update.")
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
		parts = append(parts, "Nodes of a closed place that are out of service, or that nobody looks at, count for a "+
			"method that takes others from it, and none is repaired there: open the place first.")
	}
	if w.leaving {
		parts = append(parts, "A server that leaves is destroyed by an apply that ends without an error; one that "+
			"somebody keeps is named in deletion.kept.")
	}
	return strings.Join(parts, " ")
}

func isOrAre(n int) string {
	if n == 1 {
		return "One that has what is wanted is"
	}
	return fmt.Sprintf("%d that have what is wanted are", n)
}

// detail returns what a notice says about an error.
func detail(err error) string {
	if infeasible, ok := errors.AsType[*placement.InfeasibleError](err); ok {
		return infeasible.Detail()
	}
	return err.Error()
}
