package planview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
)

// fill derives the drawing from the values before and after.
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
	listed := now.listed()
	a.Regions = outline(rows(old, listed), rows(next, listed))
	a.number(old, next, hidden["template"] || hidden["nodes"])
	a.place(old, next, before)
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
	a.Remaining, a.Phase, a.Status, a.Held = after.Remaining, after.Phase, after.Status, after.Held
	if before == nil || after.Moves != before.Moves { // equal ones are of an earlier plan
		a.Moves, a.Why = after.Moves, after.Change
	}
	moves := false
	if after.Update != nil {
		a.Pause, moves = after.Update.Pause, slices.Contains(after.Update.Causes, roster.Misplaced)
	}
	for _, n := range say.Warnings(next, before.listed(), listed, moves) {
		a.Warnings = append(a.Warnings, Warning{n.Title, n.Text})
	}
}

func rows(r roster.Roster, listed []placement.Region) []placement.Row {
	return placement.NewBoard(listed, r.Counts()).Rows()
}

// outline lists the places of two spreads over the same listed places: the places of the later one, then the places
// that only the earlier one has, because their last node leaves.
func outline(before, after []placement.Row) []Region {
	var regions []Region
	at, zones := map[string]int{}, map[placement.Place]bool{}
	for i, row := range slices.Concat(after, before) {
		if i >= len(after) {
			row.Note = "not listed"
		}
		j, there := at[row.Region]
		switch {
		case !row.IsZone && !there:
			at[row.Region] = len(regions)
			regions = append(regions, Region{Bin: Bin{Row: row}})
		case row.IsZone && !zones[row.Place]:
			zones[row.Place] = true
			regions[j].Zones = append(regions[j].Zones, Bin{Row: row})
		}
	}
	return regions
}

// at returns the zone of a place, if its region has zones, and the region.
func (a *Attachment) at(p placement.Place) []*Bin {
	r := &a.Regions[slices.IndexFunc(a.Regions, func(r Region) bool { return r.Region == p.Region })]
	if i := slices.IndexFunc(r.Zones, func(z Bin) bool { return z.Zone == p.Zone }); i >= 0 {
		return []*Bin{&r.Zones[i], &r.Bin}
	}
	return []*Bin{&r.Bin}
}

// place puts the nodes into their places. An index is used once, except by slots: a node with an earlier one returns.
func (a *Attachment) place(old, next roster.Roster, before *attributes) {
	add := func(name string, n roster.Node, fate Fate, reason string) {
		places := a.at(n.Place)
		places[0].Nodes = append(places[0].Nodes, Node{
			Name:     name,
			Index:    n.Index,
			Place:    n.String(),
			Fate:     fate,
			Template: a.templates[n.Template],
			Old:      a.templates[old.Nodes[name].Template],
			Reason:   reason,
		})
		for _, p := range places {
			if fate != Comes && fate != Returns {
				p.Before++
			}
			if fate != Leaves {
				p.After++
			}
		}
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
	for _, p := range a.bins() {
		slices.SortFunc(p.Nodes, byIndex)
	}
}

// number numbers the templates of the nodes, each by the first node that has it, and existing nodes first. It counts
// the nodes of each template.
func (a *Attachment) number(old, next roster.Roster, hidden bool) {
	a.templates = map[roster.Template]int{}
	for _, r := range []roster.Roster{old, next} {
		for _, name := range r.Names() {
			t := r.Nodes[name].Template
			if _, known := a.templates[t]; !known && t != "" {
				a.templates[t] = len(a.templates) + 1
				a.Templates = append(a.Templates,
					Template{Number: len(a.templates), Values: t.Values(), Hidden: hidden})
			}
		}
	}
	for _, n := range old.Nodes {
		if i := a.templates[n.Template]; i > 0 {
			a.Templates[i-1].Before++
		}
	}
	for _, n := range next.Nodes {
		if i := a.templates[n.Template]; i > 0 {
			a.Templates[i-1].After++
		}
	}
}
