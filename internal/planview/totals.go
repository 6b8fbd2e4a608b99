package planview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Totals are all changes of a plan.
type Totals struct {
	Types []Total // by name
	All   Total

	Everything bool // reports whether everything that the plan knows is destroyed
}

// Total is the number of changes of a type of resources.
type Total struct {
	Type   string
	Counts [Keep]int64 // by action
}

// String returns the numbers.
func (t Total) String() string {
	words := [...]string{"destroyed", "replaced", "created", "changed", "forgotten"}
	var parts []string
	for i, n := range t.Counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words[i]))
		}
	}
	return strings.Join(parts, ", ")
}

// sentence says what Terraform does.
func (t Total) sentence() string {
	words := [...]string{"destroys", "replaces", "creates", "changes", "forgets"}
	var parts []string
	for i, n := range t.Counts {
		switch {
		case n > 0 && len(parts) == 0:
			parts = append(parts, words[i]+" "+text.Count(n, "resource"))
		case n > 0:
			parts = append(parts, fmt.Sprintf("%s %d", words[i], n))
		}
	}
	return text.And(parts)
}

// totals counts the changes by type.
func totals(changes []change) Totals {
	t := Totals{Everything: true}
	for _, c := range changes {
		i, there := slices.BinarySearchFunc(t.Types, c.Type, func(t Total, name string) int {
			return cmp.Compare(t.Type, name)
		})
		if !there {
			t.Types = slices.Insert(t.Types, i, Total{Type: c.Type})
		}
		action, known := c.action()
		if known && action < Keep {
			t.Types[i].Counts[action]++
			t.All.Counts[action]++
		}
		t.Everything = t.Everything && known && action == Delete
	}
	t.Types = slices.DeleteFunc(t.Types, func(t Total) bool { return t.String() == "" })
	return t
}

// moves says what the plan does to the nodes of each cluster, in a line that is read first.
func (p Plan) moves() (lines []string) {
	for _, a := range p.Attachments {
		if a.Moves != "" {
			lines = append(lines, a.Cluster+": "+a.Moves+".")
		}
	}
	return lines
}

// whole reports all changes of the plan, above the attachments.
func (p Plan) whole(limit int) report {
	r := report{title: "The whole plan", lead: "Terraform " + p.Totals.All.sentence() + "."}
	switch {
	case len(p.Totals.Types) == 0:
		r.lead = "No resource changes."
	case p.Totals.Everything:
		r.lead = fmt.Sprintf("Everything is destroyed: %s.", text.Count(p.Totals.All.Counts[Delete], "resource"))
	}
	types := section{title: "By type"}
	for _, t := range p.Totals.Types {
		types.items = append(types.items, item{t.Type, t.String()})
	}
	if len(types.items) > 0 {
		r.sections = append(r.sections, types.most(limit))
	}
	r.sections = append(r.sections, listServers("They belong to no node", p.Servers, limit)...)
	return r
}
