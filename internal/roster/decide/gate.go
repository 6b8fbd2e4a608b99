package decide

import (
	"maps"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
)

// gate says why a want is not granted now: the first hold of the table that applies. Every
// change of a node passes it, whatever its cause and method. It changes nothing.
//
// Three breakers in it do not ask why a node should be replaced. The quorum: where a method
// takes nodes from service, one that may be in service is taken only while enough others are
// proven to be. The servers: what leaves and still has a server is at most two batches. The
// batch: a plan replaces no more nodes.
func (l *Ledger) gate(w Want) refusal {
	switch w.What {
	case removed, grown, Surplus, returned:
		return refusal{} // they are what was asked for
	}
	for _, holds := range []func(Want) refusal{l.bars, l.barsFor, l.noRoom, l.spent} {
		if no := holds(w); no.hold != "" {
			return no
		}
	}
	return refusal{}
}

// bars says what bars a node from any change.
func (l *Ledger) bars(w Want) (no refusal) {
	switch f := w.Fact; {
	case !f.Free():
		no.hold = hold.HeldProtected
	case l.Policy.Begins:
		no.hold = hold.HeldBegins
	case f.Later && w.What != Remade:
		no.hold = hold.HeldOlder
	case f.Loose != "" && w.What != Remade, f.LooseMoves != "" && w.Cause == roster.Misplaced:
		no.hold = hold.HeldWiring
	case f.Rests != "":
		no = refusal{hold: hold.HeldClosed, At: f.Place, Why: f.Rests}
	case !f.Looked, f.Server.Status == "UNKNOWN" && l.Policy.Keeps(w.Cause):
		no.hold = hold.HeldUnseen
	}
	return no
}

// barsFor says what bars a node from a change for its cause.
func (l *Ledger) barsFor(w Want) (no refusal) {
	f := w.Fact
	again := !f.Outdated || l.Aim.at(f.Place) == f.Template // with another template it is no third try
	switch {
	case w.Cause == roster.Unhealthy && l.Policy.Stops(l.Sick),
		w.What == Replaced && f.May() && !f.Unhealthy() && l.Policy.Stops(l.Sick+l.Unknown):
		no.hold = hold.HeldOutage
	case w.Cause == roster.Outdated && l.Policy.Update.Holds:
		no.hold = hold.HeldFailed
	case f.Former && (w.Cause == roster.Unhealthy || w.Cause == roster.TooOld):
		no.hold = hold.HeldFormer
	case w.What == Replaced && f.Retried && w.retries() && again,
		w.Cause != "" && w.Cause != roster.Unhealthy && f.Tried == l.Policy.Templates.At(f.Place).Hash():
		no.hold = hold.HeldTwice
	case w.What == Revised || w.What == GivenUp:
	case w.Cause == roster.Outdated && l.Aim.reached():
		no.hold = hold.HeldTarget
	case f.May() && l.shut(w) != "":
		no = refusal{hold: hold.HeldClosed, At: f.Place, Why: l.shut(w)}
	}
	return no
}

// shut reports whether a node waits for its place to take nodes again: what comes for it
// would leave the spread worse than it is. One that is made again where it is gives up its
// own room first, so a full place takes it. It returns why, or "".
func (l *Ledger) shut(w Want) (why string) {
	switch keeps := l.Policy.Keeps(w.Cause); {
	case w.Cause != roster.Outdated && w.Cause != roster.TooOld:
		return ""
	case keeps && l.Policy.MakesAgain(w.Cause) && l.open.Closed(w.Place), !keeps && l.space.Closed(w.Place):
		return l.space.Why(w.Place)
	case !keeps && w.Apart && !l.Again:
		return "has no host for its server group"
	}
	return ""
}

// noRoom says why what comes for a node finds no room. The answer is the same for all nodes
// of a place as long as nothing changes.
func (l *Ledger) noRoom(w Want) refusal {
	switch {
	case w.What == Revised || w.What == GivenUp:
		return refusal{}
	case l.Policy.Keeps(w.Cause) && w.Cause != roster.Outdated && w.Stuck && w.What != Remade:
		return refusal{hold: hold.HeldNoHost, At: w.Place}
	case l.Policy.Keeps(w.Cause):
		return refusal{}
	}
	if known, there := l.known[w.Place]; there && w.Full == nil {
		return known
	}
	var no refusal
	if _, err := l.substitute(w.Fact, l.pending); err != nil {
		no = refusal{hold: hold.HeldNoRoom, Err: err}
	}
	if w.Full == nil {
		if l.known == nil {
			l.known = map[placement.Place]refusal{}
		}
		l.known[w.Place] = no
	}
	return no
}

// spent says what is spent of the budget, and whether a quorum would be left.
func (l *Ledger) spent(w Want) refusal {
	f, keeps := w.Fact, l.Policy.Keeps(w.Cause)
	free := f.UnderWay() && !f.May() && !keeps // to replace it takes nothing from service
	back := w.Cause == roster.Outdated && l.goesBack()
	switch {
	case w.What == GivenUp:
	case w.What == Revised:
		if !l.quorum(f) {
			return refusal{hold: hold.HeldWaits}
		}
	case l.Taken >= l.Size:
		return refusal{hold: hold.HeldBatch}
	case !keeps && (f.May() || !f.Served && f.Full == nil) && l.Beyond(f) > 2*l.Size:
		return refusal{hold: hold.HeldServers}
	case f.May() && w.Cause != "" && !back && len(l.Baking) > 0:
		return refusal{hold: hold.HeldBakes}
	case l.Policy.TakesFirst() && !l.quorum(f), !keeps && !free && l.busy(f) > l.Size,
		w.Cause == roster.Outdated && f.May() && len(l.Tried) > 0:
		return refusal{hold: hold.HeldWaits}
	}
	return refusal{}
}

// Beyond counts the servers beyond the cluster once a node has left too.
func (l *Ledger) Beyond(f *facts.Fact) int64 {
	n := int64(len(l.Leaving)) + l.destroys
	if f.Server.ID != "" {
		n++
	}
	return n
}

// quorum reports whether a node may be taken from service: it is proven to be out of it, or
// enough others are proven to be in it. One that a look of our own says is out of service
// may also be taken while no more than a batch is under way: a wrong look costs a batch.
func (l *Ledger) quorum(f *facts.Fact) bool {
	if !f.May() || l.missing(f) < l.Size {
		return true
	}
	busy := l.Taken + int64(len(l.Under))
	if l.Under[f.Name] {
		busy--
	}
	return l.accused(f) && busy < l.Size
}

// accused reports whether a look of our own says that a node is out of service, or never found
// one that was never in it: it may have another name, and costs a batch then. The check of
// health is believed of no more nodes than stop_above.
func (l *Ledger) accused(f *facts.Fact) bool {
	return f.Unfound || facts.Rules[f.Is].Accused && (f.Is != facts.Unwell ||
		!l.Policy.Stops(l.Sick+l.Unknown+l.unseen))
}

// missing counts the nodes that are not proven in service, without one that should be taken
// too, those of a growth included. Nodes whose servers did not follow them, and carry their
// own marks, run: they do not wait for each other.
func (l *Ledger) missing(f *facts.Fact) int64 {
	missing := l.grown + l.moved + int64(len(l.Out))
	if l.Out[f.Name] {
		missing--
	}
	if !f.Former {
		return missing
	}
	for name := range l.runOn {
		if name != f.Name && l.Out[name] && !l.Granted(name) {
			missing--
		}
	}
	return missing
}

// busy counts what the batch would have to wait for with one node more: the nodes under way
// and, for one that may be in service, the servers that leave and still run. One that was
// never found may have come for such a server, and adds nothing to what waits for it.
func (l *Ledger) busy(f *facts.Fact) int64 {
	busy := l.Taken + 1 + int64(len(l.Under))
	if l.Under[f.Name] {
		busy-- // its substitute is under way instead
	}
	if f.May() && !f.Unfound {
		busy += int64(len(l.Leaving))
		if l.pending >= l.back.number(l.Aim) {
			busy += l.unused // its substitute is a new server, and these are not gone before that is there
		}
	}
	return busy
}

// goesBack reports whether the wanted templates are the settled ones: what goes back to
// them waits for nobody.
func (l *Ledger) goesBack() bool { return maps.Equal(l.Policy.Templates, l.now.Settled) }
