package decide

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/cause"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// gate returns why a want is not granted now: the first hold of the table that applies. Every
// change of a node passes it, whatever its cause and method. The gate changes nothing.
//
// It has three breakers, which do not depend on the cause:
//
//   - quorum: a method that takes nodes out of service first takes a node that may be in
//     service only while enough other nodes are proven in service
//   - servers: at most two batches of leaving nodes have a server
//   - batch: a plan replaces at most a batch of nodes
func (l *ledger) gate(w verdict.Want) verdict.Refusal {
	switch w.What {
	case verdict.Removed, verdict.Grown, verdict.Surplus, verdict.Returned, verdict.StandsIn, verdict.TakenBack:
		return verdict.Refusal{} // a person asked for these
	case verdict.Unhosted:
		return l.bars(w)
	case verdict.Revised:
		if w.Unfound {
			return l.unmade(w)
		}
	}
	for _, holds := range []func(verdict.Want) verdict.Refusal{l.bars, l.barsFor, l.noRoom, l.spent} {
		if no := holds(w); no.Hold != nil {
			return no
		}
	}
	return verdict.Refusal{}
}

// unmade returns why a node whose server was never found keeps its template: it waits for nobody, as
// long as its region answers.
func (l *ledger) unmade(w verdict.Want) (no verdict.Refusal) {
	switch {
	case w.Dark:
		no = verdict.Refusal{Hold: hold.Closed, Why: w.Rests}
	case l.taken >= l.size && !l.ignores(w):
		no.Hold = hold.Batch
	}
	return no
}

// bars returns what bars a node from any change.
func (l *ledger) bars(w verdict.Want) (no verdict.Refusal) {
	switch f := w.Fact; {
	case !f.Free():
		no.Hold = hold.Protected
	case l.policy.Begins:
		no.Hold = hold.Begins
	case f.Later && w.What != verdict.Remade:
		no.Hold = hold.Older
	case f.Loose != "" && w.What != verdict.Remade, f.LooseMoves != "" && w.Cause == roster.Misplaced:
		no.Hold = hold.Wiring
	case f.Rests != "":
		no = verdict.Refusal{Hold: hold.Closed, Why: f.Rests}
	case !f.Looked, f.Server.Status == "UNKNOWN" && l.policy.Keeps(w.Cause):
		no.Hold = hold.Unseen
	}
	return no
}

// barsFor returns what bars a node from a change for its cause.
func (l *ledger) barsFor(w verdict.Want) (no verdict.Refusal) {
	switch f := w.Fact; {
	case l.outage(w):
		no.Hold = hold.Outage
	case w.Cause == roster.Outdated && l.holds():
		no.Hold = hold.Failed
	case f.NotRemade && cause.Of(w.Cause).Renews:
		no.Hold = hold.NotRemade
	case l.twice(w):
		no.Hold = hold.Twice
	case l.harmless(w):
	case l.reached(w):
		no.Hold = hold.Target
	case l.outside(w):
		no.Hold = hold.Window
	case !w.NeedsRoom():
	case f.Is.MayServe && l.closed(w) != "":
		no = verdict.Refusal{Hold: hold.Closed, Why: l.closed(w)}
	}
	return no
}

// holds reports whether a template failed, and another one is waited for.
func (l *ledger) holds() bool {
	return l.policy.Update != nil && l.policy.Update.Holds
}

// harmless reports whether a node stays and its change takes no server that may serve, so that no target, window or
// closed place bars it.
func (l *ledger) harmless(w verdict.Want) bool {
	return !w.NeedsRoom() && (l.first || !w.Is.MayServe || !l.policy.TakesFirst())
}

// reached reports whether a node keeps its template because enough nodes have the new one.
func (l *ledger) reached(w verdict.Want) bool {
	return w.NeedsRoom() && w.Cause == roster.Outdated && l.rollout.reached()
}

// outage reports whether too many nodes are unhealthy, or may be, to replace a node.
func (l *ledger) outage(w verdict.Want) bool {
	if w.Cause == roster.Unhealthy && l.policy.Stops(l.sick) {
		return true
	}
	return w.What == verdict.Replaced && w.Is.MayServe && !w.Unhealthy() && l.policy.Stops(l.sick+l.unknown)
}

// twice reports whether two servers of the template that a node would get failed in its place.
func (l *ledger) twice(w verdict.Want) bool {
	if w.What == verdict.Replaced && w.Retried && w.Retries() {
		return true
	}
	return w.Cause != "" && w.Cause != roster.Unhealthy && w.Refused
}

// outside reports whether a node waits for the window of the update.
func (l *ledger) outside(w verdict.Want) bool {
	return l.shut != "" && w.Cause != "" && w.Cause != roster.Unhealthy && !l.goesBack(w)
}

// closed returns why a node waits until its place takes nodes again, or "". Its substitute would
// make the spread worse. A node that is made again in its place frees its own room first, so a
// full place takes it.
func (l *ledger) closed(w verdict.Want) (why string) {
	switch keeps := l.policy.Keeps(w.Cause); {
	case !cause.Of(w.Cause).Waits:
		return ""
	case keeps && l.policy.MakesAgain(w.Cause) && l.boardWithFull.Closed(w.Place), !keeps && l.board.Closed(w.Place):
		return l.board.Why(w.Place)
	case !keeps && w.Apart:
		return "has no host for its server group"
	}
	return ""
}

// noRoom returns why the substitute of a node finds no room. The answer is the same for all nodes
// of a place as long as nothing changes.
func (l *ledger) noRoom(w verdict.Want) verdict.Refusal {
	switch {
	case !w.NeedsRoom():
		return verdict.Refusal{}
	case l.policy.Keeps(w.Cause) && w.Cause != roster.Outdated && w.Stuck && w.What != verdict.Remade:
		return verdict.Refusal{Hold: hold.NoHost}
	case l.policy.Keeps(w.Cause):
		return verdict.Refusal{}
	}
	if known, there := l.known[w.Place]; there && !w.NoHost {
		return known
	}
	var no verdict.Refusal
	if _, err := l.substitute(w.Fact, l.pending); err != nil {
		no = verdict.Refusal{Hold: hold.NoRoom, Err: err}
	}
	if !w.NoHost {
		l.known[w.Place] = no
	}
	return no
}

// spent returns which part of the budget is used up, or that the node must wait for a quorum.
func (l *ledger) spent(w verdict.Want) (no verdict.Refusal) {
	switch {
	case w.What == verdict.GivenUp:
	case w.What == verdict.Revised:
		switch {
		case l.starts(w.Fact) && l.taken >= l.size:
			no.Hold = hold.Batch
		case l.policy.TakesFirst() && !l.first && !l.quorum(w.Fact):
			no.Hold = hold.Waits
		}
	case l.taken >= l.size:
		no.Hold = hold.Batch
	case l.crowded(w):
		no.Hold = hold.Servers
	case l.bakes(w):
		no.Hold = hold.Bakes
	case l.waits(w):
		no.Hold = hold.Waits
	}
	return no
}

// crowded reports whether the servers beyond the cluster are more than two batches once a node
// leaves too. A node that served and broke, or has no host, may leave anyway.
func (l *ledger) crowded(w verdict.Want) bool {
	broke := !w.Is.MayServe && (w.Served || w.NoHost)
	return !l.policy.Keeps(w.Cause) && !broke && l.beyond(w.Fact) > 2*l.size
}

// bakes reports whether the previous batch must be in service for longer. Going back does not
// wait.
func (l *ledger) bakes(w verdict.Want) bool {
	return w.Is.MayServe && w.Cause != "" && !l.goesBack(w) && l.baking > 0
}

// waits reports whether a node must wait for nodes that are out of service or under way already.
func (l *ledger) waits(w verdict.Want) bool {
	keeps := l.policy.Keeps(w.Cause)
	free := w.UnderWay() && !w.Is.MayServe && !keeps // its replacement takes nothing out of service
	if l.policy.TakesFirst() && !l.quorum(w.Fact) || !keeps && !free && l.busy(w.Fact) > l.size {
		return true
	}
	return w.Cause == roster.Outdated && w.Is.MayServe && l.tried > 0
}

// beyond returns the number of servers beyond the cluster once a node has left too.
func (l *ledger) beyond(f *facts.Fact) int64 {
	n := int64(len(l.leaving)) + l.destroys
	if f.Server.ID != "" {
		n++
	}
	return n
}

// quorum reports whether a node may be taken out of service: it is proven to be out of service,
// or enough other nodes are proven to be in service. An accused node may also be taken while no
// more than a batch is under way, so that a wrong accusation costs at most a batch.
func (l *ledger) quorum(f *facts.Fact) bool {
	if !f.Is.MayServe || l.missing(f) < l.size {
		return true
	}
	busy := l.taken + int64(len(l.under))
	if l.under[f.Name] {
		busy--
	}
	return l.accused(f) && busy < l.size
}

// accused reports whether a wait or a check of health says that a node is out of service, or no
// look ever found its server. That server may have another name, and then costs a batch. The
// check of health does not count if it accuses more nodes than stop_above.
func (l *ledger) accused(f *facts.Fact) bool {
	return f.Unfound || f.Is.Accused && (f.Is != facts.Unwell || !l.policy.Stops(l.sick+l.unknown+l.unseen))
}

// missing returns the number of nodes that are not proven in service, including the growth and
// without the node that should be taken. Nodes whose servers did not follow them but carry their
// own marks run, so they do not wait for each other.
func (l *ledger) missing(f *facts.Fact) int64 {
	missing := l.grown + l.moved + int64(len(l.out))
	if l.out[f.Name] {
		missing--
	}
	if f.NotRemade {
		missing -= l.unchanged
		add(&missing, 1, standsUnchanged(f)) // the node itself was left out already
	}
	return missing
}

// busy returns the number of nodes that the batch would have to wait for with one more node: the
// nodes under way and, if the node may be in service, the leaving servers that still run. A node
// that was never found may be the substitute of such a server, so these do not count for it.
func (l *ledger) busy(f *facts.Fact) int64 {
	busy := l.taken + 1 + int64(len(l.under))
	if l.under[f.Name] {
		busy-- // its substitute is under way instead
	}
	if f.Is.MayServe && !f.Unfound {
		busy += int64(len(l.leaving))
		unsuited := func(f *facts.Fact) bool { return !l.rollout.suits(f) }
		if l.unused > 0 && l.pending >= int64(len(slices.DeleteFunc(slices.Clone(l.back), unsuited))) {
			busy += l.unused // its substitute is a new server, and these servers are destroyed after it is made
		}
	}
	return busy
}

// goesBack reports whether a node goes back to the settled template of its place. It does not wait.
func (l *ledger) goesBack(w verdict.Want) bool {
	settled := l.now.Settled.At(w.Place)
	return w.Cause == roster.Outdated && settled != "" && settled == l.policy.Templates.At(w.Place)
}
