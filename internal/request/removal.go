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

// Removal is a request to the deletion policy: candidates by id or name, or a number of nodes.
type Removal struct {
	Candidates []string // nil if a number is requested
	ScaleIn    *int64
	Resize     *Resize
	Decision   *Decision // only its deletion counts
}

// Check refuses requests that contradict themselves. The error is an [*ArgumentError].
func (r Removal) Check() error {
	arguments := []argument{
		{"scale_in", r.ScaleIn != nil},
		{"resize", r.Resize != nil},
		{"delete_nodes", r.Candidates != nil},
	}
	return cmp.Or(checkOne(arguments, r.Decision), Request{Resize: r.Resize}.checkNumbers())
}

// Wanted is what must be removed: nodes that a decision names, and a number of others, by place if a decision has
// places.
type Wanted struct {
	Named   []node.Node
	Count   int64            // number of nodes in addition to Nodes; 0 means no others
	Cut     int64            // number that was requested if the cluster has fewer nodes; otherwise 0
	Groups  map[string]int64 // Count by group; nil means the cluster as a whole
	GroupBy func(node.Node) string
}

// Wanted returns what must be removed from a cluster, for a request that names no candidates itself. A count above
// the size of the cluster is cut to it, unless it is for places. The error is a [*TargetError] or an
// [*ArgumentError].
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

// name subtracts the candidates of a decision from the wanted numbers.
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

// CandidateFault is what is wrong with a candidate that was given.
type CandidateFault struct {
	Index int
	Fault string // sentence
}

// Named looks up the nodes with the ids or names in candidates, and returns them in that order. A candidate that is
// no node, stands for several nodes, or was given before is a fault.
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

// Terms are the conditions of a removal. A field that was not given is nil. They are passed to the caller, who
// removes the nodes.
type Terms struct {
	DestroyAfterDeletion  *bool
	GracePeriod           *int64 // seconds
	ReduceDesiredCapacity *bool
}

// Terms returns the terms of the decision.
func (r Removal) Terms() Terms {
	if r.Decision == nil || r.Decision.Deletion == nil {
		return Terms{}
	}
	return r.Decision.Deletion.Terms
}

// DefaultTerms are the deletion policy's: a node that is removed is destroyed, at once, and the cluster's desired
// capacity shrinks with it.
func DefaultTerms() Terms { return Terms{new(true), new(int64(0)), new(true)} }

// Or fills in the fields that were not given from other terms.
func (t Terms) Or(others Terms) Terms {
	return Terms{
		cmp.Or(t.DestroyAfterDeletion, others.DestroyAfterDeletion),
		cmp.Or(t.GracePeriod, others.GracePeriod),
		cmp.Or(t.ReduceDesiredCapacity, others.ReduceDesiredCapacity),
	}
}
