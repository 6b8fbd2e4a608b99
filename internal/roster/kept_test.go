package roster

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// TestKept: a node whose server somebody keeps leaves as a candidate does, and is neither a
// leaving node that may come back nor one that a batch waits for, also where it left before it
// was named.
func TestKept(t *testing.T) {
	regions := []placement.Region{{Bin: bin("R", 1)}}
	for name, first := range map[string]func(*Policy, string){
		"at once":           func(p *Policy, who string) { p.Candidates, p.Kept = []string{who}, []string{who} },
		"it had left alone": func(p *Policy, who string) { p.Candidates = []string{who} },
	} {
		for _, who := range []string{"web-1", "id-web-1"} {
			r := cluster(t, "R 1", "R 1", "R 1")
			seen := running(r)
			p := Policy{Name: web, Capacity: 2, Regions: regions, Templates: images("1")}
			first(&p, who)
			next, change, err := Plan(r, seen, p)
			if err != nil || len(next.Nodes) != 2 || next.Nodes["web-1"].Mark != "" {
				t.Fatalf("%s: %v, left are %v", name, err, next.Names())
			}
			if name == "at once" && (len(next.Leaving) > 0 || !slices.Equal(change.Names(Leaves), []string{"web-1"})) {
				t.Errorf("%s: leaving are %v, departed %v", name, next.LeavingNames(), change.Names(Leaves))
			}
			p.Candidates, p.Kept, p.Capacity = []string{who}, []string{who}, 3
			if name == "at once" { // and then it need not be named any more
				p.Candidates, p.Kept = nil, nil
			}
			grown, change, err := Plan(next, seen, p)
			if err != nil || len(change.Of(Returns)) > 0 || !slices.Equal(change.Names(Comes), []string{"web-3"}) || len(grown.Leaving) > 0 {
				t.Errorf("%s: %v, it grows by %v and %v, leaving are %v", name, err, change.Names(Comes), change.Names(Returns), grown.LeavingNames())
			}
			p.Capacity, p.Templates, p.Update = 2, images("2"), update("1", Outdated)
			_, change, err = Plan(next, seen, p)
			if err != nil || change.Replaced() != 1 || len(change.Notices) > 0 {
				t.Errorf("%s: %v, a rollout replaces %d: %q", name, err, change.Replaced(), change.Notices)
			}
		}
	}
	r := cluster(t, "R 1", "R 1")
	p := Policy{Name: web, Capacity: 2, Regions: regions, Templates: images("1"), Update: update("1", Outdated), Candidates: []string{"web-1"}, Kept: []string{"web-1"}}
	p.Update.Method = Recreate
	if _, _, err := Plan(r, running(r), p); !errors.As(err, new(*CandidateError)) {
		t.Errorf("made again under its name, though its server is kept: %v", err)
	}
	p.Capacity = 1
	if next, _, err := Plan(r, running(r), p); err != nil || !slices.Equal(slices.Collect(maps.Keys(next.Nodes)), []string{"web-0"}) {
		t.Errorf("it leaves: %v, left are %v", err, next.Names())
	}
}
