package decide

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// Nodes go back in two ways: a change that was not carried out is taken back, and a leaving node stands in for one that
// does not serve.

// takeBack asks for the nodes whose servers may still serve as they were before a change, if so many others are out of
// service by now or by this plan, or come with a growth, that the next apply would take too many. The first may still
// change: those that are not proven to serve, then by index. If a batch is the whole cluster, turns of the apply bound
// it, and nobody marks a node that an interrupted apply changed or drained while the others wait for its turn: it comes
// first, and alone.
func (l *ledger) takeBack(grown int64, ask func(verdict.Want)) {
	if !l.Policy.InPlace() {
		return
	}
	var undone []*facts.Fact
	room, unproven, interrupted := l.Size-l.Out-grown, int64(0), false
	for _, f := range l.staying.ByIndex(func(*facts.Fact) bool { return true }) {
		pending := f.Undone != nil && !l.granted(f.Name)
		if pending {
			undone = append(undone, f)
			room++
			add(&unproven, 1, f.Undone.Out())
		}
		interrupted = interrupted || out(l.verdictOn(f)) && f.Looked && (!pending || f.Undone.Out())
	}
	slices.SortStableFunc(undone, func(f, g *facts.Fact) int { return facts.TrueFirst(f.Undone.Out(), g.Undone.Out()) })
	if l.Size >= l.Policy.Capacity && interrupted {
		room = min(room, unproven)
	}
	for _, f := range undone[min(int64(len(undone)), max(0, room)):] {
		ask(verdict.Want{Fact: f, What: verdict.TakenBack, To: f.Undone.Template})
	}
}

// stranded reports whether a node was never in service, and is where no update touches it.
func (l *ledger) stranded(f *facts.Fact) bool {
	return !f.Served && f.Is != facts.Serving && (f.Closed || l.Policy.Unreachable[f.Region])
}

// standIn asks for leaving nodes in service, as many as stranded nodes and full places lack: a place
// that closes, or is full, while a batch is open costs no server. A node comes back to any place,
// because its server is there. It waits for a look at the other nodes.
func (l *ledger) standIn(ask func(verdict.Want)) {
	if l.staying.Number(func(f *facts.Fact) bool { return f.Doubt && !l.stranded(f) }) > 0 {
		return
	}
	for _, f := range slices.Concat(l.back, l.worn) {
		if int64(len(l.staying))+l.pending-l.staying.Number(l.stranded) >= l.Policy.Capacity {
			return
		}
		if f.Is == facts.Serving && f.StandsIn {
			ask(verdict.Want{Fact: f, What: verdict.StandsIn})
		}
	}
}
