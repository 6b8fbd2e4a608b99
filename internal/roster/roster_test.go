package roster_test

import (
	"fmt"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
	"github.com/stretchr/testify/assert"
)

// TestPlaces: an adopted cluster follows the places of its nodes. A region with a node in no zone lists no zones.
func TestPlaces(t *testing.T) {
	r := plans.Cluster(t, "R2/az-1 1", "R1/az-2 1", "R1/az-1 1", "R1/az-1 1", "R2 1")
	free := func(name string) placement.Bin { return placement.Bin{Name: name, Cap: placement.Unlimited} }
	want := []placement.Region{{Bin: free("R1"), Zones: []placement.Bin{free("az-1"), free("az-2")}}, {Bin: free("R2")}}
	assert.Equal(t, want, r.Places())
}

// TestServed: quotas count servers. A node that was never looked for counts neither with nor without a server.
func TestServed(t *testing.T) {
	at := func(region string) roster.Node { return roster.Node{Place: placement.Place{Region: region}} }
	now := roster.Roster{Nodes: map[string]roster.Node{"served": at("R1"), "lost": at("R1"), "unseen": at("R2")}}
	next := roster.Roster{Nodes: map[string]roster.Node{"served": at("R1"), "lost": at("R1"), "unseen": at("R2"), "new": at("R2")}}
	seen := roster.Seen{Servers: map[string]node.Node{"served": {}, "another cluster's": {}}, Missing: map[string]bool{"lost": true}}
	assert.Equal(t, "map[R1:1]", fmt.Sprint(seen.WithServer(now)), "served")
	assert.Equal(t, "map[R1:1 R2:1]", fmt.Sprint(seen.WithoutServer(now, next)), "unserved")
}
