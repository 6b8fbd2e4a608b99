// Package adopt makes the memory of a cluster from the servers that run: what an import begins with.
package adopt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// Cluster makes a roster from the servers of a running cluster. A server belongs to the cluster if the pattern makes
// its name, with any number of zeros before the number. A node keeps the mark of its server, and gets a slot. Cluster
// fails if there is no such server, or if two servers have the same index.
//
// The given roster has what the cloud does not show: kept slots, generations of nodes, and earlier templates in Order,
// which the hashes in the marks assign to nodes. A node without a given generation gets the one of its server; if the
// server has none, the number of its mark is the guess.
func Cluster(cluster string, pattern naming.Pattern, given roster.Roster, servers []node.Node) (roster.Roster, error) {
	r := roster.Roster{Nodes: map[string]roster.Node{}, Slots: given.Slots, Order: given.Order, Adopted: true}
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
			return r, fmt.Errorf("%s have the same index, so it is not clear which one belongs to the cluster; "+
				"rename or remove one", strings.Join(both, " and "))
		}
		taken[index] = s
		n := roster.Node{Index: index, Place: placement.Place{Region: s.Region, Zone: s.Zone}, Mark: markOf(s)}
		n.Generation = cmp.Or(given.Nodes[s.Name].Generation, s.Generation, n.Mark.Number())
		for _, t := range given.Order {
			if n.Mark == roster.MarkOf(n.Mark.Number(), t) {
				n.Template = t
			}
		}
		r.Nodes[s.Name] = n
		r.Next = max(r.Next, index+1)
	}
	if len(r.Nodes) == 0 {
		return r, fmt.Errorf("no server is named %s, %s and so on. Servers such as %[3]s-0.example.org have the "+
			"import id %[3]s/{cluster}-{index}.example.org",
			pattern.Name(cluster, 0), pattern.Name(cluster, 1), cluster)
	}
	r.FillSlots(roster.Stateful{Retain: true})
	return r, nil
}

// Guesses lists the nodes of an import whose generation is a guess, each with the generation. A server with the first
// mark was made once, and so was one that nobody marked in a cluster without any mark or generation: it is new here.
func Guesses(r, given roster.Roster, servers []node.Node) (guessed []string) {
	managed := slices.ContainsFunc(servers, func(s node.Node) bool { return s.InService != "" || s.Generation > 0 })
	for _, s := range servers {
		n, there := r.Nodes[s.Name]
		said := given.Nodes[s.Name].Generation + s.Generation
		if there && managed && said == 0 && roster.Mark(s.InService).Number() != 1 {
			guessed = append(guessed, fmt.Sprintf("%s (%d)", s.Name, n.Generation))
		}
	}
	slices.Sort(guessed)
	return guessed
}

// markOf returns the mark that a server carries, or the first mark.
func markOf(s node.Node) roster.Mark {
	if m := roster.Mark(s.InService); m.Number() > 0 {
		return m
	}
	return roster.MarkOf(1, "")
}

func describe(n node.Node) string { return fmt.Sprintf("%s (%s, in %s)", n.Name, n.ID, n.Region) }
