package examples_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inOrder fails unless an apply stopped a node, detached its volume, destroyed its server, and touched neither
// volumes nor ports.
func inOrder(t *testing.T, text string, nodes ...string) {
	t.Helper()
	assert.NotRegexp(t, `(_volume_v3|_port_v2)\.web.*(Destroying|Creating|Modifying)`, text, "a volume or a port was touched")
	for _, node := range nodes {
		at := -1
		for _, line := range []string{
			"stackpolicy_deletion_attachment.web[%q]: Destruction complete", "openstack_compute_volume_attach_v2.web[%q]: Destroying",
			"openstack_compute_volume_attach_v2.web[%q]: Destruction complete", "openstack_compute_instance_v2.web[%q]: Destroying",
		} {
			next := strings.Index(text, fmt.Sprintf(line, node))
			assert.Greater(t, next, at, "%s comes too early, or not at all:\n%s", fmt.Sprintf(line, node), text)
			at = next
		}
	}
}

// requested lists the requests for changes to Nova, Cinder, Neutron and Octavia.
func (e example) requested() (list []string) {
	servers := regexp.MustCompile(`^/servers(/[^/]*)?$`)
	for _, r := range e.c.Fake.Requests() {
		switch what := r.Method + " "; {
		case r.Method == "GET" || r.Status >= 400:
		case strings.Contains(r.Path, "/os-volume_attachments"):
			list = append(list, what+"attachment")
		case servers.MatchString(r.Path):
			list = append(list, what+"server")
		case strings.Contains(string(r.Body), "os-stop"):
			list = append(list, "stop")
		case r.Service == fakecloud.LoadBalancing:
			list = append(list, what+"member")
		case r.Service == fakecloud.BlockStorage:
			list = append(list, what+"volume")
		case r.Service == fakecloud.Network:
			list = append(list, what+"port")
		}
	}
	return list
}

// databases is the cluster of the guide about stateful nodes, with the resources that must never be lost.
type databases struct {
	example
	size           int
	image          string
	volumes, ports map[string]string // by slot
	watched        *acctest.Watched
}

// whole fails unless each slot has the volume and the port that it always had, and they are attached to its own node.
func (d *databases) whole(t *testing.T, step string) {
	t.Helper()
	volumes, ports := d.c.Volumes(t, "RegionOne"), d.c.Ports(t, "RegionOne")
	for _, kind := range []struct{ had, have map[string]string }{{d.volumes, volumes}, {d.ports, ports}} {
		for slot, id := range kind.had {
			assert.Equal(t, id, kind.have[slot], "%s: what slot %s has", step, slot)
		}
		maps.Copy(kind.had, kind.have)
	}
	assert.Len(t, d.c.AllServers(t), d.size, "%s: servers", step)
	assert.Len(t, d.c.Servers(t), d.size, "%s: names of servers", step)
	for name, s := range d.c.Servers(t) {
		var attached []string
		for _, v := range s.AttachedVolumes {
			attached = append(attached, v.ID)
		}
		assert.ElementsMatch(t, belonging(volumes, name), attached, "%s: volumes of web-%s", step, name)
		assert.ElementsMatch(t, belonging(ports, name), d.c.PortsOf(t, "RegionOne", s.ID), "%s: ports of web-%s", step, name)
	}
}

// belonging lists the ids of a slot's things: their names are its own, or begin with it.
func belonging(all map[string]string, slot string) (ids []string) {
	for name, id := range all {
		if name == slot || strings.HasPrefix(name, slot+"-") {
			ids = append(ids, id)
		}
	}
	return ids
}

// TestAccExample_stateful: three nodes keep their volumes and ports through a new image, a shrink to one and a growth
// to three, except for the slot that was released.
func TestAccExample_stateful(t *testing.T) {
	runs.In(t, runs.Sweep)
	sideBySide(t)
	cinder := fakecloud.DefaultRegions()
	cinder[0].VolumeZones = []string{"nova"}
	e := startOn(t, acctest.New(t, fakecloud.Config{Regions: cinder}), "guides/stateful-nodes")
	network, _ := e.c.Network(t, "RegionOne")
	e.Env = append(e.Env, "TF_VAR_network_id="+network)
	if e.c.Fake != nil {
		e.Env = append(e.Env, `TF_VAR_volume_zones={az-1="nova",az-2="nova",az-3="nova"}`)
	} else {
		t.Cleanup(func() {
			e.clear(t)
			e.c.DropVolumes(t, "RegionOne")
		})
	}
	left := func() int {
		return len(e.c.Volumes(t, "RegionOne")) + len(e.c.Ports(t, "RegionOne")) + len(e.servers(t))
	}
	require.Zero(t, left(), "the cloud has volumes or ports with the names of the example")
	e.apply(t)
	d := &databases{example: e, size: 3, volumes: map[string]string{}, ports: map[string]string{}}
	d.whole(t, "create")

	old := e.servers(t)
	const image = "image=debian-13"
	for left := 2; left >= 0; left-- {
		before := e.servers(t)
		if e.c.Fake != nil {
			e.c.Fake.ResetRequests()
		}
		text := acctest.Apply(t, e.Workspace, image)
		after := e.servers(t)
		made := slices.Collect(maps.Keys(after))
		made = slices.DeleteFunc(made, func(name string) bool { return before[name] == after[name] })
		require.Len(t, made, 1, "new servers")
		require.Len(t, after, 3, "servers")
		inOrder(t, text, made...)
		assert.NotContains(t, text, "create_before_destroy", "with it Nova refuses: a port belongs to one server")
		if e.c.Fake != nil {
			want := []string{"stop", "DELETE attachment", "DELETE server", "POST server", "POST attachment"}
			assert.Equal(t, want, e.requested())
		}
		var remaining int
		require.NoError(t, e.Output(t.Context(), "remaining", &remaining))
		assert.Equal(t, left, remaining, "nodes that are left")
	}
	assert.Empty(t, e.planned(t, image), "the plan after the last batch")
	d.whole(t, "another image")
	three := e.servers(t)
	for name, id := range three {
		assert.NotEqual(t, old[name], id, "%s has the old server", name)
	}

	inOrder(t, e.apply(t, image, "size=1"), "web-1", "web-2")
	d.size = 1
	d.whole(t, "shrink")
	assert.Equal(t, map[string]string{"web-0": three["web-0"]}, e.servers(t), "left are")
	text := e.apply(t, image, "size=1", `release=["web-2"]`)
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^(\S+): Destroying`).FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	assert.ElementsMatch(t, []string{`openstack_blockstorage_volume_v3.web["web-2"]`, `openstack_networking_port_v2.web["web-2"]`}, names, "destroyed were")
	e.apply(t, image)
	released := []string{d.volumes["2"], d.ports["2"]}
	delete(d.volumes, "2")
	delete(d.ports, "2")
	d.size = 3
	d.whole(t, "growth")
	assert.NotContains(t, released, d.volumes["2"])
	assert.NotContains(t, released, d.ports["2"])
	_, err := e.Destroy(t.Context(), image)
	require.NoError(t, err)
	assert.Zero(t, left(), "volumes, ports and servers that are left")
}
