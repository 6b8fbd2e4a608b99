package decide

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/gate"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// ledger has everything that a grant depends on: the room in the places, the budget of the batch,
// the health of the cluster, and the rollout. The gate sees a copy of its numbers. While wants are asked only
// [ledger.decide] changes it. Then finish adds the nodes that come, and settle gives verdicts to the nodes that wait.
type ledger struct {
	Policy roster.Policy // with the wanted templates
	All    facts.Facts   // all nodes, including the ones that the plan removes
	now    roster.Roster // as the nodes are: with zones, slots and a first template
	named  candidates
	names  verdict.Names

	room
	gate.Counts
	rollout rollout
	err     error              // why the cluster cannot grow
	asked   func(verdict.Want) // told of each want that was decided; nil but in a test
	grown   bool               // whether the growth was decided

	nothing  bool                       // whether nothing is made: see [ledger.free]
	dead     []string                   // servers that failed: see [failed]
	verdicts map[string]verdict.Verdict // verdicts about the nodes whose wants were granted or refused, by name
	leaving  []string                   // leaving nodes outside closed regions whose servers still exist
	comers   []*facts.Fact              // new nodes

	passing int64                     // number of nodes to come in place of ones that stand in for stranded ones
	owed    int64                     // number of nodes that never served and leave, so that others come
	failed  int64                     // number of these with the wanted template
	cleans  int64                     // number of servers of such nodes that an apply that ends well destroys
	drained int64                     // number of leaving nodes whose servers only wait until they are destroyed
	retries map[roster.Template]int64 // numbers of pending second tries, by template
}

// newLedger works out what a plan has before it decides.
func newLedger(now roster.Roster, seen roster.Seen, policy roster.Policy) (l *ledger, err error) {
	now = zonesFrom(now, seen, policy.Regions)
	giveUp(now, seen, policy)
	refused := func(name string) bool { n, stays := now.Nodes[name]; return stays && !n.Served && seen.Missing[name] }
	if slices.ContainsFunc(policy.Awaited, refused) {
		policy.Awaited = nil // that apply failed, and may not have done the rest
	}
	l = &ledger{Policy: policy, verdicts: map[string]verdict.Verdict{}, retries: map[roster.Template]int64{}}
	if err = l.firstTemplate(now); err != nil {
		return nil, err
	}
	l.names.NoSlots = prepareSlots(&now, policy)
	l.now, l.All = now, facts.Assess(now, seen, policy)
	if l.named, err = findCandidates(now, l.All, policy); err != nil {
		return nil, err
	}
	l.room, l.rollout = roomOf(now, l.All, seen, policy), rolloutOf(now, policy)
	l.First = first(now, l.All, seen, policy)
	unused := l.countNodes(seen)
	unfound := func(f *facts.Fact) bool { return f.Unfound && f.Untouched == "" }
	l.dead = failed(now, seen)
	idle := unused || len(seen.Others) > 0 || len(l.dead) > 0 || l.All.Number((*facts.Fact).Dead) > 0
	l.Spent = now.Spent(policy)
	l.nothing = l.makesFirst() && (l.Spent || idle && l.All.Number(unfound) > 0)
	return l, nil
}

// countNodes counts nodes and servers. Unused says that servers are there that never served, and whose nodes leave.
func (l *ledger) countNodes(seen roster.Seen) (unused bool) {
	l.Size, l.Total = l.Policy.Batch(), int64(len(l.All))
	for name, f := range l.All {
		l.Servers += seen.Number(name)
		switch {
		case f.Sick():
			l.Sick++
		case f.Server.HealthUnknown && f.Untouched == "":
			l.Unknown++
		case f.Is == facts.Unknown:
			l.Unseen++
		}
		l.count(l.verdictOn(f), 1)
	}
	return l.countLeaving(seen)
}

// countLeaving counts the servers of the nodes that leave, and lists these nodes.
func (l *ledger) countLeaving(seen roster.Seen) (unused bool) {
	for _, name := range l.now.LeavingNames() {
		n, there := l.now.Leaving[name], seen.Number(name)
		l.Servers += there
		if l.Policy.Untouched(placement.Place{Region: n.Region}) != "" {
			continue // no refresh looks there, so nobody knows what an apply has destroyed
		}
		unused = unused || !n.Served && there > 0
		add(&l.cleans, there-int64(len(seen.Strays[name])), !n.Served)
		add(&l.cleans, 1, !n.Served && seen.Stray(name) && !slices.Contains(l.Policy.Awaited, name)) // or Terraform's
		if stray(name, n, seen, l.Policy) {
			continue
		}
		l.leaving = append(l.leaving, name)
		add(&l.drained, 1, seen.Servers[name].Drained)
	}
	return unused
}

// makesFirst reports whether the method makes the substitute of a node first.
func (l *ledger) makesFirst() bool { return l.Policy.Update != nil && !l.Policy.TakesFirst() }

// stray reports whether no apply will destroy the server of a node that leaves: nobody ever waited for it, or an apply
// that did nothing else left it. So nobody waits until it is gone, and the node does not come back. A server that
// serves is no stray.
func stray(name string, n roster.Node, seen roster.Seen, policy roster.Policy) bool {
	s := seen.Servers[name]
	runs := s.Status == "ACTIVE" || s.Status == "UNKNOWN" // a cell that is down hides it
	serves := runs && !s.Drained && (n.Served || s.InService != "")
	return policy.RequireMarks && seen.Stray(name) || slices.Contains(policy.Awaited, name) && !serves
}

// add adds to a number, if something is so.
func add(n *int64, by int64, is bool) {
	if is {
		*n += by
	}
}

// verdictOn returns the verdict about a node: without any it stays.
func (l *ledger) verdictOn(f *facts.Fact) verdict.Verdict {
	if v, decided := l.verdicts[f.Name]; decided {
		return v
	}
	return verdict.Verdict{Want: verdict.Want{Fact: f}, Outcome: verdict.Stays}
}

// grants notes a verdict that changes a node, and what the node counts for then.
func (l *ledger) grants(v verdict.Verdict) {
	if f, there := l.All[v.Name]; there {
		l.count(l.verdictOn(f), -1)
	}
	l.verdicts[v.Name] = v
	l.count(v, 1)
}

// count adds what a node counts for, times a number.
func (l *ledger) count(v verdict.Verdict, times int64) {
	leaves, changes := v.Outcome == verdict.Leaves, v.Outcome == verdict.Changes
	add(&l.Out, times, out(v))
	add(&l.Unmade, times, !leaves && v.Server.ID == "")
	switch {
	case leaves:
		add(&l.Baking, times, v.Bakes && v.What == verdict.Replaced) // for its substitute
		return
	case changes:
		add(&l.Under, times, v.What == verdict.Revised)
		add(&l.rollout.current, times, v.After.Template == l.Policy.Templates.At(v.Place))
	default:
		add(&l.Under, times, v.Occupies())
		add(&l.rollout.current, times, !v.Outdated)
	}
	if v.Outcome != verdict.Returns {
		add(&l.Baking, times, v.Bakes)
		add(&l.Unchanged, times, v.StandsUnchanged() && !changes)
	}
}

// out reports whether a node counts as out of service by its verdict.
func out(v verdict.Verdict) bool {
	switch {
	case v.Outcome == verdict.Changes:
		return v.What != verdict.TakenBack || v.Undone.Out()
	case v.Outcome == verdict.Leaves && v.What == verdict.Surplus:
		return v.Is == facts.Serving // this plan takes it out of service
	case v.Outcome == verdict.Leaves && v.What != verdict.Replaced:
		return false // but one that is replaced stays out for its substitute
	}
	return v.Out()
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

// view returns what the gate sees.
func (l *ledger) view() gate.View {
	return gate.View{
		Counts: l.Counts, Policy: l.Policy, Settled: l.now.Settled, Reached: l.rollout.reached(),
		Leaving: int64(len(l.leaving)), Free: l.free(l.pending), Room: &l.room,
	}
}

// beyond returns the number of servers that are there beyond the cluster once the plan has made a number of new nodes.
func (l *ledger) beyond(comes int64) int64 { return l.Servers + l.Unmade + comes - l.Policy.Capacity }

// free returns how many more servers may be made then: there are at most two batches beyond the cluster, whatever they
// are. A cluster that never served is made again in one batch. Nothing is made while dead or replaced servers are
// there and Nova refuses others, maybe for want of a quota: those are destroyed first. Nothing is made either from a
// template after two clean-ups.
func (l *ledger) free(comes int64) int64 {
	most := 2 * l.Size
	if l.First {
		most = l.Policy.Capacity
	}
	if l.nothing {
		return 0
	}
	return most - l.beyond(comes)
}

// decide grants a want, or holds its node.
func (l *ledger) decide(w verdict.Want) {
	no := verdict.Refusal{Hold: hold.Servers}
	if !l.lacks(w) {
		no = l.view().Check(w)
	}
	if no.Hold != nil {
		l.hold(w, no)
	} else {
		clear(l.fits)
		l.grant(w)
	}
	if l.asked != nil {
		l.asked(w)
	}
}

// lacks reports whether the substitute of a candidate that may serve cannot be made now. If nothing can be made, the
// nodes that do not serve may leave as well, and stand in for nobody.
func (l *ledger) lacks(w verdict.Want) bool {
	free, stay := max(0, l.free(0)), int64(len(l.staying))
	if free == 0 {
		stay = l.staying.Number(func(f *facts.Fact) bool { return f.Is.MayServe && !f.Unfound })
	}
	need := l.Policy.Capacity - stay + 1
	return w.What == verdict.Removed && l.makesFirst() && w.Is.MayServe && w.Served && need > free
}

// hold notes what holds a node. If it should be replaced for several causes, a hold that ends by
// itself comes before one that only a person ends, and the earlier cause comes first.
func (l *ledger) hold(w verdict.Want, no verdict.Refusal) {
	before, there := l.verdicts[w.Name]
	if there && (!before.Hold.Done || no.Hold.Done) {
		return
	}
	l.verdicts[w.Name] = verdict.Verdict{Want: w, Outcome: verdict.Held, Refusal: no}
}

// granted reports whether a want for a node was granted.
func (l *ledger) granted(name string) bool {
	v, there := l.verdicts[name]
	return there && v.Outcome != verdict.Held
}
