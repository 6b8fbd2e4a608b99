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
	Type string

	Created, Changed, Replaced, Destroyed, Forgotten int64
}

// counts are in the order in which they are shown: changes that cannot be undone come first.
func (t Total) counts() []int64 {
	return []int64{t.Destroyed, t.Replaced, t.Created, t.Changed, t.Forgotten}
}

// String returns the numbers.
func (t Total) String() string {
	var parts []string
	for i, n := range t.counts() {
		if n > 0 {
			words := [...]string{"destroyed", "replaced", "created", "changed", "forgotten"}
			parts = append(parts, fmt.Sprintf("%d %s", n, words[i]))
		}
	}
	return strings.Join(parts, ", ")
}

// sentence says what Terraform does.
func (t Total) sentence() string {
	var parts []string
	for i, n := range t.counts() {
		if n > 0 {
			words := [...]string{"destroys", "replaces", "creates", "changes", "forgets"}
			count := fmt.Sprint(n)
			if len(parts) == 0 {
				count = text.Count(n, "resource")
			}
			parts = append(parts, words[i]+" "+count)
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
		for _, total := range []*Total{&t.Types[i], &t.All} {
			switch c.actions() {
			case "create":
				total.Created++
			case "update":
				total.Changed++
			case "delete create", "create delete", "create forget":
				total.Replaced++
			case "delete":
				total.Destroyed++
			case "forget":
				total.Forgotten++
			}
		}
		t.Everything = t.Everything && c.actions() == "delete"
	}
	t.Types = slices.DeleteFunc(t.Types, func(t Total) bool { return t.String() == "" })
	return t
}

// whole reports all changes of the plan, above the attachments.
func (p Plan) whole(limit int) report {
	r := report{title: "The whole plan", lead: "Terraform " + p.Totals.All.sentence() + "."}
	switch {
	case len(p.Totals.Types) == 0:
		r.lead = "No resource changes."
	case p.Totals.Everything:
		r.lead = fmt.Sprintf("Everything is destroyed: %s.", text.Count(p.Totals.All.Destroyed, "resource"))
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
