// Package facts works out what a plan knows about each node: its condition, what protects it,
// what is wrong with its place, and its turn to leave. Every rule takes its facts from here.
package facts

import "github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"

// Condition is what is known about whether a node is in service, and so what may be done to it. The set of conditions
// is closed. A plan works it out once, from the last look and from the memory. Package say makes sentences of it.
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
	// Unknown: not looked at since it changed, not found, UNKNOWN in Nova, or its mark was lost
	Unknown = &Condition{MayServe: true}
	// Serving: runs, and carries its own mark or needs none
	Serving = &Condition{Proven: true, MayServe: true}
	// Starting: runs, and was not in service since it was made or changed
	Starting = &Condition{MayServe: true}
	// Late: as Starting or Unchanged, and a wait for it ended before it was in service, maybe for another reason
	Late = &Condition{MayServe: true, Accused: true, Fresh: true}
	// Unwell: runs, and the check of health says that its service does not work, or it has lost a port or a volume:
	// believed of no more than stop_above
	Unwell = &Condition{MayServe: true, Accused: true}
	// Unchanged: runs, and should have been made again, but was not seen to be
	Unchanged = &Condition{MayServe: true}
	// Failing: in ERROR, and never in service since it was made or changed
	Failing = &Condition{Fresh: true}
	// Broken: in ERROR, and was in service
	Broken = &Condition{}
	// Stopped: does not run, or was drained: somebody did that on purpose
	Stopped = &Condition{}
)

// serve works out whether the server was in service since its node was made or changed, and the
// condition of the node. It was in service if it carries the node's own mark or, if marks are not required, runs.
func (f *Fact) serve(seen roster.Seen, policy roster.Policy) {
	f.Lags = !policy.RequireMarks && seen.Lags(f.Name, f.Node)
	f.NotRemade = f.Looked && !f.Missing && seen.NotRemade(f.Name, f.Node)
	marked := f.Own() || !policy.RequireMarks && f.Runs() && !f.Lags
	serves := f.Looked && !f.Missing && !f.NotRemade && marked
	f.Served = f.Served || serves
	if f.Is = f.condition(serves); f.unknown(policy.Blind) {
		f.Is = Unknown
	}
}

// unknown reports whether nothing is known of the node. A look before the last apply proves only that it is in service.
func (f *Fact) unknown(blind bool) bool {
	return !f.Looked || f.Missing || f.Server.Status == "UNKNOWN" || blind && f.Is != Serving
}

// condition returns the condition of a node whose server was found since the node changed. Serves says that the server
// was in service since then, whatever is wrong with it now.
func (f *Fact) condition(serves bool) *Condition {
	stands := f.Served || !f.Noted() // no wait says that it is late
	switch {
	case f.Server.Status == "ERROR":
		if f.Served {
			return Broken
		}
		return Failing
	case !f.Runs() || f.Server.Drained:
		return Stopped
	case f.ails() && stands:
		return Unwell
	case f.NotRemade && stands:
		return Unchanged
	case serves:
		return Serving
	case f.Served:
		return Unknown
	case f.Noted():
		return Late
	}
	return Starting
}

// ails reports whether something is wrong with the server, or missing at it.
func (f *Fact) ails() bool { return f.Server.Unwell != "" || f.Server.Lacks() }

// Own reports whether the server carries the mark of the node.
func (f *Fact) Own() bool { return f.Server.InService == string(f.Mark) }

// Noted reports whether a wait for the server ended before it was in service, since the node was
// last made or changed.
func (f *Fact) Noted() bool { return f.Server.NotInService == string(f.Mark) && !f.Own() }

// Starts reports whether the server runs, and nobody has ever waited for it to the end.
func (f *Fact) Starts() bool { return f.Is == Starting && f.Server.InService == "" }

// Runs reports whether the server runs. A server that is migrated live, resized but not confirmed, or given a
// password runs; a server that is stopped, paused, suspended, rescued, shelved or being deleted does not.
func (f *Fact) Runs() bool {
	switch f.Server.Status {
	case "ACTIVE", "MIGRATING", "PASSWORD", "VERIFY_RESIZE":
		return !f.Server.Deleting
	}
	return false
}
