package say

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// absentee is a node that is not in service, or is leaving and still runs, and that the plan does
// not change.
type absentee struct {
	name, why string
	pending   bool // whether an apply without an error brings it into service, or removes it
	evident   bool // whether what was seen of the cluster shows that its applies do so
	ends      []int
}

type absentees []absentee

// names names the absentees of a kind.
func (list absentees) names(is func(absentee) bool) (names []string) {
	for _, a := range list {
		if is(a) {
			names = append(names, a.name)
		}
	}
	return names
}

// texts lists the absentees of a kind, each with its reason.
func (list absentees) texts(is func(absentee) bool) (texts []string) {
	for _, a := range list {
		if is(a) {
			texts = append(texts, fmt.Sprintf("%s (%s)", a.name, a.why))
		}
	}
	return texts
}

func all(absentee) bool { return true }

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

// advice returns how to end the wait for the absentees.
func (list absentees) advice() string {
	var parts []string
	for way, advice := range advices {
		if slices.ContainsFunc(list, func(a absentee) bool { return slices.Contains(a.ends, way) }) {
			parts = append(parts, advice)
		}
	}
	return strings.Join(parts, " ")
}

// waits returns the nodes that the next batch waits for: nodes under way, nodes out of service if
// the method takes nodes out of service first, and leaving nodes whose servers still exist. Nodes
// of closed places are among them only if more nodes should be replaced.
func (p *speech) waits(more int64) (list absentees) {
	for _, v := range p.Staying() {
		if why, ends := p.delays(v, more); why != "" {
			list = append(list, absentee{name: v.Name, why: why, ends: ends})
		}
	}
	for _, name := range p.Tried() {
		const why = "two servers of the wanted template ended in ERROR in its place"
		list = append(list, absentee{name: name, why: why, ends: []int{tried}})
	}
	return append(list, p.leaving()...)
}

// delays returns why the next batch waits for a node, or "", and what ends that.
func (p *speech) delays(f verdict.Verdict, more int64) (why string, ends []int) {
	first := p.Policy.TakesFirst()
	switch waits := f.Occupies() || first && f.Out(); {
	case !waits, f.Granted():
	case first && f.RegionRests && more > 0:
		region := placement.Place{Region: f.Region}
		return region.String() + " " + p.Policy.Rests(region), []int{closed}
	case f.Is == facts.Serving:
	case f.Rests == "":
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

// absent lists the nodes that are not in service, and that the plan does not change. An apply that ends without an
// error has made missing servers, and its readiness attachment has marked those that run. The marks of other nodes are
// evidence of such an attachment. If no server of the cluster was ever found, the servers may have other names.
func (p *speech) absent() (list absentees) {
	marked := slices.ContainsFunc(p.Staying(), func(v verdict.Verdict) bool { return v.Judged() })
	found := slices.ContainsFunc(p.Before(), func(v verdict.Verdict) bool { return v.Server.ID != "" || v.Served })
	for _, f := range p.Staying() {
		if f.Is == facts.Serving || f.Rests != "" || f.Granted() {
			continue
		}
		list = append(list, absentee{
			name:    f.Name,
			why:     Why(f.Fact),
			pending: !p.awaited(f.Name) && (f.Missing || !f.Looked || marks(f.Fact)),
			evident: f.Missing && found || !f.Looked || marked && marks(f.Fact),
		})
	}
	return append(list, p.leaving()...)
}

// awaited reports whether an apply already should have brought a node into service, or removed it.
func (p *speech) awaited(name string) bool { return slices.Contains(p.Policy.Awaited, name) }

// leaving lists the leaving nodes that do not come back.
func (p *speech) leaving() (list absentees) {
	for _, name := range p.Leaving {
		list = append(list, absentee{name: name, why: "it leaves, and its server still exists",
			pending: !p.awaited(name), evident: true, ends: []int{leaves}})
	}
	return list
}

// marks reports whether a readiness attachment would mark the server of a node.
func marks(f *facts.Fact) bool {
	return f.Looked && f.Runs() && f.Server.Unwell == "" && !f.Server.Drained && !f.NotRemade
}
