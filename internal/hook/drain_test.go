package hook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"
)

// server is a server that goes through its statuses, one a look, and stays in
// the last one. A status with a ! is the first of those after a stop, and - is
// a server that is gone.
type server struct {
	statuses []string
	stopErrs []error // one a stop, the last one for ever; none: it is accepted
	log      *[]string
	looks    int
	stops    int
}

func (s *server) Status(context.Context) (string, error) {
	if s.looks++; s.looks > 1 && len(s.statuses) > 1 && (!strings.HasPrefix(s.statuses[1], "!") || s.stops > 0) {
		s.statuses = s.statuses[1:]
	}
	return strings.Trim(s.statuses[0], "!-"), nil
}

func (s *server) Stop(context.Context) error {
	s.stops++
	*s.log = append(*s.log, "stop")
	if len(s.stopErrs) == 0 {
		return nil
	}
	return s.stopErrs[min(s.stops, len(s.stopErrs))-1]
}

// with runs the test with a hook type that does as the function says.
func with(t *testing.T, run func(ctx context.Context, m Message, p *Progress) error) {
	t.Helper()
	was := types
	types = append(Types(), Type{Name: "test", Arguments: zaqarType.Arguments, make: func(*Runner, Spec) (Hook, error) { return hookFunc(run), nil }})
	t.Cleanup(func() { types = was })
}

type hookFunc func(ctx context.Context, m Message, p *Progress) error

func (f hookFunc) Run(ctx context.Context, m Message, p *Progress) error { return f(ctx, m, p) }

func hang(ctx context.Context, _ Message, p *Progress) error {
	p.Receipt = "r-1"
	<-ctx.Done()
	return ctx.Err()
}

func done(context.Context, Message, *Progress) error { return nil }

func answered(code int) error {
	return fmt.Errorf("stop: %w", gophercloud.ErrUnexpectedResponseCode{Actual: code})
}

func TestDrain(t *testing.T) {
	failing := func(context.Context, Message, *Progress) error { return errors.New("the consumer failed") }
	refused := func(codes ...int) (errs []error) {
		for _, code := range codes {
			if errs = append(errs, nil); code != 0 {
				errs[len(errs)-1] = answered(code)
			}
		}
		return errs
	}
	const node = `The node "web-1" (server node-1, region R)`
	for _, c := range []struct {
		name     string
		statuses string
		drain    Drain
		hook     hookFunc
		spec     Spec
		stopErrs []error
		events   string // what happened, in turn
		took     time.Duration
		warning  string
		err      string
	}{
		{name: "nothing asked", statuses: "ACTIVE"},
		{name: "a server that is gone needs nothing", statuses: "-", hook: hang, drain: Drain{Shutdown: true, Grace: time.Hour}},
		{name: "hook, shutdown and grace, in that order", statuses: "ACTIVE ACTIVE ACTIVE !ACTIVE ACTIVE SHUTOFF", drain: Drain{Shutdown: true, Grace: time.Minute},
			hook: done, events: "hook stop", took: time.Minute + 3*time.Second},
		{name: "the hook is slow, and the grace period is in full", statuses: "ACTIVE", drain: Drain{Grace: time.Minute}, spec: Spec{Timeout: time.Hour},
			hook: func(context.Context, Message, *Progress) error { time.Sleep(2 * time.Minute); return nil }, events: "hook", took: 3 * time.Minute},
		{name: "gone after the hook", statuses: "ACTIVE -", drain: Drain{Shutdown: true, Grace: time.Hour}, hook: done, events: "hook"},
		{name: "stopped by the hook", statuses: "ACTIVE SHUTOFF", drain: Drain{Shutdown: true, Grace: time.Second}, hook: done, events: "hook", took: time.Second},
		{name: "a server that is off is not stopped", statuses: "SHUTOFF", drain: Drain{Shutdown: true}},
		{name: "nor one that is shelved", statuses: "SHELVED_OFFLOADED", drain: Drain{Shutdown: true}},
		{name: "one that reboots is stopped after that", statuses: "REBOOT REBOOT REBOOT ACTIVE !SHUTOFF", drain: Drain{Shutdown: true}, events: "stop", took: 3 * time.Second},
		{name: "one that migrates is deleted meanwhile", statuses: "MIGRATING MIGRATING -", drain: Drain{Shutdown: true}, took: time.Second},
		{name: "a new status of Nova's is waited for", statuses: "SINGING SINGING SHUTOFF", drain: Drain{Shutdown: true}, took: time.Second},
		{name: "one in error is stopped", statuses: "ERROR !SHUTOFF", drain: Drain{Shutdown: true}, events: "stop", took: time.Second},
		{name: "one in error that cannot be", statuses: "ERROR", stopErrs: refused(409), drain: Drain{Shutdown: true, Grace: time.Second}, events: "stop", took: time.Second,
			warning: node + " was not shut down, because it is ERROR: stop: "},
		{name: "one that is paused cannot be", statuses: "PAUSED", drain: Drain{Shutdown: true}, warning: node + " was not shut down, because it is PAUSED: in this status Nova stops no server. It is removed as it is."},
		{name: "paused after a reboot", statuses: "REBOOT REBOOT PAUSED", drain: Drain{Shutdown: true}, took: time.Second, warning: "because it is PAUSED"},
		{name: "it stopped meanwhile", statuses: "ACTIVE ACTIVE SHUTOFF", stopErrs: refused(409), drain: Drain{Shutdown: true}, events: "stop", took: time.Second},
		{name: "it was deleted meanwhile", statuses: "ACTIVE ACTIVE -", stopErrs: refused(404), drain: Drain{Shutdown: true}, events: "stop", took: time.Second},
		{name: "another task goes on for a while", statuses: "ACTIVE ACTIVE ACTIVE ACTIVE SHUTOFF", stopErrs: refused(409, 409, 0), drain: Drain{Shutdown: true}, events: "stop stop stop", took: 3 * time.Second},
		{name: "a stop that is refused", statuses: "ACTIVE", drain: Drain{Shutdown: true}, stopErrs: refused(403), events: "stop", err: "stop: "},
		{name: "a hook that fails, and go on", statuses: "ACTIVE !SHUTOFF", spec: Spec{Default: Continue}, drain: Drain{Shutdown: true},
			hook: failing, events: "hook stop", took: time.Second, warning: node + " is removed anyway, because default_result is CONTINUE, although its hook did not complete: the consumer failed."},
		{name: "a hook that fails, and stay", statuses: "ACTIVE", drain: Drain{Shutdown: true}, hook: failing, events: "hook", err: node + ": the consumer failed"},
		{name: "a hook that takes too long", statuses: "ACTIVE", spec: Spec{Timeout: 20 * time.Second}, hook: hang, events: "hook", took: 20 * time.Second, err: "not completed within 20s"},
		{name: "five minutes where nothing is said", statuses: "ACTIVE", hook: hang, events: "hook", took: 5 * time.Minute, err: "not completed within 5m0s"},
		{name: "too long, and go on", statuses: "ACTIVE", spec: Spec{Default: Continue, Timeout: 20 * time.Second}, hook: hang, events: "hook", took: 20 * time.Second, warning: "not completed within 20s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log []string
			d := c.drain
			d.Server = &server{statuses: strings.Fields(c.statuses), stopErrs: c.stopErrs, log: &log}
			d.Message, d.Runner = Message{NodeID: "node-1", NodeName: "web-1", Region: "R"}, &Runner{}
			if c.hook != nil {
				d.Hook = &c.spec
				d.Hook.Type, d.Hook.Arguments = "test", map[string][]string{"queue": {"q"}}
				with(t, func(ctx context.Context, m Message, p *Progress) error {
					log = append(log, "hook")
					return c.hook(ctx, m, p)
				})
			}
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				warnings, err := d.Run(t.Context())
				if took := time.Since(start); took != c.took {
					t.Errorf("took %s, want %s", took, c.took)
				}
				if got := strings.Join(log, " "); got != c.events {
					t.Errorf("happened: %q, want %q", got, c.events)
				}
				if warning := strings.Join(warnings, "|"); !strings.Contains(warning, c.warning) || (warning == "") != (c.warning == "") {
					t.Errorf("warning %q, want %q", warning, c.warning)
				}
				if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q", err, c.err)
				}
			})
		})
	}
}

// TestDrainResumed: what was done is not done again, if it was done for the
// same hook and node.
func TestDrainResumed(t *testing.T) {
	spec := Spec{Type: "test", Arguments: map[string][]string{"queue": {"q"}}}
	m := Message{NodeID: "node-1", Region: "R", Token: "t-1"}
	for _, c := range []struct {
		name   string
		change func(s *Spec, m *Message)
		runs   int
	}{
		{"the same", func(*Spec, *Message) {}, 0},
		{"another timeout and default result", func(s *Spec, _ *Message) { s.Timeout, s.Default = time.Hour, Continue }, 0},
		{"another name, for people", func(_ *Spec, m *Message) { m.NodeName = "web-7" }, 0},
		{"another queue", func(s *Spec, _ *Message) { s.Arguments = map[string][]string{"queue": {"r"}} }, 1},
		{"another region", func(_ *Spec, m *Message) { m.Region = "S" }, 1},
		{"another node", func(_ *Spec, m *Message) { m.NodeID = "node-2" }, 1},
		{"another transition", func(_ *Spec, m *Message) { m.Transition = Launch }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs := 0
			with(t, func(_ context.Context, _ Message, p *Progress) error {
				if runs++; p.Receipt != "" {
					t.Errorf("it begins with the receipt %q of another hook", p.Receipt)
				}
				p.Receipt = "r-1"
				return nil
			})
			var p Progress // that has the first receipt
			if _, err := (&Runner{}).Run(t.Context(), spec, m, &p); err != nil || runs != 1 || !p.Completed {
				t.Fatalf("%v, %d runs, %+v", err, runs, p)
			}
			again, node := spec, m
			c.change(&again, &node)
			runs = 0
			if _, err := (&Runner{}).Run(t.Context(), again, node, &p); err != nil || runs != c.runs || !p.Completed {
				t.Errorf("%v, %d runs, want %d, %+v", err, runs, c.runs, p)
			}
		})
	}
}

// TestCancel: cancelling ends every wait at once, and is not taken for a hook
// that failed: nothing goes on by default. What was sent is remembered.
func TestCancel(t *testing.T) {
	with(t, hang)
	queue := map[string][]string{"queue": {"q"}}
	for name, d := range map[string]*Drain{
		"in the hook":     {Hook: &Spec{Type: "test", Arguments: queue, Default: Continue}, Shutdown: true},
		"in the shutdown": {Shutdown: true, poll: time.Hour},
		"in the grace":    {Grace: time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log []string
			d.Server, d.Runner = &server{statuses: []string{"ACTIVE"}, log: &log}, &Runner{}
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := errors.New("stopped by the user")
			time.AfterFunc(30*time.Second, func() { cancel(stop) })
			start := time.Now()
			_, err := d.Run(ctx)
			if !errors.Is(err, stop) || time.Since(start) != 30*time.Second {
				t.Errorf("%s: got %v after %s", name, err, time.Since(start))
			}
			if name == "in the hook" && (d.Progress.Receipt != "r-1" || d.Progress.Completed || len(log) > 0) {
				t.Errorf("%s: %+v, happened %v", name, d.Progress, log)
			}
		})
	}
}

// TestLaunch: the words are those of a node that joins.
func TestLaunch(t *testing.T) {
	with(t, func(context.Context, Message, *Progress) error { return answered(http.StatusTeapot) })
	m := Message{NodeID: "node-1", NodeName: "web-1", Region: "R", Transition: Launch}
	queue := map[string][]string{"queue": {"q"}}
	warning, err := (&Runner{}).Run(t.Context(), Spec{Type: "test", Arguments: queue, Default: Continue}, m, &Progress{})
	if err != nil || !strings.HasPrefix(warning, `The node "web-1" (server node-1, region R) counts as ready anyway`) {
		t.Errorf("%q, %v", warning, err)
	}
	_, err = (&Runner{}).Run(t.Context(), Spec{Type: "test", Arguments: queue, Default: Abandon}, m, &Progress{})
	if _, abandoned := errors.AsType[*AbandonedError](err); !abandoned || !gophercloud.ResponseCodeIs(err, http.StatusTeapot) {
		t.Errorf("got %v", err)
	}
}
