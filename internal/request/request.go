// Package request has the requests and decisions that the policy documents define for a cluster, and the arithmetic
// of its size: scaling out and in, CLUSTER_RESIZE, NODE_CREATE, CLUSTER_DEL_NODES and decisions.
//
// It is pure. A request says how many nodes are added or removed and, if a decision names places, in which. Package
// placement decides where nodes are placed, and package deletion which nodes leave.
package request

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Request is a request to a cluster: at most one of its first four fields, and the decision of another policy.
type Request struct {
	ScaleOut   *int64 // nodes to add
	ScaleIn    *int64 // nodes to remove
	Resize     *Resize
	NodeCreate *placement.Place // one node to add; with an empty name the plan chooses the place
	Decision   *Decision
}

// Decision is the decision of another policy: nodes to create, or to delete.
type Decision struct {
	Creation *Share
	Deletion *Share
}

// Change returns the number of nodes to add to a cluster of current nodes; a negative number must be removed.
//
// A decision takes precedence over the number of the request, as the policy documents define it: scaling out uses a
// creation, scaling in a deletion, and a resize a creation or else a deletion. So does a decision alone. Other parts
// of the decision are ignored. A node to create is one node, whatever the decision says. Without request and decision
// nothing changes.
func (r Request) Change(current int64) (int64, error) {
	switch share := r.decided(); {
	case r.NodeCreate != nil:
		return 1, nil
	case share != nil && share == r.Decision.Creation:
		return share.Count, nil
	case share != nil:
		return -share.Count, nil
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

// Cut limits the removal of a number of nodes to the size of the cluster. The result asked is the requested number if
// that was larger, and otherwise 0. A decision that names places is not cut: if a place has fewer nodes the decision
// is wrong.
func (r Request) Cut(change, size int64) (possible, asked int64) {
	if share := r.decided(); change >= -size || (share != nil && (share.Regions != nil || share.Zones != nil)) {
		return change, 0
	}
	return -size, -change
}

// decided returns the decision by which [Request.Change] counts, or nil if it counts by the request itself.
func (r Request) decided() *Share {
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

// In narrows the decision of a request to what it creates and deletes in some regions.
func (r Request) In(creates, deletes []string) Request {
	if r.Decision == nil {
		return r
	}
	narrowed := Decision{}
	if s := r.Decision.Creation; s != nil {
		narrowed.Creation = s.in(creates...)
	}
	if s := r.Decision.Deletion; s != nil {
		narrowed.Deletion = s.in(deletes...)
	}
	r.Decision = &narrowed
	return r
}

// Regions lists the regions, sorted, that the node to create names, or the decision by which [Request.Change] counts.
func (r Request) Regions() []string {
	switch share := r.decided(); {
	case share != nil:
		return slices.Sorted(maps.Keys(share.Regions))
	case r.NodeCreate != nil && r.NodeCreate.Region != "":
		return []string{r.NodeCreate.Region}
	}
	return nil
}

// ArgumentError means that an argument of a request makes no sense.
type ArgumentError struct {
	Argument string // with dots, such as resize.number; "" for the request as a whole
	Fault    string // sentence
}

func (e *ArgumentError) Error() string { return e.Argument + ": " + e.Fault }

// Check refuses requests that contradict themselves. The error is an [*ArgumentError].
func (r Request) Check() error {
	arguments := []argument{
		{"scale_out", r.ScaleOut != nil},
		{"scale_in", r.ScaleIn != nil},
		{"resize", r.Resize != nil},
		{"node_create", r.NodeCreate != nil},
	}
	return cmp.Or(checkOne(arguments, r.Decision), r.checkNumbers())
}

// argument is a way to request something, by its name in the configuration.
type argument struct {
	name  string
	given bool
}

// checkOne refuses two requests at once, and no request without a decision.
func checkOne(arguments []argument, decision *Decision) error {
	var given, names []string
	for _, a := range arguments {
		names = append(names, a.name)
		if a.given {
			given = append(given, a.name)
		}
	}
	switch {
	case len(given) > 1:
		return &ArgumentError{given[1], fmt.Sprintf("Two requests are made at once, %s and %s: make one.",
			given[0], given[1])}
	case len(given) == 0 && decision == nil:
		return &ArgumentError{"", fmt.Sprintf("Nothing is requested: give one of %s, or another policy's decision.",
			text.And(names))}
	}
	return nil
}

func (r Request) checkNumbers() error {
	if r.Resize == nil {
		return nil
	}
	err := cmp.Or(r.Resize.check(), r.Resize.checkSizes())
	if fault, ok := errors.AsType[*ArgumentError](err); ok {
		return &ArgumentError{"resize." + fault.Argument, fault.Fault}
	}
	return nil
}

// Precedence says why a plan places no node: the node to create names its place itself, or a place that does not
// belong to the plan. It returns "" if the plan places nodes.
//
// The argument region is the region of a plan of zones, or "" for a plan of regions. The regions in planned are those
// whose zones the plan would choose too.
func (r Request) Precedence(region string, planned ...string) string {
	at := r.NodeCreate
	switch {
	case at == nil:
		return ""
	case region == "" && at.Region != "" && at.Zone == "" && slices.Contains(planned, at.Region):
		return fmt.Sprintf("The region %s that the node names takes precedence: nothing is planned. "+
			"To choose its zone use a plan of zones.", at.Region)
	case region == "" && at.Region != "":
		return fmt.Sprintf("The region %s that the node names takes precedence: nothing is planned.", at.Region)
	case region == "" && at.Zone != "" && len(planned) > 0:
		return fmt.Sprintf("The availability zone %s that the node names takes precedence, "+
			"and its region is not named: nothing is planned.", at.Zone)
	case region == "":
		return ""
	case r.foreign(region) != "":
		return r.foreign(region)
	case at.Zone != "":
		return fmt.Sprintf("The availability zone %s that the node names takes precedence: nothing is planned.",
			at.Zone)
	}
	return ""
}

// foreign says that the node to create is for another region than the plan's, or returns "".
func (r Request) foreign(region string) string {
	if r.NodeCreate == nil || r.NodeCreate.Region == "" || r.NodeCreate.Region == region {
		return ""
	}
	return fmt.Sprintf("The node is for the region %s: nothing is planned in %s.", r.NodeCreate.Region, region)
}

// Elsewhere says how much of a decision is left out of the part that [Request.In] returned, in a sentence that follows
// another. It returns "" if nothing is.
func (r Request) Elsewhere(part Request) string {
	share, own := r.decided(), part.decided()
	if share == nil || share.Count == own.Count {
		return ""
	}
	return fmt.Sprintf(" The decision has %s, of which %d are for other regions.",
		text.Nodes(share.Count), share.Count-own.Count)
}

// Additions is what a request adds in one region.
type Additions struct {
	Zones  map[string]int64 // nodes by availability zone; "" leaves the zone to Nova
	Reason string           // result in sentences
}

// Additions returns what a request adds in a plan's region to a cluster of current nodes. If a decision names
// regions, the plan takes only its region's share.
//
// A plan with a zone of its own (or zone:host) places all nodes there. If a decision names zones, it takes only this
// zone's share. A plan without one places each node in the zone that the decision names. A node to create that names
// its place is placed there, unless that is another region. A request that removes nodes adds none.
func (r Request) Additions(region, zone string, current int64) (Additions, error) {
	if reason := r.foreign(region); reason != "" {
		return Additions{Reason: reason}, nil
	}
	own := []string{region}
	here := r.In(own, own)
	change, err := here.Change(current)
	if err != nil {
		return Additions{}, err
	}
	count := max(change, 0)
	zones := map[string]int64{zone: count}
	reason := r.Elsewhere(here)
	if r.NodeCreate != nil && r.NodeCreate.Zone != "" {
		zones = map[string]int64{r.NodeCreate.Zone: count}
	}
	if named := here.decided().zonesOf(region); named != nil && count > 0 {
		if zones = maps.Clone(named); zone != "" {
			name, _, _ := strings.Cut(zone, ":")
			zones = map[string]int64{zone: named[name]}
			if others := count - named[name]; others > 0 {
				reason += fmt.Sprintf(" The decision has %s in %s, of which other zones get %d.",
					text.Nodes(count), region, others)
			}
			count = named[name]
		}
	}
	maps.DeleteFunc(zones, func(_ string, n int64) bool { return n == 0 })
	return Additions{Zones: zones, Reason: text.Change(count) + reason}, nil
}

// zonesOf returns the nodes of a share in a region by zone. It returns nil if the share names no zones there.
func (s *Share) zonesOf(region string) map[string]int64 {
	if s == nil {
		return nil
	}
	if zones, named := s.Zones[region]; named {
		return zones
	}
	return s.Zones[""] // the share does not name the region
}
