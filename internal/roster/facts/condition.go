// Package facts works out what a plan knows about each node: its condition, what protects it,
// what is wrong with its place, and its turn to leave. Every rule takes its facts from here.
package facts

import (
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// Condition is what is known about whether a node is in service, and so what may be done to it. The
// set of conditions is closed. A plan works it out once, from the last look and from the memory.
// Package say makes sentences of it.
//
// Absence proves nothing: a server that is not found, a missing mark, and a cell that does not
// answer leave a node Unknown.
type Condition struct {
	Proven   bool // certainly in service: counts for a quorum
	MayServe bool // possibly in service: needs a quorum to be taken out of service
	Accused  bool // a wait or a check of health says that it is out of service: a batch may take it without a quorum
	Fresh    bool // never in service: gets its template under its own name
}

// The conditions.
var (
	// not looked at since it changed, not found, UNKNOWN in Nova, or its mark was lost
	Unknown = &Condition{MayServe: true}
	// runs, and carries its own mark or needs none
	Serving = &Condition{Proven: true, MayServe: true}
	// runs, and was not in service since it was made or changed
	Starting = &Condition{MayServe: true}
	// as Starting or Unchanged, and a wait for it ended before it was in service, maybe for another reason
	Late = &Condition{MayServe: true, Accused: true, Fresh: true}
	// runs, and the check of health says that its service does not work: believed of no more than stop_above
	Unwell = &Condition{MayServe: true, Accused: true}
	// runs, and should have been made again, but was not seen to be
	Unchanged = &Condition{MayServe: true}
	// in ERROR, and never in service since it was made or changed
	Failing = &Condition{Fresh: true}
	// in ERROR, and was in service
	Broken = &Condition{}
	// does not run, or was drained: somebody did that on purpose
	Stopped = &Condition{}
)

// ConditionOf works out the condition of a node. A look before the last apply proves only that
// a node is in service.
func ConditionOf(name string, n roster.Node, seen roster.Seen, policy roster.Policy) *Condition {
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
func seenAs(name string, n roster.Node, server node.Node, seen roster.Seen, policy roster.Policy) *Condition {
	inService := n.Served || Served(seen, name, n, policy)
	stands := inService || !Noted(n, server) // no wait says that it is late
	switch {
	case server.Status == "ERROR" && inService:
		return Broken
	case server.Status == "ERROR":
		return Failing
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
