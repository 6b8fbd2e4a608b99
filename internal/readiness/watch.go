package readiness

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

// watch is the wait for one node.
type watch struct {
	*Waiter
	node  Node
	looks chan struct{} // one slot for each look
	hooks chan struct{}
	notes chan struct{}

	hooked  bool      // whether the hook has completed
	since   time.Time // time since which all checks pass; zero if one does not
	status  string    // last status from Nova
	seen    string    // last state, for people
	at      time.Time // time of it, by Nova's clock
	logged  time.Time
	marked  bool
	refused bool // whether all checks passed, and Nova refused the mark
	warning string
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
		w.refused = ctx.Err() == nil && refused(err)
		return w.refused
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
