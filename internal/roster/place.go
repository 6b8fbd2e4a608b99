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

// name gives new nodes their indices and names, place by place. A name that a
// node has, or that a removed one may have had under another pattern, is left out.
func name(counts placement.Counts, now Roster, policy Policy) (nodes []newNode, next int64) {
	next = now.Next
	for _, at := range counts.Places() {
		for range counts[at] {
			for now.used(policy.Name(next)) {
				next++
			}
			template := policy.Templates.At(at)
			nodes = append(nodes, newNode{policy.Name(next), Node{Index: next, Place: at, Template: template, Generation: 1, Mark: mark(template)}})
			next++
		}
	}
	return nodes, next
}

// used reports whether a node has a name, or may have had it.
func (r Roster) used(name string) bool {
	if _, taken := r.Nodes[name]; taken {
		return true
	}
	for naming, next := range r.Former {
		if naming.gave(name, next) {
			return true
		}
	}
	return false
}
