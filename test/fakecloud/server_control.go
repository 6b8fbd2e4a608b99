package fakecloud

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// AddServers adds servers to a region without checking quotas or policies. It returns their ids. Many at once are
// cheap.
func (c *Cloud) AddServers(regionName string, servers ...Server) []string {
	ids := make([]string, len(servers))
	c.change(regionName, func(r *region) {
		for i, given := range servers {
			ids[i] = r.adopt(c, given).ID
		}
	})
	return ids
}

// adopt fills in the fields that are not given.
func (r *region) adopt(c *Cloud, given Server) *server {
	s := &server{Server: given, number: r.servers.count + 1}
	if s.Created.IsZero() {
		s.Created = c.tick()
	}
	s.Created = s.Created.UTC().Truncate(time.Second)
	s.updated, s.launched = s.Created, s.Created
	if s.ID = cmp.Or(s.ID, c.uuid("server/"+r.name)); r.servers.byID[s.ID] != nil {
		panic("fakecloud: there is a server " + s.ID + " already")
	}
	s.Name = cmp.Or(s.Name, fmt.Sprintf("server-%d", s.number))
	s.ProjectID, s.UserID = cmp.Or(s.ProjectID, MemberProjectID), cmp.Or(s.UserID, MemberUserID)
	s.ImageID = cmp.Or(s.ImageID, c.images[len(c.images)-1].ID)
	s.flavor = c.mustFlavor(cmp.Or(s.Flavor, c.flavors[0].ID))
	s.Flavor = s.flavor.ID
	s.asked = s.Zone
	s.setStatus(cmp.Or(s.Status, "ACTIVE"))
	if s.Group != "" {
		s.group = r.mustGroup(s.Group)
		s.group.members = append(s.group.members, s)
	}
	s.host = r.hostFor(&s.Server, s.number)
	if s.host != nil {
		s.Host, s.Zone = s.host.name, s.host.zone.name
	}
	if s.vmState == "building" || s.host == nil && s.Host == "" {
		s.launched = s.terminated
	}
	r.count(s, +1)
	r.servers.add(s)
	return s
}

// hostFor returns the named host, or a host of the zone, or any host, each in turn.
func (r *region) hostFor(s *Server, turn int) *host {
	if s.Host == "-" {
		s.Host = ""
		return nil
	}
	if s.Host != "" {
		return r.host(s.Host) // nil if it does not exist (any more)
	}
	hosts := r.hosts
	if s.Zone != "" {
		hosts = nil
		if z := r.zone(s.Zone); z != nil {
			hosts = r.hostsOf(z)
		}
	}
	if len(hosts) == 0 {
		return nil
	}
	return hosts[(turn-1)%len(hosts)]
}

// snapshot returns a server in the form for tests.
func (s *server) snapshot() Server {
	v := s.Server
	v.Status = s.status()
	v.Metadata, v.Tags = maps.Clone(v.Metadata), slices.Clone(v.Tags)
	v.Group = ""
	if s.group != nil {
		v.Group = s.group.ID
	}
	return v
}

// Servers returns the servers of a region, of all projects, oldest first.
func (c *Cloud) Servers(regionName string) []Server {
	var list []Server
	c.change(regionName, func(r *region) {
		r.settle(c)
		for s := range r.servers.oldest() {
			list = append(list, s.snapshot())
		}
	})
	return list
}

// UpdateServer changes a server behind Nova's back: f may change anything except the id, the time of its creation and
// its group. It panics if the server does not exist.
func (c *Cloud) UpdateServer(regionName, id string, f func(*Server)) {
	c.change(regionName, func(r *region) {
		s := r.mustServer(id)
		before := s.snapshot()
		after := before
		f(&after)
		after.ID, after.Created, after.Group = before.ID, before.Created, before.Group
		r.count(s, -1)
		s.Server = after
		if after.Flavor != before.Flavor {
			s.flavor = c.mustFlavor(after.Flavor)
		}
		if after.Status != before.Status || after.TaskState != before.TaskState {
			s.setStatus(after.Status)
			if before.Status == "BUILD" && after.Status == "ERROR" {
				r.abandon(c, s)
			}
			s.pending = nil
			delete(r.servers.pending, s)
		}
		if after.Host != before.Host {
			s.host = r.hostFor(&s.Server, s.number)
		}
		s.updated = c.time()
		r.count(s, +1)
	})
}

// FailBuilds lets the next builds of a region fail on their hosts, and not for want of one.
func (c *Cloud) FailBuilds(regionName string, n int) {
	c.change(regionName, func(r *region) { r.failing = n })
}

// KeepPorts lets servers whose build failed keep their ports and volumes, or not, as Nova does where nova-compute
// restarts during a build, or where Neutron does not answer. Without it a failed build releases them.
func (c *Cloud) KeepPorts(regionName string, keep bool) {
	c.change(regionName, func(r *region) { r.keepsPorts = keep })
}

// abandon releases what a failed build has.
func (r *region) abandon(c *Cloud, s *server) {
	if !r.keepsPorts {
		r.free(c, s)
		s.Network = false
	}
}

// MoveServer moves a server to another host, as a migration does. Its zone becomes the zone of the host.
func (c *Cloud) MoveServer(regionName, id, host string) {
	c.change(regionName, func(r *region) {
		s := r.mustServer(id)
		r.place(s, r.mustHost(host))
		s.updated = c.time()
	})
}

// RemoveServers removes servers behind Nova's back; without ids, all servers of the region.
func (c *Cloud) RemoveServers(regionName string, ids ...string) {
	c.change(regionName, func(r *region) {
		var gone []*server
		for _, id := range ids {
			gone = append(gone, r.mustServer(id))
		}
		if len(ids) == 0 {
			gone = slices.Clone(r.servers.byAge)
		}
		for _, s := range gone {
			r.end(c, s)
		}
		r.servers.bury(gone...)
	})
}

// end marks a server as deleted. The caller has to bury it in the store.
func (r *region) end(c *Cloud, s *server) {
	r.count(s, -1)
	r.free(c, s)
	s.deleted, s.TaskState = true, ""
	s.vmState = "deleted"
	s.Metadata, s.Tags = nil, nil
	s.terminated, s.updated = c.time(), c.time()
}

func (r *region) mustServer(id string) *server {
	if s := r.servers.byID[id]; s != nil && !s.deleted {
		return s
	}
	panic(fmt.Sprintf("fakecloud: no server %q in %s", id, r.name))
}

// watcher sees all changes of the servers of a region.
type watcher struct {
	region string
	sees   func([]Server)
}

// Watch calls sees after each request to Nova in a region, with the present servers, oldest first. The function must
// not call the cloud.
func (c *Cloud) Watch(regionName string, sees func([]Server)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers = append(c.watchers, watcher{regionName, sees})
}

// show shows the servers to the watchers of the request's region.
func (k *call) show() {
	for _, w := range k.watchers {
		if k.record.Service != Compute || k.record.Region != w.region || k.region == nil {
			continue
		}
		var list []Server
		for s := range k.region.servers.oldest() {
			list = append(list, s.snapshot())
		}
		w.sees(list)
	}
}
