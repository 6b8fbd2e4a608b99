package roster

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Seen is what the last look at the cloud found, by the names of the nodes, the
// leaving ones included. A node in neither map was never looked at.
type Seen struct {
	Servers map[string]node.Node `json:"servers,omitempty"`
	Missing map[string]bool      `json:"missing,omitempty"` // looked for, and not there

	// Builds says of each node with which of its marks its server was last seen to be
	// a new one, and what it was.
	Builds map[string]Build `json:"builds,omitempty"`

	// Aged are the nodes whose servers are too old, Baking those that are not in service for
	// long enough, Early those that broke within [Update.RevertAfter], or an hour, of service.
	Aged   map[string]Aged `json:"aged,omitempty"`
	Baking map[string]bool `json:"baking,omitempty"`
	Early  map[string]bool `json:"early,omitempty"`

	// Full are the places in which Nova found no host a short time ago: see
	// [Update.RetryFullAfter]. The time is when the server was made that found none.
	Full placement.By[time.Time] `json:"full,omitempty"`
	// Apart are the nodes of full places that share a server group with one that found no host, where
	// Nova may have a host for other nodes.
	Apart placement.By[[]string] `json:"apart,omitempty"`

	// Taken are the names that new nodes would get, and that servers have which are no nodes:
	// see [Roster.Taken].
	Taken []string `json:"taken,omitempty"`
}

// Build is a server as it was seen when it followed its node the last time.
type Build struct {
	Mark       Mark   `json:"mark"`       // of the node
	Generation int64  `json:"generation"` // of the node
	Of         string `json:"of"`         // what the server is: [node.Node.Build]
}

// NewSeen is a look that found nothing yet.
func NewSeen() Seen {
	return Seen{Servers: map[string]node.Node{}, Missing: map[string]bool{}, Builds: map[string]Build{},
		Aged: map[string]Aged{}, Baking: map[string]bool{}, Early: map[string]bool{},
		Full: placement.By[time.Time]{}, Apart: placement.By[[]string]{}}
}

// Behind reports whether a node was changed and its server was not seen to follow:
// it is still the same one, of the same image, flavor and launch. A first template changes
// nothing: it says what the servers are.
func (s Seen) Behind(name string, n Node) bool {
	build, there := s.Builds[name]
	return there && build.Mark != n.Mark && !strings.HasPrefix(string(n.Mark), string(build.Mark)+"-")
}

// Former reports whether the server of a node should have been made again since, and was
// not: Terraform does not know that it has to.
func (s Seen) Former(name string, n Node) bool {
	build, there := s.Builds[name]
	return there && s.Behind(name, n) && build.Generation < n.Generation && !n.Doubt
}

// Follow remembers with which mark a server was seen to be a new one.
func (s Seen) Follow(name string, n Node, server node.Node, before Seen) {
	build, there := before.Builds[name]
	if !there || build.Mark == n.Mark || build.Of != server.Build {
		build = Build{n.Mark, n.Generation, server.Build}
	}
	s.Builds[name] = build
}

// Keep keeps what an earlier look saw of a node. What time has told of it is not kept:
// nobody knows whether it still holds.
func (s Seen) Keep(name string, before Seen) {
	if server, there := before.Servers[name]; there {
		s.Servers[name] = server
	}
	if before.Missing[name] {
		s.Missing[name] = true
	}
	if build, there := before.Builds[name]; there {
		s.Builds[name] = build
	}
}

// Looked reports whether a node was ever looked for.
func (s Seen) Looked(name string) bool {
	_, there := s.Servers[name]
	return there || s.Missing[name]
}

// Served counts by region the nodes that have a server, those that leave included: one that
// comes back has its server already. Quotas count servers, and a node that has none yet still
// needs room.
func (s Seen) Served(r Roster) map[string]int64 {
	all := r.Clone()
	maps.Copy(all.Nodes, r.Leaving)
	return all.count(func(name string) bool { _, there := s.Servers[name]; return there })
}

// Unserved counts by region the nodes of a plan that need a server: new ones, and
// those for which none was found. One that comes back has its server.
func (s Seen) Unserved(before, after Roster) map[string]int64 {
	return after.count(func(name string) bool {
		_, remembered := before.Nodes[name]
		_, returns := before.Leaving[name]
		return !remembered && !returns || s.Missing[name]
	})
}

// FullPlaces lists the places that are full, in order.
func (s Seen) FullPlaces(policy Policy) []placement.Place {
	if policy.Update == nil || policy.Update.RetryFullAfter <= 0 {
		return nil
	}
	return slices.SortedFunc(maps.Keys(s.Full), placement.Place.Compare)
}
