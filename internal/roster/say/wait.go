package say

import (
	"fmt"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// The ways to end the wait for a node, in the order in which they are given.
const (
	underWay = iota // in an open place
	unmarked        // it only lacks a mark
	unlooked        // it was not looked at
	lags            // its server did not change
	closed          // it is in a closed place
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
	leaves: "An apply that ends without an error destroys the servers of nodes that leave. If somebody keeps such a " +
		"server, name the node in deletion.kept.",
}

// batchWaits is about the nodes that the next batch waits for.
func (p *speech) batchWaits() []Notice {
	w := p.waiting
	if len(p.Verdicts.Held(hold.Waits, hold.Batch)) == 0 || len(w) == 0 || p.Taken >= p.Size {
		return nil
	}
	var advice []string
	for way, sentence := range advices {
		if p.ends[way] {
			advice = append(advice, sentence)
		}
	}
	return notice("A batch waits for the one before", "%s more should be replaced, at most %d at a time. This "+
		"batch waits for %s: %s. %s", text.Nodes(p.Remaining), p.Size, text.Nodes(int64(len(w))), text.Few(w),
		strings.Join(advice, " "))
}

// waits notes the nodes that the next batch waits for: nodes under way, nodes out of service if
// the method takes nodes out of service first, and leaving nodes whose servers still exist.
func (p *speech) waits() {
	add := func(name, why string, ends ...int) {
		p.waiting = append(p.waiting, fmt.Sprintf("%s (%s)", name, why))
		for _, way := range ends {
			p.ends[way] = true
		}
	}
	for _, v := range p.Staying() {
		if why, ends := p.delays(v); why != "" {
			add(v.Name, why, ends...)
		}
	}
	for _, name := range p.Leaving {
		add(name, absence(verdict.Absence{Name: name}), leaves)
	}
}

// delays returns why the next batch waits for a node, or "", and what ends that.
func (p *speech) delays(f *verdict.Verdict) (why string, ends []int) {
	first, region := p.Policy.TakesFirst(), placement.Place{Region: f.Region}
	switch {
	case f.Granted(), !f.Occupies() && (!first || !f.Out()):
		return "", nil
	case first && f.RegionUntouched:
		return region.String() + " " + p.Policy.Untouched(region), []int{closed}
	case f.Untouched == "":
		return Why(f.Fact), p.endsOf(f.Fact)
	}
	return Why(f.Fact), []int{closed} // a closed place refuses candidates
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
