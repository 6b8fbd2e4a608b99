package hook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// server is a server whose status changes when it is stopped.
type server struct {
	status  string
	stops   int
	looks   int
	stopErr error
	log     *[]string
}

func (s *server) Status(context.Context) (string, error) {
	s.looks++
	if s.stops > 0 && s.looks > 3 {
		s.status = "SHUTOFF"
	}
	return s.status, nil
}

func (s *server) Stop(context.Context) error {
	s.stops++
	*s.log = append(*s.log, "stop")
	return s.stopErr
}

type hookFunc func(ctx context.Context, m Message, receipt string, out func(string)) error

func (f hookFunc) Run(ctx context.Context, m Message, receipt string, out func(string)) error {
	return f(ctx, m, receipt, out)
}

func TestDrain(t *testing.T) {
	failing := errors.New("the consumer failed")
	hang := func(ctx context.Context, _ Message, _ string, out func(string)) error {
		out("r-1")
		<-ctx.Done()
		return ctx.Err()
	}
	for _, c := range []struct {
		name    string
		status  string
		drain   Drain
		hook    hookFunc
		stopErr error
		events  string // what happened, in turn
		warning string
		err     string
	}{
		{name: "nothing asked", status: "ACTIVE"},
		{name: "a server that is gone needs nothing", hook: hang, drain: Drain{Shutdown: true, Grace: time.Hour}},
		{name: "hook, shutdown and grace, in that order", status: "ACTIVE", drain: Drain{Shutdown: true, Grace: time.Millisecond},
			hook: func(context.Context, Message, string, func(string)) error { return nil }, events: "hook stop"},
		{name: "a server that is off is not stopped", status: "SHUTOFF", drain: Drain{Shutdown: true}},
		{name: "nor one in error", status: "ERROR", drain: Drain{Shutdown: true}},
		{name: "a stop that is refused", status: "ACTIVE", drain: Drain{Shutdown: true}, stopErr: errors.New("locked"), events: "stop", err: "stop the server: locked"},
		{name: "a hook that fails, and go on", status: "ACTIVE", drain: Drain{Default: Continue, Shutdown: true},
			hook: func(context.Context, Message, string, func(string)) error { return failing }, events: "hook stop", warning: "goes all the same: the consumer failed."},
		{name: "a hook that fails, and stay", status: "ACTIVE", drain: Drain{Default: Abandon, Shutdown: true},
			hook: func(context.Context, Message, string, func(string)) error { return failing }, events: "hook", err: "the consumer failed"},
		{name: "a hook that takes too long", status: "ACTIVE", drain: Drain{Default: Abandon, Timeout: 20 * time.Millisecond}, hook: hang, events: "hook", err: "not completed within 20ms"},
		{name: "too long, and go on", status: "ACTIVE", drain: Drain{Default: Continue, Timeout: 20 * time.Millisecond}, hook: hang, events: "hook", warning: "not completed within 20ms"},
		{name: "a hook that is done with", status: "ACTIVE", drain: Drain{Completed: true, Shutdown: true}, hook: hang, events: "stop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log []string
			d := c.drain
			d.Server = &server{status: c.status, stopErr: c.stopErr, log: &log}
			d.Message.NodeID, d.Poll = "node-1", time.Millisecond
			if d.Timeout == 0 {
				d.Timeout = time.Minute
			}
			if c.hook != nil {
				d.Hook = hookFunc(func(ctx context.Context, m Message, receipt string, out func(string)) error {
					log = append(log, "hook")
					return c.hook(ctx, m, receipt, out)
				})
			}
			warning, err := d.Run(t.Context())
			if got := strings.Join(log, " "); got != c.events {
				t.Errorf("happened: %q, want %q", got, c.events)
			}
			if !strings.Contains(warning, c.warning) || (warning == "") != (c.warning == "") {
				t.Errorf("warning %q, want %q", warning, c.warning)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		})
	}
}

// TestGraceInFull: the grace period begins after the hook, however long that was.
func TestGraceInFull(t *testing.T) {
	d := Drain{Server: &server{status: "ACTIVE"}, Timeout: time.Minute, Grace: 80 * time.Millisecond,
		Hook: hookFunc(func(context.Context, Message, string, func(string)) error {
			time.Sleep(100 * time.Millisecond)
			return nil
		})}
	start := time.Now()
	if _, err := d.Run(t.Context()); err != nil || time.Since(start) < 180*time.Millisecond {
		t.Errorf("%v after %s", err, time.Since(start))
	}
}

// TestCancel: cancelling ends every wait at once, and is not taken for a hook
// that failed: nothing goes on by default. What was sent is remembered.
func TestCancel(t *testing.T) {
	hang := hookFunc(func(ctx context.Context, _ Message, _ string, out func(string)) error {
		out("r-1")
		<-ctx.Done()
		return ctx.Err()
	})
	for name, d := range map[string]*Drain{
		"in the hook":     {Hook: hang, Default: Continue, Shutdown: true},
		"in the shutdown": {Shutdown: true, Poll: time.Hour},
		"in the grace":    {Grace: time.Hour},
	} {
		var log []string
		d.Server, d.Timeout = &server{status: "ACTIVE", log: &log}, time.Hour
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stopped by the user")
		time.AfterFunc(30*time.Millisecond, func() { cancel(stop) })
		start := time.Now()
		_, err := d.Run(ctx)
		if !errors.Is(err, stop) || time.Since(start) > time.Second {
			t.Errorf("%s: got %v after %s", name, err, time.Since(start))
		}
		if name == "in the hook" && (d.Receipt != "r-1" || d.Completed || fmt.Sprint(log) != "[]") {
			t.Errorf("%s: receipt %q, completed %t, happened %v", name, d.Receipt, d.Completed, log)
		}
	}
}
