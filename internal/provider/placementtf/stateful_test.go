package placementtf_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// databases are stateful nodes. A volume stands for what outlives a server, and is
// attached to it.
type databases struct {
	size     int
	image    string
	stateful string // the block
	more     string
}

func (d databases) config(c *acctest.Cloud, region string, zones []string) string {
	return fmt.Sprintf(`
resource "stackpolicy_placement_attachment" "db" {
  cluster           = %[1]q
  node_name_pattern = "{cluster}{index}"
  desired_capacity  = %[2]d
  regions           = %[3]s
  template          = { image = %[4]q }
  %[6]s
  deletion {
    criteria = "HIGHEST_INDEX_FIRST"
  }
  update {
    causes         = ["TEMPLATE", "UNHEALTHY"]
    max_batch_size = 1
    method         = "RECREATE"
  }
  %[7]s
}
resource "terraform_data" "volume" {
  for_each         = stackpolicy_placement_attachment.db.slots
  input            = each.value.zone
  triggers_replace = each.value.zone
}
resource "terraform_data" "generation" {
  for_each = stackpolicy_placement_attachment.db.nodes
  input    = each.value.generation
}
resource "openstack_compute_instance_v2" "db" {
  for_each          = stackpolicy_placement_attachment.db.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_id          = each.value.template.image
  flavor_id         = %[5]q
  network_mode      = "none"
  lifecycle {
    replace_triggered_by = [terraform_data.generation[each.key]]
  }
}
resource "terraform_data" "attached" {
  for_each         = openstack_compute_instance_v2.db
  input            = each.value.id
  triggers_replace = [each.value.id, terraform_data.volume[each.key].id]
}
resource "stackpolicy_deletion_attachment" "db" {
  for_each  = terraform_data.attached
  server_id = each.value.output
  region    = %[8]q
  cluster   = %[1]q
  node_name = each.key
  shutdown  = true
}
output "volumes" {
  value = { for name, volume in terraform_data.volume : name => volume.id }
}
output "slots" {
  value = { for name, slot in stackpolicy_placement_attachment.db.slots : name => slot.in_use }
}
`, c.Prefix, d.size, acctest.Places(region+": "+strings.Join(zones, " ")), d.image, c.Flavor, d.stateful, d.more, region)
}

const retain = "stateful {\n on_removal = \"RETAIN\"\n}"

// order fails unless what belongs to a node went in its order: drained, detached,
// destroyed.
func order(t *testing.T, text, node string) {
	t.Helper()
	at := -1
	for _, line := range []string{"stackpolicy_deletion_attachment.db[%q]: Destruction complete", "terraform_data.attached[%q]: Destroying", "openstack_compute_instance_v2.db[%q]: Destroying"} {
		next := strings.Index(text, fmt.Sprintf(line, node))
		if next < at || next < 0 {
			t.Errorf("%s comes too early, or not at all:\n%s", fmt.Sprintf(line, node), text)
		}
		at = next
	}
}

// TestAccStateful: three nodes with a volume each go through two images, a repair, a
// shrink to one and growth to five, and find their volumes again. Drains come before
// volumes are detached, and only a slot that is released loses its volume.
func TestAccStateful(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	zones, images := c.Zones(t, region), c.TwoImages(t)
	if len(zones) < 3 {
		t.Skipf("needs three zones, and %s has %v", region, zones)
	}
	zones = zones[:3]
	now := databases{3, images[0][0], retain, ""}
	w := c.Workspace(t, now.config(c, region, zones))
	node := func(index int) string { return fmt.Sprintf("%s%d", c.Prefix, index) }
	volumes := func() (ids map[string]string) {
		t.Helper()
		if err := w.Output(t.Context(), "volumes", &ids); err != nil {
			t.Fatal(err)
		}
		return ids
	}
	// apply applies until nothing is left, and returns what Terraform printed.
	apply := func(name string, applies int, d databases) (all string) {
		t.Helper()
		now = d
		if err := w.Write(d.config(c, region, zones)); err != nil {
			t.Fatal(err)
		}
		for range applies {
			text, err := w.Apply(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if all += text; len(c.AllServers(t)) > max(d.size, 3) {
				t.Errorf("%s: %d servers", name, len(c.AllServers(t)))
			}
		}
		if text, err := w.Run(t.Context(), "plan", "-input=false", "-no-color", "-detailed-exitcode"); err != nil {
			t.Fatalf("%s: the next plan is not empty: %v\n%s", name, err, text)
		}
		return all
	}
	apply("create", 1, now)
	first := volumes()
	text := apply("another image", 3, databases{3, images[1][0], retain, ""})
	for i := range 3 {
		order(t, text, node(i))
	}
	broken := c.Servers(t)["1"]
	c.Mark(t, region, broken.ID, "stackpolicy_tainted", "yes")
	text = apply("a repair", 1, now)
	order(t, text, node(1))
	if s := c.Servers(t)["1"]; s.ID == broken.ID || s.AvailabilityZone != broken.AvailabilityZone {
		t.Errorf("%+v was not repaired in its slot: %+v", broken, s)
	}
	if !maps.Equal(volumes(), first) {
		t.Errorf("the volumes were %v and are %v", first, volumes())
	}
	apply("shrink", 1, databases{1, images[1][0], retain, ""})
	var slots map[string]bool
	if err := w.Output(t.Context(), "slots", &slots); err != nil || !maps.Equal(slots, map[string]bool{node(0): true, node(1): false, node(2): false}) {
		t.Errorf("the slots in use are %v, %v", slots, err)
	}
	if !maps.Equal(volumes(), first) || len(c.AllServers(t)) != 1 {
		t.Errorf("the volumes were %v and are %v, servers %v", first, volumes(), c.Servers(t))
	}
	apply("growth", 1, databases{5, images[1][0], retain, ""})
	five := volumes()
	for name, id := range first {
		if five[name] != id {
			t.Errorf("%s has the volume %s, it had %s", name, five[name], id)
		}
	}
	if got := slices.Sorted(maps.Keys(c.Servers(t))); !slices.Equal(got, []string{"0", "1", "2", "3", "4"}) {
		t.Errorf("the servers are %v", got)
	}
	for _, d := range []struct {
		config databases
		fault  string
	}{
		{databases{5, images[1][0], fmt.Sprintf("stateful {\n on_removal = \"RETAIN\"\n release = [%q]\n}", node(3)), ""}, "Nodes are in the slots of " + node(3)},
	} {
		refused(t, w, d.config.config(c, region, zones), d.fault)
	}
	apply("shrink again", 1, databases{3, images[1][0], retain, ""})
	refused(t, w, databases{3, images[1][0], "", ""}.config(c, region, zones), "Kept slots: "+node(3)+", "+node(4)+".")
	text = apply("release", 1, databases{3, images[1][0], fmt.Sprintf("stateful {\n on_removal = \"RETAIN\"\n release = [%q, %q]\n}", node(3), node(4)), ""})
	if strings.Contains(text, "openstack_compute_instance_v2.db") && regexp.MustCompile(`openstack_compute_instance_v2.*(Creating|Destroying)`).MatchString(text) {
		t.Errorf("a server was touched:\n%s", text)
	}
	if !maps.Equal(volumes(), first) {
		t.Errorf("the volumes were %v and are %v", first, volumes())
	}
	apply("without slots to remember", 1, databases{3, images[1][0], retain, ""})
}

// refused fails unless a plan of a configuration ends in an error of a text.
func refused(t *testing.T, w *workspace.Workspace, config, fault string) {
	t.Helper()
	if err := w.Write(config); err != nil {
		t.Fatal(err)
	}
	if text, err := w.Run(t.Context(), "plan", "-input=false", "-no-color"); err == nil || !acctest.Says(fault).MatchString(err.Error()) {
		t.Errorf("want %q, got %v\n%s", fault, err, text)
	}
}

// TestAccStatefulAdopted: a cluster that runs becomes stateful, and no server changes;
// a slot that is kept is named in the import, and growth finds it.
func TestAccStatefulAdopted(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	zones := c.Zones(t, region)
	if len(zones) < 2 {
		t.Skipf("needs two zones, and %s has %v", region, zones)
	}
	c.Boot(t, acctest.Server{Name: "web-0", Region: region, Zone: zones[0]}, acctest.Server{Name: "web-1", Region: region, Zone: zones[1]})
	config := func(size int) string {
		return web(c, fmt.Sprintf("desired_capacity = %d", size), "regions = "+acctest.Places(fmt.Sprintf("%s: %s %s", region, zones[0], zones[1])), retain)
	}
	slot := func(index int, zone string, inUse bool) string {
		return fmt.Sprintf("{\"in_use\":%v,\"index\":%d,\"region\":%q,\"zone\":%q}", inUse, index, region, zone)
	}
	name := c.Prefix + "web"
	check := func(want ...string) resource.TestStep {
		return resource.TestStep{Config: config(len(want) - 1), Check: resource.TestCheckResourceAttr(webAddress, "slots.%", fmt.Sprint(len(want)))}
	}
	c.Test(t,
		resource.TestStep{Config: config(2), ResourceName: webAddress, ImportState: true, ImportStateId: fmt.Sprintf(`{"cluster": %q, "slots": {"www-3": %q}}`, name, region),
			ExpectError: acctest.Says("makes no such name: www-3.")},
		resource.TestStep{Config: config(2), ResourceName: webAddress, ImportState: true, ImportStateId: fmt.Sprintf(`{"cluster": %q, "slots": {"%s-4": "%s/%s"}}`, name, name, region, zones[0]), ImportStatePersist: true},
		check(slot(0, zones[0], true), slot(1, zones[1], true), slot(4, zones[0], false)),
		resource.TestStep{Config: config(3), Check: resource.ComposeTestCheckFunc(
			resource.TestCheckResourceAttr(webAddress, "slots."+name+"-4.in_use", "true"),
			resource.TestCheckResourceAttr(webAddress, "nodes."+name+"-4.zone", zones[0]),
			resource.TestCheckResourceAttr(webAddress, "slots.%", "3"))},
	)
}
