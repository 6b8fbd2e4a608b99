// Package gate grants a change of a node, or holds it. Every change passes the gate, whatever its cause and method.
// It has three breakers, which do not depend on the cause:
//
//   - quorum: a method that takes nodes out of service first takes a node that may be in service only while enough
//     other nodes are proven in service
//   - servers: there are at most two batches of servers beyond the cluster
//   - batch: a plan replaces at most a batch of nodes
package gate

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// View is what the gate sees of a plan while it is made. It is a copy, so the gate cannot change the plan.
type View struct {
	Counts
	Policy  roster.Policy
	Settled roster.Templates // settled templates
	Reached bool             // whether as many nodes have the wanted template as the target says
	Leaving int64            // leaving nodes outside closed regions whose servers still exist
	Free    int64            // servers that the plan may still make
	Room    Room             // answers questions, and changes nothing of the plan
}

// Counts are numbers of nodes, unless they say something else.
type Counts struct {
	verdict.Counts
	Grown int64 // that the growth adds
	Moved int64 // that are added in place of nodes that move, if the method takes nodes out of service first

	Out       int64 // that are not proven in service, including the ones that the plan takes out of it
	Under     int64 // under way, including the ones that never served and change
	Unseen    int64 // that nothing is known of
	Unchanged int64 // whose servers did not follow them, were found in service since, and stay

	Servers int64 // servers with the name of a node that is or leaves
	Unmade  int64 // that stay or change, and whose servers were not found: Terraform makes these
	Baking  int64 // that must be in service for longer
	First   bool  // whether no node was ever in service: then nothing can be taken out of it
}

// Room says where nodes may be placed.
type Room interface {
	// Closed returns why a place takes no nodes, such as "is closed", or "". If full is true, a full place does.
	Closed(at placement.Place, full bool) (why string)
	// Fits returns an error if the substitute of a node finds no room.
	Fits(w verdict.Want) error
}

// bar is what a hold bars.
type bar struct {
	*hold.Hold
	kind kind
	bars func(View, verdict.Want) bool
}

// kind says from what a bar keeps a want.
type kind int

const (
	always   kind = iota // from any change
	forCause             // from a change for its cause
	thisPlan             // from this plan
	unmade               // from another template, if the server of a node was never found: the node waits for nobody
)

// all has the bars in the order of [hold.All]. If several bar a want, the first one holds it.
var all = []bar{
	{hold.Protected, always, func(_ View, w verdict.Want) bool { return !w.Free() }},
	{hold.Protected, unmade, func(_ View, w verdict.Want) bool { return !w.Free() }},
	{hold.Begins, always, func(v View, _ verdict.Want) bool { return v.Policy.Begins }},
	{hold.Older, always, func(_ View, w verdict.Want) bool { return w.Later && w.What != verdict.Remade }},
	{hold.Wiring, always, func(_ View, w verdict.Want) bool {
		return w.MissingWire != "" && w.What != verdict.Remade || w.MissingLine != "" && w.Row().Moves
	}},
	{hold.Closed, always, func(_ View, w verdict.Want) bool { return w.Untouched != "" }},
	{hold.Closed, unmade, func(_ View, w verdict.Want) bool { return w.RegionUntouched }},
	{hold.Unseen, always, func(v View, w verdict.Want) bool {
		return !w.Looked || w.Server.Status == "UNKNOWN" && v.Policy.Keeps(w.Row().Moves)
	}},
	{hold.Outage, forCause, View.outage},
	{hold.NotRemade, forCause, func(_ View, w verdict.Want) bool {
		return w.NotRemade && w.Row().Renews && !w.Server.Tainted // Terraform replaces a tainted one
	}},
	{hold.Twice, forCause, View.twice},
	{hold.Spent, forCause, func(v View, w verdict.Want) bool {
		return v.Spent && w.NeedsRoom() && w.Is.MayServe && !v.Policy.Keeps(w.Row().Moves)
	}},
	{hold.Target, forCause, func(v View, w verdict.Want) bool {
		return w.NeedsRoom() && w.Row().Updates && w.Outdated && v.Reached
	}},
	{hold.NoPlace, forCause, func(v View, w verdict.Want) bool {
		return w.NeedsRoom() && w.Is.MayServe && v.closed(w) != ""
	}},
	{hold.NoHost, thisPlan, func(v View, w verdict.Want) bool {
		keeps := v.Policy.Keeps(w.Row().Moves) && w.What != verdict.Remade
		return w.NeedsRoom() && keeps && !w.Row().Updates && w.StillFull
	}},
	{hold.NoRoom, thisPlan, func(v View, w verdict.Want) bool {
		return w.NeedsRoom() && !v.Policy.Keeps(w.Row().Moves) && v.Room.Fits(w) != nil
	}},
	{hold.Batch, thisPlan, func(v View, w verdict.Want) bool { return w.NeedsRoom() && v.Taken >= v.Size }},
	{hold.Batch, unmade, func(v View, w verdict.Want) bool { return v.Taken >= v.Size && !v.Ignores(w) }},
	{hold.Servers, thisPlan, func(v View, w verdict.Want) bool { return w.NeedsRoom() && v.crowded(w) }},
	{hold.Bakes, thisPlan, func(v View, w verdict.Want) bool { return w.NeedsRoom() && v.bakes(w) }},
	{hold.Waits, thisPlan, func(v View, w verdict.Want) bool {
		risks := w.What == verdict.Revised && v.Policy.TakesFirst() && !v.First // it may serve after all
		return w.NeedsRoom() && v.waits(w) || risks && !v.quorum(w.Fact)
	}},
}

// Check returns why a want is not granted now.
func (v View) Check(w verdict.Want) verdict.Refusal {
	switch w.What {
	case verdict.Removed, verdict.Grown, verdict.Surplus, verdict.Returned, verdict.StandsIn, verdict.TakenBack:
		return verdict.Refusal{} // a person asked for these
	case verdict.GivenUp:
		return v.first(w, always)
	case verdict.Revised:
		if w.Unfound {
			return v.first(w, unmade)
		}
	}
	return v.first(w, always, forCause, thisPlan)
}

// Barred reports whether a node cannot be replaced, whatever the budget.
func (v View) Barred(w verdict.Want) bool { return v.first(w, always, forCause).Hold != nil }

// first returns the first hold that bars a want, with what a sentence about it needs.
func (v View) first(w verdict.Want, kinds ...kind) (no verdict.Refusal) {
	i := slices.IndexFunc(all, func(b bar) bool { return slices.Contains(kinds, b.kind) && b.bars(v, w) })
	if i < 0 {
		return no
	}
	switch no.Hold = all[i].Hold; no.Hold {
	case hold.Closed:
		no.Why = w.Untouched
	case hold.NoPlace:
		no.Why = v.closed(w)
	case hold.NoRoom:
		no.Err = v.Room.Fits(w)
	}
	return no
}

// outage reports whether too many nodes are unhealthy, or may be, to replace a node.
func (v View) outage(w verdict.Want) bool {
	if w.Row().Repairs && v.Policy.Stops(v.Sick) {
		return true
	}
	return w.What == verdict.Replaced && w.Is.MayServe && !w.Unhealthy() && v.Policy.Stops(v.Sick+v.Unknown)
}

// twice reports whether a node and the one before it failed.
func (v View) twice(w verdict.Want) bool {
	return w.What == verdict.Replaced && w.Retried && w.Retries()
}

// closed returns why a node waits until its place takes nodes again, or "". Its substitute would make the spread
// worse. A node that is made again in its place frees its own room first, so a full place takes it.
func (v View) closed(w verdict.Want) string {
	switch keeps := v.Policy.Keeps(w.Row().Moves); {
	case !w.Row().Waits:
		return ""
	case keeps && v.Policy.MakesAgain(w.Row().Updates):
		return v.Room.Closed(w.Place, true)
	case !keeps:
		return v.Room.Closed(w.Place, false)
	}
	return ""
}

// Ignores reports whether a server surely stays as it is if its node changes and has no other generation.
func (v View) Ignores(w verdict.Want) bool {
	return !v.Policy.InPlace() && !v.Policy.Begins && w.MissingWire == ""
}

// crowded reports whether no substitute may be made for a node. One that does not serve leaves without a substitute,
// unless it only moves: an apply ends well only without it, and only then destroys what is too much.
func (v View) crowded(w verdict.Want) bool {
	return !v.Policy.Keeps(w.Row().Moves) && (w.Is.MayServe || w.Row().Moves) && v.Free <= 0
}

// bakes reports whether the previous batch must be in service for longer. Going back does not wait.
func (v View) bakes(w verdict.Want) bool {
	return v.Baking > 0 && w.Is.MayServe && w.Cause != "" && !v.goesBack(w)
}

// goesBack reports whether a node goes back to the settled template of its place. It does not wait.
func (v View) goesBack(w verdict.Want) bool {
	settled, wanted := v.Settled.At(w.Place), v.Policy.Templates.At(w.Place)
	return w.Row().Updates && settled != "" && settled == wanted && w.Template != settled
}

// waits reports whether a node must wait for nodes that are out of service or under way already.
func (v View) waits(w verdict.Want) bool {
	keeps := v.Policy.Keeps(w.Row().Moves)
	free := w.UnderWay() && !w.Is.MayServe && !keeps // its replacement takes nothing out of service
	return v.Policy.TakesFirst() && !v.quorum(w.Fact) || !keeps && !free && v.busy(w.Fact) > v.Size
}

// quorum reports whether a node may be taken out of service: it is proven to be out of service,
// or enough other nodes are proven to be in service. An accused node may also be taken while no
// more than a batch is under way, so that a wrong accusation costs at most a batch.
func (v View) quorum(f *facts.Fact) bool {
	return !f.Is.MayServe || v.missing(f) < v.Size || v.Accused(f) && v.others(f) < v.Size
}

// Accused reports whether a wait or a check of health says that a node is out of service, or no
// look ever found its server. That server may have another name, and then costs a batch. The
// check of health does not count if it accuses more nodes than stop_above.
func (v View) Accused(f *facts.Fact) bool {
	return f.Unfound || f.Is.Accused && (f.Is != facts.Unwell || !v.Policy.Stops(v.Sick+v.Unknown+v.Unseen))
}

// missing returns the number of nodes that are not proven in service, including the growth and
// without the node that should be taken. Nodes whose servers did not follow them but carry their
// own marks run, so they do not wait for each other.
func (v View) missing(f *facts.Fact) int64 {
	missing := v.Grown + v.Moved + v.Out
	if f.Out() {
		missing--
	}
	if f.NotRemade {
		missing -= v.Unchanged
		if f.StandsUnchanged() { // the node itself is left out already
			missing++
		}
	}
	return missing
}

// others returns the number of other nodes that are under way, or that the plan replaces.
func (v View) others(f *facts.Fact) int64 {
	if f.Occupies() {
		return v.Taken + v.Under - 1
	}
	return v.Taken + v.Under
}

// busy returns the number of nodes that the batch would have to wait for with one more node: the
// nodes under way and, if the node may be in service, the leaving servers that still run. A node
// that was never found, or never in service, is the substitute of such a server, so these do not count for it.
func (v View) busy(f *facts.Fact) int64 {
	busy := v.others(f) + 1 // its substitute is under way instead
	if f.Is.MayServe && !f.Unfound && !f.Starts() {
		busy += v.Leaving
	}
	return busy
}
