package examples_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// region is one as both ways of placing write it.
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

// byElement counts the same for element() and count, where a weight is a place listed twice: a server whose zone is another
// one is destroyed, as TestAccInstance shows, and one that is killed is made again.
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

// byAttachment places by the attachment.
func byAttachment(s step) string {
	var regions []string
	for _, r := range s.regions {
		regions = append(regions, fmt.Sprintf("{ name = %q, weight = %d, zones = [{ name = \"%s\" }] }", r.name, 100*r.weight, strings.Join(r.zones, "\" }, { name = \"")))
	}
	named := "" // by criterion, those that came last go first, as with count
	if s.remove != "" {
		named = fmt.Sprintf("\n    candidates = [%q]", s.remove)
	}
	return fmt.Sprintf(`
resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = %d
  regions          = [%s]
  deletion {
    criteria = "YOUNGEST_FIRST"%s
  }
}
resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = "debian-12"
  flavor_name       = "m1.tiny"
}
`, s.size, strings.Join(regions, ", "), named)
}

// live goes through the steps with the attachment, and counts at each the servers that were
// destroyed though they could have stayed.
func live(t *testing.T) []int {
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "guides/from-element/before")
	e.c.Fake.AddZone("RegionOne", fakecloud.Zone{Name: "az-0", Hosts: []string{"r1-cmp-0"}})
	var counts []int
	size := 0
	for _, s := range spread {
		before := e.servers(t)
		for _, region := range e.c.Regions(t) {
			for _, server := range e.c.In(t, region) {
				if server.Name == s.kill {
					e.c.Kill(t, region, server.ID)
					delete(before, s.kill)
				}
			}
		}
		require.NoError(t, e.Write(byAttachment(s)))
		if _, err := e.Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
		after := e.servers(t)
		lost := 0
		for name, id := range before {
			if after[name] != id && name != s.remove {
				lost++
			}
		}
		if s.remove == "" {
			lost -= max(size-s.size, 0) // no matter which
		}
		size = s.size
		counts = append(counts, lost)
	}
	return counts
}

// TestSteps holds the table of the guide to what a real terraform does with the attachment.
func TestSteps(t *testing.T) {
	t.Parallel()
	element, attachment := byElement(), live(t)
	var table strings.Builder
	line := func(cells ...any) { fmt.Fprintf(&table, "%-37s %5v  %9v  %10v\n", cells...) }
	line("servers destroyed at each step", "nodes", "element()", "attachment")
	total := [2]int{}
	for i, s := range spread {
		line(s.title, s.size, element[i], attachment[i])
		total[0] += element[i]
		total[1] += attachment[i]
	}
	line("all steps", "", total[0], total[1])
	const file = "guides/from-element/steps.txt"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(table.String()), 0o600))
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != table.String() {
		t.Errorf("got\n%s\nwant (%v)\n%s", table.String(), err, want)
	}
}
