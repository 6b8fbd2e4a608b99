package provider_test

import (
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
)

// loop is a cluster that goes through its life in a real terraform.
type loop struct {
	*workspace.Workspace
	c *acctest.Cloud
}

// places writes regions in HCL: "one: az-1 az-2 w200 cap5; two: az-1".
func places(text string) string {
	var regions []string
	for part := range strings.SplitSeq(text, "; ") {
		name, rest, _ := strings.Cut(part, ": ")
		var zones, more []string
		for word := range strings.FieldsSeq(rest) {
			switch {
			case strings.HasPrefix(word, "cap="), strings.HasPrefix(word, "weight="):
				more = append(more, strings.Replace(word, "=", " = ", 1))
			default:
				zones = append(zones, fmt.Sprintf("{ name = %q }", word))
			}
		}
		more = append([]string{fmt.Sprintf("name = %q", name), "zones = [" + strings.Join(zones, ", ") + "]"}, more...)
		regions = append(regions, "{ "+strings.Join(more, ", ")+" }")
	}
	return "[" + strings.Join(regions, ", ") + "]"
}

// attached is a cluster under placement: servers made from the attachment.
func attached(c *acctest.Cloud, size int, regions, more string) string {
	return attachment(c, size, regions, more) + made(c, "nova_server", "")
}

// attachedInstances has servers of terraform-provider-openstack.
func attachedInstances(c *acctest.Cloud, size int, regions, more string) string {
	return attachment(c, size, regions, more) + made(c, "openstack_compute_instance_v2", `network_mode = "none"`)
}

func attachment(c *acctest.Cloud, size int, regions, more string) string {
	return fmt.Sprintf(`
resource "stackpolicy_placement_attachment" "web" {
  cluster          = %q
  node_name_pattern = "{cluster}{index}"
  desired_capacity = %d
  regions          = %s
  %s
}
`, c.Prefix, size, regions, more)
}

// made are the servers of the attachment, as resources of a type.
func made(c *acctest.Cloud, kind, more string) string {
	return fmt.Sprintf(`
resource %q "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_id          = %q
  flavor_id         = %q
  %s
}
`, kind, c.Image, c.Flavor, more)
}

// step applies a configuration by way of a saved plan, and holds the cloud to
// what is expected: which servers came and went, and that all others are the
// same ones. The plan after it is empty.
func (l loop) step(t *testing.T, name, config string, created, deleted string) {
	t.Helper()
	l.apply(t, name, config, created, deleted)
	l.settled(t, name)
}

// apply does the same where a batch is left.
func (l loop) apply(t *testing.T, name, config string, created, deleted string) {
	t.Helper()
	before := l.ids(t)
	if err := l.Write(config); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(t.Context(), "plan", "-input=false", "-no-color", "-out=step.tfplan"); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if _, err := l.Run(t.Context(), "apply", "-input=false", "-no-color", "step.tfplan"); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	after := l.ids(t)
	if got := difference(after, before); got != created {
		t.Errorf("%s: created %q, want %q", name, got, created)
	}
	if got := difference(before, after); got != deleted {
		t.Errorf("%s: deleted %q, want %q", name, got, deleted)
	}
}

// settled fails unless the next plan is empty.
func (l loop) settled(t *testing.T, name string) {
	t.Helper()
	text, err := l.Run(t.Context(), "plan", "-input=false", "-no-color", "-detailed-exitcode")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 2 {
		t.Fatalf("%s: the next plan is not empty:\n%s", name, text)
	} else if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// ids are the servers in the cloud, as "name=id".
func (l loop) ids(t *testing.T) []string {
	t.Helper()
	var list []string
	for name, s := range l.c.Servers(t) {
		list = append(list, name+"="+s.ID)
	}
	return list
}

// difference names the servers of a that are not in b, sorted by number.
func difference(a, b []string) string {
	var names []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			name, _, _ := strings.Cut(s, "=")
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return strings.Join(names, " ")
}

// fiveZones are two regions with three and two zones, or the test is skipped.
func fiveZones(t *testing.T, c *acctest.Cloud) (one, two string, a, b []string) {
	t.Helper()
	one, two = c.TwoRegions(t)
	a, b = c.Zones(t, one), c.Zones(t, two)
	if len(a) < 3 || len(b) < 2 {
		t.Skipf("needs regions with three and two zones, and the cloud has %v and %v", a, b)
	}
	return one, two, a, b
}

// TestAccPlacementLoop is the life of a cluster.
func TestAccPlacementLoop(t *testing.T) {
	t.Parallel()
	live(t, attached)
}

// TestAccInstanceLoop is the same with servers of terraform-provider-openstack.
func TestAccInstanceLoop(t *testing.T) {
	t.Parallel()
	live(t, attachedInstances)
}

// live takes a cluster through its life. What web writes is its configuration.
func live(t *testing.T, web func(c *acctest.Cloud, size int, regions, more string) string) {
	t.Helper()
	c := acctest.New(t, fakecloud.Config{})
	one, two, a, b := fiveZones(t, c)
	whole := places(fmt.Sprintf("%s: %s %s %s; %s: %s %s", one, a[0], a[1], a[2], two, b[0], b[1]))
	l := loop{c.Workspace(t, web(c, 6, whole, "")), c}
	criteria := func(name string) string { return fmt.Sprintf("deletion {\n    criteria = %q\n  }", name) }

	l.step(t, "create", web(c, 6, whole, ""), "0 1 2 3 4 5", "")
	l.step(t, "grow", web(c, 11, whole, ""), "6 7 8 9 10", "")
	// Of one/a0: 0 6, a1: 1 7, a2: 2 8; of two/b0: 3 4 9, b1: 5 10. Zones of a
	// region that are equally good to take from give up the oldest node of all of
	// them. With 0 and 4 protected, a0 and b0 have only young ones to give.
	kept := fmt.Sprintf("deletion {\n    criteria  = \"OLDEST_FIRST\"\n    protected = [%q, %q]\n  }", c.Prefix+"0", c.Prefix+"4")
	l.step(t, "shrink by the oldest", web(c, 7, whole, kept), "", "1 2 3 5")
	l.step(t, "grow again", web(c, 11, whole, criteria("OLDEST_FIRST")), "11 12 13 14", "")
	// Of one/a0: 0 6, a1: 7 11, a2: 8 12; of two/b0: 4 9 13, b1: 10 14.
	l.step(t, "shrink by the youngest", web(c, 7, whole, criteria("YOUNGEST_FIRST")), "", "11 12 13 14")
	l.step(t, "nothing changes", web(c, 7, whole, criteria("OLDEST_PROFILE_FIRST")), "", "")

	dropped := places(fmt.Sprintf("%s: %s %s; %s: %s %s", one, a[1], a[2], two, b[0], b[1]))
	l.step(t, "drop a zone", web(c, 7, dropped, criteria("OLDEST_FIRST")), "", "")
	l.step(t, "its nodes go first", web(c, 6, dropped, criteria("OLDEST_FIRST")), "", "0")
	l.step(t, "a zone that sorts first comes back", web(c, 6, whole, criteria("OLDEST_FIRST")), "", "")
	// Of one/a0: 6, a1: 7, a2: 8; of two/b0: 4 9, b1: 10.

	heavy := places(fmt.Sprintf("%s: %s %s %s cap=3; %s: %s %s weight=900", one, a[0], a[1], a[2], two, b[0], b[1]))
	l.step(t, "change weights", web(c, 6, heavy, criteria("OLDEST_FIRST")), "", "")
	l.step(t, "they count for the next", web(c, 7, heavy, criteria("OLDEST_FIRST")), "15", "")
	lifted := places(fmt.Sprintf("%s: %s %s %s weight=900 cap=5; %s: %s %s", one, a[0], a[1], a[2], two, b[0], b[1]))
	l.step(t, "raise a cap", web(c, 8, lifted, criteria("OLDEST_FIRST")), "16", "")
	// Of one/a0: 6 16, a1: 7, a2: 8; of two/b0: 4 9, b1: 10 15.

	killed := c.Servers(t)["7"]
	c.Kill(t, one, killed.ID)
	l.step(t, "a server killed outside comes back under its name", web(c, 8, lifted, criteria("OLDEST_FIRST")), "7", "")

	tainted, protected := c.Servers(t)["15"], c.Servers(t)["9"]
	c.Mark(t, two, tainted.ID, "stackpolicy_tainted", "true")
	c.Mark(t, two, protected.ID, "stackpolicy_protected", "true")
	l.step(t, "tainted goes first, protected stays", web(c, 6, lifted, criteria("OLDEST_FIRST")), "", "4 15")

	named := "deletion {\n criteria = \"OLDEST_FIRST\"\n candidates = [\"" + c.Prefix + "8\"]\n }"
	l.step(t, "one is replaced by name", web(c, 6, lifted, named), "17", "8")
	l.step(t, "and removed by name", web(c, 5, lifted, "deletion { candidates = [\""+c.Prefix+"8\", \""+c.Prefix+"17\"] }"), "", "17")
	// Of one/a0: 6 16, a1: 7; of two/b0: 9, b1: 10.

	even := places(fmt.Sprintf("%s: %s; %s: %s %s weight=900", one, a[0], two, b[0], b[1]))
	moving := "update {\n    causes         = [\"PLACEMENT\"]\n    max_batch_size = 2\n  }\n  " + criteria("OLDEST_FIRST")
	l.apply(t, "the apply that brings the update replaces nothing", web(c, 5, even, moving), "", "")
	l.step(t, "the next moves two", web(c, 5, even, moving), "18 19", "6 7")
	l.step(t, "only the protected one is left", web(c, 1, even, moving), "", "10 16 18 19")
}

// TestAccPlacementRandom: RANDOM draws by the servers' ids, so the plan tells
// who goes, and apply keeps to it.
func TestAccPlacementRandom(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	whole := places(region + ": " + strings.Join(c.Zones(t, region)[:1], " "))
	l := loop{c.Workspace(t, attached(c, 5, whole, "")), c}
	l.step(t, "create", attached(c, 5, whole, ""), "0 1 2 3 4", "")
	if err := l.Write(attached(c, 2, whole, "")); err != nil {
		t.Fatal(err)
	}
	plan, err := l.Plan(t.Context(), "step.tfplan")
	if err != nil {
		t.Fatal(err)
	}
	planned := map[string]bool{}
	for _, change := range plan.ResourceChanges {
		if change.Change.Actions.Delete() {
			planned[fmt.Sprint(change.Index)] = true
		}
	}
	if _, err := l.Run(t.Context(), "apply", "-input=false", "-no-color", "step.tfplan"); err != nil {
		t.Fatal(err)
	}
	if left := slices.Sorted(maps.Keys(c.Servers(t))); len(planned) != 3 || len(left) != 2 || planned[c.Prefix+left[0]] || planned[c.Prefix+left[1]] {
		t.Errorf("planned to remove %v, left are %v", planned, left)
	}
	l.settled(t, "random")
}

// TestAccPlacementOldestProfile: those built from the oldest profile go, which
// the metadata of their servers tell.
func TestAccPlacementOldestProfile(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	zone := places(region + ": " + c.Zones(t, region)[0])
	const oldest = "selector { profile_metadata_key = \"built\" }\n  deletion { criteria = \"OLDEST_PROFILE_FIRST\" }"
	l := loop{c.Workspace(t, attached(c, 4, zone, oldest)), c}
	l.step(t, "create", attached(c, 4, zone, oldest), "0 1 2 3", "")
	for name, built := range map[string]string{"0": "2026-03-01T00:00:00Z", "1": "2026-01-01T00:00:00Z", "2": "2026-04-01T00:00:00Z", "3": "2026-02-01T00:00:00Z"} {
		c.Mark(t, region, c.Servers(t)[name].ID, "built", built)
	}
	l.step(t, "shrink", attached(c, 2, zone, oldest), "", "1 3")
}
