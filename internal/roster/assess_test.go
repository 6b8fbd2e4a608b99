package roster

import (
	"fmt"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stretchr/testify/assert"
)

// TestUnwell: a node whose service is unhealthy is not in service, and unhealthy;
// one whose server is off is only not in service.
func TestUnwell(t *testing.T) {
	for _, c := range []struct {
		server             node.Node
		trouble, unhealthy string
	}{
		{node.Node{Status: "ACTIVE", InService: "1"}, "", ""},
		{node.Node{Status: "ACTIVE", InService: "1", Unwell: "503"}, "its service is unhealthy (503)", "its service is unhealthy (503)"},
		{node.Node{Status: "SHUTOFF", InService: "1", Unwell: "503"}, "its server is in SHUTOFF", ""},
		{node.Node{Status: "ACTIVE", InService: "1", Unwell: "503", Tainted: true}, "its service is unhealthy (503)", "it is marked as tainted"},
	} {
		seen := NewSeen()
		seen.Servers["web-0"] = c.server
		f := factOf("web-0", Node{Mark: "1"}, Roster{}, seen, Policy{RequireMarks: true})
		assert.Equal(t, c.trouble, f.trouble, "%+v", c.server)
		assert.Equal(t, c.unhealthy, f.unhealthy, "%+v", c.server)
	}
}

// TestMayServe: a node whose mark somebody wiped, or whose server did not follow it, may serve. It waits as others that
// serve do, and those that did not follow do not wait for each other.
func TestMayServe(t *testing.T) {
	wipe := func(s Seen, name string) { s.change(name, func(n *node.Node) { n.InService = "" }) }
	for _, c := range []struct {
		name   string
		change func(*Roster, Seen, *Policy)
		want   string // held nodes with why, and what is replaced
	}{
		{
			name: "one without a mark waits for pause",
			change: func(r *Roster, s Seen, p *Policy) {
				p.Templates = Templates{placement.Place{}: image("b"), {Region: "RegionOne", Zone: "az-1"}: image("a")}
				s.Baking["web-0"], p.Update.Pause = true, time.Hour
				for _, name := range r.Names()[1:] {
					wipe(s, name)
				}
			},
			want: "[web-1:bakes web-2:bakes web-3:bakes web-4:bakes web-5:bakes] []",
		},
		{
			name: "one without a mark and with the wanted template waits for another",
			change: func(_ *Roster, s Seen, p *Policy) {
				p.Update = update("1", TooOld)
				wipe(s, "web-0")
				wipe(s, "web-1")
				s.Aged["web-0"] = Aged{mark(image("a")), time.Unix(1<<30, 0)}
			},
			want: "[web-0:waits] []",
		},
		{
			name: "of two that did not follow one is made again, when both are named",
			change: func(r *Roster, s Seen, p *Policy) {
				p.Update.Method, p.Candidates = Recreate, []string{"web-0", "web-1"}
				for _, name := range p.Candidates {
					n := r.Nodes[name]
					n.Generation, n.Mark, n.Served = 2, n.Mark.next(n.Template), false
					r.Nodes[name] = n
					s.Builds[name] = Build{mark(n.Template), 1, ""}
					s.change(name, func(server *node.Node) { server.InService = string(n.Mark) })
				}
			},
			want: "[web-0:batch] [web-1]",
		},
	} {
		p := policy(6)
		p.Templates, p.Update, p.RequireMarks = images("a"), update("1", Outdated), true
		r := six(t, image("a"))
		seen := running(r)
		c.change(&r, seen, &p)
		_, change, err := Plan(r, seen, p)
		holds := []string{}
		for _, v := range change.Of(Held) {
			holds = append(holds, v.Name+":"+string(v.Hold))
		}
		assert.NoError(t, err, c.name)
		assert.Equal(t, c.want, fmt.Sprint(holds, append(change.Names(Leaves), change.Names(Changes)...)), c.name)
	}
}
