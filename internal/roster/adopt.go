package roster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Adopt makes a roster of the servers of a running cluster: those whose names
// the pattern makes, also with zeros before the index. A node keeps the mark that
// its server carries. It fails where there are none, and where two have one index.
func Adopt(cluster string, pattern Pattern, servers []node.Node) (Roster, error) {
	r := Roster{Nodes: map[string]Node{}}
	names := pattern.Regexp(cluster)
	taken := map[int64]node.Node{}
	for _, s := range servers {
		m := names.FindStringSubmatch(s.Name)
		if m == nil {
			continue
		}
		index, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			return r, err
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
		r.Nodes[s.Name] = Node{
			Index:      index,
			Place:      placement.Place{Region: s.Region, Zone: s.Zone},
			Generation: 1,
			Mark:       adopted(s.InService),
		}
		r.Next = max(r.Next, index+1)
	}
	if len(r.Nodes) == 0 {
		return r, fmt.Errorf("no server is named %s, %s and so on", pattern.Name(cluster, 0), pattern.Name(cluster, 1))
	}
	return r, nil
}

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
