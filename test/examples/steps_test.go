package examples_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// spread are steps in the life of a cluster over places; a place that is listed twice has twice the weight.
var spread = []struct {
	title  string
	size   int
	places string
	kill   string // name of a server to kill before the step
	remove string // name of a node to remove
}{
	{"create 6 over 2 regions and 5 zones", 6, "one/1 one/2 one/3 two/1 two/2", "", ""},
	{"grow to 11", 11, "one/1 one/2 one/3 two/1 two/2", "", ""},
	{"shrink to 7", 7, "one/1 one/2 one/3 two/1 two/2", "", ""},
	{"add a zone that sorts first", 7, "one/0 one/1 one/2 one/3 two/1 two/2", "", ""},
	{"drop a zone", 7, "one/0 one/1 one/3 two/1 two/2", "", ""},
	{"give RegionTwo twice the weight", 7, "one/0 one/1 one/3 two/1 two/2 two/1 two/2", "", ""},
	{"kill a server outside Terraform", 7, "one/0 one/1 one/3 two/1 two/2 two/1 two/2", "web-3", ""},
	{"remove web-3, by name", 6, "one/0 one/1 one/3 two/1 two/2 two/1 two/2", "", "web-3"},
}

// byElement counts, with element() and count, the servers that each step destroys although they could have stayed: a
// server whose zone changes is destroyed, as TestAccInstance shows.
func byElement() (counts []int) {
	var before []string
	for _, s := range spread {
		places := strings.Fields(s.places)
		lost, now := 0, make([]string, s.size)
		for i := range now {
			now[i] = places[i%len(places)]
			if i < len(before) && before[i] != now[i] && fmt.Sprint("web-", i) != s.kill {
				lost++
			}
		}
		if s.remove != "" { // the last server leaves, whatever its name
			lost++
		}
		counts, before = append(counts, lost), now
	}
	return counts
}

// TestSteps compares the table of the guide with these counts. TestAccPlacementLoop takes such steps with the
// attachment, and none of them destroys a server that could stay.
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
