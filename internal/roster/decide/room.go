package decide

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/cause"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// room says where nodes are and may be placed, and which leaving nodes may come back.
type room struct {
	staying       facts.Facts               // nodes on the board: they stay, change or come back
	board         *placement.Board          // places of these nodes; a full one is closed
	boardWithFull *placement.Board          // the same board with full places open
	fullPlaces    []placement.Place         // full places: Nova found no host there
	back          pool                      // leaving nodes that come back where a node is needed
	others        pool                      // other leaving nodes that may serve, where nothing may be made
	fullSpots     map[roster.Spot]time.Time // flavors without a host

	movesTo []placement.Place // places that nodes move to
	pending int64             // number of nodes to be added: the growth, and a substitute for each that is replaced
	// whether the substitute of a node finds no room, by the place of the node, since the last change
	fits map[placement.Place]error
}

// Closed implements [gate.Room].
func (r *room) Closed(at placement.Place, full bool) (why string) {
	if full {
		return r.boardWithFull.Why(at)
	}
	return r.board.Why(at)
}

// Fits implements [gate.Room]. The answer is the same for all nodes of a place as long as nothing changes.
func (r *room) Fits(w verdict.Want) error {
	if err, there := r.fits[w.Place]; there && !w.NoHost {
		return err
	}
	_, err := r.substitute(w.Fact)
	if !w.NoHost {
		r.fits[w.Place] = err
	}
	return err
}

// noteFull notes that Nova found no host for a node: its place is full for its flavor. If no flavor is left, the
// place is full.
func (r *room) noteFull(f *facts.Fact) {
	r.fullSpots[roster.Spot{Place: f.Asked, Flavor: f.Flavor}] = time.Time{}
	if !f.Other {
		r.fullPlaces = append(r.fullPlaces, f.Asked)
		r.board.Close(f.Asked)
	}
}

// substitute returns an error if the substitute of a node finds no room next to the pending nodes. If Nova found no
// host for the node, its substitute is placed elsewhere, and substitute reports that the place is full; or there too,
// if there is no other room and the place is not full any more.
func (r *room) substitute(f *facts.Fact) (full bool, err error) {
	here := r.board.Clone()
	here.Add(f.Place, -1)
	if !f.NoHost {
		_, err = here.Distribute(r.pending + 1)
		return false, err
	}
	elsewhere := here.Clone()
	if !f.Other {
		elsewhere.Close(f.Asked)
	}
	if _, err = elsewhere.Distribute(r.pending + 1); err == nil {
		return true, nil
	}
	if !f.StillFull {
		_, err = here.Distribute(r.pending + 1)
	}
	return false, err
}

// pool has the leaving nodes that may come back, by their indices: they served, and may be in service now. Nodes that
// are accused, or would leave again for a cause, are apart. A node that comes back keeps its name, index and place: no
// server is made or drained for it. So a rollback needs no room for more servers, and destroys only bad ones.
type pool []*facts.Fact

func poolOf(now roster.Roster, seen roster.Seen, policy roster.Policy) (back, others pool) {
	for _, name := range now.LeavingNames() {
		f := facts.FactOf(name, now.Leaving[name], now, seen, policy)
		switch {
		case stray(name, f.Node, seen, policy) || !f.Looked || !f.Served || !f.Is.MayServe || !f.Runs():
		case f.Outlived || f.Is.Accused || unwanted(f, policy) || renewed(f, policy, false) || renewed(f, policy, true):
			others = append(others, f)
		default:
			back = append(back, f)
		}
	}
	slices.SortStableFunc(others, func(f, g *facts.Fact) int { return facts.TrueFirst(f.Is.Proven, g.Is.Proven) })
	return back, others
}

// unwanted reports whether somebody wants a leaving node to be gone.
func unwanted(f *facts.Fact, policy roster.Policy) bool {
	named := (f.Named && policy.Stateful == nil) || slices.Contains(policy.Candidates, f.Name) ||
		slices.Contains(policy.Candidates, f.Server.ID)
	released := policy.Stateful != nil && slices.Contains(policy.Stateful.Release, f.Name)
	return f.Server.Tainted || named || released
}

// renewed reports whether a leaving node that came back would be replaced, for causes that wait for its place, or for
// the others.
func renewed(f *facts.Fact, policy roster.Policy, waits bool) bool {
	return slices.ContainsFunc(cause.All, func(c *cause.Cause) bool {
		return c.Renews && c.Waits == waits && policy.Update.Has(c.Name) && c.Concerns(f)
	})
}

// first returns the first node that suits and whose place can take a node, or nil. Nodes of the place
// near come first.
func (p pool) first(suits func(*facts.Fact) bool, board *placement.Board, near placement.Place) (best *facts.Fact) {
	for _, f := range p {
		if (best == nil || f.Place == near) && suits(f) && board.Takes(f.Place) {
			best = f
			if near == (placement.Place{}) || f.Place == near {
				break
			}
		}
	}
	return best
}

func (p pool) without(f *facts.Fact) pool {
	return slices.DeleteFunc(slices.Clone(p), func(other *facts.Fact) bool { return other == f })
}

func roomOf(now roster.Roster, all facts.Facts, seen roster.Seen, policy roster.Policy) room {
	r := room{
		staying: maps.Clone(all), fullPlaces: seen.FullPlaces(policy), fullSpots: map[roster.Spot]time.Time{},
		fits: map[placement.Place]error{},
	}
	maps.Copy(r.fullSpots, seen.Full)
	r.back, r.others = poolOf(now, seen, policy)
	r.boardWithFull, r.board = boardOf(all, policy.Regions, nil), boardOf(all, policy.Regions, r.fullPlaces)
	return r
}

// queues is a board with the nodes that may leave each place, in order. The board keeps all other nodes.
type queues struct {
	*placement.Board
	in    map[placement.Place][]*facts.Fact
	order func(a, b *facts.Fact) int
}

// boardOf returns a board of nodes on which full places are closed.
func boardOf(all facts.Facts, listed []placement.Region, full []placement.Place) *placement.Board {
	nodes := placement.Counts{}
	for _, f := range all {
		nodes[f.Place]++
	}
	board := placement.NewBoard(listed, nodes)
	for _, at := range full {
		board.Close(at)
	}
	return board
}

// byTurn orders nodes by the criterion. A node that comes back has no turn yet: its index decides.
func byTurn(a, b *facts.Fact) int {
	return cmp.Or(cmp.Compare(a.Turn, b.Turn), a.Compare(b))
}

// queue returns the nodes that may leave, in an order.
func queue(
	board *placement.Board, all facts.Facts, may func(*facts.Fact) bool, order func(a, b *facts.Fact) int,
) queues {
	q := queues{board.Clone(), map[placement.Place][]*facts.Fact{}, order}
	kept := placement.Counts{}
	for _, f := range all {
		if !may(f) {
			kept[f.Place]++
			continue
		}
		at, _ := q.Counted(f.Place)
		q.in[at] = append(q.in[at], f)
	}
	for at, nodes := range kept {
		q.Keep(at, nodes)
	}
	for _, nodes := range q.in {
		slices.SortFunc(nodes, order)
	}
	return q
}

// next returns the next node to leave, or nil: the first in the queue of the place that placement chooses. If two
// places are equally good, the node that comes first in the order of the queues leaves.
func (q queues) next() *facts.Fact {
	at, ok := q.First(func(x, y placement.Place) int {
		if len(q.in[x]) == 0 || len(q.in[y]) == 0 {
			return cmp.Compare(len(q.in[y]), len(q.in[x]))
		}
		return q.order(q.in[x][0], q.in[y][0])
	})
	if !ok {
		return nil
	}
	return q.in[at][0]
}

// leave takes the first node of a place from its queue. If the node does not leave after all, the board keeps it.
func (q queues) leave(at placement.Place, leaves bool) {
	at, _ = q.Counted(at)
	q.in[at] = q.in[at][1:]
	if leaves {
		q.Add(at, -1)
	} else {
		q.Keep(at, 1)
	}
}
