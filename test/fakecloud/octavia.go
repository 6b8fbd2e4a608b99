package fakecloud

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Octavia, as far as the members of pools go: the product reads them and gives
// them other weights; terraform-provider-openstack makes and removes them. Load
// balancers and pools are made by [Cloud.AddPool], and can only be looked at.

// balancer is a load balancer. Each change makes it immutable until the change is
// done: by the next look, or [Config.PowerTime] later.
type balancer struct {
	id, name, subnet, project string
	changed                   time.Time
	pending                   bool
	pools                     []*pool
}

// pool is a pool of a load balancer.
type pool struct {
	id, name string
	balancer *balancer
	monitor  string // id of its health monitor
	members  []*poolMember
}

// poolMember is a member of a pool.
type poolMember struct {
	id, name, address string
	port, weight      int
	tags              []string
	created, updated  time.Time
	operating         string // "": what the pool makes of it
}

var octaviaRoutes = []route{
	{"GET", "/loadbalancers/{}", 0, (*call).showBalancer},
	{"GET", "/pools/{}", 0, (*call).showPool},
	{"GET", "/pools/{}/members", 0, (*call).listMembers},
	{"POST", "/pools/{}/members", 0, (*call).createMember},
	{"GET", "/pools/{}/members/{}", 0, (*call).showMember},
	{"PUT", "/pools/{}/members/{}", 0, (*call).updateMember},
	{"DELETE", "/pools/{}/members/{}", 0, (*call).deleteMember},
}

// octaviaError is an error that Octavia answers with.
type octaviaError struct {
	status  int
	message string
	router  bool // found on the way to a pool's members, where errors look otherwise
}

func (e *octaviaError) Error() string { return e.message }

func badBalancer(format string, args ...any) error {
	return &octaviaError{status: http.StatusBadRequest, message: fmt.Sprintf(format, args...)}
}

// octaviaFault is how Octavia words an error.
func octaviaFault(status int, message string) []byte {
	who := "Client"
	if status >= http.StatusInternalServerError {
		who = "Server"
	}
	return appendJSON(nil, object{{"faultcode", who}, {"faultstring", message}, {"debuginfo", nil}})
}

func (k *call) serveOctavia() reply {
	k.region = k.regions[k.record.Region]
	if k.region == nil {
		return k.webob(404, "The resource could not be found.")
	}
	if k.token = k.validToken(k.record.Token); k.token == nil {
		return k.unauthorized()
	}
	rep := jsonReply(404, object{{"code", 404}, {"title", "Not Found"}, {"description", ""}})
	if len(k.parts) > 2 && strings.HasPrefix(k.parts[0], "v2") && k.parts[1] == "lbaas" {
		if r, _ := k.find(octaviaRoutes, k.parts[2:]); r != nil {
			var err error
			if rep, err = r.serve(k); err != nil {
				rep = octaviaReply(err)
			}
		}
	}
	return rep.set("X-Openstack-Request-Id", "req-"+k.uuid("request"))
}

func octaviaReply(err error) reply {
	e := &octaviaError{status: http.StatusInternalServerError, message: err.Error()}
	errors.As(err, &e)
	if e.router {
		return jsonReply(e.status, object{{"code", e.status}, {"title", "Bad Request"}, {"description", e.message}})
	}
	return reply{e.status, http.Header{"Content-Type": {"application/json"}}, octaviaFault(e.status, e.message)}
}

// look ends the change of a load balancer whose time has come.
func (b *balancer) look(k *call) {
	if b.pending && k.time().Sub(b.changed) < k.config.PowerTime {
		k.tick()
		return
	}
	b.pending = false
}

// change begins a change, or refuses it while another one is under way. A request that is
// refused has looked, too.
func (b *balancer) change(k *call) error {
	if b.pending {
		b.look(k)
		return &octaviaError{
			status:  http.StatusConflict,
			message: "Load Balancer " + b.id + " is immutable and cannot be updated.",
		}
	}
	b.pending, b.changed = true, k.time()
	return nil
}

func (b *balancer) provisioning() string {
	if b.pending {
		return "PENDING_UPDATE"
	}
	return "ACTIVE"
}

// octaviaBody decodes a request, which has one object of a name.
func (k *call) octaviaBody(name string, into any) error {
	var body map[string]json.RawMessage
	if err := json.Unmarshal(k.record.Body, &body); err != nil {
		return badBalancer("Request is not in valid JSON format")
	}
	if err := json.Unmarshal(body[name], into); err != nil {
		return badBalancer("Invalid input for field/attribute %s_. Value: '%s'.", name, k.record.Body)
	}
	return nil
}

func (k *call) balancer(id string) (*balancer, error) {
	for _, b := range k.region.balancers {
		if b.id == id && b.project == k.token.projectID() {
			b.look(k)
			return b, nil
		}
	}
	return nil, &octaviaError{status: http.StatusNotFound, message: "Load Balancer " + id + " not found."}
}

// pool finds the pool of the request. Its load balancer is looked at where that
// is all that the request does.
func (k *call) pool(id string) (*pool, error) {
	for _, b := range k.region.balancers {
		for _, p := range b.pools {
			if p.id == id && b.project == k.token.projectID() {
				if k.record.Method == http.MethodGet {
					b.look(k)
				}
				return p, nil
			}
		}
	}
	return nil, &octaviaError{
		status:  http.StatusNotFound,
		message: "Pool " + id + " not found.",
		router:  len(k.parts) > 4,
	}
}

func (k *call) member() (*pool, *poolMember, error) {
	p, err := k.pool(k.vars[0])
	if err != nil {
		return nil, nil, err
	}
	for _, m := range p.members {
		if m.id == k.vars[1] {
			return p, m, nil
		}
	}
	return nil, nil, &octaviaError{status: http.StatusNotFound, message: "Member " + k.vars[1] + " not found."}
}

func (b *balancer) document(provisioning string) object {
	pools := []object{}
	for _, p := range b.pools {
		pools = append(pools, object{{"id", p.id}})
	}
	return object{
		{"listeners", []object{}}, {"pools", pools}, {"id", b.id}, {"name", b.name},
		{"provisioning_status", provisioning}, {"operating_status", "ONLINE"}, {"admin_state_up", true},
		{"project_id", b.project}, {"vip_subnet_id", b.subnet}, {"tags", []string{}},
	}
}

func (k *call) showBalancer() (reply, error) {
	b, err := k.balancer(k.vars[0])
	if err != nil {
		return reply{}, err
	}
	return jsonReply(200, object{{"loadbalancer", b.document(b.provisioning())}}), nil
}

func (p *pool) document(provisioning string) object {
	members := []object{}
	for _, m := range p.members {
		members = append(members, object{{"id", m.id}})
	}
	doc := object{
		{"id", p.id}, {"name", p.name}, {"provisioning_status", provisioning}, {"operating_status", "ONLINE"},
		{"admin_state_up", true}, {"project_id", p.balancer.project},
		{"loadbalancers", []object{{{"id", p.balancer.id}}}}, {"members", members}, {"tags", []string{}},
	}
	if p.monitor != "" {
		doc = append(doc, field{"healthmonitor_id", p.monitor})
	}
	return doc
}

func (k *call) showPool() (reply, error) {
	p, err := k.pool(k.vars[0])
	if err != nil {
		return reply{}, err
	}
	return jsonReply(200, object{{"pool", p.document(p.balancer.provisioning())}}), nil
}
