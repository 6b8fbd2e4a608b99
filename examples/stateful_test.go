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

// TestAccExample_stateful: three nodes keep their volumes and ports through a new image, a shrink to one and a growth
// to three, except for the slot that was released.
func TestAccExample_stateful(t *testing.T) {
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
	ids := func() (volumes, ports map[string]string) {
		return e.c.Volumes(t, "RegionOne"), e.c.Ports(t, "RegionOne")
	}
	volumes, ports := ids()
	require.Zero(t, len(volumes)+len(ports), "the cloud has volumes or ports that are named as those of the example")
	e.apply(t)
	volumes, ports = ids()
	same := func(what string) {
		t.Helper()
		if v, p := ids(); len(v) != 3 || !maps.Equal(v, volumes) || !maps.Equal(p, ports) {
			t.Errorf("%s: the volumes %v and ports %v were %v and %v", what, v, p, volumes, ports)
		}
	}
	same("create")

	old := e.servers(t)
	const image = "image=debian-13"
	for left := 2; left >= 0; left-- {
		before := e.servers(t)
		if e.c.Fake != nil {
			e.c.Fake.ResetRequests()
		}
		text, err := e.Apply(t.Context(), image)
		require.NoError(t, err)
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
	same("another image")
	three := e.servers(t)
	for name, id := range three {
		assert.NotEqual(t, old[name], id, "%s has the old server", name)
	}

	inOrder(t, e.apply(t, image, "size=1"), "web-1", "web-2")
	same("shrink")
	assert.Equal(t, map[string]string{"web-0": three["web-0"]}, e.servers(t), "left are")
	text := e.apply(t, image, "size=1", `release=["web-2"]`)
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^(\S+): Destroying`).FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	assert.ElementsMatch(t, []string{`openstack_blockstorage_volume_v3.web["web-2"]`, `openstack_networking_port_v2.web["web-2"]`}, names, "destroyed were")
	e.apply(t, image)
	now, at := ids()
	if now["1"] != volumes["1"] || at["1"] != ports["1"] || now["2"] == volumes["2"] || at["2"] == ports["2"] {
		t.Errorf("growth: the volumes %v and ports %v were %v and %v", now, at, volumes, ports)
	}
	e.holds(t, now, at)
	_, err := e.Destroy(t.Context(), image)
	require.NoError(t, err)
	if v, p := ids(); len(v)+len(p)+len(e.servers(t)) > 0 {
		t.Errorf("left are %v, %v and %v", v, p, e.servers(t))
	}
}

// holds fails unless each server has the volume and the port of its name.
func (e example) holds(t *testing.T, volumes, ports map[string]string) {
	t.Helper()
	for name, s := range e.c.Servers(t) {
		if len(s.AttachedVolumes) != 1 || s.AttachedVolumes[0].ID != volumes[name] {
			t.Errorf("web-%s has the volumes %v, want %s", name, s.AttachedVolumes, volumes[name])
		}
		assert.Equal(t, ports[name], e.c.PortOf(t, "RegionOne", s.ID), "web-%s has the port", name)
	}
}
