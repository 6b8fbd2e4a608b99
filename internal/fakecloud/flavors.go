package fakecloud

import (
	"fmt"
	"slices"
	"strconv"
)

// flavor is a flavor. Its id is its name.
type flavor struct {
	ID    string
	VCPUs int
	RAM   int // MB
	Disk  int // GB
}

// flavors are those of the real test cloud, sorted as Nova lists them except for
// the first, which is the default.
var flavors = []*flavor{
	{ID: "m1.tiny", VCPUs: 1, RAM: 64, Disk: 1},
	{ID: "m1.small", VCPUs: 2, RAM: 128, Disk: 1},
}

func findFlavor(id string) *flavor {
	i := slices.IndexFunc(flavors, func(f *flavor) bool { return f.ID == id })
	if i < 0 {
		return nil
	}
	return flavors[i]
}

func flavorNamed(id string) *flavor {
	if f := findFlavor(id); f != nil {
		return f
	}
	panic(fmt.Sprintf("fakecloud: no flavor %q", id))
}

func (k *call) flavorDocument(f *flavor, detail bool) object {
	doc := object{{"id", f.ID}, {"name", f.ID}}
	if detail {
		swap := any("")
		if k.minor >= 75 {
			swap = 0
		}
		doc = append(doc,
			field{"ram", f.RAM}, field{"disk", f.Disk}, field{"swap", swap}, field{"OS-FLV-EXT-DATA:ephemeral", 0},
			field{"OS-FLV-DISABLED:disabled", false}, field{"vcpus", f.VCPUs},
			field{"os-flavor-access:is_public", true}, field{"rxtx_factor", raw("1.0")})
	}
	doc = append(doc, field{"links", k.links("flavors/" + f.ID)})
	if k.minor >= 55 {
		doc = append(doc, field{"description", nil})
	}
	if detail && k.minor >= 61 {
		doc = append(doc, field{"extra_specs", object{}})
	}
	return doc
}

var flavorPage = []prop{
	{name: "limit", schema: naturals}, {name: "marker", schema: texts}, {name: "is_public", schema: texts},
	{name: "minRam", schema: texts}, {name: "minDisk", schema: texts},
	{name: "sort_key", schema: texts}, {name: "sort_dir", schema: texts},
}

func (k *call) listFlavors() (reply, error)       { return k.flavorList("flavors", false) }
func (k *call) listFlavorsDetail() (reply, error) { return k.flavorList("flavors/detail", true) }

func (k *call) flavorList(path string, detail bool) (reply, error) {
	q, err := k.query(flavorPage, nil, 75)
	if err != nil {
		return reply{}, err
	}
	least := map[string]int{}
	for _, key := range []string{"minRam", "minDisk"} {
		if v := last(q, key); q.Has(key) {
			if least[key], err = strconv.Atoi(v); err != nil {
				return reply{}, badRequest("Invalid %s filter [%s]", key, v)
			}
		}
	}
	fit := slices.Clone(flavors)
	slices.Reverse(fit) // by id
	fit = slices.DeleteFunc(fit, func(f *flavor) bool { return f.RAM < least["minRam"] || f.Disk < least["minDisk"] })
	if marker := last(q, "marker"); marker != "" {
		i := slices.IndexFunc(fit, func(f *flavor) bool { return f.ID == marker })
		if i < 0 {
			return reply{}, badRequest("marker [%s] not found", marker)
		}
		fit = fit[i+1:]
	}
	limit := k.limit(q)
	list := []object{}
	for _, f := range fit[:min(limit, len(fit))] {
		list = append(list, k.flavorDocument(f, detail))
	}
	doc := object{{"flavors", list}}
	if limit > 0 && len(list) == limit {
		doc = append(doc, field{"flavors_links", k.nextLink(path, fit[limit-1].ID)})
	}
	return jsonReply(200, doc), nil
}

func (k *call) showFlavor() (reply, error) {
	if f := findFlavor(k.vars[0]); f != nil {
		return jsonReply(200, object{{"flavor", k.flavorDocument(f, true)}}), nil
	}
	return reply{}, notFound("Flavor %s could not be found.", k.vars[0])
}
