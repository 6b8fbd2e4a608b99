package placementtf_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestAccPlacementImportGenerated: terraform writes the configuration of a
// cluster that runs, and the plan of what it wrote changes nothing.
func TestAccPlacementImportGenerated(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, two, a, b := c.FiveZones(t)
	c.Boot(t, acctest.Server{Name: "web-0", Region: one, Zone: a[0]}, acctest.Server{Name: "web-1", Region: one, Zone: a[1]}, acctest.Server{Name: "web-2", Region: two, Zone: b[0]})
	// From 1.16 on Terraform looks for the provider in hashicorp/ unless the block
	// names it, and refuses the name once there is a configuration.
	block, named := fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", webAddress, c.Prefix+"web"), ""
	if acctest.TerraformMinor(t) >= 16 {
		named = "  provider = stackpolicy\n}"
	}
	w := c.Workspace(t, strings.Replace(block, "}", cmp.Or(named, "}"), 1))
	// Terraform writes each argument that has a value. What it cannot know, the
	// number of nodes wanted, it takes from the import as well.
	text, err := w.Run(t.Context(), "plan", "-input=false", "-no-color", "-generate-config-out=generated.tf")
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(w.Dir, "generated.tf"))
	if err != nil || !acctest.Says("Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.").MatchString(text) {
		t.Fatalf("%v\n%s\n%s", err, text, written)
	}
	if err := w.Write(block); err != nil {
		t.Fatal(err)
	}
	if _, err = w.Apply(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, written)
	}
	if text, err = w.Run(t.Context(), "plan", "-input=false", "-no-color", "-detailed-exitcode"); err != nil || !strings.Contains(text, "No changes.") {
		t.Errorf("%v\n%s\n%s", err, text, written)
	}
}

// TestAccPlacementImportPattern: nodes with names of another pattern are adopted
// by it. An id that names nothing is refused.
func TestAccPlacementImportPattern(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, _ := c.TwoRegions(t)
	zone := c.Zones(t, one)[0]
	c.Boot(t, acctest.Server{Name: "node2.web", Region: one, Zone: zone}, acctest.Server{Name: "web-0", Region: one, Zone: zone})
	pattern := c.Prefix + "node{index}.web"
	config := web(c, "desired_capacity = 1", fmt.Sprintf("node_name_pattern = %q", pattern), fmt.Sprintf("region = %q", one), fmt.Sprintf("zones = [{ name = %q }]", zone))
	c.Test(t,
		resource.TestStep{Config: config, ResourceName: webAddress, ImportState: true, ImportStateId: " ", ExpectError: acctest.Says("It names no cluster.")},
		resource.TestStep{Config: config, ResourceName: webAddress, ImportState: true, ImportStateId: c.Prefix + "web/" + pattern, ImportStatePersist: true},
		resource.TestStep{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(webAddress, tfjsonpath.New("nodes"), knownvalue.MapExact(map[string]knownvalue.Check{c.Prefix + "node2.web": place(2, one, zone)}))}},
	)
}

// TestAccPlacementZonesLater: where a region is listed without zones Nova
// chooses them. Zones that are listed later find the nodes where their servers
// are, and nothing moves.
func TestAccPlacementZonesLater(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, _, a, _ := c.FiveZones(t)
	before := web(c, "desired_capacity = 2", fmt.Sprintf("regions = [{ name = %q }]", one))
	after := func(size int) string {
		return web(c, fmt.Sprintf("desired_capacity = %d", size), "regions = "+acctest.Places(fmt.Sprintf("%s: %s %s", one, a[0], a[1])))
	}
	boot := func() {
		c.Boot(t, acctest.Server{Name: "web-0", Region: one, Zone: a[1]}, acctest.Server{Name: "web-1", Region: one, Zone: a[1]})
	}
	name := func(n string) string { return c.Prefix + "web-" + n }
	found := map[string]knownvalue.Check{name("0"): place(0, one, a[1]), name("1"): place(1, one, a[1])}
	grown := map[string]knownvalue.Check{name("0"): found[name("0")], name("1"): found[name("1")], name("2"): place(2, one, a[0])}
	has := func(nodes map[string]knownvalue.Check) []statecheck.StateCheck {
		return []statecheck.StateCheck{statecheck.ExpectKnownValue(webAddress, tfjsonpath.New("nodes"), knownvalue.MapExact(nodes))}
	}
	c.Test(t,
		resource.TestStep{Config: before},
		resource.TestStep{PreConfig: boot, Config: after(2), ConfigStateChecks: has(found)},
		resource.TestStep{Config: after(3), ConfigStateChecks: has(grown)},
	)
}

// TestAccPlacementCandidates: a candidate is named by its node, or by the id of
// its server. One that is not there is a warning, and the plan goes on.
func TestAccPlacementCandidates(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, _ := c.TwoRegions(t)
	zone := c.Zones(t, one)[0]
	shrink := func(size int, candidates ...string) string {
		return web(c, fmt.Sprintf("desired_capacity = %d", size), fmt.Sprintf("region = %q", one), fmt.Sprintf("zones = [{ name = %q }]", zone),
			`deletion { candidates = ["`+strings.Join(candidates, `", "`)+`"] }`)
	}
	w := c.Workspace(t, shrink(4, "nobody"))
	apply := func(config string, want ...string) {
		t.Helper()
		if err := w.Write(config); err != nil {
			t.Fatal(err)
		}
		text, err := w.Apply(t.Context())
		for _, part := range want {
			if err != nil || !acctest.Says(part).MatchString(text) {
				t.Errorf("%v, want %q in\n%s", err, part, text)
			}
		}
	}
	apply(shrink(4, "nobody"), `Warning: A candidate is not there`, `"nobody"`)
	ids := c.Boot(t, acctest.Server{Name: "web-0", Region: one, Zone: zone}, acctest.Server{Name: "web-1", Region: one, Zone: zone},
		acctest.Server{Name: "web-2", Region: one, Zone: zone}, acctest.Server{Name: "web-3", Region: one, Zone: zone})
	apply(shrink(2, ids[2], c.Prefix+"web-1"))
	state, err := w.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	nodes, _ := state.Values.RootModule.Resources[0].AttributeValues["nodes"].(map[string]any)
	if len(nodes) != 2 || nodes[c.Prefix+"web-0"] == nil || nodes[c.Prefix+"web-3"] == nil {
		t.Errorf("left are %v, want web-0 and web-3", nodes)
	}
}

// TestAccPlacementMins: mins that are more than the nodes are a warning, and the
// min of a zone is one of its region too.
func TestAccPlacementMins(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, two, a, _ := c.FiveZones(t)
	config := func(size int) string {
		return web(c, fmt.Sprintf("desired_capacity = %d", size), fmt.Sprintf("regions = [{ name = %q, weight = 900 }, { name = %q, zones = [{ name = %q, min = 2 }, { name = %q, min = 1 }] }]", two, one, a[0], a[1]))
	}
	w := c.Workspace(t, config(2))
	text, err := w.Apply(t.Context())
	if err != nil || !acctest.Says("Warning: The mins are more than the nodes").MatchString(text) || !acctest.Says("The mins of all places add up to 3, and the cluster has 2 nodes").MatchString(text) {
		t.Errorf("%v\n%s", err, text)
	}
	if err := w.Write(config(4)); err != nil {
		t.Fatal(err)
	}
	if text, err = w.Apply(t.Context()); err != nil || strings.Contains(text, "Warning") {
		t.Errorf("%v\n%s", err, text)
	}
	state, err := w.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	counts := fmt.Sprint(state.Values.RootModule.Resources[0].AttributeValues["distribution"])
	for _, want := range []string{a[0] + ":2", a[1] + ":1"} {
		if !strings.Contains(counts, want) {
			t.Errorf("the nodes are spread %s, want %s", counts, want)
		}
	}
}

// TestAccInstanceHostDisabled: the only host of a zone is disabled, between a
// plan and its apply. The server that was planned there fails, with Nova's own
// words, and is made when the host is back. A plan that knows of it goes elsewhere,
// and what runs in the zone stays.
func TestAccInstanceHostDisabled(t *testing.T) {
	c := acctest.NewAdmin(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	zones := c.Zones(t, region)
	if len(zones) < 2 {
		t.Skipf("needs two zones, and %s has %v", region, zones)
	}
	two := acctest.Places(fmt.Sprintf("%s: %s %s", region, zones[0], zones[1]))
	config := func(size int) string { return acctest.Attached(c, size, two, "") }
	l := acctest.Loop{Workspace: c.Workspace(t, config(2)), Cloud: c}
	l.Step(t, "create", config(2), "0 1", "")
	if err := l.Write(config(4)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(t.Context(), "plan", "-input=false", "-no-color", "-out=saved.tfplan"); err != nil {
		t.Fatal(err)
	}
	enable := c.Disable(t, region, c.Host(t, region, zones[1]))
	if _, err := l.Run(t.Context(), "apply", "-input=false", "-no-color", "saved.tfplan"); err == nil || !acctest.Says("availability zone is not available").MatchString(err.Error()) {
		t.Errorf("a plan for a zone that is not available any more: %v", err)
	}
	enable()
	if _, err := l.Apply(t.Context()); err != nil || len(c.Servers(t)) != 4 {
		t.Errorf("the zone is back: %v, servers %v", err, c.Servers(t))
	}
	enable = c.Disable(t, region, c.Host(t, region, zones[1]))
	l.Settled(t, "with less zones")
	if err := l.Write(config(5)); err != nil {
		t.Fatal(err)
	}
	text, err := l.Apply(t.Context())
	if err != nil || !acctest.Says(fmt.Sprintf("No service in the availability zone %q of region %q is up", zones[1], region)).MatchString(text) {
		t.Errorf("%v\n%s", err, text)
	}
	enable()
	l.Settled(t, "the zone is back again")
	l.Step(t, "grow again", config(6), "5", "")
	counts := map[string]int{}
	for _, s := range c.AllServers(t) {
		counts[s.AvailabilityZone]++
	}
	if counts[zones[0]] != 3 || counts[zones[1]] != 3 {
		t.Errorf("the servers are in %v", counts)
	}
}
