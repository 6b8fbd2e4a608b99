package fakecloud

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

func (m *poolMember) document(provisioning string) object {
	p := m.pool
	return object{
		{"id", m.ID}, {"name", m.Name}, {"operating_status", cmp.Or(m.operating, "ONLINE")},
		{"provisioning_status", provisioning},
		{"admin_state_up", !m.down}, {"address", m.Address}, {"protocol_port", m.port}, {"weight", m.weight},
		{"backup", m.backup}, {"subnet_id", orNull(m.subnet)}, {"project_id", p.balancer.project},
		{"created_at", strings.TrimSuffix(isoTime(m.created), "Z")}, {"updated_at", nil}, {"monitor_address", nil},
		{"monitor_port", nil}, {"tags", []string{}},
		{"tenant_id", p.balancer.project},
	}
}

func (k *call) memberDocument(m *poolMember) object {
	return m.document(m.pool.balancer.provisioning())
}

func (k *call) listMembers(p *pool) reply {
	return jsonReply(200, object{{"members", documents(p.members, k.memberDocument)}, {"members_links", []object{}}})
}

// memberFields are the fields of a member that a request may set.
type memberFields struct {
	Name    *string `json:"name"`
	Address *string `json:"address"`
	Port    *int    `json:"protocol_port"`
	Weight  *int    `json:"weight"`
	Subnet  *string `json:"subnet_id"`
	Backup  *bool   `json:"backup"`
	Up      *bool   `json:"admin_state_up"`
}

func (m *poolMember) set(f memberFields) {
	if f.Name != nil {
		m.Name = *f.Name
	}
	if f.Weight != nil {
		m.weight = *f.Weight
	}
	if f.Backup != nil {
		m.backup = *f.Backup
	}
	if f.Up != nil {
		m.down = !*f.Up
	}
}

func (k *call) createMember(p *pool) reply {
	given := networkBody[memberFields](k, "member")
	for _, m := range p.members {
		if m.Address == *given.Address && m.port == *given.Port {
			panic(conflict("Another member on this pool is already using ip %s on protocol_port %d",
				m.Address, m.port))
		}
	}
	if id := given.Subnet; id != nil && !slices.ContainsFunc(networks,
		func(n network) bool { return n.subnet == *id }) {
		panic(notFound("Subnet %s not found.", *id))
	}
	p.balancer.change()
	m := k.newMember(p, given)
	p.members = append(p.members, m)
	return jsonReply(201, object{{"member", m.document("PENDING_CREATE")}})
}

// replaceMembers gives the pool the members of the request, and no others.
func (k *call) replaceMembers(p *pool) reply {
	given := networkBody[[]memberFields](k, "members")
	p.balancer.change()
	before := p.members
	p.members = nil
	for _, f := range given {
		i := slices.IndexFunc(before, func(m *poolMember) bool { return m.Address == *f.Address && m.port == *f.Port })
		if i < 0 {
			p.members = append(p.members, k.newMember(p, f))
			continue
		}
		before[i].set(f)
		p.members = append(p.members, before[i])
	}
	return reply{status: http.StatusAccepted, header: http.Header{}}
}

// newMember makes a member of a pool.
func (k *call) newMember(p *pool, given memberFields) *poolMember {
	m := &poolMember{
		Member:  Member{ID: k.uuid("member"), Address: *given.Address},
		weight:  1,
		pool:    p,
		port:    *given.Port,
		created: k.time(),
	}
	if given.Subnet != nil {
		m.subnet = *given.Subnet
	}
	m.set(given)
	return m
}

// updateMember changes all but the address, the port and the subnet of a member, which stay.
func (k *call) updateMember(m *poolMember) reply {
	given := networkBody[memberFields](k, "member")
	for name, is := range map[string]bool{
		"address": given.Address != nil, "protocol_port": given.Port != nil, "subnet_id": given.Subnet != nil,
	} {
		if is {
			panic(badRequest("Unknown attribute for argument member_.member: %s", name))
		}
	}
	m.pool.balancer.change()
	m.set(given)
	return jsonReply(200, object{{"member", m.document("PENDING_UPDATE")}})
}

func (k *call) deleteMember(m *poolMember) reply {
	m.pool.balancer.change()
	m.pool.members = slices.DeleteFunc(m.pool.members, func(other *poolMember) bool { return other == m })
	return noContent()
}

// Member is a member of a pool, as tests make and see it.
type Member struct {
	ID, Name, Address string
}

// AddPool makes a pool with a load balancer of its own, and members on port 80. It returns the pool's id.
func (c *Cloud) AddPool(regionName string, members ...Member) (id string) {
	c.change(regionName, func(r *region) {
		b := &balancer{id: c.uuid("balancer"), name: "lb", subnet: SubnetID, project: MemberProjectID}
		p := &pool{id: c.uuid("pool"), name: "pool", balancer: b, monitor: c.uuid("healthmonitor")}
		for _, m := range members {
			m.ID = c.uuid("member")
			p.members = append(p.members, &poolMember{Member: m, pool: p, port: 80, weight: 1, created: c.time()})
		}
		b.pools = []*pool{p}
		r.balancers = append(r.balancers, b)
		id = p.id
	})
	return id
}

// changePool runs f on a pool with the cloud locked.
func (c *Cloud) changePool(regionName, id string, f func(*region, *pool)) {
	c.change(regionName, func(r *region) {
		for _, b := range r.balancers {
			for _, p := range b.pools {
				if p.id == id {
					f(r, p)
					return
				}
			}
		}
		panic(fmt.Sprintf("fakecloud: no pool %q in %s", id, regionName))
	})
}

// Members lists the members of a pool, in the order in which they were made.
func (c *Cloud) Members(regionName, id string) (list []Member) {
	c.changePool(regionName, id, func(_ *region, p *pool) {
		for _, m := range p.members {
			list = append(list, m.Member)
		}
	})
	return list
}

// SetOperating sets the health monitor's status of the members with an address.
func (c *Cloud) SetOperating(regionName, id, address, status string) {
	c.changePool(regionName, id, func(_ *region, p *pool) {
		for _, m := range p.members {
			if m.Address == address {
				m.operating = status
			}
		}
	})
}
