package drain

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

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stretchr/testify/assert"
)

// server is a server that takes the next of its statuses at each look, and stays in the last one. A status with ! is
// the first one after a stop, - is a server that is gone, and a status with ~ refuses metadata because a task is
// under way.
type server struct {
	state    openstack.State // except for its status
	admin    bool            // reports whether locks are ignored, as for an administrator
	statuses []string
	stopErrs []error // answers to stops in turn, the last one for ever; accepted without any
	noteErr  error
	full     bool // reports whether the metadata is full until the mark is removed
	noted    time.Time
	log      *[]string
	looks    int
	stops    int
}

func (s *server) State(context.Context) (openstack.State, error) {
	if s.looks++; s.looks > 1 && len(s.statuses) > 1 && (!strings.HasPrefix(s.statuses[1], "!") || s.stops > 0) {
		s.statuses = s.statuses[1:]
	}
	state := s.state
	state.Status = strings.Trim(s.statuses[0], "!-~")
	if strings.HasSuffix(s.statuses[0], "~") {
		state.Task = "powering-off"
	}
	return state, nil
}

func (s *server) NoteBegun(_ context.Context, at time.Time) error { return s.note("begin", at) }

func (s *server) NoteDrain(_ context.Context, at time.Time) error { return s.note("note", at) }

func (s *server) note(event string, at time.Time) error {
	s.noted = at
	switch now := s.statuses[0]; {
	case s.noteErr != nil:
		return s.noteErr
	case s.full:
		return answered(http.StatusForbidden)
	case s.state.Locked && !s.admin, strings.HasSuffix(now, "~"), !takesMetadata[strings.Trim(now, "!")]:
		return answered(http.StatusConflict)
	}
	*s.log = append(*s.log, event)
	return nil
}

func (s *server) Unmark(context.Context) error {
	s.full, s.state.Mark = false, ""
	*s.log = append(*s.log, "unmark")
	return nil
}

func (s *server) Stop(context.Context) error {
	s.stops++
	*s.log = append(*s.log, "stop")
	if len(s.stopErrs) == 0 {
		return nil
	}
	return s.stopErrs[min(s.stops, len(s.stopErrs))-1]
}

func (s *server) StopFailure(context.Context) (string, error) { return `"Error", request req-1`, nil }

func answered(code int) error {
	return fmt.Errorf("stop: %w", gophercloud.ErrUnexpectedResponseCode{Actual: code})
}

func TestDrain(t *testing.T) {
	failing := func(context.Context) (string, error) { return "", errors.New("the consumer failed") }
	done := func(context.Context) (string, error) { return "", nil }
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
		server   server
		drain    Drain
		hook     func(context.Context) (string, error)
		stopErrs []error
		events   string // steps that happened, in turn
		took     time.Duration
		warning  string
		err      string
		locked   bool
	}{
		{name: "nothing asked", statuses: "ACTIVE", events: "note"},
		{name: "a server that is gone needs nothing", statuses: "-", hook: failing, drain: Drain{Shutdown: true, Grace: time.Hour}},
		{name: "hook, grace and shutdown, in that order", statuses: "ACTIVE ACTIVE ACTIVE !ACTIVE~ ACTIVE~ SHUTOFF",
			drain: Drain{Shutdown: true, Grace: time.Minute},
			hook:  done, events: "begin hook note stop", took: time.Minute + 3*time.Second},
		{name: "the hook is slow, and the grace period is in full", statuses: "ACTIVE", drain: Drain{Grace: time.Minute},
			hook: func(context.Context) (string, error) { time.Sleep(2 * time.Minute); return "", nil }, events: "begin hook note", took: 3 * time.Minute},
		{name: "gone after the hook", statuses: "ACTIVE -", drain: Drain{Shutdown: true, Grace: time.Hour}, hook: done, events: "begin hook"},
		{name: "stopped by the hook", statuses: "ACTIVE SHUTOFF", drain: Drain{Shutdown: true, Grace: time.Second}, hook: done,
			events: "begin hook note", took: time.Second},
		{name: "one that reboots is stopped after that", statuses: "REBOOT REBOOT REBOOT ACTIVE !SHUTOFF", drain: Drain{Shutdown: true},
			events: "note stop", took: 3 * time.Second},
		{name: "one that migrates is deleted meanwhile", statuses: "MIGRATING MIGRATING -", drain: Drain{Shutdown: true}, took: time.Second, events: "note"},
		{name: "one in error that cannot be", statuses: "ERROR", stopErrs: refused(409), drain: Drain{Shutdown: true, Grace: time.Second},
			events: "stop", took: time.Second,
			warning: node + " was not shut down, because it is ERROR: stop: "},
		{name: "one that is paused cannot be", statuses: "PAUSED", drain: Drain{Shutdown: true},
			warning: node + " was not shut down, because it is PAUSED: in this status Nova stops no server. It is left as it is.", events: "note"},
		{name: "it stopped meanwhile", statuses: "ACTIVE ACTIVE SHUTOFF", stopErrs: refused(409), drain: Drain{Shutdown: true},
			events: "note stop", took: time.Second},
		{name: "it was deleted meanwhile", statuses: "ACTIVE ACTIVE -", stopErrs: refused(404), drain: Drain{Shutdown: true},
			events: "note stop", took: time.Second},
		{name: "another task goes on for a while", statuses: "ACTIVE ACTIVE ACTIVE ACTIVE SHUTOFF", stopErrs: refused(409, 409, 0),
			drain: Drain{Shutdown: true}, events: "note stop stop stop", took: 3 * time.Second},
		{name: "a stop that failed is asked for again", statuses: "ACTIVE !ACTIVE~ ACTIVE ACTIVE~ SHUTOFF", drain: Drain{Shutdown: true},
			events: "note stop stop", took: 4 * time.Second},
		{name: "and once only", statuses: "ACTIVE", drain: Drain{Shutdown: true}, events: "note stop stop", took: 2 * time.Second,
			err: `it is still ACTIVE: Nova began twice to stop it, and failed ("Error", request req-1)`},
		{name: "in ERROR it is left as it is", statuses: "ERROR", drain: Drain{Shutdown: true, Grace: time.Second},
			events: "stop stop", took: 3 * time.Second, warning: node + " was not shut down, because it is ERROR: Nova began twice"},
		{name: "a stop that is refused", statuses: "ACTIVE", drain: Drain{Shutdown: true}, stopErrs: refused(403), events: "note stop", err: "stop: "},
		{name: "a hook that fails, and go on", statuses: "ACTIVE !SHUTOFF", drain: Drain{Shutdown: true},
			hook: func(context.Context) (string, error) { return "it did not complete", nil }, events: "begin hook note stop", took: time.Second,
			warning: "it did not complete"},
		{name: "a hook that fails, and stay", statuses: "ACTIVE", drain: Drain{Shutdown: true}, hook: failing, events: "begin hook",
			err: "the consumer failed"},
		{name: "a locked one is not drained", statuses: "ACTIVE", server: server{state: openstack.State{Mark: "7", Locked: true}},
			drain: Drain{Shutdown: true, Grace: time.Hour}, hook: done, locked: true, err: "the server is locked: stop: "},
		{name: "nor one in ERROR", statuses: "ERROR", server: server{state: openstack.State{Locked: true}}, hook: done, locked: true,
			err: "the server is locked: "},
		{name: "an admin's is", statuses: "ACTIVE", server: server{state: openstack.State{Locked: true}, admin: true}, hook: done, events: "begin hook note"},
		{name: "a task is waited for", statuses: "ACTIVE~ REBOOT~ ACTIVE", hook: done, events: "begin hook note", took: 2 * time.Second},
		{name: "and not for long", statuses: "ACTIVE~", drain: Drain{Grace: time.Minute}, hook: done, events: "hook", took: taskTime + time.Minute},
		{name: "it is deleted before the note", statuses: "ACTIVE -", server: server{noteErr: answered(404)}, drain: Drain{Grace: time.Hour},
			hook: done, events: "hook"},
		{name: "a note that is refused", statuses: "ACTIVE", server: server{noteErr: answered(400)}, hook: done, events: "unmark hook unmark",
			warning: node + " is drained, but its metadata does not say so: stop: "},
		{name: "metadata that are full", statuses: "ACTIVE", server: server{full: true}, hook: done, events: "unmark begin hook note"},
		{name: "a note that fails", statuses: "ACTIVE", server: server{noteErr: answered(500)}, hook: done, err: "stop: "},
		{name: "one that never served has no hook and no grace", statuses: "ACTIVE !SHUTOFF", server: server{state: openstack.State{Late: true}},
			drain: Drain{Shutdown: true, Grace: time.Hour}, hook: done, events: "stop", took: time.Second},
		{name: "and is not stopped while it is locked", statuses: "ACTIVE", server: server{state: openstack.State{Locked: true, Late: true}},
			drain: Drain{Shutdown: true}, stopErrs: refused(409), events: "stop", locked: true, err: "the server is locked: "},
		{name: "one that runs without a mark may serve", statuses: "ACTIVE", drain: Drain{Grace: time.Minute}, hook: done,
			events: "begin hook note", took: time.Minute},
		{name: "one in service has, and loses its mark", statuses: "ACTIVE", server: server{state: openstack.State{Mark: "7", Late: true}},
			drain: Drain{Grace: time.Minute}, hook: done, events: "begin unmark hook note", took: time.Minute},
		{name: "and one whose drain has begun", statuses: "ERROR", server: server{state: openstack.State{Drained: true, Note: "2026-11-01T00:00:00Z"}},
			drain: Drain{Grace: time.Minute}, hook: done, events: "hook", took: time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log []string
			d := c.drain
			c.server.statuses, c.server.stopErrs, c.server.log = strings.Fields(c.statuses), c.stopErrs, &log
			d.Server = &c.server
			d.Node = node
			if c.hook != nil {
				d.Hook = func(ctx context.Context) (string, error) {
					log = append(log, "hook")
					return c.hook(ctx)
				}
			}
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				warnings, err := d.Run(t.Context())
				assert.Equal(t, c.took, time.Since(start), "it took")
				assert.Equal(t, c.events, strings.Join(log, " "), "happened")
				_, locked := errors.AsType[*LockedError](err)
				assert.Equal(t, c.locked, locked, "locked: %v", err)
				assert.Contains(t, strings.Join(warnings, "|"), c.warning, "the warnings")
				assert.Equal(t, c.warning == "", len(warnings) == 0, "%q", warnings)
				assert.Contains(t, fmt.Sprint(err), cmp.Or(c.err, "<nil>"))
			})
		})
	}
}

// TestStatuses: how a shutdown treats each status of Nova. The list is Nova's own. A status that is new is waited
// for.
func TestStatuses(t *testing.T) {
	const stops, waits, warns, nothing = "stops it", "waits", "warns and goes on", "has nothing to do"
	for status, want := range map[string]string{
		"ACTIVE": stops, "ERROR": stops,
		"BUILD": waits, "REBUILD": waits, "REBOOT": waits, "HARD_REBOOT": waits, "RESIZE": waits, "REVERT_RESIZE": waits,
		"MIGRATING": waits, "PASSWORD": waits, "UNKNOWN": waits,
		"PAUSED": warns, "SUSPENDED": warns, "RESCUE": warns, "VERIFY_RESIZE": warns,
		"SHUTOFF": nothing, "SHELVED": nothing, "SHELVED_OFFLOADED": nothing, "": nothing, // "" and DELETED are gone
	} {
		t.Run(status, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{statuses: []string{status + "-", "!SHUTOFF"}, log: new([]string)}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				start := time.Now()
				warning, err := Drain{Node: "The node", Server: s}.shutDown(ctx)
				took := time.Since(start)
				got := nothing
				switch {
				case err != nil && took == time.Hour && strings.Contains(err.Error(), "wait for the server, which is "+status+", to stop") && s.stops == 0:
					got = waits
				case err != nil:
					t.Fatal(err)
				case s.stops == 1:
					got = stops
				case strings.Contains(warning, "because it is "+status) && took == 0:
					got = warns
				case took != 0 || warning != "":
					t.Fatalf("took %s: %q", took, warning)
				}
				assert.Equal(t, want, got)
			})
		})
	}
}

// TestTakesMetadata: in which statuses the drain waits after a conflict, because the conflict ends, and in which it
// continues without a note.
func TestTakesMetadata(t *testing.T) {
	for status, want := range map[string]time.Duration{
		"ACTIVE": taskTime, "SHUTOFF": taskTime, "PAUSED": taskTime, "SUSPENDED": taskTime,
		"REBOOT": taskTime, "HARD_REBOOT": taskTime, "PASSWORD": taskTime, "MIGRATING": taskTime,
		"BUILD": 0, "REBUILD": 0, "ERROR": 0, "RESCUE": 0, "RESIZE": 0, "VERIFY_RESIZE": 0, "REVERT_RESIZE": 0,
		"SHELVED": 0, "SHELVED_OFFLOADED": 0, "UNKNOWN": 0, "SINGING": 0,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{statuses: []string{status}, noteErr: answered(http.StatusConflict), log: new([]string)}
			start := time.Now()
			_, err := Drain{Server: s}.note(t.Context(), openstack.State{Status: status}, s.NoteDrain)
			if took := time.Since(start); err != nil || took != want {
				t.Errorf("%s: took %s, want %s: %v", status, took, want, err)
			}
		})
	}
}

// TestNoteTime: the note has the time of Nova's clock, or ours if the answer had none.
func TestNoteTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		novas := time.Now().Add(-time.Hour)
		for _, c := range []struct{ at, want time.Time }{{novas, novas}, {time.Time{}, time.Now()}} {
			s := &server{statuses: []string{"ACTIVE"}, log: new([]string)}
			if _, err := (Drain{Server: s}).note(t.Context(), openstack.State{At: c.at}, s.NoteDrain); err != nil || !s.noted.Equal(c.want) {
				t.Errorf("noted %s, want %s: %v", s.noted, c.want, err)
			}
		}
	})
}

// TestRefusedStop: the error has Nova's answer to the last stop, if the wait ends before the server is off.
func TestRefusedStop(t *testing.T) {
	for _, refused := range []error{nil, answered(http.StatusConflict)} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{statuses: []string{"ACTIVE~"}, stopErrs: []error{refused}, log: new([]string)}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := Drain{Server: s}.shutDown(ctx)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, refused != nil, strings.Contains(fmt.Sprint(err), "the last answer to the request to stop it: stop:"))
		})
	}
}

// TestCancel: cancelling ends every wait at once.
func TestCancel(t *testing.T) {
	hang := func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	for name, d := range map[string]Drain{
		"in the hook":     {Hook: hang, Shutdown: true},
		"in the shutdown": {Shutdown: true},
		"in the grace":    {Grace: time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log []string
			d.Server = &server{statuses: []string{"ACTIVE", "!ACTIVE~"}, log: &log}
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := errors.New("stopped by the user")
			time.AfterFunc(30*time.Second, func() { cancel(stop) })
			start := time.Now()
			if _, err := d.Run(ctx); !errors.Is(err, stop) || time.Since(start) != 30*time.Second {
				t.Errorf("%s: got %v after %s", name, err, time.Since(start))
			}
			if name == "in the hook" && len(log) > 1 { // the note's wait
				t.Errorf("%s: %v", name, log)
			}
		})
	}
}
