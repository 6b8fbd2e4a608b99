package roster

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// fact is what a plan knows of a node. It is worked out once.
type fact struct {
	name string
	Node
	server node.Node
	is     Condition

	looked    bool             // whether a look at the cloud followed since the node was made or changed
	missing   bool             // whether that look did not find its server
	unfound   bool             // the same, where it was never in service: its creation was refused, or it has another name
	protected string           // why it must stay, and as it is; "" where it is free
	closed    bool             // whether its place is closed for maintenance
	dark      bool             // whether nobody looks at its region, or nobody did until now
	rests     string           // why no update touches it, "is closed"; "" where one may
	loose     string           // what is wrong with how its server depends on it; "" where nothing is known
	later     bool             // whether its server carries a later mark than the node has
	outdated  bool             // whether its template is not the wanted one of its place
	settled   bool             // whether it is the settled one
	full      *placement.Place // place in which Nova found no host for its server
	stuck     bool             // whether that place is still full
	aged      time.Time        // launch of its server, where that is too old; zero otherwise
	early     bool             // whether it broke soon after it got into service
	bakes     bool             // whether it has what is wanted, and has to be in service for longer
	lags      bool             // whether it needs no mark, and its server was not seen to change since the node did
	former    bool             // whether that server should have been made again
	turn      int              // order by the criterion: lower ones leave earlier
}

// may reports whether the node may be in service.
func (f *fact) may() bool { return rules[f.is].may }

// fresh reports whether the node was never in service since it was made or changed.
func (f *fact) fresh() bool { return rules[f.is].fresh }

// underWay reports whether a node has what is wanted, and is not in service yet.
func (f *fact) underWay() bool { return !f.outdated && f.is != Serving }

// runsOn reports whether a server did not follow its node, and was found in service since.
func (f *fact) runsOn() bool { return f.is == Unchanged && f.server.InService == string(f.Mark) }

func (f *fact) free() bool { return f.protected == "" }

// unhealthy reports whether the server of the node should be replaced because it does not work.
func (f *fact) unhealthy() bool {
	unwell := f.is == Unwell || f.is == Late && f.server.Unwell != ""
	return f.is == Failing || f.is == Broken || unwell || f.looked && f.server.Tainted
}

// sick reports whether a node counts as unhealthy. One in a closed place does not: an
// operator knows about it.
func (f *fact) sick() bool { return f.unhealthy() && f.rests == "" }

// concern reports whether a node should be replaced for a cause, whatever holds it. Whether
// another place is better shows only on a board.
func (f *fact) concern(cause Cause) bool {
	switch cause {
	case Unhealthy:
		return f.unhealthy()
	case Outdated:
		return f.outdated
	case TooOld:
		return !f.aged.IsZero()
	}
	return false
}

// facts are those of all nodes, by name.
type facts map[string]*fact

// assess works out the facts of all nodes, and in which turn they leave.
func assess(now Roster, seen Seen, policy Policy) facts {
	all := make(facts, len(now.Nodes))
	var order []node.Node
	for _, name := range now.Names() {
		f := factOf(name, now.Nodes[name], now, seen, policy)
		all[name] = f
		order = append(order, f.candidate(now, policy))
	}
	for i, n := range deletion.Order(order, policy.Criteria) {
		all[n.Name].turn = i
	}
	return all
}

func factOf(name string, n Node, now Roster, seen Seen, policy Policy) *fact {
	f := &fact{name: name, Node: n, server: seen.Servers[name], is: conditionOf(name, n, seen, policy)}
	f.looked, f.missing = seen.Looked(name) && !n.Doubt, seen.Missing[name] && !n.Doubt
	f.Served = n.Served || served(seen, name, n, policy)
	f.unfound = f.missing && !f.Served && !policy.Blind
	f.protected = protection(name, f.server, policy)
	f.closed, f.rests = policy.closed(n.Place), policy.rests(n.Place)
	f.dark = policy.rests(placement.Place{Region: n.Region}) != ""
	f.loose = policy.Loose[name]
	f.later = Mark(f.server.InService).number() > n.Mark.number() || f.server.Generation > n.Generation
	f.outdated = n.Template != policy.Templates.At(n.Place)
	f.settled = len(now.Settled) > 0 && n.Template == now.Settled.At(n.Place)
	if at, none := homeless(n, f.server, policy.Regions); none && f.looked {
		f.full, f.stuck = &at, slices.Contains(seen.full(policy), at)
	}
	if aged, there := seen.Aged[name]; there && aged.Mark == n.Mark {
		f.aged = aged.Launched
	}
	f.early = seen.Early[name]
	f.bakes = seen.Baking[name] && policy.pauses() && !f.outdated && f.is == Serving
	f.lags = !policy.RequireMarks && seen.behind(name, n)
	f.former = f.looked && seen.former(name, n)
	return f
}

// candidate is a node as the deletion policy orders it.
func (f *fact) candidate(now Roster, policy Policy) node.Node {
	n := f.server
	n.Name, n.Index = f.name, f.Index
	n.ID = cmp.Or(n.ID, f.name)
	if !f.looked {
		n.CreatedAt = time.Unix(1<<40, f.Index) // made by the apply before this plan: nothing is younger
	}
	if len(policy.Templates) > 0 {
		n.ProfileCreatedAt = time.UnixMilli(1 + now.age(f.Template))
	}
	return n
}

// protection says why a node must stay.
func protection(name string, server node.Node, policy Policy) string {
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

// homeless is the place in which Nova found no host for a node, if that is so. Where the
// region lists no zones the choice of the zone was Nova's.
func homeless(n Node, server node.Node, listed []placement.Region) (placement.Place, bool) {
	if server.Status != "ERROR" || !foundNoHost(server.Fault) {
		return placement.Place{}, false
	}
	if !zoned(listed, n.Region) {
		return placement.Place{Region: n.Region}, true
	}
	return n.Place, true
}

// foundNoHost reports whether a fault says that Nova's scheduler found no host,
// at once (NoValidHost) or after it tried those that it had chosen
// (MaxRetriesExceeded, which is what a group's policy ends in when two servers
// are created at the same moment).
func foundNoHost(fault string) bool {
	fault = strings.ToLower(fault)
	return strings.Contains(fault, "no valid host") || strings.Contains(fault, "exceeded maximum number of retries")
}

// names lists the nodes by their indices.
func (all facts) names() []string { return all.byIndex(slices.Collect(maps.Keys(all))) }

// byIndex sorts names by the indices of their nodes.
func (all facts) byIndex(names []string) []string {
	slices.SortFunc(names, func(a, b string) int { return compareIndex(a, all[a].Node, b, all[b].Node) })
	return names
}

// located adds the places of nodes to their names.
func (all facts) located(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = all[name].Place.String()
		list[i] = name + " (" + list[i] + ")"
	}
	return list
}

// minus leaves out the nodes that are in other facts.
func (all facts) minus(others facts) facts {
	rest := maps.Clone(all)
	maps.DeleteFunc(rest, func(name string, _ *fact) bool { _, there := others[name]; return there })
	return rest
}

// number counts the nodes of a kind.
func (all facts) number(is func(*fact) bool) (n int64) {
	for _, f := range all {
		if is(f) {
			n++
		}
	}
	return n
}

// counts counts the nodes by place.
func (all facts) counts() placement.Counts {
	counts := placement.Counts{}
	for _, f := range all {
		counts[f.Place]++
	}
	return counts
}

// baking names the nodes that have what is wanted, and have to be in service for
// longer before others are replaced.
func (all facts) baking() (names []string) {
	for _, name := range all.names() {
		if all[name].bakes {
			names = append(names, name)
		}
	}
	return names
}
