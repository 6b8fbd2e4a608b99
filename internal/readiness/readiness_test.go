package readiness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/probe"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/web"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// server is a server that takes the next of its statuses at each look, and stays in the last one; "-" is a server
// that is gone, and a number an error of Nova.
type server struct {
	mu       sync.Mutex
	statuses []string
	marking  []int // codes with which Nova refuses the first marks
	mark     string
	forgot   bool // reports whether the note of its drain was removed
	failed   bool // reports whether a wait ended without it
	marked   time.Time
	since    time.Time // time in its mark
	noted    time.Time // time at which a wait ended without it
	hangs    bool      // reports whether writing that note hangs
}

// behind is how far Nova's clock is behind ours.
const behind = time.Hour

func nova(code int) error {
	return fmt.Errorf("nova: %w", gophercloud.ErrUnexpectedResponseCode{Actual: code})
}

func (s *server) State(ctx context.Context) (openstack.State, error) {
	if s.statuses[0] == "hang" {
		<-ctx.Done()
		return openstack.State{}, fmt.Errorf("get the server: %w", ctx.Err())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.statuses[0]
	if len(s.statuses) > 1 {
		s.statuses = s.statuses[1:]
	}
	var code int
	if _, err := fmt.Sscanf(now, "%d", &code); err == nil {
		return openstack.State{}, nova(code)
	}
	return openstack.State{Status: strings.Trim(now, "-"), At: time.Now().Add(-behind)}, nil
}

func (s *server) NoteFailure(ctx context.Context, _ string, at time.Time) error {
	if s.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	s.noted = at
	return nil
}

func (s *server) ForgetFailure(context.Context) error {
	if s.mark != "" {
		return errors.New("it is marked already")
	}
	s.failed = false
	return nil
}

func (s *server) Mark(_ context.Context, mark string, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.marking) > 0 {
		code := s.marking[0]
		s.marking = s.marking[1:]
		return nova(code)
	}
	s.mark, s.marked, s.since = mark, time.Now(), at
	return nil
}

func (s *server) ForgetDrain(context.Context) error {
	if s.mark != "" {
		return errors.New("it is marked already")
	}
	s.forgot = true
	return nil
}

func nodes(servers ...*server) []Node {
	var list []Node
	for i, s := range servers {
		list = append(list, Node{Name: fmt.Sprintf("web-%d", i), ID: fmt.Sprintf("id-%d", i), Region: "R", Address: "127.0.0.1", Mark: "3", Server: s})
	}
	return list
}

// many are servers that go through the same statuses.
func many(n int, statuses ...string) (list []*server) {
	for range n {
		list = append(list, &server{statuses: statuses})
	}
	return list
}

// TestRun: what happens to one server, with a clock that is the test's own.
func TestRun(t *testing.T) {
	completes := func(context.Context, Node) (string, error) { return "", nil }
	for _, c := range []struct {
		name     string
		statuses string
		marking  []int
		hook     func(ctx context.Context, n Node) (warning string, err error)
		stable   time.Duration
		timeout  time.Duration // 0 means ten minutes
		took     time.Duration
		seen     string // last state; "" if it is in service
		warning  string
	}{
		{name: "active", statuses: "ACTIVE"},
		{name: "builds", statuses: "BUILD BUILD ACTIVE", took: time.Second + time.Second*3/2},
		{name: "never active", statuses: "BUILD", seen: "BUILD in Nova", took: 10 * time.Minute},
		{name: "Nova hangs", statuses: "hang", seen: "get the server: context deadline exceeded", took: 10 * time.Minute},
		{name: "Nova hangs after a while", statuses: "BUILD hang", seen: "BUILD in Nova", took: 10 * time.Minute},
		{name: "Nova hangs after it failed", statuses: "503 hang", seen: "nova: Expected HTTP response code", took: 10 * time.Minute},
		{name: "in error", statuses: "BUILD ERROR", seen: "ERROR in Nova", took: time.Second},
		{name: "gone", statuses: "-", seen: "the server is gone"},
		{name: "Nova fails for a while", statuses: "503 500 429 ACTIVE", took: time.Second + 1500*time.Millisecond + 2250*time.Millisecond},
		{name: "not marked while Nova does something else", statuses: "ACTIVE", marking: []int{409, 503}, took: time.Second + 1500*time.Millisecond},
		{name: "never marked", statuses: "ACTIVE", marking: []int{403}, seen: "nova: Expected HTTP response code"},
		{name: "stable", statuses: "ACTIVE", stable: 20 * time.Second, took: 20 * time.Second},
		// It is active at 1 s, and not at 2.5 s; then again from 4.75 s on.
		{name: "stable at the second attempt", statuses: "BUILD ACTIVE SHUTOFF ACTIVE", stable: 20 * time.Second, took: 24750 * time.Millisecond},
		{name: "not stable in time", statuses: "ACTIVE", stable: 20 * time.Second, timeout: 10 * time.Second, took: 10 * time.Second,
			seen: "all checks pass, but not for 20s yet"},
		{name: "stable after the hook", statuses: "ACTIVE", stable: 20 * time.Second, took: 50 * time.Second,
			hook: func(context.Context, Node) (string, error) { time.Sleep(30 * time.Second); return "", nil }},
		{name: "in error after the hook", statuses: "ACTIVE ERROR", stable: time.Second, took: time.Second, seen: "ERROR in Nova", hook: completes},
		{name: "the hook fails", statuses: "ACTIVE", seen: "exit status 1",
			hook: func(context.Context, Node) (string, error) { return "", errors.New("exit status 1") }},
		{name: "the hook does not count", statuses: "ACTIVE", warning: "it went on anyway",
			hook: func(context.Context, Node) (string, error) { return "it went on anyway", nil }},
		{name: "the hook takes longer than all", statuses: "ACTIVE", seen: "its hook has not completed", took: 10 * time.Minute,
			hook: func(ctx context.Context, _ Node) (string, error) {
				<-ctx.Done()
				return "", context.Cause(ctx)
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				runs := 0
				s := &server{statuses: strings.Fields(c.statuses), marking: c.marking}
				w := &Waiter{StableFor: c.stable, Timeout: c.timeout}
				if w.Timeout == 0 {
					w.Timeout = 10 * time.Minute
				}
				if c.hook != nil {
					w.Hook = func(ctx context.Context, n Node) (string, error) { runs++; return c.hook(ctx, n) }
				}
				start := time.Now()
				warnings, err := w.Run(t.Context(), nodes(s))
				assert.Equal(t, c.took, time.Since(start), "it took")
				assert.LessOrEqual(t, runs, 1, "runs of the hook")
				assert.Equal(t, c.warning, strings.Join(warnings, ""), "warnings")
				looked := s.statuses[len(s.statuses)-1] == "ACTIVE" && !strings.Contains(c.statuses, "503")
				if noted := !s.noted.IsZero(); noted != (c.seen != "" && looked) || noted && s.noted.After(time.Now().Add(-behind)) {
					t.Errorf("noted as not in service at %s", s.noted)
				}
				assert.True(t, c.seen != "" || s.since.Equal(s.marked.Add(-behind)), "in service since %s, marked at %s", s.since, s.marked)
				failed, isFailure := errors.AsType[*notReadyError](err)
				switch {
				case c.seen == "" && (err != nil || s.mark != "3"):
					t.Errorf("got %v, mark %q", err, s.mark)
				case c.seen != "" && (!isFailure || s.mark != "" || !strings.Contains(failed.failures[0].seen, c.seen)):
					t.Errorf("got %v, mark %q, want %q", err, s.mark, c.seen)
				}
			})
		})
	}
}

// TestRunMany: all nodes are waited for at the same time, those that pass are marked at once, and the error names the
// others.
func TestRunMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		servers := many(200, "BUILD", "ACTIVE")
		servers[7].statuses, servers[150].statuses = []string{"BUILD"}, []string{"BUILD", "ERROR"}
		start := time.Now()
		_, err := (&Waiter{Timeout: time.Hour}).Run(t.Context(), nodes(servers...))
		const want = `2 of 200 servers that this apply checked are not in service:
  - web-150 (server id-150, region R): ERROR in Nova
  - web-7 (server id-7, region R): BUILD in Nova`
		assert.EqualError(t, err, want)
		assert.Equal(t, time.Hour, time.Since(start))
		for i, s := range servers {
			if bad := i == 7 || i == 150; !bad && s.marked.Sub(start) != time.Second || bad && s.mark != "" {
				t.Errorf("server %d: marked %q after %s", i, s.mark, s.marked.Sub(start))
			}
		}
	})
}

// TestNotesEnd: a Nova that does not answer the notes delays the wait by half a minute, however many servers there
// are, and the error remains the one about the servers. It names only as many as people read.
func TestNotesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := &Waiter{Timeout: time.Minute, Hook: func(context.Context, Node) (string, error) { return "", errors.New("no") }}
		servers := many(90, "ACTIVE")
		for _, s := range servers {
			s.hangs = true
		}
		_, err := w.Run(t.Context(), nodes(servers...))
		failed, ok := errors.AsType[*notReadyError](err)
		said := map[string]int{}
		for _, f := range failed.failures {
			said[f.seen]++
		}
		want := map[string]int{"no": 90 - looksAtOnce, "no; and this could not be noted: context deadline exceeded": looksAtOnce}
		if !ok || !maps.Equal(said, want) || time.Since(start) != 90*time.Second {
			t.Errorf("after %s: %v, %v", time.Since(start), said, err)
		}
		assert.Equal(t, 51, strings.Count(err.Error(), "\n"), "lines")
		assert.True(t, strings.HasSuffix(err.Error(), "\n  - and 40 more"), err)
	})
}

// TestCancel: Ctrl-C ends all waiting at once, whatever is waited for.
func TestCancel(t *testing.T) {
	stop := errors.New("stopped by the user")
	hang := func(ctx context.Context, _ Node) (string, error) { <-ctx.Done(); return "", ctx.Err() }
	for name, c := range map[string]struct {
		status string
		waiter Waiter
	}{
		"for Nova":        {"BUILD", Waiter{}},
		"for stability":   {"ACTIVE", Waiter{StableFor: time.Minute}},
		"for a hook":      {"ACTIVE", Waiter{Hook: hang}},
		"for an old mark": {"500", Waiter{}},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(17*time.Second, func() { cancel(stop) })
			start := time.Now()
			c.waiter.Timeout = time.Hour
			passed := &server{statuses: []string{"ACTIVE"}}
			_, err := c.waiter.Run(ctx, nodes(append(many(100, c.status), passed)...))
			if !errors.Is(err, stop) || time.Since(start) != 17*time.Second || !strings.Contains(err.Error(), "not in service yet: web-0, web-1, web-10,") {
				t.Errorf("%s: %v after %s", name, err, time.Since(start))
			}
			if name == "for Nova" && (passed.mark != "3" || strings.Contains(err.Error(), "web-100")) {
				t.Errorf("%s: the one that passed has the mark %q: %v", name, passed.mark, err)
			}
		})
	}
}

// TestBounded: few servers are looked at at the same time, however many there are.
func TestBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, most := 0, 0
		hook := func(context.Context, Node) (string, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			now--
			mu.Unlock()
			return "", nil
		}
		_, err := (&Waiter{Timeout: time.Hour, Hook: hook}).Run(t.Context(), nodes(many(100, "ACTIVE")...))
		assert.NoError(t, err)
		assert.Equal(t, hooksAtOnce, most, "at once")
	})
}

// TestProgress: a change is reported at once, and an unchanged state once a minute.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		statuses := slices.Concat([]string{"BUILD", "BUILD"}, slices.Repeat([]string{"SHUTOFF"}, 20), []string{"ACTIVE"})
		var lines []string
		w := &Waiter{Timeout: time.Hour, Progress: func(n Node, seen string) { lines = append(lines, n.Name+": "+seen) }}
		_, err := w.Run(t.Context(), nodes(&server{statuses: statuses}))
		require.NoError(t, err)
		off := slices.Repeat([]string{"web-0: SHUTOFF in Nova"}, 6) // one each 30 seconds
		assert.Equal(t, slices.Concat([]string{"web-0: BUILD in Nova"}, off, []string{"web-0: in service"}), lines)
	})
}

func TestRefused(t *testing.T) {
	for code, want := range map[int]bool{http.StatusForbidden: true, http.StatusNotFound: true, http.StatusBadRequest: true,
		http.StatusConflict: false, http.StatusTooManyRequests: false, http.StatusInternalServerError: false, http.StatusServiceUnavailable: false} {
		assert.Equal(t, want, refused(nova(code)), "%d", code)
	}
	assert.False(t, refused(errors.New("connection reset")), "a lost connection is no refusal")
}

// TestNotesForgotten: the notes of a drain and of a failed wait are removed before the server is marked, and nothing
// is removed if there is no note.
func TestNotesForgotten(t *testing.T) {
	for _, drained := range []bool{false, true} {
		for _, failed := range []bool{false, true} {
			s := &server{statuses: []string{"ACTIVE"}, failed: true}
			list := nodes(s)
			list[0].Drained, list[0].Failed = drained, failed
			_, err := (&Waiter{Timeout: time.Minute}).Run(t.Context(), list)
			if err != nil || s.mark != "3" || s.forgot != drained || s.failed == failed {
				t.Errorf("drained %t, failed %t: %v, got %+v", drained, failed, err, s)
			}
		}
	}
}

// TestToken: a server has one token for each mark, and no other server has it.
func TestToken(t *testing.T) {
	n := Node{Name: "web-0", ID: "id", Region: "R", Mark: "3"}
	seen := map[string]bool{n.Token(): true}
	assert.True(t, seen[(Node{ID: "id", Region: "R", Mark: "3", Address: "10.0.0.1"}).Token()])
	assert.Len(t, n.Token(), 26)
	for _, other := range []Node{{ID: "id", Region: "R", Mark: "4"}, {ID: "id2", Region: "R", Mark: "3"}, {ID: "id", Region: "S", Mark: "3"}} {
		assert.False(t, seen[other.Token()], "%+v has a token of another", other)
		seen[other.Token()] = true
	}
}

// TestWaiterChecks: a server that starts to answer is waited for and marked; the error names one that never does,
// with its last state.
func TestWaiterChecks(t *testing.T) {
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) < 4 {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	defer s.Close()
	port := int64(s.Listener.Addr().(*net.TCPAddr).Port)
	u, _ := probe.ParseURL(fmt.Sprintf("http://{address}:%d/", port))
	starting := &server{statuses: []string{"ACTIVE"}}
	w := &Waiter{HTTP: &probe.HTTP{URL: u, Status: probe.Statuses{{200, 299}}, Client: web.NewClient(nil, time.Minute)}, TCP: &probe.TCP{Port: port},
		Timeout: 5 * time.Second, poll: time.Millisecond}
	if _, err := w.Run(t.Context(), nodes(starting)); err != nil || starting.mark != "3" || asked.Load() != 4 {
		t.Errorf("%v, mark %q, asked %d times", err, starting.mark, asked.Load())
	}
	s.Close()
	w.Timeout = 50 * time.Millisecond
	never := &server{statuses: []string{"ACTIVE"}}
	if _, err := w.Run(t.Context(), nodes(never)); err == nil || never.mark != "" ||
		!strings.Contains(err.Error(), "web-0 (server id-0, region R): no connection to 127.0.0.1:") {
		t.Errorf("%v, mark %q", err, never.mark)
	}
}

func named(list ...Node) map[string]Node {
	nodes := map[string]Node{}
	for _, n := range list {
		nodes[n.Name] = n
	}
	return nodes
}

func TestPending(t *testing.T) {
	wanted := named(
		Node{Name: "marked", Region: "R", ID: "1", Mark: "2"},
		Node{Name: "unmarked", Region: "R", ID: "2", Mark: "1"},
		Node{Name: "of another mark", Region: "R", ID: "3", Mark: "2"},
		Node{Name: "gone", Region: "R", ID: "4", Mark: "1"},
		Node{Name: "of another region", Region: "S", ID: "1", Mark: "2"},
		Node{Name: "drained", Region: "R", ID: "7", Mark: "1"},
		Node{Name: "in a cell that is down", Region: "R", ID: "6", Mark: "1"},
		Node{Name: "unknown, and seen", Region: "R", ID: "8", Mark: "1"},
	)
	snapshot := []node.Node{
		{Region: "R", ID: "1", InService: "2"}, {Region: "R", ID: "2"}, {Region: "R", ID: "3", InService: "1"}, {Region: "R", ID: "5", InService: "9"},
		{Region: "R", ID: "6", Status: "UNKNOWN"},
		{Region: "R", ID: "7", InService: "1", Drained: true}, {Region: "R", ID: "8", Name: "web-8", Status: "UNKNOWN"},
	}
	assert.Equal(t, []string{"drained", "gone", "of another mark", "of another region", "unknown, and seen", "unmarked"}, Pending(wanted, snapshot))
	assert.Equal(t, []string{}, Pending(nil, nil))
}

func TestOvertaken(t *testing.T) {
	a, b, c := Node{Name: "a", Region: "R", ID: "1"}, Node{Name: "b", Region: "R", ID: "2"}, Node{Name: "c", Region: "R", ID: "3"}
	again := Node{Name: "a", Region: "R", ID: "9", Mark: "2"}
	servers := func(ids ...string) (list []node.Node) {
		for _, id := range ids {
			list = append(list, node.Node{Region: "R", ID: id})
		}
		return list
	}
	for _, s := range []struct {
		name          string
		before, after map[string]Node
		unsure        []string
		snapshot      []node.Node
		want          []string
		untouched     bool
	}{
		{name: "replaced, and the old one is there", before: named(a, b), after: named(b, c), snapshot: servers("1", "2", "3"), untouched: true},
		{name: "replaced, and the old one is drained", before: named(a, b), after: named(b, c),
			snapshot: append(servers("2", "3"), node.Node{Region: "R", ID: "1", Drained: true}), want: []string{"a"}},
		{name: "replaced, and the old one is gone", before: named(a, b), after: named(b, c), snapshot: servers("2", "3"), want: []string{"a"}},
		{name: "replaced under its name, and the old one is gone", before: named(a, b), after: named(again, b), snapshot: servers("2", "9")},
		{name: "the same, and a node comes", before: named(a, b), after: named(again, b, c), snapshot: servers("2", "3", "9")},
		{name: "the same, and a node leaves", before: named(a, b), after: named(again), snapshot: servers("9")},
		{name: "it was killed before, or not in service", before: named(a, b), after: named(b, c), unsure: []string{"a"}, snapshot: servers("2", "3")},
		{name: "a shrink waits for no one", before: named(a, b), after: named(b), snapshot: servers("2")},
		{name: "growth", before: named(a), after: named(a, b), snapshot: servers("1", "2")},
		{name: "a node that stays and is gone", before: named(a, b), after: named(a, b, c), snapshot: servers("2", "3")},
		{name: "the first nodes", after: named(a, b), snapshot: servers("1", "2")},
	} {
		for range 20 { // maps have another order each time
			names, untouched := Overtaken(s.before, s.after, s.unsure, s.snapshot)
			require.Equal(t, s.want, names, s.name)
			require.Equal(t, s.untouched, untouched, s.name)
		}
	}
}
