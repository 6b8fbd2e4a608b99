package planner

import (
	"maps"
	"slices"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFirstMistake: the first apply of six nodes in batches of two has a template that Nova refuses, or whose servers
// fail, do not answer, or were not waited for. One apply of a good one makes all six serve, under their names; and the
// plan after it is empty. Only what has a server is made again.
func TestFirstMistake(t *testing.T) {
	all := "~web-0 ~web-1 ~web-2 ~web-3 ~web-4 ~web-5"
	others := "+web-6 +web-7 +web-8 +web-9 +web-10 +web-11 -web-0 -web-1 -web-2 -web-3 -web-4 -web-5"
	refused := func(s roster.Seen, names ...string) {
		for _, name := range names {
			loseSeen(s, name)
		}
	}
	every := func(change func(*node.Node)) func(roster.Seen) {
		return func(s roster.Seen) {
			for name := range s.Servers {
				changeSeen(s, name, func(n *node.Node) { n.InService = ""; change(n) })
			}
		}
	}
	none := func(s roster.Seen) { refused(s, slices.Collect(maps.Keys(s.Servers))...) }
	silent := every(func(n *node.Node) { n.NotInService = string(roster.FirstMark(image("none-such"))) })
	for _, c := range []struct {
		name, method string
		causes       []roster.Cause
		seen         func(roster.Seen)
		moves        string
		again        bool // whether servers are made again
	}{
		{"refused", roster.Substitute, []roster.Cause{roster.Unhealthy, roster.Outdated}, none, all, false},
		{"refused", roster.Recreate, []roster.Cause{roster.Outdated}, none, all, false},
		{"refused, a batch at a time because servers may be changed", roster.InPlace, []roster.Cause{roster.Outdated}, none, "~web-0 ~web-1", false},
		{"refused, without causes", roster.Substitute, nil, none, all, false},
		{"refused in one zone", roster.Substitute, nil, func(s roster.Seen) { every(func(*node.Node) {})(s); refused(s, "web-0", "web-3") },
			"+web-6 +web-7 +web-8 +web-9 -web-1 -web-2 -web-4 -web-5 ~web-0 ~web-3", false},
		{"silent", roster.Substitute, []roster.Cause{roster.Outdated}, silent, others, false},
		{"silent, without causes", roster.Substitute, nil, silent, others, false},
		{"silent", roster.Recreate, []roster.Cause{roster.Outdated}, silent, all, true},
		{"silent, changed in place", roster.InPlace, []roster.Cause{roster.Outdated}, silent, all, false},
		{"not waited for", roster.Substitute, nil, every(func(*node.Node) {}), others, false},
		{"in ERROR", roster.Recreate, nil, every(func(n *node.Node) { n.Status = "ERROR" }), all, true},
	} {
		t.Run(c.method+" "+c.name, func(t *testing.T) {
			p := policy(6)
			p.Update, p.RequireMarks, p.Templates = byUpdate(update("2", c.causes...), c.method), true, images("none-such")
			first, _, err := Plan(roster.Roster{}, roster.NewSeen(), p)
			require.NoError(t, err)
			seen := running(first)
			c.seen(seen)
			p.Templates = images("debian-12")
			fixed, change, err := Plan(first, seen, p)
			require.NoError(t, err)
			assert.Equal(t, c.moves, moves(change), "%v", change.HeldByReason())
			for name, n := range fixed.Nodes {
				_, server := seen.Servers[name]
				if _, before := first.Nodes[name]; !before {
					continue // a name is tried once
				}
				again := c.again && server
				assert.Equal(t, again, n.Generation > first.Nodes[name].Generation, name)
			}
			if c.moves == all || c.moves == others {
				assert.Equal(t, status.InStep, change.Status.Phase)
				_, change, err = Plan(fixed, running(fixed), p)
				require.NoError(t, err)
				assert.True(t, change.Empty(), moves(change))
			}
		})
	}
}
