package placementtf_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestPlacementTimes: what a refresh knows of times changes the state only when it
// flips, so a saved plan stays valid while time passes. Nodes that are too old are
// replaced one batch after the other, and a batch waits until the one before has
// served for the pause.
func TestPlacementTimes(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{TokenTTL: 365 * 24 * time.Hour})
	config := func(size int) string {
		more := "update {\n    causes = [\"AGE\"]\n    max_batch_size = 2\n    max_age = \"30d\"\n    pause = \"10m\"\n  }"
		return acctest.Attached(c, size, acctest.Places("RegionOne: az-1 az-2"), more) + fmt.Sprintf(`
resource "stackpolicy_readiness_attachment" "web" {
  cluster = %q
  servers = { for name, server in openstack_compute_instance_v2.web : name => { id = server.id, mark = stackpolicy_placement_attachment.web.nodes[name].mark } }
}
`, c.Prefix)
	}
	l := acctest.Loop{Workspace: c.Workspace(t, config(3)), Cloud: c}
	l.Step(t, "create", config(3), "0 1 2", "")
	// Those that were launched first are replaced first, and which ones those are is up to Terraform.
	launched, made := []string{"0", "1", "2"}, c.Servers(t)
	slices.SortStableFunc(launched, func(a, b string) int { return made[a].LaunchedAt.Compare(made[b].LaunchedAt) })
	first, second := launched[:2], []string{launched[2], "3"}
	slices.Sort(first)
	run := func(args ...string) string {
		t.Helper()
		text, err := l.Run(t.Context(), append([]string{args[0], "-input=false", "-no-color"}, args[1:]...)...)
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return strings.Join(strings.Fields(strings.ReplaceAll(text, "│", " ")), " ")
	}
	state := func() string {
		t.Helper()
		text, err := l.Run(t.Context(), "state", "pull")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	c.Fake.Advance(time.Hour)
	run("apply", "-refresh-only", "-auto-approve") // they have served for the pause
	before := state()
	c.Fake.Advance(time.Minute)
	run("apply", "-refresh-only", "-auto-approve")
	if after := state(); after != before {
		t.Errorf("a minute changed the state from\n%s\nto\n%s", before, after)
	}
	if err := l.Write(config(4)); err != nil {
		t.Fatal(err)
	}
	run("plan", "-out=saved.tfplan")
	c.Fake.Advance(10 * 24 * time.Hour)
	run("apply", "-refresh-only", "-auto-approve")
	run("apply", "saved.tfplan")

	ids := func() map[string]bool {
		found := map[string]bool{}
		for _, id := range l.IDs(t) {
			found[id] = true
		}
		return found
	}
	replaced := func(before map[string]bool) (n int) {
		t.Helper()
		if run("apply", "-auto-approve"); len(ids()) != 4 {
			t.Fatalf("%d servers", len(ids()))
		}
		for id := range ids() {
			if !before[id] {
				n++
			}
		}
		return n
	}
	// status is what a pipeline reads in the JSON of a plan.
	status := func() string {
		t.Helper()
		run("plan", "-out=status.tfplan")
		text, err := l.Run(t.Context(), "show", "-json", "status.tfplan")
		var plan tfjson.Plan
		if err := errors.Join(err, json.Unmarshal([]byte(text), &plan)); err != nil {
			t.Fatal(err)
		}
		for _, r := range plan.ResourceChanges {
			if r.Type == "stackpolicy_placement_attachment" {
				return r.Change.After.(map[string]any)["status"].(string)
			}
		}
		t.Fatal("the plan has no attachment")
		return ""
	}
	says := func(want string) {
		t.Helper()
		if got := strings.ReplaceAll(status(), c.Prefix, "web-"); got != want {
			t.Errorf("the status is %q, want %q", got, want)
		}
	}
	says("in step")
	c.Fake.Advance(40 * 24 * time.Hour)
	says("batch 1 of 2: web-" + strings.Join(first, ", web-") + " leave; web-4, web-5 come")
	if n := replaced(ids()); n != 2 {
		t.Errorf("%d of 4 nodes that are too old were replaced, in batches of 2", n)
	}
	says("bakes: web-4, web-5 must be in service for longer")
	if text := run("plan"); !strings.Contains(text, "No changes.") ||
		!strings.Contains(text, "A batch has to serve before the next one") || !strings.Contains(text, "2 nodes more should be replaced.") {
		t.Errorf("right after a batch: %s", text)
	}
	c.Fake.Advance(11 * time.Minute)
	if text := run("plan"); !strings.Contains(text, "replaced (AGE) in RegionOne/az-") || !strings.Contains(text, "its server was launched on 2026-01-") {
		t.Errorf("after the pause: %s", text)
	}
	says("batch 2 of 2: web-" + strings.Join(second, ", web-") + " leave; web-6, web-7 come")
	if n := replaced(ids()); n != 2 {
		t.Errorf("%d of 2 nodes that are too old were replaced after the pause", n)
	}
	l.Settled(t, "all are young")
	says("in step")
}

func TestPlacementTimesInput(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	for update, want := range map[string]string{
		`causes = ["AGE"]`: "The cause AGE needs max_age",
		"causes = [\"UNHEALTHY\"]\n max_age = \"30d\"":         "Only the cause AGE replaces a node for its age.",
		"causes = [\"AGE\"]\n max_age = \"10m\"":               "A duration from 1h to 3650d is needed",
		"causes = [\"UNHEALTHY\"]\n pause = \"soon\"":          "A duration from 0s to 30d is needed",
		"causes = [\"TEMPLATE\"]\n retry_full_after = \"31d\"": "A duration from 0s to 30d is needed",
		"causes = [\"TEMPLATE\"]\n revert_after = 0":           "A duration from 1s to 30d is needed",

		"causes = [\"TEMPLATE\"]\n revert_after = \"30m\"\n require_in_service = false": "every server that is ACTIVE counts as in service, so no template fails",
	} {
		c.Test(t, resource.TestStep{PlanOnly: true, ExpectError: acctest.Says(want),
			Config: acctest.Placement(c, 1, acctest.Places("RegionOne: az-1"), "update {\n max_batch_size = 1\n "+update+"\n}")})
	}
}
