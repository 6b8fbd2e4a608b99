//go:build unix

package provider_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// twoRegions returns a configuration that reads a cluster of two regions and plans for
// it, on a cloud with a server in each region.
func twoRegions(t *testing.T, settings string) (c *acctest.Cloud, w *workspace.Workspace, one, two string) {
	t.Helper()
	c = acctest.New(t, fakecloud.Config{})
	one, two = c.TwoRegions(t)
	c.Boot(t, acctest.Server{Name: "0", Region: one}, acctest.Server{Name: "1", Region: two})
	return c, c.Installed(t, c.ProviderBlock("stackpolicy", settings)+fmt.Sprintf(`
data "stackpolicy_cluster" "web" {
  regions    = [%q, %q]
  name_regex = "^%s"
}
data "stackpolicy_region_plan" "web" {
  nodes     = data.stackpolicy_cluster.web.nodes
  regions   = [{ name = %q }, { name = %q }]
  scale_out { count = 3 }
}
output "nodes" { value = data.stackpolicy_cluster.web.nodes }
output "target" { value = data.stackpolicy_region_plan.web.target }
`, one, two, c.Prefix, one, two)), one, two
}

// plannedOutputs returns the outputs that a plan shows.
func plannedOutputs(t *testing.T, w *workspace.Workspace) map[string]any {
	t.Helper()
	plan, err := w.Plan(t.Context(), "outputs.tfplan")
	require.NoError(t, err)
	values := map[string]any{}
	for name, output := range plan.PlannedValues.Outputs {
		values[name] = output.Value
	}
	return values
}

// names fails unless the error is about one region and not about another.
func names(t *testing.T, err error, region, not string) {
	t.Helper()
	if err == nil {
		t.Fatal("it did not fail")
	}
	text := strings.ReplaceAll(err.Error(), "│", "")
	if !strings.Contains(text, region) || strings.Contains(text, not) {
		t.Errorf("the error must name %s, and not %s:\n%v", region, not, err)
	}
}

// TestAccFault_stopped: with the Nova of one region down, its nodes do not count as
// gone: the read fails. Later the plan is the same as before.
func TestAccFault_stopped(t *testing.T) {
	c, w, one, two := twoRegions(t, "")
	before := plannedOutputs(t, w)
	restore := c.Break(t, acctest.Stopped, two)
	_, err := w.Plan(t.Context(), "broken.tfplan")
	names(t, err, two, one)
	restore()
	if after := plannedOutputs(t, w); len(after) != 2 || !reflect.DeepEqual(after, before) {
		t.Errorf("the plan was %v, and is %v", before, after)
	}
}

// TestAccFault_attachment: for an attachment, too, the nodes of a region that is down
// do not count as gone, and its state stays as it was.
func TestAccFault_attachment(t *testing.T) {
	c := acctest.New(t, fakecloud.Config{})
	one, two := c.TwoRegions(t)
	config := acctest.Attached(c, 4, acctest.Places(one+": "+c.Zones(t, one)[0]+"; "+two+": "+c.Zones(t, two)[0]), "")
	l := acctest.Loop{Workspace: c.Workspace(t, config), Cloud: c}
	l.Step(t, "create", config, "0 1 2 3", "")
	restore := c.Break(t, acctest.Stopped, two)
	_, err := l.Apply(t.Context())
	names(t, err, two, one+":")
	restore()
	l.Settled(t, "the region is back")
	assert.Equal(t, "0 1 2 3", acctest.Difference(l.IDs(t), nil), "servers")
}

// TestAccFault_hanging: a request to a region that accepts requests and does not answer
// them is given up after request_timeout.
func TestAccFault_hanging(t *testing.T) {
	c, w, one, two := twoRegions(t, "request_timeout = 2")
	before := plannedOutputs(t, w)
	restore := c.Break(t, acctest.Hanging, two)
	start := time.Now()
	_, err := w.Plan(t.Context(), "broken.tfplan")
	names(t, err, two, one)
	if took := time.Since(start); took < 2*time.Second || took > time.Minute {
		t.Errorf("given up after %s", took)
	} else {
		t.Logf("given up after %s", took)
	}
	restore()
	if after := plannedOutputs(t, w); !reflect.DeepEqual(after, before) {
		t.Errorf("the plan was %v, and is %v", before, after)
	}
}

// TestAccFault_interrupt: Ctrl-C ends the wait for an answer at once.
func TestAccFault_interrupt(t *testing.T) {
	c, w, _, two := twoRegions(t, "request_timeout = 300")
	c.Break(t, acctest.Hanging, two)
	plan, err := w.Start(t.Context(), "plan", "-input=false", "-no-color")
	require.NoError(t, err)
	if err := plan.Until("Still reading..."); err != nil { // printed after ten seconds
		t.Fatal(err)
	}
	acctest.Interrupt(t, plan, "Unable to read the cluster")
}
