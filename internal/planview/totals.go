package planview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Totals are what Terraform does in all.
type Totals struct {
	Types []Total // by name
	All   Total

	Everything bool // whether everything that the plan knows is destroyed
}

// Total is what happens to the resources of a type.
type Total struct {
	Type string

	Created, Changed, Replaced, Destroyed, Forgotten int64
}

// counts are in the order in which they are said: what cannot be undone comes first.
func (t Total) counts() []int64 {
	return []int64{t.Destroyed, t.Replaced, t.Created, t.Changed, t.Forgotten}
}

// String says how many.
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

// totals counts what changes do, by type.
func totals(changes []change) *Totals {
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
	return &t
}

// whole is what the plan does in all, above the attachments; nil where what is drawn is
// not all of a plan.
func (p Plan) whole(limit int) *report {
	if p.Totals == nil {
		return nil
	}
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
	return &r
}
