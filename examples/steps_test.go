package examples_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// region is one with its zones.
type region struct {
	name   string
	weight int // in hundreds
	zones  []string
}

// step is one in the life of a cluster.
type step struct {
	title   string
	size    int
	regions []region
	kill    string // name of a server to kill before
	remove  string // name of a node to remove
}

var (
	two    = region{"RegionTwo", 1, []string{"az-1", "az-2"}}
	five   = []region{{"RegionOne", 1, []string{"az-1", "az-2", "az-3"}}, two}
	six    = []region{{"RegionOne", 1, []string{"az-0", "az-1", "az-2", "az-3"}}, two}
	fewer  = []region{{"RegionOne", 1, []string{"az-0", "az-1", "az-3"}}, two}
	heavy  = []region{fewer[0], {"RegionTwo", 2, two.zones}}
	spread = []step{
		{title: "create 6 over 2 regions and 5 zones", size: 6, regions: five},
		{title: "grow to 11", size: 11, regions: five},
		{title: "shrink to 7", size: 7, regions: five},
		{title: "add a zone that sorts first", size: 7, regions: six},
		{title: "drop a zone", size: 7, regions: fewer},
		{title: "give RegionTwo twice the weight", size: 7, regions: heavy},
		{title: "kill a server outside Terraform", size: 7, regions: heavy, kill: "web-3"},
		{title: "remove web-3, by name", size: 6, regions: heavy, remove: "web-3"},
	}
)

// byElement counts at each step the servers that are destroyed though they could have stayed, with element() and count, where a weight is a place listed twice: a server whose zone is another
// one is destroyed, as TestAccInstance shows.
func byElement() (counts []int) {
	var before []string
	for _, s := range spread {
		var places []string
		for _, r := range s.regions {
			for range r.weight {
				for _, zone := range r.zones {
					places = append(places, r.name+"/"+zone)
				}
			}
		}
		lost, now := 0, make([]string, s.size)
		for i := range now {
			now[i] = places[i%len(places)]
			if i < len(before) && before[i] != now[i] && fmt.Sprint("web-", i) != s.kill {
				lost++
			}
		}
		if s.remove != "" { // the last one goes, whatever its name
			lost++
		}
		counts, before = append(counts, lost), now
	}
	return counts
}

// TestSteps holds the table of the guide to that. With the attachment TestAccPlacementLoop takes such steps, and none of
// them destroys a server that could stay.
func TestSteps(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	line := func(cells ...any) { fmt.Fprintf(&table, "%-37s %5v  %9v  %10v\n", cells...) }
	line("servers destroyed at each step", "nodes", "element()", "attachment")
	total := 0
	for i, lost := range byElement() {
		line(spread[i].title, spread[i].size, lost, 0)
		total += lost
	}
	line("all steps", "", total, 0)
	golden(t, "guides/from-element/steps.txt", table.String())
}
