package planview

import (
	"maps"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// attributes are the values of an attachment in a plan.
type attributes struct {
	Cluster   string              `json:"cluster"`
	Regions   []regionJSON        `json:"regions"`
	Update    *updateJSON         `json:"update"`
	Nodes     map[string]nodeJSON `json:"nodes"`
	Slots     map[string]nodeJSON `json:"slots"`
	Change    map[string]string   `json:"change"`
	Held      map[string]string   `json:"held"`
	Remaining int64               `json:"remaining"`
	Status    string              `json:"status"`
	Moves     string              `json:"moves"`
	Next      int64               `json:"next_index"`
	Pattern   naming.Pattern      `json:"node_name_pattern"`
}

type binJSON struct {
	Name   string `json:"name"`
	Weight *int64 `json:"weight"`
	Cap    *int64 `json:"cap"`
	Min    *int64 `json:"min"`
	Closed bool   `json:"closed"`
}

type regionJSON struct {
	binJSON
	Zones []binJSON `json:"zones"`
}

type nodeJSON struct {
	placement.Place
	Index      int64             `json:"index"`
	Template   map[string]string `json:"template"`
	Generation int64             `json:"generation"`
}

type updateJSON struct {
	Causes []roster.Cause `json:"causes"`
	Pause  string         `json:"pause"`
}

// others has the number of nodes of a map that has no text about them.
const others = "others"

// told returns why the plan changes or holds nodes, by name, and the nodes that return.
func (v *attributes) told() (reasons map[string]string, returned []string) {
	reasons = map[string]string{}
	maps.Copy(reasons, v.Held)
	for name, said := range v.Change {
		switch outcome, why, _ := strings.Cut(said, ": "); verdict.Outcome(outcome) {
		case verdict.Returns:
			returned = append(returned, name)
		case verdict.Leaves, verdict.Changes:
			reasons[name] = why
		}
	}
	return reasons, returned
}

// had returns a function that reports whether the cluster has ever given a name to a node.
func (v *attributes) had() func(name string) bool {
	if v.Pattern.Check() != "" {
		return func(string) bool { return false }
	}
	indices := v.Pattern.Indices(v.Cluster)
	return func(name string) bool {
		index, ok := indices(name)
		return ok && index < v.Next
	}
}

// bin fills in the defaults of the provider, and drops numbers that it refuses.
func (b binJSON) bin() placement.Bin {
	or := func(n *int64, byDefault int64) int64 {
		if n == nil {
			return byDefault
		}
		return *n
	}
	return placement.Bin{
		Name:   b.Name,
		Weight: max(or(b.Weight, placement.DefaultWeight), 1),
		Cap:    max(or(b.Cap, placement.Unlimited), placement.Unlimited),
		Min:    max(or(b.Min, 0), 0),

		Maintenance: b.Closed,
	}
}

// listed returns the places of the configuration.
func (v *attributes) listed() []placement.Region {
	if v == nil {
		return nil
	}
	list := make([]placement.Region, len(v.Regions))
	for i, r := range v.Regions {
		list[i].Bin = r.bin()
		for _, z := range r.Zones {
			list[i].Zones = append(list[i].Zones, z.bin())
		}
	}
	return list
}

// roster returns the memory of the attachment.
func (v *attributes) roster() roster.Roster {
	r := roster.Roster{Nodes: map[string]roster.Node{}, Slots: map[string]roster.Slot{}}
	if v != nil {
		for name, s := range v.Slots {
			r.Slots[name] = roster.Slot{Index: s.Index, Place: s.Place}
		}
		for name, n := range v.Nodes {
			r.Nodes[name] = roster.Node{
				Index:      n.Index,
				Place:      n.Place,
				Template:   roster.NewTemplate(n.Template),
				Generation: n.Generation,
			}
		}
	}
	return r
}
