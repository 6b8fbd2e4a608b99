package fakecloud

import (
	"net/http"
	"time"
)

// This file has the part of Octavia about members of pools. The product reads members;
// terraform-provider-openstack makes and removes them. [Cloud.AddPool] makes load balancers and pools, which can only
// be read.

// balancer is a load balancer. Each change makes it immutable until the next look.
type balancer struct {
	id, name, subnet, project string
	pending                   bool
	pools                     []*pool
}

// pool is a pool of a load balancer.
type pool struct {
	id, name string
	monitor  string // id of its health monitor
	balancer *balancer
	members  []*poolMember
}

// poolMember is a member of a pool.
type poolMember struct {
	Member
	pool         *pool
	port, weight int
	subnet       string // "" if none was given
	backup, down bool   // down is the opposite of admin_state_up
	created      time.Time
	operating    string // "" means the pool's own status
}

var octaviaRoutes = []route{
	{"GET", "/lbaas/loadbalancers/{}", 0, show("loadbalancer", (*call).findBalancer, (*call).balancerDocument)},
	{"GET", "/lbaas/pools/{}", 0, show("pool", (*call).findPool, (*call).poolDocument)},
	{"GET", "/lbaas/pools/{}/members", 0, of((*call).findPool, (*call).listMembers)},
	{"POST", "/lbaas/pools/{}/members", 0, of((*call).findPool, (*call).createMember)},
	{"PUT", "/lbaas/pools/{}/members", 0, of((*call).findPool, (*call).replaceMembers)},
	{"GET", "/lbaas/pools/{}/members/{}", 0, show("member", (*call).findMember, (*call).memberDocument)},
	{"PUT", "/lbaas/pools/{}/members/{}", 0, of((*call).findMember, (*call).updateMember)},
	{"DELETE", "/lbaas/pools/{}/members/{}", 0, of((*call).findMember, (*call).deleteMember)},
}

// octaviaFault is an error in Octavia's format.
func octaviaFault(status int, message string) object {
	who := "Client"
	if status >= http.StatusInternalServerError {
		who = "Server"
	}
	return object{{"faultcode", who}, {"faultstring", message}, {"debuginfo", nil}}
}

// octaviaVersions is what clients ask for that look for the version of an endpoint.
func (k *call) octaviaVersions() reply {
	return jsonReply(200, object{{"versions", []object{{
		{"id", "v2.0"}, {"status", "CURRENT"},
		{"links", []object{{{"rel", "self"}, {"href", k.base + "/load-balancer/" + k.region.name + "/v2"}}}},
	}}}})
}

func octaviaNowhere(*call) reply {
	return octaviaReply(&refusal{status: http.StatusNotFound, kind: "Not Found"})
}

func octaviaReply(e *refusal) reply {
	if e.kind != "" {
		return jsonReply(e.status, object{{"code", e.status}, {"title", e.kind}, {"description", e.message}})
	}
	return jsonReply(e.status, octaviaFault(e.status, e.message))
}

// look ends the change of a load balancer.
func (b *balancer) look() {
	b.pending = false
}

// change begins a change, or refuses it while another one is under way. A request that is refused counts as a look
// too.
func (b *balancer) change() {
	if b.pending {
		b.look()
		panic(conflict("Load Balancer %s is immutable and cannot be updated.", b.id))
	}
	b.pending = true
}

func (b *balancer) provisioning() string {
	if b.pending {
		return "PENDING_UPDATE"
	}
	return "ACTIVE"
}

// findBalancer finds the load balancer of the request.
func (k *call) findBalancer() *balancer {
	for _, b := range k.region.balancers {
		if b.id == k.vars[0] && b.project == k.token.projectID() {
			b.look()
			return b
		}
	}
	panic(notFound("Load Balancer %s not found.", k.vars[0]))
}

// findPool finds the pool of the request. A request for the pool itself is a look at its load balancer. On paths to
// members its error has another format.
func (k *call) findPool() *pool {
	for _, b := range k.region.balancers {
		for _, p := range b.pools {
			if p.id == k.vars[0] && b.project == k.token.projectID() {
				if k.record.Method == http.MethodGet {
					b.look()
				}
				return p
			}
		}
	}
	missing := &refusal{status: http.StatusNotFound, message: "Pool " + k.vars[0] + " not found."}
	if len(k.parts) > 4 {
		missing.kind = "Bad Request"
	}
	panic(missing)
}

func (k *call) findMember() *poolMember {
	if m := first(k.findPool().members, func(m *poolMember) bool { return m.ID == k.vars[1] }); m != nil {
		return m
	}
	panic(notFound("Member %s not found.", k.vars[1]))
}

func (k *call) balancerDocument(b *balancer) object {
	pools := documents(b.pools, func(p *pool) object { return object{{"id", p.id}} })
	return object{
		{"listeners", []object{}}, {"pools", pools}, {"id", b.id}, {"name", b.name},
		{"provisioning_status", b.provisioning()}, {"operating_status", "ONLINE"}, {"admin_state_up", true},
		{"project_id", b.project}, {"vip_subnet_id", b.subnet}, {"tags", []string{}},
	}
}

func (k *call) poolDocument(p *pool) object {
	members := documents(p.members, func(m *poolMember) object { return object{{"id", m.ID}} })
	return object{
		{"id", p.id}, {"name", p.name}, {"provisioning_status", p.balancer.provisioning()},
		{"operating_status", "ONLINE"}, {"admin_state_up", true}, {"project_id", p.balancer.project},
		{"loadbalancers", []object{{{"id", p.balancer.id}}}}, {"members", members}, {"tags", []string{}},
		{"healthmonitor_id", p.monitor},
	}
}
