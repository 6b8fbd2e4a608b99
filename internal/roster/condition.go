package roster

import "github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"

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
	Late                       // the same, and a wait for it ended without it, whatever its health is
	Unwell                     // runs, and a look at its service says that it does not work
	Unchanged                  // runs, and should have been made again, which nobody saw
	Failing                    // in ERROR, and never in service since it was made or changed
	Broken                     // in ERROR, and was in service
	Stopped                    // does not run, or was drained: somebody did that on purpose
)

// rules says what may be done to a node in each condition. It is the whole table.
var rules = [...]struct {
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
func (c Condition) String() string { return rules[c].name }

// conditionOf works out the condition of a node. What was seen before an apply proves
// nothing but service.
func conditionOf(name string, n Node, seen Seen, policy Policy) Condition {
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
func seenAs(name string, n Node, server node.Node, seen Seen, policy Policy) Condition {
	inService := n.Served || served(seen, name, n, policy)
	switch {
	case server.Status == "ERROR" && inService:
		return Broken
	case server.Status == "ERROR":
		return Failing
	case !runs(server) || server.Drained:
		return Stopped
	case server.Unwell != "" && (inService || !noted(n, server)):
		return Unwell
	case seen.former(name, n):
		return Unchanged
	case server.InService == string(n.Mark), !policy.RequireMarks && !seen.behind(name, n):
		return Serving
	case inService:
		return Unknown
	case noted(n, server):
		return Late
	}
	return Starting
}

// noted reports whether a wait for the server of a node ended without it, since the node
// was made or changed the last time.
func noted(n Node, server node.Node) bool { return server.NotInService == string(n.Mark) }

// runs reports whether a server runs. One that is migrated live, resized and not confirmed,
// or given a password does; one that is stopped, paused, suspended, rescued, shelved or
// being deleted does not.
func runs(server node.Node) bool {
	switch server.Status {
	case "ACTIVE", "MIGRATING", "PASSWORD", "VERIFY_RESIZE":
		return !server.Deleting
	}
	return false
}

// served reports whether the server of a node was in service since the node was made or
// changed, whatever is wrong with it now: it carries the node's own mark or, where marks are
// not required, it runs.
func served(s Seen, name string, n Node, policy Policy) bool {
	server, there := s.Servers[name]
	switch {
	case !there || n.Doubt || s.former(name, n):
		return false
	case server.InService == string(n.Mark):
		return true
	}
	return !policy.RequireMarks && runs(server) && !s.behind(name, n)
}
