//go:build unix

package provider_test

import (
	"fmt"
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

// TestAccFault_broken: with the Nova of one region down, its nodes do not count as gone: the read fails. A
// request to a region that accepts requests and does not answer them is given up after request_timeout.
// Later the plan is the same as before.
func TestAccFault_broken(t *testing.T) {
	for name, how := range map[string]acctest.Fault{"stopped": acctest.Stopped, "hanging": acctest.Hanging} {
		t.Run(name, func(t *testing.T) {
			settings := map[string]string{"hanging": "request_timeout = 2"}[name]
			c, w, one, two := twoRegions(t, settings)
			before := plannedOutputs(t, w)
			require.Len(t, before, 2)
			restore := c.Break(t, how, two)
			start := time.Now()
			_, err := w.Plan(t.Context(), "broken.tfplan")
			took := time.Since(start)
			require.Error(t, err)
			text := strings.ReplaceAll(err.Error(), "│", "")
			assert.Contains(t, text, two)
			assert.NotContains(t, text, one)
			assert.False(t, name == "hanging" && (took < 2*time.Second || took > time.Minute), "given up after %s", took)
			restore()
			assert.Equal(t, before, plannedOutputs(t, w))
		})
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
