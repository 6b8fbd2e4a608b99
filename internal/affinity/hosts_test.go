package affinity

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stretchr/testify/assert"
)

func usable(hostname, host string) openstack.Hypervisor {
	return openstack.Hypervisor{Hostname: hostname, Host: host, Up: true, Enabled: true}
}

func TestDRSZone(t *testing.T) {
	two := []openstack.Hypervisor{usable("drs-2", "two"), usable("drs-1", "one")}
	zoneOf := map[string]string{"one": "az-1", "two": "az-2"}
	for _, c := range []struct {
		name        string
		hypervisors []openstack.Hypervisor
		zoneOf      map[string]string
		wanted      string
		want        string
		err         string
	}{
		{"the compute service's host", []openstack.Hypervisor{usable("domain-c7.vsphere_drs_1", "compute-3")}, nil, "", "nova:compute-3", ""},
		{"in any case", []openstack.Hypervisor{usable("kvm-1", "a"), usable("VSPHERE-DRS", "b")}, nil, "", "nova:b", ""},
		{"the first by hostname, in its zone", two, zoneOf, "", "az-1:one", ""},
		{"the first in the zone that is wanted", two, zoneOf, "az-2", "az-2:two", ""},
		{"a zone without one", two, zoneOf, "az-3", "", `the host "one" of the vSphere cluster with DRS is in the availability zone "az-1", not in "az-3"`},
		{"the zone of one that is known, the other not", two, map[string]string{"one": "az-1"}, "nova", "nova:two", ""},
		{"a wrong zone of one that is not known", two, nil, "az-3", "",
			`the host "one" of the vSphere cluster with DRS is in the availability zone "nova", not in "az-3"`},
		{"not hydra, not andromeda", []openstack.Hypervisor{usable("hydra-01", "h"), usable("andromeda", "a")}, nil, "", "",
			"No suitable vSphere host is available."},
		{"down", []openstack.Hypervisor{{Hostname: "drs-1", Host: "one", Enabled: true}}, nil, "", "", "No suitable vSphere host is available."},
		{"disabled", []openstack.Hypervisor{{Hostname: "drs-1", Host: "one", Up: true}}, nil, "", "", "No suitable vSphere host is available."},
	} {
		got, err := DRSZone(c.hypervisors, c.zoneOf, c.wanted)
		text := ""
		if err != nil {
			text = err.Error()
		}
		assert.Equal(t, c.want, got, c.name)
		assert.Equal(t, c.err, text, c.name)
	}
}

func TestRoom(t *testing.T) {
	hypervisors := []openstack.Hypervisor{usable("a", "a"), usable("b", "b"), usable("c", "c"), usable("c-2", "c"),
		{Hostname: "d", Host: "d", Up: true}, {Hostname: "e", Host: "e", Enabled: true}}
	zoneOf := map[string]string{"a": "az-1", "b": "az-2"}
	for _, c := range []struct {
		name    string
		perHost int
		zoneOf  map[string]string
		zone    string
		want    int64
	}{
		{"hosts, not hypervisors", 0, zoneOf, "", 3},
		{"a rule", 2, zoneOf, "", 6},
		{"in a zone, and where none is known", 2, zoneOf, "az-1", 4},
		{"where no zones are known", 0, nil, "az-1", 3},
		{"a zone of no host", 0, map[string]string{"a": "az-1", "b": "az-2", "c": "az-2"}, "az-3", 0},
		{"one host", 0, zoneOf, "az-2:b", 1},
		{"a host that is disabled", 5, zoneOf, "az-2:d", 0},
	} {
		assert.Equal(t, c.want, Room(openstack.ServerGroup{MaxServerPerHost: c.perHost}, hypervisors, c.zoneOf, c.zone), c.name)
	}
}
