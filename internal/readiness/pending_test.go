package readiness

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func named(list ...Node) map[string]Node {
	nodes := map[string]Node{}
	for _, n := range list {
		nodes[n.Name] = n
	}
	return nodes
}

func TestPending(t *testing.T) {
	wanted := named(
		Node{Name: "marked", Region: "R", ID: "1", Mark: "2"},
		Node{Name: "unmarked", Region: "R", ID: "2", Mark: "1"},
		Node{Name: "of another mark", Region: "R", ID: "3", Mark: "2"},
		Node{Name: "gone", Region: "R", ID: "4", Mark: "1"},
		Node{Name: "of another region", Region: "S", ID: "1", Mark: "2"},
		Node{Name: "drained", Region: "R", ID: "7", Mark: "1"},
		Node{Name: "in a cell that is down", Region: "R", ID: "6", Mark: "1"},
		Node{Name: "unknown, and seen", Region: "R", ID: "8", Mark: "1"},
	)
	snapshot := []node.Node{
		{Region: "R", ID: "1", InService: "2"}, {Region: "R", ID: "2"}, {Region: "R", ID: "3", InService: "1"}, {Region: "R", ID: "5", InService: "9"}, {Region: "R", ID: "6", Status: "UNKNOWN"},
		{Region: "R", ID: "7", InService: "1", Drained: true}, {Region: "R", ID: "8", Name: "web-8", Status: "UNKNOWN"},
	}
	assert.Equal(t, []string{"drained", "gone", "of another mark", "of another region", "unknown, and seen", "unmarked"}, Pending(wanted, snapshot))
	assert.Equal(t, []string{}, Pending(nil, nil))
}

func TestOvertaken(t *testing.T) {
	a, b, c := Node{Name: "a", Region: "R", ID: "1"}, Node{Name: "b", Region: "R", ID: "2"}, Node{Name: "c", Region: "R", ID: "3"}
	again := Node{Name: "a", Region: "R", ID: "9", Mark: "2"}
	servers := func(ids ...string) (list []node.Node) {
		for _, id := range ids {
			list = append(list, node.Node{Region: "R", ID: id})
		}
		return list
	}
	for _, s := range []struct {
		name          string
		before, after map[string]Node
		unsure        []string
		snapshot      []node.Node
		want          []string
	}{
		{name: "replaced, and the old one is there", before: named(a, b), after: named(b, c), snapshot: servers("1", "2", "3")},
		{name: "replaced, and the old one is gone", before: named(a, b), after: named(b, c), snapshot: servers("2", "3"), want: []string{"a"}},
		{name: "replaced under its name, and the old one is gone", before: named(a, b), after: named(again, b), snapshot: servers("2", "9")},
		{name: "the same, and a node comes", before: named(a, b), after: named(again, b, c), snapshot: servers("2", "3", "9")},
		{name: "the same, and a node leaves", before: named(a, b), after: named(again), snapshot: servers("9")},
		{name: "it was killed before, or not in service", before: named(a, b), after: named(b, c), unsure: []string{"a"}, snapshot: servers("2", "3")},
		{name: "a shrink waits for no one", before: named(a, b), after: named(b), snapshot: servers("2")},
		{name: "growth", before: named(a), after: named(a, b), snapshot: servers("1", "2")},
		{name: "a node that stays and is gone", before: named(a, b), after: named(a, b, c), snapshot: servers("2", "3")},
		{name: "the first nodes", after: named(a, b), snapshot: servers("1", "2")},
	} {
		for range 20 { // maps have another order each time
			require.Equal(t, s.want, Overtaken(s.before, s.after, s.unsure, s.snapshot), s.name)
		}
	}
}
