package deletion

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func day(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }

func ids(nodes []node.Node) string {
	list := make([]string, len(nodes))
	for i, n := range nodes {
		list[i] = n.ID
	}
	return strings.Join(list, " ")
}

// TestChoose: cases that TestVectors shows less plainly or not at all, such as protected nodes, or nodes of unknown
// age.
func TestChoose(t *testing.T) {
	cluster := []node.Node{
		{ID: "a", Region: "R1", Zone: "z1", Status: "ACTIVE", CreatedAt: day(5), ProfileCreatedAt: day(1)},
		{ID: "b", Region: "R1", Zone: "z2", Status: "ACTIVE", CreatedAt: day(1), ProfileCreatedAt: day(3)},
		{ID: "c", Region: "R2", Zone: "z1", Status: "ACTIVE", CreatedAt: day(3), ProfileCreatedAt: day(2)},
		{ID: "d", Region: "R2", Zone: "z1", Status: "ACTIVE", CreatedAt: day(3)},
	}
	with := func(change func([]node.Node)) []node.Node {
		nodes := slices.Clone(cluster)
		change(nodes)
		return nodes
	}
	byRegion := func(n node.Node) string { return n.Region }
	for _, c := range []struct {
		name    string
		nodes   []node.Node
		request Request
		want    string
	}{
		{"oldest profile first, of unknown age last", cluster, Request{Count: 4, Criteria: OldestProfileFirst}, "a c b d"},
		{"unwell nodes go first, in the order of the list", with(func(n []node.Node) { n[3].Status, n[0].Tainted, n[2].Status = "ERROR", true, "UNKNOWN" }),
			Request{Count: 4, Criteria: OldestFirst}, "a c d b"},
		{"then those not created", with(func(n []node.Node) { n[0].CreatedAt, n[3].Status, n[1].Tainted = time.Time{}, "BUILD", true }),
			Request{Count: 4, Criteria: OldestFirst}, "b a d c"},
		{"protected nodes stay", with(func(n []node.Node) { n[1].Protected = true }), Request{Count: 2, Criteria: OldestFirst}, "c d"},
		{"even unwell", with(func(n []node.Node) { n[1].Protected, n[1].Status = true, "ERROR" }), Request{Count: 1, Criteria: OldestFirst}, "c"},
		{"by region, in the order of names", cluster, Request{Groups: map[string]int64{"R2": 1, "R1": 1}, GroupBy: byRegion, Criteria: YoungestFirst}, "a c"},
		{"the unwell of each region first", with(func(n []node.Node) { n[0].Status, n[3].Tainted = "ERROR", true }),
			Request{Groups: map[string]int64{"R1": 1, "R2": 1}, GroupBy: byRegion, Criteria: OldestFirst}, "a d"},
		{"none", cluster, Request{Criteria: OldestFirst}, ""},
		{"of an empty cluster", nil, Request{Count: 1}, ""},
	} {
		got, err := Choose(c.nodes, c.request)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, ids(got), c.name)
	}
}

func TestChooseRefuses(t *testing.T) {
	nodes := []node.Node{{ID: "a", Region: "R1", Protected: true}, {ID: "b", Region: "R1"}, {ID: "c", Region: "R2"}}
	byRegion := func(n node.Node) string { return n.Region }
	_, err := Choose(nodes, Request{Count: 3})
	assert.Equal(t, &ProtectedError{Asked: 3, Others: 2, Protected: 1}, err)
	_, err = Choose(nodes, Request{Groups: map[string]int64{"R1": 2}, GroupBy: byRegion})
	protected, _ := errors.AsType[*ProtectedError](err) // the names of other regions' nodes are left out
	assert.Equal(t, &ProtectedError{Group: "R1", Asked: 2, Others: 1, Protected: 1}, protected)
	_, err = Choose(nodes, Request{Groups: map[string]int64{"R2": 2, "R3": 1}, GroupBy: byRegion})
	assert.EqualError(t, err, "2 nodes must be removed from \"R2\", which has 1\n1 node must be removed from \"R3\", which has 0")
}

// TestVectors: the cases with known answers.
func TestVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/deletion.json")
	require.NoError(t, err)
	var cases []struct {
		Criteria Criteria
		Nodes    []struct {
			ID, Status, Region string
			Tainted            bool
			CreatedAt          time.Time `json:"created_at"`
			ProfileCreatedAt   time.Time `json:"profile_created_at"`
		}
		Count   int64
		Regions map[string]int64
		Expect  []string
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	require.Len(t, cases, 200, "cases")
	for i, c := range cases {
		nodes := make([]node.Node, len(c.Nodes))
		for j, n := range c.Nodes {
			nodes[j] = node.Node{ID: n.ID, Status: n.Status, Region: n.Region, Tainted: n.Tainted, CreatedAt: n.CreatedAt, ProfileCreatedAt: n.ProfileCreatedAt}
		}
		got, err := Choose(nodes, Request{Count: c.Count, Groups: c.Regions, GroupBy: func(n node.Node) string { return n.Region }, Criteria: c.Criteria})
		require.NoError(t, err, "case %d", i)
		assert.Equal(t, strings.Join(c.Expect, " "), ids(got), "case %d", i)
	}
}

func genNodes(t *rapid.T) []node.Node {
	nodes := make([]node.Node, rapid.IntRange(0, 12).Draw(t, "nodes"))
	for i := range nodes {
		nodes[i] = node.Node{ID: fmt.Sprintf("n%02d", i), Region: rapid.SampledFrom([]string{"R1", "R2", "R3"}).Draw(t, "region"),
			Status:    rapid.SampledFrom([]string{"ACTIVE", "ACTIVE", "SHUTOFF", "BUILD", "ERROR", "UNKNOWN"}).Draw(t, "status"),
			CreatedAt: day(rapid.IntRange(1, 4).Draw(t, "created")), ProfileCreatedAt: day(rapid.IntRange(1, 3).Draw(t, "profile")),
			Tainted: rapid.IntRange(0, 5).Draw(t, "tainted") == 0, Protected: rapid.IntRange(0, 5).Draw(t, "protected") == 0}
	}
	return nodes
}

var genCriteria = rapid.SampledFrom([]Criteria{Random, OldestFirst, YoungestFirst, OldestProfileFirst})

// TestListOrderDoesNotMatter, except for unhealthy nodes, which leave in the order of the list.
func TestListOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := genNodes(t)
		for i := range nodes {
			nodes[i].Tainted, nodes[i].Status = false, "ACTIVE"
		}
		request := Request{Count: rapid.Int64Range(0, 12).Draw(t, "count"), Criteria: genCriteria.Draw(t, "criteria")}
		a, errA := Choose(nodes, request)
		b, errB := Choose(rapid.Permutation(nodes).Draw(t, "shuffled"), request)
		if (errA == nil) != (errB == nil) || ids(a) != ids(b) {
			t.Fatalf("%s (%v), but %s (%v) in another order", ids(a), errA, ids(b), errB)
		}
	})
}

// TestRandomIsStableAndFair: one seed gives one answer, and over many seeds each of ten nodes is chosen about as
// often as the others.
func TestRandomIsStableAndFair(t *testing.T) {
	nodes := make([]node.Node, 10)
	for i := range nodes {
		nodes[i] = node.Node{ID: fmt.Sprintf("n%d", i), Status: "ACTIVE", CreatedAt: day(1)}
	}
	times := map[string]int{}
	const seeds, each = 5000, 3
	for seed := range seeds {
		request := Request{Count: each, Seed: fmt.Sprint(seed)}
		chosen, err := Choose(nodes, request)
		require.NoError(t, err)
		again, _ := Choose(nodes, request)
		require.Equal(t, ids(chosen), ids(again), "seed %d", seed)
		for _, n := range chosen {
			times[n.ID]++
		}
	}
	// The expected number is 1,500 for each, with a standard deviation of 32.
	for _, n := range nodes {
		assert.InDelta(t, 1500, times[n.ID], 150, "how often %s is chosen", n.ID)
	}
	assert.NotEqual(t, seedOf(nodes), seedOf(nodes[1:]), "the seed of another cluster")
}

// TestOrder: all nodes in the order in which they would be chosen, protected ones too.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := genNodes(t)
		criteria := genCriteria.Draw(t, "criteria")
		ordered := ordered(nodes, criteria)
		for i := range nodes {
			nodes[i].Protected = false
		}
		chosen, err := Choose(nodes, Request{Count: 99, Criteria: criteria, Seed: seedOf(nodes)})
		require.NoError(t, err)
		require.Equal(t, ids(ordered), ids(chosen))
		unseeded, err := Choose(nodes, Request{Count: 99, Criteria: criteria})
		require.NoError(t, err)
		require.Equal(t, ids(unseeded), ids(chosen), "without a seed")
	})
}

// ordered returns nodes in their order.
func ordered(nodes []node.Node, criteria Criteria) (list []node.Node) {
	for _, at := range Order(nodes, criteria) {
		list = append(list, nodes[at])
	}
	return list
}

// TestUnwellKeepTheirOrder, also in a long list.
func TestUnwellKeepTheirOrder(t *testing.T) {
	nodes := make([]node.Node, 100)
	for i := range nodes {
		nodes[i] = node.Node{ID: fmt.Sprintf("n%02d", i*37%100), Status: "ERROR", CreatedAt: day(1 + i%5)}
	}
	assert.Equal(t, ids(nodes), ids(ordered(nodes, OldestFirst)))
}

// TestRandomIsTheSameInEveryVersion: the numbers that nodes draw are part of the contract, so that an upgrade changes
// no plan. They do not depend on the order of the list.
func TestRandomIsTheSameInEveryVersion(t *testing.T) {
	nodes := make([]node.Node, 5)
	for i := range nodes {
		nodes[i] = node.Node{ID: fmt.Sprintf("n%d", i*3%5), Status: "ACTIVE", CreatedAt: day(1)}
	}
	assert.Equal(t, "n2 n4 n0 n3 n1", ids(ordered(nodes, Random)))
}

// TestCriteria: each criterion has an order of its own: it tells two nodes apart that differ in all that can be looked at,
// and RANDOM alone draws.
func TestCriteria(t *testing.T) {
	early, late := time.Unix(1, 0), time.Unix(2, 0)
	for _, name := range AllCriteria() {
		c := Criteria(name)
		assert.Equal(t, c == Random, c.draws(), "%s is drawn", name)
		a := ticket{Node: &node.Node{ID: "a", Index: 1, CreatedAt: early, ProfileCreatedAt: early}, number: 1}
		b := ticket{Node: &node.Node{ID: "b", Index: 2, CreatedAt: late, ProfileCreatedAt: late}, number: 1}
		if c == Random {
			b.number = 2
		}
		assert.NotZero(t, c.compare(a, b), "%s has no order", name)
	}
}
