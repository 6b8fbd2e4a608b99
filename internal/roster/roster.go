// Package roster remembers where each node of a cluster belongs.
//
// A node has a name and a place from the day it is planned until it goes.
// Growing adds nodes, shrinking removes some; none of the others ever changes
// its name or place. That is what lets Terraform grow and shrink a cluster
// without moving, and so destroying, a server that stays.
//
// It is pure: the same roster and policy give the same plan.
package roster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Roster is what is remembered of a cluster.
type Roster struct {
	Nodes map[string]Node // by name
	Next  int64           // the index of the next new node: none is used twice
}

// Node is the place of a node, and the index that its name was made from.
type Node struct {
	Index int64
	Place
}

// Place is a region and an availability zone in it. An empty zone leaves the
// choice to Nova.
type Place struct{ Region, Zone string }

// Policy says what the cluster is to be.
type Policy struct {
	Name       func(index int64) string // of a new node
	Capacity   int64                    // nodes that the cluster is to have
	Regions    []placement.Region       // the listed ones; counts of nodes are not looked at
	Criteria   deletion.Criteria
	Candidates []string // names of nodes that are to go
	Done       []string // candidates of an earlier plan, which are gone
	Protected  []string // names or ids of nodes that are to stay
	MaxMoves   int64    // most nodes to replace for a better spread
}

// Change is what a plan does to a roster. Names are sorted by their index.
type Change struct {
	Created []string
	Deleted []string
	Moves   int64 // of the nodes created and deleted, those that only move
}

// CandidateError names a candidate that cannot go.
type CandidateError struct {
	Name   string
	Reason string
}

func (e *CandidateError) Error() string { return fmt.Sprintf("The node %q %s.", e.Name, e.Reason) }

// Plan works out the next roster.
//
// Candidates go first. What is then missing from the capacity is placed, and
// what is too much leaves, as the placement of regions and zones has it; which
// nodes of a zone leave says the criterion, by the facts known of each node's
// server (a node without any counts as not created yet). At last MaxMoves nodes
// at most are replaced by new ones in better places. Protected nodes never go.
//
// The errors are a [*CandidateError], a [*placement.InfeasibleError] and a
// [*deletion.ProtectedError].
func Plan(now Roster, facts map[string]node.Node, policy Policy) (Roster, Change, error) {
	p := &planner{policy: policy, facts: facts, nodes: map[string]Node{}, next: now.Next}
	maps.Copy(p.nodes, now.Nodes)
	if err := p.removeCandidates(); err != nil {
		return now, Change{}, err
	}
	if err := p.resize(policy.Capacity - int64(len(p.nodes))); err != nil {
		return now, Change{}, err
	}
	moves, err := p.rebalance()
	if err != nil {
		return now, Change{}, err
	}
	change := Change{Created: missing(p.nodes, now.Nodes), Deleted: missing(now.Nodes, p.nodes), Moves: moves}
	return Roster{Nodes: p.nodes, Next: p.next}, change, nil
}

// missing lists the names of nodes that others lack.
func missing(nodes, others map[string]Node) []string {
	var names []string
	for name := range nodes {
		if _, there := others[name]; !there {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(nodes[a].Index, nodes[b].Index), cmp.Compare(a, b))
	})
	return names
}

type planner struct {
	policy Policy
	facts  map[string]node.Node
	nodes  map[string]Node
	next   int64
}

func (p *planner) removeCandidates() error {
	for _, name := range p.policy.Candidates {
		_, there := p.nodes[name]
		switch {
		case !there && slices.Contains(p.policy.Done, name):
		case !there:
			return &CandidateError{name, "is none of the cluster, so it cannot go"}
		case p.fact(name).Protected:
			return &CandidateError{name, "is to go and is protected"}
		}
		delete(p.nodes, name)
	}
	return nil
}

// resize adds nodes, or removes some where change is negative.
func (p *planner) resize(change int64) error {
	regions := p.regions()
	changes, err := placement.DistributeRegions(regions, change)
	if err != nil {
		return p.explain(err, -change)
	}
	add, remove := map[Place]int64{}, map[Place]int64{}
	for i, c := range changes {
		if len(regions[i].Zones) == 0 {
			add[Place{Region: regions[i].Name}] = c.Nodes
			remove[Place{Region: regions[i].Name}] = -c.Nodes
		}
		for j, n := range c.Zones {
			add[place(regions, placement.Spot{Region: i, Zone: j})] = n
			remove[place(regions, placement.Spot{Region: i, Zone: j})] = -n
		}
	}
	p.add(add)
	return p.remove(remove)
}

// rebalance replaces nodes by new ones in better places.
func (p *planner) rebalance() (int64, error) {
	regions := p.regions()
	moves, err := placement.RebalanceRegions(regions, p.policy.MaxMoves)
	if err != nil {
		return 0, err
	}
	add, remove := map[Place]int64{}, map[Place]int64{}
	for _, m := range moves {
		remove[place(regions, m.From)]++
		add[place(regions, m.To)]++
	}
	if err := p.remove(remove); err != nil {
		return 0, err
	}
	p.add(add)
	return int64(len(moves)), nil
}

// regions are the listed ones with the nodes that they have, and unlisted ones
// that have any. What is protected in a place is its min too, so that no plan
// counts on it.
func (p *planner) regions() []placement.Region {
	held, kept := map[string]map[string]int64{}, map[Place]int64{}
	for name, n := range p.nodes {
		if held[n.Region] == nil {
			held[n.Region] = map[string]int64{}
		}
		held[n.Region][n.Zone]++
		if p.fact(name).Protected {
			kept[p.spot(n.Place)]++
		}
	}
	totals := map[string]int64{}
	for region, zones := range held {
		for _, n := range zones {
			totals[region] += n
		}
	}
	bins := make([]placement.Bin, len(p.policy.Regions))
	for i, r := range p.policy.Regions {
		bins[i] = r.Bin
	}
	var regions []placement.Region
	for i, bin := range placement.Count(bins, totals) {
		region := placement.Region{Bin: bin}
		region.Min = max(region.Min, kept[Place{Region: bin.Name}])
		if i < len(p.policy.Regions) && len(p.policy.Regions[i].Zones) > 0 {
			region.Zones = placement.Count(p.policy.Regions[i].Zones, held[bin.Name])
			for j, zone := range region.Zones {
				region.Zones[j].Min = max(zone.Min, kept[Place{bin.Name, zone.Name}])
			}
		}
		regions = append(regions, region)
	}
	return regions
}

// spot is the place by which a node is counted: its zone, or its region alone
// where no zones are listed.
func (p *planner) spot(at Place) Place {
	for _, r := range p.policy.Regions {
		if r.Name == at.Region && len(r.Zones) > 0 {
			return at
		}
	}
	return Place{Region: at.Region}
}

func place(regions []placement.Region, spot placement.Spot) Place {
	region := regions[spot.Region]
	if spot.Zone < 0 {
		return Place{Region: region.Name}
	}
	return Place{region.Name, region.Zones[spot.Zone].Name}
}

// add makes new nodes, place by place in the order of their names.
func (p *planner) add(counts map[Place]int64) {
	places := slices.SortedFunc(maps.Keys(counts), func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Region, b.Region), cmp.Compare(a.Zone, b.Zone))
	})
	for _, at := range places {
		for range counts[at] {
			name := p.policy.Name(p.next)
			for _, taken := p.nodes[name]; taken; _, taken = p.nodes[name] {
				p.next++
				name = p.policy.Name(p.next)
			}
			p.nodes[name] = Node{Index: p.next, Place: at}
			p.next++
		}
	}
}

// remove chooses nodes, in each place by the criterion.
func (p *planner) remove(counts map[Place]int64) error {
	request := deletion.Request{
		Criteria: p.policy.Criteria,
		Groups:   map[string]int64{},
		GroupBy:  func(n node.Node) string { return p.spot(Place{n.Region, n.Zone}).key() },
	}
	for at, n := range counts {
		if n > 0 {
			request.Groups[at.key()] = n
		}
	}
	if len(request.Groups) == 0 {
		return nil
	}
	nodes := make([]node.Node, 0, len(p.nodes))
	for _, name := range missing(p.nodes, nil) {
		nodes = append(nodes, p.fact(name))
	}
	chosen, err := deletion.Choose(nodes, request)
	for _, n := range chosen {
		delete(p.nodes, n.Name)
	}
	return err
}

// key names a place among others, whatever is in its names.
func (p Place) key() string { return fmt.Sprintf("%q %q", p.Region, p.Zone) }

// fact is what is known of a node's server, at the node's place.
func (p *planner) fact(name string) node.Node {
	n := p.facts[name]
	n.ID = cmp.Or(n.ID, name)
	n.Name = name
	n.Region, n.Zone = p.nodes[name].Region, p.nodes[name].Zone
	n.Protected = n.Protected || slices.Contains(p.policy.Protected, name) || slices.Contains(p.policy.Protected, n.ID)
	return n
}

// explain tells that too many nodes are protected, where that is why so many
// cannot go.
func (p *planner) explain(err error, asked int64) error {
	var protected int64
	for name := range p.nodes {
		if p.fact(name).Protected {
			protected++
		}
	}
	if others := int64(len(p.nodes)) - protected; protected > 0 && asked > others {
		return &deletion.ProtectedError{Asked: asked, Others: others, Protected: protected}
	}
	return err
}
