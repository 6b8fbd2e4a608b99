package openstackstub_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestAccVolume: a server has a volume and a port. Both outlive it, and go when
// they are destroyed; what others removed is made again.
func TestAccVolume(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	network, _ := c.Network(t, region)
	kept := c.ProviderBlock("openstack") + fmt.Sprintf(`
resource "openstack_blockstorage_volume_v3" "a" {
  name   = "%[1]sa"
  region = %[2]q
  size   = 1
}
resource "openstack_networking_port_v2" "a" {
  name       = "%[1]sa"
  region     = %[2]q
  network_id = %[3]q
}
`, c.Prefix, region, network)
	all := kept + fmt.Sprintf(`
resource "openstack_compute_instance_v2" "a" {
  name      = "%[1]sa"
  region    = %[2]q
  image_id  = %[3]q
  flavor_id = %[4]q
  network {
    port = openstack_networking_port_v2.a.id
  }
}
resource "openstack_compute_volume_attach_v2" "a" {
  region      = %[2]q
  instance_id = openstack_compute_instance_v2.a.id
  volume_id   = openstack_blockstorage_volume_v3.a.id
}
`, c.Prefix, region, c.Image, c.Flavor)
	w := c.Workspace(t, all)
	apply := func(config string) {
		t.Helper()
		must(t, w.Write(config))
		_, err := w.Apply(t.Context())
		must(t, err)
		if text, err := w.Run(t.Context(), "plan", "-input=false", "-no-color", "-detailed-exitcode"); err != nil {
			t.Fatalf("the next plan is not empty: %v\n%s", err, text)
		}
	}
	apply(all)
	volumes, ports := c.Volumes(t, region), c.Ports(t, region)
	held := func() {
		t.Helper()
		s := c.Servers(t)["a"]
		if len(s.AttachedVolumes) != 1 || s.AttachedVolumes[0].ID != volumes["a"] || c.PortOf(t, region, s.ID) != ports["a"] {
			t.Errorf("the server has the volumes %v and the port %s", s.AttachedVolumes, c.PortOf(t, region, s.ID))
		}
	}
	held()
	c.Kill(t, region, c.Servers(t)["a"].ID)
	apply(all)
	held()
	apply(kept)
	if !maps.Equal(c.Volumes(t, region), volumes) || !maps.Equal(c.Ports(t, region), ports) || len(c.Servers(t)) > 0 {
		t.Errorf("left are %v, %v and %v", c.Servers(t), c.Volumes(t, region), c.Ports(t, region))
	}
	c.DropVolumes(t, region)
	apply(kept)
	if len(c.Volumes(t, region)) != 1 || c.Volumes(t, region)["a"] == volumes["a"] || c.Ports(t, region)["a"] == ports["a"] {
		t.Errorf("left are %v and %v", c.Volumes(t, region), c.Ports(t, region))
	}
	_, err := w.Destroy(t.Context())
	must(t, err)
	if len(c.Volumes(t, region))+len(c.Ports(t, region)) > 0 {
		t.Errorf("left are %v and %v", c.Volumes(t, region), c.Ports(t, region))
	}
}
