package decide

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// Ledger has everything that a grant depends on: the room in the places, the budget of the batch,
// the health of the cluster, and the rollout. Only [Ledger.Decide] changes it.
type Ledger struct {
	Policy roster.Policy
	now    roster.Roster
	room
	budget
	health
	Rollout rollout
	err     error // why the cluster cannot grow or shrink

	Verdicts map[string]Verdict // verdicts about the nodes whose wants were granted or refused, by name
	returned []*facts.Fact      // leaving nodes that come back
	// refusals for lack of room since the last change, by the place of the node to replace
	known map[placement.Place]refusal
}

// budget says how many nodes a plan may replace, and what counts against that.
type budget struct {
	Size    int64 // maximum number of nodes to replace
	Taken   int64 // number of nodes that this plan replaces
	pending int64 // number of nodes to be added: the growth, and a substitute for each node that is replaced
	grown   int64 // number of pending nodes of the growth
	Short   int64 // number of nodes that are not added, because only full places have room
	// number of pending substitutes with a method that takes nodes out of service first
	moved    int64
	heirs    int64                     // number of pending substitutes of nodes that stand in for stranded ones
	retries  map[roster.Template]int64 // numbers of pending second tries, by template
	Under    Set                       // nodes under way, including the ones that this plan revises
	Leaving  []string                  // leaving nodes outside closed regions whose servers still exist
	destroys int64                     // number of servers of nodes that this plan removes
	unhosted int64                     // number of nodes that leave because Nova found no host for them
	// number of servers that were never in service, and that leave because leaving nodes come back
	unused int64
	Baking []string // nodes that must be in service for longer
	Shut   string   // until when the window is shut; "" if it is open
	Tried  []string // nodes in whose place two servers of the wanted template ended in ERROR
}

// health says which nodes are in service.
type health struct {
	Out       Set   // nodes that are not proven in service, including the ones that this plan takes out of it
	unchanged Set   // nodes in Out whose servers did not follow them, and were found in service since
	Sick      int64 // number of unhealthy nodes
	Unknown   int64 // number of nodes whose health was checked without a result
	unseen    int64 // number of nodes of which nothing is known
	Total     int64 // number of all nodes
	First     bool  // whether no node was ever in service: then nothing can be taken out of it
}

// Set is a set of names of nodes.
type Set map[string]bool

func newLedger(now roster.Roster, all facts.Facts, seen roster.Seen, policy roster.Policy) *Ledger {
	l := &Ledger{
		Policy:   policy,
		now:      now,
		room:     roomOf(now, all, seen, policy),
		health:   health{Out: Set{}, unchanged: Set{}, Total: int64(len(all)), First: first(now, all, seen, policy)},
		Rollout:  rolloutOf(now, all, policy),
		Verdicts: map[string]Verdict{},
		known:    map[placement.Place]refusal{},
	}
	l.budget = budget{
		Size:    policy.Batch(),
		retries: map[roster.Template]int64{},
		Under:   Set{},
		Shut:    seen.Shut(policy),
	}
	for _, name := range now.LeavingNames() {
		region := placement.Place{Region: now.Leaving[name].Region}
		if policy.Rests(region) == "" { // in a closed region Nova may not answer
			l.Leaving = append(l.Leaving, name)
		}
	}
	for _, f := range all.ByIndex() {
		if f.Tried != "" && f.Tried == policy.Templates.At(f.Place).Hash() && f.Outdated {
			l.Tried = append(l.Tried, f.Name)
		}
		if f.Bakes {
			l.Baking = append(l.Baking, f.Name)
		}
		l.enters(f)
		l.examine(f)
	}
	return l
}

// enters counts a node: one that is not proven in service for the quorum, and one under way against
// the batch.
func (l *Ledger) enters(f *facts.Fact) {
	if !f.Is.Proven || f.Dark {
		l.Out[f.Name] = true
	}
	if f.UnderWay() && f.Rests == "" {
		l.Under[f.Name] = true
	}
}

// examine counts a node for the health of the cluster.
func (h *health) examine(f *facts.Fact) {
	switch {
	case f.Sick():
		h.Sick++
	case f.Server.HealthUnknown && f.Rests == "":
		h.Unknown++
	case f.Is == facts.Unknown:
		h.unseen++
	}
	if f.ServesUnchanged() && !f.Dark {
		h.unchanged[f.Name] = true
	}
}

// first reports whether no node was ever in service, as far as the memory and all marks show.
func first(now roster.Roster, all facts.Facts, seen roster.Seen, policy roster.Policy) bool {
	served := func(f *facts.Fact) bool {
		return f.Served || f.Server.InService != "" || f.Is == facts.Unknown && !f.Unfound
	}
	if policy.Blind || now.Adopted || len(now.Settled) > 0 || all.Number(served) > 0 {
		return false
	}
	for name, n := range now.Leaving {
		if n.Served || seen.Servers[name].InService != "" {
			return false
		}
	}
	return true
}

// Decide grants a want, or holds its node.
func (l *Ledger) Decide(w Want) {
	if no := l.gate(w); no.Hold != nil {
		l.hold(w, no)
		return
	}
	clear(l.known)
	switch w.What {
	case grown:
		l.grow(w.nodes)
	case removed, Surplus:
		l.remove(w)
	case TakenBack:
		l.Rollout.uncount(w.Fact)
		l.Rollout.count(w.Place, w.To)
		delete(l.Under, w.Name)
		delete(l.Out, w.Name)
		l.Verdicts[w.Name] = Verdict{Want: w, Outcome: Changes, After: l.now.Before[w.Name]}
	case unhosted:
		l.sell(w.Fact)
		l.gone(w)
		l.unhosted++
	case Revised, GivenUp:
		l.revise(w)
	case returned:
		l.pending--
		l.returns(w.Fact)
		w.StandsIn = l.standsIn()
	case standsIn:
		l.back, l.Leaving = l.back.without(w.Fact), without(l.Leaving, w.Fact)
		enough := int64(len(l.Left))+l.pending >= l.Policy.Capacity
		l.returns(w.Fact)
		w.StandsIn = enough
		l.fit()
	case Remade, Replaced:
		l.replace(w)
	}
}

// hold notes what holds a node. If it should be replaced for several causes, a hold that ends by
// itself comes before one that only a person ends, and the earlier cause comes first.
func (l *Ledger) hold(w Want, no refusal) {
	before, there := l.Verdicts[w.Name]
	if there && (!before.Hold.Done || no.Hold.Done) {
		return
	}
	l.Verdicts[w.Name] = Verdict{Want: w, Outcome: Held, refusal: no}
}

// Granted reports whether a want for a node was granted.
func (l *Ledger) Granted(name string) bool {
	v, there := l.Verdicts[name]
	return there && v.Outcome != Held
}

// without returns a list without the name of a node.
func without(list []string, f *facts.Fact) []string {
	return slices.DeleteFunc(list, func(name string) bool { return name == f.Name })
}

// grow adds nodes. Nodes that find room in full places alone wait until these are tried again.
func (l *Ledger) grow(nodes int64) {
	if l.err != nil {
		return
	}
	l.pending = nodes
	if _, l.err = l.arrive(); l.err != nil && len(l.full) > 0 {
		board := l.board
		l.board = l.boardWithFull
		_, l.err = l.arrive()
		l.board = board
	}
	if l.unhosted > 0 { // nobody asked for these
		l.err = nil
	}
	if l.grown = l.pending; l.err == nil {
		l.fit()
	}
}

// fit takes away pending nodes of the growth until the others find room.
func (l *Ledger) fit() {
	for _, err := l.arrive(); err != nil && l.pending > 0; _, err = l.arrive() {
		l.pending, l.grown, l.Short = l.pending-1, l.grown-1, l.Short+1
	}
	l.Rollout.promised = 0
	l.Rollout.promise(l.pending)
}

// remove removes a candidate or a node that is too many. The substitute of a candidate that was under
// way, or was tried, tries the wanted template once more: it counts against the batch.
func (l *Ledger) remove(w Want) {
	tries := w.What == removed && (l.Under[w.Name] || slices.Contains(l.Tried, w.Name))
	if w.What == removed && w.NoHost {
		l.sell(w.Fact)
	}
	l.gone(w)
	if tries && int64(len(l.Left)) < l.Policy.Capacity {
		l.Taken++
	}
	if w.What == Surplus && w.Is == facts.Serving {
		l.Out[w.Name] = true // this plan takes it out of service
	}
}

// gone takes a node off the board.
func (l *Ledger) gone(w Want) {
	l.leave(w.Fact)
	l.Rollout.uncount(w.Fact)
	delete(l.Under, w.Name)
	if w.What != Replaced { // a replaced node stays in Out, for its substitute
		delete(l.Out, w.Name)
		l.Baking = without(l.Baking, w.Fact)
	}
	if w.Server.ID != "" {
		l.destroys++
	}
	l.Tried = without(l.Tried, w.Fact)
	l.Verdicts[w.Name] = Verdict{Want: w, Outcome: Leaves}
}

// revise gives a node that never served the template and the flavor that it should have. Nobody uses
// the node, so it does not count against the batch, and keeps its name: one plan repairs a bad growth
// or a bad batch. If a leaving node suits, it comes back instead. Any leaving node suits in the place
// of a node that is given up.
func (l *Ledger) revise(w Want) {
	var back *facts.Fact
	if w.Outdated || w.What == GivenUp {
		back = l.comesBack(w)
	}
	if back == nil {
		l.Rollout.uncount(w.Fact)
		if l.takes(w) {
			l.Taken++
		}
		l.change(w, l.Rollout.templateAt(w.Place))
		l.Under[w.Name], l.Out[w.Name] = true, true
		return
	}
	l.back, l.Leaving = l.back.without(back), without(l.Leaving, back)
	if w.What == GivenUp {
		back.Tried = w.Template.Hash()
	}
	l.returns(back)
	back.StandsIn = w.StandsIn
	w.Back = back.Name
	if w.Server.ID != "" {
		l.unused++
	}
	l.gone(w)
}

// comesBack returns the leaving node that comes back in the place of a node that never served, or nil.
// Nodes of slots stay in their slots.
func (l *Ledger) comesBack(w Want) *facts.Fact {
	if l.Policy.Stateful != nil {
		return nil
	}
	board := l.boardWithFull.Clone()
	board.Add(w.Place, -1)
	suits := func(f *facts.Fact) bool { return w.What == GivenUp || l.Rollout.suits(f) }
	return l.back.first(suits, board, w.Place)
}

// returns puts a leaving node that comes back on the board.
func (l *Ledger) returns(f *facts.Fact) {
	l.board.Add(f.Place, 1)
	l.boardWithFull.Add(f.Place, 1)
	f.StandsIn = false
	l.Left[f.Name] = f
	l.enters(f)
	l.Rollout.count(f.Place, f.Template)
	l.returned = append(l.returned, f)
	l.Verdicts[f.Name] = Verdict{Want: Want{Fact: f}, Outcome: Returns}
}

// replace replaces a node, or makes it again, within the batch.
func (l *Ledger) replace(w Want) {
	l.Taken++
	if l.Policy.Keeps(w.Cause) {
		l.Rollout.uncount(w.Fact)
		l.change(w, l.Rollout.templateAt(w.Place))
		delete(l.Under, w.Name)
		l.Out[w.Name] = true
		return
	}
	if full, _ := l.substitute(w.Fact, l.pending); full {
		l.sell(w.Fact)
	}
	if w.retries() {
		l.retries[w.Template]++
	}
	if w.Cause == roster.Misplaced {
		l.better = append(l.better, w.Better)
	}
	l.pending++
	if l.Policy.TakesFirst() {
		l.moved++
	}
	if w.StandsIn {
		l.heirs++
	}
	l.gone(w)
	l.Rollout.promise(1)
}

// standsIn reports whether the next node that is added takes over from a node that stood in for another.
// Otherwise the next plan would remove it as one too many.
func (l *Ledger) standsIn() bool {
	l.heirs--
	return l.heirs >= 0
}

// flavor is what a node that keeps its name gets: its own, where its server is not made again and may have it.
func (l *Ledger) flavor(w Want, again bool) (flavor, id string) {
	if w.NoHost {
		l.sold[roster.Spot{Place: w.Asked, Flavor: w.Flavor}] = true
	} else if !again && l.Policy.Offers(w.Asked, w.Node) {
		return w.Flavor, w.FlavorID
	}
	flavor, _ = l.Policy.FlavorOf(w.Asked, l.sold)
	return flavor, l.Policy.FlavorIDs[w.Region][flavor]
}

// change gives a template to a node that keeps its name, or has its server made again. The node
// then counts as new: it has not served.
func (l *Ledger) change(w Want, template roster.Template) {
	v := Verdict{Want: w, Outcome: Changes}
	v.To, v.After = template, w.Node
	v.After.Served, v.After.Doubt, v.After.Retried = false, true, w.retries() && template == w.Template
	v.After.Template, v.After.Mark = template, w.Mark.Next(template)
	again := l.again(w)
	if again {
		v.After.Generation++
	}
	v.After.Flavor, v.After.FlavorID = l.flavor(w, again)
	l.Rollout.count(w.Place, template)
	l.Verdicts[w.Name] = v
}

// again reports whether the server of a node that keeps its name is made again. A node that was never
// found has none: if there is one under another name, it stays as it is.
func (l *Ledger) again(w Want) bool {
	if w.What == Revised {
		return !w.Unfound && !l.Policy.InPlace()
	}
	return w.What == Remade || l.Policy.Keeps(w.Cause) && l.Policy.MakesAgain(w.Cause)
}

// takes reports whether a node that never served may be in service after all, so that the batch counts it.
func (l *Ledger) takes(w Want) bool {
	switch {
	case w.Unfound:
		return !l.ignores(w)
	case l.First:
		return false
	}
	return l.starts(w.Fact) || w.Is.MayServe && l.Policy.TakesFirst()
}

// ignores reports whether a server surely stays as it is if its node changes and has no other
// generation.
func (l *Ledger) ignores(w Want) bool {
	return !l.Policy.InPlace() && !l.Policy.Begins && w.Loose == ""
}
