package placementtf_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/require"
)

// driven is a cluster that a driver takes through random events, in place of Terraform, its servers and a readiness
// attachment. The driver knows which servers are really in service.
type driven struct {
	attached
	*testing.T
	draw    *rand.Rand
	method  string
	size    int
	batch   int
	image   string
	images  map[string]string // ids of images, by name
	stop    string            // argument stop_above
	servers map[string]unit   // servers by node
	told    []string          // record of the events
	lies    int               // number of looks to come that find no server
	lost    string            // node whose server was lost last
	ever    bool              // whether a server was ever seen to run
	twice   bool              // whether it was lost twice, and no look saw the server between
}

// unit is a server as it was last made.
type unit struct {
	id, mark, image, generation string
	served                      bool
}

// drive returns a new cluster with its servers.
func drive(t *testing.T, method string, size, batch int) *driven {
	t.Helper()
	d := &driven{attached: begin(t), T: t, method: method, size: size, batch: batch, image: "a", stop: "50%",
		images: map[string]string{}, servers: map[string]unit{}}
	d.apply(false)
	return d
}

// TestSequences: whatever happens to a cluster, an apply takes no more than a batch of the servers in service, plus the nodes
// that a shrink removes; there are never more than two batches of servers above the cluster's size; and with a good image the
// cluster ends in step once nothing fails any more. After an apply that ended well the status is what its plan said.
func TestSequences(t *testing.T) {
	t.Parallel()
	for i := range 500 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			runs.In(t, runs.Some(i < 12 || i == 99, runs.Sweep, runs.Night)) // in 99 Nova leaves out all servers while their nodes change
			t.Parallel()
			draw := rand.New(rand.NewPCG(uint64(i), 1))
			d := drive(t, []string{"SUBSTITUTE", "RECREATE", "IN_PLACE"}[i%3], 2+draw.IntN(4), 1+draw.IntN(2))
			d.draw = draw
			for range 8 {
				d.event()
				d.apply(d.draw.IntN(5) > 0)
			}
			d.ends()
		})
	}
}

// event is something that happens to the cluster.
func (d *driven) event() {
	name := ""
	if there := d.Fake.Servers("RegionOne"); len(there) > 0 {
		name = there[d.draw.IntN(len(there))].Name
	}
	change := func(what string, f func(*fakecloud.Server)) {
		if name != "" {
			d.told = append(d.told, name+" "+what)
			d.Fake.UpdateServer("RegionOne", d.servers[name].id, f)
		}
	}
	switch d.draw.IntN(9) {
	case 0, 1, 2:
		d.image = []string{"a", "b", "c", "bad", "errs"}[d.draw.IntN(5)]
	case 3:
		d.size = 2 + d.draw.IntN(4)
	case 4:
		change("ends in ERROR", func(s *fakecloud.Server) { s.Status = "ERROR" })
	case 5:
		change("is shut off", func(s *fakecloud.Server) { s.Status = "SHUTOFF" })
	case 6:
		change("loses its mark", func(s *fakecloud.Server) { delete(s.Metadata, openstack.MarkKey) })
	case 7:
		if name != "" {
			d.told = append(d.told, name+" is lost")
			d.twice, d.lost = d.lost == name, name
			d.Fake.RemoveServers("RegionOne", d.servers[name].id)
		}
	case 8:
		d.told = append(d.told, "Nova's list is empty once")
		d.lies++
		d.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodGet, Path: "/servers/detail", Status: http.StatusOK,
			Body: `{"servers": []}`, Times: 1})
	}
}

// server returns the present server of a unit, or nil if it is lost.
func (d *driven) server(u unit) *fakecloud.Server {
	for _, s := range d.Fake.Servers("RegionOne") {
		if s.ID == u.id {
			return &s
		}
	}
	return nil
}

// serves reports whether a server is really in service.
func (d *driven) serves(u unit) bool {
	s := d.server(u)
	return s != nil && s.Status == "ACTIVE" && u.served
}

// destroy destroys a server, which may be lost.
func (d *driven) destroy(u unit) {
	if d.server(u) != nil {
		d.Fake.RemoveServers("RegionOne", u.id)
	}
}

// apply applies as Terraform does, with or without a refresh.
func (d *driven) apply(refreshes bool) {
	d.told = append(d.told, fmt.Sprintf("apply %s %d, refresh %t", d.image, d.size, refreshes))
	d.Later(d.T)
	if refreshes {
		if after, err := d.Refresh(d.Context(), d.I); err == nil {
			d.I = after
		}
		maps.DeleteFunc(d.servers, func(_ string, u unit) bool { return d.server(u) == nil }) // Terraform makes lost servers again
	}
	before := len(d.servers)
	if err := d.Try(d.T, d.config()); err != nil {
		d.told = append(d.told, "refused")
		return
	}
	nodes := protocol.Object(protocol.Object(d.I.State)["nodes"])
	taken, made, serving := 0, 0, 0
	all, first := d.Fake.Servers("RegionOne"), d.size // a cluster that never served may be made again at once
	if d.ever = d.ever || slices.ContainsFunc(all, func(s fakecloud.Server) bool { return s.Status == "ACTIVE" }); d.ever {
		first = 0
	}
	for _, m := range d.servers {
		if d.serves(m) {
			serving++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		n := protocol.Object(nodes[name])
		want := unit{mark: protocol.Text(n["mark"]), image: protocol.Text(protocol.Object(n["template"])["image"]), generation: protocol.Shown(n["generation"])}
		is, there := d.servers[name]
		switch {
		case !there:
			d.servers[name] = d.make(name, protocol.Text(n["zone"]), want)
			made++
		case is.image != want.image && (d.method == "IN_PLACE" || is.generation != want.generation),
			is.generation != want.generation && d.method != "SUBSTITUTE":
			if d.serves(is) {
				taken++
			}
			d.told = append(d.told, name+" is made again")
			d.destroy(is)
			d.servers[name] = d.make(name, protocol.Text(n["zone"]), want)
		case is.generation != want.generation:
			is.mark, is.generation = want.mark, want.generation
			d.servers[name] = is
			if d.server(is) != nil {
				d.Fake.UpdateServer("RegionOne", is.id, func(s *fakecloud.Server) { s.Metadata[openstack.GenerationKey] = is.generation })
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.servers)) {
		if _, stays := nodes[name]; !stays {
			if d.serves(d.servers[name]) {
				taken++
			}
			d.told = append(d.told, name+" leaves")
			d.destroy(d.servers[name])
			delete(d.servers, name)
		}
	}
	if most := d.batch + max(0, before-d.size); taken > most {
		d.Errorf("an apply of %s took %d of %d that serve, %d may be: %s", d.method, taken, serving, most, strings.Join(d.told, "; "))
	}
	if most := d.size + max(2*d.batch, first); made > 0 && len(all)+made > most {
		d.Errorf("%d servers, %d may be: %s", len(all)+made, most, strings.Join(d.told, "; "))
	}
	d.await()
	if refreshes && d.lies == 0 && !d.twice {
		d.tellsTruth()
	}
	if refreshes {
		d.lies = max(0, d.lies-1)
	}
}

// tellsTruth looks at the cluster again: if the apply ended well, the status is what the plan said. It is left out where a look
// was a lie, and where a server was lost twice between two looks: both looks miss a server of the name, as they do after an
// apply that made none, so the plan must say that the node is waited for.
func (d *driven) tellsTruth() {
	for _, u := range d.servers {
		if s := d.server(u); s == nil || s.Status != "ACTIVE" || s.Metadata[openstack.MarkKey] != u.mark {
			return
		}
	}
	applied, said, text := d.I, d.Shows("phase"), d.Shows("status")
	d.Look(d.T)
	if d.Shows("phase") != said {
		d.Errorf("the plan said %q, and after the apply it is %q: %s", text, d.Shows("status"), strings.Join(d.told, "; "))
	}
	d.I = applied
}

func (d *driven) config() attributes {
	return zonal(d.size, "az-1 az-2", attributes{"template": attributes{"image": d.image}, "update": attributes{
		"causes": []any{"TEMPLATE", "UNHEALTHY"}, "max_batch_size": fmt.Sprint(d.batch), "method": d.method, "require_in_service": false,
		"stop_above": d.stop}})
}

// make makes the server of a node.
func (d *driven) make(name, zone string, m unit) unit {
	if d.images[m.image] == "" {
		d.images[m.image] = d.Fake.AddImage(fakecloud.Image{Name: m.image})
	}
	status := "ACTIVE"
	if m.image == "errs" {
		status = "ERROR"
	}
	m.id = d.Fake.AddServers("RegionOne", fakecloud.Server{Name: name, Zone: zone, ImageID: d.images[m.image], Status: status,
		Metadata: map[string]string{openstack.GenerationKey: m.generation}})[0]
	return m
}

// await marks the servers that get into service, and notes the others, as a readiness attachment does.
func (d *driven) await() {
	d.Fake.Advance(10 * time.Minute)
	for _, s := range d.Fake.Servers("RegionOne") {
		m, there := d.servers[s.Name]
		if !there || m.id != s.ID || s.Status != "ACTIVE" {
			continue
		}
		at := s.Created.Add(10 * time.Minute).Format(time.RFC3339)
		d.Fake.UpdateServer("RegionOne", s.ID, func(s *fakecloud.Server) {
			if s.Metadata == nil {
				s.Metadata = map[string]string{}
			}
			if m.image == "bad" {
				s.Metadata[openstack.NotInServiceAtKey] = m.mark + " " + at
				return
			}
			s.Metadata[openstack.MarkKey], s.Metadata[openstack.InServiceAtKey] = m.mark, at
			m.served = true
		})
		d.servers[s.Name] = m
	}
}

// ends gives a good image, starts servers that are shut off, and applies until the cluster is in step.
func (d *driven) ends() {
	d.image, d.stop = "z", "100%"
	d.told = append(d.told, "all is well now")
	for range 25 {
		for _, there := range d.Fake.Servers("RegionOne") {
			d.Fake.UpdateServer("RegionOne", there.ID, func(s *fakecloud.Server) {
				if s.Status == "SHUTOFF" {
					s.Status = "ACTIVE"
				}
			})
		}
		d.apply(true)
		d.Later(d.T)
		d.Look(d.T)
		if d.Shows("status") == "in step" {
			require.Len(d, d.servers, d.size)
			return
		}
	}
	d.Errorf("in the end %s: %s", d.Shows("status"), strings.Join(d.told, "; "))
}
