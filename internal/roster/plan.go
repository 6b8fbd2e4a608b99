package roster

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// ErrTemplateRemoved says that a template was taken away.
var ErrTemplateRemoved = errors.New("a template cannot be taken away again: new nodes would be made from nothing")

// Plan works out the next roster, in five steps. Each takes values and returns
// values, and none changes what another one made:
//
//   - assess: what is known of each node: in service, under way, broken, protected, its turn
//   - leave: who leaves: candidates, then those that are too many
//   - batch: who is replaced, within which budget
//   - place: how many new nodes each place gets
//   - name: what they are called
//
// Candidates are removed first. A cluster that is then too large shrinks: first
// by nodes that are not in service, then by those marked as tainted, then as placement
// takes from regions and zones, in each by the criterion; of two equally good
// places the one whose first node leaves earlier by the criterion. An update
// then chooses its batch; see [Update]. At last all new nodes, those of a growth
// and the substitutes, are placed together, each with the template of its place.
// Protected nodes are never removed or revised, and those of closed places only where
// nothing else is left to shrink by. Nodes of a region that
// lists zones only now are in the zones of their servers.
//
// Of the nodes that an update would replace, those not in service are taken
// first, then those of the causes in their order; within one, in the order in
// which placement takes from regions and zones, and for Outdated the newest of
// the outdated templates first. A plan replaces at most the batch size of nodes,
// and takes none from service while as many nodes of the wanted template, those
// of this plan included, are not in service yet.
//
// The errors are [ErrTemplateRemoved], a [*CandidateError], a [*ClosedError], a
// [*SlotInUseError], a [*placement.InfeasibleError] and a [*deletion.ProtectedError].
func Plan(now Roster, seen Seen, policy Policy) (Roster, Change, error) {
	now = now.settle(seen, policy.Regions)
	verdict := now.judge(policy)
	policy = verdict.over(policy)
	next, notices, err := now.firstTemplate(policy.Templates)
	if err != nil {
		return now, Change{}, err
	}

	notices = append(notices, next.openSlots(policy)...)

	all := assess(next, seen, policy)

	leaving, more, err := candidates(all, policy)
	if err != nil {
		return now, Change{}, err
	}
	notices = append(notices, more...)
	full := fullPlaces(all, leaving, seen.full(policy))
	left := all.without(leaving)
	missing := policy.Capacity - int64(len(left))
	removed, more, err := shrink(left, -missing, daysOf(all, policy), full, policy)
	if err != nil {
		return now, Change{}, err
	}
	notices = append(notices, more...)
	left = left.without(removed)

	s := stage{
		all:    all,
		left:   left,
		growth: max(missing, 0),
		back:   poolOf(next, seen, policy),
		aim:    aimOf(next, left, policy),
		full:   full,
	}
	s.remake(leaving)
	_, err = place(left, s.growth, s.back, s.aim, s.full, policy)
	tried := err != nil && len(s.full) > 0
	if tried { // Nova may have room by now
		s.full = nil
		_, err = place(left, s.growth, s.back, s.aim, s.full, policy)
	}
	if err != nil {
		return now, Change{}, err
	}

	chosen := chooseBatch(next, s, policy)
	s = s.after(chosen)

	come, err := place(s.left, s.growth, s.back, s.aim, s.full, policy)
	if err != nil {
		return now, Change{}, err
	}

	made, index := name(come, s.aim, next, chosen.returned, policy)

	changed := slices.Concat(leaving, removed, chosen.picked)
	returned := slices.Concat(chosen.returned, come.returned)
	fresh := next.withoutSlots(made)
	next.apply(changed, returned, made, index, seen)
	if err := next.closeSlots(changed, policy); err != nil {
		return now, Change{}, err
	}
	change := record(all, changed, returned, made)
	after := s.left.renewed(next, returned, made, len(all), seen, policy)
	change.Remaining = remaining(next, after, seen.full(policy), policy)
	change.Reverted = verdict.record(all)
	told, holds := tell(all, after, chosen, next, change, policy)
	change.Notices = slices.Concat(
		notices,
		verdict.notices(change.Reverted, policy),
		seen.tellOfFull(tried, policy),
		told,
		slotsWait(fresh, next, after, policy),
	)
	change.Holds = holds
	return next, change, nil
}

// remake gives the candidates that are made again the templates that are their turns.
func (s *stage) remake(leaving []departure) {
	s.remade = map[string]bool{}
	for i, d := range leaving {
		if d.inPlace {
			f := s.all[d.name]
			s.aim.take(f)
			leaving[i].template = s.aim.at(f.Place)
			s.aim.give(1)
			s.remade[d.name] = true
		}
	}
}

// after is the stage once a batch was chosen: its substitutes are a part of the
// growth, unless they came back already.
func (s stage) after(b batch) stage {
	s.full = b.full
	s.left = s.left.without(b.picked)
	s.growth += int64(len(b.removed()) - len(b.returned))
	for _, d := range b.picked {
		f := s.all[d.name]
		s.aim.take(f)
		if d.inPlace && d.template == s.aim.wanted.At(f.Place) {
			s.aim.current++
		}
	}
	for _, f := range b.returned {
		s.left[f.name] = f
		s.back = slices.DeleteFunc(slices.Clone(s.back), func(g *fact) bool { return g == f })
		if !f.outdated {
			s.aim.current++
		}
	}
	return s
}

// fullPlaces adds the places where Nova found no host for nodes that leave.
func fullPlaces(all facts, leaving []departure, full []placement.Place) []placement.Place {
	full = slices.Clone(full)
	for _, d := range leaving {
		if at := all[d.name].full; at != nil && !d.inPlace {
			full = append(full, *at)
		}
	}
	return full
}

// apply makes a change of a roster. Nodes that are removed are leaving ones from
// then on, unless they are known to have no server.
func (r *Roster) apply(changed []departure, returned []*fact, made []newNode, next int64, seen Seen) {
	for _, d := range changed {
		n := r.Nodes[d.name]
		if d.inPlace {
			n.Template = d.template
			n.Mark = n.Mark.next(n.Template)
			if d.again {
				n.Generation++
			}
			r.Nodes[d.name] = n
			continue
		}
		delete(r.Nodes, d.name)
		if !seen.Missing[d.name] {
			r.Leaving[d.name] = n
		}
	}
	for _, f := range returned {
		r.Nodes[f.name] = f.Node
		delete(r.Leaving, f.name)
	}
	for _, n := range made {
		r.Nodes[n.name] = n.Node
		delete(r.Leaving, n.name)
	}
	r.Next = next
}

// renewed are the facts once the change was made: of the nodes that are left,
// some were changed, some came back, and new ones come, whose turn is after all
// others.
func (left facts) renewed(next Roster, returned []*fact, made []newNode, turn int, seen Seen, policy Policy) facts {
	after := maps.Clone(left)
	for name, f := range left {
		if n := next.Nodes[name]; n.Mark != f.Mark {
			after[name] = factOf(name, n, next, seen, policy)
			after[name].turn = f.turn
		}
	}
	var come []newNode
	for _, f := range returned {
		come = append(come, newNode{f.name, f.Node})
	}
	for i, n := range append(come, made...) {
		after[n.name] = factOf(n.name, n.Node, next, seen, policy)
		after[n.name].turn = turn + i
	}
	return after
}

// record lists what changed.
func record(all facts, changed []departure, returned []*fact, made []newNode) Change {
	var change Change
	why := reasons(all, changed)
	by := make(map[string]departure, len(changed))
	var names []string
	for _, d := range changed {
		by[d.name] = d
		names = append(names, d.name)
		if d.cause != "" {
			change.Replaced++
		}
	}
	for _, name := range all.byIndex(names) {
		f := all[name]
		d := Departure{Name: name, Node: f.Node, ID: f.server.ID, Reason: why[name]}
		if by[name].inPlace {
			change.Revised = append(change.Revised, d)
		} else {
			change.Departed = append(change.Departed, d)
		}
	}
	slices.SortFunc(returned, func(a, b *fact) int { return cmp.Compare(a.Index, b.Index) })
	for _, f := range returned {
		change.Returned = append(change.Returned, f.name)
	}
	byIndex := func(a, b newNode) int { return cmp.Compare(a.Index, b.Index) }
	for _, n := range slices.SortedFunc(slices.Values(made), byIndex) {
		change.Created = append(change.Created, n.name)
	}
	return change
}

// firstTemplate gives nodes that have no template that of their place: one cannot
// know what they were made from. A node whose mark ends in the hash of another
// template was made from that one, which is not known here; it stays without.
func (r Roster) firstTemplate(templates Templates) (Roster, []Notice, error) {
	next := r.clone()
	var first, other []string
	for _, name := range r.Names() {
		n := next.Nodes[name]
		template := templates.At(n.Place)
		switch {
		case template == "" && n.Template != "":
			return r, nil, ErrTemplateRemoved
		case template == "" || n.Template != "":
		case n.Mark.of(template):
			first = append(first, name)
			n.Template, n.Mark = template, n.Mark.with(template)
			next.Nodes[name] = n
		default:
			other = append(other, fmt.Sprintf("%s (%s)", name, n.Mark))
		}
	}
	var notices []Notice
	if len(first) > 0 {
		notices = append(
			notices,
			notice(
				FirstTemplate,
				"%s from before there was a template: %s. The template must say what they were made from. "+
					"Where it differs, the servers of all of them change at once in this apply, and none of them "+
					"counts as in service before it was found so again.",
				text.Nodes(int64(len(first))),
				text.Few(first),
			),
		)
	}
	if len(other) > 0 {
		notices = append(
			notices,
			notice(
				OtherMarks,
				"%s: %s. They were made from another template than this one, and what was in it is not known here: "+
					"their template is empty until update replaces them. Let their servers keep what they have, for "+
					"instance with lookup(each.value.template, \"image\", \"the former image\").",
				text.Nodes(int64(len(other))),
				text.Few(other),
			),
		)
	}
	return next, notices, nil
}
