package placementtf

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// saidBy returns the ids that nodes have of the names that they say.
func saidBy(r roster.Roster) (all sources) {
	known := map[roster.Node]bool{}
	for _, name := range r.Names() {
		n := r.Nodes[name]
		like := roster.Node{
			Place: placement.Place{Region: n.Region}, Template: n.Template, Flavor: n.Flavor, FlavorID: n.FlavorID,
		}
		if known[like] {
			continue
		}
		known[like] = true
		images, flavors := maps.Clone(all.Images[n.Region]), maps.Clone(all.Flavors[n.Region])
		if images == nil {
			images, flavors = map[string]image{}, map[string]string{}
		}
		values := n.Template.Values()
		images[values[roster.KeyImage]] = image{ID: values[roster.KeyImageID]}
		flavors[n.Flavor] = n.FlavorID
		all.put(n.Region, images, flavors)
	}
	return all
}

// origin is what the servers of a region are made from.
type origin struct {
	region   string
	template roster.Template
	image    string // id of the image of a server whose node has no template
}

// originsOf lists what the nodes and slots of a cluster have or had, and what its places go back to.
func originsOf(r roster.Roster) map[origin]bool {
	all := map[origin]bool{}
	for _, nodes := range []map[string]roster.Node{r.Nodes, r.Leaving} {
		for _, n := range nodes {
			all[origin{n.Region, n.Template, n.Image}] = true
		}
	}
	for _, slot := range r.Slots {
		all[origin{slot.Region, slot.Template, ""}] = true
	}
	for at, t := range r.Settled {
		all[origin{at.Region, t, ""}] = true
	}
	return all
}

// templatesIn are the different templates that nodes and slots of a region have or had.
func templatesIn(r roster.Roster, region string) []roster.Template {
	known := map[roster.Template]bool{}
	for o := range originsOf(r) {
		if o.region == region {
			known[o.template] = true
		}
	}
	return slices.Sorted(maps.Keys(known))
}

// imageWords are the images that the nodes of a cluster have or had, each with the first text by which they call it,
// by region and id.
func imageWords(r roster.Roster) map[string]map[string]string {
	words := map[string]map[string]string{}
	for o := range originsOf(r) {
		values := o.template.Values()
		id, word := cmp.Or(values[roster.KeyImageID], o.image), values[roster.KeyImage]
		if words[o.region] == nil {
			words[o.region] = map[string]string{}
		}
		if was := words[o.region][id]; id != "" && (was == "" || word != "" && word < was) {
			words[o.region][id] = word
		}
	}
	return words
}
