package roster

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// draft is a batch while it is chosen. Nothing outside this file sees it.
type draft struct {
	batch
	now        Roster
	policy     Policy
	all        facts // the nodes that are left before the batch, and those that come back
	back       pool
	aim        aim
	decided    map[string]bool  // nodes that were picked, come back, or are made again as candidates
	gone       map[string]bool  // of those, the ones that are removed
	outage     bool             // whether nothing is replaced for being unhealthy
	listed     *placement.Board // the places, without any node
	space      *placement.Board // the nodes that are left, as far as their substitutes need room
	pending    int64            // nodes that will be added: the growth, and a substitute for each that is removed
	everything bool             // whether to choose without asking for room
	texts      differences

	size    int64 // maximum number of nodes to pick
	taken   int64 // number of those picked that count against it
	waiting int64 // nodes under way that are not picked, those revised for free included
	leaving int64 // leaving nodes that do not come back
	unused  int64 // servers that never served, and leave because such nodes come back
	bakes   bool  // whether nodes have to be in service for longer before others are taken from it
	out     int64 // nodes out of service, and those in service that were picked
}

func newDraft(now Roster, s stage, policy Policy) *draft {
	d := &draft{
		now:     now,
		policy:  policy,
		all:     maps.Clone(s.left),
		back:    s.back,
		aim:     s.aim,
		decided: map[string]bool{},
		gone:    map[string]bool{},
		outage:  outage(s.all, policy),
		listed:  boardOf(nil, policy.Regions, nil),
		batch:   batch{full: slices.Clone(s.full)},
		space:   boardOf(s.left, policy.Regions, s.full),
		pending: s.growth,
		texts:   differences{},
	}
	maps.Copy(d.decided, s.remade)
	if s.aim.slots {
		d.back = nil // nodes stay in their slots
	}
	return d
}

// reviseFree gives the nodes that never served the template that they should
// have. Nobody uses them, so all are changed at once, under their own names: no
// second server is made, and one plan repairs a bad growth or a bad batch. Where a
// leaving node is what is wanted it comes back instead. Where a substitute may be
// made, a node for which Nova found no host is left to the causes, which look for
// another place.
func (d *draft) reviseFree() {
	if !d.policy.Update.Has(Outdated) || d.policy.Update.holds && !d.everything {
		return
	}
	open := boardOf(d.all, d.policy.Regions, nil) // a leaving node has a host
	for _, name := range d.all.names() {
		f := d.all[name]
		if !f.never || !f.free() || f.rests != "" || d.decided[name] || !f.outdated || d.aim.reached() && f.settled ||
			f.full != nil && !d.policy.Update.keeps(Outdated) {
			continue
		}
		picked := departure{name: name, cause: Outdated, template: d.aim.at(f.Place), unused: true}
		picked.why = d.texts.of(f.Template, picked.template) + "; it never served"
		if picked.template == f.Template {
			continue // there is no settled one to go back to
		}
		open.Add(f.Place, -1)
		if returns, ok := d.back.take(d.aim, open, f.Place); ok {
			picked.why += ", and " + returns.name + " comes back"
			open.Add(returns.Place, 1)
			d.space.Add(f.Place, -1)
			d.space.Add(returns.Place, 1)
			d.returned = append(d.returned, returns)
			d.all[returns.name] = returns
			d.gone[name], d.decided[returns.name] = true, true
			d.leaving--
			if f.server.ID != "" {
				d.unused++
			}
		} else {
			open.Add(f.Place, 1)
			picked.inPlace = true
			picked.again = d.policy.Update.Method == Recreate
			d.waiting++
		}
		d.decided[name] = true
		d.aim.give(1)
		d.picked = append(d.picked, picked)
	}
}

// pick chooses class by class, in each by the causes in their order.
func (d *draft) pick(classes []func(*fact) bool) {
	unhealthy := d.policy.Update.Has(Unhealthy) && !d.outage
	for _, class := range classes {
		concerned := func(f *fact) bool {
			return f.free() && (f.rests == "" || d.everything) && !d.decided[f.name] && class(f)
		}
		if unhealthy {
			d.pickUnhealthy(concerned)
		}
		if d.policy.Update.Has(Misplaced) {
			d.pickMisplaced(concerned)
		}
		if d.policy.Update.Has(Outdated) {
			d.pickOutdated(concerned)
		}
		if d.policy.Update.Has(TooOld) {
			d.pickAged(concerned)
		}
	}
}

// may reports whether a node can be picked within the size of the batch and, for
// Outdated, the target. What is not in service may be picked next to what is under
// way. What serves waits for the batch before: for the nodes under way, and for
// those that leave to be gone, else many of them would fill a quota. A method that
// takes nodes from service before it gives them back looks at all that are out of
// service, for whatever reason: as many as a batch, and no more. Those of a closed
// region may be, because nobody looks at them.
func (d *draft) may(f *fact, cause Cause) bool {
	switch {
	case d.taken >= d.size, cause == Outdated && d.aim.reached():
		return false
	case f.underWay(), d.everything:
		return true
	case cause == Outdated && d.policy.Update.holds:
		return false
	case f.trouble == "" && d.bakes:
		return false
	case d.policy.Update.keeps(Outdated):
		return f.trouble != "" || d.out+1 <= d.size
	case f.trouble != "":
		return d.taken+1+d.waiting <= d.size
	}
	leaving := d.leaving
	if d.pending >= d.back.number(d.aim) {
		leaving += d.unused // its substitute is a new server, and these are not gone before that is there
	}
	return d.taken+1+d.waiting+leaving <= d.size
}

// take picks a node, unless its substitute would find no room.
func (d *draft) take(f *fact, cause Cause, why string) bool {
	inPlace := d.policy.Update.keeps(cause)
	switch {
	case inPlace && cause != Outdated && f.stuck:
		d.homeless = append(d.homeless, f.name)
		return false
	case !inPlace && !d.fits(f):
		d.blocked = append(d.blocked, f.name)
		return false
	}
	d.aim.take(f)
	d.picked = append(d.picked, departure{name: f.name, cause: cause, why: why, inPlace: inPlace,
		again: inPlace && d.policy.Update.makesAgain(cause), template: d.aim.at(f.Place)})
	d.aim.give(1)
	d.decided[f.name] = true
	d.taken++
	if f.underWay() {
		d.waiting--
	}
	if f.trouble == "" {
		d.out++
	}
	if inPlace {
		return true
	}
	d.pending++
	d.gone[f.name] = true
	return true
}

// fits takes a node off the board if its substitute then finds room: elsewhere where
// Nova found no host for it or, once its place is not full any more, there.
func (d *draft) fits(f *fact) bool {
	if d.everything {
		if f.full != nil {
			d.full = append(d.full, *f.full)
		}
		return true
	}
	space := d.space.Clone()
	space.Add(f.Place, -1)
	elsewhere := space
	if f.full != nil {
		elsewhere = space.Clone()
		elsewhere.Close(*f.full)
	}
	_, err := elsewhere.Distribute(d.pending + 1)
	switch {
	case err == nil:
		d.space = elsewhere
		if f.full != nil {
			d.full = append(d.full, *f.full)
		}
		return true
	case f.full != nil && !f.stuck:
		_, err = space.Distribute(d.pending + 1)
	}
	if err != nil {
		d.noRoom = err
		return false
	}
	d.space = space
	return true
}

// queue lines up the nodes that may be picked. Mins do not matter here: a substitute
// comes for each node.
func (d *draft) queue(may func(*fact) bool) queues {
	rest := maps.Clone(d.all)
	maps.DeleteFunc(rest, func(name string, _ *fact) bool { return d.gone[name] })
	return queue(boardOf(rest, d.policy.Regions, d.full), rest, may)
}

// queueInPlace lines up the nodes that may be picked to stay where they are. Those
// that were picked so already are out of service for a while, as if they had left:
// the next one is taken where more are.
func (d *draft) queueInPlace(may func(*fact) bool) queues {
	q := d.queue(may)
	q.DropMins()
	for _, p := range d.picked {
		if p.inPlace {
			q.Add(d.all[p.name].Place, -1)
			q.Keep(d.all[p.name].Place, -1)
		}
	}
	return q
}

func (d *draft) pickUnhealthy(concerned func(*fact) bool) {
	q := d.queueInPlace(func(f *fact) bool { return concerned(f) && f.unhealthy != "" })
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
	q := d.queue(func(f *fact) bool { return concerned(f) && f.rests == "" })
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
		if f.outdated && concerned(f) && !slices.Contains(templates, f.Template) {
			templates = append(templates, f.Template)
		}
	}
	slices.SortFunc(templates, func(a, b Template) int {
		return cmp.Or(cmp.Compare(d.now.age(b), d.now.age(a)), cmp.Compare(b, a))
	})
	for _, template := range templates {
		q := d.queueInPlace(func(f *fact) bool {
			return f.outdated && f.Template == template && concerned(f) && !d.held(f, Outdated)
		})
		for {
			f, ok := q.next()
			if !ok || !d.may(f, Outdated) {
				break
			}
			q.leave(f.Place, d.take(f, Outdated, d.texts.of(f.Template, d.policy.Templates.At(f.Place))))
		}
	}
}

// held reports whether a node in service waits for its place to take nodes again. One
// that is made again where it is gives up its own room first, so a full place takes it.
func (d *draft) held(f *fact, cause Cause) bool {
	switch {
	case d.everything || f.trouble != "":
		return false
	case d.policy.Update.keeps(cause):
		return d.policy.Update.makesAgain(cause) && d.listed.Closed(f.Place)
	}
	return d.space.Closed(f.Place)
}
