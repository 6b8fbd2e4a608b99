package learn

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// Adopt makes a roster of the servers of a running cluster: those whose names
// the pattern makes, with any number of zeros before the number. A node keeps the mark that
// its server carries, and each gets a slot. It fails where there are none, and where two
// have one index.
//
// What nobody can read in the cloud is given: kept slots, templates of before (Order), of
// which the hash in a mark says which node has which, and generations of nodes. A
// generation that is not given is the server's own; without one it is guessed.
func Adopt(cluster string, pattern roster.Pattern, given roster.Roster, servers []node.Node) (roster.Roster, error) {
	r := roster.Roster{Nodes: map[string]roster.Node{}, Slots: maps.Clone(given.Slots), Order: given.Order,
		Adopted: true}
	if r.Slots == nil {
		r.Slots = map[string]roster.Slot{}
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
		n := roster.Node{Index: index, Place: placement.Place{Region: s.Region, Zone: s.Zone},
			Mark: adopted(s.InService)}
		n.Generation = cmp.Or(given.Nodes[s.Name].Generation, s.Generation)
		if n.Generation == 0 {
			n.Generation, n.Guessed = n.Mark.Number(), true
		}
		for _, t := range given.Order {
			if n.Mark == roster.MarkOf(n.Mark.Number(), t) {
				n.Template = t
			}
		}
		r.Nodes[s.Name] = n
		r.Next = max(r.Next, index+1)
	}
	if len(r.Nodes) == 0 {
		return r, fmt.Errorf("no server is named %s, %s and so on", pattern.Name(cluster, 0), pattern.Name(cluster, 1))
	}
	r.FillSlots()
	return r, nil
}

// adopted is the mark that a server carries, or the first one.
func adopted(carried string) roster.Mark {
	if m := roster.Mark(carried); m.Number() > 0 {
		return m
	}
	return roster.FirstMark("")
}

func describe(n node.Node) string { return fmt.Sprintf("%s (%s, in %s)", n.Name, n.ID, n.Region) }

// Guesses names the nodes whose generation is a guess, each with it. In the roster that it
// returns none is a guess any more.
func Guesses(r roster.Roster) (roster.Roster, []string) {
	r = r.Clone()
	var guesses []string
	for _, name := range r.Names() {
		if n := r.Nodes[name]; n.Guessed {
			guesses = append(guesses, fmt.Sprintf("%s (%d)", name, n.Generation))
			n.Guessed = false
			r.Nodes[name] = n
		}
	}
	return r, guesses
}
