package placementtf_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestAccPlacementLoop is the life of a cluster.
func TestAccPlacementLoop(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, two, a, b := c.FiveZones(t)
	whole := acctest.Places(fmt.Sprintf("%s: %s %s %s; %s: %s %s", one, a[0], a[1], a[2], two, b[0], b[1]))
	l := acctest.Loop{Workspace: c.Workspace(t, acctest.Attached(c, 6, whole, "")), Cloud: c}
	criteria := func(name string) string { return fmt.Sprintf("deletion {\n    criteria = %q\n  }", name) }

	l.Step(t, "create", acctest.Attached(c, 6, whole, ""), "0 1 2 3 4 5", "")
	l.Step(t, "grow", acctest.Attached(c, 11, whole, ""), "6 7 8 9 10", "")
	// Of one/a0: 0 6, a1: 1 7, a2: 2 8; of two/b0: 3 4 9, b1: 5 10. Zones of a
	// region that are equally good to take from give up the oldest node of all of
	// them. With 0 and 4 protected, a0 and b0 have only young ones to give.
	kept := fmt.Sprintf("deletion {\n    criteria  = \"OLDEST_FIRST\"\n    protected = [%q, %q]\n  }", c.Prefix+"0", c.Prefix+"4")
	l.Step(t, "shrink by the oldest", acctest.Attached(c, 7, whole, kept), "", "1 2 3 5")
	l.Step(t, "grow again", acctest.Attached(c, 11, whole, criteria("OLDEST_FIRST")), "11 12 13 14", "")
	// Of one/a0: 0 6, a1: 7 11, a2: 8 12; of two/b0: 4 9 13, b1: 10 14.
	l.Step(t, "shrink by the youngest", acctest.Attached(c, 7, whole, criteria("YOUNGEST_FIRST")), "", "11 12 13 14")
	l.Step(t, "nothing changes", acctest.Attached(c, 7, whole, criteria("OLDEST_PROFILE_FIRST")), "", "")

	dropped := acctest.Places(fmt.Sprintf("%s: %s %s; %s: %s %s", one, a[1], a[2], two, b[0], b[1]))
	l.Step(t, "drop a zone", acctest.Attached(c, 7, dropped, criteria("OLDEST_FIRST")), "", "")
	l.Step(t, "its nodes go first", acctest.Attached(c, 6, dropped, criteria("OLDEST_FIRST")), "", "0")
	l.Step(t, "a zone that sorts first comes back", acctest.Attached(c, 6, whole, criteria("OLDEST_FIRST")), "", "")
	// Of one/a0: 6, a1: 7, a2: 8; of two/b0: 4 9, b1: 10.

	heavy := acctest.Places(fmt.Sprintf("%s: %s %s %s cap=3; %s: %s %s weight=900", one, a[0], a[1], a[2], two, b[0], b[1]))
	l.Step(t, "change weights", acctest.Attached(c, 6, heavy, criteria("OLDEST_FIRST")), "", "")
	l.Step(t, "they count for the next", acctest.Attached(c, 7, heavy, criteria("OLDEST_FIRST")), "15", "")
	lifted := acctest.Places(fmt.Sprintf("%s: %s %s %s weight=900 cap=5; %s: %s %s", one, a[0], a[1], a[2], two, b[0], b[1]))
	l.Step(t, "raise a cap", acctest.Attached(c, 8, lifted, criteria("OLDEST_FIRST")), "16", "")
	// Of one/a0: 6 16, a1: 7, a2: 8; of two/b0: 4 9, b1: 10 15.

	killed := c.Servers(t)["7"]
	c.Kill(t, one, killed.ID)
	l.Step(t, "a server killed outside comes back under its name", acctest.Attached(c, 8, lifted, criteria("OLDEST_FIRST")), "7", "")

	tainted, protected := c.Servers(t)["15"], c.Servers(t)["9"]
	c.Mark(t, two, tainted.ID, "stackpolicy_tainted", "true")
	c.Mark(t, two, protected.ID, "stackpolicy_protected", "true")
	l.Step(t, "tainted goes first, protected stays", acctest.Attached(c, 6, lifted, criteria("OLDEST_FIRST")), "", "4 15")

	named := "deletion {\n criteria = \"OLDEST_FIRST\"\n candidates = [\"" + c.Prefix + "8\"]\n }"
	l.Step(t, "one is replaced by name", acctest.Attached(c, 6, lifted, named), "17", "8")
	l.Step(t, "and removed by name", acctest.Attached(c, 5, lifted, "deletion { candidates = [\""+c.Prefix+"8\", \""+c.Prefix+"17\"] }"), "", "17")
	// Of one/a0: 6 16, a1: 7; of two/b0: 9, b1: 10.

	even := acctest.Places(fmt.Sprintf("%s: %s; %s: %s %s weight=900", one, a[0], two, b[0], b[1]))
	moving := "update {\n    causes         = [\"PLACEMENT\"]\n    max_batch_size = 2\n  }\n  " + criteria("OLDEST_FIRST")
	l.Batch(t, "the apply that brings the update replaces nothing", acctest.Attached(c, 5, even, moving), "", "")
	l.Step(t, "the next moves two", acctest.Attached(c, 5, even, moving), "18 19", "6 7")
	l.Step(t, "only the protected one is left", acctest.Attached(c, 1, even, moving), "", "10 16 18 19")
}

// TestAccPlacementRandom: RANDOM draws by the servers' ids, so the plan tells
// who goes, and apply keeps to it.
func TestAccPlacementRandom(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	whole := acctest.Places(region + ": " + strings.Join(c.Zones(t, region)[:1], " "))
	l := acctest.Loop{Workspace: c.Workspace(t, acctest.Attached(c, 5, whole, "")), Cloud: c}
	l.Step(t, "create", acctest.Attached(c, 5, whole, ""), "0 1 2 3 4", "")
	if err := l.Write(acctest.Attached(c, 2, whole, "")); err != nil {
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
	l.Settled(t, "random")
}

// TestAccPlacementOldestProfile: those built from the oldest profile go, which
// the metadata of their servers tell.
func TestAccPlacementOldestProfile(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	zone := acctest.Places(region + ": " + c.Zones(t, region)[0])
	const oldest = "selector { profile_metadata_key = \"built\" }\n  deletion { criteria = \"OLDEST_PROFILE_FIRST\" }"
	l := acctest.Loop{Workspace: c.Workspace(t, acctest.Attached(c, 4, zone, oldest)), Cloud: c}
	l.Step(t, "create", acctest.Attached(c, 4, zone, oldest), "0 1 2 3", "")
	for name, built := range map[string]string{"0": "2026-03-01T00:00:00Z", "1": "2026-01-01T00:00:00Z", "2": "2026-04-01T00:00:00Z", "3": "2026-02-01T00:00:00Z"} {
		c.Mark(t, region, c.Servers(t)[name].ID, "built", built)
	}
	l.Step(t, "shrink", acctest.Attached(c, 2, zone, oldest), "", "1 3")
}
