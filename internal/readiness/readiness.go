// Package readiness waits until new servers are in service, and marks those that are.
//
// A server is in service when its status in Nova is ACTIVE and all configured checks pass: an HTTP request, a TCP
// connection, a hook.
package readiness

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/probe"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

// Server is the server of a node, with the requests that a wait makes.
type Server interface {
	// State returns the state of the server in Nova, with the time.
	State(ctx context.Context) (openstack.State, error)
	// ForgetDrain removes the note of a drain from the server.
	ForgetDrain(ctx context.Context) error
	// NoteFailure notes in the metadata that a wait ended without the server's mark, and when.
	NoteFailure(ctx context.Context, mark string, at time.Time) error
	// ForgetFailure removes that note.
	ForgetFailure(ctx context.Context) error
	// Mark writes the mark that the server is in service, and since when.
	Mark(ctx context.Context, mark string, at time.Time) error
}

// Node is a node to wait for.
type Node struct {
	Name    string
	ID      string // id of its server
	Region  string
	Address string // "" without an address
	Mark    string // mark of a server that is in service
	Drained bool   // its drain has begun; passing readiness removes that note
	Failed  bool   // a wait ended without it; passing readiness removes that note
	Late    bool   // that wait was for the same mark
	Server  Server
}

// Token identifies the node to the consumer of its hook. It is the same for a server and its mark, however often the
// server is waited for.
func (n Node) Token() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "launch %q %q %q", n.Region, n.ID, n.Mark))
	return base32.StdEncoding.EncodeToString(sum[:])[:26]
}

// Waiter waits for nodes.
type Waiter struct {
	HTTP *probe.HTTP // nil: not checked
	TCP  *probe.TCP  // nil: not checked
	// Hook runs the hook of a node, once, after the checks have passed. The warning says what went wrong with a hook
	// that counts as completed anyway. It may be nil.
	Hook      func(ctx context.Context, n Node) (warning string, err error)
	StableFor time.Duration
	Timeout   time.Duration // for all nodes together

	// Progress is called when the state of a node changes, and every 30 seconds. It may be called for several nodes at
	// once. It may be nil.
	Progress func(n Node, seen string)

	poll time.Duration // pause before the second look at a node; 0 means a second
}

const (
	looksAtOnce = 32               // servers that are looked at
	hooksAtOnce = 32               // hooks that run
	longestPoll = 10 * time.Second // between two looks at one node
	longestNote = 30 * time.Second // for all notes of failed waits together
	logEvery    = 30 * time.Second
)

// failure is a node that did not get into service.
type failure struct {
	node     Node
	seen     string // last state
	unmarked bool   // whether all checks passed, and Nova refused the mark
}

func (f failure) String() string {
	return fmt.Sprintf("%s (server %s, region %s): %s", f.node.Name, f.node.ID, f.node.Region, f.seen)
}

// notReadyError lists the nodes that did not get into service, by name.
type notReadyError struct {
	nodes    int // number of nodes that were waited for
	failures []failure
}

func (e *notReadyError) Error() string {
	lines := []string{
		fmt.Sprintf("%d of %d servers that this apply checked are not in service:", len(e.failures), e.nodes),
	}
	const many = 50
	for i, f := range e.failures {
		if i == many {
			lines = append(lines, fmt.Sprintf("and %d more", len(e.failures)-many))
			break
		}
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n  - ")
}

// MarksRefused reports whether an error of [Waiter.Run] is that Nova refused the mark of each server that did not get
// into service, so that no other image would help.
func MarksRefused(err error) bool {
	e, is := errors.AsType[*notReadyError](err)
	return is && !slices.ContainsFunc(e.failures, func(f failure) bool { return !f.unmarked })
}

// Run waits until all nodes are in service, and marks each node as soon as it is. It looks at all nodes at the same
// time. The warnings, in the order of the nodes' names, are about hooks that did not complete and count as completed.
//
// The error is a [*notReadyError] if nodes did not get into service in time, or cannot any more because their server
// is gone or in ERROR, or their hook failed. If ctx ended, all waits end at once, and the error wraps the cause.
//
// If a server is ACTIVE and did not get into service, Run notes that in its metadata, with the time of the last look
// by Nova's clock. A wait that was interrupted writes no note.
func (w *Waiter) Run(ctx context.Context, nodes []Node) (warnings []string, err error) {
	limited, cancel := context.WithTimeout(ctx, w.Timeout)
	defer cancel()
	noting, done := context.WithTimeout(ctx, w.Timeout+longestNote)
	defer done()
	nodes = slices.SortedFunc(slices.Values(nodes), func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	watches := make([]watch, len(nodes))
	looks, hooks := make(chan struct{}, looksAtOnce), make(chan struct{}, hooksAtOnce)
	notes := make(chan struct{}, looksAtOnce) // a note that hangs keeps no other node from being looked at
	var all sync.WaitGroup
	for i, n := range nodes {
		watches[i] = watch{Waiter: w, node: n, looks: looks, hooks: hooks, notes: notes}
		all.Go(func() {
			watches[i].run(limited)
			watches[i].note(noting)
		})
	}
	all.Wait()
	failed := &notReadyError{nodes: len(nodes)}
	var names []string
	for i := range watches {
		if warning := watches[i].warning; warning != "" {
			warnings = append(warnings, warning)
		}
		if !watches[i].marked {
			failed.failures = append(failed.failures, failure{
				nodes[i], cmp.Or(watches[i].seen, "it was not checked"), watches[i].unmarked})
			names = append(names, nodes[i].Name)
		}
	}
	switch {
	case len(names) == 0:
		return warnings, nil
	case ctx.Err() != nil:
		return warnings, fmt.Errorf("%w; not in service yet: %s", context.Cause(ctx), strings.Join(names, ", "))
	}
	return warnings, failed
}

// watch is the wait for one node.
type watch struct {
	*Waiter
	node  Node
	looks chan struct{} // one slot for each look
	hooks chan struct{}
	notes chan struct{}

	hooked  bool      // reports whether the hook has completed
	since   time.Time // time since which all checks pass; zero if one does not
	status  string    // last status from Nova
	seen    string    // last state, for people
	at      time.Time // time of it, by Nova's clock
	logged  time.Time
	marked  bool
	warning string

	unmarked bool // whether Nova refused the mark
}

// run looks at the node again and again until the node is marked, cannot get into service any more, or the context
// ends.
func (w *watch) run(ctx context.Context) {
	pause := cmp.Or(w.poll, time.Second)
	for {
		final := w.look(ctx)
		if w.marked || final || ctx.Err() != nil {
			return
		}
		next := pause
		if rest := w.StableFor - time.Since(w.since); !w.since.IsZero() && rest > 0 {
			next = min(next, rest) // so that the node is marked as soon as it may be
		}
		if wait.For(ctx, next) != nil {
			return
		}
		pause = min(pause*3/2, longestPoll)
	}
}

// look looks at the node once, and marks it if all checks have passed for long enough. It returns true if the node
// cannot get into service any more.
func (w *watch) look(ctx context.Context) (final bool) {
	if !acquire(ctx, w.looks) {
		return false
	}
	seen, final := w.check(ctx)
	<-w.looks
	if ctx.Err() != nil {
		w.seen = cmp.Or(w.seen, seen) // a look that was interrupted saw nothing new
		return false
	}
	if seen != "" {
		w.since = time.Time{}
		w.see(seen)
		return final
	}
	if w.Hook != nil && !w.hooked {
		if !w.runHook(ctx) {
			return true
		}
		if w.StableFor > 0 { // the checks before the hook were long ago
			w.since = time.Now()
			return false
		}
	}
	if w.since.IsZero() {
		w.since = time.Now()
	}
	if well := time.Since(w.since); well < w.StableFor {
		w.see(fmt.Sprintf("all checks pass, but not for %s yet (stable_for)", w.StableFor))
		return false
	}
	if !acquire(ctx, w.looks) {
		return false
	}
	err := w.mark(ctx)
	<-w.looks
	if err != nil {
		w.see(err.Error())
		w.unmarked = ctx.Err() == nil && refused(err)
		return w.unmarked
	}
	w.marked = true
	w.see("in service")
	return false
}

// mark writes the mark that the server is in service. It first removes the notes of a drain and of a failed wait: a
// server without note and mark is waited for again.
func (w *watch) mark(ctx context.Context) error {
	if w.node.Drained {
		if err := w.node.Server.ForgetDrain(ctx); err != nil {
			return err
		}
	}
	if w.node.Failed {
		if err := w.node.Server.ForgetFailure(ctx); err != nil {
			return err
		}
	}
	return w.node.Server.Mark(ctx, w.node.Mark, w.at)
}

// note notes that the wait ended without the server. It writes nothing if the wait was interrupted, or the server was
// not ACTIVE, because neither says anything about the server's template.
func (w *watch) note(ctx context.Context) {
	if w.marked || ctx.Err() != nil || w.at.IsZero() || w.status != "ACTIVE" || !acquire(ctx, w.notes) {
		return
	}
	err := w.node.Server.NoteFailure(ctx, w.node.Mark, w.at)
	<-w.notes
	if err != nil {
		w.seen += "; and this could not be noted: " + err.Error()
	}
}

// check returns what is wrong, or "", and whether that is final.
func (w *watch) check(ctx context.Context) (seen string, final bool) {
	state, err := w.node.Server.State(ctx)
	if err != nil {
		return err.Error(), refused(err)
	}
	status := state.Status
	w.status, w.at = status, state.At
	switch {
	case status == "":
		return "the server is gone", true
	case status == "ERROR":
		return "ERROR in Nova", true
	case status != "ACTIVE":
		return status + " in Nova", false
	}
	if w.TCP != nil {
		if failure := w.TCP.Look(ctx, w.node.Address); failure != nil {
			return failure.Text, false
		}
	}
	if w.HTTP != nil {
		if failure := w.HTTP.Look(ctx, w.node.Name, w.node.Address); failure != nil {
			return failure.Text, false
		}
	}
	return "", false
}

// runHook runs the hook and reports whether it completed.
func (w *watch) runHook(ctx context.Context) bool {
	if !acquire(ctx, w.hooks) {
		return false
	}
	defer func() { <-w.hooks }()
	w.see("its hook has not completed")
	warning, err := w.Hook(ctx, w.node)
	if err != nil {
		if ctx.Err() == nil {
			w.see(err.Error())
		}
		return false
	}
	w.hooked, w.warning = true, warning
	return true
}

// see records the state of the node, and reports it if it is new.
func (w *watch) see(seen string) {
	if seen != w.seen || time.Since(w.logged) >= logEvery {
		w.logged = time.Now()
		if w.Progress != nil {
			w.Progress(w.node, seen)
		}
	}
	w.seen = seen
}

// acquire waits for a slot. It returns false if the context ended first.
func acquire(ctx context.Context, slots chan struct{}) bool {
	select {
	case slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}
