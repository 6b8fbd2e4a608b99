package rollout

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/planview"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// script is a terraform that makes the same plans in each test: one for each letter.
//
//	b a batch   f a batch whose apply fails   l the batch bakes   w it waits
//	h something holds it   q a quota does
//	i a misspelled image: the apply fails   n the same server is not in service
//	E servers end in ERROR, each time others
//	e a server in ERROR is repaired: the apply fails, and all is done
//	u it makes a replacement that no node change needs   2 and one that the configuration is to blame for
//	d nothing is left   p the same changes as the last   ! a plan that fails
type script struct {
	plans   string
	at      int
	took    time.Duration // duration of an apply
	pause   time.Duration
	others  []Cluster
	applied []string
	before  []string
	during  func() // called during an apply
}

func (s *script) Plan(ctx context.Context) (*Plan, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	kind := s.plans[min(s.at, len(s.plans)-1)]
	s.at++
	p := &Plan{File: string(kind), JSON: []byte(`{"plan": 1}`)}
	c := Cluster{Address: "a.web", Name: "web", Remaining: 1, Phase: status.Behind, Status: "behind: 1 of 2", Pause: s.pause}
	switch kind {
	case '!':
		return nil, errors.New("no such cloud")
	case 'b', 'f':
		s.before = []string{fmt.Sprintf("server.web-%d: create", s.at)}
		p.Changes = s.before
	case 'e':
		c.Remaining, p.Changes = int64(9-s.at), []string{fmt.Sprintf("server.web-%d: delete", s.at)}
	case 'u', '2':
		p.Changes = []string{"server.web-1: create, delete"}
		p.View.Servers = []planview.Server{{Address: "server.web-1", Type: "server", Text: "is replaced"}}
		if kind == '2' {
			p.View.Servers[0].Advice = "Remove it."
		}
	case 'i', 'n':
		c.Phase, c.Status = status.Waits, "waits: web-8 (it has no server)"
		p.File, p.Changes = string(kind), []string{"server.web-8: create"}
	case 'E':
		p.File, p.Changes = "E", []string{fmt.Sprintf("server.web-%d: create", s.at)}
	case 'p':
		p.Changes = s.before
	case 'd':
		c.Remaining, c.Phase, c.Status = 0, status.InStep, "in step"
	case 'l':
		c.Phase, c.Status = status.Paused, "paused: web-6"
	case 'w':
		c.Phase, c.Status = status.Waits, "waits: web-6 (its server is in BUILD)"
	case 'h':
		c.Phase, c.Status = status.Held, "held: az-2 is not available"
	case 'q':
		c.Status = "behind: the next plan replaces 1 of 1 node"
	}
	p.Clusters = append([]Cluster{c}, s.others...)
	return p, nil
}

func (s *script) Apply(ctx context.Context, plan *Plan, progress func(string)) error {
	progress("web-8: done")
	if s.during != nil {
		s.during()
	}
	time.Sleep(s.took)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.applied = append(s.applied, plan.File)
	switch plan.File {
	case "f":
		return &FailedError{[]Fault{{Address: "stackpolicy_readiness_attachment.web", Summary: "Servers are not in service"}}}
	case "i", "e":
		return &FailedError{[]Fault{{Address: "server.web-8", Summary: "No image debain-13 (req-" + fmt.Sprint(len(s.applied)) + ")"}}}
	case "E":
		return &FailedError{[]Fault{{Address: fmt.Sprint("server.web-", s.at), Summary: "unexpected state 'ERROR'"}}}
	case "n":
		return &FailedError{[]Fault{{Address: "stackpolicy_readiness_attachment.web", Summary: "Servers are not in service"}}}
	}
	return nil
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name    string
		plans   string
		set     func(*Runner)
		pause   time.Duration
		others  []Cluster
		want    Outcome
		applied string
		why     string
		took    time.Duration
	}{
		{name: "nothing to do", plans: "d", want: Done, why: "nothing is left to replace"},
		{name: "two batches", plans: "bbd", want: Done, applied: "bb", why: "(2 applies, 2m)", took: 2 * time.Minute},
		{name: "a pause", plans: "bllbd", pause: time.Minute, want: Done, applied: "bb", took: 3 * time.Minute},
		{name: "a pause that lasts too long", plans: "bl", pause: time.Minute, set: func(r *Runner) { r.MaxWait = time.Minute }, want: Held, applied: "b",
			why: "nothing changed for 2m; web paused: web-6", took: 3 * time.Minute},
		{name: "a run that begins in a pause", plans: "lbd", pause: time.Minute, want: Done, applied: "b", took: 90 * time.Second},
		{name: "servers come up", plans: "bwwd", set: func(r *Runner) { r.MaxWait = time.Hour }, want: Done, applied: "b", took: 2 * time.Minute},
		{name: "servers never come up", plans: "bw", set: func(r *Runner) { r.MaxWait = time.Hour }, want: Held, applied: "b",
			why: "nothing changed for 1h; web waits: web-6 (its server is in BUILD)", took: 61 * time.Minute},
		{name: "held", plans: "bh", want: Held, applied: "b", why: "web held: az-2 is not available", took: time.Minute},
		{name: "behind, and nothing can be done", plans: "q", want: Held, why: "web behind: the next plan replaces 1 of 1 node"},
		{name: "one is held, another waits", plans: "hd", others: []Cluster{{Name: "db", Phase: status.Waits, Status: "waits: db-1"}},
			set: func(r *Runner) { r.MaxWait = time.Hour }, want: Held, why: "db waits: db-1", took: time.Hour},
		{name: "a plan fails", plans: "b!", want: Failed, applied: "b", why: "no such cloud", took: time.Minute},
		{name: "an apply fails", plans: "bfb", want: Failed, applied: "bf", why: "the apply failed", took: 2 * time.Minute},
		{name: "applies fail, and all is done", plans: "eed", want: Done, applied: "ee", why: "nothing is left to replace", took: 3 * time.Minute},
		{name: "applies fail, and then nothing is done", plans: "ei", want: Failed, applied: "ei", why: "the next plan is no further", took: 3 * time.Minute},
		{name: "what nobody asks for", plans: "bu", want: Held, applied: "b",
			why: "the plan changes 1 resource although no node change asks for it. Apply it by hand, or allow it with -accept " +
				"'server.web-1'", took: time.Minute},
		{name: "what nobody asks for, accepted", plans: "ud", set: func(r *Runner) { r.Accept = []string{"server.web-1"} }, want: Done,
			applied: "u", took: time.Minute},
		{name: "what the configuration is to blame for", plans: "2", want: Held, why: "no node change asks for it. Remove it."},
		{name: "no progress", plans: "bp", want: Failed, applied: "b",
			why: "the next plan has the same changes again: server.web-1: create", took: time.Minute},
		{name: "at most two", plans: "b", set: func(r *Runner) { r.MaxApplies = 2 }, want: Held, applied: "bb",
			why: "-max-applies 2 is reached", took: 2 * time.Minute},
		{name: "just two", plans: "bbd", set: func(r *Runner) { r.MaxApplies = 2 }, want: Done, applied: "bb", took: 2 * time.Minute},
		{name: "for three minutes", plans: "b", set: func(r *Runner) { r.MaxTime = 3 * time.Minute }, want: Held, applied: "bbb",
			why: "-max-time 3m is over", took: 3 * time.Minute},
		{name: "a long pause", plans: "l", pause: time.Hour, set: func(r *Runner) { r.MaxTime = 3 * time.Minute }, want: Held,
			why: "-max-time 3m is over; web paused: web-6", took: 3 * time.Minute},
		{name: "refused", plans: "bb", set: func(r *Runner) {
			r.Policy = func(_ context.Context, plan []byte) error { return errors.New(string(plan)) }
		}, want: Held, why: "the policy refuses the plan"},
		{name: "allowed", plans: "bd", set: func(r *Runner) { r.Policy = func(context.Context, []byte) error { return nil } }, want: Done,
			applied: "b", took: time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{plans: c.plans, took: time.Minute, pause: c.pause, others: c.others}
				var last Event
				r := &Runner{Terraform: s, Poll: 30 * time.Second, Report: func(e Event) { last = e }}
				if c.set != nil {
					c.set(r)
				}
				start := time.Now()
				got := r.Run(t.Context(), t.Context())
				assert.Equal(t, c.took, time.Since(start))
				assert.Equal(t, c.applied, strings.Join(s.applied, ""), "applied")
				assert.Contains(t, last.Message, c.why)
				assert.Equal(t, []any{"end", c.want, c.want, c.want.Code()}, []any{last.Kind, got, last.Outcome, *last.Code})
			})
		})
	}
}

// TestInterrupt: the first signal ends a run after the running apply, or at once while the run waits; the second
// signal ends the apply.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		name    string
		plans   string
		hard    bool
		policy  bool
		want    Outcome
		applied string
	}{
		{"during an apply", "bb", false, false, Held, "b"},
		{"twice during an apply", "bb", true, false, Failed, ""},
		{"while it waits", "l", false, false, Held, ""},
		{"while the policy looks", "b", false, true, Held, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			soft, stop := context.WithCancel(t.Context())
			hard, kill := context.WithCancel(t.Context())
			defer kill()
			s := &script{plans: c.plans, took: time.Minute, during: func() {
				if stop(); c.hard {
					kill()
				}
			}}
			if c.plans == "l" {
				time.AfterFunc(10*time.Second, stop)
			}
			start := time.Now()
			var last Event
			r := &Runner{Terraform: s, MaxWait: time.Hour, Poll: time.Hour, Report: func(e Event) { last = e }}
			if c.policy { // the policy ends with the run, and so refuses the plan
				r.Policy = func(context.Context, []byte) error {
					stop()
					return errors.New("signal: terminated")
				}
			}
			got := r.Run(soft, hard)
			if got != c.want || strings.Join(s.applied, "") != c.applied || time.Since(start) > time.Minute ||
				strings.Contains(last.Message, "refuses") {
				t.Errorf("%s: %s after %s, applied %q: %s", c.name, got, time.Since(start), s.applied, last.Message)
			}
		})
	}
}

func TestCodes(t *testing.T) {
	for outcome, want := range map[Outcome]int{Done: 0, Failed: 1, Held: 2} {
		assert.Equal(t, want, outcome.Code(), outcome)
	}
}

func TestPrint(t *testing.T) {
	var lines, log, summary bytes.Buffer
	reports := []func(Event){Lines(&lines), JSON(&log), Summary(&summary)}
	r := &Runner{Terraform: &script{plans: "bfd"}, Report: func(e Event) {
		for _, f := range reports {
			f(e)
		}
	}}
	r.Run(t.Context(), t.Context())
	for name, c := range map[string]struct {
		got  string
		want []string
	}{
		"lines": {lines.String(), []string{"Plan 1: 1 resource would change", "The whole plan", "  web-8: done\n", "Apply 1 is done",
			"Apply 2 failed\n\nstackpolicy_readiness_attachment.web: Servers are not in service", "failed: the apply failed (2 applies, 0s)"}},
		"log": {log.String(), []string{`"event":"plan","apply":1,"changes":1,"clusters":[{"address":"a.web","cluster":"web","remaining":1,` +
			`"phase":"behind","status":"behind: 1 of 2"}]}`, `"outcome":"failed","exit_code":1}`}},
		"summary": {summary.String(), []string{"## Apply 1\n", "It failed:\n\n```text\nstackpolicy_readiness_attachment.web: Servers are not in service\n```",
			"**failed**: the apply failed"}},
	} {
		for _, want := range c.want {
			assert.Contains(t, c.got, want, name)
		}
	}
	for want, e := range map[string]Event{
		"The policy refuses the plan:\nno\n":                        {Kind: "refused", Message: "no"},
		"No node change asks for this:\nserver.web-1 is replaced\n": {Kind: "unasked", Message: "server.web-1 is replaced"},
		"Waits: next plan in 30s\n":                                 {Kind: "wait", Message: "next plan in 30s"},
	} {
		var said bytes.Buffer
		Lines(&said)(e)
		assert.Equal(t, want, said.String())
	}
	for line := range strings.Lines(log.String()) {
		var e Event
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Time.IsZero() || e.Kind == "" {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestPrintable: no foreign text is a command for a terminal or a pipeline.
func TestPrintable(t *testing.T) {
	got := Printable("a\x1b[2J\n  ::error::no\n##[group]x ##vso[task.complete]##teamcity[x]\nC:: fine")
	assert.Equal(t, "a\\x1b[2J\n: :error::no\n# #[group]x # #vso[task.complete]# #teamcity[x]\nC:: fine", got)
	const evil = "::error::\n\x1b[2J##vso[task.complete]"
	c := clusterOf(planview.Attachment{Address: evil, Cluster: evil, Phase: evil, Status: evil, Held: []string{evil + ": " + evil}})
	var out bytes.Buffer
	Lines(&out)(Event{Kind: "plan", Plan: &Plan{View: planview.Plan{Attachments: []planview.Attachment{{Cluster: evil, Status: evil}}}}})
	JSON(&out)(Event{Kind: "plan", Clusters: []Cluster{c}})
	if Printable(out.String()) != out.String() || strings.Count(out.String(), "# #vso[") != 8 {
		t.Error(out.String())
	}
	var summary bytes.Buffer
	Summary(&summary)(Event{Kind: "end", Outcome: Held, Message: "<img src=x> waits"})
	assert.NotContains(t, summary.String(), "<img")
}

// TestHeld: a plan lists the nodes that are held, and is printed once.
func TestHeld(t *testing.T) {
	view, err := planview.Read([]byte(`{"format_version": "1.2", "resource_changes": [{"address": "a", "mode": "managed",
		"type": "stackpolicy_placement_attachment", "change": {"actions": ["create"], "after": {"cluster": "web", "remaining": 2,
		"phase": "paused", "status": "paused: web-1", "update": {"pause": "90m"}, "held": ["web-1: it is locked"]}}}]}`))
	require.NoError(t, err)
	c := clusterOf(view.Attachments[0])
	assert.Equal(
		t,
		Cluster{Address: "a", Name: "web", Remaining: 2, Phase: status.Paused, Status: "paused: web-1", Pause: 90 * time.Minute,
			Held: []string{"web-1: it is locked"}},
		c,
	)
	var out, log bytes.Buffer
	show := Lines(&out)
	for range 2 {
		show(Event{Kind: "plan", Plan: &Plan{View: view}})
	}
	JSON(&log)(Event{Kind: "plan", Clusters: []Cluster{c}})
	if strings.Count(out.String(), "- web-1: it is locked\n") != 1 ||
		!strings.Contains(log.String(), `"held":["web-1: it is locked"]`) {
		t.Error(out.String(), log.String())
	}
}

// TestFolder: only this user can read the plans of a run, and the next run removes them.
func TestFolder(t *testing.T) {
	t.Setenv("TF_DATA_DIR", "")
	configuration := t.TempDir()
	dir, err := folder(configuration)
	require.NoError(t, err)
	plan := filepath.Join(dir, "a.tfplan")
	require.NoError(t, os.WriteFile(plan, nil, 0o600))
	info, err := os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	_, err = folder(configuration)
	require.NoError(t, err)
	assert.NoFileExists(t, plan)
}

func TestPolicyCommand(t *testing.T) {
	assert.NoError(t, PolicyCommand(`grep -q '"plan": 1'`)(t.Context(), []byte(`{"plan": 1}`)), "refused")
	assert.EqualError(t, PolicyCommand("echo too many; exit 1")(t.Context(), nil), "too many")
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	began := time.Now()
	// A policy that the shell starts ends with the run. The bound of minutes only catches a hang.
	if err := PolicyCommand("sleep 600; true")(ctx, nil); err == nil || time.Since(began) > 5*time.Minute {
		t.Errorf("got %v after %s", err, time.Since(began))
	}
	assert.EqualError(t, PolicyCommand("exit 3")(t.Context(), nil), "exit 3: exit status 3")
}

// TestPause: a wait names its clusters.
func TestPause(t *testing.T) {
	var said string
	r := &run{Runner: &Runner{Report: func(e Event) { said = e.Message }}}
	r.pause(
		t.Context(),
		&Plan{
			Clusters: []Cluster{
				{Name: "web", Phase: status.Waits, Status: "waits: web-1 (its server is in BUILD)"},
				{Name: "db", Phase: status.InStep, Status: "in step"},
			},
		},
	)
	assert.Equal(t, "next plan in 0s; web waits: web-1 (its server is in BUILD)", said)
}
