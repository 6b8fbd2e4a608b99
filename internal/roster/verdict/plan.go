package verdict

import (
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// Plan is a plan of a cluster: a verdict about each node, and what else a person should know.
type Plan struct {
	Verdicts List
	Next     roster.Roster // after the plan
	Policy   roster.Policy // with the wanted templates: the settled ones after a failure
	Counts
	Names

	Remaining int64 // nodes that should still be replaced after the plan
	Target    int64 // nodes that should get the wanted template
	Beyond    int64 // servers beyond the cluster

	Strays  []Stray  // servers that no node has, and that no apply removes
	Leaving []string // leaving nodes that do not come back, outside closed regions, in which Nova may not answer
}

// Counts are the numbers of a plan, of nodes unless they say something else.
type Counts struct {
	Size    int64 // maximum that the plan may replace
	Taken   int64 // that it replaces
	Short   int64 // that are not added, because only full places have room
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
	Met         []string // candidates that an import takes as already made again
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

// Tried lists the nodes in whose place two servers of the wanted template ended in ERROR.
func (p Plan) Tried() []string {
	staying := p.Verdicts.With(Stays, Held, Changes)
	return staying.Filter(func(v *Verdict) bool { return v.Outdated && v.Refused }).Names()
}

// Stray is a server that has the name of a node, and that Terraform does not know, as far as that shows.
type Stray struct{ Name, ID, Region string }
