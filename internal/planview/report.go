package planview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// report is an attachment, or the whole plan, in words.
type report struct {
	title    string
	lead     string
	sections []section // what must be seen comes first
	summary  string    // table of the places
	address  string
}

// section is a list under a title.
type section struct {
	title string
	items []item
}

// item is a name, which may be empty, and a text about it.
type item struct{ name, text string }

// report lists at most limit items under each title.
func (a *Attachment) report(limit int) report {
	r := report{title: "Placement of " + a.Cluster, lead: a.lead(), address: a.Address, summary: a.Summary}
	add := func(title string, items []item) { r.sections = append(r.sections, list(title, items, limit)...) }
	var warnings, slots []item
	for _, w := range a.Warnings {
		warnings = append(warnings, item{w.Title, w.Text})
	}
	r.sections = listServers("No node change asks for this", a.Servers, limit)
	add("Warnings", warnings)
	r.sections = append(r.sections, listServers("Missing or left over", a.Undone, limit)...)
	for _, s := range a.Slots {
		slots = append(slots, item{s.Name, s.Place + destroyed(s.With)})
	}
	add("Given up: "+text.Count(int64(len(slots)), "slot"), slots)
	for fate, word := range fates {
		var items []item
		for _, n := range a.with(Fate(fate)) {
			items = append(items, item{n.Name, cmp.Or(n.Reason, n.Place) + destroyed(n.With)})
		}
		add(fmt.Sprintf("%s: %s", word, text.Nodes(int64(len(items)))), items)
	}
	if !a.hidden {
		add("Why", lines(a.Why...))
		add("Held", lines(a.Held...))
	}
	if a.Status != "" {
		add("After the apply", lines(a.Status))
	}
	return r
}

// list is a section with at most limit items, and the number of those that are left out, or nothing without items.
func list(title string, items []item, limit int) []section {
	if len(items) == 0 {
		return nil
	}
	if n := len(items) - limit; n > 0 {
		items = append(items[:limit:limit], item{"", fmt.Sprintf("and %d more", n)})
	}
	return []section{{strings.ToUpper(title[:1]) + title[1:], items}}
}

// lines are items without a name.
func lines(texts ...string) (items []item) {
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
	for fate, word := range fates {
		if n := len(a.with(Fate(fate))); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	if n := int64(len(a.Slots)); n > 0 {
		parts = append(parts, text.Count(n, "slot")+" given up")
	}
	lead := fmt.Sprintf("%s: %s.", size, cmp.Or(strings.Join(parts, ", "), "no node changes"))
	switch {
	case a.Action == Delete && a.taken > 0:
		lead = fmt.Sprintf("The attachment is destroyed, and with it %s.", text.Count(a.taken, "server"))
	case a.Action == Delete:
		lead = fmt.Sprintf("The attachment is destroyed, but not the servers of its %s.", text.Nodes(a.Before))
	case a.Action == Replace:
		lead += " The attachment is replaced: it forgets all nodes and places them again."
	}
	if more := count(slices.Concat(a.Servers, a.Undone)); more != "" {
		lead += " In addition, " + more + "."
	}
	if a.Imported {
		lead += " The attachment is imported."
	}
	return lead
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
