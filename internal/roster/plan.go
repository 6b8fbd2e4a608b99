package roster

import (
	"errors"
	"maps"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// ErrTemplateRemoved says that a template was taken away.
var ErrTemplateRemoved = errors.New("a template cannot be taken away again: the nodes made from its revisions would lose what they are made from")

// Plan works out the next roster, in five steps. Each takes values and returns
// values, and none changes what another one made:
//
//	assess  what is known of each node: in service, under way, broken, protected, its turn
//	leave   who leaves: candidates, then those that are too many
//	batch   who is replaced, within which budget
//	place   how many new nodes each place gets
//	name    what they are called
//
// Candidates are removed first. A cluster that is then too large shrinks: first
// by nodes that are not in service, then by those marked as tainted, then as placement
// takes from regions and zones, in each by the criterion; of two equally good
// places the one whose first node leaves earlier by the criterion. An update
// then chooses its batch; see [Update]. At last all new nodes, those of a growth
// and the substitutes, are placed together, of the wanted revision of the
// template. Protected nodes are never removed or revised. Nodes of a region that
// lists zones only now are in the zones of their servers.
//
// Of the nodes that an update would replace, those not in service are taken
// first, then those of the causes in their order; within one, in the order in
// which placement takes from regions and zones, and for Outdated the highest of
// the outdated revisions first. A plan replaces at most the batch size of nodes,
// and takes none from service while as many nodes of the wanted revision, those
// of this plan included, are not in service yet.
//
// The errors are [ErrTemplateRemoved], a [*CandidateError], a
// [*placement.InfeasibleError] and a [*deletion.ProtectedError].
func Plan(now Roster, seen Seen, policy Policy) (Roster, Change, error) {
	now = now.settle(seen, policy.Regions)
	next, wanted, notices, err := want(now, policy.Template)
	if err != nil {
		return now, Change{}, err
	}
	policy.wanted = wanted

	all := assess(next, seen, policy, wanted)

	leaving, more, err := candidates(all, policy)
	if err != nil {
		return now, Change{}, err
	}
	notices = append(notices, more...)
	full := fullPlaces(all, leaving, nil)
	left := all.without(leaving)
	missing := policy.Capacity - int64(len(left))
	removed, more, err := shrink(left, -missing, daysOf(all, policy), full, policy)
	if err != nil {
		return now, Change{}, err
	}
	notices = append(notices, more...)
	left = left.without(removed)
	growth := max(missing, 0)
	if _, err := place(left, growth, full, policy); err != nil {
		return now, Change{}, err
	}

	chosen := chooseBatch(all, left, growth, full, policy)
	full = fullPlaces(all, chosen.picked, full)
	left = left.without(chosen.removed())

	counts, err := place(left, growth+int64(len(chosen.removed())), full, policy)
	if err != nil {
		return now, Change{}, err
	}

	made, index := name(counts, now, wanted, policy)

	changed := append(append(leaving, removed...), chosen.picked...)
	next.apply(changed, made, index, wanted)
	change := record(all, changed, made)
	after := left.renewed(next, made, len(all), seen, policy, wanted)
	change.Remaining = remaining(all, after, full, policy)
	change.Notices = append(notices, tell(all, after, chosen, change.Remaining, policy)...)
	next.forget(wanted)
	return next, change, nil
}

// fullPlaces adds the places where Nova found no host for nodes that leave.
func fullPlaces(all facts, leaving []departure, full []placement.Place) []placement.Place {
	for _, d := range leaving {
		if at := all[d.name].full; at != nil && !d.inPlace {
			full = append(full, *at)
		}
	}
	return full
}

// apply makes a change of a roster.
func (r *Roster) apply(changed []departure, made []newNode, next, wanted int64) {
	for _, d := range changed {
		n := r.Nodes[d.name]
		n.Revision = wanted
		if d.inPlace {
			r.Nodes[d.name] = n
		} else {
			delete(r.Nodes, d.name)
		}
	}
	for _, n := range made {
		r.Nodes[n.name] = n.Node
	}
	r.Next = next
}

// renewed are the facts once the change was made: of the nodes that are left,
// some are of another revision, and new ones come, whose turn is after all
// others.
func (all facts) renewed(next Roster, made []newNode, turn int, seen Seen, policy Policy, wanted int64) facts {
	after := maps.Clone(all)
	for name, f := range all {
		if n := next.Nodes[name]; n.Revision != f.Revision {
			after[name] = factOf(name, n, seen, policy, wanted)
			after[name].turn = f.turn
		}
	}
	for i, n := range made {
		after[n.name] = factOf(n.name, n.Node, seen, policy, wanted)
		after[n.name].turn = turn + i
	}
	return after
}

// record lists what changed.
func record(all facts, changed []departure, made []newNode) Change {
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
	for _, n := range made {
		change.Created = append(change.Created, n.name)
	}
	return change
}
