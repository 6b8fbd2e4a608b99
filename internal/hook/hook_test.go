package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func hang(ctx context.Context, _ Message) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestRun: the end of a run and the default result decide its error. An error is always an AbandonedError that wraps
// the consumer's own. Cancelling ends the run at once and does not count as a hook that failed, so the default result
// does not apply. The progress is kept.
func TestRun(t *testing.T) {
	const node = `The node "web-1" (server node-1, region R)`
	done := func(context.Context, Message) error { return nil }
	failed := errors.New("the consumer failed")
	failing := func(context.Context, Message) error { return failed }
	cut := func(context.Context, Message) error {
		return fmt.Errorf("ask the consumer: %w", context.DeadlineExceeded) // timeout of a request, before the hook's own
	}
	for _, c := range []struct {
		name    string
		hook    hook
		spec    Spec
		launch  bool
		cancel  time.Duration // time after which the user stops the run
		took    time.Duration
		warning string
		err     string
	}{
		{name: "it completes", hook: done},
		{name: "it fails, and go on", spec: Spec{Default: Continue}, hook: failing,
			warning: node + " counts as drained, because default_result is CONTINUE, although its hook did not complete: the consumer failed."},
		{name: "it fails, and a node that joins goes on", launch: true, spec: Spec{Default: Continue}, hook: failing,
			warning: node + " counts as ready, because"},
		{name: "it fails, and stay", hook: failing, err: node + ": the consumer failed"},
		{name: "it takes too long", spec: Spec{Timeout: 20 * time.Second}, hook: hang, took: 20 * time.Second, err: "not completed within 20s"},
		{name: "one request takes too long", hook: cut, err: node + ": ask the consumer: context deadline exceeded"},
		{name: "five minutes where nothing is said", hook: hang, took: 5 * time.Minute, err: "not completed within 5m0s"},
		{name: "too long, and go on", spec: Spec{Default: Continue, Timeout: 20 * time.Second}, hook: hang, took: 20 * time.Second,
			warning: "not completed within 20s"},
		{name: "it is stopped", spec: Spec{Default: Continue}, hook: hang, cancel: 30 * time.Second, took: 30 * time.Second, err: "stopped by the user"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if c.cancel > 0 {
					time.AfterFunc(c.cancel, func() { cancel(errors.New("stopped by the user")) })
				}
				var p Progress
				m := Message{NodeID: "node-1", NodeName: "web-1", Region: "R"}
				if c.launch {
					m.Transition = Launch
				}
				warning, err := c.spec.run(ctx, c.hook, m, &p)
				if _, abandoned := errors.AsType[*AbandonedError](err); abandoned != (err != nil && c.cancel == 0) ||
					strings.HasSuffix(c.err, failed.Error()) && !errors.Is(err, failed) {
					t.Errorf("got %v", err)
				}
				assert.Equal(t, c.took, time.Since(start), "it took")
				assert.Contains(t, warning, c.warning)
				assert.Equal(t, c.warning == "", warning == "", warning)
				assert.Contains(t, fmt.Sprint(err), cmp.Or(c.err, "<nil>"))
				assert.Equal(t, err == nil, p.Completed, "completed") // a hook that did not complete runs again
			})
		})
	}
}

// TestResumed: a completed hook does not run again for the same node, and runs for any other.
func TestResumed(t *testing.T) {
	spec := Spec{Type: Webhook, URL: "https://consumer.example/"}
	m := Message{NodeID: "node-1", Region: "R", Token: "t-1"}
	for _, c := range []struct {
		name   string
		change func(s *Spec, m *Message)
		runs   int
	}{
		{"the same", func(*Spec, *Message) {}, 0},
		{"another timeout and default result", func(s *Spec, _ *Message) { s.Timeout, s.Default = time.Hour, Continue }, 0},
		{"another name, for people", func(_ *Spec, m *Message) { m.NodeName = "web-7" }, 0},
		{"another argument", func(s *Spec, _ *Message) { s.URL += "other" }, 1},
		{"another region", func(_ *Spec, m *Message) { m.Region = "S" }, 1},
		{"another node", func(_ *Spec, m *Message) { m.NodeID = "node-2" }, 1},
		{"another transition", func(_ *Spec, m *Message) { m.Transition = Launch }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs := 0
			runner := &Runner{HTTP: &http.Client{Transport: inProcess{http.HandlerFunc(func(http.ResponseWriter, *http.Request) { runs++ })}}}
			var p Progress
			if _, err := runner.Run(t.Context(), spec, m, &p); err != nil || runs != 1 || !p.Completed {
				t.Fatalf("%v, %d runs, %+v", err, runs, p)
			}
			again, node := spec, m
			c.change(&again, &node)
			runs = 0
			if _, err := runner.Run(t.Context(), again, node, &p); err != nil || runs != c.runs || !p.Completed {
				t.Errorf("%v, %d runs, want %d, %+v", err, runs, c.runs, p)
			}
		})
	}
}

// TestCheck: arguments with which no hook can run are refused, and an address whose secrets others can read causes a
// warning. Neither text shows an argument that may be a secret.
func TestCheck(t *testing.T) {
	const refused, warned = "begins with https://", "everybody on the way can read them"
	url := func(address string) Spec { return Spec{Type: Webhook, URL: address} }
	runner := &Runner{HTTP: http.DefaultClient}
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{url("https://consumer.example/drain"), ""},
		{url("https://ann:secret@consumer.example/?key=secret"), ""},
		{url("http://consumer.example/drain"), ""},
		{url("http://ann:secret@consumer.example/"), warned},
		{url("http://consumer.example/?key=secret"), warned},
		{url("https://consumer.example:secret/"), refused},
		{url("https:///secret"), refused},
		{url("ftp://consumer.example/secret"), refused},
		{url("consumer.example/secret"), refused},
		{Spec{Type: Webhook}, refused},
	} {
		faults := c.spec.Check()
		assert.Len(t, faults, min(1, len(c.want)), "%v", c.spec)
		for _, fault := range faults {
			if fault.Warning != (c.want == warned) || fault.Argument != "url" || !strings.Contains(fault.Text, c.want) ||
				strings.Contains(fault.Text, "secret") {
				t.Errorf("%v: got %+v, want %q", c.spec, fault, c.want)
			}
		}
		err := runner.Check(c.spec)
		if (err != nil) != (c.want != "" && c.want != warned) || err != nil && !strings.Contains(err.Error(), "its hook cannot be run: ") {
			t.Errorf("%v: %v", c.spec, err)
		}
	}
}
