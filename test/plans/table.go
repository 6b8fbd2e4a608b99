package plans

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Planner makes a plan and its sentences.
type Planner func(roster.Roster, roster.Seen, roster.Policy) (roster.Roster, say.Change, error)

// Case is a cluster of six nodes, all in service with the template a (see [Six]), with some differences, and the plan
// for it.
type Case struct {
	Name     string
	Nodes    []string           // nodes, as [Cluster] takes them; nil for those six
	Regions  []placement.Region // regions of other nodes; nil for R
	Capacity int64              // 0 for the number of nodes
	Image    string             // image of the wanted template; "" for a
	Update   *roster.Update
	Closed   string // places that are closed: "RegionOne RegionTwo/az-1"
	Broken   string // nodes whose servers are in ERROR
	Roster   func(*roster.Roster)
	Seen     func(roster.Seen)
	Policy   func(*roster.Policy)

	Moves     string // see [Moves]
	To        string // places of the nodes that come; "" for any
	Remaining int64
	Notices   []string            // titles of the notices; nil for any if told is set
	Told      string              // texts of the notices; "..." leaves out the beginning or the end; "" for any
	Status    string              // status after the plan is applied; "" for any
	Looked    string              // status before the plan; "" for the same
	Then      func(roster.Roster) // looks at the roster after the plan
	Reasons   []string            // reasons of the nodes that leave, "web-0: oldest"; if set, nothing else is checked
}

// Check checks the plans that a planner makes. Base changes the policy of all cases.
func Check(t *testing.T, plan Planner, base func(*roster.Policy), list []Case) {
	t.Helper()
	for _, c := range list {
		t.Run(c.Name, func(t *testing.T) {
			p := Policy(6)
			p.Templates = Images("a")
			base(&p)
			if c.Nodes != nil {
				p.Capacity, p.Regions = int64(len(c.Nodes)), c.Regions
			}
			if c.Nodes != nil && c.Regions == nil {
				p.Regions = []placement.Region{{Bin: Bin("R", 100)}}
			}
			if c.Image != "" {
				p.Templates = Images(c.Image)
			}
			p.Capacity, p.Update = cmp.Or(c.Capacity, p.Capacity), cmp.Or(c.Update, p.Update)
			for place := range strings.FieldsSeq(c.Closed) {
				region, zone, _ := strings.Cut(place, "/")
				Close(&p, region, zone)
			}
			if c.Policy != nil {
				c.Policy(&p)
			}
			r := Six(t, "")
			if c.Nodes != nil {
				r = Cluster(t, c.Nodes...)
			} else if p.Templates != nil {
				r = Six(t, Image("a"))
				r.Settled = Images("a")
			}
			if c.Roster != nil {
				c.Roster(&r)
			}
			seen := Running(r)
			ChangeSeen(seen, c.Broken, func(n *node.Node) { n.Status = "ERROR" })
			if c.Seen != nil {
				c.Seen(seen)
			}
			next, change, err := plan(r, seen, p)
			require.NoError(t, err)
			if c.Reasons != nil {
				var reasons []string
				for _, d := range change.With(verdict.Leaves) {
					reasons = append(reasons, d.Name+": "+d.Reason)
					assert.Equal(t, r.Nodes[d.Name], d.Node)
					assert.Equal(t, seen.Servers[d.Name].ID, d.Server.ID)
				}
				assert.Equal(t, c.Reasons, reasons)
				return
			}
			assert.Equal(t, c.Moves, Moves(change))
			if c.Then != nil {
				c.Then(next)
			}
			var to, texts []string
			for _, name := range change.With(verdict.Comes).Names() {
				at := next.Nodes[name].Place
				assert.False(t, p.Closed(at), "%s comes to %s", name, at)
				to = append(to, at.String())
			}
			for _, n := range change.Notices {
				texts = append(texts, n.Text)
			}
			if c.To != "" {
				assert.Equal(t, c.To, strings.Join(to, " "))
			}
			assert.Equal(t, c.Remaining, change.Remaining)
			if c.Told == "" || c.Notices != nil {
				assert.Equal(t, c.Notices, Titles(change.Notices), "%q", change.Notices)
			}
			if text := strings.Join(texts, "\n"); c.Told != "" && !like(c.Told, text) {
				t.Errorf("told %q\nwant %q", text, c.Told)
			}
			if c.Status != "" {
				assert.Equal(t, c.Status, change.Status.Text)
				assert.Equal(t, cmp.Or(c.Looked, c.Status), change.Now.Text, "as it is now")
			}
		})
	}
}

// like reports whether a text is as wanted; "..." in want leaves out the beginning or the end.
func like(want, text string) bool {
	begins, ends := strings.TrimSuffix(want, "..."), strings.TrimPrefix(want, "...")
	switch {
	case begins != want && ends != want:
		return strings.Contains(text, strings.TrimPrefix(begins, "..."))
	case begins != want:
		return strings.HasPrefix(text, begins)
	case ends != want:
		return strings.HasSuffix(text, ends)
	}
	return text == want
}
