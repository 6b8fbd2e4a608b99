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
// the pattern makes, also with zeros before the index. It fails where there are
// none, and where two have one index.
func Adopt(cluster string, pattern Pattern, servers []node.Node) (Roster, error) {
	r := Roster{Nodes: map[string]Node{}, Newest: firstRevision}
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
			return r, fmt.Errorf("which servers are the cluster's is ambiguous: %s have the same index; rename or remove one of them", strings.Join(both, " and "))
		}
		taken[index] = s
		r.Nodes[s.Name] = Node{Index: index, Place: Place{s.Region, s.Zone}, Revision: firstRevision}
		r.Next = max(r.Next, index+1)
	}
	if len(r.Nodes) == 0 {
		return r, fmt.Errorf("no server is named %s, %s and so on", pattern.Name(cluster, 0), pattern.Name(cluster, 1))
	}
	return r, nil
}

func describe(n node.Node) string { return fmt.Sprintf("%s (%s, in %s)", n.Name, n.ID, n.Region) }

// Places lists the regions and zones that have nodes, by name: the policy that
// an adopted cluster follows already. A region with a node in no zone lists none.
func (r Roster) Places() []placement.Region {
	var regions []placement.Region
	counts := r.Counts()
	for _, region := range placement.CountRegions(nil, counts) {
		listed := placement.Region{Bin: placement.Bin{Name: region.Name, Cap: placement.Unlimited}}
		if counts[region.Name][""] == 0 {
			for _, zone := range placement.Count(nil, counts[region.Name]) {
				listed.Zones = append(listed.Zones, placement.Bin{Name: zone.Name, Cap: placement.Unlimited})
			}
		}
		regions = append(regions, listed)
	}
	return regions
}
