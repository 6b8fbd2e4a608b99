package fakecloud

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Flavor is a flavor of all regions.
type Flavor struct {
	ID    string
	Name  string
	VCPUs int
	RAM   int // MB
	Disk  int // GB
}

// defaultFlavors are the flavors of the real test cloud, whose ids are their names. The first is the default.
func defaultFlavors() []*Flavor {
	return []*Flavor{{"m1.tiny", "m1.tiny", 1, 64, 1}, {"m1.small", "m1.small", 2, 128, 1}}
}

// AddFlavor adds a flavor, and returns its id.
func (c *Cloud) AddFlavor(given Flavor) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if given.ID == "" {
		given.ID = c.uuid("flavor")
	}
	c.flavors = append(c.flavors, &given)
	return given.ID
}

// RenameFlavor gives a flavor another name, which Nova has no request for. Servers keep what they were made from.
func (c *Cloud) RenameFlavor(id, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, f := range c.flavors {
		if f.ID == id {
			renamed := *f
			renamed.Name = name
			c.flavors[i] = &renamed
		}
	}
}

// RemoveFlavor removes a flavor. Servers keep what they were made from.
func (c *Cloud) RemoveFlavor(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flavors = slices.DeleteFunc(c.flavors, func(f *Flavor) bool { return f.ID == id })
}

func (c *Cloud) findFlavor(id string) *Flavor {
	return first(c.flavors, func(f *Flavor) bool { return f.ID == id })
}

func (c *Cloud) mustFlavor(id string) *Flavor {
	if f := c.findFlavor(id); f != nil {
		return f
	}
	panic(fmt.Sprintf("fakecloud: no flavor %q", id))
}

func (k *call) flavorDocument(f *Flavor) object {
	swap := any("")
	if k.minor >= 75 {
		swap = 0
	}
	doc := object{
		{"id", f.ID}, {"name", f.Name}, {"ram", f.RAM}, {"disk", f.Disk}, {"swap", swap},
		{"OS-FLV-EXT-DATA:ephemeral", 0}, {"OS-FLV-DISABLED:disabled", false}, {"vcpus", f.VCPUs},
		{"os-flavor-access:is_public", true}, {"rxtx_factor", json.RawMessage("1.0")},
		{"links", k.links("flavors/" + f.ID)},
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
	q := k.query(append([]prop{{name: "is_public", schema: texts}}, pageQuery...)...)
	fit := slices.SortedFunc(slices.Values(k.flavors), func(a, b *Flavor) int { return cmp.Compare(a.ID, b.ID) })
	id := func(f *Flavor) string { return f.ID }
	return pages[*Flavor]{"flavors", "flavors/detail", id, k.flavorDocument}.reply(k, q, fit)
}

// showFlavor finds the flavor of the request.
func (k *call) showFlavor() *Flavor {
	if f := k.findFlavor(k.vars[0]); f != nil {
		return f
	}
	panic(notFound("Flavor %s could not be found.", k.vars[0]))
}
