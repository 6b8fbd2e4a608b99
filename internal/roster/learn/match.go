// Package learn updates the memory of a cluster after a look at its servers: which server belongs
// to which node, which nodes served, which templates are settled or failed, and which servers are
// too old or must be in service for longer.
package learn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// Match finds the server of each node, including leaving nodes: a server with the node's name in its region. If there
// are several, it is the one that Terraform has now: with a later mark than the node has (then this state is an older
// one), else with the node's mark, else one that runs if the node served, else with the note of a wait for that mark,
// else of its generation, else the newest.
// A wait only asks servers that Terraform has, so a server of the node's generation that it did not ask is a stray. A
// newer one of the generation comes first that a wait asked, or that failed while no other serves. The others are
// deposed, so that an apply that ends well destroys them, or strays. The careful view counts: the node is protected if
// one of them is, and tainted only if all of them are.
//
// If an operator moved a server to another zone, its node follows, so that no plan destroys the server to undo the
// move: the node gets the zone of the server once that is ACTIVE or SHUTOFF there. A node does not follow another
// server than the one it had, or one of several servers of its name, because that may belong to somebody else. A node
// without a zone gets the zone of its server if zoned reports that its region lists zones. A node is Unplaced while
// its server is in no zone (SHELVED_OFFLOADED).
//
// Match forgets a leaving node whose server is gone. Nodes of closed regions, in which nobody looked,
// stay as they are, and keep the result of the look before.
func Match(r roster.Roster, servers []node.Node, before roster.Seen, closed, zoned func(region string) bool) (
	roster.Roster, roster.Seen, Matches,
) {
	m := matching{now: r.Clone(), seen: roster.NewSeen(), before: before, zoned: zoned}
	m.seen.Full = before.Full
	found := map[string][]node.Node{} // servers with the name of a node in its region
	for _, s := range servers {
		if n, there := r.Known(s.Name); there && n.Region == s.Region {
			found[s.Name] = append(found[s.Name], s)
		}
	}
	for _, name := range slices.Concat(r.Names(), r.LeavingNames()) {
		n, _ := r.Known(name)
		_, leaves := r.Leaving[name]
		switch list := found[name]; {
		case closed(n.Region):
			m.seen.Keep(name, before)
		case leaves:
			m.leaving(name, n, list)
		case len(list) == 0:
			m.lost(name, n)
		default:
			m.node(name, n, list)
		}
	}
	return m.now, m.seen, m.matches
}

// matching is a look while servers are matched with nodes.
type matching struct {
	now          roster.Roster
	seen, before roster.Seen
	zoned        func(region string) bool
	matches      Matches
}

// lost notes that no server of a node was found, and describes the one of the look before.
func (m *matching) lost(name string, n roster.Node) {
	n.Doubt = false
	m.seen.Missing[name], m.now.Nodes[name] = true, n
	if build, there := m.before.Builds[name]; there {
		m.seen.Builds[name] = build
	}
	if last := m.before.Servers[name]; last.ID != "" {
		m.matches.Lost = append(m.matches.Lost, fmt.Sprintf("%s (server %s, in %s)", name, last.ID, n.Place))
	}
}

// node finds the server of a node among the servers of its name, and describes them if Terraform has several.
func (m *matching) node(name string, n roster.Node, list []node.Node) {
	last, best := m.before.Servers[name], m.serverOf(name, n, list, list)
	n.Doubt = false
	m.stray(name, list, func(s node.Node) bool { return s.ID != best.ID })
	if len(list) > 1+len(m.seen.Strays[name]) {
		m.matches.Twice = append(m.matches.Twice, named(name, list))
	}
	own := len(list) == 1 && (last.ID == "" || best.ID == last.ID)
	m.now.Nodes[name] = follow(n, best, own || n.Zone == "", m.zoned)
	m.seen.Follow(name, n, m.now.Before[name], best, m.before)
	if m.seen.Builds[name].Mark == n.Mark || best.InService == string(n.Mark) {
		delete(m.now.Before, name)
	}
	if !atRest(best) {
		best.Zone = "" // so that a plan does not take it over: see zonesFrom in package decide
	}
	m.seen.Servers[name] = best
}

// leaving finds the server of a leaving node, and forgets a node without one.
func (m *matching) leaving(name string, n roster.Node, list []node.Node) {
	if len(list) == 0 {
		delete(m.now.Leaving, name)
		return
	}
	n.Doubt = false
	m.now.Leaving[name] = n
	m.stray(name, list, func(s node.Node) bool { return !n.Served || slices.Contains(m.before.Strays[name], s.ID) })
	stray := func(s node.Node) bool { return slices.Contains(m.seen.Strays[name], s.ID) }
	its := slices.DeleteFunc(slices.Clone(list), stray)
	if len(its) == 0 {
		its = list
	}
	m.seen.Servers[name] = m.serverOf(name, n, its, list)
	m.seen.Follow(name, n, roster.Node{}, m.seen.Servers[name], m.before)
}

// stray notes the servers of a name that nobody has ever waited for, of some of them.
func (m *matching) stray(name string, list []node.Node, among func(node.Node) bool) {
	no := func(s node.Node) bool { return !s.Unclaimed() || !among(s) }
	if strays := slices.DeleteFunc(slices.Clone(list), no); len(strays) > 0 {
		m.seen.Strays[name] = idsOf(strays)
		m.matches.Strays = append(m.matches.Strays, named(name, strays))
	}
}

func idsOf(list []node.Node) (ids []string) {
	for _, s := range list {
		ids = append(ids, s.ID)
	}
	slices.Sort(ids)
	return ids
}

// named describes the servers of a name: "web-1 (id, id in RegionOne)".
func named(name string, list []node.Node) string {
	return fmt.Sprintf("%s (%s in %s)", name, strings.Join(idsOf(list), ", "), list[0].Region)
}

// Matches lists what a person should know about a look at the servers.
type Matches struct {
	Twice  []string // nodes whose name several servers have, each with these servers
	Strays []string // nodes with servers for which nobody has waited, beside Terraform's own, each with their ids
	Lost   []string // nodes whose earlier server is not found now, each with that server
}

// serverOf returns the server that counts as the node's among those servers of its name that may be its own, and notes
// the others.
func (m *matching) serverOf(name string, n roster.Node, list, all []node.Node) node.Node {
	best := bestOf(n, list)
	others := slices.DeleteFunc(slices.Clone(all), func(s node.Node) bool { return s.ID == best.ID })
	if len(others) > 0 {
		m.seen.Others[name] = others
	}
	for _, s := range list {
		best.Locked = best.Locked || s.Locked
		best.Protected = best.Protected || s.Protected
		best.Tainted = best.Tainted && s.Tainted
	}
	return best
}

// bestOf returns the server that counts as the node's among those that may be its own. One that serves does so whatever
// became of a newer one.
func bestOf(n roster.Node, list []node.Node) node.Node {
	best := slices.MinFunc(list, func(a, b node.Node) int { return prefer(n, a, b) })
	serves := best.Status == "ACTIVE" && (n.Served || best.InService == string(n.Mark))
	for _, s := range list {
		asked := !s.Unclaimed() && s.Generation > 0 && s.Generation == n.Generation
		unmade := s.Unmade && (s.Generation == 0 || s.Generation == n.Generation)
		newer := s.CreatedAt.After(best.CreatedAt) && (!serves || !s.FailedAfter(best))
		if (asked || unmade) && newer {
			best = s
		}
	}
	return best
}

// Learn remembers which nodes were in service and which templates failed. The wanted templates
// become the settled ones if all nodes have them and at least half of the nodes are in service.
func Learn(r roster.Roster, seen roster.Seen, policy roster.Policy) roster.Roster {
	r = r.Clone()
	alike, serving, f := len(r.Nodes) > 0, 0, new(facts.Fact)
	for name, n := range r.Nodes {
		f.Set(name, n, r, seen, policy)
		r.Nodes[name] = f.Node
		alike = alike && f.Template == policy.Templates.At(f.Place)
		if f.Is == facts.Serving {
			serving++
		}
	}
	if alike && 2*serving >= len(r.Nodes) {
		r.Settled = policy.Templates
	}
	if int64(serving) == policy.Capacity && serving == len(r.Nodes) {
		r.Cleaned = nil
	}
	return r
}

// prefer orders servers of one name as [Match] says.
func prefer(n roster.Node, a, b node.Node) int {
	first := func(is func(node.Node) bool) int { return facts.TrueFirst(is(a), is(b)) }
	return cmp.Or(
		first(func(s node.Node) bool { return roster.Mark(s.InService).Number() > n.Mark.Number() }),
		first(func(s node.Node) bool { return s.InService == string(n.Mark) && s.Status != "ERROR" }),
		first(func(s node.Node) bool { return n.Served && s.Status == "ACTIVE" }),
		first(func(s node.Node) bool { return s.NotInService != "" && s.NotInService == string(n.Mark) }),
		first(func(s node.Node) bool { return s.Generation > 0 && s.Generation == n.Generation }),
		b.CreatedAt.Compare(a.CreatedAt),
		strings.Compare(a.ID, b.ID),
	)
}

// follow returns the node with the zone of its server. Own says that it may follow this server.
func follow(n roster.Node, s node.Node, own bool, zoned func(region string) bool) roster.Node {
	if own && atRest(s) && s.Zone != "" && (n.Zone != "" || zoned(n.Region)) {
		n.Zone = s.Zone
	}
	n.Unplaced = s.Status == "SHELVED_OFFLOADED" && s.Zone == ""
	return n
}

// atRest reports whether a server is neither being built nor moved, so that its zone is final.
func atRest(s node.Node) bool { return s.Status == "ACTIVE" || s.Status == "SHUTOFF" }
