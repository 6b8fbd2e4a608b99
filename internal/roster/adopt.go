package roster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Adopt makes a roster of the servers of a running cluster: those whose names
// the pattern makes, with any number of zeros before the number. A node keeps the mark that
// its server carries, and each gets a slot. It fails where there are none, and where two
// have one index.
//
// What nobody can read in the cloud is given: kept slots, templates of before (Order), of
// which the hash in a mark says which node has which, and generations of nodes. A
// generation that is not given is the server's own; without one it is guessed.
func Adopt(cluster string, pattern Pattern, given Roster, servers []node.Node) (Roster, error) {
	r := Roster{Nodes: map[string]Node{}, Slots: maps.Clone(given.Slots), Order: given.Order}
	if r.Slots == nil {
		r.Slots = map[string]Slot{}
	}
	indices := pattern.Indices(cluster)
	taken := map[int64]node.Node{}
	for _, s := range servers {
		index, ok := indices(s.Name)
		if !ok {
			continue
		}
		if other, twice := taken[index]; twice {
			both := []string{describe(other), describe(s)}
			slices.Sort(both)
			return r, fmt.Errorf(
				"which servers are the cluster's is ambiguous: %s have the same index; rename or remove one of them",
				strings.Join(both, " and "),
			)
		}
		taken[index] = s
		n := Node{Index: index, Place: placement.Place{Region: s.Region, Zone: s.Zone}, Mark: adopted(s.InService)}
		n.Generation = cmp.Or(given.Nodes[s.Name].Generation, s.Generation)
		if n.Generation == 0 {
			n.Generation, n.Guessed = n.Mark.number(), true
		}
		for _, t := range given.Order {
			if n.Mark == markOf(n.Mark.number(), t) {
				n.Template = t
			}
		}
		r.Nodes[s.Name] = n
		r.Next = max(r.Next, index+1)
	}
	if len(r.Nodes) == 0 {
		return r, fmt.Errorf("no server is named %s, %s and so on", pattern.Name(cluster, 0), pattern.Name(cluster, 1))
	}
	r.fillSlots()
	return r, nil
}

// Guessed reports which generations are guesses, where that matters to the policy: a wrong
// one makes the server again. In the roster that it returns none is a guess any more.
func (r Roster) Guessed(policy Policy) (Roster, []Notice) {
	r = r.clone()
	var guesses []string
	for _, name := range r.Names() {
		if n := r.Nodes[name]; n.Guessed {
			guesses = append(guesses, fmt.Sprintf("%s (%d)", name, n.Generation))
			n.Guessed = false
			r.Nodes[name] = n
		}
	}
	if len(guesses) == 0 || !policy.keeps(Unhealthy) {
		return r, nil
	}
	return r, []Notice{notice(GenerationsGuessed, "An import found no number of the generation at the servers of %s: "+
		"%s. Where that is wrong Terraform makes the servers again. Check that this plan replaces no server; where "+
		"it does, import again with the right numbers in the id, as \"generations\". With metadata = { %s = "+
		"each.value.generation } at the servers the next import knows them.", text.Nodes(int64(len(guesses))),
		text.Few(guesses), "stackpolicy_generation")}
}

// GenerationsGuessed is the title of what is said after an import.
const GenerationsGuessed Title = "Generations are guesses"

// adopted is the mark that a server carries, or the first one.
func adopted(carried string) Mark {
	if m := Mark(carried); m.number() > 0 {
		return m
	}
	return mark("")
}

func describe(n node.Node) string { return fmt.Sprintf("%s (%s, in %s)", n.Name, n.ID, n.Region) }

// Places lists the regions and zones that have nodes, by name: the policy that
// an adopted cluster follows already. A region with a node in no zone lists none.
func (r Roster) Places() []placement.Region {
	nodes := r.Counts()
	var regions []placement.Region
	for _, at := range nodes.Places() {
		if len(regions) == 0 || regions[len(regions)-1].Name != at.Region {
			regions = append(regions, placement.Region{Bin: listedBin(at.Region)})
		}
		region := &regions[len(regions)-1]
		if nodes[placement.Place{Region: at.Region}] == 0 {
			region.Zones = append(region.Zones, listedBin(at.Zone))
		}
	}
	return regions
}

func listedBin(name string) placement.Bin { return placement.Bin{Name: name, Cap: placement.Unlimited} }
