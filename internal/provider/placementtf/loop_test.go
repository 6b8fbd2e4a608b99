package placementtf_test

import (
	"fmt"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

func TestMain(m *testing.M) { acctest.Main(m) }

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
	// Nodes: one/a0: 0 6, a1: 1 7, a2: 2 8; two/b0: 3 4 9, b1: 5 10. Zones of a
	// region that are equally good to take from give up the oldest node of all of
	// them. Nodes 0 and 4 are protected, so a0 and b0 have only young nodes to give.
	kept := fmt.Sprintf("deletion {\n    criteria  = \"OLDEST_FIRST\"\n    protected = [%q, %q]\n  }", c.Prefix+"0", c.Prefix+"4")
	l.Step(t, "shrink by the oldest", acctest.Attached(c, 7, whole, kept), "", "1 2 3 5")
	// Nodes: one/a0: 0 6, a1: 7, a2: 8; two/b0: 4 9, b1: 10.
	l.Step(t, "nothing changes", acctest.Attached(c, 7, whole, criteria("OLDEST_PROFILE_FIRST")), "", "")

	dropped := acctest.Places(fmt.Sprintf("%s: %s %s; %s: %s %s", one, a[1], a[2], two, b[0], b[1]))
	l.Step(t, "drop a zone", acctest.Attached(c, 7, dropped, criteria("OLDEST_FIRST")), "", "")
	l.Step(t, "its nodes go first", acctest.Attached(c, 6, dropped, criteria("OLDEST_FIRST")), "", "0")
	l.Step(t, "a zone that sorts first comes back", acctest.Attached(c, 6, whole, criteria("OLDEST_FIRST")), "", "")
	// Nodes: one/a0: 6, a1: 7, a2: 8; two/b0: 4 9, b1: 10.

	heavy := acctest.Places(fmt.Sprintf("%s: %s %s %s cap=3; %s: %s %s weight=900", one, a[0], a[1], a[2], two, b[0], b[1]))
	l.Step(t, "weights count for the next", acctest.Attached(c, 7, heavy, criteria("OLDEST_FIRST")), "11", "")
	lifted := acctest.Places(fmt.Sprintf("%s: %s %s %s weight=900 cap=5; %s: %s %s", one, a[0], a[1], a[2], two, b[0], b[1]))
	l.Step(t, "raise a cap", acctest.Attached(c, 8, lifted, criteria("OLDEST_FIRST")), "12", "")
	// Nodes: one/a0: 6 12, a1: 7, a2: 8; two/b0: 4 9, b1: 10 11.

	killed := c.Servers(t)["7"]
	c.Kill(t, one, killed.ID)
	l.Step(t, "a server killed outside comes back under its name", acctest.Attached(c, 8, lifted, criteria("OLDEST_FIRST")), "7", "")

	tainted, protected := c.Servers(t)["11"], c.Servers(t)["9"]
	c.Mark(t, two, tainted.ID, "stackpolicy_tainted", "true")
	c.Mark(t, two, protected.ID, "stackpolicy_protected", "true")
	l.Step(t, "tainted goes first, protected stays", acctest.Attached(c, 6, lifted, criteria("OLDEST_FIRST")), "", "4 11")

	named := "deletion {\n criteria = \"OLDEST_FIRST\"\n candidates = [\"" + c.Prefix + "8\"]\n }"
	l.Step(t, "one is replaced by name", acctest.Attached(c, 6, lifted, named), "13", "8")
	l.Step(t, "and removed by name", acctest.Attached(c, 5, lifted, "deletion { candidates = [\""+c.Prefix+"8\", \""+c.Prefix+"13\"] }"), "", "13")
	// Nodes: one/a0: 6 12, a1: 7; two/b0: 9, b1: 10.

	even := acctest.Places(fmt.Sprintf("%s: %s; %s: %s %s weight=900", one, a[0], two, b[0], b[1]))
	moving := "update {\n    causes         = [\"PLACEMENT\"]\n    max_batch_size = 2\n    require_in_service = false\n  }\n  " + criteria("OLDEST_FIRST")
	l.Batch(t, "the apply that brings the update replaces nothing", acctest.Attached(c, 5, even, moving), "", "")
	l.Step(t, "the next moves two", acctest.Attached(c, 5, even, moving), "14 15", "6 7")
	l.Step(t, "only the protected one is left", acctest.Attached(c, 1, even, moving), "", "10 12 14 15")
}
