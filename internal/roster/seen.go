package roster

import "github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"

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
