package say

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
)

// wait has the nodes that a batch waits for.
type wait struct {
	names    []string // names of the nodes
	why      []string // reason for each node
	underWay bool     // whether some nodes are in open places and not in service
	marks    bool     // whether some of them only lack a mark
	lags     bool     // whether some of them have servers that did not change
	unseen   bool     // whether some of them were not looked at
	tried    bool     // whether the wanted template failed in the place of some nodes
	leaving  bool     // whether some nodes are leaving
	closed   bool     // whether some nodes are in closed places
}

func (w *wait) add(name, why string) { w.names, w.why = append(w.names, name), append(w.why, why) }

// list returns the names, each with its reason.
func (w wait) list() []string {
	list := make([]string, len(w.names))
	for i, name := range w.names {
		list[i] = fmt.Sprintf("%s (%s)", name, w.why[i])
	}
	return list
}

// without returns the names except one, each with its reason.
func (w wait) without(name string) []string {
	i := slices.Index(w.names, name)
	if i < 0 {
		return w.list()
	}
	return slices.Delete(w.list(), i, i+1)
}

// waits returns the nodes that the next batch waits for: nodes under way, nodes out of service if
// the method takes nodes out of service first, and leaving nodes whose servers still exist. Nodes
// of closed places are among them only if more nodes should be replaced.
func (p *speech) waits(more int64) (w wait) {
	for _, name := range p.Left.Names() {
		if p.delays(name) {
			w.addNode(p.Left[name], p.Policy, more)
		}
	}
	for _, name := range p.Tried {
		w.add(name, "two servers of the wanted template ended in ERROR in its place")
		w.tried = true
	}
	for _, name := range p.leaving() {
		w.add(name, leaves)
		w.leaving = true
	}
	return w
}

// delays reports whether the next batch waits for a node that the plan does not change.
func (p *speech) delays(name string) bool {
	switch p.Verdicts[name].Outcome {
	case decide.Changes, decide.Returns:
		return false
	}
	return p.Under[name] || p.Policy.TakesFirst() && p.Out[name]
}

// addNode adds a node of the cluster if the batch waits for it.
func (w *wait) addNode(f *facts.Fact, policy roster.Policy, more int64) {
	switch {
	case policy.TakesFirst() && f.Dark && more > 0:
		at := placement.Place{Region: f.Region}
		w.add(f.Name, shut(at, policy.Rests(at)))
		w.closed = true
	case f.Is == facts.Serving:
	case f.Rests == "":
		w.add(f.Name, Why(f))
		w.underWay = true
		w.unseen = w.unseen || !f.Looked
		w.lags = w.lags || f.Lags || f.NotRemade
		w.marks = w.marks || f.Is == facts.Starting && f.Server.InService == ""
	case more > 0:
		w.add(f.Name, Why(f))
		w.closed = true // a closed place refuses candidates
	}
}

// absentee is a node that is not in service, and that the plan does not change.
type absentee struct {
	name, why string
	pending   bool // whether an apply without an error brings it into service, or removes it
	next      bool // whether the next plan replaces it
}

// absent lists the nodes that are not in service, and that the plan does not change. Terraform
// makes missing servers, and a readiness attachment waits for running ones; the marks of other
// nodes show that there is such an attachment. If no server of the cluster was ever found, the
// servers may have other names, and nothing is expected.
func (p *speech) absent() (list []absentee) {
	marked := p.Left.Number(func(f *facts.Fact) bool {
		return f.Server.InService == string(f.Mark) || facts.Noted(f.Node, f.Server)
	}) > 0
	found := p.All.Number(func(f *facts.Fact) bool { return f.Server.ID != "" || f.Served }) > 0
	awaited := func(name string) bool { return slices.Contains(p.Policy.Awaited, name) }
	for _, name := range p.Left.Names() {
		f := p.Left[name]
		if f.Is == facts.Serving || f.Rests != "" || p.Granted(name) {
			continue
		}
		list = append(list, absentee{
			name:    name,
			why:     Why(f),
			pending: !awaited(name) && (f.Missing && found || !f.Looked || marked && marks(f)),
			next:    goesOn(p.Verdicts[name]),
		})
	}
	for _, name := range p.leaving() {
		list = append(list, absentee{name: name, why: leaves, pending: !awaited(name)})
	}
	return list
}

const leaves = "it leaves, and its server still exists"

// leaving names the leaving nodes that do not come back.
func (p *speech) leaving() []string {
	return slices.DeleteFunc(slices.Clone(p.Leaving), func(name string) bool {
		return p.Verdicts[name].Outcome == decide.Returns
	})
}

// goesOn reports whether a node is held, and the next plan changes it.
func goesOn(v decide.Verdict) bool {
	return v.Outcome == decide.Held && (v.Hold == hold.HeldBatch || v.Hold.GoesOn() && !v.Want.MayServe())
}

// marks reports whether a readiness attachment would mark the server of a node.
func marks(f *facts.Fact) bool {
	return f.Looked && facts.Runs(f.Server) && f.Server.Unwell == "" && !f.Server.Drained && !f.NotRemade
}

// AbsentNames names the nodes that are not in service.
func AbsentNames(list []absentee) (names []string) {
	for _, a := range list {
		names = append(names, a.name)
	}
	return names
}

// Awaits names the nodes that an apply without an error brings into service, or removes.
func Awaits(list []absentee) (names []string) {
	for _, a := range list {
		if a.pending {
			names = append(names, a.name)
		}
	}
	return names
}

// waiting lists the nodes that are not in service, each with its reason. If applied is true, it
// lists only the nodes that remain so after an apply without an error.
func waiting(list []absentee, applied bool) (names []string) {
	for _, a := range list {
		if !applied || !a.pending && !a.next {
			names = append(names, fmt.Sprintf("%s (%s)", a.name, a.why))
		}
	}
	return names
}

// advice returns how to end the wait.
func (w wait) advice(policy roster.Policy) string {
	var parts []string
	if w.underWay {
		parts = append(parts, "Apply again once the nodes under way are in service. If one cannot get into service, "+
			"change the template, or name the node in candidates.")
	}
	if w.marks && policy.RequireMarks {
		parts = append(parts, "stackpolicy_readiness_attachment marks servers that run without a mark; if you do not "+
			"use it, set require_in_service = false in update.")
	}
	if w.unseen {
		parts = append(parts, "Plan without -refresh=false, so that all servers are looked at.")
	}
	if w.lags {
		parts = append(parts, "A server that did not change uses no value that changed in the template: give the old "+
			"template again, or attach stackpolicy_readiness_attachment, which marks servers that need no change.")
	}
	if w.closed {
		parts = append(parts, "Nodes of a closed place that are out of service, or not looked at, count as out of "+
			"service, and are not repaired: open the place first.")
	}
	if w.tried {
		parts = append(parts, "To try once more, change the template, or name the nodes in whose place it "+
			"failed in candidates.")
	}
	if w.leaving {
		parts = append(parts, "An apply that ends without an error destroys the servers of nodes that leave. If "+
			"somebody keeps such a server, name the node in deletion.kept.")
	}
	return strings.Join(parts, " ")
}

// capital returns a sentence with a capital letter at the beginning.
func capital(sentence string) string { return strings.ToUpper(sentence[:1]) + sentence[1:] }
