package roster

import (
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
	MadeTwice         Title = "Nodes are not made a third time"
	NotFollowed       Title = "Servers did not follow their nodes"
	NotSeen           Title = "Nodes wait to be looked at"
	OlderState        Title = "Servers are ahead of this state"
	TooManyServers    Title = "Too many servers beyond the cluster"
	CandidatesTaken   Title = "Candidates of an import count as met"
)

func notice(title Title, format string, args ...any) Notice {
	return Notice{title, fmt.Sprintf(format, args...)}
}

// tell makes the change of what was decided, and says what follows from it.
func (p *planning) tell(next Roster, made []newNode, seen Seen) (Change, error) {
	c := Change{Remaining: p.remaining, size: p.policy.Capacity, batch: p.size, bakes: p.baking, out: p.absent()}
	c.Reverted = p.failure.record(p.all, p.granted)
	c.Verdicts = p.record(made)
	if len(held(c.Verdicts, HeldOutage)) > 0 {
		c.outage = p.outage()
	}
	c.kept = p.kept(held(c.Verdicts, HeldProtected))
	for _, n := range next.Nodes {
		if n.Template != p.policy.Templates.At(n.Place) && !p.policy.Update.Has(Outdated) {
			c.plain++
		}
	}
	protects, err := protectsNobody(p.all, c, p.policy)
	c.Notices = slices.Concat(
		p.notices,
		p.tellLeaving(),
		belowMin(p.all.counts(), next.Counts(), p.policy),
		protects,
		p.failure.notices(c.Reverted, p.policy),
		seen.tellOfFull(p.again, p.policy),
		namesPassed(p.passed),
		p.tellHeld(c),
		slotsWait(p.fresh, next, p.policy),
	)
	return c, err
}

// record has the verdicts of all nodes, by index.
func (p *planning) record(made []newNode) (verdicts []Verdict) {
	why := p.reasons()
	for name, f := range p.all {
		v, there := p.verdicts[name]
		if !there {
			v = p.verdict(want{fact: f}, Stays, refusal{})
		}
		if v.Reason = why[name]; v.Outcome == Held {
			v.Reason = p.sentence(v)
		}
		verdicts = append(verdicts, v)
	}
	for _, f := range p.ledger.returned {
		verdicts = append(verdicts, p.verdicts[f.name])
	}
	for _, n := range made {
		verdicts = append(verdicts, Verdict{Name: n.name, Node: n.Node, Outcome: Comes})
	}
	slices.SortFunc(verdicts, func(a, b Verdict) int { return compareIndex(a.Name, a.Node, b.Name, b.Node) })
	return verdicts
}

// tellHeld says why an update does less than it could.
func (p *planning) tellHeld(c Change) (notices []Notice) {
	for _, row := range holds {
		list := held(c.Verdicts, row.Hold)
		if say := said[row.Hold].notice; say != nil && len(list) > 0 {
			if title, sentences := say(p, c, list); title != "" {
				notices = append(notices, Notice{title, sentences})
			}
		}
		if row.Hold == HeldBegins && len(list) > 0 {
			return notices
		}
	}
	if list := p.former(); len(list) > 0 {
		notices = append(notices, notice(NotFollowed, "The servers of %s should have been made again, and are still the "+
			"former ones: %s. Terraform does not know that the server depends on the generation of its node: give it "+
			"replace_triggered_by = [terraform_data.generation[each.key]], with each.value.generation as input, and "+
			"apply; then name the nodes in candidates.", text.Nodes(int64(len(list))), text.Few(list)))
	}
	if w := p.waits(c.Remaining); len(held(c.Verdicts, HeldWaits, HeldBatch)) > 0 && len(w.names) > 0 && p.taken < p.size {
		notices = append(notices, notice(BatchWaits, "%s more should be replaced, at most %d at a time. This batch waits "+
			"for %s: %s. %s", text.Nodes(c.Remaining), p.size, text.Nodes(int64(len(w.names))), text.Few(w.list()),
			w.advice(p.policy)))
	}
	return notices
}

// tellLeaving says what a person should know of the nodes that are too many.
func (p *planning) tellLeaving() (notices []Notice) {
	var unseen, closed []string
	for name, v := range p.verdicts {
		if v.want.what != surplus || v.Outcome != Leaves {
			continue
		}
		if !v.want.looked {
			unseen = append(unseen, name)
		}
		if v.want.closed {
			closed = append(closed, name)
		}
	}
	if len(unseen) > 0 {
		notices = append(notices, notice(UnseenChosen,
			"%s would be removed, although no refresh has looked for servers since the last apply made them: %s. "+
				"Refresh first, so that the choice is based on what runs.",
			text.Nodes(int64(len(unseen))), text.Few(p.all.byIndex(unseen))))
	}
	if len(closed) > 0 {
		notices = append(notices, notice(ClosedChosen,
			"No open place can lose a node, so the cluster shrinks where it is closed: %s. Nova has to answer "+
				"there to destroy their servers. To keep them ask for more nodes.",
			text.Few(p.all.located(p.all.byIndex(closed)))))
	}
	return notices
}

// belowMin names the places that a plan takes below their mins.
func belowMin(before, after placement.Counts, policy Policy) (notices []Notice) {
	had := map[placement.Row]int64{}
	key := func(r placement.Row) placement.Row { return placement.Row{Place: r.Place, IsZone: r.IsZone} }
	for _, row := range placement.NewBoard(policy.Regions, before).Rows() {
		had[key(row)] = row.Bin.Current
	}
	for _, row := range placement.NewBoard(policy.Regions, after).Rows() {
		if n := row.Bin.Current; n < row.Bin.Min && n < had[key(row)] {
			notices = append(notices, notice(BelowMin, "%s keeps %s, and its min is %d: what leaves there was not in "+
				"service, or is named in candidates. It is the first place to be filled again.",
				row.Place, text.Nodes(n), row.Bin.Min))
		}
	}
	return notices
}

// adoptedCandidates says which candidates count as met after an import.
func adoptedCandidates(nodes []*fact) []Notice {
	if len(nodes) == 0 {
		return nil
	}
	var names []string
	for _, f := range nodes {
		names = append(names, f.name)
	}
	return []Notice{notice(CandidatesTaken, "An import does not know whether these were made again before: %s. They are "+
		"not made again now. To have that done, take them out of candidates, apply, and name them once more.",
		text.Few(names))}
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
		if v := p.verdicts[name]; p.left[name].former && v.Outcome != Changes {
			names = append(names, name)
		}
	}
	return names
}

// wait is what a batch waits for.
type wait struct {
	names    []string // of nodes
	why      []string // of each
	underWay bool     // whether nodes of the cluster are among them
	marks    bool     // whether some of those only lack a mark
	lags     bool     // whether some of those have servers that did not change
	unseen   bool     // whether some of those were not looked at
	tried    bool     // whether nodes are among them in whose place the wanted template failed
	leaving  bool     // whether nodes that leave are among them
	closed   bool     // whether nodes of closed places are among them
}

func (w *wait) add(name, why string) { w.names, w.why = append(w.names, name), append(w.why, why) }

// list has the names, each with why.
func (w wait) list() []string {
	list := make([]string, len(w.names))
	for i, name := range w.names {
		list[i] = fmt.Sprintf("%s (%s)", name, w.why[i])
	}
	return list
}

// without has the names of all but one, each with why.
func (w wait) without(name string) []string {
	list := w.list()
	if i := slices.Index(w.names, name); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// waits are the nodes that keep the next batch from being chosen: those that count as under
// way or, where a method takes nodes from service, as out of it, and those that leave and
// whose servers are still there. Those of closed places are waited for only where more nodes
// should be replaced.
func (p *planning) waits(more int64) (w wait) {
	keeps := p.policy.takesFirst()
	for _, name := range p.left.names() {
		f := p.left[name]
		v, counts := p.verdicts[name], p.under[name] || keeps && p.out[name]
		switch {
		case v.Outcome == Changes || v.Outcome == Returns || !counts:
		case keeps && f.dark && more > 0:
			at := placement.Place{Region: f.Region}
			w.add(name, where(at, p.policy.rests(at)))
			w.closed = true
		case f.is == Serving || f.rests != "" && more == 0:
		case f.rests != "":
			w.add(name, f.why())
			w.closed = true // no candidate is taken there
		default:
			w.add(name, f.why())
			w.underWay = true
			w.unseen = w.unseen || !f.looked
			w.lags = w.lags || f.lags || f.former
			w.marks = w.marks || f.is == Starting && f.server.InService == ""
		}
	}
	for _, name := range p.tried {
		w.add(name, "two servers of the wanted template ended in ERROR in its place")
		w.tried = true
	}
	for _, name := range p.leaving {
		if p.verdicts[name].Outcome != Returns {
			w.add(name, "it leaves, and its server is still there")
			w.leaving = true
		}
	}
	return w
}

// absentee is a node that is not in service once the plan is applied, and why.
type absentee struct {
	name, why string
	pending   bool // whether an apply that ends well brings it into service, or ends it
	next      bool // whether the next plan replaces it
}

// absent lists the nodes that are not in service, and are not changed by the plan. Terraform
// makes the servers that are missing, and a readiness attachment waits for those that run;
// that there is one shows by the marks of others. Where no server of the cluster was ever found
// they may have other names, and nothing is expected.
func (p *planning) absent() (list []absentee) {
	marked := p.left.number(func(f *fact) bool {
		return f.server.InService == string(f.Mark) || noted(f.Node, f.server)
	}) > 0
	found := p.all.number(func(f *fact) bool { return f.server.ID != "" || f.Served }) > 0
	awaited := func(name string) bool { return slices.Contains(p.policy.Awaited, name) }
	for _, name := range p.left.names() {
		f := p.left[name]
		if f.is == Serving || f.rests != "" || p.granted(name) {
			continue
		}
		marks := marked && f.looked && runs(f.server) && f.server.Unwell == "" && !f.server.Drained && !f.former
		v := p.verdicts[name]
		list = append(list, absentee{
			name:    name,
			why:     f.why(),
			pending: !awaited(name) && (f.missing && found || !f.looked || marks),
			next:    v.Outcome == Held && (v.Hold == HeldBatch || v.Hold.goesOn() && !f.may()),
		})
	}
	for _, name := range p.leaving {
		if p.verdicts[name].Outcome != Returns {
			list = append(list, absentee{name: name, why: "it leaves, and its server is still there", pending: !awaited(name)})
		}
	}
	return list
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
	if w.lags {
		parts = append(parts, "A server that stays what it was takes no argument from what changed in the template: "+
			"give the former template again, or attach stackpolicy_readiness_attachment, which marks servers that "+
			"need no change.")
	}
	if w.closed {
		parts = append(parts, "Nodes of a closed place that are out of service, or that nobody looks at, count for a "+
			"method that takes others from it, and none is repaired there: open the place first.")
	}
	if w.tried {
		parts = append(parts, "Change the template, or name the nodes in whose place it failed in candidates, to try once "+
			"more.")
	}
	if w.leaving {
		parts = append(parts, "A server that leaves is destroyed by an apply that ends without an error; one that "+
			"somebody keeps is named in deletion.kept.")
	}
	return strings.Join(parts, " ")
}

func isOrAre(n int64) string {
	if n == 1 {
		return "1 node is"
	}
	return fmt.Sprintf("%s are", text.Nodes(n))
}

// capital is a sentence that begins with a capital letter.
func capital(sentence string) string { return strings.ToUpper(sentence[:1]) + sentence[1:] }
