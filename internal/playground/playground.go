// Package playground lets visitors try the planner: for a cluster of made-up nodes it shows what a resize does, with
// the arithmetic of each step, and a rollout batch by batch. The planner is the provider's own.
package playground

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/planview"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// The limits keep the time for an answer short.
const (
	MaxNodes  = 1000
	maxPlaces = 60
	maxSteps  = 50
	maxNumber = 1_000_000
	maxWork   = 20_000 // nodes times batches; a plan of 1,000 nodes takes a browser a tenth of a second
)

// cluster is the name of the cluster.
const cluster = "web"

// State is everything that a visitor has set.
type State struct {
	Capacity int64  `json:"capacity"`
	Batch    string `json:"batch"` // size of a batch: "2", "25%"
	// Step is the step to show: 0 for the resize, 1 for the first batch of the rollout after it, and so on.
	Step    int      `json:"step"`
	Regions []Region `json:"regions"`
}

// Region is a region with its zones.
type Region struct {
	Bin
	Zones []Bin `json:"zones"`
}

// Bin is a region or a zone, with the number of its nodes. In a region with zones the zones have the nodes.
type Bin struct {
	Name   string `json:"name"`
	Weight int64  `json:"weight"`
	Cap    int64  `json:"cap"` // -1 means none
	Min    int64  `json:"min"`
	Nodes  int64  `json:"nodes"`
}

// Result is the answer for a visitor.
type Result struct {
	Drawing   planview.Attachment `json:"-"`
	Moves     []Move              `json:"moves"`     // steps of a resize
	More      int64               `json:"more"`      // number of moves that are left out
	Remaining int64               `json:"remaining"` // nodes that the rollout still has to replace after the shown step
	HCL       string              `json:"hcl"`
}

// Play returns the answer for a state. The error is for the visitor.
func Play(s State) (Result, error) {
	if err := s.check(); err != nil {
		return Result{}, err
	}
	size, err := roster.ParseAmount(s.Batch)
	if err != nil {
		return Result{}, fmt.Errorf("the size of a batch: %w", err)
	}
	if size.Zero() {
		return Result{}, errors.New("the size of a batch: it must be more than 0")
	}
	listed := s.listed()
	policy := roster.Policy{
		Name:      func(index int64) string { return naming.Default.Name(cluster, index) },
		Capacity:  s.Capacity,
		Regions:   listed,
		Criteria:  deletion.OldestFirst,
		Templates: images("old"),
	}
	before, seen := looked(s.roster())
	after, change, err := planner.Plan(before, seen, policy)
	if infeasible, ok := errors.AsType[*placement.InfeasibleError](err); ok {
		return Result{}, fmt.Errorf("%w %s", err, infeasible.Detail())
	}
	if err != nil {
		return Result{}, err
	}
	r := Result{HCL: s.hcl(), Remaining: int64(len(after.Nodes))}
	if s.Step == 0 {
		r.Moves, r.More, err = moves(listed, before, after)
	}
	policy.Templates = images("new")
	whole, _ := roster.ParseAmount("100%")
	policy.Update = &roster.Update{
		Causes:    []roster.Cause{roster.Outdated},
		BatchSize: size,
		Target:    whole,
		StopAbove: whole,
	}
	for i := 0; i < s.Step && r.Remaining > 0 && err == nil; i++ {
		after.Leaving = nil // they are gone by then
		before, seen = looked(after)
		before = learn.Learn(before, seen, policy)
		after, change, err = planner.Plan(before, seen, policy)
		taken := max(1, r.Remaining-change.Remaining)
		r.Remaining = change.Remaining
		if len(change.With(verdict.Comes)) == 0 {
			break // nothing can be replaced: a warning says why
		}
		// Too many batches are refused after the first one, and not after a minute.
		batches, most := min(int64(s.Step), int64(i+1)+r.Remaining/taken), maxWork/max(1, len(after.Nodes))
		if batches > int64(most) {
			return Result{}, fmt.Errorf("batch %d of %d nodes is more than can be played with: give larger batches",
				most+1, len(after.Nodes))
		}
	}
	if err != nil {
		return Result{}, err
	}
	r.Drawing = planview.AttachmentOf(cluster, listed, before, after, change)
	return r, nil
}

// check refuses a state that the provider would refuse, or that is too large.
func (s State) check() error {
	places, nodes := 0, int64(0)
	list := func(kind string, bins []Bin) error {
		names := map[string]bool{}
		for _, p := range bins {
			places++
			switch {
			case p.Name == "":
				return fmt.Errorf("a %s has no name", kind)
			case names[p.Name]:
				return fmt.Errorf("the %s %q is named twice", kind, p.Name)
			case p.Weight < 1 || p.Weight > maxNumber:
				return fmt.Errorf("the weight of %q is %d: give a number from 1 to %d", p.Name, p.Weight, maxNumber)
			case p.Cap < placement.Unlimited || p.Cap > maxNumber:
				return fmt.Errorf("the cap of %q is %d: give a number from 0 to %d, or -1 for none",
					p.Name, p.Cap, maxNumber)
			case p.Min < 0 || p.Min > maxNumber:
				return fmt.Errorf("the min of %q is %d: give a number from 0 to %d", p.Name, p.Min, maxNumber)
			case p.Cap >= 0 && p.Min > p.Cap:
				return fmt.Errorf("%q has a min of %d, above its cap of %d", p.Name, p.Min, p.Cap)
			case p.Nodes < 0 || p.Nodes > MaxNodes:
				return fmt.Errorf("%q has %d nodes: give a number from 0 to %d", p.Name, p.Nodes, MaxNodes)
			}
			names[p.Name] = true
			nodes += p.Nodes
		}
		return nil
	}
	var regions []Bin
	for _, r := range s.Regions {
		region := r.Bin
		if len(r.Zones) > 0 {
			region.Nodes = 0
		}
		regions = append(regions, region)
	}
	if err := list("region", regions); err != nil {
		return err
	}
	for _, r := range s.Regions {
		if err := list("zone", r.Zones); err != nil {
			return fmt.Errorf("in %s: %w", r.Name, err)
		}
	}
	switch {
	case places == 0:
		return errors.New("no region is listed")
	case places > maxPlaces:
		return fmt.Errorf("%d places are more than can be played with (%d)", places, maxPlaces)
	case s.Capacity < 0 || s.Capacity > MaxNodes:
		return fmt.Errorf("the capacity is %d: give a number from 0 to %d", s.Capacity, MaxNodes)
	case nodes > MaxNodes:
		return fmt.Errorf("%d nodes are more than can be played with (%d)", nodes, MaxNodes)
	case s.Step < 0:
		return fmt.Errorf("the step is %d: give 0, or the number of a batch", s.Step)
	}
	return nil
}

// listed returns the places in the form that the planner uses.
func (s State) listed() []placement.Region {
	bin := func(p Bin) placement.Bin {
		return placement.Bin{Name: p.Name, Weight: p.Weight, Cap: p.Cap, Min: p.Min}
	}
	regions := make([]placement.Region, len(s.Regions))
	for i, r := range s.Regions {
		regions[i].Bin = bin(r.Bin)
		for _, z := range r.Zones {
			regions[i].Zones = append(regions[i].Zones, bin(z))
		}
	}
	return regions
}

// roster returns the existing nodes, which are made for one place after the other in turn.
func (s State) roster() roster.Roster {
	r := roster.Roster{Nodes: map[string]roster.Node{}}
	var left []int64
	var places []placement.Place
	for _, region := range s.Regions {
		if len(region.Zones) == 0 {
			places, left = append(places, placement.Place{Region: region.Name}), append(left, region.Nodes)
		}
		for _, zone := range region.Zones {
			places = append(places, placement.Place{Region: region.Name, Zone: zone.Name})
			left = append(left, zone.Nodes)
		}
	}
	for slices.Max(append(left, 0)) > 0 {
		for i := range left {
			if left[i] > 0 {
				left[i]--
				r.Nodes[naming.Default.Name(cluster, r.Next)] = roster.Node{
					Index:      r.Next,
					Place:      places[i],
					Template:   images("old").At(places[i]),
					Generation: 1,
					Mark:       "1",
					Served:     true,
				}
				r.Next++
			}
		}
	}
	return r
}

// looked returns the roster after a look at the cloud that found all nodes running. Each was created a day after the
// one before it.
func looked(r roster.Roster) (roster.Roster, roster.Seen) {
	servers := make([]node.Node, 0, len(r.Nodes))
	for name, n := range r.Nodes {
		servers = append(servers, node.Node{ID: name, Name: name, Region: n.Region, Zone: n.Zone, Status: "ACTIVE",
			CreatedAt: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(n.Index))})
	}
	nowhere := func(string) bool { return false }
	r, seen, _ := learn.Match(r, servers, roster.NewSeen(), nowhere, func(string) bool { return true })
	return r, seen
}

// images returns the template of an image, for all places.
func images(name string) roster.Templates {
	return roster.Templates{placement.Place{}: roster.NewTemplate(map[string]string{"image": name})}
}
