package say

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// obstacle is a node that the next batch waits for, and the ways to end that.
type obstacle struct {
	name, why string
	ends      []int
}

type obstacles []obstacle

// texts lists the obstacles, each with its reason.
func (list obstacles) texts() (texts []string) {
	for _, o := range list {
		texts = append(texts, fmt.Sprintf("%s (%s)", o.name, o.why))
	}
	return texts
}

// The ways to end the wait for a node, in the order in which they are given.
const (
	underWay = iota // in an open place
	unmarked        // it only lacks a mark
	unlooked        // it was not looked at
	lags            // its server did not change
	closed          // it is in a closed place
	tried           // the wanted template failed in its place
	leaves          // it leaves
)

var advices = []string{
	underWay: "Apply again once the nodes under way are in service. If one cannot get into service, change the " +
		"template, or name the node in candidates.",
	unmarked: "stackpolicy_readiness_attachment marks servers that run without a mark; if you do not use it, set " +
		"require_in_service = false in update.",
	unlooked: "Plan without -refresh=false, so that all servers are looked at.",
	lags: "A server that did not change uses no value that changed in the template: give the old template again, or " +
		"attach stackpolicy_readiness_attachment, which marks servers that need no change.",
	closed: "Nodes of a closed place that are out of service, or not looked at, count as out of service, and are not " +
		"repaired: open the place first.",
	tried: "To try once more, change the template, or name the nodes in whose place it failed in candidates.",
	leaves: "An apply that ends without an error destroys the servers of nodes that leave. If somebody keeps such a " +
		"server, name the node in deletion.kept.",
}

// advice returns how to end the wait.
func (list obstacles) advice() string {
	var parts []string
	for way, advice := range advices {
		if slices.ContainsFunc(list, func(o obstacle) bool { return slices.Contains(o.ends, way) }) {
			parts = append(parts, advice)
		}
	}
	return strings.Join(parts, " ")
}

// waits returns the nodes that the next batch waits for: nodes under way, nodes out of service if
// the method takes nodes out of service first, and leaving nodes whose servers still exist. Nodes
// of closed places are among them only if more nodes should be replaced.
func (p *speech) waits(more int64) (list obstacles) {
	for _, v := range p.Staying() {
		if why, ends := p.delays(v, more); why != "" {
			list = append(list, obstacle{v.Name, why, ends})
		}
	}
	for _, name := range p.Tried() {
		const why = "two servers of the wanted template ended in ERROR in its place"
		list = append(list, obstacle{name, why, []int{tried}})
	}
	for _, name := range p.Leaving {
		list = append(list, obstacle{name, absence(verdict.Absence{Name: name}), []int{leaves}})
	}
	return list
}

// delays returns why the next batch waits for a node, or "", and what ends that.
func (p *speech) delays(f verdict.Verdict, more int64) (why string, ends []int) {
	first := p.Policy.TakesFirst()
	switch waits := f.Occupies() || first && f.Out(); {
	case !waits, f.Granted():
	case first && f.RegionUntouched && more > 0:
		region := placement.Place{Region: f.Region}
		return region.String() + " " + p.Policy.Untouched(region), []int{closed}
	case f.Is == facts.Serving:
	case f.Untouched == "":
		return Why(f.Fact), p.endsOf(f.Fact)
	case more > 0:
		return Why(f.Fact), []int{closed} // a closed place refuses candidates
	}
	return "", nil
}

// endsOf returns what brings a node of an open place into service.
func (p *speech) endsOf(f *facts.Fact) []int {
	ends := []int{underWay}
	if !f.Looked {
		ends = append(ends, unlooked)
	}
	if f.Lags || f.NotRemade {
		ends = append(ends, lags)
	}
	if f.Is == facts.Starting && f.Server.InService == "" && p.Policy.RequireMarks {
		ends = append(ends, unmarked)
	}
	return ends
}
