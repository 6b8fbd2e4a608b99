package facts

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// Fact is what a plan knows of a node. It is worked out once.
type Fact struct {
	Name string
	roster.Node
	Server node.Node
	Is     Condition

	Looked  bool // whether a look at the cloud followed since the node was made or changed
	Missing bool // whether that look did not find its server
	// the same, where it was never in service: its creation was refused, or it has another name
	Unfound    bool
	Protected  string           // why it must stay, and as it is; "" where it is free
	Closed     bool             // whether its place is closed for maintenance
	Dark       bool             // whether nobody looks at its region, or nobody did until now
	Rests      string           // why no update touches it, "is closed"; "" where one may
	Loose      string           // line by which no batch begins in its region; "": none
	LooseMoves string           // line by which no node of its region moves; "": none
	Later      bool             // whether its server carries a later mark than the node has
	Outdated   bool             // whether its template is not the wanted one of its place
	Settled    bool             // whether it is the settled one
	Full       *placement.Place // place in which Nova found no host for its server
	Stuck      bool             // whether that place is still full
	Apart      bool             // whether its server group found no host in its place
	Aged       time.Time        // launch of its server, where that is too old; zero otherwise
	Early      bool             // whether it broke soon after it got into service
	bakes      bool             // whether it has what is wanted, and has to be in service for longer
	Lags       bool             // whether it needs no mark, and its server was not seen to change since the node did
	Former     bool             // whether that server should have been made again
	Turn       int              // order by the criterion: lower ones leave earlier
}

// Proven reports whether the node is in service for certain.
func (f *Fact) Proven() bool { return Rules[f.Is].proven }

// May reports whether the node may be in service.
func (f *Fact) May() bool { return Rules[f.Is].may }

// Fresh reports whether the node was never in service since it was made or changed.
func (f *Fact) Fresh() bool { return Rules[f.Is].fresh }

// UnderWay reports whether a node has what is wanted, and is not in service yet.
func (f *Fact) UnderWay() bool { return !f.Outdated && f.Is != Serving }

// RunsOn reports whether a server did not follow its node, and was found in service since.
func (f *Fact) RunsOn() bool { return f.Is == Unchanged && f.Server.InService == string(f.Mark) }

// Free reports whether the node may be changed or removed.
func (f *Fact) Free() bool { return f.Protected == "" }

// Unhealthy reports whether the server of the node should be replaced because it does not work.
func (f *Fact) Unhealthy() bool {
	unwell := f.Is == Unwell || f.Is == Late && f.Server.Unwell != ""
	return f.Is == Failing || f.Is == Broken || unwell || f.Looked && f.Server.Tainted
}

// Sick reports whether a node counts as unhealthy. One in a closed place does not: an
// operator knows about it.
func (f *Fact) Sick() bool { return f.Unhealthy() && f.Rests == "" }

// Concern reports whether a node should be replaced for a cause, whatever holds it. Whether
// another place is better shows only on a board.
func (f *Fact) Concern(cause roster.Cause) bool {
	switch cause {
	case roster.Unhealthy:
		return f.Unhealthy()
	case roster.Outdated:
		return f.Outdated
	case roster.TooOld:
		return !f.Aged.IsZero()
	}
	return false
}

// Facts are those of all nodes, by name.
type Facts map[string]*Fact

// Assess works out the facts of all nodes, and in which turn they leave.
func Assess(now roster.Roster, seen roster.Seen, policy roster.Policy) Facts {
	all := make(Facts, len(now.Nodes))
	var order []node.Node
	for _, name := range now.Names() {
		f := FactOf(name, now.Nodes[name], now, seen, policy)
		all[name] = f
		order = append(order, f.candidate(now, policy))
	}
	for i, n := range deletion.Order(order, policy.Criteria) {
		all[n.Name].Turn = i
	}
	return all
}

// FactOf works out what is known of a node.
func FactOf(name string, n roster.Node, now roster.Roster, seen roster.Seen, policy roster.Policy) *Fact {
	f := &Fact{Name: name, Node: n, Server: seen.Servers[name], Is: ConditionOf(name, n, seen, policy)}
	f.Looked, f.Missing = seen.Looked(name) && !n.Doubt, seen.Missing[name] && !n.Doubt
	f.Served = n.Served || Served(seen, name, n, policy)
	f.Unfound = f.Missing && !f.Served && !policy.Blind
	f.Protected = protection(name, f.Server, policy)
	f.Closed, f.Rests = policy.Closed(n.Place), policy.Rests(n.Place)
	f.Dark = policy.Rests(placement.Place{Region: n.Region}) != ""
	f.Loose, f.LooseMoves = policy.Loose[n.Region], policy.LooseMoves[n.Region]
	f.Later = roster.Mark(f.Server.InService).Number() > n.Mark.Number() || f.Server.Generation > n.Generation
	f.Outdated = n.Template != policy.Templates.At(n.Place)
	f.Settled = len(now.Settled) > 0 && n.Template == now.Settled.At(n.Place)
	if at, none := Homeless(n, f.Server, policy.Regions); none && f.Looked {
		f.Full, f.Stuck = &at, slices.Contains(seen.FullPlaces(policy), at)
	}
	if aged, there := seen.Aged[name]; there && aged.Mark == n.Mark {
		f.Aged = aged.Launched
	}
	f.Early = seen.Early[name]
	f.bakes = seen.Baking[name] && policy.Pauses() && !f.Outdated && f.Is == Serving
	f.Apart = slices.Contains(seen.Apart[Counted(n, policy.Regions)], name)
	f.Lags = !policy.RequireMarks && seen.Behind(name, n)
	f.Former = f.Looked && seen.Former(name, n)
	return f
}

// candidate is a node as the deletion policy orders it.
func (f *Fact) candidate(now roster.Roster, policy roster.Policy) node.Node {
	n := f.Server
	n.Name, n.Index = f.Name, f.Index
	n.ID = cmp.Or(n.ID, f.Name)
	if !f.Looked {
		n.CreatedAt = time.Unix(1<<40, f.Index) // made by the apply before this plan: nothing is younger
	}
	if len(policy.Templates) > 0 {
		n.ProfileCreatedAt = time.UnixMilli(1 + now.Age(f.Template))
	}
	return n
}

// protection says why a node must stay.
func protection(name string, server node.Node, policy roster.Policy) string {
	id := cmp.Or(server.ID, name)
	switch {
	case slices.Contains(policy.Protected, name), slices.Contains(policy.Protected, id):
		return "is listed as protected"
	case server.Locked:
		return "is locked"
	case server.Protected:
		return "is marked as protected"
	}
	return ""
}

// Homeless is the place in which Nova found no host for a node, if that is so. Where the
// region lists no zones the choice of the zone was Nova's.
func Homeless(n roster.Node, server node.Node, listed []placement.Region) (placement.Place, bool) {
	if server.Status != "ERROR" || !foundNoHost(server.Fault) {
		return placement.Place{}, false
	}
	return Counted(n, listed), true
}

// Counted is the place that counts for a node: its own, or its region where that lists no zones.
func Counted(n roster.Node, listed []placement.Region) placement.Place {
	if !roster.Zoned(listed, n.Region) {
		return placement.Place{Region: n.Region}
	}
	return n.Place
}

// foundNoHost reports whether a fault says that Nova's scheduler found no host,
// at once (NoValidHost) or after it tried those that it had chosen
// (MaxRetriesExceeded, which is what a group's policy ends in when two servers
// are created at the same moment).
func foundNoHost(fault string) bool {
	fault = strings.ToLower(fault)
	return strings.Contains(fault, "no valid host") || strings.Contains(fault, "exceeded maximum number of retries")
}

// Names lists the nodes by their indices.
func (all Facts) Names() []string { return all.ByIndex(slices.Collect(maps.Keys(all))) }

// ByIndex sorts names by the indices of their nodes.
func (all Facts) ByIndex(names []string) []string {
	slices.SortFunc(names, func(a, b string) int { return roster.CompareIndex(a, all[a].Node, b, all[b].Node) })
	return names
}

// Located adds the places of nodes to their names.
func (all Facts) Located(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = all[name].String()
		list[i] = name + " (" + list[i] + ")"
	}
	return list
}

// Number counts the nodes of a kind.
func (all Facts) Number(is func(*Fact) bool) (n int64) {
	for _, f := range all {
		if is(f) {
			n++
		}
	}
	return n
}

// Counts counts the nodes by place.
func (all Facts) Counts() placement.Counts {
	counts := placement.Counts{}
	for _, f := range all {
		counts[f.Place]++
	}
	return counts
}

// Baking names the nodes that have what is wanted, and have to be in service for
// longer before others are replaced.
func (all Facts) Baking() (names []string) {
	for _, name := range all.Names() {
		if all[name].bakes {
			names = append(names, name)
		}
	}
	return names
}
