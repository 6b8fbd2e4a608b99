package planview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// fill derives what is shown from the values before and after.
func (a *Attachment) fill(before, after *attributes, hidden map[string]bool) {
	now, none := cmp.Or(after, before), &attributes{}
	a.Cluster = now.Cluster
	if hidden["cluster"] {
		a.Cluster = a.Address
	}
	a.hidden = hidden["template"] || hidden["image"] || hidden["nodes"]
	old, next := cmp.Or(before, none), cmp.Or(after, none)
	a.Before, a.After = int64(len(old.Nodes)), int64(len(next.Nodes))
	a.compare(old, next)
	a.had = now.had()
	for name, slot := range old.Slots {
		_, stays := next.Slots[name]
		_, node := next.Nodes[name]
		if !stays && (!node || !a.Imported) { // an import has them for "stateful"
			a.Slots = append(a.Slots, Slot{Name: name, Index: slot.Index, Place: slot.String()})
		}
	}
	slices.SortFunc(a.Slots, func(a, b Slot) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Name, b.Name))
	})
	a.slots = slices.Collect(maps.Keys(old.Slots))
	if after == nil {
		return
	}
	a.Summary, a.Held = after.Summary, after.Held
	a.Remaining, a.Phase, a.Status = after.Remaining, after.Phase, after.Status
	if len(a.Nodes) > 0 && a.Nodes[0].Fate < Stays { // else of an earlier plan
		a.Why = after.Change
	}
	if after.Update != nil {
		a.Pause = after.Update.Pause
	}
}

// compare lists the nodes before and after. An index is used once, except by slots: a node with an earlier one returns.
func (a *Attachment) compare(old, next *attributes) {
	add := func(name string, n nodeJSON, fate Fate, reason string) {
		a.Nodes = append(a.Nodes, Node{Name: name, Index: n.Index, Place: n.String(), Fate: fate, Reason: reason})
	}
	for name, n := range old.Nodes {
		then, stays := next.Nodes[name]
		switch {
		case !stays:
			add(name, n, Leaves, "")
		case then.Place != n.Place:
			moves := fmt.Sprintf("moves from %s to %s", n, then)
			add(name, n, Leaves, moves)
			add(name, then, Comes, moves)
		case then.Generation != n.Generation:
			add(name, then, Remade, "")
		case then.Mark != n.Mark: // it has another template
			add(name, then, Changes, "")
		default:
			add(name, then, Stays, "")
		}
	}
	for name, n := range next.Nodes {
		_, was := old.Nodes[name]
		_, slot := old.Slots[name]
		switch {
		case was:
		case !slot && n.Index < old.Next:
			add(name, n, Returns, "")
		default:
			add(name, n, Comes, "")
		}
	}
	slices.SortFunc(a.Nodes, func(a, b Node) int {
		return cmp.Or(cmp.Compare(a.Fate, b.Fate), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Name, b.Name))
	})
}
