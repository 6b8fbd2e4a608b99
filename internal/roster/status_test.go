package roster

import (
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStatus has each form of the status, of a plan and of a look without one.
func TestStatus(t *testing.T) {
	outdated := func(batch string) func(*Policy) {
		return func(p *Policy) { p.Templates, p.Update = images("b"), update(batch, Outdated) }
	}
	broken := func(names ...string) func(Seen) {
		return func(s Seen) {
			for _, name := range names {
				s.change(name, func(n *node.Node) { n.Status = "ERROR" })
			}
		}
	}
	for _, c := range []struct {
		name         string
		policy       func(*Policy)
		seen         func(Seen)
		plan, looked string // looked: "" for the same
	}{
		{name: "without update", policy: func(p *Policy) { p.Update = nil }, plan: "in step"},
		{name: "nothing to do", policy: func(*Policy) {}, plan: "in step"},
		{name: "growth", policy: func(p *Policy) { p.Capacity = 8 }, plan: "waits: not in service yet: web-6, web-7"},
		{
			name:   "a batch of two",
			policy: outdated("2"),
			plan:   "batch 2 of 4: web-0, web-3 leave; web-6, web-7 come",
			looked: "behind: the next plan replaces 2 of 6 nodes",
		},
		{
			name:   "a batch of one",
			policy: outdated("1"),
			plan:   "batch 2 of 7: web-0 leaves; web-6 comes",
			looked: "behind: the next plan replaces 1 of 6 nodes",
		},
		{
			name:   "in place",
			policy: func(p *Policy) { outdated("4")(p); p.Update.Method = InPlace },
			plan:   "batch 2 of 3: web-0, web-1, web-3, web-4 change",
			looked: "behind: the next plan replaces 4 of 6 nodes",
		},
		{
			name: "a node that this plan makes again does not remain",
			policy: func(p *Policy) {
				p.Update = update("1", Unhealthy)
				p.Update.Method = Recreate
			},
			seen:   broken("web-0"),
			plan:   "batch 2 of 2: web-0 changes",
			looked: "behind: the next plan replaces 1 of 1 node",
		},
		{
			name:   "the update begins",
			policy: func(p *Policy) { outdated("2")(p); p.Begins = true },
			plan:   "behind: 6 nodes to replace",
		},
		{
			name:   "under way",
			policy: func(p *Policy) { p.Update = update("1", Misplaced); p.Regions = p.Regions[:1] },
			seen:   func(s Seen) { s.lose("web-0"); s.change("web-1", func(n *node.Node) { n.Status = "BUILD" }) },
			plan:   "waits: web-0 (it has no server), web-1 (its server is in BUILD)",
		},
		{
			name:   "the last nodes are under way",
			policy: func(*Policy) {},
			seen:   func(s Seen) { s.change("web-5", func(n *node.Node) { n.Status = "BUILD" }) },
			plan:   "waits: web-5 (its server is in BUILD)",
		},
		{
			name:   "an outage",
			policy: func(p *Policy) { p.Update = update("1", Unhealthy) },
			seen:   broken("web-0", "web-1", "web-2", "web-3"),
			plan:   "held: 4 of 6 nodes are unhealthy, more than stop_above (50%) allows",
		},
		{
			name: "no room",
			policy: func(p *Policy) {
				p.Update = update("1", Unhealthy)
				p.Update.RetryFullAfter = time.Hour
				p.Regions = []placement.Region{
					{Bin: placement.Bin{Name: "RegionOne", Weight: 1, Cap: 3}},
					{Bin: placement.Bin{Name: "RegionTwo", Weight: 1, Cap: 3}},
				}
			},
			seen: func(s Seen) {
				s.Full[placement.Place{Region: "RegionTwo"}] = time.Unix(0, 0)
				s.change("web-4", func(n *node.Node) { n.Status, n.Fault = "ERROR", "no valid host" })
			},
			plan: "held: no room for the substitutes of web-4",
		},
		{
			name: "no host",
			policy: func(p *Policy) {
				p.Update = update("1", Unhealthy)
				p.Update.Method, p.Update.RetryFullAfter = Recreate, time.Hour
			},
			seen: func(s Seen) {
				s.Full[placement.Place{Region: "RegionTwo", Zone: "az-1"}] = time.Unix(0, 0)
				s.change("web-4", func(n *node.Node) { n.Status, n.Fault = "ERROR", "No valid host was found" })
			},
			plan: "held: Nova found no host for web-4 (RegionTwo/az-1)",
		},
		{
			name: "closed places",
			policy: func(p *Policy) {
				outdated("1")(p)
				for i := range p.Regions {
					p.Regions[i].Closed, p.Regions[i].Why = true, "is not available"
				}
			},
			plan: "held: web-0 (RegionOne/az-1 is not available), web-1 (RegionOne/az-2 is not available), " +
				"web-2 (RegionOne/az-3 is not available), web-3 (RegionTwo/az-1 is not available), " +
				"web-4 (RegionTwo/az-1 is not available) and 1 more",
		},
		{
			name: "nodes that are too old in closed places",
			policy: func(p *Policy) {
				p.Update = update("1", TooOld)
				p.Update.Method = InPlace
				p.Regions[0].Zones[0].Closed, p.Regions[0].Zones[0].Why = true, "is not available"
			},
			seen: func(s Seen) {
				s.Aged["web-0"] = Aged{Mark(s.Servers["web-0"].InService), time.Unix(1<<30, 0)}
			},
			plan: "held: web-0 (RegionOne/az-1 is not available)",
		},
		{
			name: "bakes",
			policy: func(p *Policy) {
				outdated("1")(p)
				p.Update.Pause = time.Hour
				p.Templates = Templates{placement.Place{}: image("b"), {Region: "RegionOne", Zone: "az-1"}: image("a")}
			},
			seen: func(s Seen) { s.Baking["web-0"] = true },
			plan: "bakes: web-0 must be in service for longer",
		},
		{
			name: "nothing bakes once pause is taken away",
			policy: func(p *Policy) {
				outdated("1")(p)
				p.Templates = Templates{placement.Place{}: image("b"), {Region: "RegionOne", Zone: "az-1"}: image("a")}
			},
			seen: func(s Seen) { s.Baking["web-0"] = true },
			plan: "batch 2 of 6: web-1 leaves; web-6 comes", looked: "behind: the next plan replaces 1 of 5 nodes",
		},
		{
			name: "protected nodes",
			policy: func(p *Policy) {
				outdated("6")(p)
				p.Protected = []string{"web-0", "web-1", "web-2", "web-3", "web-4", "web-5"}
			},
			plan: "in step except for protected nodes: web-0 is listed as protected, web-1 is listed as protected, " +
				"web-2 is listed as protected, web-3 is listed as protected, web-4 is listed as protected and 1 more",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := policy(6)
			p.Templates, p.Update = images("a"), update("1", Outdated)
			r := six(t, image("a"))
			c.policy(&p)
			seen := running(r)
			if c.seen != nil {
				c.seen(seen)
			}
			_, change, err := Plan(r, seen, p)
			require.NoError(t, err)
			assert.Equal(t, c.plan, change.Status(p, 2))
			looked := c.looked
			if looked == "" {
				looked = c.plan
			}
			assert.Equal(t, looked, change.Status(p, 0))
		})
	}
}

// TestStatusReverted has those of a template that failed, whatever else a plan does.
func TestStatusReverted(t *testing.T) {
	for want, r := range map[string]*Reverted{
		"reverted: the template of web-8 failed":                                {Nodes: []string{"web-8"}},
		"reverted: the template of web-8 failed, 1 node goes back":              {Nodes: []string{"web-8"}, Back: []string{"web-8"}},
		"reverted: the template of web-8, web-9 failed, 2 nodes go back":        {Nodes: []string{"web-8", "web-9"}, Back: []string{"web-8", "web-9"}},
		"held: the template of web-8 failed, and none is settled to go back to": {Nodes: []string{"web-8"}, Holds: true},
	} {
		change := Change{Reverted: r, Remaining: 2}
		assert.Equal(t, want, change.Status(policy(6), 1))
	}
}
