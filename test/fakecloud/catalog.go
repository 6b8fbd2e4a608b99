package fakecloud

import (
	"fmt"
	"net/url"
	"slices"
)

// catalogServices are the services of the catalogue. The shared ones have the same endpoint in every region, as in
// the real test cloud.
var catalogServices = []struct{ kind, name, path string }{
	{Images, "glance", "/image"},
	{Compute, "nova", ""},
	{Network, "neutron", ""},
	{LoadBalancing, "octavia", ""},
	{BlockStorage, "cinder", ""},
	{DNS, "designate", ""},
	{Identity, "keystone", "/identity/v3"},
}

// catalog returns the catalogue for a token. It leaves out an endpoint that needs a project's id if the token has no
// project.
func (k *call) catalog(t *token) []object {
	list := []object{}
	for _, s := range catalogServices {
		endpoints := []object{}
		for _, region := range k.known {
			if k.hidden[[2]string{s.kind, region}] || k.regions[region] == nil {
				continue
			}
			address := k.base + s.path
			switch s.kind {
			case Network, LoadBalancing, DNS:
				address += "/" + s.kind + "/" + url.PathEscape(region)
			case BlockStorage:
				address += "/" + s.kind + "/" + url.PathEscape(region) + "/v3"
			case Compute:
				address += "/compute/" + url.PathEscape(region) + "/v2.1"
				if k.config.ProjectInURL {
					if t.project == nil {
						continue
					}
					address += "/" + t.project.id
				}
			}
			for _, face := range []string{"admin", "internal", "public"} {
				e := object{{"id", k.endpointID(s.kind + region + face)}, {"interface", face}}
				if k.nameless {
					e = append(e, field{"region_id", nil}, field{"url", address}, field{"region", nil})
				} else {
					e = append(e, field{"region_id", region}, field{"url", address}, field{"region", region})
				}
				endpoints = append(endpoints, e)
			}
		}
		if len(endpoints) > 0 {
			list = append(list, object{
				{"endpoints", endpoints}, {"id", k.endpointID(s.kind)}, {"type", s.kind}, {"name", s.name},
			})
		}
	}
	return list
}

// endpointID returns the same id at every login.
func (c *Cloud) endpointID(name string) string {
	const kind = "catalog/"
	c.serial[kind+name] = 0
	return c.hexID(kind + name)
}

// HideEndpoint removes a service of a region from the catalogue, or puts it back. The service itself keeps running.
func (c *Cloud) HideEndpoint(service, region string, hide bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.known, region) {
		panic(fmt.Sprintf("fakecloud: no region %q", region))
	}
	c.hidden[[2]string{service, region}] = hide
}

// HideRegionNames makes a catalogue whose endpoints name no region, as in some clouds with a single region.
func (c *Cloud) HideRegionNames(hide bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nameless = hide
}
