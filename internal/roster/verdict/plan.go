package verdict

import (
	"cmp"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
)

// Plan is a plan of a cluster: a verdict about each node, and what else a person should know.
type Plan struct {
	Verdicts List
	Next     roster.Roster // after the plan
	Policy   roster.Policy // with the wanted templates: the settled ones after a failure
	Counts
	Names

	Remaining int64 // nodes that should still be replaced after the plan
	Beyond    int64 // servers beyond the cluster
	Free      int64 // servers that Terraform may make beside those of the plan
	Cleans    int64 // servers of nodes that never served and leave, which an apply that ends well destroys

	Failed  []string // servers with the name of a node that failed, each with its id: see decide
	Strays  []Stray  // servers that no node has, and that no apply removes
	Leaving []string // leaving nodes that do not come back, outside closed regions, in which Nova may not answer
}

// Counts are the numbers of a plan, of nodes unless they say something else.
type Counts struct {
	Size    int64 // maximum that the plan may replace
	Taken   int64 // that it replaces
	Short   int64 // that are not added, because only full places have room
	Crowded int64 // that are not added, because too many servers are there
	Spent   bool  // whether nothing more is made from the wanted templates: see [roster.Roster.Spent]
	Sick    int64 // that are unhealthy
	Unknown int64 // whose health was checked without a result
	Total   int64 // before the plan
}

// Names are the names in a policy and in the cloud that a plan cannot use as they are.
type Names struct {
	First       []string // nodes without a template, which count as made from the given one
	Other       []string // nodes without a template whose marks are of another template, each with its mark
	NoSlots     []string // slots to release that do not exist
	Strangers   []string // candidates that are no nodes
	Unprotected []string // protected names and ids of no node
	Passed      []string // names of other servers that new nodes would have got
	Fresh       []string // new nodes in no kept slot, if nodes have slots
}

// Before has the verdicts about the nodes that were there before the plan.
func (p Plan) Before() List { return p.Verdicts.With(Stays, Held, Changes, Leaves) }

// Staying has the verdicts about the nodes that are there before and after the plan, or come back.
func (p Plan) Staying() List { return p.Verdicts.With(Stays, Held, Changes, Returns) }

// Baking lists the nodes that must be in service for longer, including the ones that the update replaces.
func (p Plan) Baking() []string {
	return p.Before().Filter(func(v *Verdict) bool {
		return v.Bakes && (v.Outcome != Leaves || v.What == Replaced)
	}).Names()
}

// Stray is a server that has the name of a node, and that Terraform does not know, as far as that shows.
type Stray struct{ Name, ID, Region string }

// Status is what a cluster is before a plan. A sentence is made of it, and never read.
type Status struct {
	Word      status.Phase
	Hold      *hold.Hold // hold of the nodes, if one holds them
	Nodes     List       // nodes that are held or unrepaired
	Waits     []Absence  // nodes that are waited for or, if held, that nothing brings into service
	Remaining int64      // number of nodes to replace
}

// Status returns the status of the cluster.
func (p Plan) Status() Status {
	left := p.Remaining + p.Verdicts.Replaced()
	if p.Crowded == 0 && p.Verdicts.Replaced() > 0 {
		return Status{Word: status.Behind, Remaining: left}
	}
	unrepaired := p.Unrepaired()
	stay := append(p.Verdicts.Held(hold.Protected).Names(), unrepaired.Names()...)
	waits := slices.DeleteFunc(p.Absent(), func(a Absence) bool { return slices.Contains(stay, a.Name) })
	held, quiet := p.held(false), p.held(true)
	switch {
	case p.Crowded > 0 && p.Cleans > 0:
		return Status{Word: status.Behind, Remaining: left}
	case held.Hold != nil:
		return held
	case p.Short+p.Crowded > 0:
		return Status{Word: status.Held}
	case slices.ContainsFunc(waits, func(a Absence) bool { return a.Person == "" }):
		return Status{Word: status.Waits, Waits: waits}
	case len(waits) > 0:
		return Status{Word: status.Held, Waits: waits}
	case len(unrepaired) > 0:
		return Status{Word: status.Held, Nodes: unrepaired}
	case quiet.Hold != nil:
		return quiet
	}
	return p.unheld(left)
}

// unheld returns the status of a cluster that waits for no node and that nothing holds, given the number of nodes to
// replace.
func (p Plan) unheld(left int64) Status {
	switch {
	case left > 0 || p.Missing() > 0:
		return Status{Word: status.Behind, Remaining: left}
	case len(p.Policy.MissingWire) > 0:
		return Status{Word: status.Held}
	case p.Uncaused() > 0:
		return Status{Word: status.Outdated}
	case len(p.Strays) > 0:
		return Status{Word: status.Held}
	}
	return Status{Word: status.InStep}
}

// Missing returns the number of nodes that the cluster lacks before the plan.
func (p Plan) Missing() int64 { return max(0, p.Policy.Capacity-int64(len(p.Before()))) }

// held returns the status of the first hold that is quiet or not, if any.
func (p Plan) held(quiet bool) Status {
	for _, h := range hold.All {
		list := p.Verdicts.Held(h)
		if h.Quiet == quiet && h.Status != "" && len(list) > 0 {
			return Status{Word: cmp.Or(h.Word, status.Held), Hold: h, Nodes: list}
		}
	}
	return Status{}
}

// Unrepaired has the nodes in ERROR that no apply brings into service, because they served or must stay, and no cause
// replaces them. Terraform makes a server again that failed as it was made.
func (p Plan) Unrepaired() List {
	return p.Verdicts.With(Stays).Filter(func(v *Verdict) bool {
		return v.Untouched == "" && (v.Is == facts.Broken || v.Is == facts.Failing && !v.Free())
	})
}

// Uncaused returns the number of nodes that differ from what new nodes get, and that no cause replaces.
func (p Plan) Uncaused() (nodes int64) {
	for _, v := range p.Verdicts {
		n, stays := p.Next.Nodes[v.Name]
		later := v.Outcome == Stays && v.Earlier != "" && !p.Policy.Update.Has(roster.LaterFlavor)
		if stays && (later || p.Policy.Outdated(n) && !p.Policy.Update.Has(roster.Outdated)) {
			nodes++
		}
	}
	return nodes
}

// Absence is a node that is not in service, or is leaving and still runs, and that the plan does not change.
type Absence struct {
	Name    string
	Fact    *facts.Fact // nil for a leaving node
	Pending bool        // whether an apply without an error brings it into service, or removes it
	Evident bool        // whether what was seen of the cluster shows that its applies do so
	Person  string      // what a person must do, because it ends in no other way; "" if it may end by itself
}

// Absent lists the absent nodes. An apply that ends without an error has made missing servers, and its readiness
// attachment has marked those that run. The marks of other nodes are evidence of such an attachment. If no server of
// the cluster was ever found, the servers may have other names.
func (p Plan) Absent() (list []Absence) {
	marked := p.Policy.RequireMarks && !p.Policy.Unmarked ||
		slices.ContainsFunc(p.Staying(), func(v *Verdict) bool { return v.Own() || v.Noted() })
	found := slices.ContainsFunc(p.Before(), func(v *Verdict) bool { return v.Server.ID != "" || v.Served })
	for _, v := range p.Staying() {
		if v.Is != facts.Serving && v.Untouched == "" && !v.Granted() {
			list = append(list, p.absence(v.Fact, marked, found))
		}
	}
	leaving := p.Leaving
	if p.Crowded > 0 && p.Cleans > 0 { // an apply that ends well shows which of these Terraform knows
		for _, s := range p.Strays {
			leaving = append(slices.Clip(leaving), s.Name)
		}
	}
	for _, name := range leaving {
		list = append(list, Absence{Name: name, Pending: !p.awaited(name), Evident: true})
	}
	return list
}

// absence is the absence of a node in a cluster some servers of which were judged, or found.
func (p Plan) absence(f *facts.Fact, judged, found bool) Absence {
	comes, marks := !f.Looked, marks(f)
	return Absence{Fact: f, Name: f.Name, Person: p.person(f, judged),
		Pending: !p.awaited(f.Name) && (f.Missing || comes || marks),
		Evident: f.Missing && found || comes || judged && marks}
}

// person returns what a person must do before an absent node can serve, or "".
func (p Plan) person(f *facts.Fact, marked bool) string {
	stopped := []string{"SHUTOFF", "PAUSED", "SUSPENDED", "SHELVED", "SHELVED_OFFLOADED", "RESCUE"}
	switch {
	case f.Is == facts.Stopped && slices.Contains(stopped, f.Server.Status):
		return "start it, or name it in candidates"
	case f.Starts() && !marked && p.Policy.RequireMarks:
		return "apply again, or add a readiness attachment"
	}
	return ""
}

// awaited reports whether an apply already should have brought a node into service, or removed it.
func (p Plan) awaited(name string) bool { return slices.Contains(p.Policy.Awaited, name) }

// marks reports whether a readiness attachment would mark the server of a node.
func marks(f *facts.Fact) bool {
	return f.Looked && f.Runs() && f.Server.Unwell == "" && !f.Server.Lacks() && !f.Server.Drained && !f.NotRemade
}
