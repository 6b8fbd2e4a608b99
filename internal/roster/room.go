package roster

import (
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// room is where nodes are and may go: the places, and the leaving nodes that may come back.
type room struct {
	left  facts             // the nodes on the board: those that stay or change, and those that come back
	space *placement.Board  // their places, closed where Nova found no host
	open  *placement.Board  // the same, where all places of hosts are open
	full  []placement.Place // places where Nova found no host
	again bool              // whether full places count as open, because there is no other room
	back  pool

	better []placement.Place // places that nodes move to
}

// close closes a place where Nova found no host.
func (r *room) close(at placement.Place) {
	r.full = append(slices.Clone(r.full), at)
	r.space.Close(at)
}

// reopen opens all places where Nova found no host: it may have one by now.
func (r *room) reopen() { r.again, r.full, r.space = true, nil, r.open.Clone() }

// leave takes a node off the board.
func (r *room) leave(f *fact) {
	r.space.Add(f.Place, -1)
	r.open.Add(f.Place, -1)
	delete(r.left, f.name)
}

// join puts a node on the board that comes back.
func (r *room) join(f *fact) {
	r.space.Add(f.Place, 1)
	r.open.Add(f.Place, 1)
	r.left[f.name] = f
}

// substitute finds out whether what comes for a node finds room next to the nodes that are
// pending: elsewhere where Nova found no host for it, which then is a full place, or, once
// that is not full any more, there too.
func (r *room) substitute(f *fact, pending int64) (full *placement.Place, err error) {
	here := r.space.Clone()
	here.Add(f.Place, -1)
	if f.full == nil {
		_, err = here.Distribute(pending + 1)
		return nil, err
	}
	elsewhere := here.Clone()
	elsewhere.Close(*f.full)
	if _, err = elsewhere.Distribute(pending + 1); err == nil {
		return f.full, nil
	}
	if !f.stuck {
		_, err = here.Distribute(pending + 1)
	}
	return nil, err
}

// pool has the leaving nodes that may come back, by their indices: they may be in service, and
// would not leave again for a cause. One that is not proven in service comes back only for a
// node that is given up. One that comes back keeps its name,
// index and place: no server is made for it, and none of its own is drained. So a rollback
// needs no room for more servers, and destroys only what is bad.
type pool []*fact

func poolOf(now Roster, seen Seen, policy Policy) (back pool) {
	for _, name := range now.LeavingNames() {
		f := factOf(name, now.Leaving[name], now, seen, policy)
		named := slices.Contains(policy.Candidates, name) || slices.Contains(policy.Candidates, f.server.ID)
		released := policy.Stateful != nil && slices.Contains(policy.Stateful.Release, name)
		again := policy.Update.Has(Unhealthy) && f.unhealthy() || policy.Update.Has(TooOld) && !f.aged.IsZero()
		up := f.looked && f.may() && !rules[f.is].accused && runs(f.server)
		if up && !f.server.Tainted && !named && !released && !again {
			back = append(back, f)
		}
	}
	return back
}

// number counts those that suit.
func (p pool) number(a aim) (n int64) {
	for _, f := range p {
		if a.suits(f) {
			n++
		}
	}
	return n
}

// take is the first node that suits, and whose place takes one: one of the place near, if there is any.
func (p *pool) take(suits func(*fact) bool, board *placement.Board, near placement.Place) (*fact, bool) {
	best := -1
	for i, f := range *p {
		if (best < 0 || f.Place == near) && suits(f) && board.Takes(f.Place) {
			best = i
			if near == (placement.Place{}) || f.Place == near {
				break
			}
		}
	}
	if best < 0 {
		return nil, false
	}
	f := (*p)[best]
	*p = slices.Delete(slices.Clone(*p), best, best+1)
	return f, true
}

// takesBack reports whether a leaving node may come back to its place: once nodes move, only to
// one that they move to, because another one would not make the spread better.
func (r *room) takesBack(f *fact) bool {
	at, _ := r.open.Counted(f.Place)
	return len(r.better) == 0 || slices.Contains(r.better, at)
}

// roomOf is the room of a cluster.
func roomOf(now Roster, all facts, seen Seen, policy Policy) room {
	r := room{left: maps.Clone(all), full: seen.full(policy), back: poolOf(now, seen, policy)}
	r.open, r.space = boardOf(all, policy.Regions, nil), boardOf(all, policy.Regions, r.full)
	return r
}
