package planner

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKept: a node whose server somebody keeps leaves as a candidate does. It cannot come back, and no batch waits for
// it, even if it left before it was named.
func TestKept(t *testing.T) {
	regions := []placement.Region{{Bin: bin("R", 1)}}
	for name, first := range map[string]func(*roster.Policy, string){
		"at once":           func(p *roster.Policy, who string) { p.Candidates, p.Kept = []string{who}, []string{who} },
		"it had left alone": func(p *roster.Policy, who string) { p.Candidates = []string{who} },
	} {
		for _, who := range []string{"web-1", "id-web-1"} {
			r := cluster(t, "R 1", "R 1", "R 1")
			seen := running(r)
			p := roster.Policy{Name: web, Capacity: 2, Regions: regions, Templates: images("1")}
			first(&p, who)
			next, change, err := Plan(r, seen, p)
			require.NoError(t, err, name)
			assert.Equal(t, "-web-1", moves(change), name)
			assert.Equal(t, name == "at once", len(next.Leaving) == 0, "%s: leaving are %v", name, next.LeavingNames())
			p.Candidates, p.Capacity = nil, 3
			_, change, err = Plan(next, seen, p)
			require.NoError(t, err, name)
			assert.Equal(t, "+web-3", moves(change), "%s: named no more", name)
			p.Candidates, p.Kept = []string{who}, []string{who}
			if name == "at once" { // it need not be named any more then
				p.Candidates, p.Kept = nil, nil
			}
			grown, change, err := Plan(next, seen, p)
			require.NoError(t, err, name)
			assert.Equal(t, "+web-3", moves(change), name)
			assert.Empty(t, grown.Leaving, name)
			p.Capacity, p.Templates, p.Update = 2, images("2"), update("1", roster.Outdated)
			_, change, err = Plan(next, seen, p)
			require.NoError(t, err, name)
			assert.EqualValues(t, 1, change.Replaced(), "%s: a rollout replaces", name)
			assert.Empty(t, change.Notices, name)
		}
	}
	r := cluster(t, "R 1", "R 1")
	p := roster.Policy{Name: web, Capacity: 2, Regions: regions, Templates: images("1"), Update: update("1", roster.Outdated),
		Candidates: []string{"web-1"}, Kept: []string{"web-1"}}
	p.Update.Method = roster.Recreate
	_, _, err := Plan(r, running(r), p)
	assert.ErrorContains(t, err, "it would be made again under its name, which its kept server has")
	p.Capacity = 1
	_, change, err := Plan(r, running(r), p)
	require.NoError(t, err)
	assert.Equal(t, "-web-1", moves(change))
}
