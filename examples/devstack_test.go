package examples_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestAccExample_devstack runs the script of the guide on a cloud that looks like
// a DevStack with a second zone, or on any other that has two zones.
func TestAccExample_devstack(t *testing.T) {
	if !acctest.Live() {
		t.Parallel()
	}
	c := acctest.New(t, fakecloud.Config{Regions: []fakecloud.Region{{Name: "RegionOne", Zones: []fakecloud.Zone{
		{Name: "nova", Hosts: []string{"devstack1", "devstack2", "devstack3"}}, {Name: "az-2", Hosts: []string{"devstack4"}}}}}})
	c.Prefix = "web-"
	region := c.Regions(t)[0]
	zones := c.Zones(t, region)
	if len(zones) < 2 {
		t.Skipf("needs two zones, and %s has %v", region, zones)
	}
	if c.Fake != nil {
		c.Fake.AddImage(fakecloud.Image{Name: "debian-12"})
		zones = []string{"nova", "az-2"}
	}
	c.Named(t, "debian-12")
	_, network := c.Network(t, region)
	w := c.Example(t, "guides/try-it-on-your-devstack")
	script := exec.CommandContext(t.Context(), "./try.sh")
	script.Dir = w.Dir
	script.Env = append(append(os.Environ(), w.Env...), "TERRAFORM="+w.Terraform, "TF_VAR_image=debian-12",
		"TF_VAR_network="+network, `TF_VAR_zones=["`+strings.Join(zones[:2], `","`)+`"]`)
	output, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, table := range []string{"total          4", "total          6", "total          3", "everything worked"} {
		if !strings.Contains(string(output), table) {
			t.Errorf("%q is missing in\n%s", table, output)
		}
	}
	if left := c.Servers(t); len(left) != 0 {
		t.Errorf("%d servers are left", len(left))
	}
	t.Logf("%s", output)
}
