package roster

import (
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestUnwell: a node whose service is unhealthy is not in service, and unhealthy;
// one whose server is off is only not in service.
func TestUnwell(t *testing.T) {
	for _, c := range []struct {
		server             node.Node
		trouble, unhealthy string
	}{
		{node.Node{Status: "ACTIVE", InService: "1"}, "", ""},
		{node.Node{Status: "PASSWORD", InService: "1"}, "", ""},
		{node.Node{Status: "VERIFY_RESIZE", InService: "1"}, "", ""},
		{node.Node{Status: "ACTIVE", InService: "1", Deleting: true}, "its server is being deleted", ""},
		{node.Node{Status: "ACTIVE", InService: "1", Unwell: "503"}, "its service is unhealthy (503)", "its service is unhealthy (503)"},
		{node.Node{Status: "SHUTOFF", InService: "1", Unwell: "503"}, "its server is in SHUTOFF", ""},
		{node.Node{Status: "ACTIVE", InService: "1", Unwell: "503", Tainted: true}, "its service is unhealthy (503)", "it is marked as tainted"},
	} {
		seen := NewSeen()
		seen.Servers["web-0"] = c.server
		f := factOf("web-0", Node{Mark: "1"}, Roster{}, seen, Policy{RequireMarks: true})
		assert.Equal(t, c.trouble, f.why(), "%+v", c.server)
		assert.Equal(t, c.unhealthy != "", f.unhealthy(), "%+v", c.server)
	}
}

// TestMayServe: a node whose mark somebody wiped, or whose server did not follow it, may serve. It waits as others that
// serve do, and those that did not follow do not wait for each other.
func TestMayServe(t *testing.T) {
	wipe := func(n *node.Node) { n.InService = "" }
	former := func(names string) func(*Roster) {
		return func(r *Roster) {
			r.change(names, func(n *Node) { n.Generation, n.Mark, n.Served = 2, n.Mark.next(n.Template), false })
		}
	}
	built := func(names string) func(Seen) {
		return func(s Seen) {
			for name := range strings.FieldsSeq(names) {
				s.Builds[name] = Build{mark(image("a")), 1, ""}
			}
		}
	}
	plans(t, func(p *Policy) { p.Update, p.RequireMarks = update("1", Outdated), true }, []planned{
		{name: "one without a mark waits for pause", policy: func(p *Policy) {
			p.Templates = Templates{placement.Place{}: image("b"), {Region: "RegionOne", Zone: "az-1"}: image("a")}
			p.Update.Pause = time.Hour
		}, seen: func(s Seen) {
			s.Baking["web-0"] = true
			s.change("web-1 web-2 web-3 web-4 web-5", wipe)
		}, remaining: 5, notices: []Title{BatchBakes}},
		{name: "one without a mark and with the wanted template waits for another", policy: func(p *Policy) { p.Update.Causes = []Cause{TooOld} },
			seen: func(s Seen) {
				s.change("web-0 web-1", wipe)
				s.Aged["web-0"] = Aged{mark(image("a")), time.Unix(1<<30, 0)}
			}, remaining: 1, notices: []Title{BatchWaits}},
		{name: "of two that did not follow one is made again, when both are named", roster: former("web-0 web-1"), seen: built("web-0 web-1"),
			update: update("1", Outdated).by(Recreate), policy: func(p *Policy) { p.Candidates = []string{"web-0", "web-1"} },
			moves: "~web-1", remaining: 1, notices: []Title{NotFollowed}},
		{name: "and waits for one in a closed region, where nobody looks", closed: "RegionTwo", roster: former("web-0 web-3"), seen: built("web-0 web-3"),
			update: update("3", Outdated).by(Recreate), policy: func(p *Policy) { p.Candidates = []string{"web-0"} },
			remaining: 1, told: "...web-3 (RegionTwo is closed), web-4 (RegionTwo is closed), web-5 (RegionTwo is closed)..."},
	})
}

// TestLater: what should be replaced later does not count on those that leave: by then none can come back. A node that
// never served says why it should be replaced, whatever holds it.
func TestLater(t *testing.T) {
	r, p := six(t, image("a")), policy(6)
	r.change("web-0", func(n *Node) { n.Served = false })
	seen := running(r)
	seen.change("web-0", func(s *node.Node) { s.InService, s.NotInService = "", string(mark(image("a"))) })
	r.Leaving["web-9"] = Node{Index: 9, Place: r.Nodes["web-0"].Place, Template: image("b"), Generation: 1, Mark: mark(image("b")), Served: true}
	seen.Servers["web-9"] = node.Node{ID: "id-web-9", Name: "web-9", Status: "ACTIVE", InService: string(mark(image("b")))}
	p.RequireMarks, p.Templates, p.Update = true, images("b"), update("1", Outdated) // which failed, and nothing is settled
	p.Update.RevertAfter, r.Failed = time.Minute, []Failure{{image("b").hash(), "web-9", time.Hour}}
	_, change, err := Plan(r, seen, p)
	require.NoError(t, err)
	assert.EqualValues(t, 6, change.Remaining)
	const never = "TEMPLATE in RegionOne/az-1: it has image a, new nodes get b; it never served; "
	assert.Equal(t, never+"the template that it should get failed, and none is settled", held(change.Verdicts, HeldFailed)[0].Reason)
	p.Begins, r.Failed = true, nil
	_, change, err = Plan(r, seen, p)
	require.NoError(t, err)
	assert.Equal(t, never+"the update begins with the next apply", held(change.Verdicts, HeldBegins)[0].Reason)
}
