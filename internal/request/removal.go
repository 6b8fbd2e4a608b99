package request

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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

// Wanted is what must be removed: nodes that a decision names, and a number of
// others, where a decision says so from its places.
type Wanted struct {
	Named   []node.Node
	Count   int64            // of others than those; 0: no others
	Cut     int64            // how many nodes were asked for, where the cluster has fewer; otherwise 0
	Groups  map[string]int64 // of the others; nil: from the cluster as a whole
	GroupBy func(node.Node) string
}

// Wanted works out what must be removed from a cluster, for a request that names
// no candidates itself. A count above the size of the cluster is cut to it,
// unless it is for places. The error is a [*TargetError] or an [*ArgumentError].
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
	change, cut := asked.Cut(change, size)
	wanted := Wanted{Count: -change, Cut: cut}
	share := asked.decided()
	if share != nil {
		wanted.Groups, wanted.GroupBy, err = share.groups(nodes)
		if fault, ok := errors.AsType[*ArgumentError](err); ok {
			err = &ArgumentError{"decision", fault.Fault}
		}
	}
	if err == nil && share != nil {
		err = wanted.name(nodes, share.Nodes)
	}
	return wanted, err
}

// name takes the candidates of a decision out of what is wanted.
func (w *Wanted) name(nodes []node.Node, candidates []string) error {
	named, faults := Named(nodes, candidates)
	if len(faults) > 0 {
		return &ArgumentError{"decision", "Its candidates: " + faults[0].Fault}
	}
	w.Named, w.Count = named, w.Count-int64(len(named))
	if w.Groups == nil {
		return nil
	}
	decided := maps.Clone(w.Groups)
	for _, n := range named {
		place := w.GroupBy(n)
		if w.Groups[place] == 0 {
			return &ArgumentError{"decision", fmt.Sprintf(
				"It removes %s from %q, and more of its candidates are there, such as %q.",
				text.Nodes(decided[place]), place, cmp.Or(n.Name, n.ID))}
		}
		w.Groups[place]--
	}
	return nil
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

// Terms say how nodes are removed, as far as they are given: nil is not. They are
// handed on to the caller, who removes them.
type Terms struct {
	DestroyAfterDeletion  *bool
	GracePeriod           *int64 // seconds
	ReduceDesiredCapacity *bool
}

// Terms are what the decision says of how nodes are removed, its own or others.
func (r Removal) Terms() Terms {
	if r.Decision == nil || r.Decision.Deletion == nil {
		return Terms{}
	}
	return r.Decision.Deletion.Terms
}

// DefaultTerms are the deletion policy's: a node that is removed is destroyed, at
// once, and the cluster's desired capacity shrinks with it.
func DefaultTerms() Terms { return Terms{new(true), new(int64(0)), new(true)} }

// Or takes what is not given from others.
func (t Terms) Or(others Terms) Terms {
	return Terms{
		cmp.Or(t.DestroyAfterDeletion, others.DestroyAfterDeletion),
		cmp.Or(t.GracePeriod, others.GracePeriod),
		cmp.Or(t.ReduceDesiredCapacity, others.ReduceDesiredCapacity),
	}
}
