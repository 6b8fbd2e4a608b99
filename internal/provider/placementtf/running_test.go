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
	text, err := w.Run(t.Context(), "plan", "-input=false", "-no-color", "-generate-config-out=generated.tf")
	require.NoError(t, err)
	written, err := os.ReadFile(filepath.Join(w.Dir, "generated.tf"))
	if err != nil || !acctest.Says("Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.").MatchString(text) {
		t.Fatalf("%v\n%s\n%s", err, text, written)
	}
	require.NoError(t, w.Write(block))
	if _, err = w.Apply(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, written)
	}
	if text, err = w.Run(t.Context(), "plan", "-input=false", "-no-color", "-detailed-exitcode"); err != nil || !strings.Contains(text, "No changes.") {
		t.Errorf("%v\n%s\n%s", err, text, written)
	}
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
	if _, err := l.Run(t.Context(), "plan", "-input=false", "-no-color", "-out=saved.tfplan"); err != nil {
		t.Fatal(err)
	}
	enable := c.Disable(t, region, c.Host(t, region, zones[1]))
	if _, err := l.Run(t.Context(), "apply", "-input=false", "-no-color", "saved.tfplan"); err == nil ||
		!acctest.Says("availability zone is not available").MatchString(err.Error()) {
		t.Errorf("a plan for a zone that is not available any more: %v", err)
	}
	enable()
	if _, err := l.Apply(t.Context()); err != nil || len(c.Servers(t)) != 4 {
		t.Errorf("the zone is back: %v, servers %v", err, c.Servers(t))
	}
	enable = c.Disable(t, region, c.Host(t, region, zones[1]))
	l.Settled(t, "with less zones")
	require.NoError(t, l.Write(config(5)))
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
