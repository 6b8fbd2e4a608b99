// Package roster remembers where each node of a cluster belongs and what it is
// made from, and plans what changes.
//
// A node has a name and a place from the day it is planned until it is removed.
// Growing adds nodes, shrinking removes some, and an update replaces some, one
// bounded batch for each plan; no other node ever changes its name or place.
// That is what lets Terraform change a cluster without moving, and so
// destroying, a server that stays.
//
// It is pure: the same roster, snapshot and policy give the same plan.
package roster

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Roster is what is remembered of a cluster.
type Roster struct {
	Nodes map[string]Node // by name
	Next  int64           // the index of the next new node: none is used twice

	// Revisions are the templates in use by their numbers, which begin with 1.
	// There are none before a template is given.
	Revisions map[int64]Template
	Newest    int64 // the highest number given so far: none is given twice
}

// Node is the place of a node, the index that its name was made from, and the
// revision of the template that it was made from (1 before there is a template).
type Node struct {
	Index int64
	placement.Place
	Revision int64

	// Unplaced says that the node's server is in no zone for now, shelved and
	// offloaded: the zone is the one where it was.
	Unplaced bool
}

// Template is what nodes are made from: an image, a flavor and so on, by names
// of the user's.
type Template map[string]string

// clone is a copy that can be changed.
func (r Roster) clone() Roster {
	r.Nodes, r.Revisions = maps.Clone(r.Nodes), maps.Clone(r.Revisions)
	if r.Nodes == nil {
		r.Nodes = map[string]Node{}
	}
	if r.Revisions == nil {
		r.Revisions = map[int64]Template{}
	}
	return r
}

// Names lists the nodes by their indices.
func (r Roster) Names() []string {
	return slices.SortedFunc(maps.Keys(r.Nodes), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Nodes[a].Index, r.Nodes[b].Index), cmp.Compare(a, b))
	})
}

// Counts counts the nodes by place.
func (r Roster) Counts() placement.Counts {
	counts := placement.Counts{}
	for _, n := range r.Nodes {
		counts[n.Place]++
	}
	return counts
}

// count counts by region the nodes that are of a kind.
func (r Roster) count(is func(name string) bool) map[string]int64 {
	counts := map[string]int64{}
	for name, n := range r.Nodes {
		if is(name) {
			counts[n.Region]++
		}
	}
	return counts
}
