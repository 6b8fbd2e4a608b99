// Package drain does what must happen before a node leaves a cluster: its hook,
// the shutdown of its server, and the grace period. The order is that of
// Senlin's deletion policy with lifecycle hooks.
package drain

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

// Server is what is done with the server of a node.
type Server interface {
	// Status is the server's status in Nova; "" when it is gone.
	Status(ctx context.Context) (string, error)
	// Stop asks Nova to shut the server down.
	Stop(ctx context.Context) error
}

// Drain is what must happen before a node leaves.
type Drain struct {
	Node     string // in words, at the beginning of a sentence
	Server   Server
	Hook     func(ctx context.Context) (warning string, err error) // nil: none
	Shutdown bool
	Grace    time.Duration

	poll time.Duration // between two looks at the server; 0: a second
}

// Run drains the node: the hook, then the shutdown, then the grace period in
// full. A server that is gone needs none of it, and is looked at before and
// after the hook. The warnings are what somebody should know though the node
// may leave. Cancelling the context ends every wait at once.
func (d Drain) Run(ctx context.Context) (warnings []string, err error) {
	if gone, err := d.gone(ctx); gone || err != nil {
		return nil, err
	}
	if d.Hook != nil {
		warning, err := d.Hook(ctx)
		if err != nil {
			return nil, err
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
		if gone, err := d.gone(ctx); gone || err != nil {
			return warnings, err
		}
	}
	if d.Shutdown {
		warning, err := d.shutDown(ctx)
		if warning != "" {
			warnings = append(warnings, warning)
		}
		if err != nil {
			return warnings, err
		}
	}
	if d.Grace > 0 {
		if err := wait.For(ctx, d.Grace); err != nil {
			return warnings, fmt.Errorf("wait for the grace period of %s: %w", d.Grace, err)
		}
	}
	return warnings, nil
}

func (d Drain) gone(ctx context.Context) (bool, error) {
	status, err := d.Server.Status(ctx)
	return err == nil && status == "", err
}

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

// shutDown stops the server and waits until it is off. It waits for what is
// under way before. The warning names a server that cannot be stopped.
func (d Drain) shutDown(ctx context.Context) (warning string, err error) {
	var refused error // of the last stop
	stopped := false
	for {
		status, err := d.Server.Status(ctx)
		if err != nil {
			return "", err
		}
		switch powers[status] {
		case off:
			return "", nil
		case unstopped:
			return d.notStopped(status, "in this status Nova stops no server"), nil
		case running:
			if stopped {
				break
			}
			refused = d.Server.Stop(ctx)
			stopped = refused == nil
			switch {
			case stopped, gophercloud.ResponseCodeIs(refused, http.StatusNotFound): // deleted meanwhile, as the next look says
			case !gophercloud.ResponseCodeIs(refused, http.StatusConflict):
				return "", refused
			case status == "ERROR":
				return d.notStopped(status, refused.Error()), nil
			}
			// A conflict: it stopped meanwhile, or another task goes on.
		}
		if err := wait.For(ctx, cmp.Or(d.poll, time.Second)); err != nil {
			err = fmt.Errorf("wait for the server, which is %s, to stop: %w", status, err)
			if refused != nil {
				err = fmt.Errorf("%w; the last answer to the request to stop it: %w", err, refused)
			}
			return "", err
		}
	}
}

func (d Drain) notStopped(status, why string) string {
	return fmt.Sprintf("%s was not shut down, because it is %s: %s. It is removed as it is.", d.Node, status, why)
}
