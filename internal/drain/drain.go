// Package drain does what must happen before a node leaves a cluster, or before somebody works on it: it runs the
// hook, waits for the grace period, and shuts the server down.
//
// A drain begins with a note in the server's metadata, and removes the mark that the server is in service. So a server
// whose drain failed, or that could not be destroyed, never counts as in service. Until the hook is done the note says
// that the drain has begun: the server may serve still, so its node may come back, and is checked again then. Nova
// refuses the note for a locked server, which could not be destroyed either; then nothing is drained.
package drain

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

// Server is the server of a node, with the requests that a drain makes.
type Server interface {
	// State returns the state of the server in Nova.
	State(ctx context.Context) (openstack.State, error)
	// NoteBegun notes in the metadata that the drain has begun, and NoteDrain that the hook is done.
	NoteBegun(ctx context.Context, at time.Time) error
	NoteDrain(ctx context.Context, at time.Time) error
	// Unmark removes the mark that the server is in service.
	Unmark(ctx context.Context) error
	// Stop asks Nova to shut the server down.
	Stop(ctx context.Context) error
	// StopFailure returns how the last stop failed, or "".
	StopFailure(ctx context.Context) (string, error)
}

// Drain is what must happen before a node leaves.
type Drain struct {
	Node     string // name of the node, at the beginning of a sentence
	Server   Server
	Hook     func(ctx context.Context) (warning string, err error) // nil without a hook
	Shutdown bool
	Grace    time.Duration

	// Tell is called when a step begins, such as "running the hook". It may be nil.
	Tell func(step string)
}

// NeverServed reports whether a server was never in service: a readiness attachment waited for it, and that wait ended
// without a mark. A missing mark alone shows nothing, because it may be lost, or nobody ever wrote one.
func NeverServed(s openstack.State) bool { return s.Late && s.Mark == "" && !s.Drained }

// LockedError means that nothing was done, because the server is locked.
type LockedError struct{ answer error }

func (e *LockedError) Error() string { return "the server is locked: " + e.answer.Error() }
func (e *LockedError) Unwrap() error { return e.answer }

// Run drains the node: it runs the hook, then waits for the whole grace period, then shuts the server down. It checks
// before and after the hook whether the server is gone, and then skips the rest. The warnings say what somebody
// should know although the node is drained. Cancelling the context ends every wait at once. The error is a
// [*LockedError] if the server is locked.
func (d Drain) Run(ctx context.Context) (warnings []string, err error) {
	warn := func(warning string) {
		if warning != "" {
			warnings = append(warnings, warning)
		}
	}
	state, err := d.Server.State(ctx)
	if err != nil || state.Status == "" {
		return nil, err
	}
	if NeverServed(state) {
		d.Hook, d.Grace = nil, 0 // no note either: the server would look like one that was in service
	} else if d.Hook == nil {
		warning, err := d.note(ctx, state, d.Server.NoteDrain)
		if err != nil {
			return nil, err
		}
		warn(warning)
	}
	if d.Hook != nil {
		more, gone, err := d.hook(ctx, state)
		if warnings = append(warnings, more...); err != nil || gone {
			return warnings, err
		}
	}
	if d.Grace > 0 {
		d.tell(fmt.Sprintf("waiting for the grace period of %s", d.Grace))
		if err := wait.For(ctx, d.Grace); err != nil {
			return warnings, fmt.Errorf("wait for the grace period of %s: %w", d.Grace, err)
		}
	}
	if d.Shutdown {
		d.tell("shutting the server down")
		var warning string
		warning, err = d.shutDown(ctx)
		warn(warning)
	}
	return warnings, err
}

// hook runs the hook between its two notes. It reports whether the server is gone after that.
func (d Drain) hook(ctx context.Context, state openstack.State) (warnings []string, gone bool, err error) {
	refused, began := "", time.Now()
	if !state.Drained || openstack.Begun(state.Note) { // otherwise an earlier drain has run the hook
		if refused, err = d.note(ctx, state, d.Server.NoteBegun); err != nil {
			return nil, false, err
		}
	}
	busy := time.Since(began) >= taskTime // a task keeps Nova from any note
	d.tell("running the hook")
	warning, err := d.Hook(ctx)
	if err != nil {
		return nil, false, err
	}
	state, err = d.Server.State(ctx)
	if err == nil && state.Status != "" && !busy {
		refused, err = d.note(ctx, state, d.Server.NoteDrain)
	}
	for _, w := range []string{refused, warning} {
		if w != "" {
			warnings = append(warnings, w)
		}
	}
	return warnings, err == nil && state.Status == "", err
}

func (d Drain) tell(step string) {
	if d.Tell != nil {
		d.Tell(step)
	}
}

// taskTime is how long a drain waits for a task that makes Nova refuse a change of the metadata. A longer task, such
// as a snapshot, does not delay the drain further.
const taskTime = 30 * time.Second

// takesMetadata lists the statuses in which Nova accepts a change of a server's metadata while no task is under way,
// and the statuses that soon become one of them.
var takesMetadata = map[string]bool{
	"ACTIVE": true, "SHUTOFF": true, "PAUSED": true, "SUSPENDED": true,
	"REBOOT": true, "HARD_REBOOT": true, "PASSWORD": true, "MIGRATING": true,
}

// note writes a note of the drain, and removes the mark. The note comes first, because a server with both is not in
// service. If Nova refuses the note because the metadata is full, removing the mark makes room for it. The drain does
// not depend on the note: in a status in which Nova accepts no metadata there is no note, and after a second refusal
// there is a warning.
func (d Drain) note(
	ctx context.Context, state openstack.State, write func(ctx context.Context, at time.Time) error,
) (warning string, err error) {
	at := state.At
	if at.IsZero() {
		at = time.Now()
	}
	for began, freed := time.Now(), false; ; {
		err := write(ctx, at)
		refused := gophercloud.ResponseCodeIs(err, http.StatusForbidden) ||
			gophercloud.ResponseCodeIs(err, http.StatusBadRequest)
		if refused && freed {
			return fmt.Sprintf("%s is drained, but its metadata does not say so: %s.", d.Node, err), nil
		}
		if refused || (err == nil && state.Mark != "") {
			if err = d.Server.Unmark(ctx); err == nil && refused {
				freed = true
				continue
			}
		}
		switch {
		case err == nil, gophercloud.ResponseCodeIs(err, http.StatusNotFound): // the next look says that it is gone
			return "", nil
		case !gophercloud.ResponseCodeIs(err, http.StatusConflict):
			return "", err
		}
		now, lookErr := d.Server.State(ctx)
		switch {
		case lookErr != nil:
			return "", lookErr
		case now.Locked:
			return "", &LockedError{err}
		case !takesMetadata[now.Status], time.Since(began) >= taskTime:
			return "", nil
		}
		if err := pause(ctx); err != nil {
			return "", err
		}
	}
}

// pause waits between two looks at the server.
func pause(ctx context.Context) error { return wait.For(ctx, time.Second) }

// power is what a status of Nova means for a shutdown.
type power int

const (
	underWay    power = iota // an operation is under way, and ends in another status
	running                  // Nova can stop the server
	off                      // nothing is left to stop
	unstoppable              // Nova refuses to stop the server
)

// powers has the final statuses of Nova. In all others, such as REBOOT or MIGRATING, an operation is under way.
var powers = map[string]power{
	"ACTIVE":            running,
	"ERROR":             running, // it may be running: Nova accepts a stop
	"":                  off,     // gone
	"SHUTOFF":           off,
	"SHELVED":           off,
	"SHELVED_OFFLOADED": off,
	"PAUSED":            unstoppable,
	"SUSPENDED":         unstoppable,
	"RESCUE":            unstoppable,
	"VERIFY_RESIZE":     unstoppable,
}

// shutDown stops the server and waits until it is off. It first waits for operations that are under way. If a stop
// begins and fails, it asks for one more. The warning names a server that cannot be stopped.
func (d Drain) shutDown(ctx context.Context) (warning string, err error) {
	var refused error // error of the last stop
	begun := 0        // number of stops that Nova began
	for {
		state, err := d.Server.State(ctx)
		if err != nil {
			return "", err
		}
		status := state.Status
		switch powers[status] {
		case off:
			return "", nil
		case unstoppable:
			return d.notStopped(status, "in this status Nova stops no server"), nil
		case running:
			if begun > 0 && state.Task != "" {
				break
			}
			if begun == 2 {
				return d.failedStop(ctx, status)
			}
			if refused = d.Server.Stop(ctx); refused == nil {
				begun++
			}
			switch {
			case refused == nil,
				gophercloud.ResponseCodeIs(refused, http.StatusNotFound): // deleted meanwhile, as the next look shows
			case !gophercloud.ResponseCodeIs(refused, http.StatusConflict):
				return "", refused
			case state.Locked:
				return "", &LockedError{refused}
			case status == "ERROR":
				return d.notStopped(status, refused.Error()), nil
			}
			// After a conflict the server has stopped meanwhile, or another task is under way.
		}
		if err := pause(ctx); err != nil {
			err = fmt.Errorf("wait for the server, which is %s, to stop: %w", status, err)
			if refused != nil {
				err = fmt.Errorf("%w; the last answer to the request to stop it: %w", err, refused)
			}
			return "", err
		}
	}
}

// failedStop reports how the stops of a running server failed. A server in ERROR is left as it is.
func (d Drain) failedStop(ctx context.Context, status string) (warning string, err error) {
	why, err := d.Server.StopFailure(ctx)
	if err != nil {
		why = err.Error()
	}
	why = fmt.Sprintf("Nova began twice to stop it, and failed (%s)", cmp.Or(why, "it gives no reason"))
	if status == "ERROR" {
		return d.notStopped(status, why), nil
	}
	return "", &RunningError{fmt.Sprintf("it is still %s: %s", status, why)}
}

// RunningError means that Nova could not stop the server. The hook is done.
type RunningError struct{ text string }

func (e *RunningError) Error() string { return e.text }

func (d Drain) notStopped(status, why string) string {
	return fmt.Sprintf("%s was not shut down, because it is %s: %s. It is left as it is.", d.Node, status, why)
}
