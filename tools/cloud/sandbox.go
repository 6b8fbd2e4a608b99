package main

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// silent is the image whose servers are ACTIVE and do not answer.
const silent = "debian-broken"

// sandbox is the cloud, with the faults that a user made.
type sandbox struct {
	cloud  *fakecloud.Cloud
	url    string
	pool   string
	images map[string]string // names by id

	mu     sync.Mutex
	broken map[string]fault // faults by their address, such as zone/RegionOne/az-2
}

// fault is a fault with its repair.
type fault struct {
	server string // id of the server, or "" if it is not about one server
	repair func()
}

func newSandbox(address string) *sandbox {
	p := &sandbox{url: "http://" + address, broken: map[string]fault{}}
	regions := fakecloud.DefaultRegions()
	for i := range regions { // some configurations of the guides name a zone of Cinder, and others take Nova's names
		regions[i].VolumeZones = []string{"az-1", "az-2", "az-3", "nova"}
	}
	// Operations of Nova take long enough to be visible on the page.
	p.cloud = fakecloud.New(fakecloud.Config{
		Regions: regions,
		Now:     time.Now, BuildTime: 3 * time.Second, PowerTime: time.Second, DeleteTime: time.Second,
	})
	p.images, p.pool = p.cloud.Furnish()
	p.images[p.cloud.AddImage(fakecloud.Image{Name: silent})] = silent
	return p
}

//go:embed page
var files embed.FS

// handler serves the cloud, the page, and the operations for the page and for scripts. A foreign page in a browser on
// this machine cannot use them: its requests have another origin or, if its name resolves to this machine, another
// host.
func (p *sandbox) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		p.cloud.ServeHTTP(w, r)
		p.cloud.ResetRequests() // nobody reads them, and the cloud may run for days
	})
	mux.Handle("GET /{$}", http.RedirectHandler("/page/", http.StatusSeeOther))
	mux.Handle("GET /page/", http.FileServerFS(files))
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { answer(w, p.state()) })
	for _, verb := range []string{"break", "repair"} {
		mux.HandleFunc("POST /"+verb+"/{kind}/{target...}", func(w http.ResponseWriter, r *http.Request) {
			if err := p.operate(verb, r.PathValue("kind"), r.PathValue("target")); err != nil {
				http.Error(w, err.Error(), http.StatusNotFound)
				return
			}
			answer(w, map[string]any{"broken": p.state().Broken})
		})
	}
	mux.HandleFunc("GET /health/{name}", func(w http.ResponseWriter, r *http.Request) {
		well := func(s server) bool { return s.Name == r.PathValue("name") && s.Answers }
		if !slices.ContainsFunc(p.state().Servers, well) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("POST /drain", func(http.ResponseWriter, *http.Request) {}) // 200: the node is drained
	own := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if "http://"+r.Host != p.url {
			http.Error(w, "this is "+p.url, http.StatusMisdirectedRequest)
			return
		}
		w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'") // against clickjacking
		own.ServeHTTP(w, r)
	})
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// operate breaks or repairs something. It returns an error for an unknown name, which is a typing error here; the
// fake cloud panics for it, because there it is a mistake of a test.
func (p *sandbox) operate(verb, kind, target string) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("%v", problem)
		}
	}()
	f, is := p.broken[kind+"/"+target]
	if verb == "repair" && is {
		delete(p.broken, kind+"/"+target)
		f.repair()
	}
	if verb == "break" && !is {
		region, name, _ := strings.Cut(target, "/")
		if f, err = p.breaks(kind, region, name); err == nil {
			p.broken[kind+"/"+target] = f
		}
	}
	return err
}

func (p *sandbox) breaks(kind, region, name string) (fault, error) {
	nova := fakecloud.Fault{Service: fakecloud.Compute, Region: region, Times: fakecloud.Forever}
	servers := p.cloud.Servers(region)
	switch kind {
	case "nova":
		nova.Status = http.StatusServiceUnavailable
		return fault{"", p.cloud.Inject(nova).Remove}, nil
	case "quota":
		set := func(limit int) { p.cloud.SetQuota(region, fakecloud.MemberProjectID, "instances", limit) }
		set(len(servers))
		return fault{"", func() { set(-1) }}, nil
	case "zone":
		p.cloud.SetZoneAvailable(region, name, false)
		return fault{"", func() { p.cloud.SetZoneAvailable(region, name, true) }}, nil
	case "host":
		p.cloud.SetHostDown(region, name, true)
		return fault{"", func() { p.cloud.SetHostDown(region, name, false) }}, nil
	}
	i := slices.IndexFunc(servers, func(s fakecloud.Server) bool { return s.Name == name })
	if i < 0 {
		return fault{}, fmt.Errorf("there is no server %q in %s", name, region)
	}
	id := servers[i].ID
	set := func(status string) func() {
		return func() {
			p.cloud.UpdateServer(region, id, func(s *fakecloud.Server) { s.Status, s.TaskState = status, "" })
		}
	}
	switch kind {
	case "service":
		return fault{id, func() {}}, nil
	case "stop", "error":
		set(map[string]string{"stop": "SHUTOFF", "error": "ERROR"}[kind])()
		return fault{id, set("ACTIVE")}, nil
	case "delete":
		p.cloud.RemoveServers(region, id)
		return fault{id, nil}, nil // the next look forgets it
	}
	return fault{}, fmt.Errorf("%q is not nova, quota, zone, host, service, stop, error or delete", kind)
}

// state is the cloud as the page shows it.
type state struct {
	Zones   []zone   `json:"zones"`
	Servers []server `json:"servers"` // oldest first in each region
	Broken  []string `json:"broken"`
}

type zone struct {
	Region string   `json:"region"`
	Name   string   `json:"name"`
	Hosts  []string `json:"hosts"`
}

type server struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Region  string `json:"region"`
	Zone    string `json:"zone"` // "" if no host was found
	Status  string `json:"status"`
	Image   string `json:"image"`
	Mark    string `json:"mark"` // mark of a node that was found in service
	Drained bool   `json:"drained"`
	Answers bool   `json:"answers"` // reports whether its service answers
}

func (p *sandbox) state() state {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, there := state{Servers: []server{}, Broken: []string{}}, map[string]bool{"": true}
	for _, r := range fakecloud.DefaultRegions() {
		for _, z := range r.Zones {
			now.Zones = append(now.Zones, zone{r.Name, z.Name, z.Hosts})
		}
		for _, s := range p.cloud.Servers(r.Name) {
			there[s.ID] = true
			_, down := p.broken["host/"+r.Name+"/"+s.Host]
			dead := p.broken["service/"+r.Name+"/"+s.Name].server == s.ID
			image := cmp.Or(p.images[s.ImageID], s.ImageID)
			now.Servers = append(now.Servers, server{
				s.ID, s.Name, r.Name, s.Zone, s.Status, image, s.Metadata[openstack.MarkKey],
				s.Metadata[openstack.DrainedKey] != "", s.Status == "ACTIVE" && !down && !dead && image != silent,
			})
		}
	}
	maps.DeleteFunc(p.broken, func(_ string, f fault) bool { return !there[f.server] })
	now.Broken = slices.AppendSeq(now.Broken, maps.Keys(p.broken))
	slices.Sort(now.Broken)
	return now
}
