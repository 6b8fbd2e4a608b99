package roster

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// pool has the leaving nodes that may come back, by their indices: they are in
// service, and were not drained. One that comes back keeps its name, index and
// place: no server is made for it, and none of its own is drained. So a rollback
// needs no room for more servers, and destroys only what is bad.
type pool []*fact

func poolOf(now Roster, seen Seen, policy Policy) (back pool) {
	for _, name := range now.LeavingNames() {
		f := factOf(name, now.Leaving[name], now, seen, policy)
		named := slices.Contains(policy.Candidates, name) || slices.Contains(policy.Candidates, f.server.ID)
		released := policy.Stateful != nil && slices.Contains(policy.Stateful.Release, name)
		if f.looked && f.trouble == "" && !f.server.Tainted && !named && !released {
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
func (p *pool) take(a aim, board *placement.Board, near placement.Place) (*fact, bool) {
	best := -1
	for i, f := range *p {
		if (best < 0 || f.Place == near) && a.suits(f) && board.Takes(f.Place) {
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
