package planview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// fill derives what is shown from the values before and after.
func (a *Attachment) fill(before, after *attributes, hidden map[string]bool) {
	now := after
	if after == nil {
		now = before
	}
	a.Cluster = now.Cluster
	if hidden["cluster"] {
		a.Cluster = a.Address
	}
	old, next := before.roster(), after.roster()
	a.Before, a.After = int64(len(old.Nodes)), int64(len(next.Nodes))
	a.number(old, next, hidden["template"] || hidden["nodes"])
	a.compare(old, next, before)
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
func (a *Attachment) compare(old, next roster.Roster, before *attributes) {
	add := func(name string, n roster.Node, fate Fate, reason string) {
		a.Nodes = append(a.Nodes, Node{
			Name:     name,
			Index:    n.Index,
			Place:    n.String(),
			Fate:     fate,
			Template: a.templates[n.Template],
			Old:      a.templates[old.Nodes[name].Template],
			Reason:   reason,
		})
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
		case then.Template != n.Template:
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
		case before != nil && !slot && n.Index < before.Next:
			add(name, n, Returns, "")
		default:
			add(name, n, Comes, "")
		}
	}
	slices.SortFunc(a.Nodes, func(a, b Node) int {
		return cmp.Or(cmp.Compare(a.Fate, b.Fate), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Name, b.Name))
	})
}

// number numbers the templates of the nodes, each by the first node that has it, and existing nodes first. It counts
// the nodes of each template.
func (a *Attachment) number(old, next roster.Roster, hidden bool) {
	a.templates = map[roster.Template]int{}
	for when, r := range []roster.Roster{old, next} {
		for _, name := range r.Names() {
			t := r.Nodes[name].Template
			if t == "" {
				continue
			}
			if a.templates[t] == 0 {
				a.templates[t] = len(a.templates) + 1
				a.Templates = append(a.Templates, Template{Values: t.Values(), Hidden: hidden})
			}
			a.Templates[a.templates[t]-1].Nodes[when]++
		}
	}
}
