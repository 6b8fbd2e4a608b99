// Package facts works out what a plan knows about each node: its condition, what protects it,
// what is wrong with its place, and its turn to leave. Every rule takes its facts from here.
package facts

import (
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// Condition is what is known about whether a node is in service. The set of conditions is closed.
// A plan works it out once, from the last look and from the memory. Package say makes sentences
// of it.
//
// Absence proves nothing: a server that is not found, a missing mark, and a cell that does not
// answer leave a node Unknown.
type Condition int

// The conditions.
const (
	Unknown   Condition = iota // not looked at since it changed, not found, UNKNOWN in Nova, or its mark was lost
	Serving                    // runs, and carries its own mark or needs none
	Starting                   // runs, and was not in service since it was made or changed
	Late                       // as Starting or Unchanged, and a wait for it ended before it was in service
	Unwell                     // runs, and the check of health says that its service does not work
	Unchanged                  // runs, and should have been made again, but was not seen to be
	Failing                    // in ERROR, and never in service since it was made or changed
	Broken                     // in ERROR, and was in service
	Stopped                    // does not run, or was drained: somebody did that on purpose
)

// Rules is the table of what may be done to a node in each condition.
var Rules = [...]struct {
	name    string
	proven  bool // certainly in service: counts for a quorum
	may     bool // possibly in service: needs a quorum to be taken out of service
	accused bool // a wait or a check of health says that it is out of service: a batch may take it without a quorum
	fresh   bool // never in service: gets its template under its own name
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

// String returns the name of the condition.
func (c Condition) String() string { return Rules[c].name }

// ConditionOf works out the condition of a node. A look before the last apply proves only that
// a node is in service.
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

// seenAs returns the condition of a node whose server was found since the node changed.
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
	case seen.NotRemade(name, n) && stands:
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

// inError returns the condition of a node whose server is in ERROR.
func inError(inService bool) Condition {
	if inService {
		return Broken
	}
	return Failing
}

// Noted reports whether a wait for the server of a node ended before it was in service, since the
// node was last made or changed.
func Noted(n roster.Node, server node.Node) bool {
	return server.NotInService == string(n.Mark) && server.InService != string(n.Mark)
}

// Runs reports whether a server runs. A server that is migrated live, resized but not confirmed,
// or given a password runs; a server that is stopped, paused, suspended, rescued, shelved or
// being deleted does not.
func Runs(server node.Node) bool {
	switch server.Status {
	case "ACTIVE", "MIGRATING", "PASSWORD", "VERIFY_RESIZE":
		return !server.Deleting
	}
	return false
}

// Served reports whether the server of a node was in service since the node was made or
// changed, whatever is wrong with it now: it carries the node's own mark or, if marks are not
// required, it runs.
func Served(s roster.Seen, name string, n roster.Node, policy roster.Policy) bool {
	server, there := s.Servers[name]
	switch {
	case !there || n.Doubt || s.NotRemade(name, n):
		return false
	case server.InService == string(n.Mark):
		return true
	}
	return !policy.RequireMarks && Runs(server) && !s.Lags(name, n)
}
