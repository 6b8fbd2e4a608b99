package decide

import (
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// room is where nodes are and may go: the places, and the leaving nodes that may come back.
type room struct {
	Left  facts.Facts       // the nodes on the board: those that stay or change, and those that come back
	space *placement.Board  // their places, closed where Nova found no host
	open  *placement.Board  // the same, where all places of hosts are open
	full  []placement.Place // places where Nova found no host; space has those open that only a group finds full
	Again bool              // whether full places count as open, because there is no other room
	back  pool

	better []placement.Place // places that nodes move to
}

// close closes a place where Nova found no host.
func (r *room) close(at placement.Place) {
	r.full = append(slices.Clone(r.full), at)
	r.space.Close(at)
}

// reopen opens all places where Nova found no host: it may have one by now.
func (r *room) reopen() { r.Again, r.full, r.space = true, nil, r.open.Clone() }

// leave takes a node off the board.
func (r *room) leave(f *facts.Fact) {
	r.space.Add(f.Place, -1)
	r.open.Add(f.Place, -1)
	delete(r.Left, f.Name)
}

// join puts a node on the board that comes back.
func (r *room) join(f *facts.Fact) {
	r.space.Add(f.Place, 1)
	r.open.Add(f.Place, 1)
	r.Left[f.Name] = f
}

// substitute finds out whether what comes for a node finds room next to the nodes that are
// pending: elsewhere where Nova found no host for it, which then is a full place, or, once
// that is not full any more, there too.
func (r *room) substitute(f *facts.Fact, pending int64) (full *placement.Place, err error) {
	here := r.space.Clone()
	here.Add(f.Place, -1)
	if f.Full == nil {
		_, err = here.Distribute(pending + 1)
		return nil, err
	}
	elsewhere := here.Clone()
	elsewhere.Close(*f.Full)
	if _, err = elsewhere.Distribute(pending + 1); err == nil {
		return f.Full, nil
	}
	if !f.Stuck {
		_, err = here.Distribute(pending + 1)
	}
	return nil, err
}

// pool has the leaving nodes that may come back, by their indices: they may be in service, and
// would not leave again for a cause. One that is not proven in service comes back only for a
// node that is given up. One that comes back keeps its name,
// index and place: no server is made for it, and none of its own is drained. So a rollback
// needs no room for more servers, and destroys only what is bad.
type pool []*facts.Fact

func poolOf(now roster.Roster, seen roster.Seen, policy roster.Policy) (back pool) {
	for _, name := range now.LeavingNames() {
		f := facts.FactOf(name, now.Leaving[name], now, seen, policy)
		named := slices.Contains(policy.Candidates, name) || slices.Contains(policy.Candidates, f.Server.ID)
		released := policy.Stateful != nil && slices.Contains(policy.Stateful.Release, name)
		again := policy.Update.Has(roster.Unhealthy) && f.Unhealthy() || policy.Update.Has(roster.TooOld) &&
			!f.Aged.IsZero()
		up := f.Looked && f.May() && !facts.Rules[f.Is].Accused && facts.Runs(f.Server)
		if up && !f.Server.Tainted && !named && !released && !again {
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
func (p *pool) take(suits func(*facts.Fact) bool, board *placement.Board, near placement.Place) (*facts.Fact, bool) {
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
func (r *room) takesBack(f *facts.Fact) bool {
	at, _ := r.open.Counted(f.Place)
	return len(r.better) == 0 || slices.Contains(r.better, at)
}

// roomOf is the room of a cluster.
func roomOf(now roster.Roster, all facts.Facts, seen roster.Seen, policy roster.Policy) room {
	r := room{Left: maps.Clone(all), full: seen.FullPlaces(policy), back: poolOf(now, seen, policy)}
	others := map[placement.Place]bool{} // where nodes are that no server group keeps waiting
	for _, f := range all {
		at := facts.Counted(f.Node, policy.Regions)
		others[at] = others[at] || !f.Apart
	}
	closed := slices.DeleteFunc(slices.Clone(r.full),
		func(at placement.Place) bool { return len(seen.Apart[at]) > 0 && others[at] })
	r.open, r.space = boardOf(all, policy.Regions, nil), boardOf(all, policy.Regions, closed)
	return r
}
