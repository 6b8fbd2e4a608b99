package readinesstf_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// drained are the nodes that were drained, sorted, a node as often as it was.
func drained(events string) (names []string) {
	for event := range strings.SplitSeq(events, "; ") {
		if rest, ok := strings.CutPrefix(event, "drain "); ok {
			name, _, _ := strings.Cut(rest, " ")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// noted fails unless the servers of these nodes, and no others, are noted as
// drained in Nova, with the time.
func (r *rollout) noted(t *testing.T, want ...string) {
	t.Helper()
	var names []string
	for name, s := range r.c.Servers(t) {
		value, there := s.Metadata[openstack.DrainedKey]
		if !there {
			continue
		}
		names = append(names, name)
		now := time.Now()
		if r.c.Fake != nil {
			now = fakecloud.Epoch
		}
		if at, err := time.Parse(time.RFC3339, value); err != nil || at.Location() != time.UTC || now.Sub(at).Abs() > time.Hour {
			t.Errorf("%s was drained at %q", name, value)
		}
	}
	if slices.Sort(names); !slices.Equal(names, want) {
		t.Errorf("noted as drained are %v, want %v", names, want)
	}
}

// TestAccReadinessHalf: half of a batch gets into service, and the batch is taken
// back. The server that was in service is drained before it is destroyed, and the
// other one is not.
func TestAccReadinessHalf(t *testing.T) {
	t.Parallel()
	r := startRollout(t, bothFirst, map[string]int{"a": 1, "b": 1})
	r.slow["d"] = -1
	_, events, err := r.roll(t, bothFirst, map[string]int{"c": 2, "d": 2})
	if err == nil || !acctest.Says("1 of 2 servers that this apply checked are not in service").MatchString(err.Error()) || events != "ready c" {
		t.Fatalf("got %v, %s", err, events)
	}
	if got := r.marks(t); got != "a:1 b:1 c:2 d:-" {
		t.Errorf("left are %s", got)
	}
	_, events, err = r.roll(t, bothFirst, map[string]int{"a": 1, "b": 1})
	if err != nil || !slices.Equal(drained(events), []string{"c"}) || !strings.HasPrefix(events, "drain c in a:1 b:1 c:-") {
		t.Errorf("taken back: %v, %s", err, events)
	}
	if got := r.marks(t); got != "a:1 b:1" {
		t.Errorf("in the end there are %s", got)
	}
	r.noted(t)
}

// TestAccReadinessBadThenGood: an image with which no server gets into service,
// three times, and then a good one. Each server that was in service is drained,
// and none of those that never were.
func TestAccReadinessBadThenGood(t *testing.T) {
	t.Parallel()
	r := startRollout(t, bothFirst, map[string]int{"a": 1, "b": 1})
	for n, bad := range []string{"c", "d", "e"} {
		r.slow[bad] = -1
		_, events, err := r.roll(t, bothFirst, map[string]int{"b": 1, bad: n + 2})
		if err == nil || events != "" {
			t.Fatalf("%s: got %v, %s", bad, err, events)
		}
	}
	if got := r.marks(t); got != "a:1 b:1 c:- d:- e:-" {
		t.Errorf("there are %s", got)
	}
	_, events, err := r.roll(t, bothFirst, map[string]int{"b": 1, "f": 5})
	if err != nil || !slices.Equal(drained(events), []string{"a"}) || !strings.HasPrefix(events, "ready f; drain a in a:- b:1") {
		t.Errorf("got %v, %s", err, events)
	}
	if got := r.marks(t); got != "b:1 f:5" {
		t.Errorf("in the end there are %s", got)
	}
}

// TestAccReadinessLocked: a server that is locked, which Nova would not destroy,
// is not drained: it stays in service until it is unlocked.
func TestAccReadinessLocked(t *testing.T) {
	t.Parallel()
	r := startRollout(t, bothFirst, map[string]int{"a": 1, "b": 1})
	id := r.c.Servers(t)["a"].ID
	r.c.Act(t, r.region, id, `{"lock": null}`, "ACTIVE")
	_, events, err := r.roll(t, bothFirst, map[string]int{"b": 1, "c": 2})
	if err == nil || !acctest.Says("The server is locked").MatchString(err.Error()) || !acctest.Says("openstack server unlock "+id).MatchString(err.Error()) || events != "ready c" {
		t.Fatalf("got %v, %s", err, events)
	}
	if got := r.marks(t); got != "a:1 b:1 c:2" {
		t.Errorf("there are %s", got)
	}
	r.noted(t)
	r.c.Act(t, r.region, id, `{"unlock": null}`, "ACTIVE")
	_, events, err = r.roll(t, bothFirst, map[string]int{"b": 1, "c": 2})
	if want := "drain a in a:- b:1 c:2"; err != nil || events != want {
		t.Errorf("unlocked: %v\n got %s\nwant %s", err, events, want)
	}
}

// TestAccReadinessDrainFails: a server whose drain failed is not in service, and
// its drain is repeated although it has no mark any more. Where its node comes
// back, it has to get into service again.
func TestAccReadinessDrainFails(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]bool{"repeated": false, "taken back": true} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			r := startRollout(t, bothFirst, map[string]int{"a": 1, "b": 1})
			r.refuse = true
			for range 2 {
				_, events, err := r.roll(t, bothFirst, map[string]int{"b": 1, "c": 2})
				if err == nil || !acctest.Says("A lifecycle hook did not complete").MatchString(err.Error()) || !slices.Equal(drained(events), []string{"a"}) {
					t.Fatalf("got %v, %s", err, events)
				}
				if got := r.marks(t); got != "a:- b:1 c:2" {
					t.Errorf("there are %s", got)
				}
				r.noted(t, "a")
			}
			r.refuse = false
			nodes, want := map[string]int{"b": 1, "c": 2}, "drain a in a:- b:1 c:2"
			if back {
				nodes, want = map[string]int{"a": 1, "b": 1}, "drain c in a:1 b:1 c:-"
			}
			_, events, err := r.roll(t, bothFirst, nodes)
			if err != nil || events != want {
				t.Errorf("got %v, %s, want %s", err, events, want)
			}
			r.noted(t)
			if text, err := r.Run(t.Context(), "plan", "-no-color", "-detailed-exitcode"); err != nil {
				t.Errorf("the next plan is not empty: %v\n%s", err, text)
			}
		})
	}
}

// TestAccReadinessRemoved: a plan that removes the readiness attachment, or
// renames it without a moved block, says which nodes are no longer waited for.
func TestAccReadinessRemoved(t *testing.T) {
	t.Parallel()
	const warning = "Servers are no longer waited for"
	r := startRollout(t, bothFirst, map[string]int{"a": 1, "b": 1})
	nodes := map[string]int{"b": 1, "c": 2}
	full := r.config(bothFirst, nodes)
	without, _, _ := strings.Cut(full, "resource \"stackpolicy_readiness")
	plan := func(config string) string {
		t.Helper()
		if err := r.Write(config); err != nil {
			t.Fatal(err)
		}
		text, err := r.Run(t.Context(), "plan", "-no-color")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if text := plan(without); strings.Contains(text, warning) {
		t.Errorf("nothing is pending:\n%s", text)
	}
	r.slow["c"] = -1
	if _, _, err := r.roll(t, bothFirst, nodes); err == nil {
		t.Fatal("c is in service")
	}
	moved := "moved {\n  from = stackpolicy_readiness_attachment.web\n  to = stackpolicy_readiness_attachment.new\n}\n"
	renamed := strings.ReplaceAll(full, `"stackpolicy_readiness_attachment" "web"`, `"stackpolicy_readiness_attachment" "new"`)
	for name, c := range map[string]struct {
		config string
		warns  bool
	}{
		"removed":            {without, true},
		"renamed":            {renamed, true},
		"renamed, and moved": {renamed + moved, false},
		"as it was":          {full, false},
		"another cluster":    {strings.ReplaceAll(full, `cluster = "web"`, `cluster = "shop"`), true},
	} {
		text := plan(c.config)
		if strings.Contains(text, warning) != c.warns || (c.warns && !acctest.Says(`Cluster "web": this plan removes the readiness attachment, which still waits for 1 node: c`).MatchString(text)) {
			t.Errorf("%s: warns %t, want %t\n%s", name, !c.warns, c.warns, text)
		}
	}
}
