package roster

import "github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"

// place decides how many new nodes each place gets.
func place(left facts, count int64, full []placement.Place, policy Policy) (placement.Counts, error) {
	return boardOf(left, policy.Regions, full).Distribute(count)
}

// newNode is a node that a plan adds.
type newNode struct {
	name string
	Node
}

// name gives new nodes their indices and names, place by place. Another pattern
// may make names that are there already: those indices are left out.
func name(counts placement.Counts, now Roster, wanted int64, policy Policy) (nodes []newNode, next int64) {
	next = now.Next
	for _, at := range counts.Places() {
		for range counts[at] {
			for {
				if _, taken := now.Nodes[policy.Name(next)]; !taken {
					break
				}
				next++
			}
			nodes = append(nodes, newNode{policy.Name(next), Node{Index: next, Place: at, Revision: wanted}})
			next++
		}
	}
	return nodes, next
}
