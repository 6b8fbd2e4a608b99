// Package learn updates what is remembered of a cluster from a look at its servers: which server
// is whose, what served, which template is settled or failed, and what time has done.
package learn

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
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
func Match(r roster.Roster, servers []node.Node, before roster.Seen, zoned func(region string) bool) (roster.Roster,
	roster.Seen, Matches) {
	r = r.Clone()
	seen := roster.NewSeen()
	maps.Copy(seen.Full, before.Full)
	maps.Copy(seen.Apart, before.Apart)
	found := map[string][]node.Node{}
	for _, s := range servers {
		if n, there := r.Known(s.Name); there && n.Region == s.Region {
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
		best := serverOf(n, list, last.ID)
		if len(list) > 1 {
			twice = append(twice, fmt.Sprintf("%s (%s)", name, described(list)))
		}
		own := len(list) == 1 && (last.ID == "" || best.ID == last.ID)
		n = follow(n, best, own || n.Zone == "", zoned)
		n.Doubt = false
		r.Nodes[name] = n
		seen.Follow(name, n, best, before)
		if !atRest(best) {
			best.Zone = "" // for plans: see zonesFrom
		}
		seen.Servers[name] = best
	}
	matchLeaving(seen, r, found, before)
	return r, seen, Matches{twice, lost}
}

// matchLeaving finds the servers of leaving nodes, and forgets those that have none.
func matchLeaving(s roster.Seen, r roster.Roster, found map[string][]node.Node, before roster.Seen) {
	for _, name := range r.LeavingNames() {
		if len(found[name]) == 0 {
			delete(r.Leaving, name)
			continue
		}
		n := r.Leaving[name]
		n.Doubt = false
		r.Leaving[name] = n
		s.Servers[name] = serverOf(n, found[name], before.Servers[name].ID)
		s.Follow(name, n, s.Servers[name], before)
	}
}

// Matches are what a person should know of a look at the servers.
type Matches struct {
	Twice []string // nodes whose name several servers have, each with those servers
	Lost  []string // nodes that had a server which is not found now, each with that server
}

// MatchOpen is [Match] after a look that left closed regions out: their nodes stay as
// they are, with what was seen of them before.
func MatchOpen(
	r roster.Roster, servers []node.Node, before roster.Seen, closed, zoned func(region string) bool,
) (roster.Roster, roster.Seen, Matches) {
	open := r.Clone()
	inClosed := func(_ string, n roster.Node) bool { return closed(n.Region) }
	maps.DeleteFunc(open.Nodes, inClosed)
	maps.DeleteFunc(open.Leaving, inClosed)
	open, seen, matches := Match(open, servers, before, zoned)
	keep := func(nodes, into map[string]roster.Node) {
		for name, n := range nodes {
			if closed(n.Region) {
				into[name] = n
				seen.Keep(name, before)
			}
		}
	}
	keep(r.Nodes, open.Nodes)
	keep(r.Leaving, open.Leaving)
	return open, seen, matches
}

// serverOf is the server that is taken for the node's, of those that have its name;
// last is the id of the one that it had.
func serverOf(n roster.Node, list []node.Node, last string) node.Node {
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
func Learn(r roster.Roster, seen roster.Seen, policy roster.Policy) roster.Roster {
	r = r.Clone()
	wanted := facts.Wanted(r, policy)
	serving, all := 0, len(r.Nodes) > 0
	for name, n := range r.Nodes {
		if facts.Served(seen, name, n, policy) && !n.Served {
			n.Served = true
			r.Nodes[name] = n
		}
		if facts.ConditionOf(name, n, seen, policy) == facts.Serving {
			serving++
		}
		all = all && n.Template == wanted.At(n.Place)
	}
	if all && 2*serving >= len(r.Nodes) {
		r.Settled = wanted
	}
	r.Failed = learnFailures(r, seen, policy)
	return r
}

// prefer orders servers of one name: one that is ahead of this state first, then the node's own.
func prefer(n roster.Node, last string, a, b node.Node) int {
	first := func(is func(node.Node) bool) int { return facts.TrueFirst(is(a), is(b)) }
	return cmp.Or(
		first(func(s node.Node) bool { return roster.Mark(s.InService).Number() > n.Mark.Number() }),
		first(func(s node.Node) bool { return s.InService == string(n.Mark) && s.Status != "ERROR" }),
		first(func(s node.Node) bool { return s.Status != "ERROR" && s.Status != "BUILD" }),
		first(func(s node.Node) bool { return s.ID == last }),
		first(func(s node.Node) bool { return s.Zone == n.Zone }),
		b.CreatedAt.Compare(a.CreatedAt),
		strings.Compare(a.ID, b.ID),
	)
}

// follow is the node where its server is; own says that the server may take the node
// along.
func follow(n roster.Node, s node.Node, own bool, zoned func(region string) bool) roster.Node {
	if own && atRest(s) && s.Zone != "" && (n.Zone != "" || zoned(n.Region)) {
		n.Zone = s.Zone
	}
	n.Unplaced = s.Status == "SHELVED_OFFLOADED" && s.Zone == ""
	return n
}

// atRest reports whether a server is in its zone for good, and not being built
// or moved.
func atRest(s node.Node) bool { return s.Status == "ACTIVE" || s.Status == "SHUTOFF" }
