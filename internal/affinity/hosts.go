package affinity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// NoHostError means that a region has no vSphere cluster with DRS that can be used.
type NoHostError struct{}

func (*NoHostError) Error() string { return "No suitable vSphere host is available." }

// wrongZoneError means that the vSphere cluster with DRS is in another zone than wanted.
type wrongZoneError struct{ host, zone, wanted string }

func (e *wrongZoneError) Error() string {
	return fmt.Sprintf("the host %q of the vSphere cluster with DRS is in the availability zone %q, not in %q",
		e.host, e.zone, e.wanted)
}

// DRSZone returns zone:host for servers of a vSphere cluster with DRS. The host is the first hypervisor, by its
// hostname, that is up, enabled, in the wanted zone (unless that is empty) and has "drs" in its hostname, in any
// case. The map zoneOf has the zone of each host; a host that is missing in it is in the zone "nova", as the policy's
// document defines it. The errors are a [*NoHostError] and a [*wrongZoneError].
func DRSZone(hypervisors []openstack.Hypervisor, zoneOf map[string]string, wanted string) (string, error) {
	var usable []openstack.Hypervisor
	for _, h := range hypervisors {
		if h.Up && h.Enabled && strings.Contains(strings.ToLower(h.Hostname), "drs") {
			usable = append(usable, h)
		}
	}
	if len(usable) == 0 {
		return "", &NoHostError{}
	}
	slices.SortFunc(usable, func(a, b openstack.Hypervisor) int {
		return cmp.Or(strings.Compare(a.Hostname, b.Hostname), strings.Compare(a.Host, b.Host))
	})
	zone := func(h openstack.Hypervisor) string { return cmp.Or(zoneOf[h.Host], "nova") }
	for _, h := range usable {
		if wanted == "" || zone(h) == wanted {
			return zone(h) + ":" + h.Host, nil
		}
	}
	return "", &wrongZoneError{usable[0].Host, zone(usable[0]), wanted}
}

// Room returns how many members an anti-affinity group can have on the hosts that can be used: hosts that are up,
// enabled, and in the zone that servers are sent to, or the very host for zone:host. An empty zone means any. The map
// zoneOf has the zone of each host; a host that is missing in it may be in any zone.
func Room(
	group openstack.ServerGroup, hypervisors []openstack.Hypervisor, zoneOf map[string]string, zone string,
) int64 {
	zone, forced, _ := strings.Cut(zone, ":")
	hosts := map[string]bool{} // a compute service may have several hypervisors
	for _, h := range hypervisors {
		inZone := zone == "" || cmp.Or(zoneOf[h.Host], zone) == zone
		if h.Up && h.Enabled && inZone && (forced == "" || forced == h.Host) {
			hosts[h.Host] = true
		}
	}
	return int64(len(hosts)) * int64(max(group.MaxServerPerHost, 1))
}
