// Package deletion chooses which nodes leave a cluster that shrinks.
//
// It is pure: the same nodes and request give the same answer, and RANDOM is a hash of a seed and the node's id.
package deletion

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Criteria is the order in which healthy nodes leave.
type Criteria string

// The criteria of Senlin's deletion policy, and HIGHEST_INDEX_FIRST: the node with the highest number leaves first,
// as in the StatefulSets of Kubernetes.
const (
	Random             Criteria = "RANDOM"
	OldestFirst        Criteria = "OLDEST_FIRST"
	YoungestFirst      Criteria = "YOUNGEST_FIRST"
	OldestProfileFirst Criteria = "OLDEST_PROFILE_FIRST"
	HighestIndexFirst  Criteria = "HIGHEST_INDEX_FIRST"
)

// AllCriteria lists all criteria.
func AllCriteria() []string {
	return []string{
		string(Random),
		string(OldestFirst),
		string(YoungestFirst),
		string(OldestProfileFirst),
		string(HighestIndexFirst),
	}
}

// Request is how many nodes to remove, and from where.
type Request struct {
	Count    int64
	Groups   map[string]int64 // count by the name that GroupBy gives; nil means the cluster as a whole
	GroupBy  func(node.Node) string
	Criteria Criteria // "" means Random
	Seed     string   // seed of Random; "" means one made of the ids of all nodes
}

// ProtectedError means that too many of the nodes are protected.
type ProtectedError struct {
	Group     string // "" for the whole cluster
	Asked     int64
	Others    int64 // nodes that are not protected
	Protected int64
}

func (e *ProtectedError) Error() string {
	return fmt.Sprintf("%s must be removed%s, but only %d of its nodes can be (protected: %d)",
		text.Nodes(e.Asked), from(e.Group), e.Others, e.Protected)
}

func from(group string) string {
	if group == "" {
		return " from the cluster"
	}
	return fmt.Sprintf(" from %q", group)
}

// Choose returns the nodes that leave, group by group in the order of the groups' names.
//
// In each group the unhealthy nodes (status ERROR or UNKNOWN, or tainted) leave first, in the order of the list, then
// nodes that are not created yet (no creation time, or status BUILD), then all others by the criterion, and by id if
// they are equal. A node whose profile has no known age counts as youngest. Protected nodes are never chosen.
//
// Without groups a count above the number of nodes is cut to it. The error is a [*ProtectedError] where too many are
// protected, and otherwise about a group with fewer nodes than must be removed.
func Choose(nodes []node.Node, request Request) ([]node.Node, error) {
	if request.Groups == nil {
		return pick("", nodes, min(request.Count, int64(len(nodes))), nodes, request)
	}
	members := map[string][]node.Node{}
	for _, n := range nodes {
		name := request.GroupBy(n)
		members[name] = append(members[name], n)
	}
	var chosen []node.Node
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(request.Groups)) {
		asked := request.Groups[name]
		if have := int64(len(members[name])); asked > have {
			errs = append(errs, fmt.Errorf("%s must be removed%s, which has %d", text.Nodes(asked), from(name), have))
			continue
		}
		some, err := pick(name, members[name], asked, nodes, request)
		chosen, errs = append(chosen, some...), append(errs, err)
	}
	return chosen, errors.Join(errs...)
}

// pick chooses count nodes of one group; all are the nodes of the cluster.
func pick(group string, nodes []node.Node, count int64, all []node.Node, request Request) ([]node.Node, error) {
	var free []int
	for _, i := range order(nodes, all, request.Criteria, request.Seed) {
		if !nodes[i].Protected {
			free = append(free, i)
		}
	}
	if others := int64(len(free)); count > others {
		return nil, &ProtectedError{Group: group, Asked: count, Others: others, Protected: int64(len(nodes)) - others}
	}
	chosen := make([]node.Node, max(count, 0))
	for i := range chosen {
		chosen[i] = nodes[free[i]]
	}
	return chosen, nil
}

// Order returns the positions of all nodes, protected ones too, in the order in which [Choose] would choose them.
func Order(nodes []node.Node, criteria Criteria) []int { return order(nodes, nodes, criteria, "") }

// order returns the positions of nodes; all are the nodes of the cluster.
func order(nodes, all []node.Node, criteria Criteria, seed string) []int {
	if seed == "" && criteria.draws() {
		seed = seedOf(all)
	}
	tickets := make([]ticket, len(nodes))
	for i := range nodes {
		tickets[i] = ticket{Node: &nodes[i], at: i}
		if criteria.draws() {
			tickets[i].number = draw(seed, nodes[i].ID)
		}
	}
	slices.SortStableFunc(tickets, func(a, b ticket) int {
		switch first := turn(a.Node); {
		case first != turn(b.Node):
			return cmp.Compare(first, turn(b.Node))
		case first == unwell:
			return 0
		}
		return cmp.Or(criteria.compare(a, b), strings.Compare(a.ID, b.ID))
	})
	positions := make([]int, len(nodes))
	for i, t := range tickets {
		positions[i] = t.at
	}
	return positions
}

// The turns of nodes: a lower turn leaves first.
const (
	unwell = iota
	notCreated
	well
)

func turn(n *node.Node) int {
	switch {
	case n.Tainted || n.Status == "ERROR" || n.Status == "UNKNOWN":
		return unwell
	case n.CreatedAt.IsZero() || n.Status == "BUILD":
		return notCreated
	}
	return well
}

// ticket is a node with its position and, if nodes are drawn, its random number: a hash of a seed.
type ticket struct {
	*node.Node
	at     int
	number uint64
}

// draws reports whether the order is random.
func (c Criteria) draws() bool {
	return !slices.Contains([]Criteria{OldestFirst, YoungestFirst, OldestProfileFirst, HighestIndexFirst}, c)
}

func (c Criteria) compare(a, b ticket) int {
	switch c {
	case OldestFirst:
		return a.CreatedAt.Compare(b.CreatedAt)
	case YoungestFirst:
		return b.CreatedAt.Compare(a.CreatedAt)
	case OldestProfileFirst:
		if a.ProfileCreatedAt.IsZero() != b.ProfileCreatedAt.IsZero() {
			return b.ProfileCreatedAt.Compare(a.ProfileCreatedAt)
		}
		return a.ProfileCreatedAt.Compare(b.ProfileCreatedAt)
	case HighestIndexFirst:
		return cmp.Compare(b.Index, a.Index)
	}
	return cmp.Compare(a.number, b.number)
}

// seedOf makes a seed of the ids of nodes, in any order.
func seedOf(nodes []node.Node) string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.ID
	}
	slices.Sort(ids)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(ids, "\n"))))
}

func draw(seed, id string) uint64 {
	sum := sha256.Sum256([]byte(seed + "\x00" + id))
	return binary.BigEndian.Uint64(sum[:])
}

// Misspelled reports whether a name may be a misspelling of another: the numbers at their ends are equal, and the
// letters before differ by at most one, or by two that are swapped. So web-00 and wbe-0 may mean web-0, and web-1 is
// another node.
func Misspelled(name, other string) bool {
	a, m := numbered(strings.ToLower(name))
	b, n := numbered(strings.ToLower(other))
	return name != other && m == n && (a == b || len(a) > 2 && len(b) > 2 && text.Distance(a, b) == 1)
}

// numbered cuts a name before the number at its end, and removes the leading zeros of the number.
func numbered(name string) (prefix, number string) {
	prefix = strings.TrimRight(name, "0123456789")
	number = name[len(prefix):]
	if trimmed := strings.TrimLeft(number, "0"); trimmed != "" || number == "" {
		return prefix, trimmed
	}
	return prefix, "0"
}
