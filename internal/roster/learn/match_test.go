package learn_test

import (
	"maps"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
	"github.com/stretchr/testify/assert"
)

// TestMatchOpen: nodes of closed regions, including leaving nodes, stay as they are, with the result of the look
// before.
func TestMatchOpen(t *testing.T) {
	at := func(region string, index int64) roster.Node {
		return roster.Node{Index: index, Place: placement.Place{Region: region, Zone: "az-1"}, Mark: "2"}
	}
	r := roster.Roster{
		Nodes:   map[string]roster.Node{"web-0": at("R1", 0), "web-1": at("R2", 1), "web-2": at("R2", 2), "web-5": at("R2", 5)},
		Leaving: map[string]roster.Node{"web-3": at("R2", 3), "web-4": at("R1", 4)},
	}
	before := roster.NewSeen()
	before.Servers["web-1"] = node.Node{ID: "one", Name: "web-1", Status: "ERROR"}
	before.Servers["web-3"] = node.Node{ID: "three", Name: "web-3", Status: "ACTIVE"}
	before.Missing["web-2"] = true
	before.Builds["web-1"] = roster.Build{Mark: "1", Generation: 1, Of: "a"}
	before.Baking["web-1"] = true
	next, seen, notices := learn.Match(r, []node.Node{{ID: "zero", Name: "web-0", Region: "R1", Zone: "az-1", Status: "ACTIVE"}}, before,
		func(region string) bool { return region == "R2" }, func(string) bool { return true })
	if len(next.Nodes) != 4 || len(next.Leaving) != 1 || next.Leaving["web-3"] != r.Leaving["web-3"] || len(say.Matched(notices)) > 0 {
		t.Errorf("nodes %v, leaving %v, told %v", next.Nodes, next.Leaving, notices)
	}
	if seen.Servers["web-0"].ID != "zero" || seen.Servers["web-1"].Status != "ERROR" || seen.Servers["web-3"].ID != "three" || seen.Looked("web-2") ||
		seen.Looked("web-5") || seen.Builds["web-1"] != before.Builds["web-1"] || seen.Baking["web-1"] {
		t.Errorf("seen %+v", seen)
	}
	learn.NoteTimes(&seen, next, roster.Policy{Update: plans.Update("1", roster.TooOld)}, time.Time{})
	if len(seen.Aged)+len(seen.Baking) > 0 {
		t.Errorf("told %+v", seen)
	}
}

// TestMatch checks which server belongs to a node, where the node is then, and the notices.
func TestMatch(t *testing.T) {
	server := func(id, region, zone, status string) node.Node {
		return node.Node{ID: id, Name: "web-0", Region: region, Zone: zone, Status: status}
	}
	born := func(s node.Node, second int) node.Node {
		s.CreatedAt = time.Date(2026, 11, 1, 0, 0, second, 0, time.UTC)
		return s
	}
	marked := func(s node.Node, carried string) node.Node {
		s.InService = carried
		return s
	}
	noted := func(s node.Node, carried string) node.Node {
		s.NotInService = carried
		return s
	}
	generation := func(s node.Node, of int64) node.Node {
		s.Generation = of
		return s
	}
	unmade := func(s node.Node) node.Node {
		s.Status, s.Unmade = "ERROR", true
		return generation(born(s, 9), 2)
	}
	a, b := server("a", "R1", "az-1", "ACTIVE"), server("b", "R1", "az-1", "ACTIVE")
	twice := []string{"Several servers have the name of one node"}
	for _, c := range []struct {
		name    string
		servers []node.Node
		before  string // id of the server of the last look
		id      string // id of the matched server, or ""
		zone    string // zone of the node afterwards
		notices []string
	}{
		{"where it belongs", []node.Node{a}, "", "a", "az-1", nil},
		{"none", nil, "", "", "az-1", nil},
		{"none any more", nil, "a", "", "az-1", []string{"A node has lost its server"}},
		{"in another region", []node.Node{server("a", "R2", "az-1", "ACTIVE")}, "", "", "az-1", nil},
		{"moved by an operator", []node.Node{server("a", "R1", "az-2", "ACTIVE")}, "a", "a", "az-2", nil},
		{"moved and stopped", []node.Node{server("a", "R1", "az-2", "SHUTOFF")}, "a", "a", "az-2", nil},
		{"on its way", []node.Node{server("a", "R1", "az-2", "MIGRATING")}, "a", "a", "az-1", nil},
		{"failed elsewhere", []node.Node{server("a", "R1", "az-2", "ERROR")}, "a", "a", "az-1", nil},
		{"in no zone yet", []node.Node{server("a", "R1", "", "ACTIVE")}, "", "a", "az-1", nil},
		{"two, one with the mark", []node.Node{born(noted(a, "0"), 9), marked(b, "1")}, "a", "b", "az-1", twice},
		{"a mark of another template is none", []node.Node{born(a, 9), marked(b, "1-deadbeef")}, "b", "a", "az-1", twice},
		{"a later mark, because this state is an older one", []node.Node{marked(a, "1"), marked(b, "2")}, "a", "b", "az-1", twice},
		{"two, one of its generation", []node.Node{born(marked(a, "0"), 9), generation(b, 2)}, "a", "b", "az-1", twice},
		{"but its wait noted the other", []node.Node{generation(noted(a, "1"), 1), generation(b, 2)}, "b", "a", "az-1", []string{"Servers belong to no node"}},
		{"two, one that its wait noted", []node.Node{born(marked(a, "0"), 9), noted(b, "1")}, "a", "b", "az-1", twice},
		{"two of its generation, the newer of which failed as it was made: the other serves", []node.Node{unmade(b), generation(marked(a, "1"),
			2)}, "a", "a", "az-1", twice},
		{"two, the newest", []node.Node{born(noted(a, "0"), 1), born(b, 9)}, "a", "b", "az-1", twice},
		{"two of one age, by id, and nobody waited for the other", []node.Node{b, a}, "", "a", "az-1", []string{"Servers belong to no node"}},
		{"somebody else's", []node.Node{{ID: "a", Name: "db-0", Region: "R1", Zone: "az-1", Status: "ACTIVE"}}, "", "", "az-1", nil},
	} {
		r := roster.Roster{Nodes: map[string]roster.Node{"web-0": {Place: placement.Place{Region: "R1", Zone: "az-1"}, Mark: "1", Generation: 2}}}
		before := roster.Seen{Servers: map[string]node.Node{}}
		if c.before != "" {
			before.Servers["web-0"] = node.Node{ID: c.before}
		}
		next, seen, notices := learn.Match(r, c.servers, before, nowhere, nowhere)
		assert.Equal(t, c.id, seen.Servers["web-0"].ID, "%s: matched", c.name)
		assert.Equal(t, c.id == "", seen.Missing["web-0"], "%s: whether its server is missing", c.name)
		assert.Equal(t, c.zone, next.Nodes["web-0"].Zone, "%s: the node belongs in", c.name)
		assert.Equal(t, "az-1", r.Nodes["web-0"].Zone, "%s: the roster that was given", c.name)
		assert.Equal(t, c.notices, plans.Titles(say.Matched(notices)), c.name)
	}
}

// TestMatchNotices has the notices word for word.
func TestMatchNotices(t *testing.T) {
	r := roster.Roster{Nodes: map[string]roster.Node{}}
	before := roster.Seen{Servers: map[string]node.Node{}}
	for i := range int64(7) {
		r.Nodes[plans.Web(i)] = roster.Node{Index: i, Place: placement.Place{Region: "R1", Zone: "az-1"}, Mark: "1"}
		before.Servers[plans.Web(i)] = node.Node{ID: "id-" + plans.Web(i)}
	}
	_, _, notices := learn.Match(r, []node.Node{
		{ID: "y", Name: "web-0", Region: "R1", Status: "ACTIVE"},
		{ID: "x", Name: "web-0", Region: "R1", Status: "ERROR", CreatedAt: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
		{ID: "v", Name: "web-0", Region: "R1", Status: "ACTIVE", InService: "1"},
	}, before, nowhere, func(string) bool { return true })
	want := []say.Notice{
		{Title: "Several servers have the name of one node", Text: "Several servers of one region have the name of one node: web-0 (v, x, y in R1). " +
			"The node's own is the one of its generation, with its mark, or else the newest. An apply that ends without " +
			"an error destroys those that Terraform has replaced. Others come from an apply that was killed, or a second state with the same cluster " +
			"name: terraform state show, with the address of the node's server, prints the id of the one that Terraform manages. Until only one is " +
			"left, the node counts as protected if one of them is, and as tainted only if all of them are."},
		{Title: "Servers belong to no node", Text: "Servers have names of nodes, and nobody has ever waited for them: web-0 (y in R1). An apply that " +
			"ends without an error destroys those that Terraform knows. If one is still there after it, the answer to its creation was lost. Nothing " +
			"waits for such a server, and nothing removes it: delete it (openstack server delete ID), or import it (terraform import " +
			"'ADDRESS[\"NODE\"]' ID) if its node has no other."},
		{Title: "A node has lost its server", Text: "The server of 6 nodes is not found any more: web-1 (server id-web-1, in R1/az-1), web-2 (server " +
			"id-web-2, in R1/az-1), web-3 (server id-web-3, in R1/az-1), web-4 (server id-web-4, in R1/az-1), web-5 (server id-web-5, in R1/az-1) and 1 " +
			"more. If it was deleted, Terraform makes it again, unless the plan replaces the node by another one. If it still runs, the selector leaves " +
			"it out, or it was renamed: correct that before you apply."},
	}
	assert.Equal(t, want, say.Matched(notices))
}

// TestMatchSeveral: if several servers have one name, the careful view counts, and the node does not follow any of them
// to another zone.
func TestMatchSeveral(t *testing.T) {
	r := roster.Roster{Nodes: map[string]roster.Node{"web-0": {Place: placement.Place{Region: "R1", Zone: "az-1"}, Mark: "2"}}}
	before := roster.Seen{Servers: map[string]node.Node{"web-0": {ID: "b"}}}
	own := node.Node{ID: "a", Name: "web-0", Region: "R1", Zone: "az-2", Status: "ACTIVE", InService: "2", Tainted: true}
	other := node.Node{ID: "b", Name: "web-0", Region: "R1", Zone: "az-3", Status: "ACTIVE", InService: "1", Locked: true, Protected: true}
	next, seen, _ := learn.Match(r, []node.Node{own, other}, before, nowhere, func(string) bool { return true })
	counts := own // the server with the node's mark counts; one server is locked and protected, and only one is tainted
	counts.Locked, counts.Protected, counts.Tainted = true, true, false
	assert.Equal(t, counts, seen.Servers["web-0"])
	assert.Equal(t, "az-1", next.Nodes["web-0"].Zone, "the node went to")
}

// TestMatchFollows: a node without a zone gets the zone of its server once its
// region lists zones, and a server that is in no zone for now leaves its node's.
func TestMatchFollows(t *testing.T) {
	anywhere := roster.Roster{Nodes: map[string]roster.Node{"web-0": {Place: placement.Place{Region: "R1"}}}}
	servers := []node.Node{{ID: "a", Name: "web-0", Region: "R1", Zone: "az-2", Status: "ACTIVE"}}
	for _, zoned := range []bool{false, true} {
		r, _, _ := learn.Match(anywhere, servers, roster.Seen{}, nowhere, func(region string) bool { return zoned && region == "R1" })
		assert.Equal(t, map[bool]string{true: "az-2"}[zoned], r.Nodes["web-0"].Zone, "zones listed: %v; the node is in", zoned)
	}
	for status, zone := range map[string]string{"ACTIVE": "az-2", "SHUTOFF": "az-2", "BUILD": "", "MIGRATING": "", "ERROR": ""} {
		servers[0].Status = status
		if _, seen, _ := learn.Match(anywhere, servers, roster.Seen{}, nowhere, nowhere); seen.Servers["web-0"].Zone != zone {
			t.Errorf("a server that is %s is seen in %q", status, seen.Servers["web-0"].Zone)
		}
	}
	servers[0].Status = "ACTIVE"
	shelved := []node.Node{{ID: "a", Name: "web-0", Region: "R1", Status: "SHELVED_OFFLOADED"}}
	r := roster.Roster{Nodes: map[string]roster.Node{"web-0": {Place: placement.Place{Region: "R1", Zone: "az-1"}}}}
	r, _, _ = learn.Match(r, shelved, roster.Seen{}, nowhere, func(string) bool { return true })
	if n := r.Nodes["web-0"]; !n.Unplaced || n.Zone != "az-1" {
		t.Errorf("shelved: got %+v", n)
	}
	for status, zone := range map[string]string{"SHELVED_OFFLOADED": "az-1", "BUILD": ""} {
		shelved[0].Status, shelved[0].Zone = status, zone
		if got, _, _ := learn.Match(r, shelved, roster.Seen{}, nowhere, func(string) bool { return true }); got.Nodes["web-0"].Unplaced {
			t.Errorf("a server that is %s, in the zone %q, is in none", status, zone)
		}
	}
	servers[0].Zone = "az-1"
	if r, _, _ = learn.Match(r, servers, roster.Seen{}, nowhere, func(string) bool { return true }); r.Nodes["web-0"].Unplaced {
		t.Error("the server is back, and the node has no zone")
	}
}

// TestMatchChanges: a change in place is remembered until a look shows that it was carried out: the server was rebuilt or
// launched since, or carries the node's new mark.
func TestMatchChanges(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	server := func(build, mark string, launched time.Duration) []node.Node {
		return []node.Node{{ID: "a", Name: "web-0", Region: "R1", Status: "ACTIVE", Build: build, InService: mark, InServiceAt: noon,
			LaunchedAt: noon.Add(launched)}}
	}
	for _, c := range []struct {
		name    string
		looks   [][]node.Node // the first ones are from before the change
		pending bool
	}{
		{"its server is the same", [][]node.Node{server("old", "1", -1), server("old", "1", -1)}, true},
		{"it lost its mark", [][]node.Node{server("old", "1", -1), server("old", "", -1)}, true},
		{"a look left it out", [][]node.Node{server("old", "1", -1), nil, server("old", "", -1)}, true},
		{"it was rebuilt", [][]node.Node{server("old", "1", -1), server("new", "1", 1)}, false},
		{"the new template changes no server", [][]node.Node{server("old", "1", -1), server("old", "2", -1)}, false},
		{"it was not found before, and is older than its mark", [][]node.Node{nil, server("old", "1", -1)}, true},
		{"it was not found before, and was launched since", [][]node.Node{nil, server("new", "1", 1)}, false},
		{"it was not found before, and nobody knows", [][]node.Node{nil, server("old", "", -1)}, false},
	} {
		r := roster.Roster{Nodes: map[string]roster.Node{"web-0": {Place: placement.Place{Region: "R1"}, Mark: "1"}}}
		seen := roster.NewSeen()
		for i, look := range c.looks {
			if i == len(c.looks)-1 {
				r.Before = maps.Clone(r.Nodes)
				r.Nodes["web-0"] = roster.Node{Place: placement.Place{Region: "R1"}, Mark: "2"}
			}
			r, seen, _ = learn.Match(r, look, seen, nowhere, nowhere)
		}
		assert.Equal(t, c.pending, r.Before["web-0"].Mark != "", c.name)
	}
}

// nowhere is so of no region.
func nowhere(string) bool { return false }
