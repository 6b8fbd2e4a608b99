package placementtf_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const webAddress = "stackpolicy_placement_attachment.web"

// TestAccPlacementImportGenerated: terraform generates the configuration of a
// running cluster, and the plan of that configuration changes nothing.
func TestAccPlacementImportGenerated(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, two, a, b := c.FiveZones(t)
	c.Boot(t, acctest.Server{Name: "web-0", Region: one, Zone: a[0]}, acctest.Server{Name: "web-1", Region: one, Zone: a[1]},
		acctest.Server{Name: "web-2", Region: two, Zone: b[0]})
	// Since 1.16 Terraform looks for the provider in hashicorp/ unless the block
	// names it, and refuses the name once there is a configuration.
	block, named := fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", webAddress, c.Prefix+"web"), ""
	if acctest.TerraformMinor(t) >= 16 {
		named = "  provider = stackpolicy\n}"
	}
	w := c.Workspace(t, strings.Replace(block, "}", cmp.Or(named, "}"), 1))
	// Terraform writes each argument that has a value. It takes the number of nodes
	// from the import, too.
	text := acctest.Must(t, w, "plan", "-input=false", "-no-color", "-generate-config-out=generated.tf")
	written, err := os.ReadFile(filepath.Join(w.Dir, "generated.tf"))
	require.NoError(t, err)
	require.Contains(t, text, "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.", string(written))
	require.NoError(t, w.Write(block))
	acctest.Apply(t, w)
	acctest.Loop{Workspace: w}.Settled(t, string(written))
}

// TestAccInstanceHostDisabled: the only host of a zone is disabled between a plan
// and its apply. The server that was planned there fails, with Nova's own words,
// and is made when the host is back. A later plan uses other zones, and the servers
// in the zone stay.
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
	require.NoError(t, l.Write(config(4)))
	acctest.Must(t, l.Workspace, "plan", "-input=false", "-no-color", "-out=saved.tfplan")
	enable := c.Disable(t, region, c.Host(t, region, zones[1]))
	_, err := l.Run(t.Context(), "apply", "-input=false", "-no-color", "saved.tfplan")
	require.Error(t, err, "a plan for a zone that is not available any more")
	assert.Regexp(t, acctest.Says("availability zone is not available"), err.Error())
	enable()
	acctest.Apply(t, l.Workspace)
	assert.Len(t, c.Servers(t), 4, "the zone is back")
	enable = c.Disable(t, region, c.Host(t, region, zones[1]))
	l.Settled(t, "with less zones")
	require.NoError(t, l.Write(config(5)))
	assert.Regexp(t, acctest.Says(fmt.Sprintf("No service in the availability zone %q of region %q is up", zones[1], region)), acctest.Apply(t, l.Workspace))
	enable()
	l.Settled(t, "the zone is back again")
	l.Step(t, "grow again", config(6), "5", "")
	counts := map[string]int{}
	for _, s := range c.AllServers(t) {
		counts[s.AvailabilityZone]++
	}
	assert.Equal(t, map[string]int{zones[0]: 3, zones[1]: 3}, counts, "the servers")
}
