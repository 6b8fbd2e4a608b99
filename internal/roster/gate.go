package roster

import (
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// gate says why a want is not granted now: the first hold of the table that applies. Every
// change of a node passes it, whatever its cause and method. It changes nothing.
//
// Three breakers in it do not ask why a node should be replaced. The quorum: where a method
// takes nodes from service, one that may be in service is taken only while enough others are
// proven to be. The servers: what leaves and still has a server is at most two batches. The
// batch: a plan replaces no more nodes.
func (l *ledger) gate(w want) refusal {
	switch w.what {
	case removed, grown, surplus, returned:
		return refusal{} // they are what was asked for
	}
	for _, holds := range []func(want) refusal{l.bars, l.barsFor, l.noRoom, l.spent} {
		if no := holds(w); no.hold != "" {
			return no
		}
	}
	return refusal{}
}

// bars says what bars a node from any change.
func (l *ledger) bars(w want) (no refusal) {
	switch f := w.fact; {
	case !f.free():
		no.hold = HeldProtected
	case l.policy.Begins:
		no.hold = HeldBegins
	case f.later && w.what != remade:
		no.hold = HeldOlder
	case f.loose != "":
		no.hold = HeldWiring
	case f.rests != "":
		no = refusal{hold: HeldClosed, at: f.Place, why: f.rests}
	case !f.looked, f.server.Status == "UNKNOWN" && l.policy.keeps(w.cause):
		no.hold = HeldUnseen
	}
	return no
}

// barsFor says what bars a node from a change for its cause.
func (l *ledger) barsFor(w want) (no refusal) {
	f := w.fact
	again := !f.outdated || l.aim.at(f.Place) == f.Template // with another template it is no third try
	switch {
	case w.cause == Unhealthy && l.policy.stops(l.sick),
		w.what == replaced && f.may() && !f.unhealthy() && l.policy.stops(l.sick+l.unknown):
		no.hold = HeldOutage
	case w.cause == Outdated && l.policy.Update.holds:
		no.hold = HeldFailed
	case f.former && (w.cause == Unhealthy || w.cause == TooOld):
		no.hold = HeldFormer
	case w.what == replaced && f.Retried && w.retries() && again, w.cause == Outdated && slices.Contains(l.tried, f.name):
		no.hold = HeldTwice
	case w.what == revised || w.what == givenUp:
	case w.cause == Outdated && l.aim.reached():
		no.hold = HeldTarget
	case f.may() && l.shut(w):
		no = refusal{hold: HeldClosed, at: f.Place, why: l.space.Why(f.Place)}
	}
	return no
}

// shut reports whether a node waits for its place to take nodes again: what comes for it
// would leave the spread worse than it is. One that is made again where it is gives up its
// own room first, so a full place takes it.
func (l *ledger) shut(w want) bool {
	switch w.cause {
	case Outdated, TooOld:
		if l.policy.keeps(w.cause) {
			return l.policy.makesAgain(w.cause) && l.open.Closed(w.Place)
		}
		return l.space.Closed(w.Place)
	}
	return false
}

// noRoom says why what comes for a node finds no room. The answer is the same for all nodes
// of a place as long as nothing changes.
func (l *ledger) noRoom(w want) refusal {
	switch {
	case w.what == revised || w.what == givenUp:
		return refusal{}
	case l.policy.keeps(w.cause) && w.cause != Outdated && w.stuck && w.what != remade:
		return refusal{hold: HeldNoHost, at: w.Place}
	case l.policy.keeps(w.cause):
		return refusal{}
	}
	if known, there := l.known[w.Place]; there && w.fact.full == nil {
		return known
	}
	var no refusal
	if _, err := l.substitute(w.fact, l.pending); err != nil {
		no = refusal{hold: HeldNoRoom, err: err}
	}
	if w.fact.full == nil {
		if l.known == nil {
			l.known = map[placement.Place]refusal{}
		}
		l.known[w.Place] = no
	}
	return no
}

// spent says what is spent of the budget, and whether a quorum would be left.
func (l *ledger) spent(w want) refusal {
	f, keeps := w.fact, l.policy.keeps(w.cause)
	free := f.underWay() && !f.may() && !keeps // to replace it takes nothing from service
	back := w.cause == Outdated && l.goesBack()
	switch {
	case w.what == givenUp:
	case w.what == revised:
		if !l.quorum(f) {
			return refusal{hold: HeldWaits}
		}
	case l.taken >= l.size:
		return refusal{hold: HeldBatch}
	case !keeps && (f.may() || !f.Served && f.full == nil) && l.beyond(f) > 2*l.size:
		return refusal{hold: HeldServers}
	case f.may() && w.cause != "" && !back && len(l.baking) > 0:
		return refusal{hold: HeldBakes}
	case l.policy.takesFirst() && !l.quorum(f), !keeps && !free && l.busy(f) > l.size,
		w.cause == Outdated && f.may() && len(l.tried) > 0:
		return refusal{hold: HeldWaits}
	}
	return refusal{}
}

// beyond counts the servers beyond the cluster once a node has left too.
func (l *ledger) beyond(f *fact) int64 {
	n := int64(len(l.leaving)) + l.destroys
	if f.server.ID != "" {
		n++
	}
	return n
}

// quorum reports whether a node may be taken from service: it is proven to be out of it, or
// enough others are proven to be in it. One that a look of our own says is out of service
// may also be taken while no more than a batch is under way: a wrong look costs a batch.
func (l *ledger) quorum(f *fact) bool {
	if !f.may() || l.missing(f) < l.size {
		return true
	}
	busy := l.taken + int64(len(l.under))
	if l.under[f.name] {
		busy--
	}
	return l.accused(f) && busy < l.size
}

// accused reports whether a look of our own says that a node is out of service, or never found
// one that was never in it: it may have another name, and costs a batch then. The check of
// health is believed of no more nodes than stop_above.
func (l *ledger) accused(f *fact) bool {
	return f.unfound || rules[f.is].accused && (f.is != Unwell || !l.policy.stops(l.sick+l.unknown+l.unseen))
}

// missing counts the nodes that are not proven in service, without one that should be taken
// too, those of a growth included. Nodes whose servers did not follow them, and carry their
// own marks, run: they do not wait for each other.
func (l *ledger) missing(f *fact) int64 {
	missing := l.grown + l.moved + int64(len(l.out))
	if l.out[f.name] {
		missing--
	}
	if !f.former {
		return missing
	}
	for name := range l.runOn {
		if name != f.name && l.out[name] && !l.granted(name) {
			missing--
		}
	}
	return missing
}

// busy counts what the batch would have to wait for with one node more: the nodes under way
// and, for one that may be in service, the servers that leave and still run. One that was
// never found may have come for such a server, and adds nothing to what waits for it.
func (l *ledger) busy(f *fact) int64 {
	busy := l.taken + 1 + int64(len(l.under))
	if l.under[f.name] {
		busy-- // its substitute is under way instead
	}
	if f.may() && !f.unfound {
		busy += int64(len(l.leaving))
		if l.pending >= l.back.number(l.aim) {
			busy += l.unused // its substitute is a new server, and these are not gone before that is there
		}
	}
	return busy
}

// goesBack reports whether the wanted templates are the settled ones: what goes back to
// them waits for nobody.
func (l *ledger) goesBack() bool { return maps.Equal(l.policy.Templates, l.now.Settled) }
