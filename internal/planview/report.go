package planview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// report is an attachment in words and numbers, as Markdown and HTML show it.
type report struct {
	title, lead string
	address     string
	first       []section // above the table
	rows        []row
	sections    []section
}

// row is a place in the table.
type row struct {
	name   string
	inside bool // reports whether the place is a zone
	total  bool // reports whether the row is the sum of all
	cells  []string
}

// columns are the heads of the table.
var columns = []string{"Place", "Before", "After", "Change", "Ideal", "Weight", "Min", "Cap", "Note"}

// section is a list under a title.
type section struct {
	title string
	items []item
	warns bool // reports whether the section must be seen
}

// item is a name, which may be empty, and a text about it.
type item struct{ name, text string }

func (i item) String() string {
	if i.name == "" {
		return i.text
	}
	return i.name + ": " + i.text
}

// changed are the fates of nodes that change, in the order of a report, with their words.
var changed = []struct {
	fate  Fate
	title string
}{{Leaves, "Removed"}, {Comes, "Added"}, {Returns, "Returned"}, {Changes, "Changed in place"}, {Remade, "Made again"}}

// rows are the places, and their sum if there are several.
func (a *Attachment) rows() (rows []row) {
	for _, region := range a.Regions {
		rows = append(rows, region.row(false))
		for _, zone := range region.Zones {
			rows = append(rows, zone.row(true))
		}
	}
	if len(rows) > 1 {
		total := Bin{Before: a.Before, After: a.After}.row(false)
		total.name, total.total = "total", true
		rows = append(rows, total)
	}
	return rows
}

// report lists at most limit items under each title.
func (a *Attachment) report(limit int) report {
	r := report{title: a.Cluster, lead: a.lead(), address: a.Address, rows: a.rows()}
	add := func(title string, items []item) {
		if len(items) > 0 {
			r.sections = append(r.sections, section{title: title, items: items, warns: title == "Warnings"}.most(limit))
		}
	}
	var warnings []item
	for _, w := range a.Warnings {
		warnings = append(warnings, item{w.Title, w.Text})
	}
	add("Warnings", warnings)
	r.first = listServers("No node change asks for this", a.Servers, limit)
	for _, s := range listServers("Missing or left over", a.Undone, limit) {
		s.warns = false
		r.sections = append(r.sections, s)
	}
	var slots []item
	for _, s := range a.Slots {
		slots = append(slots, item{s.Name, s.Place + destroyed(s.With)})
	}
	add("Given up: "+text.Count(int64(len(slots)), "slot"), slots)
	for _, change := range changed {
		var items []item
		for _, n := range a.with(change.fate) {
			items = append(items, item{n.Name, a.about(n)})
		}
		add(fmt.Sprintf("%s: %s", change.title, text.Nodes(int64(len(items)))), items)
	}
	if hidden := len(a.Templates) > 0 && a.Templates[0].Hidden; !hidden { // reasons may name values of templates
		add("Why", lines(a.Why))
		add("Held", lines(a.Held))
	}
	add("Waiting", a.waiting())
	var templates []item
	for _, v := range a.Templates {
		templates = append(templates, item{"", v.String()})
	}
	add("Templates", templates)
	return r
}

// lines are items without a name.
func lines(texts []string) (items []item) {
	for _, text := range texts {
		items = append(items, item{"", text})
	}
	return items
}

// lead says what the plan does, in a sentence or two.
func (a *Attachment) lead() string {
	size := fmt.Sprintf("%s before, %d after", text.Nodes(a.Before), a.After)
	if a.Before == a.After {
		size = text.Nodes(a.Before) + " before and after"
	}
	var parts []string
	for _, change := range changed {
		if n := len(a.with(change.fate)); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ToLower(change.title)))
		}
	}
	if n := int64(len(a.Slots)); n > 0 {
		parts = append(parts, text.Count(n, "slot")+" given up")
	}
	what, struck := strings.Join(parts, ", "), count(slices.Concat(a.Servers, a.Undone))
	switch {
	case what == "" && struck == "":
		what = "no node changes"
	case what == "":
		what = "no node changes, but " + struck
	case struck != "":
		what += ". In addition, " + struck
	}
	lead := fmt.Sprintf("%s: %s.", size, what)
	switch a.Action {
	case Delete:
		lead = fmt.Sprintf("The attachment is destroyed, but not the servers of its %s.", text.Nodes(a.Before))
		if a.taken > 0 {
			lead = fmt.Sprintf("The attachment is destroyed, and with it %s.", text.Count(a.taken, "server"))
		}
		if struck != "" {
			lead += " In this plan " + struck + "."
		}
	case Replace:
		lead += " The attachment is replaced: it forgets all nodes and places them again."
	}
	if a.Imported {
		lead += " The attachment is imported."
	}
	return lead
}

// waiting says what is left for later plans.
func (a *Attachment) waiting() []item {
	if a.Remaining == 0 {
		return nil
	}
	verb := "wait"
	if a.Remaining == 1 {
		verb = "waits"
	}
	return []item{
		{"", fmt.Sprintf("%s %s to be replaced by the next batches. Apply, and plan again, until the plan is empty.",
			text.Nodes(a.Remaining), verb)},
	}
}

// about returns why a node changes, which names its place, or its place.
func (a *Attachment) about(n Node) string {
	return cmp.Or(n.Reason, n.Place+n.template(len(a.Templates) > 0)) + destroyed(n.With)
}

// destroyed says what is destroyed with a node or a slot: the resources, without their keys.
func destroyed(addresses []string) string {
	if len(addresses) == 0 {
		return ""
	}
	short := make([]string, len(addresses))
	for i, address := range addresses {
		short[i] = Resource(address)
	}
	slices.Sort(short)
	return "; destroyed with it: " + text.Few(slices.Compact(short))
}

// most returns the section with at most limit items, and the number of those that are left out.
func (s section) most(limit int) section {
	if n := len(s.items) - limit; n > 0 {
		s.items = append(s.items[:limit:limit], item{"", fmt.Sprintf("and %d more", n)})
	}
	return s
}

// row returns the place as a row of the table.
func (p Bin) row(inside bool) row {
	cells := []string{fmt.Sprint(p.Before), fmt.Sprint(p.After), signed(p.After - p.Before)}
	if p.listed() {
		cells = append(cells, p.share(), fmt.Sprint(p.Bin.Weight), fmt.Sprint(p.Bin.Min), p.limit(), p.Note)
	} else {
		cells = append(cells, "", "", "", "", p.Note)
	}
	return row{name: p.title(), inside: inside, cells: cells}
}

// share returns the ideal share in words.
func (p Bin) share() string { return p.Ideal.FloatString(2) }

// limit returns the cap in words.
func (p Bin) limit() string {
	if p.Bin.Cap == placement.Unlimited {
		return "none"
	}
	return fmt.Sprint(p.Bin.Cap)
}

// String returns the values of a template, and how many nodes have it.
func (r Template) String() string {
	said := fmt.Sprintf("Template %d: %s before, %d after", r.Number, text.Nodes(r.Before), r.After)
	switch {
	case r.Hidden:
		return said + " (template is sensitive)"
	case len(r.Values) > 0:
		parts := make([]string, 0, len(r.Values))
		for _, name := range slices.Sorted(maps.Keys(r.Values)) {
			parts = append(parts, fmt.Sprintf("%s = %q", name, r.Values[name]))
		}
		said += " (" + strings.Join(parts, ", ") + ")"
	}
	return said
}

// signed returns a change with its sign, or "" for 0.
func signed(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%+d", n)
}

// String returns the report as plain text.
func (r report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", r.title, r.lead)
	for _, s := range slices.Concat(r.first, r.sections) {
		b.WriteString("\n" + s.String())
	}
	return b.String()
}

// String returns the section as plain text.
func (s section) String() string {
	var b strings.Builder
	b.WriteString(s.title)
	for _, i := range s.items {
		fmt.Fprintf(&b, "\n- %s", i.String())
	}
	return b.String()
}
