//go:build unix

package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
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

// counted returns the counts since the last step. It fails if more than one node was out of service, or a node was
// destroyed undrained.
func (d *databases) counted(t *testing.T, step string) acctest.Tally {
	t.Helper()
	tally := d.watched.Restart()
	assert.Zero(t, tally.Undrained, "%s: %+v", step, tally)
	assert.LessOrEqual(t, tally.Of-tally.Least, 1, "%s: %+v", step, tally)
	t.Logf("%s: at least %d of %d in service, %d destroyed, %d volumes and %d ports kept", step, tally.Least, tally.Of, tally.Destroyed,
		len(d.volumes), len(d.ports))
	return tally
}

// other returns the image that the nodes do not have.
func (d *databases) other() string {
	return map[string]string{"debian-12": "debian-13", "debian-13": "debian-12"}[d.image]
}

// TestStatefulQuota: with a full quota a rollout and a repair need no room. Nova refuses a growth until there is
// room, and the slots wait for it.
func TestStatefulQuota(t *testing.T) {
	runs.In(t, runs.Sweep)
	d := startDatabases(t)
	d.finish(t, "create")
	d.watched.Restart()
	raise := d.c.Room(t, "RegionOne", 0)
	d.image = d.other()
	d.finish(t, "an image")
	d.counted(t, "an image with a full quota")
	broken := d.c.Servers(t)["1"]
	d.c.Reset(t, "RegionOne", broken.ID)
	d.finish(t, "a repair")
	if now := d.c.Servers(t)["1"]; now.ID == broken.ID || now.Status != "ACTIVE" || now.AvailabilityZone != broken.AvailabilityZone {
		t.Errorf("repaired: %s is %s (%s) in %s", now.Name, now.ID, now.Status, now.AvailabilityZone)
	}
	// Nova accepted no note of a drain for the broken server.
	tally := d.watched.Restart()
	assert.Equal(t, []int{2, 1}, []int{tally.Least, tally.Destroyed}, "in service, and destroyed, at a repair")
	d.size = 4
	for range 2 {
		_, err := d.Apply(t.Context(), d.variables()...)
		assert.ErrorContains(t, err, "Quota exceeded", "growth without room")
	}
	raise()
	d.finish(t, "growth")
	d.counted(t, "growth with a full quota")
}

// moments are those at which an apply that makes a node again is killed: before and after each of its requests.
var moments = []struct {
	what, method, path string
	acts               bool
}{
	{"noted as drained", "PUT", "/servers/*/metadata/stackpolicy_drained", true},
	{"to be stopped", "POST", "/servers/*/action", false},
	{"stopped", "POST", "/servers/*/action", true},
	{"to be detached", "DELETE", attachments + "/*", false},
	{"detached", "DELETE", attachments + "/*", true},
	{"to be destroyed", "DELETE", "/servers/*", false},
	{"destroyed", "DELETE", "/servers/*", true},
	{"to be made", "POST", "/servers", false},
	{"made", "POST", "/servers", true},
	{"to be attached", "POST", attachments, false},
	{"attached", "POST", attachments, true},
	{"marked", "PUT", "/servers/*/metadata/stackpolicy_in_service", true},
}

const attachments = "/servers/*/os-volume_attachments"

// TestStatefulKilled kills terraform at each moment; each cluster goes through some of them. The next applies end with
// the same volumes and ports. At two moments something is left, and the guide says how to find it.
func TestStatefulKilled(t *testing.T) {
	for some := range slices.Chunk(moments, 4) {
		t.Run(some[0].what, func(t *testing.T) {
			runs.In(t, runs.Some(some[0].what == "made", runs.Sweep, runs.Night))
			d := startDatabases(t)
			d.Attach = nil // the providers are killed too
			require.NoError(t, d.Init(t.Context()))
			d.finish(t, "create")
			d.watched.Restart()
			for _, moment := range some {
				d.image = d.other()
				d.kill(t, fakecloud.Fault{Service: fakecloud.Compute, Method: moment.method, Path: moment.path, Effect: fakecloud.Hang, Acts: moment.acts})
				switch moment.what {
				case "made":
					d.forgottenServer(t)
				case "attached":
					d.forgottenAttachment(t)
				}
				d.finish(t, moment.what)
				d.counted(t, "killed, "+moment.what)
			}
		})
	}
}

// kill kills an apply at a request.
func (d *databases) kill(t *testing.T, at fakecloud.Fault) {
	t.Helper()
	args := append([]string{"apply", "-auto-approve", "-input=false", "-no-color", "-parallelism=1"}, workspace.Vars(d.variables())...)
	assert.Error(t, acctest.Signalled(t, d.Workspace, d.c.Fake.Inject(at), syscall.SIGKILL, 0, args...), "not killed at %+v", at)
}

// forgottenServer follows the guide for a server that has the port of a node and is not in Terraform's state.
func (d *databases) forgottenServer(t *testing.T) {
	t.Helper()
	_, err := d.Apply(t.Context(), d.variables()...)
	require.ErrorContains(t, err, "is still in use", "a server has the port")
	known := acctest.Loop{Workspace: d.Workspace}.ServerIDs(t)
	for _, s := range d.c.AllServers(t) {
		if !slices.Contains(known, s.ID) {
			d.c.Kill(t, "RegionOne", s.ID)
		}
	}
}

// forgottenAttachment follows the guide for an attached volume whose attachment is not in Terraform's state.
func (d *databases) forgottenAttachment(t *testing.T) {
	t.Helper()
	_, err := d.Apply(t.Context(), d.variables()...)
	require.ErrorContains(t, err, "is already attached", "the volume is attached")
	plan, err := d.Plan(t.Context(), "next.tfplan", d.variables()...)
	require.NoError(t, err)
	for _, r := range plan.ResourceChanges {
		if r.Type != "openstack_compute_volume_attach_v2" || !r.Change.Actions.Create() {
			continue
		}
		after := r.Change.After.(map[string]any)
		args := append([]string{"import", "-input=false", "-no-color"}, workspace.Vars(d.variables())...)
		acctest.Must(t, d.Workspace, append(args, r.Address, fmt.Sprintf("%s/%s", after["instance_id"], after["volume_id"]))...)
	}
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
	d.image = d.other()
	d.finish(t, "an image")
	d.counted(t, "an image after the adoption")
}
