//go:build unix

package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startDatabases starts the example on the fake cloud, without an apply.
func startDatabases(t *testing.T) *databases {
	t.Helper()
	t.Parallel()
	d := &databases{example: startOn(t, acctest.NewFake(t, fakecloud.Config{}), "guides/stateful-nodes"), size: 3, image: "debian-12",
		volumes: map[string]string{}, ports: map[string]string{}}
	network, _ := d.c.Network(t, "RegionOne")
	d.Env = append(d.Env, "TF_VAR_network_id="+network)
	d.watched = d.c.Watch(t, "RegionOne", d.size)
	return d
}

func (d *databases) variables() []string {
	return []string{fmt.Sprintf("size=%d", d.size), "image=" + d.image}
}

// finish applies until nothing is left, and returns the output of all plans. In the end each node has its volume and
// its port.
func (d *databases) finish(t *testing.T, step string) (plans string) {
	t.Helper()
	d.watched.Resize(d.size)
	plans = acctest.Finish(t, func() string { return acctest.Apply(t, d.Workspace, d.variables()...) })
	d.whole(t, step)
	return plans
}

// madeByHand is a cluster with volumes and ports, which was made without attachments.
const madeByHand = `
variable "network_id" {}
resource "openstack_blockstorage_volume_v3" "db" {
  count             = 3
  name              = "web-${count.index}"
  availability_zone = "az-${count.index + 1}"
  size              = 10
}
resource "openstack_networking_port_v2" "db" {
  count      = 3
  name       = "web-${count.index}"
  network_id = var.network_id
}
resource "openstack_compute_instance_v2" "db" {
  count             = 3
  name              = "web-${count.index}"
  availability_zone = "az-${count.index + 1}"
  image_name        = "debian-12"
  flavor_name       = "m1.tiny"
  network {
    port = openstack_networking_port_v2.db[count.index].id
  }
}
resource "openstack_compute_volume_attach_v2" "db" {
  count       = 3
  instance_id = openstack_compute_instance_v2.db[count.index].id
  volume_id   = openstack_blockstorage_volume_v3.db[count.index].id
}
`

// TestStatefulAdopted: a running database is taken over with its volumes and ports: no server changes, nothing is
// detached, and the next image keeps everything.
func TestStatefulAdopted(t *testing.T) {
	runs.In(t, runs.Sweep)
	d := startDatabases(t)
	guide := read(t, filepath.Join(d.Dir, "main.tf"))
	d.file(t, "main.tf", madeByHand)
	acctest.Apply(t, d.Workspace)
	d.whole(t, "made by hand")
	running := d.servers(t)
	imports := map[string]map[string]string{}
	for name, s := range d.c.Servers(t) {
		imports["web-"+name] = map[string]string{"server": s.ID, "volume": d.volumes[name], "port": d.ports[name]}
	}
	page := read(t, "../templates/guides/stateful-nodes.md.tmpl")
	blocks := regexp.MustCompile("(?s)```terraform\n(import .*?)```").FindStringSubmatch(page)
	require.Len(t, blocks, 2, "the import blocks of the guide")
	require.NoError(t, os.Remove(filepath.Join(d.Dir, "terraform.tfstate")))
	d.file(t, "main.tf", guide)
	d.file(t, "import.tf", blocks[1])
	d.file(t, "databases.auto.tfvars.json", map[string]any{"databases": imports})
	const line = "Plan: 13 to import, 7 to add, 1 to change, 0 to destroy."
	quoted(t, "stateful-nodes", line)
	if d.memorize(t, "") {
		d.finish(t, "adopted")
	} else {
		require.Contains(t, d.finish(t, "adopted"), line)
	}
	assert.Equal(t, running, d.servers(t), "the servers")
	d.watched.Restart()
	require.NoError(t, os.Remove(filepath.Join(d.Dir, "import.tf")))
	d.image = "debian-13"
	d.finish(t, "an image")
	tally := d.watched.Restart()
	assert.Zero(t, tally.Undrained, "%+v", tally)
	assert.LessOrEqual(t, tally.Of-tally.Least, 1, "%+v", tally)
}
