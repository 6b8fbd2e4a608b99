// Package drain does what must happen before a node leaves a cluster, or is worked
// on: its hook, the shutdown of its server, and the grace period. The order is that of
// Senlin's deletion policy with lifecycle hooks.
//
// A drain is noted in Nova before anything is done, and the mark that the server
// is in service is removed. So a server that was drained and could not be
// destroyed is nowhere counted as in service. Nova also refuses that note for a
// locked server, which could not be destroyed either: nothing is drained then.
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

// Server is the server of a node: what a drain asks Nova to do with it.
type Server interface {
	// State is what Nova says of the server.
	State(ctx context.Context) (openstack.State, error)
	// NoteDrain notes in Nova that the drain has begun.
	NoteDrain(ctx context.Context, at time.Time) error
	// Unmark removes the mark that the server is in service.
	Unmark(ctx context.Context) error
	// Stop asks Nova to shut the server down.
	Stop(ctx context.Context) error
	// StopFailure is how the last stop failed, or "".
	StopFailure(ctx context.Context) (string, error)
}

// Drain is what must happen before a node leaves.
type Drain struct {
	Node     string // in words, at the beginning of a sentence
	Server   Server
	Hook     func(ctx context.Context) (warning string, err error) // nil: none
	Shutdown bool
	Grace    time.Duration

	// OnlyInService leaves hook and grace period out for a server that never was in
	// service: it has no mark, and no drain of it has begun.
	OnlyInService bool

	// Tell is called with each step as it begins, such as "running the hook". nil:
	// nobody watches.
	Tell func(step string)
}

// LockedError says that nothing was done, because the server is locked.
type LockedError struct{ answer error }

func (e *LockedError) Error() string { return "the server is locked: " + e.answer.Error() }
func (e *LockedError) Unwrap() error { return e.answer }

// Run drains the node: the hook, then the shutdown, then the grace period in
// full. A server that is gone needs none of it, and is looked at before and
// after the hook. The warnings are what somebody should know though the node
// is drained. Cancelling the context ends every wait at once. The error is a
// [*LockedError] where the server is locked.
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
	if d.OnlyInService && state.Mark == "" && !state.Drained {
		d.Hook, d.Grace = nil, 0 // and no note: it would look like one that was in service
	} else {
		warning, err := d.note(ctx, state)
		if err != nil {
			return nil, err
		}
		warn(warning)
	}
	if d.Hook != nil {
		d.tell("running the hook")
		warning, err := d.Hook(ctx)
		if err != nil {
			return nil, err
		}
		warn(warning)
		if state, err := d.Server.State(ctx); err != nil || state.Status == "" {
			return warnings, err
		}
	}
	if d.Shutdown {
		d.tell("shutting the server down")
		warning, err := d.shutDown(ctx)
		warn(warning)
		if err != nil {
			return warnings, err
		}
	}
	if d.Grace > 0 {
		d.tell(fmt.Sprintf("waiting for the grace period of %s", d.Grace))
		if err := wait.For(ctx, d.Grace); err != nil {
			return warnings, fmt.Errorf("wait for the grace period of %s: %w", d.Grace, err)
		}
	}
	return warnings, nil
}

func (d Drain) tell(step string) {
	if d.Tell != nil {
		d.Tell(step)
	}
}

// taskTime is how long a drain waits for a task because of which Nova refuses to change
// a server's metadata. A longer task, such as a snapshot, does not delay the drain
// further.
const taskTime = 30 * time.Second

// takesMetadata are the statuses in which Nova changes a server's metadata, as long as
// no task is under way, and those that soon become one of them.
var takesMetadata = map[string]bool{
	"ACTIVE": true, "SHUTOFF": true, "PAUSED": true, "SUSPENDED": true,
	"REBOOT": true, "HARD_REBOOT": true, "PASSWORD": true, "MIGRATING": true,
}

// note notes that the drain begins, and removes the mark. The note comes first: a
// server with both is not in service. If Nova refuses the note, the metadata may be
// full, and the mark leaves room for it. The drain does not depend on it: in a status in
// which Nova takes no metadata there is none, and where it is refused again the warning
// says so.
func (d Drain) note(ctx context.Context, state openstack.State) (warning string, err error) {
	at := state.At
	if at.IsZero() {
		at = time.Now()
	}
	for began, freed := time.Now(), false; ; {
		err := d.Server.NoteDrain(ctx, at)
		refused := gophercloud.ResponseCodeIs(err, http.StatusForbidden) ||
			gophercloud.ResponseCodeIs(err, http.StatusBadRequest)
		if refused && freed {
			return fmt.Sprintf("%s is drained, and its metadata do not say so: %s.", d.Node, err), nil
		}
		if refused || (err == nil && state.Mark != "") {
			if err = d.Server.Unmark(ctx); err == nil && refused {
				freed = true
				continue
			}
		}
		switch {
		case err == nil, gophercloud.ResponseCodeIs(err, http.StatusNotFound): // gone, as the next look says
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
	underWay  power = iota // something goes on that ends in another status
	running                // can be stopped
	off                    // there is nothing left to stop
	unstopped              // Nova refuses to stop it
)

// powers are the statuses of Nova. In all others something is under way, such
// as REBOOT or MIGRATING.
var powers = map[string]power{
	"ACTIVE":            running,
	"ERROR":             running, // it may be: Nova takes a stop
	"":                  off,     // gone
	"SHUTOFF":           off,
	"SHELVED":           off,
	"SHELVED_OFFLOADED": off,
	"PAUSED":            unstopped,
	"SUSPENDED":         unstopped,
	"RESCUE":            unstopped,
	"VERIFY_RESIZE":     unstopped,
}

// shutDown stops the server and waits until it is off. It waits for what is under way
// before. A stop that Nova begins and that fails is asked for once more. The warning names
// a server that cannot be stopped.
func (d Drain) shutDown(ctx context.Context) (warning string, err error) {
	var refused error // of the last stop
	begun := 0        // stops
	for {
		state, err := d.Server.State(ctx)
		if err != nil {
			return "", err
		}
		status := state.Status
		switch powers[status] {
		case off:
			return "", nil
		case unstopped:
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
				gophercloud.ResponseCodeIs(refused, http.StatusNotFound): // deleted meanwhile, as the next look says
			case !gophercloud.ResponseCodeIs(refused, http.StatusConflict):
				return "", refused
			case state.Locked:
				return "", &LockedError{refused}
			case status == "ERROR":
				return d.notStopped(status, refused.Error()), nil
			}
			// A conflict: it stopped meanwhile, or another task goes on.
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

// failedStop says how the stops of a server failed that runs on. One in ERROR is left as it is.
func (d Drain) failedStop(ctx context.Context, status string) (warning string, err error) {
	why, err := d.Server.StopFailure(ctx)
	if err != nil {
		why = err.Error()
	}
	why = fmt.Sprintf("Nova began twice to stop it, and failed (%s)", cmp.Or(why, "it gives no reason"))
	if status == "ERROR" {
		return d.notStopped(status, why), nil
	}
	return "", fmt.Errorf("it is still %s: %s", status, why)
}

func (d Drain) notStopped(status, why string) string {
	return fmt.Sprintf("%s was not shut down, because it is %s: %s. It is left as it is.", d.Node, status, why)
}
