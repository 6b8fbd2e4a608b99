package roster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Match finds the server of each node among those that run, also of nodes that are
// leaving: one with its name, in its region. Of several it is one that carries a later
// mark than the node has, because then this state is an older one; then the one that carries
// the node's mark, then one that is not in ERROR or BUILD, then the one that was seen
// last time, then one in the node's zone, then the newest. Which of them Terraform
// manages cannot be known, so the careful view counts: the node is protected if one
// of them is, and tainted only if all are.
//
// A server that an operator moved to another zone takes its node along, so that
// nobody destroys it to undo the move: the node's zone becomes the one where the
// server is, once it is ACTIVE or SHUTOFF there. Another server than the one that the
// node had is not followed, nor one of several of its name: it may be anybody's. A node
// without a zone gets that of its server where zoned reports that its region lists
// zones. The node of a server that is in no zone for now (SHELVED_OFFLOADED) is
// Unplaced.
//
// A leaving node whose server is gone is forgotten.
//
// The notices are about names that several servers have, and servers that were
// there the last time and are not found now.
func Match(r Roster, servers []node.Node, before Seen, zoned func(region string) bool) (Roster, Seen, []Notice) {
	r = r.clone()
	seen := NewSeen()
	maps.Copy(seen.Full, before.Full)
	found := map[string][]node.Node{}
	for _, s := range servers {
		if n, there := r.known(s.Name); there && n.Region == s.Region {
			found[s.Name] = append(found[s.Name], s)
		}
	}
	var twice, lost []string
	for _, name := range r.Names() {
		list, n, last := found[name], r.Nodes[name], before.Servers[name]
		if len(list) == 0 {
			seen.Missing[name] = true
			n.Doubt = false
			r.Nodes[name] = n
			if last.ID != "" {
				lost = append(lost, fmt.Sprintf("%s (server %s, in %s)", name, last.ID, n.Place))
			}
			continue
		}
		best := n.serverOf(list, last.ID)
		if len(list) > 1 {
			twice = append(twice, fmt.Sprintf("%s (%s)", name, described(list)))
		}
		own := len(list) == 1 && (last.ID == "" || best.ID == last.ID)
		n = n.follow(best, own || n.Zone == "", zoned)
		n.Doubt = false
		r.Nodes[name] = n
		seen.follow(name, n, best, before)
		if !atRest(best) {
			best.Zone = "" // for plans: see zonesFrom
		}
		seen.Servers[name] = best
	}
	seen.matchLeaving(r, found, before)
	return r, seen, tellMatched(twice, lost)
}

// matchLeaving finds the servers of leaving nodes, and forgets those that have none.
func (s Seen) matchLeaving(r Roster, found map[string][]node.Node, before Seen) {
	for _, name := range r.LeavingNames() {
		if len(found[name]) == 0 {
			delete(r.Leaving, name)
			continue
		}
		n := r.Leaving[name]
		n.Doubt = false
		r.Leaving[name] = n
		s.Servers[name] = n.serverOf(found[name], before.Servers[name].ID)
		s.follow(name, n, s.Servers[name], before)
	}
}

// tellMatched says which names several servers have, and which nodes had a server that is not found.
func tellMatched(twice, lost []string) (notices []Notice) {
	if len(twice) > 0 {
		notices = append(notices, notice(Namesakes, "Servers of one region share the name of a node: %s. Which of "+
			"them Terraform manages cannot be seen in the cloud. terraform state show, with the address of the "+
			"node's server, prints the id of the one that it does; the other comes from an apply that was killed, or "+
			"from a second state with the same cluster name. Until one is left the node counts as protected if one "+
			"of them is, and as unhealthy only if all of them are.", text.Few(twice)))
	}
	if len(lost) > 0 {
		notices = append(notices, notice(ServerLost, "No server was found for %s, which had one: %s. If it was "+
			"deleted, Terraform makes it again, unless the plan replaces the node by another one. If it still runs, "+
			"the selector leaves it out, or it was renamed: correct that before you apply.",
			text.Nodes(int64(len(lost))), text.Few(lost)))
	}
	return notices
}

// MatchOpen is [Match] after a look that left closed regions out: their nodes stay as
// they are, with what was seen of them before.
func MatchOpen(
	r Roster, servers []node.Node, before Seen, closed, zoned func(region string) bool,
) (Roster, Seen, []Notice) {
	open := r.clone()
	inClosed := func(_ string, n Node) bool { return closed(n.Region) }
	maps.DeleteFunc(open.Nodes, inClosed)
	maps.DeleteFunc(open.Leaving, inClosed)
	open, seen, notices := Match(open, servers, before, zoned)
	keep := func(nodes, into map[string]Node) {
		for name, n := range nodes {
			if closed(n.Region) {
				into[name] = n
				seen.keep(name, before)
			}
		}
	}
	keep(r.Nodes, open.Nodes)
	keep(r.Leaving, open.Leaving)
	return open, seen, notices
}

// known is a node of the cluster, or one that leaves it.
func (r Roster) known(name string) (Node, bool) {
	n, there := r.Nodes[name]
	if !there {
		n, there = r.Leaving[name]
	}
	return n, there
}

// serverOf is the server that is taken for the node's, of those that have its name;
// last is the id of the one that it had.
func (n Node) serverOf(list []node.Node, last string) node.Node {
	best := slices.MinFunc(list, func(a, b node.Node) int { return prefer(n, last, a, b) })
	for _, s := range list {
		best.Locked = best.Locked || s.Locked
		best.Protected = best.Protected || s.Protected
		best.Tainted = best.Tainted && s.Tainted
	}
	return best
}

// described lists servers by their ids, with the times at which they were made.
func described(list []node.Node) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = s.ID
		if !s.CreatedAt.IsZero() {
			texts[i] += ", created " + s.CreatedAt.UTC().Format("2006-01-02 15:04:05 UTC")
		}
	}
	slices.Sort(texts)
	return strings.Join(texts, "; ")
}

// Learn remembers which nodes are in service, the templates as the settled ones if
// every node has them and at least half of the nodes are in service with them, and
// which of them failed.
func (r Roster) Learn(seen Seen, policy Policy) Roster {
	r = r.clone()
	wanted := r.Wanted(policy)
	serving, all := 0, len(r.Nodes) > 0
	for name, n := range r.Nodes {
		if seen.served(name, n, policy) && !n.Served {
			n.Served = true
			r.Nodes[name] = n
		}
		if conditionOf(name, n, seen, policy) == Serving {
			serving++
		}
		all = all && n.Template == wanted.At(n.Place)
	}
	if all && 2*serving >= len(r.Nodes) {
		r.Settled = wanted
	}
	r.Failed = r.learnFailures(seen, policy)
	return r
}

// The titles of what a look at the cloud finds.
const (
	Namesakes  Title = "Several servers have the name of one node"
	ServerLost Title = "A node has lost its server"
)

// prefer orders servers of one name: one that is ahead of this state first, then the node's own.
func prefer(n Node, last string, a, b node.Node) int {
	first := func(is func(node.Node) bool) int { return trueFirst(is(a), is(b)) }
	return cmp.Or(
		first(func(s node.Node) bool { return Mark(s.InService).number() > n.Mark.number() }),
		first(func(s node.Node) bool { return s.InService == string(n.Mark) && s.Status != "ERROR" }),
		first(func(s node.Node) bool { return s.Status != "ERROR" && s.Status != "BUILD" }),
		first(func(s node.Node) bool { return s.ID == last }),
		first(func(s node.Node) bool { return s.Zone == n.Zone }),
		b.CreatedAt.Compare(a.CreatedAt),
		strings.Compare(a.ID, b.ID),
	)
}

// trueFirst orders what is so before what is not.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// follow is the node where its server is; own says that the server may take the node
// along.
func (n Node) follow(s node.Node, own bool, zoned func(region string) bool) Node {
	if own && atRest(s) && s.Zone != "" && (n.Zone != "" || zoned(n.Region)) {
		n.Zone = s.Zone
	}
	n.Unplaced = s.Status == "SHELVED_OFFLOADED" && s.Zone == ""
	return n
}

// atRest reports whether a server is in its zone for good, and not being built
// or moved.
func atRest(s node.Node) bool { return s.Status == "ACTIVE" || s.Status == "SHUTOFF" }

// zonesFrom gives the nodes of regions that list zones now, and did not before, the zones
// of their servers.
func (r Roster) zonesFrom(seen Seen, regions []placement.Region) Roster {
	r = r.clone()
	for _, nodes := range []map[string]Node{r.Nodes, r.Leaving} {
		for name, n := range nodes {
			if n.Zone == "" && zoned(regions, n.Region) {
				n.Zone = seen.Servers[name].Zone
				nodes[name] = n
			}
		}
	}
	return r
}
