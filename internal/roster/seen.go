package roster

import (
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
)

// Seen is what the last look at the cloud found, by the names of the nodes. A
// node in neither map was never looked at.
type Seen struct {
	Servers map[string]node.Node
	Missing map[string]bool // looked for, and not there
}

// looked reports whether a node was ever looked for.
func (s Seen) looked(name string) bool {
	_, there := s.Servers[name]
	return there || s.Missing[name]
}

// Served counts by region the nodes that have a server. Quotas count servers, and
// a node that has none yet still needs room.
func (s Seen) Served(r Roster) map[string]int64 {
	return r.count(func(name string) bool { _, there := s.Servers[name]; return there })
}

// Unserved counts by region the nodes of a plan that need a server: new ones, and
// those for which none was found.
func (s Seen) Unserved(before, after Roster) map[string]int64 {
	return after.count(func(name string) bool {
		_, remembered := before.Nodes[name]
		return !remembered || s.Missing[name]
	})
}

// trouble says why a node is not in service, or nothing where it is: it has a
// server that is neither in ERROR nor being built and that, where marks are
// required, carries the mark of the node's revision.
func (p *planner) trouble(name string) string {
	server, there := p.seen.Servers[name]
	switch {
	case p.seen.Missing[name]:
		return "it has no server"
	case !there:
		return "it was not looked at yet"
	case server.Status == "ERROR" && server.Fault != "":
		return fmt.Sprintf("its server is in ERROR (%s)", clip(server.Fault))
	case server.Status == "ERROR", server.Status == "BUILD":
		return "its server is in " + server.Status
	case p.marksRequired() && server.InService == 0:
		return "it is not marked as in service"
	case p.marksRequired() && server.InService != p.next.Nodes[name].Revision:
		return fmt.Sprintf("it is marked as in service with revision %d, not %d", server.InService, p.next.Nodes[name].Revision)
	}
	return ""
}

func (p *planner) marksRequired() bool {
	u := p.policy.Update
	return u != nil && u.RequireInService && !u.New
}

// useless reports whether a node is not in service. One that was never looked at may
// well be in service.
func (p *planner) useless(name string) bool { return p.seen.looked(name) && p.trouble(name) != "" }

// unhealthy says why a node's server should be replaced, or nothing. A server in
// a cell of Nova that is down (UNKNOWN) is none.
func (p *planner) unhealthy(name string) string {
	switch server := p.seen.Servers[name]; {
	case server.Status == "ERROR":
		return p.trouble(name)
	case server.Tainted:
		return "it is marked as tainted"
	}
	return ""
}

// clip shortens a text of Nova's.
func clip(text string) string {
	const limit = 80
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "..."
	}
	return text
}
