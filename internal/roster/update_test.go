package roster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
)

// What Nova says where its scheduler finds no host.
const (
	noHost  = "No valid host was found. There are not enough hosts available."
	noRetry = "Exceeded maximum number of retries. Exhausted all hosts available for retrying build failures for instance 1."
)

func image(name string) Template { return Template{"image": name} }

// TestLifeOfAnUpdate follows one cluster of six nodes through rollouts, canaries,
// repairs and moves. Each step starts from the one before, with all servers in
// service unless it says otherwise.
func TestLifeOfAnUpdate(t *testing.T) {
	var r Roster
	for _, step := range []struct {
		name                      string
		policy                    func(*Policy)
		seen                      func(Seen)
		created, removed, revised string
		nodes                     string
		remaining                 int64
		notices                   []Title
	}{
		{name: "six nodes of the first template", policy: func(p *Policy) { p.Update = nil },
			created: "web-0 web-1 web-2 web-3 web-4 web-5",
			nodes:   "RegionOne/az-1: web-0; RegionOne/az-2: web-1; RegionOne/az-3: web-2; RegionTwo/az-1: web-3 web-4; RegionTwo/az-2: web-5"},
		{name: "another template touches no node by itself", policy: func(p *Policy) { p.Update, p.Template = nil, image("b") },
			nodes: "RegionOne/az-1: web-0; RegionOne/az-2: web-1; RegionOne/az-3: web-2; RegionTwo/az-1: web-3 web-4; RegionTwo/az-2: web-5"},
		{name: "a new update replaces nothing yet", policy: func(p *Policy) { p.Template, p.Update.New = image("b"), true },
			nodes:     "RegionOne/az-1: web-0; RegionOne/az-2: web-1; RegionOne/az-3: web-2; RegionTwo/az-1: web-3 web-4; RegionTwo/az-2: web-5",
			remaining: 6, notices: []Title{UpdateBegins}},
		{name: "a canary of 30 % is two nodes", policy: func(p *Policy) { p.Template, p.Update.Target = image("b"), amount("30%") },
			created: "web-6 web-7", removed: "web-0 web-3",
			nodes: "RegionOne/az-1: web-6@2; RegionOne/az-2: web-1; RegionOne/az-3: web-2; RegionTwo/az-1: web-4 web-7@2; RegionTwo/az-2: web-5"},
		{name: "and stays two", policy: func(p *Policy) { p.Template, p.Update.Target = image("b"), amount("30%") },
			nodes: "RegionOne/az-1: web-6@2; RegionOne/az-2: web-1; RegionOne/az-3: web-2; RegionTwo/az-1: web-4 web-7@2; RegionTwo/az-2: web-5"},
		{name: "raised to half it is three", policy: func(p *Policy) { p.Template, p.Update.Target = image("b"), amount("50%") },
			created: "web-8", removed: "web-1",
			nodes: "RegionOne/az-1: web-6@2; RegionOne/az-2: web-8@2; RegionOne/az-3: web-2; RegionTwo/az-1: web-4 web-7@2; RegionTwo/az-2: web-5"},
		{name: "lowered it replaces nothing back", policy: func(p *Policy) { p.Template, p.Update.Target = image("b"), amount("1") },
			nodes: "RegionOne/az-1: web-6@2; RegionOne/az-2: web-8@2; RegionOne/az-3: web-2; RegionTwo/az-1: web-4 web-7@2; RegionTwo/az-2: web-5"},
		{name: "a rollback is the old revision, in batches of two", policy: func(*Policy) {},
			created: "web-9 web-10", removed: "web-6 web-7",
			nodes:     "RegionOne/az-1: web-9; RegionOne/az-2: web-8@2; RegionOne/az-3: web-2; RegionTwo/az-1: web-4 web-10; RegionTwo/az-2: web-5",
			remaining: 1},
		{name: "a third template, while one node is of the second: that one first", policy: func(p *Policy) { p.Template = image("c") },
			created: "web-11 web-12", removed: "web-4 web-8",
			nodes:     "RegionOne/az-1: web-9; RegionOne/az-2: web-11@3; RegionOne/az-3: web-2; RegionTwo/az-1: web-10 web-12@3; RegionTwo/az-2: web-5",
			remaining: 4},
		{name: "which is bad: its nodes never get ready, and nothing goes on", policy: func(p *Policy) { p.Template = image("c") },
			seen: func(s Seen) {
				s.change("web-11", func(n *node.Node) { n.InService = 0 })
				s.change("web-12", func(n *node.Node) { n.InService = 2 })
			},
			nodes:     "RegionOne/az-1: web-9; RegionOne/az-2: web-11@3; RegionOne/az-3: web-2; RegionTwo/az-1: web-10 web-12@3; RegionTwo/az-2: web-5",
			remaining: 4, notices: []Title{BatchWaits}},
		{name: "one that is in ERROR is replaced, which takes nothing from service", policy: func(p *Policy) { p.Template = image("c") },
			seen: func(s Seen) {
				s.change("web-11", func(n *node.Node) { n.InService = 0 })
				s.change("web-12", func(n *node.Node) { n.Status = "ERROR" })
			},
			created: "web-13", removed: "web-12",
			nodes:     "RegionOne/az-1: web-9; RegionOne/az-2: web-11@3; RegionOne/az-3: web-2; RegionTwo/az-1: web-10 web-13@3; RegionTwo/az-2: web-5",
			remaining: 4, notices: []Title{BatchWaits}},
		{name: "fixed: the bad ones first", policy: func(p *Policy) { p.Template = image("d") },
			seen: func(s Seen) {
				s.change("web-11", func(n *node.Node) { n.InService = 0 })
				s.lose("web-13")
			},
			created: "web-14 web-15", removed: "web-11 web-13",
			nodes:     "RegionOne/az-1: web-9; RegionOne/az-2: web-14@4; RegionOne/az-3: web-2; RegionTwo/az-1: web-10 web-15@4; RegionTwo/az-2: web-5",
			remaining: 4},
		{name: "the rest, with one protected", policy: func(p *Policy) { p.Template, p.Protected = image("d"), []string{"web-2"} },
			created: "web-16 web-17", removed: "web-9 web-10",
			nodes:     "RegionOne/az-1: web-16@4; RegionOne/az-2: web-14@4; RegionOne/az-3: web-2; RegionTwo/az-1: web-15@4 web-17@4; RegionTwo/az-2: web-5",
			remaining: 1, notices: []Title{ProtectedOutdated}},
		{name: "growth does not wait for the batch, nor the batch for it", policy: func(p *Policy) { p.Template, p.Capacity = image("d"), 8 },
			created: "web-18 web-19 web-20 web-21", removed: "web-2 web-5",
			nodes: "RegionOne/az-1: web-16@4 web-18@4; RegionOne/az-2: web-14@4; RegionOne/az-3: web-19@4; RegionTwo/az-1: web-15@4 web-17@4; RegionTwo/az-2: web-20@4 web-21@4"},
		{name: "what was grown and not looked at counts", policy: func(p *Policy) { p.Template, p.Capacity = image("e"), 8 },
			created: "web-22 web-23", removed: "web-15 web-16",
			nodes:     "RegionOne/az-1: web-18@4 web-22@5; RegionOne/az-2: web-14@4; RegionOne/az-3: web-19@4; RegionTwo/az-1: web-17@4 web-23@5; RegionTwo/az-2: web-20@4 web-21@4",
			remaining: 6},
		{name: "a shrink takes what is not in service, and the batch goes on", policy: func(p *Policy) { p.Template = image("e") },
			seen: func(s Seen) {
				s.change("web-20", func(n *node.Node) { n.Status = "ERROR" })
				s.lose("web-19")
			},
			created: "web-24 web-25", removed: "web-17 web-18 web-19 web-20",
			nodes:     "RegionOne/az-1: web-22@5; RegionOne/az-2: web-14@4; RegionOne/az-3: web-24@5; RegionTwo/az-1: web-23@5 web-25@5; RegionTwo/az-2: web-21@4",
			remaining: 2},
		{name: "in place a node keeps its name and place", policy: func(p *Policy) { p.Template, p.Update.InPlace = image("e"), true },
			revised: "web-14 web-21",
			nodes:   "RegionOne/az-1: web-22@5; RegionOne/az-2: web-14@5; RegionOne/az-3: web-24@5; RegionTwo/az-1: web-23@5 web-25@5; RegionTwo/az-2: web-21@5"},
		{name: "with the mark of its old revision it is under way", policy: func(p *Policy) { p.Template, p.Update.InPlace = image("f"), true },
			seen: func(s Seen) {
				for _, name := range []string{"web-14", "web-21"} {
					s.change(name, func(n *node.Node) { n.InService = 4 })
				}
			},
			revised:   "web-14 web-21",
			nodes:     "RegionOne/az-1: web-22@5; RegionOne/az-2: web-14@6; RegionOne/az-3: web-24@5; RegionTwo/az-1: web-23@5 web-25@5; RegionTwo/az-2: web-21@6",
			remaining: 4},
		{name: "a repair: Nova found no host in one zone, so the substitute goes elsewhere", policy: func(p *Policy) { p.Template = image("f"); p.Update.Target = amount("0") },
			seen: func(s Seen) {
				s.change("web-22", func(n *node.Node) { n.Status, n.Fault = "ERROR", noHost })
				s.change("web-25", func(n *node.Node) { n.Tainted = true })
			},
			created: "web-26 web-27", removed: "web-22 web-25",
			nodes: "RegionOne/az-2: web-14@6 web-26@6; RegionOne/az-3: web-24@5; RegionTwo/az-1: web-23@5 web-27@6; RegionTwo/az-2: web-21@6"},
		{name: "too many unhealthy nodes are an outage, and the rollout goes on", policy: func(p *Policy) { p.Template = image("f") },
			seen: func(s Seen) {
				for _, name := range []string{"web-14", "web-21", "web-26", "web-27"} {
					s.change(name, func(n *node.Node) { n.Tainted = true })
				}
			},
			created: "web-28 web-29", removed: "web-14 web-23",
			nodes: "RegionOne/az-1: web-28@6; RegionOne/az-2: web-26@6; RegionOne/az-3: web-24@5; RegionTwo/az-1: web-27@6 web-29@6; RegionTwo/az-2: web-21@6", remaining: 1,
			notices: []Title{TooManyUnhealthy}},
		{name: "a dropped zone empties in batches", policy: func(p *Policy) {
			p.Template = image("f")
			p.Regions[1].Zones = p.Regions[1].Zones[1:]
		},
			created: "web-30 web-31", removed: "web-27 web-29",
			nodes: "RegionOne/az-1: web-28@6; RegionOne/az-2: web-26@6; RegionOne/az-3: web-24@5; RegionTwo/az-2: web-21@6 web-30@6 web-31@6", remaining: 1},
		{name: "to its last node", policy: func(p *Policy) {
			p.Template = image("f")
			p.Regions[1].Zones = p.Regions[1].Zones[1:]
		},
			created: "web-32", removed: "web-24",
			nodes: "RegionOne/az-1: web-28@6; RegionOne/az-2: web-26@6; RegionOne/az-3: web-32@6; RegionTwo/az-2: web-21@6 web-30@6 web-31@6"},
		{name: "listed again it takes nodes again", policy: func(p *Policy) { p.Template = image("f") },
			created: "web-33", removed: "web-21",
			nodes: "RegionOne/az-1: web-28@6; RegionOne/az-2: web-26@6; RegionOne/az-3: web-32@6; RegionTwo/az-1: web-33@6; RegionTwo/az-2: web-30@6 web-31@6"},
		{name: "where no room is for a substitute the others go on", policy: func(p *Policy) {
			p.Template = image("f")
			for i, most := range []int64{1, 1, 1} {
				p.Regions[0].Zones[i].Cap = most
			}
			p.Regions[1].Zones[0].Cap, p.Regions[1].Zones[1].Cap = 1, 2
		},
			seen: func(s Seen) {
				s.change("web-28", func(n *node.Node) { n.Status, n.Fault = "ERROR", noRetry })
				s.change("web-30", func(n *node.Node) { n.Tainted = true })
			},
			created: "web-34", removed: "web-30", remaining: 1, notices: []Title{NoRoom},
			nodes: "RegionOne/az-1: web-28@6; RegionOne/az-2: web-26@6; RegionOne/az-3: web-32@6; RegionTwo/az-1: web-33@6; RegionTwo/az-2: web-31@6 web-34@6"},
	} {
		p := policy(6)
		p.Template, p.Update = image("a"), update("2", Unhealthy, Misplaced, Outdated)
		p.Update.RequireInService = true
		step.policy(&p)
		seen := running(r)
		if step.seen != nil {
			step.seen(seen)
		}
		next, change, err := Plan(r, seen, p)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		for _, c := range []struct{ what, got, want string }{
			{"created", strings.Join(change.Created, " "), step.created},
			{"removed", namesOf(change.Departed), step.removed},
			{"revised", namesOf(change.Revised), step.revised},
			{"remaining", fmt.Sprint(change.Remaining), fmt.Sprint(step.remaining)},
			{"notices", fmt.Sprint(titles(change.Notices)), fmt.Sprint(step.notices)},
			{"nodes", layout(next), step.nodes},
		} {
			if c.got != c.want {
				t.Errorf("%s: %s: got\n%s, want\n%s", step.name, c.what, c.got, c.want)
			}
		}
		r = next
	}
}

func titles(notices []Notice) (list []Title) {
	for _, n := range notices {
		list = append(list, n.Title)
	}
	return list
}
