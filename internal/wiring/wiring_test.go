package wiring

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stretchr/testify/assert"
)

// there is a node of R/a with its server; change changes it.
func there(name string, change func(n *Node)) Node {
	n := Node{Name: name, Region: "R", Zone: "a", Server: node.Node{ID: "id-" + name, Region: "R", Zone: "a", Status: "ACTIVE"}}
	if change != nil {
		change(&n)
	}
	return n
}

// lost is a node whose server was not found; a search found servers in regions.
func lost(name string, known bool, regions ...string) Node {
	return there(name, func(n *Node) {
		n.Server, n.Search.Complete = node.Node{}, known
		for _, r := range regions {
			n.Search.Found = append(n.Search.Found, node.Node{ID: "1", Region: r})
		}
	})
}

func TestCheck(t *testing.T) {
	zone := func(zone string, had bool) Node {
		return there("web-1", func(n *Node) { n.Server.Zone, n.Had = zone, had })
	}
	off := func(name string) Node {
		return there(name, func(n *Node) { n.Server.Zone, n.Server.Status = "b", "SHUTOFF" })
	}
	moved := []Finding{{Zones, "R", []string{"web-0 (its server is in b, not in a)"}}}
	for name, c := range map[string]struct {
		nodes  []Node
		before []Finding
		want   string
	}{
		"all is well":          {nodes: []Node{there("web-0", nil), zone("a", false)}},
		"no server has a name": {nodes: []Node{lost("web-1", true), lost("web-0", true)}, want: "names in R: web-0, web-1"},
		"one has":              {nodes: []Node{lost("web-1", true), there("web-0", nil)}},
		"one had":              {nodes: []Node{there("web-1", func(n *Node) { *n = lost("web-1", true); n.Had = true }), lost("web-0", true)}},
		"nobody knows":         {nodes: []Node{lost("web-0", false)}},
		"another region":       {nodes: []Node{lost("web-1", true, "S"), there("web-0", nil)}, want: "regions in R: web-1 (its server 1 is in S)"},
		"the selector": {nodes: []Node{lost("web-1", true, "S", "R")},
			want: "regions in R: web-1 (its server 1 is in S) | selector in R: web-1 (its server 1 is left out)"},
		"moved later": {nodes: []Node{zone("b", true)}},
		"no zone yet": {nodes: []Node{zone("", false)}},
		"under way":   {nodes: []Node{there("web-1", func(n *Node) { n.Server.Zone, n.Server.Status = "b", "BUILD" })}},
		"off, in another zone": {nodes: []Node{off("web-1"), off("web-0")},
			want: "zones in R: web-0 (its server is in b, not in a), web-1 (its server is in b, not in a)"},
		"another zone before":                {nodes: []Node{zone("b", true)}, before: moved, want: "zones in R: web-0 (its server is in b, not in a)"},
		"another zone before, the right one": {nodes: []Node{zone("a", false)}, before: moved},
	} {
		for range 5 { // maps have another order each time
			var got []string
			for _, f := range Check(c.nodes, c.before) {
				got = append(got, fmt.Sprintf("%s in %s: %s", f.Wire, f.Region, strings.Join(f.Nodes, ", ")))
			}
			assert.Equal(t, c.want, strings.Join(got, " | "), name)
		}
	}
}

// TestTable: each wire has its row, which says what to write and what has to wait.
func TestTable(t *testing.T) {
	held := map[Hold][]Wire{}
	for _, row := range table {
		f := Finding{row.wire, "R", []string{"web-0"}}
		held[f.Holds()] = append(held[f.Holds()], f.Wire)
		assert.Regexp(t, `(?i)^In R: web-0\. .*(write|correct) .+\.$`, f.Text())
	}
	assert.Equal(t, map[Hold][]Wire{Moves: {Zones}, Unmade: {Names}, Batches: {Regions, Selector}}, held)
	all := []Finding{{Names, "Q", nil}, {Regions, "R", nil}, {Zones, "S", nil}, {Selector, "R", nil}, {Selector, "S", nil}}
	assert.Equal(t, map[string]string{"R": "region", "S": "selector"}, Held(all, Batches))
	assert.Equal(t, map[string]string{"Q": "name", "S": "availability_zone"}, Held(all, Moves, Unmade))
}
