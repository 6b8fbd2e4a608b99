package roster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// fact is what is known of a node. It is worked out once for each plan.
type fact struct {
	name string
	Node
	server node.Node
	looked bool // whether a look at the cloud followed since the node was made or changed

	trouble   string           // why it is not in service; "" where it is
	unhealthy string           // why its server should be replaced; "" where it need not be
	protected string           // why it must stay, and as it is; "" where it is free
	closed    bool             // whether its place is closed for maintenance
	unseen    bool             // whether its region is closed, or was until now, so that nobody looks at it
	rests     string           // why no update touches it, "is closed"; "" where one may
	outdated  bool             // whether its template is not the wanted one of its place
	settled   bool             // whether it is the settled one
	idle      bool             // whether it is proven to be out of service: nobody misses it
	never     bool             // whether it is proven that it never served since it was made or changed
	full      *placement.Place // where Nova found no host for its server
	stuck     bool             // whether that place is still full
	aged      time.Time        // when its server was launched, where that is too old; zero otherwise
	bakes     bool             // whether it has what is wanted, and has to be in service for longer
	behind    bool             // whether it should have another server, and the former one was seen
	turn      int              // by the criterion: lower ones leave earlier
}

// underWay reports whether a node has what is wanted, and is not in service yet.
func (f *fact) underWay() bool { return !f.outdated && f.trouble != "" }

// useless reports whether a node is not in service. One that was never looked at
// may well be in service.
func (f *fact) useless() bool { return f.looked && f.trouble != "" }

func (f *fact) free() bool { return f.protected == "" }

// sick reports whether a node should be replaced because it is unhealthy. Those of
// closed places are not: an operator knows about them.
func (f *fact) sick() bool { return f.unhealthy != "" && f.rests == "" }

// facts are those of all nodes, by name.
type facts map[string]*fact

// assess works out what the other steps go by: which nodes are in service, which
// are under way, broken or protected and why, and in which turn they leave.
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
	f := &fact{name: name, Node: n, server: seen.Servers[name], looked: seen.Looked(name) && !n.Doubt}
	f.outdated = n.Template != policy.Templates.At(n.Place)
	f.settled = len(now.Settled) > 0 && n.Template == now.Settled.At(n.Place)
	f.trouble = trouble(name, n, seen, policy)
	f.protected = protection(name, f.server, policy)
	f.closed, f.rests = policy.closed(n.Place), policy.rests(n.Place)
	f.unseen = policy.rests(placement.Place{Region: n.Region}) != ""
	f.bakes = seen.Baking[name] && policy.Update != nil && policy.Update.Pause > 0 && !f.outdated && f.trouble == ""
	f.behind = f.looked && seen.former(name, n)
	if aged, there := seen.Aged[name]; there && aged.Mark == n.Mark {
		f.aged = aged.Launched
	}
	f.Served = n.Served || seen.served(name, n, policy)
	f.unhealthy, f.idle = f.health(seen.Missing[name])
	f.never = f.idle && !f.Served && (seen.Missing[name] || f.server.Status == "ERROR" || noted(n, f.server))
	if at, none := homeless(n, f.server, policy.Regions); none && f.looked {
		f.full, f.stuck = &at, slices.Contains(seen.full(policy), at)
	}
	return f
}

// health says why the server of a node should be replaced, and whether the node is proven
// to be out of service. Where no refresh looked, or Nova cannot tell, nothing is proven; nor
// is it by a mark that is missing, which anybody may have removed. That a wait for the
// server ended without it proves something as long as it never served.
func (f *fact) health(missing bool) (unhealthy string, idle bool) {
	s := f.server
	switch {
	case !f.looked:
		return "", false
	case missing:
		return "", true
	case s.Status == "ERROR":
		return f.trouble, true
	case s.Tainted:
		unhealthy = "it is marked as tainted"
	case serves(s) && s.Unwell != "":
		unhealthy = fmt.Sprintf("its service is unhealthy (%s)", clip(s.Unwell))
	}
	down := !serves(s) && s.Status != "UNKNOWN"
	return unhealthy, down || s.Drained || s.Unwell != "" || !f.Served && noted(f.Node, s)
}

// noted reports whether a wait for the server of a node ended without it, since the node
// was made or changed the last time.
func noted(n Node, server node.Node) bool { return server.NotInService == string(n.Mark) }

// served reports whether the server of a node was in service since the node was made or
// changed, whatever is wrong with it now: it carries the node's own mark or, where marks are
// not required, it runs.
func (s Seen) served(name string, n Node, policy Policy) bool {
	server, there := s.Servers[name]
	switch {
	case !there || n.Doubt || s.former(name, n):
		return false
	case server.InService == string(n.Mark):
		return true
	}
	return !policy.RequireMarks && serves(server) && !s.behind(name, n)
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

// trouble says why a node is not in service, or nothing where it is: it has a
// server that is ACTIVE and that, where marks are required, carries the node's own
// mark.
func trouble(name string, n Node, seen Seen, policy Policy) string {
	server, there := seen.Servers[name]
	switch {
	case n.Doubt || !there && !seen.Missing[name]:
		return "it was not looked at yet"
	case !there:
		return "it has no server"
	case server.Status == "ERROR" && server.Fault != "":
		return fmt.Sprintf("its server is in ERROR (%s)", clip(server.Fault))
	case !serves(server):
		return "its server is in " + server.Status
	case server.Drained:
		return "its server was drained"
	case server.Unwell != "":
		return fmt.Sprintf("its service is unhealthy (%s)", clip(server.Unwell))
	case seen.former(name, n):
		return isFormer
	case policy.RequireMarks && server.InService == "":
		return "it is not marked as in service"
	case policy.RequireMarks && server.InService != string(n.Mark):
		return fmt.Sprintf("it is marked as in service with %s, not %s", clip(server.InService), n.Mark)
	case !policy.RequireMarks && seen.behind(name, n):
		return isBehind
	}
	return ""
}

// What is wrong with a node whose server was not seen to follow it.
const (
	isBehind = "its server is still what it was before the node changed"
	isFormer = "its server should have been made again, and is still the former one"
)

// serves reports whether a server runs. One that is migrated live does, one that
// is stopped, paused, suspended, rescued or shelved does not.
func serves(server node.Node) bool { return server.Status == "ACTIVE" || server.Status == "MIGRATING" }

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

// closed reports whether a place, or its region, is closed for maintenance.
func (p Policy) closed(at placement.Place) bool {
	return slices.ContainsFunc(p.Regions, func(r placement.Region) bool {
		return r.Name == at.Region && (r.Maintenance ||
			slices.ContainsFunc(r.Zones, func(z placement.Bin) bool { return z.Name == at.Zone && z.Maintenance }))
	})
}

// rests says why no update touches the nodes of a place, or nothing.
func (p Policy) rests(at placement.Place) string {
	switch {
	case p.closed(at):
		return "is closed"
	case p.Unreachable[at.Region]:
		return "cannot be reached"
	case p.Opened[at.Region]:
		return "was closed until now, and nobody has looked at its nodes since"
	}
	return ""
}

// foundNoHost reports whether a fault says that Nova's scheduler found no host,
// at once (NoValidHost) or after it tried those that it had chosen
// (MaxRetriesExceeded, which is what a group's policy ends in when two servers
// are created at the same moment).
func foundNoHost(fault string) bool {
	fault = strings.ToLower(fault)
	return strings.Contains(fault, "no valid host") || strings.Contains(fault, "exceeded maximum number of retries")
}

// zoned reports whether a region is listed with zones.
func zoned(listed []placement.Region, region string) bool {
	return slices.ContainsFunc(listed, func(r placement.Region) bool { return r.Name == region && len(r.Zones) > 0 })
}

// lists reports whether a place is listed.
func lists(listed []placement.Region, at placement.Place) bool {
	return slices.ContainsFunc(listed, func(r placement.Region) bool {
		return r.Name == at.Region && (at.Zone == "" || len(r.Zones) == 0 ||
			slices.ContainsFunc(r.Zones, func(z placement.Bin) bool { return z.Name == at.Zone }))
	})
}

// clip shortens a text of Nova's.
func clip(text string) string {
	const limit = 80
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "..."
	}
	return text
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
		list[i] = fmt.Sprintf("%s (%s)", name, all[name].Place)
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
