package roster

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// batch is what an update replaces.
type batch struct {
	picked  []departure
	blocked []string // nodes that it would replace now, and whose substitutes find no room
	noRoom  error    // why
}

// chooseBatch chooses the nodes that an update replaces in this plan, of all that
// are left of those before it; growth is the number of nodes that are added as
// well.
func chooseBatch(now Roster, before, all facts, growth int64, full []placement.Place, policy Policy) batch {
	u := policy.Update
	if u == nil || u.New {
		return batch{}
	}
	d := newDraft(now, before, all, growth, full, policy)
	d.size = u.size(policy.Capacity)
	d.waiting = before.number((*fact).underWay)
	d.pick([]func(*fact) bool{
		(*fact).underWay, // to replace these takes nothing from service
		func(f *fact) bool { return !f.underWay() && f.trouble != "" },
		func(f *fact) bool { return f.trouble == "" },
	})
	d.blocked = slices.Compact(all.byIndex(d.blocked))
	return d.batch
}

// remaining counts the nodes that an update would still replace, could it replace
// all at once.
func remaining(now Roster, before, all facts, full []placement.Place, policy Policy) int64 {
	if policy.Update == nil {
		return 0
	}
	d := newDraft(now, before, all, 0, full, policy)
	d.size, d.everything = math.MaxInt64, true
	d.pick([]func(*fact) bool{
		func(f *fact) bool { return f.trouble != "" },
		func(f *fact) bool { return f.trouble == "" },
	})
	return int64(len(d.picked))
}

// size is the number of nodes in a batch.
func (u *Update) size(capacity int64) int64 { return max(u.BatchSize.down(capacity), 1) }

// draft is a batch while it is chosen. Nothing outside this file sees it.
type draft struct {
	batch
	now        Roster
	policy     Policy
	all        facts
	gone       map[string]bool   // nodes that were picked and are removed
	outage     bool              // whether nothing is replaced for being unhealthy
	full       []placement.Place // places where Nova found no host
	space      *placement.Board  // the nodes that are left, as far as their substitutes need room
	size       int64             // maximum number of nodes to pick
	waiting    int64             // nodes under way that are not picked
	current    int64             // nodes of the wanted templates, new ones included
	pending    int64             // nodes that will be added: the growth, and a substitute for each that is removed
	everything bool              // whether to choose without asking for room
}

func newDraft(now Roster, before, all facts, growth int64, full []placement.Place, policy Policy) *draft {
	return &draft{now: now, policy: policy, all: all, outage: outage(before, policy), gone: map[string]bool{}, full: slices.Clone(full), space: boardOf(all, policy.Regions, full),
		current: growth + all.number(func(f *fact) bool { return !f.outdated }), pending: growth}
}

// pick chooses class by class, in each by the causes in their order.
func (d *draft) pick(classes []func(*fact) bool) {
	unhealthy := d.policy.Update.Has(Unhealthy) && !d.outage
	for _, class := range classes {
		concerned := func(f *fact) bool { return f.free() && class(f) }
		if unhealthy {
			d.pickUnhealthy(concerned)
		}
		if d.policy.Update.Has(Misplaced) {
			d.pickMisplaced(concerned)
		}
		if d.policy.Update.Has(Outdated) {
			d.pickOutdated(concerned)
		}
	}
}

// may reports whether a node can be picked within the size of the batch and, for
// Outdated, the target. Of nodes in service, or of another template, no more are
// picked than size leaves next to those that are under way.
func (d *draft) may(f *fact, cause Cause) bool {
	n := int64(len(d.picked))
	switch {
	case n >= d.size, cause == Outdated && d.current >= d.policy.Update.Target.up(d.policy.Capacity):
		return false
	case f.underWay(), d.everything:
		return true
	}
	return n+1+d.waiting <= d.size
}

// take picks a node, unless its substitute would find no room.
func (d *draft) take(f *fact, cause Cause, why string) bool {
	inPlace := cause == Outdated && d.policy.Update.InPlace
	if !inPlace && !d.fits(f) {
		d.blocked = append(d.blocked, f.name)
		return false
	}
	d.picked = append(d.picked, departure{name: f.name, cause: cause, inPlace: inPlace, why: why})
	if f.underWay() {
		d.waiting--
	}
	if f.outdated {
		d.current++
	}
	if inPlace {
		return true
	}
	d.pending++
	if f.full != nil {
		d.full = append(d.full, *f.full)
	}
	d.gone[f.name] = true
	return true
}

// fits takes a node off the board if its substitute then finds room.
func (d *draft) fits(f *fact) bool {
	if d.everything {
		return true
	}
	space := d.space.Clone()
	space.Add(f.Place, -1)
	if f.full != nil {
		space.Close(*f.full)
	}
	if _, err := space.Distribute(d.pending + 1); err != nil {
		d.noRoom = err
		return false
	}
	d.space = space
	return true
}

// queue lines up the nodes that may be picked. Mins are none of an update's
// business: a substitute comes for each node.
func (d *draft) queue(may func(*fact) bool) queues {
	rest := maps.Clone(d.all)
	maps.DeleteFunc(rest, func(name string, _ *fact) bool { return d.gone[name] })
	return queue(boardOf(rest, d.policy.Regions, d.full), rest, may)
}

func (d *draft) pickUnhealthy(concerned func(*fact) bool) {
	q := d.queue(func(f *fact) bool { return concerned(f) && f.unhealthy != "" })
	q.DropMins()
	for {
		f, ok := q.next()
		if !ok || !d.may(f, Unhealthy) {
			return
		}
		q.leave(f.Place, d.take(f, Unhealthy, f.unhealthy))
	}
}

// pickMisplaced picks the nodes whose moves make the spread better, each time of
// the cluster as it is once the nodes that are pending are placed.
func (d *draft) pickMisplaced(concerned func(*fact) bool) {
	q := d.queue(concerned)
	for {
		grown := q.Clone()
		grown.Grow(d.pending)
		from, to, ok := grown.Move()
		if !ok {
			return
		}
		f := q.all[q.in[from][0]]
		if !d.may(f, Misplaced) {
			return
		}
		why := q.Beyond(from)
		if why == "" {
			why = to.String() + " is a better place"
		}
		q.leave(from, d.take(f, Misplaced, why))
		for _, at := range d.full { // Nova may have found no host for the node
			q.Close(at)
		}
	}
}

// pickOutdated picks the newest of the outdated templates first: one that was
// given up half way is the least proven. Nodes in service in places that take no
// nodes now wait: their substitutes would leave the spread worse than it is.
func (d *draft) pickOutdated(concerned func(*fact) bool) {
	var templates []Template
	for _, f := range d.all {
		if f.outdated && !d.gone[f.name] && concerned(f) && !slices.Contains(templates, f.Template) {
			templates = append(templates, f.Template)
		}
	}
	slices.SortFunc(templates, func(a, b Template) int {
		return cmp.Or(cmp.Compare(d.now.age(b), d.now.age(a)), cmp.Compare(b, a))
	})
	for _, template := range templates {
		q := d.queue(func(f *fact) bool {
			open := d.everything || d.policy.Update.InPlace || f.trouble != "" || !d.space.Closed(f.Place)
			return f.outdated && f.Template == template && concerned(f) && open
		})
		q.DropMins()
		for _, p := range d.picked {
			if p.inPlace { // out of service for a while, like a node that leaves
				q.Add(d.all[p.name].Place, -1)
				q.Keep(d.all[p.name].Place, -1)
			}
		}
		for {
			f, ok := q.next()
			if !ok || !d.may(f, Outdated) {
				break
			}
			q.leave(f.Place, d.take(f, Outdated, f.Template.differs(d.policy.Templates.At(f.Place))))
		}
	}
}

// outage reports whether so many nodes are unhealthy that none is replaced for
// it.
func outage(all facts, policy Policy) bool {
	sick := all.number(func(f *fact) bool { return f.unhealthy != "" })
	return big.NewRat(sick, 1).Cmp(policy.Update.StopAbove.exact(policy.Capacity)) > 0
}

// removed are those of the batch that a new node takes the place of.
func (b batch) removed() (list []departure) {
	for _, d := range b.picked {
		if !d.inPlace {
			list = append(list, d)
		}
	}
	return list
}
