package fakecloud

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"
)

// region is the compute service of a region.
type region struct {
	name  string
	zones []*zone
	hosts []*host // in the order in which they were added

	servers   store
	groups    []*group          // oldest first
	quotas    map[[2]string]int // project, resource: only quotas that differ from the default
	usage     map[string]*usage // by project
	balancers []*balancer
	volumes   []*volume

	recordsets []*recordset

	sold map[[2]string]bool // flavors that no host of a zone has room for: zone, flavor

	volumeZones []string // nil means Nova's zones
	ports       []*port  // ports that are not made together with a server
	portCount   int

	floating      []*floating
	floatingCount int

	keys     []*keyPair
	keyCount int

	failing    int  // number of the next builds that fail on their host
	keepsPorts bool // reports whether failed builds keep their ports

}

// zone is an availability zone; in Nova it is metadata of a host aggregate.
type zone struct {
	name     string
	cellDown bool // reports whether the cell of its hosts is down
}

// host is a compute host, with its nova-compute and its hypervisor.
type host struct {
	service
	zone       *zone
	hypervisor string
	uuid       string // the hypervisor's
	servers    int
	vcpus, ram int // in use
}

// service is a nova-compute.
type service struct {
	uuid     string
	name     string // name of the host
	disabled bool
	reason   string
	down     bool
	updated  time.Time
}

// cellDown reports whether the database of the host's cell is out of reach.
func (h *host) cellDown() bool { return h != nil && h.zone.cellDown }

func newRegion(c *Cloud, config Region) *region {
	r := &region{
		name:    config.Name,
		servers: newStore(),
		quotas:  map[[2]string]int{}, sold: map[[2]string]bool{},
		usage: map[string]*usage{},

		volumeZones: config.VolumeZones,
	}
	for _, z := range config.Zones {
		r.addZone(c, z, config.Hypervisors)
	}
	return r
}

func (r *region) addZone(c *Cloud, config Zone, hypervisors map[string]string) {
	z := &zone{name: config.Name}
	r.zones = append(r.zones, z)
	for _, name := range config.Hosts {
		r.hosts = append(r.hosts, &host{
			service:    service{uuid: c.uuid("service/" + r.name), name: name, updated: c.time()},
			zone:       z,
			hypervisor: cmp.Or(hypervisors[name], name),
			uuid:       c.uuid("hypervisor/" + r.name),
		})
	}
}

// first returns the first item for which is returns true, or the zero value.
func first[T any](list []T, is func(T) bool) (item T) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		item = list[i]
	}
	return item
}

func (r *region) zone(name string) *zone {
	return first(r.zones, func(z *zone) bool { return z.name == name })
}

func (r *region) host(name string) *host {
	return first(r.hosts, func(h *host) bool { return h.name == name })
}

func (r *region) hostsOf(z *zone) []*host {
	var list []*host
	for _, h := range r.hosts {
		if h.zone == z {
			list = append(list, h)
		}
	}
	return list
}

// available returns Nova's zones. A zone with an enabled compute service is available, even if all its hosts are
// down.
func (r *region) available() map[string]bool {
	zones := map[string]bool{}
	for _, h := range r.hosts {
		if !h.cellDown() {
			zones[h.zone.name] = zones[h.zone.name] || !h.disabled
		}
	}
	return zones
}

// anyCellDown reports whether a part of the region cannot be read.
func (r *region) anyCellDown() bool {
	return slices.ContainsFunc(r.zones, func(z *zone) bool { return z.cellDown })
}

// hostID returns the hash of a host that a project sees.
func (r *region) hostID(project, host string) string {
	if host == "" {
		return ""
	}
	sum := sha256.Sum224([]byte(project + host))
	return hex.EncodeToString(sum[:])
}

// change runs f on a region with the cloud locked. An unknown region is a mistake of the test.
func (c *Cloud) change(name string, f func(*region)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.regions[name]
	if r == nil {
		panic(fmt.Sprintf("fakecloud: no region %q", name))
	}
	f(r)
}

func (r *region) mustZone(name string) *zone {
	if z := r.zone(name); z != nil {
		return z
	}
	panic(fmt.Sprintf("fakecloud: no zone %q in %s", name, r.name))
}

func (r *region) mustHost(name string) *host {
	if h := r.host(name); h != nil {
		return h
	}
	panic(fmt.Sprintf("fakecloud: no host %q in %s", name, r.name))
}

// AddZone adds a zone and its hosts to a region.
func (c *Cloud) AddZone(regionName string, z Zone) {
	c.change(regionName, func(r *region) { r.addZone(c, z, nil) })
}

// RemoveZone removes a zone and its hosts from a region. Servers stay, and keep its name.
func (c *Cloud) RemoveZone(regionName, name string) {
	c.change(regionName, func(r *region) {
		gone := r.mustZone(name)
		r.zones = slices.DeleteFunc(r.zones, func(z *zone) bool { return z == gone })
		r.hosts = slices.DeleteFunc(r.hosts, func(h *host) bool { return h.zone == gone })
	})
}

// SetZoneAvailable makes a zone available or not. Nova's zones are available while one of their hosts is enabled, so
// this disables or enables all hosts.
func (c *Cloud) SetZoneAvailable(regionName, name string, available bool) {
	c.change(regionName, func(r *region) {
		for _, h := range r.hostsOf(r.mustZone(name)) {
			h.disabled = !available
		}
	})
}

// SetHostDown takes a compute host down, or up again. As in Nova, its zone stays available and its servers stay
// ACTIVE.
func (c *Cloud) SetHostDown(regionName, name string, down bool) {
	c.change(regionName, func(r *region) { r.mustHost(name).down = down })
}

// SetCellDown takes the cell of some zones down, or up again; without zones it is the cell of all zones. Lists then
// have partial records of its servers, or leave them out, and most other requests about them fail.
func (c *Cloud) SetCellDown(regionName string, down bool, zones ...string) {
	c.change(regionName, func(r *region) {
		for _, z := range r.zones {
			if len(zones) == 0 || slices.Contains(zones, z.name) {
				z.cellDown = down
			}
		}
	})
}

// sortedNames returns the keys of a set with a value, sorted.
func sortedNames(set map[string]bool, value bool) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if set[name] == value {
			names = append(names, name)
		}
	}
	return names
}

// usage is the usage of a project in a region.
type usage struct{ instances, cores, ram int }

// count adds a server to the usage of its project and its host, or subtracts it with a sign of -1.
func (r *region) count(s *server, sign int) {
	u := r.usage[s.ProjectID]
	if u == nil {
		u = &usage{}
		r.usage[s.ProjectID] = u
	}
	u.instances += sign
	u.cores += sign * s.flavor.VCPUs
	u.ram += sign * s.flavor.RAM
	if s.host != nil {
		s.host.servers += sign
		s.host.vcpus += sign * s.flavor.VCPUs
		s.host.ram += sign * s.flavor.RAM
	}
}

// used returns the usage that counts against quotas.
func (r *region) used(project string) usage {
	if known := r.usage[project]; known != nil {
		return *known
	}
	return usage{}
}

// place puts a server onto a host, or onto none.
func (r *region) place(s *server, h *host) {
	r.count(s, -1)
	s.host, s.Host = h, ""
	if h != nil {
		s.Host, s.Zone = h.name, h.zone.name
	}
	r.count(s, +1)
}
