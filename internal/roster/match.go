package roster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
)

// Counts counts the nodes by region and zone.
func (r Roster) Counts() map[string]map[string]int64 {
	counts := map[string]map[string]int64{}
	for _, n := range r.Nodes {
		if counts[n.Region] == nil {
			counts[n.Region] = map[string]int64{}
		}
		counts[n.Region][n.Zone]++
	}
	return counts
}

// Match finds the server of each node among those that run: the one with its
// name in its region. Of several it is the one in the node's zone, and then the
// first in the list.
//
// A server that an operator moved to another zone takes its node along, so that
// nobody destroys it to undo the move: the node's zone in the roster becomes the
// one where the server is. It must be known, and the server ACTIVE or SHUTOFF.
func (r Roster) Match(servers []node.Node) map[string]node.Node {
	matched := make(map[string]node.Node, len(r.Nodes))
	for _, s := range servers {
		n, ours := r.Nodes[s.Name]
		if !ours || s.Region != n.Region {
			continue
		}
		if other, twice := matched[s.Name]; !twice || other.Zone != n.Zone && s.Zone == n.Zone {
			matched[s.Name] = s
		}
	}
	for name, s := range matched {
		n := r.Nodes[name]
		if n.Zone != "" && s.Zone != "" && s.Zone != n.Zone && (s.Status == "ACTIVE" || s.Status == "SHUTOFF") {
			n.Zone = s.Zone
			r.Nodes[name] = n
		}
	}
	return matched
}

// Adopt makes a roster of the servers of a running cluster: those whose names
// [AdoptedName] matches. It fails where there are none, and where two have one
// index.
func Adopt(cluster string, servers []node.Node) (Roster, error) {
	r := Roster{Nodes: map[string]Node{}}
	byIndex := map[int64]node.Node{}
	for _, s := range servers {
		m := AdoptedName(cluster).FindStringSubmatch(s.Name)
		if m == nil {
			continue
		}
		index, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			return r, err
		}
		if other, twice := byIndex[index]; twice {
			both := []string{describe(other), describe(s)}
			slices.Sort(both)
			return r, fmt.Errorf("which servers are the cluster's is ambiguous: %s have the same index; rename or remove one of them", strings.Join(both, " and "))
		}
		byIndex[index] = s
		r.Nodes[s.Name] = Node{Index: index, Place: Place{s.Region, s.Zone}}
		r.Next = max(r.Next, index+1)
	}
	if len(r.Nodes) == 0 {
		return r, fmt.Errorf("no server is named %s-0, %s-1 and so on", cluster, cluster)
	}
	return r, nil
}

func describe(n node.Node) string { return fmt.Sprintf("%s (%s, in %s)", n.Name, n.ID, n.Region) }
