package fakecloud

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

// used returns the usage that counts against quotas. Servers in a cell that is down cannot be counted.
func (r *region) used(project string) usage {
	var u usage
	if known := r.usage[project]; known != nil {
		u = *known
	}
	if r.anyCellDown() {
		for s := range r.servers.oldest() {
			if s.ProjectID == project && s.host.cellDown() {
				u.instances--
				u.cores -= s.flavor.VCPUs
				u.ram -= s.flavor.RAM
			}
		}
	}
	return u
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
