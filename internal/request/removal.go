package request

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Removal says what is asked of the deletion policy: candidates by id or name,
// or a number of nodes.
type Removal struct {
	Candidates []string // nil: a number is asked
	ScaleIn    *int64
	Resize     *Resize
	Decision   *Decision // of which only the deletion counts
}

// Check refuses requests that contradict themselves. The error is an
// [*ArgumentError].
func (r Removal) Check() error {
	arguments := []argument{
		{"scale_in", r.ScaleIn != nil},
		{"resize", r.Resize != nil},
		{"delete_nodes", r.Candidates != nil},
	}
	return cmp.Or(checkOne(arguments, r.Decision), Request{Resize: r.Resize}.checkNumbers())
}

// Wanted is how many nodes must be removed and, where a decision says so, from
// which places; see [Share.Groups].
type Wanted struct {
	Count   int64            // 0: the cluster does not shrink
	Asked   int64            // what was asked; above Count where that is cut to the size of the cluster
	Groups  map[string]int64 // nil: from the cluster as a whole
	GroupBy func(node.Node) string
}

// Wanted works out what must be removed from a cluster, for a request that names
// no candidates. A count above the size of the cluster is cut to it, unless it is
// for places. The error is a [*TargetError] or an [*ArgumentError].
func (r Removal) Wanted(nodes []node.Node) (Wanted, error) {
	asked := Request{ScaleIn: r.ScaleIn, Resize: r.Resize}
	if r.Decision != nil {
		asked.Decision = &Decision{Deletion: r.Decision.Deletion}
	}
	size := int64(len(nodes))
	change, err := asked.Change(size)
	if err != nil || change >= 0 {
		return Wanted{}, err
	}
	wanted := Wanted{Count: -change, Asked: -change}
	if share := asked.Decided(); share != nil {
		wanted.Groups, wanted.GroupBy, err = share.Groups(nodes)
		if fault, ok := errors.AsType[*ArgumentError](err); ok {
			err = &ArgumentError{"decision", fault.Fault}
		}
	}
	if wanted.Groups == nil {
		wanted.Count = min(wanted.Count, size)
	}
	return wanted, err
}

// CandidateFault says what is wrong with a candidate that was given.
type CandidateFault struct {
	Index int
	Fault string // a sentence
}

// Named looks up the nodes that candidates, ids or names, stand for. They are
// kept as they are, in their order. A candidate that is no node, that stands for
// several or that was given before is a fault.
func Named(nodes []node.Node, candidates []string) (chosen []node.Node, faults []CandidateFault) {
	for i, candidate := range candidates {
		var found []node.Node
		for _, n := range nodes {
			if n.ID == candidate {
				found = []node.Node{n}
				break
			}
			if n.Name == candidate && candidate != "" {
				found = append(found, n)
			}
		}
		fault := func(format string, args ...any) {
			faults = append(faults, CandidateFault{i, fmt.Sprintf(format, args...)})
		}
		switch {
		case len(found) == 0:
			fault("No node has the id or name %q (nodes given: %d).", candidate, len(nodes))
		case len(found) > 1:
			ids := make([]string, len(found))
			for j, n := range found {
				ids[j] = n.ID
			}
			fault("%d nodes have the name %q: give the id of the one that you mean, one of %s.",
				len(found), candidate, text.And(ids))
		case slices.ContainsFunc(chosen, func(n node.Node) bool { return n.ID == found[0].ID }):
			fault("The node %q is named more than once.", candidate)
		default:
			chosen = append(chosen, found[0])
		}
	}
	return chosen, faults
}

// Terms say how nodes are removed. They are handed on to the caller, who removes them.
type Terms struct {
	DestroyAfterDeletion  bool
	GracePeriod           int64 // seconds
	ReduceDesiredCapacity bool
}

// TermsOf fills in what is not given, nil, as the deletion policy does: a node
// that is removed is destroyed, at once, and the cluster's desired capacity
// shrinks with it.
func TermsOf(destroy *bool, grace *int64, reduce *bool) Terms {
	terms := Terms{DestroyAfterDeletion: true, ReduceDesiredCapacity: true}
	if destroy != nil {
		terms.DestroyAfterDeletion = *destroy
	}
	if grace != nil {
		terms.GracePeriod = *grace
	}
	if reduce != nil {
		terms.ReduceDesiredCapacity = *reduce
	}
	return terms
}
