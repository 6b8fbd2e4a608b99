// Package hook does what must happen before a node goes: it tells a consumer
// and waits until that one is done, stops the server, and grants it a grace
// period. The order is that of Senlin's deletion policy with lifecycle hooks.
package hook

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Message is what a consumer gets. Its token tells it apart from all others:
// a message that comes again has the same one.
type Message struct {
	Token      string `json:"lifecycle_action_token"`
	NodeID     string `json:"node_id"` // id of the server
	Transition string `json:"lifecycle_transition_type"`
	Region     string `json:"region"`
	NodeName   string `json:"node_name,omitempty"`
	Cluster    string `json:"cluster,omitempty"`
}

// Termination is the transition of a node that goes.
const Termination = "termination"

// Hook tells a consumer about a node.
type Hook interface {
	// Run tells the consumer and waits until it is done or the context ends.
	// As soon as the message is out, it hands out a receipt; with the receipt of
	// an earlier attempt the consumer is not told again.
	Run(ctx context.Context, m Message, receipt string, out func(receipt string)) error
}

// Result says what happens where a hook fails or takes too long.
type Result string

// The results of a hook that does not complete.
const (
	Continue Result = "CONTINUE" // the node goes all the same
	Abandon  Result = "ABANDON"  // the node stays, with an error
)

// Server is what is done with the server of a node.
type Server interface {
	// Status is the server's status in Nova; "" when it is gone.
	Status(ctx context.Context) (string, error)
	// Stop asks Nova to shut the server down.
	Stop(ctx context.Context) error
}

// Drain says what must happen before a node goes.
type Drain struct {
	Server   Server
	Hook     Hook // nil: none
	Message  Message
	Timeout  time.Duration // of the hook
	Default  Result
	Shutdown bool
	Grace    time.Duration

	// Progress of an earlier attempt that was cut short; Run writes on.
	Receipt   string // of the message that is out
	Completed bool   // the hook is done with, one way or the other

	Poll time.Duration // between two looks at the server; 0: a second
}

// AbandonedError says that a hook did not complete, and the node stays.
type AbandonedError struct{ err error }

func (e *AbandonedError) Error() string { return e.err.Error() }
func (e *AbandonedError) Unwrap() error { return e.err }

// Run drains the node: the hook, then the shutdown, then the grace period in
// full. A server that is gone needs none of it. Where a hook fails and its
// default result is to go on, the warning says so. Cancelling the context ends
// every wait at once.
func (d *Drain) Run(ctx context.Context) (warning string, err error) {
	status, err := d.Server.Status(ctx)
	if err != nil || status == "" {
		return "", err
	}
	if d.Hook != nil && !d.Completed {
		if warning, err = d.runHook(ctx); err != nil {
			return "", err
		}
	}
	if d.Shutdown {
		if err := d.shutDown(ctx, status); err != nil {
			return warning, err
		}
	}
	return warning, sleep(ctx, d.Grace)
}

func (d *Drain) runHook(ctx context.Context) (warning string, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, d.Timeout, fmt.Errorf("not completed within %s", d.Timeout))
	defer cancel()
	err = d.Hook.Run(limited, d.Message, d.Receipt, func(receipt string) { d.Receipt = receipt })
	if err != nil && ctx.Err() != nil {
		return "", context.Cause(ctx) // cancelled, which is no result
	}
	if err != nil && limited.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
		err = context.Cause(limited)
	}
	if err != nil && d.Default == Abandon {
		return "", &AbandonedError{err}
	}
	d.Completed = true
	if err != nil {
		warning = fmt.Sprintf("The hook for the server %s did not complete, and the node goes all the same: %v.", d.Message.NodeID, err)
	}
	return warning, nil
}

// shutDown stops the server and waits until it is off.
func (d *Drain) shutDown(ctx context.Context, status string) error {
	poll := d.Poll
	if poll == 0 {
		poll = time.Second
	}
	if status == "ACTIVE" {
		if err := d.Server.Stop(ctx); err != nil {
			return fmt.Errorf("stop the server: %w", err)
		}
	}
	for status == "ACTIVE" {
		if err := sleep(ctx, poll); err != nil {
			return fmt.Errorf("wait for the server to stop: %w", err)
		}
		var err error
		if status, err = d.Server.Status(ctx); err != nil {
			return err
		}
	}
	return nil // SHUTOFF, or in a status in which nothing runs that could be stopped
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
