package roster

import (
	"math"
	"math/big"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// batch is what an update replaces.
type batch struct {
	picked   []departure
	returned []*fact           // leaving nodes that come back for some of them
	blocked  []string          // nodes that it would replace now, and whose substitutes find no room
	noRoom   error             // why
	homeless []string          // nodes that it would make again in their places, where Nova finds no host
	full     []placement.Place // places in which Nova found no host, also for nodes of the batch
}

// removed are those of the batch that another node takes the place of.
func (b batch) removed() (list []departure) {
	for _, d := range b.picked {
		if !d.inPlace {
			list = append(list, d)
		}
	}
	return list
}

// replaces counts the picked nodes that count against the size of a batch.
func (b batch) replaces() (n int64) {
	for _, d := range b.picked {
		if !d.unused {
			n++
		}
	}
	return n
}

// stage is the cluster as the steps before the batch leave it.
type stage struct {
	all    facts           // all nodes, also those that leave
	left   facts           // those that are left
	remade map[string]bool // of those, the candidates that are made again
	growth int64           // number of nodes that are added as well
	back   pool
	aim    aim
	full   []placement.Place // places where Nova found no host
}

// chooseBatch chooses the nodes that an update replaces in this plan.
func chooseBatch(now Roster, s stage, policy Policy) batch {
	u := policy.Update
	if u == nil || u.New {
		return batch{full: s.full}
	}
	d := newDraft(now, s, policy)
	d.size = u.size(policy.Capacity)
	d.waiting = s.all.number(func(f *fact) bool { return f.underWay() && f.rests == "" })
	d.leaving = int64(len(now.leavingFrom(policy)))
	d.bakes = len(s.left.baking()) > 0
	d.out = s.growth + s.left.number(func(f *fact) bool { return f.trouble != "" || f.unseen || s.remade[f.name] })
	d.reviseFree()
	d.aim.give(s.growth)
	d.pick([]func(*fact) bool{
		(*fact).underWay, // to replace these takes nothing from service
		func(f *fact) bool { return !f.underWay() && f.trouble != "" },
		func(f *fact) bool { return f.trouble == "" },
	})
	d.blocked = slices.Compact(d.all.byIndex(d.blocked))
	d.homeless = slices.Compact(d.all.byIndex(d.homeless))
	return d.batch
}

// remaining counts the nodes that an update would still replace, could it replace
// all at once. An outage that this plan ends, for instance because candidates leave,
// does not hold back the next plan.
func remaining(now Roster, after facts, full []placement.Place, policy Policy) int64 {
	if policy.Update == nil {
		return 0
	}
	d := newDraft(now, stage{all: after, left: after, full: full, aim: aimOf(now, after, policy)}, policy)
	d.size, d.everything = math.MaxInt64, true
	d.reviseFree()
	d.pick([]func(*fact) bool{
		func(f *fact) bool { return f.trouble != "" },
		func(f *fact) bool { return f.trouble == "" },
	})
	return int64(len(d.picked))
}

// size is the number of nodes in a batch.
func (u *Update) size(capacity int64) int64 { return max(u.BatchSize.down(capacity), 1) }

// sick reports whether a node should be replaced because it is unhealthy. Those of
// closed places are not: an operator knows about them.
func (f *fact) sick() bool { return f.unhealthy != "" && f.rests == "" }

// outage reports whether so many nodes are unhealthy that none is replaced for
// it.
func outage(all facts, policy Policy) bool {
	return policy.stops(all.number((*fact).sick))
}

// stops reports whether so many nodes are more than stop_above.
func (p Policy) stops(sick int64) bool {
	return big.NewRat(sick, 1).Cmp(p.Update.StopAbove.exact(p.Capacity)) > 0
}
