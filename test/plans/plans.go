// Package plans has clusters, and tables of plans, for the tests of the planner's rooms.
package plans

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/amount"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stretchr/testify/require"
)

// Close closes a region of a policy, or a zone of it.
func Close(p *roster.Policy, region, zone string) {
	for i := range p.Regions {
		r := &p.Regions[i]
		if r.Name != region {
			continue
		}
		r.Maintenance = r.Maintenance || zone == ""
		for j := range r.Zones {
			r.Zones[j].Maintenance = r.Zones[j].Maintenance || r.Zones[j].Name == zone
		}
	}
}

// Six is a cluster of six nodes: web-0 to web-2 in the zones of RegionOne, web-3 and web-4 in RegionTwo/az-1, web-5 in
// az-2.
func Six(t testing.TB, template roster.Template) roster.Roster {
	p := Policy(6)
	if template != "" {
		p.Templates = roster.Templates{placement.Place{}: template}
	}
	plan, err := decide.Plan(roster.Roster{}, roster.Seen{}, p)
	require.NoError(t, err)
	return Gone(plan.Next)
}

// Bin is a place without a maximum.
func Bin(name string, weight int64) placement.Bin {
	return placement.Bin{Name: name, Weight: weight, Cap: placement.Unlimited}
}

// TwoRegions has RegionOne with az-1 to az-3 and RegionTwo with az-1 and az-2.
func TwoRegions() []placement.Region {
	return []placement.Region{
		{Bin: Bin("RegionOne", 100), Zones: []placement.Bin{Bin("az-1", 100), Bin("az-2", 100), Bin("az-3", 100)}},
		{Bin: Bin("RegionTwo", 100), Zones: []placement.Bin{Bin("az-1", 100), Bin("az-2", 100)}},
	}
}

// Web is the name of a node.
func Web(index int64) string { return fmt.Sprintf("web-%d", index) }

// Policy wants a number of nodes in two regions.
func Policy(capacity int64) roster.Policy {
	return roster.Policy{Name: Web, Capacity: capacity, Regions: TwoRegions(), Criteria: deletion.OldestFirst}
}

// Amount reads an amount, which must be one.
func Amount(text string) amount.Amount {
	a, err := amount.Parse(text)
	if err != nil {
		panic(err)
	}
	return a
}

// Update replaces nodes for the causes, in batches of a size.
func Update(batch string, causes ...roster.Cause) *roster.Update {
	return &roster.Update{Causes: causes, BatchSize: Amount(batch), Target: Amount("100%"), StopAbove: Amount("50%")}
}

// ByUpdate has an update replace its nodes with another method.
func ByUpdate(u *roster.Update, method string) *roster.Update {
	u.Method = method
	return u
}

// Running gives each node of a roster a healthy server with the node's mark, older for lower indices, and has the
// roster look at it.
func Running(r roster.Roster) roster.Seen {
	seen := roster.NewSeen()
	for name, n := range r.Nodes {
		n.Doubt = false
		r.Nodes[name] = n
		seen.Servers[name] = node.Node{ID: "id-" + name, Name: name, Status: "ACTIVE", InService: string(n.Mark),
			CreatedAt: time.Date(2026, 11, 1, 0, 0, int(n.Index), 0, time.UTC)}
	}
	return seen
}

// ChangeSeen changes what was seen of servers, by their names.
func ChangeSeen(s roster.Seen, names string, change func(*node.Node)) {
	for name := range strings.FieldsSeq(names) {
		server, there := s.Servers[name]
		if !there {
			panic(name + " has no server")
		}
		change(&server)
		s.Servers[name] = server
	}
}

// ChangeRoster changes nodes, by their names.
func ChangeRoster(r roster.Roster, names string, change func(*roster.Node)) {
	for name := range strings.FieldsSeq(names) {
		n := r.Nodes[name]
		change(&n)
		r.Nodes[name] = n
	}
}

// LoseSeen makes the server of a node missing.
func LoseSeen(s roster.Seen, name string) {
	delete(s.Servers, name)
	s.Missing[name] = true
}

// Layout shows a roster as "RegionOne/az-1: web-0 web-4; ...", with the images of nodes unless they have the first one:
// web-5@b.
func Layout(r roster.Roster) string {
	places := map[string][]string{}
	for _, name := range r.Names() {
		n := r.Nodes[name]
		if image := n.Template.Values()["image"]; image != "" && image != "a" && image != "1" {
			name += "@" + image
		}
		places[n.String()] = append(places[n.String()], name)
	}
	var lines []string
	for _, at := range slices.Sorted(maps.Keys(places)) {
		lines = append(lines, at+": "+strings.Join(places[at], " "))
	}
	return strings.Join(lines, "; ")
}

// Moves shows a change as "+web-6 ^web-7 -web-0 ~web-3": the nodes that come, return, leave and change.
func Moves(change say.Change) string {
	var list []string
	for i, outcome := range []verdict.Outcome{verdict.Comes, verdict.Returns, verdict.Leaves, verdict.Changes} {
		for _, name := range change.With(outcome).Names() {
			list = append(list, "+^-~"[i:i+1]+name)
		}
	}
	return strings.Join(list, " ")
}

// Listed names the nodes of verdicts.
func Listed(verdicts verdict.List) string { return strings.Join(verdicts.Names(), " ") }

// ThreeZones returns a region with three zones.
func ThreeZones() []placement.Region {
	return []placement.Region{{Bin: Bin("R", 100), Zones: []placement.Bin{Bin("az-1", 100), Bin("az-2", 100),
		Bin("az-3", 100)}}}
}

// The faults of servers for which Nova's scheduler found no host.
const (
	NoHost  = "No valid host was found. There are not enough hosts available."
	NoRetry = "Exceeded maximum number of retries. Exhausted all hosts available for retrying build failures for " +
		"instance 1."
)

// Image is a template of an image.
func Image(name string) roster.Template { return roster.NewTemplate(map[string]string{"image": name}) }

// Images has the template of an image for all places.
func Images(name string) roster.Templates { return roster.Templates{placement.Place{}: Image(name)} }

// Gone returns the roster after the servers of leaving nodes are deleted, and all others have served.
func Gone(r roster.Roster) roster.Roster {
	r = r.Clone()
	clear(r.Leaving)
	for name, n := range r.Nodes {
		n.Served, n.Doubt = true, false
		r.Nodes[name] = n
	}
	return r
}

// Cluster makes a roster of nodes such as "web-0 RegionOne/az-1 2", in which the number is the image of the node's
// template. Templates are ordered by their numbers.
func Cluster(t *testing.T, nodes ...string) roster.Roster {
	t.Helper()
	r := roster.Roster{Nodes: map[string]roster.Node{}}
	for i, text := range nodes {
		n := roster.Node{Index: int64(i), Generation: 1, Served: true}
		var number string
		if _, err := fmt.Sscanf(text, "%s %s", &n.Region, &number); err != nil {
			t.Fatal(err)
		}
		n.Region, n.Zone, _ = strings.Cut(n.Region, "/")
		n.Template = Image(number)
		n.Mark = roster.MarkOf(1, n.Template)
		r.Nodes[Web(n.Index)] = n
		r.Next = n.Index + 1
	}
	for _, number := range []string{"1", "2", "3"} {
		r.Order = append(r.Order, Image(number))
	}
	return r
}

// Titles lists the titles of notices.
func Titles(notices []say.Notice) (list []string) {
	for _, n := range notices {
		list = append(list, n.Title)
	}
	return list
}
