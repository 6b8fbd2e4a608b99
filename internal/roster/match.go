package roster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Match finds the server of each node among those that run: one with its name,
// in its region. Of several it is the one that carries the node's mark, then one
// that is not in ERROR or BUILD, then the one that was seen
// last time, then one in the node's zone, then the newest.
//
// A server that an operator moved to another zone takes its node along, so that
// nobody destroys it to undo the move: the node's zone becomes the one where the
// server is, once it is ACTIVE or SHUTOFF there. A node without a zone gets that
// of its server where zoned reports that its region lists zones. The node of a
// server that is in no zone for now (SHELVED_OFFLOADED) is Unplaced.
//
// The notices are about names that several servers have, and servers that were
// there the last time and are not found now.
func Match(r Roster, servers []node.Node, before Seen, zoned func(region string) bool) (Roster, Seen, []Notice) {
	r = r.clone()
	seen := Seen{Servers: make(map[string]node.Node, len(r.Nodes)), Missing: map[string]bool{}}
	found := map[string][]node.Node{}
	for _, s := range servers {
		if r.Nodes[s.Name].Region == s.Region {
			found[s.Name] = append(found[s.Name], s)
		}
	}
	var twice, lost []string
	for _, name := range r.Names() {
		list := found[name]
		if len(list) == 0 {
			seen.Missing[name] = true
			if s, was := before.Servers[name]; was {
				lost = append(lost, fmt.Sprintf("%s (server %s, in %s)", name, s.ID, r.Nodes[name].Place))
			}
			continue
		}
		best := slices.MinFunc(list, func(a, b node.Node) int { return prefer(r.Nodes[name], before.Servers[name].ID, a, b) })
		if len(list) > 1 {
			twice = append(twice, fmt.Sprintf("%s (%s; used: %s)", name, strings.Join(ids(list), ", "), best.ID))
		}
		r.Nodes[name] = r.Nodes[name].follow(best, zoned)
		if !settled(best) {
			best.Zone = "" // for plans: see settle
		}
		seen.Servers[name] = best
	}
	var notices []Notice
	if len(twice) > 0 {
		notices = append(notices, Notice{Namesakes, fmt.Sprintf("Several servers have the name of one node: %s. The node's server is the one in service, else the one seen last time, else one in its zone, else the newest. Remove or rename the others, or exclude them with a selector; a second Terraform state with the same cluster name makes such servers too.", text.Few(twice))})
	}
	if len(lost) > 0 {
		notices = append(notices, Notice{ServerLost, fmt.Sprintf("No server was found for %s, which had one: %s. Terraform creates it again if it was deleted. If it still runs, the selector leaves it out, or it was renamed: correct that before you apply.", text.Nodes(int64(len(lost))), text.Few(lost))})
	}
	return r, seen, notices
}

// The titles of what a look at the cloud finds.
const (
	Namesakes  Title = "Several servers have the name of one node"
	ServerLost Title = "A node has lost its server"
)

// prefer orders servers of one name: the node's own first.
func prefer(n Node, last string, a, b node.Node) int {
	first := func(of func(node.Node) bool) int {
		switch x, y := of(a), of(b); {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	}
	return cmp.Or(
		first(func(s node.Node) bool { return s.InService == string(n.Mark) }),
		first(func(s node.Node) bool { return s.Status != "ERROR" && s.Status != "BUILD" }),
		first(func(s node.Node) bool { return s.ID == last }),
		first(func(s node.Node) bool { return s.Zone == n.Zone }),
		b.CreatedAt.Compare(a.CreatedAt),
		strings.Compare(a.ID, b.ID),
	)
}

// follow is the node where its server is.
func (n Node) follow(s node.Node, zoned func(region string) bool) Node {
	if settled(s) && s.Zone != "" && (n.Zone != "" || zoned(n.Region)) {
		n.Zone = s.Zone
	}
	n.Unplaced = s.Status == "SHELVED_OFFLOADED" && s.Zone == ""
	return n
}

// settled reports whether a server is in its zone for good, and not being built
// or moved.
func settled(s node.Node) bool { return s.Status == "ACTIVE" || s.Status == "SHUTOFF" }

// settle gives the nodes of regions that list zones now, and did not before, the
// zones of their servers.
func (r Roster) settle(seen Seen, regions []placement.Region) Roster {
	zoned := map[string]bool{}
	for _, region := range regions {
		zoned[region.Name] = len(region.Zones) > 0
	}
	r = r.clone()
	for name, n := range r.Nodes {
		if n.Zone == "" && zoned[n.Region] {
			n.Zone = seen.Servers[name].Zone
			r.Nodes[name] = n
		}
	}
	return r
}

func ids(servers []node.Node) []string {
	list := make([]string, len(servers))
	for i, s := range servers {
		list[i] = s.ID
	}
	slices.Sort(list)
	return list
}
