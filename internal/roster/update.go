package roster

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// replace chooses the batch of the update and removes or revises its nodes. It
// returns the number of substitutes; growing is the number of nodes that are
// added as well.
func (p *planner) replace(growing int64) (substitutes int64) {
	u := p.policy.Update
	if u == nil || u.New {
		return 0
	}
	b := p.newBatch(growing, u.size(p.policy.Capacity))
	b.pick()
	p.blocked, p.noRoom = slices.Compact(byIndex(p.now.Nodes, b.blocked)), b.noRoom
	for _, v := range b.picked {
		if v.inPlace {
			p.left[v.name] = v.departure
			n := p.next.Nodes[v.name]
			n.Revision = p.wanted
			p.next.Nodes[v.name] = n
			continue
		}
		p.markFull(v.name)
		p.remove(v.name, v.departure)
		substitutes++
	}
	return substitutes
}

// size is the number of nodes in a batch.
func (u *Update) size(capacity int64) int64 { return max(u.BatchSize.down(capacity), 1) }

// remaining counts the nodes that an update would still replace, could it
// replace all at once.
func (p *planner) remaining() int64 {
	if p.policy.Update == nil {
		return 0
	}
	b := p.newBatch(0, math.MaxInt64)
	b.all, b.waits = true, nil
	b.pick()
	return int64(len(b.picked))
}

// victim is a node that an update replaces.
type victim struct {
	name    string
	inPlace bool
	departure
}

// batch is a batch of victims as it is chosen, on a copy of the planner.
type batch struct {
	*planner
	size    int64 // most victims
	waiting int64 // nodes under way that are no victims
	current int64 // nodes of the wanted revision, new ones included
	pending int64 // nodes that will be added: the growth, and a substitute for each victim
	all     bool  // whether to choose without asking for room

	picked  []victim
	taken   []string // of the picked, those that stay in place
	space   *board   // the cluster without the victims
	blocked []string // nodes whose substitutes find no room
	noRoom  error    // why
}

func (p *planner) newBatch(growing, size int64) *batch {
	trial := *p
	trial.next, trial.full = p.next.clone(), maps.Clone(p.full)
	b := &batch{planner: &trial, size: size, waiting: int64(len(p.waits)), current: growing, pending: growing}
	b.space = trial.count()
	for _, n := range p.next.Nodes {
		if n.Revision == p.wanted {
			b.current++
		}
	}
	return b
}

// pick chooses the victims in their turn.
func (b *batch) pick() {
	for _, class := range []func(name string) bool{
		func(name string) bool { return b.waits[name] }, // to replace these takes nothing from service
		func(name string) bool { return !b.waits[name] && b.trouble(name) != "" },
		func(name string) bool { return b.trouble(name) == "" },
	} {
		concerned := func(name string) bool { return b.free(name) && class(name) }
		for _, cause := range []Cause{Unhealthy, Misplaced, Outdated} {
			switch {
			case !b.policy.Update.Has(cause), cause == Unhealthy && b.outage():
			case cause == Unhealthy:
				b.pickUnhealthy(concerned)
			case cause == Misplaced:
				b.pickMisplaced(concerned)
			default:
				b.pickOutdated(concerned)
			}
		}
	}
}

// may reports whether a node can be the next victim within the size of the batch
// and, for Outdated, the target. Of nodes in service, or of another revision,
// there are no more victims than size leaves next to those that are under way.
func (b *batch) may(name string, cause Cause) bool {
	n := int64(len(b.picked))
	switch {
	case n >= b.size, cause == Outdated && b.current >= b.policy.Update.Target.up(b.policy.Capacity):
		return false
	case b.waits[name], b.all:
		return true
	}
	return n+1+b.waiting <= b.size
}

// take makes a node the next victim, unless its substitute would find no room.
func (b *batch) take(name string, d departure) bool {
	n := b.next.Nodes[name]
	v := victim{name, d.cause == Outdated && b.policy.Update.InPlace, d}
	if !v.inPlace && !b.fits(name) {
		b.blocked = append(b.blocked, name)
		return false
	}
	b.picked = append(b.picked, v)
	if b.waits[name] {
		b.waiting--
	}
	if n.Revision != b.wanted {
		b.current++
	}
	if v.inPlace {
		b.taken = append(b.taken, name)
		return true
	}
	b.pending++
	b.markFull(name)
	delete(b.next.Nodes, name)
	return true
}

// fits takes a node off the cluster if its substitute then finds room.
func (b *batch) fits(name string) bool {
	if b.all {
		return true
	}
	regions := clone(b.space.regions)
	placement.At(regions, b.space.spot(b.next.Nodes[name].Place)).Current--
	if at, full := b.fullPlace(name); full {
		shut(regions, at)
	}
	if _, err := placement.DistributeRegions(regions, b.pending+1); err != nil {
		b.noRoom = err
		return false
	}
	b.space.regions = regions
	return true
}

func (b *batch) pickUnhealthy(concerned func(string) bool) {
	board := b.board(func(name string) bool { return concerned(name) && b.unhealthy(name) != "" }, false)
	for {
		name, spot, ok := board.leaving()
		if !ok || !b.may(name, Unhealthy) {
			return
		}
		board.leave(spot, b.take(name, departure{cause: Unhealthy, why: b.unhealthy(name)}))
	}
}

// pickMisplaced takes the nodes whose moves make the spread better, each time of
// the cluster as it is once the nodes that are pending are placed.
func (b *batch) pickMisplaced(concerned func(string) bool) {
	board := b.board(concerned, true)
	for {
		from, to, ok := placement.Moving(board.grown(b.pending))
		if !ok || !b.may(board.queues[from][0], Misplaced) {
			return
		}
		why := board.beyond(from)
		if why == "" {
			why = board.place(to).String() + " is a better place"
		}
		board.leave(from, b.take(board.queues[from][0], departure{cause: Misplaced, why: why}))
		board.shut(b.full) // Nova may have found no host for the node
	}
}

// pickOutdated takes the highest of the outdated revisions first: one that was
// given up half way is the least proven. Nodes in service in places that take no
// nodes now wait: their substitutes would leave the spread worse than it is.
func (b *batch) pickOutdated(concerned func(string) bool) {
	revisions := map[int64]struct{}{}
	for name, n := range b.next.Nodes {
		if n.Revision != b.wanted && concerned(name) {
			revisions[n.Revision] = struct{}{}
		}
	}
	for _, revision := range slices.Backward(slices.Sorted(maps.Keys(revisions))) {
		board := b.board(func(name string) bool {
			n := b.next.Nodes[name]
			return n.Revision == revision && concerned(name) &&
				(b.all || b.policy.Update.InPlace || b.trouble(name) != "" || !b.closed(n.Place))
		}, false)
		for _, name := range b.taken { // out of service for a while, like a node that leaves
			bin := placement.At(board.regions, board.spot(b.next.Nodes[name].Place))
			bin.Current--
			bin.Kept--
		}
		for {
			name, spot, ok := board.leaving()
			if !ok || !b.may(name, Outdated) {
				break
			}
			board.leave(spot, b.take(name, departure{cause: Outdated, why: fmt.Sprintf("it is of revision %d, and new nodes are of %d", revision, b.wanted)}))
		}
	}
}

// closed reports whether a listed place takes no nodes now.
func (p *planner) closed(at Place) bool {
	for _, r := range p.policy.Regions {
		if r.Name != at.Region {
			continue
		}
		if r.Closed || p.full[Place{Region: at.Region}] || p.full[at] {
			return true
		}
		return slices.ContainsFunc(r.Zones, func(z placement.Bin) bool { return z.Name == at.Zone && z.Closed })
	}
	return false
}

// fullPlace is the place of a node for whose server Nova found no host: its zone,
// or the whole region where the choice of the zone was Nova's.
func (p *planner) fullPlace(name string) (at Place, full bool) {
	server := p.seen.Servers[name]
	full = server.Status == "ERROR" && foundNoHost(server.Fault)
	at = p.next.Nodes[name].Place
	if !slices.ContainsFunc(p.policy.Regions, func(r placement.Region) bool { return r.Name == at.Region && len(r.Zones) > 0 }) {
		at.Zone = ""
	}
	return at, full
}

// foundNoHost reports whether a fault says that Nova's scheduler found no host,
// at once (NoValidHost) or after it tried those that it had chosen
// (MaxRetriesExceeded, which is what a group's policy ends in when two servers
// are created at the same moment).
func foundNoHost(fault string) bool {
	fault = strings.ToLower(fault)
	return strings.Contains(fault, "no valid host") || strings.Contains(fault, "exceeded maximum number of retries")
}

// markFull closes the place of a node for whose server Nova found no host.
func (p *planner) markFull(name string) {
	if at, full := p.fullPlace(name); full {
		p.full[at] = true
	}
}

// outage reports whether so many nodes are unhealthy that none is replaced for
// it.
func (p *planner) outage() bool {
	return big.NewRat(p.sick, 1).Cmp(p.policy.Update.StopAbove.exact(p.policy.Capacity)) > 0
}

// tell says why the update does less than it could.
func (p *planner) tell() {
	u := p.policy.Update
	if u == nil {
		return
	}
	more := p.change.Remaining
	if u.New {
		if more > 0 {
			p.notice(UpdateBegins, "%s should be replaced, and this apply replaces none: Terraform must first have stored create_before_destroy of the servers. The next apply takes the first batch.", text.Nodes(more))
		}
		return
	}
	if u.Has(Unhealthy) && p.outage() {
		p.notice(TooManyUnhealthy, "Unhealthy: %d of %s. That is more than stop_above (%s) allows, so none is replaced for that. Look at the cloud first; raise stop_above to replace them anyway, or name some in candidates.",
			p.sick, text.Nodes(int64(len(p.now.Nodes))), u.StopAbove)
	}
	if n := int64(len(p.blocked)); n > 0 {
		p.notice(NoRoom, "%s should be replaced now, and there is no room for substitutes: %s. %s Raise a cap, or list another place.", text.Nodes(n), text.Few(p.blocked), detail(p.noRoom))
	}
	var waits []string
	for _, name := range p.next.Names() {
		if p.waits[name] {
			waits = append(waits, fmt.Sprintf("%s (%s)", name, p.trouble(name)))
		}
	}
	if size := u.size(p.policy.Capacity); more > int64(len(p.blocked)) && p.replaced() < size && len(waits) > 0 {
		p.notice(BatchWaits, "%s more should be replaced, at most %d at a time. This batch waits for %s to get in service: %s. Apply again when that has happened; if it never will, change the template, or name them in candidates.",
			text.Nodes(more), size, text.Nodes(int64(len(waits))), text.Few(waits))
	}
	p.tellProtected()
}

// tellProtected names protected nodes that keep the update from its target.
func (p *planner) tellProtected() {
	var kept []string
	for _, name := range p.next.Names() {
		if why := p.protected[name]; why != "" && p.next.Nodes[name].Revision != p.wanted {
			kept = append(kept, fmt.Sprintf("%s (revision %d) %s", name, p.next.Nodes[name].Revision, why))
		}
	}
	u := p.policy.Update
	if u.Has(Outdated) && int64(len(kept)) > p.policy.Capacity-u.Target.up(p.policy.Capacity) {
		p.notice(ProtectedOutdated, "%s of another revision than %d will not be replaced: %s.", text.Nodes(int64(len(kept))), p.wanted, text.Few(kept))
	}
}

// replaced counts the nodes that the update replaces in this plan.
func (p *planner) replaced() (n int64) {
	for _, d := range p.left {
		if d.cause != "" {
			n++
		}
	}
	return n
}
