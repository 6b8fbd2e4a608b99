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

// wait is what a batch waits for.
type wait struct {
	names    []string // of nodes
	why      []string // of each
	underWay bool     // whether nodes of the cluster are among them
	marks    bool     // whether some of those only lack a mark
	lags     bool     // whether some of those have servers that did not change
	unseen   bool     // whether some of those were not looked at
	tried    bool     // whether nodes are among them in whose place the wanted template failed
	leaving  bool     // whether nodes that leave are among them
	closed   bool     // whether nodes of closed places are among them
}

func (w *wait) add(name, why string) { w.names, w.why = append(w.names, name), append(w.why, why) }

// list has the names, each with why.
func (w wait) list() []string {
	list := make([]string, len(w.names))
	for i, name := range w.names {
		list[i] = fmt.Sprintf("%s (%s)", name, w.why[i])
	}
	return list
}

// without has the names of all but one, each with why.
func (w wait) without(name string) []string {
	i := slices.Index(w.names, name)
	if i < 0 {
		return w.list()
	}
	return slices.Delete(w.list(), i, i+1)
}

// waits are the nodes that keep the next batch from being chosen: those that count as under
// way or, where a method takes nodes from service, as out of it, and those that leave and
// whose servers are still there. Those of closed places are waited for only where more nodes
// should be replaced.
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

// delays reports whether a batch counts on a node that the plan does not change.
func (p *speech) delays(name string) bool {
	switch p.Verdicts[name].Outcome {
	case decide.Changes, decide.Returns:
		return false
	}
	return p.Under[name] || p.Policy.TakesFirst() && p.Out[name]
}

// addNode adds a node of the cluster, if the batch waits for it.
func (w *wait) addNode(f *facts.Fact, policy roster.Policy, more int64) {
	switch {
	case policy.TakesFirst() && f.Dark && more > 0:
		at := placement.Place{Region: f.Region}
		w.add(f.Name, where(at, policy.Rests(at)))
		w.closed = true
	case f.Is == facts.Serving:
	case f.Rests == "":
		w.add(f.Name, Why(f))
		w.underWay = true
		w.unseen = w.unseen || !f.Looked
		w.lags = w.lags || f.Lags || f.Former
		w.marks = w.marks || f.Is == facts.Starting && f.Server.InService == ""
	case more > 0:
		w.add(f.Name, Why(f))
		w.closed = true // no candidate is taken there
	}
}

// absentee is a node that is not in service, and that the plan does not change.
type absentee struct {
	name, why string
	pending   bool // whether an apply that ends well brings it into service, or ends it
	next      bool // whether the next plan replaces it
}

// absent lists the nodes that are not in service, and are not changed by the plan. Terraform
// makes the servers that are missing, and a readiness attachment waits for those that run;
// that there is one shows by the marks of others. Where no server of the cluster was ever found
// they may have other names, and nothing is expected.
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

const leaves = "it leaves, and its server is still there"

// leaving names the nodes that leave, and do not come back.
func (p *speech) leaving() []string {
	return slices.DeleteFunc(slices.Clone(p.Leaving), func(name string) bool {
		return p.Verdicts[name].Outcome == decide.Returns
	})
}

// goesOn reports whether a node is held, and the next plan changes it.
func goesOn(v decide.Verdict) bool {
	return v.Outcome == decide.Held && (v.Hold == hold.HeldBatch || v.Hold.GoesOn() && !v.Want.May())
}

// marks reports whether a readiness attachment would mark the server of a node.
func marks(f *facts.Fact) bool {
	return f.Looked && facts.Runs(f.Server) && f.Server.Unwell == "" && !f.Server.Drained && !f.Former
}

// AbsentNames names the nodes that are not in service.
func AbsentNames(list []absentee) (names []string) {
	for _, a := range list {
		names = append(names, a.name)
	}
	return names
}

// Awaits names those of the nodes that an apply which ends well brings into service, or removes.
func Awaits(list []absentee) (names []string) {
	for _, a := range list {
		if a.pending {
			names = append(names, a.name)
		}
	}
	return names
}

// waiting lists those that are not in service, each with why; applied says once the plan is
// applied and has ended well.
func waiting(list []absentee, applied bool) (names []string) {
	for _, a := range list {
		if !applied || !a.pending && !a.next {
			names = append(names, fmt.Sprintf("%s (%s)", a.name, a.why))
		}
	}
	return names
}

// advice says what ends the wait.
func (w wait) advice(policy roster.Policy) string {
	var parts []string
	if w.underWay {
		parts = append(parts, "Apply again when what is under way is in service; if it never will be, change the "+
			"template, or name it in candidates.")
	}
	if w.marks && policy.RequireMarks {
		parts = append(parts, "Servers that run and have no mark are marked by stackpolicy_readiness_attachment; "+
			"without one set require_in_service = false in update.")
	}
	if w.unseen {
		parts = append(parts, "Plan without -refresh=false, so that what was not looked at is seen.")
	}
	if w.lags {
		parts = append(parts, "A server that stays what it was takes no argument from what changed in the template: "+
			"give the former template again, or attach stackpolicy_readiness_attachment, which marks servers that "+
			"need no change.")
	}
	if w.closed {
		parts = append(parts, "Nodes of a closed place that are out of service, or that nobody looks at, count for a "+
			"method that takes others from it, and none is repaired there: open the place first.")
	}
	if w.tried {
		parts = append(parts, "Change the template, or name the nodes in whose place it failed in candidates, to try "+
			"once more.")
	}
	if w.leaving {
		parts = append(parts, "A server that leaves is destroyed by an apply that ends without an error; one that "+
			"somebody keeps is named in deletion.kept.")
	}
	return strings.Join(parts, " ")
}

// capital is a sentence that begins with a capital letter.
func capital(sentence string) string { return strings.ToUpper(sentence[:1]) + sentence[1:] }
