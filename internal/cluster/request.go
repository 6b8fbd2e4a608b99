package cluster

import (
	"cmp"
	"errors"
	"fmt"
)

// Request says what is asked of a cluster: at most one of its first four
// fields, and what another policy decided.
type Request struct {
	ScaleOut   *int64 // nodes to add
	ScaleIn    *int64 // nodes to remove
	Resize     *Resize
	NodeCreate *Place // one node to add, which may name its place
	Decision   *Decision
}

// Place is where a node is to be. An empty name leaves the choice open.
type Place struct{ Region, Zone string }

// Decision is another policy's: how many nodes to add or to remove.
type Decision struct {
	Creation *int64
	Deletion *int64
}

// Change is the number of nodes to add to a cluster of current nodes or, where
// it is negative, to remove from it.
//
// A decision takes precedence, as the policy documents have it: the creation is
// looked at first. An empty one decides nothing; without a request beside it
// nothing changes.
func (r Request) Change(current int64) (int64, error) {
	d := r.Decision
	switch {
	case r.NodeCreate != nil:
		return 1, nil
	case d != nil && d.Creation != nil:
		return *d.Creation, nil
	case d != nil && d.Deletion != nil:
		return -*d.Deletion, nil
	case r.ScaleOut != nil:
		return *r.ScaleOut, nil
	case r.ScaleIn != nil:
		return -*r.ScaleIn, nil
	case r.Resize != nil:
		desired, err := r.Resize.Desired(current)
		return desired - current, err
	}
	return 0, nil
}

// Check refuses requests that contradict themselves. The error is an
// [*ArgumentError].
func (r Request) Check() error {
	var given []string
	for _, q := range []struct {
		name string
		set  bool
	}{{"scale_out", r.ScaleOut != nil}, {"scale_in", r.ScaleIn != nil}, {"resize", r.Resize != nil}, {"node_create", r.NodeCreate != nil}} {
		if q.set {
			given = append(given, q.name)
		}
	}
	d := r.Decision
	switch {
	case len(given) > 1:
		return &ArgumentError{given[1], fmt.Sprintf("Two requests are made at once, %s and %s: make one.", given[0], given[1])}
	case len(given) == 0 && d == nil:
		return &ArgumentError{"", "Nothing is asked of the cluster: give one of scale_out, scale_in, resize and node_create, or another policy's decision."}
	case d != nil && d.Creation != nil && d.Deletion != nil:
		return &ArgumentError{"decision", "A decision creates nodes or deletes them, not both."}
	case d != nil && d.Deletion != nil && r.ScaleOut != nil:
		return &ArgumentError{"decision", "The decision deletes nodes, and scale_out asks for more."}
	case d != nil && d.Creation != nil && r.ScaleIn != nil:
		return &ArgumentError{"decision", "The decision creates nodes, and scale_in asks for fewer."}
	case r.Resize != nil:
		err := cmp.Or(r.Resize.Check(), r.Resize.CheckSizes())
		if fault, ok := errors.AsType[*ArgumentError](err); ok {
			return &ArgumentError{"resize." + fault.Argument, fault.Fault}
		}
	}
	return nil
}
