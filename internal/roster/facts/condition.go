// Package facts works out what a plan knows of each node: its condition, what protects it, what
// is wrong with its place, and in which turn it leaves. A rule that asks for a fact asks here.
package facts

import (
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// Condition is what is known of whether a node is in service: one of a closed set. A plan
// works it out once, from what was seen and what is remembered. It has no text: [say] makes
// sentences of it.
//
// Absence proves nothing: a server that is not found, a mark that is missing and a cell that
// does not answer leave a node Unknown.
type Condition int

// The conditions.
const (
	Unknown   Condition = iota // not looked at since it changed, not found, UNKNOWN in Nova, or its mark was lost
	Serving                    // runs, and carries its own mark or needs none
	Starting                   // runs, and was not in service since it was made or changed
	Late                       // the same or Unchanged, and a wait for it ended without it, whatever its health is
	Unwell                     // runs, and a look at its service says that it does not work
	Unchanged                  // runs, and should have been made again, which nobody saw
	Failing                    // in ERROR, and never in service since it was made or changed
	Broken                     // in ERROR, and was in service
	Stopped                    // does not run, or was drained: somebody did that on purpose
)

// Rules says what may be done to a node in each condition. It is the whole table.
var Rules = [...]struct {
	name    string
	proven  bool // in service for certain: a quorum counts on it
	may     bool // possibly in service: only a quorum frees it
	accused bool // said to be out of service by a look of our own: also free a batch at a time
	fresh   bool // never in service: gets its template where it is
}{
	Unknown:   {name: "unknown", may: true},
	Serving:   {name: "serving", proven: true, may: true},
	Starting:  {name: "starting", may: true},
	Late:      {name: "late", may: true, accused: true, fresh: true}, // its wait may have ended for another reason
	Unwell:    {name: "unwell", may: true, accused: true},            // believed of no more than stop_above
	Unchanged: {name: "unchanged", may: true},
	Failing:   {name: "failing", fresh: true},
	Broken:    {name: "broken"},
	Stopped:   {name: "stopped"},
}

// String is the name of the condition.
func (c Condition) String() string { return Rules[c].name }

// ConditionOf works out the condition of a node. What was seen before an apply proves
// nothing but service.
func ConditionOf(name string, n roster.Node, seen roster.Seen, policy roster.Policy) Condition {
	server, found := seen.Servers[name]
	if n.Doubt || !found || server.Status == "UNKNOWN" {
		return Unknown
	}
	c := seenAs(name, n, server, seen, policy)
	if policy.Blind && c != Serving {
		return Unknown
	}
	return c
}

// seenAs is the condition of a node whose server was found since the node changed.
func seenAs(name string, n roster.Node, server node.Node, seen roster.Seen, policy roster.Policy) Condition {
	inService := n.Served || Served(seen, name, n, policy)
	stands := inService || !Noted(n, server) // no wait says that it is late
	switch {
	case server.Status == "ERROR":
		return inError(inService)
	case !Runs(server) || server.Drained:
		return Stopped
	case server.Unwell != "" && stands:
		return Unwell
	case seen.Former(name, n) && stands:
		return Unchanged
	case Served(seen, name, n, policy):
		return Serving
	case inService:
		return Unknown
	case Noted(n, server):
		return Late
	}
	return Starting
}

// inError is the condition of a node whose server is in ERROR.
func inError(inService bool) Condition {
	if inService {
		return Broken
	}
	return Failing
}

// Noted reports whether a wait for the server of a node ended without it, since the node
// was made or changed the last time.
func Noted(n roster.Node, server node.Node) bool {
	return server.NotInService == string(n.Mark) && server.InService != string(n.Mark)
}

// Runs reports whether a server runs. One that is migrated live, resized and not confirmed,
// or given a password does; one that is stopped, paused, suspended, rescued, shelved or
// being deleted does not.
func Runs(server node.Node) bool {
	switch server.Status {
	case "ACTIVE", "MIGRATING", "PASSWORD", "VERIFY_RESIZE":
		return !server.Deleting
	}
	return false
}

// Served reports whether the server of a node was in service since the node was made or
// changed, whatever is wrong with it now: it carries the node's own mark or, where marks are
// not required, it runs.
func Served(s roster.Seen, name string, n roster.Node, policy roster.Policy) bool {
	server, there := s.Servers[name]
	switch {
	case !there || n.Doubt || s.Former(name, n):
		return false
	case server.InService == string(n.Mark):
		return true
	}
	return !policy.RequireMarks && Runs(server) && !s.Behind(name, n)
}
