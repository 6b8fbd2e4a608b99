package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
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

// Place is where a node must be. An empty name leaves the choice open.
type Place struct{ Region, Zone string }

// Decision is another policy's: nodes to create, or to delete.
type Decision struct {
	Creation *Share
	Deletion *Share
}

// Change is the number of nodes to add to a cluster of current nodes or, where
// it is negative, to remove from it.
//
// A decision takes precedence over the number of the request, as the policy
// documents have it: scaling out looks for a creation, scaling in for a
// deletion, a resize for a creation and then for a deletion. So does a decision
// alone. What is not looked for is ignored. A node to create is one node,
// whatever is decided. Where nothing is decided and nothing asked nothing
// changes.
func (r Request) Change(current int64) (int64, error) {
	d := Decision{}
	if r.Decision != nil {
		d = *r.Decision
	}
	switch {
	case r.NodeCreate != nil:
		return 1, nil
	case r.ScaleOut != nil && d.Creation != nil:
		return d.Creation.Count, nil
	case r.ScaleOut != nil:
		return *r.ScaleOut, nil
	case r.ScaleIn != nil && d.Deletion != nil:
		return -d.Deletion.Count, nil
	case r.ScaleIn != nil:
		return -*r.ScaleIn, nil
	case d.Creation != nil:
		return d.Creation.Count, nil
	case d.Deletion != nil:
		return -d.Deletion.Count, nil
	case r.Resize != nil:
		desired, err := r.Resize.Desired(current)
		return desired - current, err
	}
	return 0, nil
}

// Decided is the decision that [Request.Change] counts by; nil where it counts
// by the request itself.
func (r Request) Decided() *Share {
	d := r.Decision
	switch {
	case d == nil, r.NodeCreate != nil:
		return nil
	case r.ScaleOut != nil:
		return d.Creation
	case r.ScaleIn != nil, d.Creation == nil:
		return d.Deletion
	}
	return d.Creation
}

// In narrows the decision of a request to the share of some regions; see
// [Share.In].
func (r Request) In(regions ...string) Request {
	if r.Decision == nil {
		return r
	}
	narrowed := Decision{}
	if s := r.Decision.Creation; s != nil {
		narrowed.Creation = s.In(regions...)
	}
	if s := r.Decision.Deletion; s != nil {
		narrowed.Deletion = s.In(regions...)
	}
	r.Decision = &narrowed
	return r
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
	if len(given) == 0 && r.Decision == nil {
		return &ArgumentError{"", "Nothing is requested: give one of scale_out, scale_in, resize and node_create, or another policy's decision."}
	}
	return cmp.Or(checkOne(given), r.checkNumbers())
}

// checkOne refuses two requests at once.
func checkOne(given []string) error {
	if len(given) > 1 {
		return &ArgumentError{given[1], fmt.Sprintf("Two requests are made at once, %s and %s: make one.", given[0], given[1])}
	}
	return nil
}

func (r Request) checkNumbers() error {
	if r.Resize == nil {
		return nil
	}
	err := cmp.Or(r.Resize.Check(), r.Resize.CheckSizes())
	if fault, ok := errors.AsType[*ArgumentError](err); ok {
		return &ArgumentError{"resize." + fault.Argument, fault.Fault}
	}
	return nil
}

// Precedence says why a plan places no node: the node to create names its place
// itself, or one that is not the plan's. It is "" where the plan places nodes.
//
// The region is that of a plan of zones; "" is a plan of regions. Planned are
// the regions whose zones the plan would choose too.
func (r Request) Precedence(region string, planned ...string) string {
	node := r.NodeCreate
	switch {
	case node == nil:
		return ""
	case region == "" && node.Region != "" && node.Zone == "" && slices.Contains(planned, node.Region):
		return fmt.Sprintf("The region %s that the node names takes precedence: nothing is planned. To choose its zone use a plan of zones.", node.Region)
	case region == "" && node.Region != "":
		return fmt.Sprintf("The region %s that the node names takes precedence: nothing is planned.", node.Region)
	case region == "" && node.Zone != "" && len(planned) > 0:
		return fmt.Sprintf("The availability zone %s that the node names takes precedence, and its region is not named: nothing is planned.", node.Zone)
	case region == "":
		return ""
	case node.Region != "" && node.Region != region:
		return fmt.Sprintf("The node is for the region %s: nothing is planned in %s.", node.Region, region)
	case node.Zone != "":
		return fmt.Sprintf("The availability zone %s that the node names takes precedence: nothing is planned.", node.Zone)
	}
	return ""
}

// list joins names for people: "a, b and c".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
