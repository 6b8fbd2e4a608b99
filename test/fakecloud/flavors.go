package fakecloud

import (
	"fmt"
	"slices"
)

// flavor is a flavor. Its id is its name.
type flavor struct {
	ID    string
	VCPUs int
	RAM   int // MB
	Disk  int // GB
}

// flavors are the flavors of the real test cloud, sorted as Nova lists them except for the first, which is the
// default.
var flavors = []*flavor{{ID: "m1.tiny", VCPUs: 1, RAM: 64, Disk: 1}, {ID: "m1.small", VCPUs: 2, RAM: 128, Disk: 1}}

func findFlavor(id string) *flavor {
	return first(flavors, func(f *flavor) bool { return f.ID == id })
}

func flavorNamed(id string) *flavor {
	if f := findFlavor(id); f != nil {
		return f
	}
	panic(fmt.Sprintf("fakecloud: no flavor %q", id))
}

func (k *call) flavorDocument(f *flavor) object {
	swap := any("")
	if k.minor >= 75 {
		swap = 0
	}
	doc := object{
		{"id", f.ID}, {"name", f.ID}, {"ram", f.RAM}, {"disk", f.Disk}, {"swap", swap},
		{"OS-FLV-EXT-DATA:ephemeral", 0}, {"OS-FLV-DISABLED:disabled", false}, {"vcpus", f.VCPUs},
		{"os-flavor-access:is_public", true}, {"rxtx_factor", number("1.0")}, {"links", k.links("flavors/" + f.ID)},
	}
	if k.minor >= 55 {
		doc = append(doc, field{"description", nil})
	}
	if k.minor >= 61 {
		doc = append(doc, field{"extra_specs", object{}})
	}
	return doc
}

func (k *call) listFlavors() reply {
	q := k.query(pageQuery...)
	fit := slices.Clone(flavors)
	slices.Reverse(fit) // by id
	id := func(f *flavor) string { return f.ID }
	return pages[*flavor]{"flavors", "flavors/detail", id, k.flavorDocument}.reply(k, q, fit)
}

// findFlavor finds the flavor of the request.
func (k *call) findFlavor() *flavor {
	if f := findFlavor(k.vars[0]); f != nil {
		return f
	}
	panic(notFound("Flavor %s could not be found.", k.vars[0]))
}
