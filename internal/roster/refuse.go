package roster

import (
	"maps"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Nothing in this file changes the ledger.

// refuses says why a want is not granted now. It changes nothing: what bars the node comes
// first, then what is spent, then what finds no room.
func (l *ledger) refuses(w want) refusal {
	if w.what != remade && w.what != replaced && w.what != revised {
		return refusal{} // a growth and a shrink are what was asked for
	}
	for _, reason := range []func(want) refusal{l.bars, l.spends, l.noRoom} {
		if no := reason(w); no.hold != "" {
			return no
		}
	}
	return refusal{}
}

// bars says what bars a node from being changed, whatever the budget.
func (l *ledger) bars(w want) refusal {
	f := w.fact
	switch u := l.policy.Update; {
	case !f.free():
		return refuse(HeldProtected, "it %s", f.protected)
	case w.cause == Unhealthy && l.policy.stops(l.sick):
		return refuse(HeldOutage, "%d of %s are unhealthy, more than stop_above (%s) allows", l.sick,
			text.Nodes(l.total), u.StopAbove)
	case l.ever:
		return refusal{}
	case l.policy.Begins:
		return refuse(HeldBegins, "the update begins with the next apply")
	case f.rests != "":
		return refuse(HeldClosed, "%s", where(f.Place, f.rests))
	case !f.looked:
		return refuse(HeldUnseen, "no refresh has looked at it since it changed")
	case w.cause == Outdated && u.holds:
		return refuse(HeldFailed, "the template that it should get failed, and none is settled")
	case f.behind && (w.cause == Unhealthy || w.cause == TooOld):
		return refuse(HeldFormer, "%s", isFormer)
	case w.cause == Unhealthy && !f.Served && f.Retried && f.full == nil &&
		(!f.outdated || l.aim.at(f.Place) == f.Template): // with another template it is no third try
		return refuse(HeldTwice, "it never served, nor did the one before it: change the template, or name it in "+
			"candidates")
	case w.what == revised:
		return refusal{}
	case !f.idle && l.closed(w):
		return refuse(HeldClosed, "%s", where(f.Place, l.space.Why(f.Place)))
	}
	return refusal{}
}

// closed reports whether a node waits for its place to take nodes again: what comes for it
// would leave the spread worse than it is. One that is made again where it is gives up its
// own room first, so a full place takes it.
func (l *ledger) closed(w want) bool {
	switch w.cause {
	case Outdated, TooOld:
		if l.policy.keeps(w.cause) {
			return l.policy.makesAgain(w.cause) && l.open.Closed(w.Place)
		}
		return l.space.Closed(w.Place)
	}
	return false
}

// spends says what is spent: the number of nodes that get the wanted template, and the
// budget of the batch.
func (l *ledger) spends(w want) refusal {
	f, keeps := w.fact, l.policy.keeps(w.cause)
	back := w.cause == Outdated && l.goesBack()
	switch {
	case w.what == revised:
		return refusal{}
	case w.cause == Outdated && l.aim.reached():
		return refuse(HeldTarget, "as many nodes have the wanted template as target (%s) says", l.policy.Update.Target)
	case l.ever:
		return refusal{}
	case l.taken >= l.size:
		return refusal{hold: HeldBatch}
	case f.underWay() && f.idle && !keeps: // to replace it takes nothing from service
		return refusal{}
	case !f.idle && f.unhealthy == "" && w.cause != "" && l.policy.stops(l.sick+l.unknown):
		return refuse(HeldOutage, "%d of %s are unhealthy or nothing is known of them, more than stop_above (%s) "+
			"allows", l.sick+l.unknown, text.Nodes(l.total), l.policy.Update.StopAbove)
	case !f.idle && w.cause != "" && !back && len(l.baking) > 0:
		return refusal{hold: HeldBakes}
	case keeps && (f.idle || l.missing(f) < l.size):
		return refusal{}
	case keeps:
		return refusal{hold: HeldWaits}
	}
	busy := l.taken + 1 + int64(len(l.under))
	if l.under[w.name] {
		busy-- // its substitute is under way instead
	}
	if !f.idle {
		busy += int64(len(l.leaving))
		if l.pending >= l.back.number(l.aim) {
			busy += l.unused // its substitute is a new server, and these are not gone before that is there
		}
	}
	if busy > l.size {
		return refusal{hold: HeldWaits}
	}
	return refusal{}
}

// missing counts the nodes out of service or in doubt without one that should be taken too.
// Of nodes whose servers did not follow them, those that carry their own marks run: they do
// not wait for each other.
func (l *ledger) missing(f *fact) int64 {
	missing := l.grown
	for name := range l.out {
		other, there := l.left[name]
		runs := there && f.behind && other.runsOn() && !l.granted(name)
		if name != f.name && !runs {
			missing++
		}
	}
	return missing
}

// runsOn reports whether a server did not follow its node, and was found in service since. Where nobody looks that is
// not known.
func (f *fact) runsOn() bool {
	return f.trouble == isFormer && !f.unseen && f.server.InService == string(f.Mark)
}

// goesBack reports whether the wanted templates are the settled ones: what goes back to
// them waits for nobody.
func (l *ledger) goesBack() bool { return maps.Equal(l.policy.Templates, l.now.Settled) }

// noRoom says why what comes for a node finds no room.
func (l *ledger) noRoom(w want) refusal {
	switch {
	case l.ever || w.what == revised:
		return refusal{}
	case l.policy.keeps(w.cause) && w.cause != Outdated && w.stuck && w.what != remade:
		return refuse(HeldNoHost, "Nova found no host for it in %s", w.Place)
	case l.policy.keeps(w.cause):
		return refusal{}
	}
	if _, err := l.without(w.fact); err != nil {
		return refuse(HeldNoRoom, "%s", detail(err))
	}
	return refusal{}
}

// without fails where the substitute of a node finds no room: elsewhere where Nova found no
// host for it, in that full place, or, once it is not full any more, there too.
func (l *ledger) without(f *fact) (full *placement.Place, err error) {
	here := l.space.Clone()
	here.Add(f.Place, -1)
	if l.ever {
		return f.full, nil
	}
	if f.full == nil {
		_, err = here.Distribute(l.pending + 1)
		return nil, err
	}
	elsewhere := here.Clone()
	elsewhere.Close(*f.full)
	if _, err = elsewhere.Distribute(l.pending + 1); err == nil {
		return f.full, nil
	}
	if !f.stuck {
		_, err = here.Distribute(l.pending + 1)
	}
	return nil, err
}
