package roster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
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
	OlderState        Title = "Servers are ahead of this state"
	TooManyServers    Title = "Too many servers beyond the cluster"
	UnknownProtected  Title = "A protected node is not there"
	UnknownSlot       Title = "A slot to release is not there"
	SlotsWait         Title = "Kept slots wait for their places"
	NamesTaken        Title = "Servers have the names that come next"
	FullPlaces        Title = "Places are full"
	FullTried         Title = "Full places are tried again"
	TemplateReverted  Title = "The template failed, and the settled one is wanted again"
	TemplateHeld      Title = "The template failed, and there is none to go back to"
	CandidatesTaken   Title = "Candidates of an import count as met"
)

func notice(title Title, format string, args ...any) Notice {
	return Notice{title, fmt.Sprintf(format, args...)}
}

// tell says what a person should know about a plan.
func (p *speech) tell() []Notice {
	return slices.Concat(
		p.tellFirstTemplate(),
		p.tellNames(),
		p.tellLeaving(),
		belowMin(p.all.counts(), p.next.Counts(), p.policy),
		p.tellReverted(),
		p.tellFull(),
		p.tellHeld(),
		p.slotsWait(),
	)
}

// tellFirstTemplate says what the first template means for nodes that are there.
func (p *speech) tellFirstTemplate() (notices []Notice) {
	if len(p.first) > 0 {
		notices = append(notices, notice(FirstTemplate, "%s from before there was a template: %s. The template must "+
			"say what they were made from. Where it differs, the servers of all of them change at once in this "+
			"apply, and none of them counts as in service before it was found so again.", text.Nodes(int64(len(p.first))),
			text.Few(p.first)))
	}
	if len(p.other) > 0 {
		notices = append(notices, notice(OtherMarks, "%s: %s. They were made from another template than this one, "+
			"and what was in it is not known here: their template is empty until update replaces them. Remove the "+
			"attachment from the state, and import it again with their template in the import id, such as "+
			"{\"cluster\": \"web\", \"templates\": [{\"image\": \"the former image\"}]}: the hash in each mark says "+
			"which node has which.", text.Nodes(int64(len(p.other))), text.Few(p.other)))
	}
	return notices
}

// tellNames says which names that are given are no node's, and which are not given to nodes.
func (p *speech) tellNames() (notices []Notice) {
	say := func(names []string, title Title, format string) {
		if len(names) > 0 {
			notices = append(notices, notice(title, format, text.Few(names)))
		}
	}
	var taken []string
	for _, f := range p.named.taken {
		taken = append(taken, f.name)
	}
	say(p.noSlots, UnknownSlot, "There is no slot %s: an earlier apply released it, or it never was there. While a name is "+
		"listed no new slot gets it. Take it off release.")
	for _, name := range p.named.unknown {
		say([]string{name}, UnknownCandidate, "No node has the name, or a server with the id, %q: nothing is removed for "+
			"it. Remove it from the list of candidates, or correct it.")
	}
	say(taken, CandidatesTaken, "An import does not know whether these were made again before: %s. They are not made again "+
		"now. To have that done, take them out of candidates, apply, and name them once more.")
	say(p.protectsNobody(), UnknownProtected, "deletion.protected has what is neither the name of a node nor the id of a "+
		"server of one: %s. Correct it, or remove it from the list.")
	say(p.passed, NamesTaken, "Servers that this state does not know have names which new nodes would get: %s. Those nodes "+
		"get other names. If an older state was restored, restore the newest before you apply; if an apply was killed "+
		"before it stored them, delete those servers; if they are not this cluster's, choose another node_name_pattern, or "+
		"a selector that leaves them out.")
	return notices
}

// tellHeld says why an update does less than it could.
func (p *speech) tellHeld() (notices []Notice) {
	for _, row := range holds {
		list := p.list.held(row.Hold)
		untold := row.title == ProtectedOutdated && len(p.kept()) == 0 || row.title == PlacesClosed && p.taken > 0
		if row.title != "" && len(list) > 0 && !untold {
			notices = append(notices, Notice{row.title, capital(p.fill(row.notice, list...))})
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
	if w := p.waits(p.remaining); len(p.list.held(HeldWaits, HeldBatch)) > 0 && len(w.names) > 0 && p.taken < p.size {
		notices = append(notices, notice(BatchWaits, "%s more should be replaced, at most %d at a time. This batch waits "+
			"for %s: %s. %s", text.Nodes(p.remaining), p.size, text.Nodes(int64(len(w.names))), text.Few(w.list()),
			w.advice(p.policy)))
	}
	return notices
}

// tellLeaving says what a person should know of the nodes that are too many.
func (p *speech) tellLeaving() (notices []Notice) {
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

// kept are the protected nodes of another template, where they keep the update from its
// target, each with why.
func (p *speech) kept() (names []string) {
	for _, name := range p.left.names() {
		if v := p.verdicts[name]; v.Hold == HeldProtected && v.Cause == Outdated {
			names = append(names, name+" "+v.want.protected)
		}
	}
	if int64(len(names)) <= p.policy.Capacity-min(p.aim.target, p.policy.Capacity) {
		return nil
	}
	return names
}

// former names the nodes whose servers should have been made again, and were not.
func (p *speech) former() (names []string) {
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
	i := slices.Index(w.names, name)
	if i < 0 {
		return w.list()
	}
	return slices.Delete(w.list(), i, i+1)
}

// waits are the nodes that keep the next batch from being chosen: those that count as under
// way or, where a method takes nodes from service, as out of it, and those that leave and
// whose servers are still there. Those of closed places are waited for only where more nodes
// should be replaced.
func (p *speech) waits(more int64) (w wait) {
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
			w.add(name, why(f))
			w.closed = true // no candidate is taken there
		default:
			w.add(name, why(f))
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

// absentee is a node that is not in service, and that the plan does not change.
type absentee struct {
	name, why string
	pending   bool // whether an apply that ends well brings it into service, or ends it
	next      bool // whether the next plan replaces it
}

// absent lists the nodes that are not in service, and are not changed by the plan. Terraform
// makes the servers that are missing, and a readiness attachment waits for those that run;
// that there is one shows by the marks of others. Where no server of the cluster was ever found
// they may have other names, and nothing is expected.
func (p *speech) absent() (list []absentee) {
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
			why:     why(f),
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

func absentNames(list []absentee) (names []string) {
	for _, a := range list {
		names = append(names, a.name)
	}
	return names
}

// awaits names those of the nodes that an apply which ends well brings into service, or removes.
func awaits(list []absentee) (names []string) {
	for _, a := range list {
		if a.pending {
			names = append(names, a.name)
		}
	}
	return names
}

// waiting lists those that are not in service, each with why; applied says once the plan is
// applied and has ended well.
func waiting(list []absentee, applied bool) (names []string) {
	for _, a := range list {
		if !applied || !a.pending && !a.next {
			names = append(names, fmt.Sprintf("%s (%s)", a.name, a.why))
		}
	}
	return names
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

// capital is a sentence that begins with a capital letter.
func capital(sentence string) string { return strings.ToUpper(sentence[:1]) + sentence[1:] }

// tellFull says which listed places are full or, where nodes find no other room, tried
// again.
func (p *speech) tellFull() []Notice {
	var places []string
	for _, at := range p.seen.full(p.policy) {
		if lists(p.policy.Regions, at) {
			places = append(places, fmt.Sprintf("%s (%s)", at, p.seen.Full[at].UTC().Format("2006-01-02 15:04:05 UTC")))
		}
	}
	const room = "Make room there, or raise the quotas or aggregates that leave it none"
	switch {
	case p.again:
		return []Notice{notice(FullTried, "Nova found no host a short time ago, and no other place has room for all "+
			"nodes that this plan adds. So full places count as open in this plan. %s, or list another place.", room)}
	case len(places) > 0:
		return []Notice{notice(FullPlaces, "Nova found no host for servers made there: %s. For %s from then on "+
			"(retry_full_after) no node is placed there, and none is moved there, unless no other place has room. "+
			"%s; to try again at once set retry_full_after = \"0s\".",
			text.Few(places), duration.Format(p.policy.Update.RetryFullAfter), room)}
	}
	return nil
}

// slotsWait says whose data waits where a plan made new slots although some are kept.
func (p *speech) slotsWait() []Notice {
	if p.policy.Stateful == nil || len(p.fresh) == 0 {
		return nil
	}
	board := placement.NewBoard(p.policy.Regions, p.next.Counts())
	var wait []string
	for _, name := range p.next.KeptSlots() {
		at, why := p.next.Slots[name].Place, "the spread needs no node there"
		switch {
		case !lists(p.policy.Regions, at):
			why = "it is not listed"
		case board.Closed(at):
			why = "it " + board.Why(at)
		case !board.Takes(at):
			why = "it takes no more nodes"
		}
		wait = append(wait, fmt.Sprintf("%s (%s: %s)", name, at, why))
	}
	if len(wait) == 0 {
		return nil
	}
	return []Notice{notice(SlotsWait, "New slots were made (%s), and what is kept for others waits: %s. The next "+
		"nodes in their places find it. Release a slot whose data is not needed any more.", text.Few(p.fresh),
		text.Few(wait))}
}

// Reverted says of a plan that the given template failed.
type Reverted struct {
	Nodes []string // whose servers were not in service in time
	Back  []string // nodes that have the template and go back, in this plan or later
	Holds bool     // there is nothing to go back to: nothing is replaced for the template
	later int64    // number of the nodes that go back in a later plan
}

// revert is what that means for the nodes that are there before the plan; nil where nothing
// failed.
func (p *speech) revert() *Reverted {
	v := p.failure
	if len(v.failures) == 0 {
		return nil
	}
	reverted := &Reverted{Holds: v.holds}
	for _, f := range v.failures {
		reverted.Nodes = append(reverted.Nodes, f.Node)
	}
	for _, name := range p.all.names() {
		f := p.all[name]
		if f.outdated && f.Template == v.given.At(f.Place) && !v.holds {
			reverted.Back = append(reverted.Back, name)
			if !p.granted(name) {
				reverted.later++
			}
		}
	}
	return reverted
}

// tellReverted says that a template failed, what happens for it, and what to do.
func (p *speech) tellReverted() []Notice {
	v, reverted := p.failure, p.reverted
	if reverted == nil {
		return nil
	}
	const again = "To try the same once more, add a value to it that changes nothing, such as attempt = \"2\"."
	var why strings.Builder
	for _, f := range v.failures {
		fmt.Fprintf(&why, "The template of %s failed: its server had run for %s when a wait for it ended, and was not "+
			"in service. ", f.Node, duration.Format(f.After))
	}
	evidence := fmt.Sprintf("%srevert_after is %s.", why.String(), duration.Format(p.policy.Update.RevertAfter))
	if v.holds {
		return []Notice{notice(TemplateHeld, "%s No template is settled yet: that is the last one that all nodes had "+
			"while half of them were in service. So no more nodes are replaced for this one. Give a template that "+
			"works. %s", evidence, again)}
	}
	back := "No node has it any more."
	if n := len(reverted.Back); n == 1 {
		back = fmt.Sprintf("1 node goes back: %s.", reverted.Back[0])
	} else if n > 1 {
		back = fmt.Sprintf("%s go back: %s.", text.Nodes(int64(n)), text.Few(reverted.Back))
	}
	at := v.places[0]
	return []Notice{notice(TemplateReverted, "%s So the settled template is wanted, which all nodes had before: "+
		"%s. %s The given one stays failed: give the settled template, or another one. %s",
		evidence, differs(v.given.At(at), v.wanted.At(at)), back, again)}
}
