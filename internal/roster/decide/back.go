package decide

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// takeBack asks for the nodes whose servers may still serve as they were before a change, if so many others are out of
// service, or come with a growth, that the next apply would take too many. The first may still change: those that are
// not proven to serve, then by index.
func (l *ledger) takeBack(grown int64) {
	if !l.Policy.InPlace() {
		return
	}
	undone := l.staying.ByIndex(func(f *facts.Fact) bool { return f.Undone != nil && !l.granted(f.Name) })
	slices.SortStableFunc(undone, func(f, g *facts.Fact) int { return facts.TrueFirst(f.Undone.Out(), g.Undone.Out()) })
	count := int64(len(undone))
	for _, f := range undone[min(count, max(0, l.Size-l.Out-grown+count)):] {
		l.decide(verdict.Want{Fact: f, What: verdict.TakenBack, To: f.Undone.Template})
	}
}

// stranded reports whether a node was never in service, and is where no update touches it.
func (l *ledger) stranded(f *facts.Fact) bool {
	return !f.Served && f.Is != facts.Serving && (f.Closed || l.Policy.Unreachable[f.Region])
}

// standIn asks for leaving nodes in service, as many as stranded nodes and full places lack: a place
// that closes, or is full, while a batch is open costs no server. A node comes back to any place,
// because its server is there. It waits for a look at the other nodes. If not all can be made that are needed, all
// that may serve come back.
func (l *ledger) standIn() {
	few := l.Crowded+l.Short > 0
	if !few && l.staying.Number(func(f *facts.Fact) bool { return f.Doubt && !l.stranded(f) }) > 0 {
		return
	}
	for _, f := range slices.Concat(l.back, l.others) {
		if int64(len(l.staying))+l.pending-l.staying.Number(l.stranded) >= l.Policy.Capacity {
			return
		}
		if l.mayStandIn(f, few) {
			l.decide(verdict.Want{Fact: f, What: verdict.StandsIn})
		}
	}
}

// mayStandIn reports whether a leaving node may stand in: any whose name was not tried in vain, if nodes are few.
func (l *ledger) mayStandIn(f *facts.Fact, few bool) bool {
	if _, back := l.staying[f.Name]; back || f.Tried || f.Noted() {
		return false
	}
	return few || f.Is == facts.Serving && f.StandsIn && !unwanted(f, l.Policy) && !renewed(f, l.Policy, false)
}
