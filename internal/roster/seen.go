package roster

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
)

// Seen is the result of the last look at the cloud, by the names of the nodes, including
// the leaving ones. A node in neither Servers nor Missing was never looked at.
type Seen struct {
	Servers map[string]node.Node `json:"servers,omitempty"`
	Missing map[string]bool      `json:"missing,omitempty"` // nodes whose servers were not found

	// Strays has the ids of servers that have the name of a node and are not its own, and for which nobody has ever
	// waited: Terraform may not know them.
	Strays map[string][]string `json:"strays,omitempty"`

	// Others has the other servers with the name of a node: replaced ones that no apply has destroyed yet, newer ones
	// that failed as they were made, and strays.
	Others map[string][]node.Node `json:"others,omitempty"`

	// Builds has for each node the state in which its server last followed a change of the node.
	Builds map[string]Build `json:"builds,omitempty"`

	// Aged has the nodes whose servers are too old, Baking the nodes that must be in service for longer, and Early
	// the nodes that broke within an hour of service.
	Aged   map[string]Aged `json:"aged,omitempty"`
	Baking map[string]bool `json:"baking,omitempty"`
	Early  map[string]bool `json:"early,omitempty"`

	// Full has the flavors and places in which Nova found no host a short time ago, each with the time at
	// which the server without a host was created. [FullFor] bounds it.
	Full map[Spot]time.Time `json:"full,omitempty"`

	// Taken has the result of [Roster.Taken]: names of other servers that new nodes would get.
	Taken []string `json:"taken,omitempty"`
}

// Build is a server as it was seen when it last followed a change of its node.
type Build struct {
	Mark       Mark   `json:"mark"`       // mark of the node
	Generation int64  `json:"generation"` // generation of the node
	Of         string `json:"of"`         // image, flavor and launch of the server, from [node.Node.Build]
}

// Aged is a node that was too old when it was seen.
//
// A plan has no clock. A look at the cloud turns times into facts that change once and then
// stay: one node is too old, another has not been in service for long enough. A time would
// differ with each look, and make every saved plan stale.
type Aged struct {
	Mark     Mark      `json:"mark"` // mark of the node then; a node that changed since gets another server
	Launched time.Time `json:"launched"`
}

// Clone returns a copy whose maps may be changed.
func (s Seen) Clone() Seen {
	s.Servers, s.Missing, s.Builds, s.Strays = clone(s.Servers), clone(s.Missing), clone(s.Builds), clone(s.Strays)
	s.Aged, s.Baking, s.Early = clone(s.Aged), clone(s.Baking), clone(s.Early)
	s.Full, s.Others = clone(s.Full), clone(s.Others)
	return s
}

// clone returns a copy of a map, which is never nil.
func clone[K comparable, V any](of map[K]V) map[K]V {
	if of == nil {
		return map[K]V{}
	}
	return maps.Clone(of)
}

// NewSeen returns a look that has found nothing yet.
func NewSeen() Seen { return Seen{}.Clone() }

// Lags reports whether a node was changed and its server was not seen to follow: it still has the same image, flavor
// and launch. A first template changes nothing, because it only says what the servers are made from.
func (s Seen) Lags(name string, n Node) bool {
	build, there := s.Builds[name]
	return there && build.Mark != n.Mark && !strings.HasPrefix(string(n.Mark), string(build.Mark)+"-")
}

// NotRemade reports whether the server of a node should have been made again, and was not:
// Terraform does not know that the server depends on the generation of its node.
func (s Seen) NotRemade(name string, n Node) bool {
	build, there := s.Builds[name]
	return there && s.Lags(name, n) && build.Generation < n.Generation && !n.Doubt
}

// Follow remembers with which mark of its node a server was seen to change. A server that no look found before did not
// follow a change in place if it was marked for the node as it was before, and not launched since.
func (s Seen) Follow(name string, n, was Node, server node.Node, before Seen) {
	build, there := before.Builds[name]
	older := was.Mark != "" && server.InService == string(was.Mark)
	if !there && older && !server.LaunchedAt.After(server.InServiceAt) {
		build, there = Build{was.Mark, was.Generation, server.Build}, true
	}
	if !there || build.Mark == n.Mark || build.Of != server.Build {
		build = Build{n.Mark, n.Generation, server.Build}
	}
	s.Builds[name] = build
}

// Stray reports whether Terraform does not know the server of a node that leaves, as far as that shows.
func (s Seen) Stray(name string) bool { return slices.Contains(s.Strays[name], s.Servers[name].ID) }

// Keep copies what an earlier look found of a node. It leaves out Aged, Baking and Early, which may not hold any more,
// and that it found no server: an apply may have made one since.
func (s Seen) Keep(name string, before Seen) {
	keep(s.Servers, before.Servers, name)
	keep(s.Builds, before.Builds, name)
	keep(s.Strays, before.Strays, name)
	keep(s.Others, before.Others, name)
}

func keep[V any](into, from map[string]V, name string) {
	if v, there := from[name]; there {
		into[name] = v
	}
}

// There yields the servers with the name of a node, its own first.
func (s Seen) There(name string) iter.Seq2[int, node.Node] {
	return func(yield func(int, node.Node) bool) {
		if own := s.Servers[name]; own.ID == "" || !yield(0, own) {
			return
		}
		for i, other := range s.Others[name] {
			if !yield(i+1, other) {
				return
			}
		}
	}
}

// Number returns the number of servers with the name of a node.
func (s Seen) Number(name string) int64 {
	if s.Servers[name].ID == "" {
		return 0
	}
	return 1 + int64(len(s.Others[name]))
}

// Outlived reports whether a newer server of a node failed, while its own serves: Terraform makes one more with each
// apply, or waits for it, and destroys no old one before.
func (s Seen) Outlived(name string) bool {
	return slices.ContainsFunc(s.Others[name], func(other node.Node) bool { return other.FailedAfter(s.Servers[name]) })
}

// Looked reports whether a node was ever looked for.
func (s Seen) Looked(name string) bool {
	_, there := s.Servers[name]
	return there || s.Missing[name]
}
