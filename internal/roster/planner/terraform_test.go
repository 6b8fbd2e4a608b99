package planner_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain draws the same cases each time in the runs of .ci/run, so that only a change of the code makes a test fail; "make exhaust"
// draws others each night.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); runs.Asked(runs.Short, runs.Sweep) && seed.Value.String() == seed.DefValue {
		if err := seed.Value.Set("1"); err != nil {
			panic(err)
		}
	}
	acctest.Main(m)
}

// TestTerraform: the Terraform of the check is Terraform. Random histories of both modules go through [world] and through
// terraform, with terraform-provider-openstack and the fake cloud. After each apply nodes and servers are the same, and
// servers are destroyed in the order that the check believes in.
func TestTerraform(t *testing.T) {
	for i := range 64 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			runs.In(t, runs.Some(i < 2, runs.Sweep, runs.Night))
			t.Parallel()
			newPair(t, uint64(i)).run()
		})
	}
}

// pair is a cluster in the check, and the same one in terraform.
type pair struct {
	*testing.T
	*workspace.Workspace
	draw   *rand.Rand
	world  *world
	module string
	cloud  *fakecloud.Cloud
	images map[string]string // names by id
	names  map[string]string // names of servers by id
	says   string            // what the last plan says

	mu      sync.Mutex
	up      map[string]bool // whether servers really serve, by id
	outcome string          // fate of the servers that this apply makes
}

func newPair(t *testing.T, seed uint64) *pair {
	p := &pair{T: t, draw: rand.New(rand.NewPCG(seed, 7)), module: []string{"cluster", "stateful"}[seed%2], up: map[string]bool{},
		images: map[string]string{}, names: map[string]string{}}
	q := question{
		method:   roster.Substitute,
		capacity: 2 + int64(p.draw.IntN(2)),
		batch:    1 + int64(p.draw.IntN(2)),
		target:   100,
		stop:     100,
		wanted:   "a",
		bare:     true,
		causes:   []roster.Cause{roster.Unhealthy, roster.Outdated},
	}
	limit := ""
	if p.module == "stateful" {
		q.method, limit = stateful, "ports"
	}
	p.world = &world{
		question: q,
		limit:    limit,
		seen:     roster.NewSeen(),
		machines: map[string]machine{},
		deposed:  map[string][]machine{},
		strays:   map[string][]machine{},
	}
	c := acctest.NewFake(t, fakecloud.Config{})
	p.cloud, p.Workspace = c.Fake, c.Example(t, "clusters/first")
	for _, image := range []string{"a", "b", "c"} {
		p.images[p.cloud.AddImage(fakecloud.Image{Name: image})] = image
	}
	health := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !p.serves(path.Base(r.URL.Path)) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(health.Close)
	config, err := os.ReadFile(filepath.Join(p.Dir, "main.tf"))
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(config), "module ")
	p.file(first + fmt.Sprintf(`
variable "image" {}
variable "size" {}
variable "timeout" {}
module "web" {
  source            = "../../modules/%s"
  cluster           = "web"
  desired_capacity  = var.size
  regions           = [{ name = "RegionOne" }]
  image             = var.image
  flavors           = ["m1.small"]
  networks          = ["shared"]
  update            = { max_batch_size = "%d", stop_above = "100%%" }
  deletion          = { criteria = "OLDEST_FIRST" }
  readiness         = { url = "%s/{name}", timeout = var.timeout }
}
`, p.module, q.batch, health.URL))
	return p
}

func (p *pair) file(config string) {
	p.Helper()
	require.NoError(p.T, os.WriteFile(filepath.Join(p.Dir, "main.tf"), []byte(config), 0o600))
	require.NoError(p.T, p.Init(p.Context()))
}

// decide decides the fate of servers that are new.
func (p *pair) decide() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.cloud.Servers("RegionOne") {
		if _, known := p.up[s.ID]; !known {
			p.up[s.ID] = p.outcome == "up"
		}
	}
}

// serves reports whether the newest server of a node serves.
func (p *pair) serves(name string) bool {
	p.decide()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.up[p.newest(name)]
}

// run takes both through the same events and applies.
func (p *pair) run() {
	for range 5 {
		what := p.event()
		w := p.world.and("")
		w.look(0, nil, false)
		plan := w.plan()
		p.outcome = []string{"up", "up", "up", "never up", "ERROR", "not done", "lost"}[p.draw.IntN(7)]
		what += fmt.Sprintf(" => %s, and servers: %s", plan.did(), p.outcome)
		refused := plan.err != nil || w.refused(plan) || len(w.outlived(plan)) > 0
		after, fine := p.world, false
		if !refused {
			fates := map[string]string{}
			for _, name := range w.due(plan.after) {
				fates[name] = p.outcome
			}
			for _, end := range []string{ends[0], ends[1], ends[3]} {
				after = w.and("")
				if after.apply(plan.after, fates, end) {
					fine = end == ends[0]
					break
				}
			}
		}
		p.world = after
		p.world.story += "\n    " + what
		err := p.apply()
		nodes := p.nodes()
		told := fmt.Sprintf("%s\nrefused: %v\n%s\n%s", p.world.story, refused, p.says, errorsOf(err))
		if !assert.Equal(p.T, fine, err == nil, "it ends well: %s", told) ||
			!assert.Equal(p.T, p.world.listed(), p.servers(), "servers: %s", told) ||
			!assert.Equal(p.T, p.world.generations(), nodes, "nodes: %s", told) {
			return
		}
		p.world.bornAs(w.time, p.names, p.cloud.Servers("RegionOne"))
	}
}

// errorsOf cuts what Terraform prints to its errors.
func errorsOf(err error) string {
	text := fmt.Sprint(err)
	return text[max(0, strings.Index(text, "Error:")):]
}

// bornAs gives servers that an apply made the order in which Terraform made them: it is any.
func (w *world) bornAs(before int, known map[string]string, servers []fakecloud.Server) {
	var times []int
	var names []string
	for _, s := range servers {
		if m := w.machines[s.Name]; known[s.ID] == "" && m.born > before && !slices.Contains(names, s.Name) {
			names, times = append(names, s.Name), append(times, m.born)
		}
	}
	slices.Sort(times)
	for i, name := range names {
		m := w.machines[name]
		m.born = times[i]
		w.machines[name] = m
	}
}

// event is something that happens before an apply.
func (p *pair) event() string {
	name, has := "", slices.Sorted(maps.Keys(p.world.machines))
	if len(has) > 0 {
		name = has[p.draw.IntN(len(has))]
	}
	m := p.world.machines[name]
	switch event := p.draw.IntN(6); {
	case event < 2 || name == "":
		p.world.wanted = []string{"a", "b", "c"}[p.draw.IntN(3)]
		return "the image is " + p.world.wanted
	case event == 2 && m.status == "ACTIVE":
		p.cloud.UpdateServer("RegionOne", p.newest(name), func(s *fakecloud.Server) { s.Status = "ERROR" })
		m.up, m.status = false, "ERROR"
		p.world.machines[name] = m
		return name + " dies"
	case event == 3:
		p.cloud.RemoveServers("RegionOne", p.newest(name))
		delete(p.world.machines, name)
		return name + " is deleted"
	case event == 4:
		acctest.Must(p.T, p.Workspace, "taint", fmt.Sprintf("module.web.openstack_compute_instance_v2.node[%q]", name))
		m.tainted = true
		p.world.machines[name] = m
		return name + " is tainted"
	case event == 5 && p.module == "cluster":
		p.world.capacity++
		return "it grows"
	}
	return "nothing happens"
}

// newest returns the id of the newest server of a name.
func (p *pair) newest(name string) (id string) {
	for _, s := range p.cloud.Servers("RegionOne") {
		if s.Name == name {
			id = s.ID
		}
	}
	return id
}

// apply applies, with the fate of new servers, and checks in which order servers are made and destroyed.
func (p *pair) apply() error {
	fault := fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodPost, Path: "/servers", Times: fakecloud.Forever}
	timeout := "60s"
	switch p.outcome {
	case "never up":
		timeout = "3s"
	case "ERROR":
		p.cloud.FailBuilds("RegionOne", 1000)
	case "not done", "lost":
		fault.Status = http.StatusForbidden
		if p.outcome == "lost" {
			fault.Status, fault.Acts = http.StatusInternalServerError, true
		}
		defer p.cloud.Inject(fault).Remove()
	}
	defer p.cloud.FailBuilds("RegionOne", 0)
	for _, m := range p.world.machines {
		if m.status == "ACTIVE" && m.own != m.mark {
			timeout = "3s" // it never gets into service
		}
	}
	for _, s := range p.cloud.Servers("RegionOne") {
		p.names[s.ID] = s.Name
	}
	p.cloud.ResetRequests()
	_, err := p.Workspace.Run(p.Context(), "apply", "-auto-approve", "-input=false", "-no-color", "-var=image="+p.world.wanted,
		fmt.Sprint("-var=size=", p.world.capacity), "-var=timeout="+timeout)
	p.decide()
	made, gone := map[string]int{}, map[string]int{}
	for i, r := range p.cloud.Requests() {
		switch {
		case r.Method == http.MethodPost && r.Path == "/servers":
			var body struct{ Server struct{ Name string } }
			require.NoError(p.T, json.Unmarshal(r.Body, &body))
			made[body.Server.Name] = i
		case r.Method == http.MethodDelete && path.Dir(r.Path) == "/servers":
			gone[p.names[path.Base(r.Path)]] = i
		}
	}
	for name, at := range gone {
		for other, then := range made {
			if p.module == "cluster" {
				assert.Less(p.T, then, at, "%s is destroyed before %s is made: %s", name, other, p.world.story)
			} else if name == other {
				assert.Less(p.T, at, then, "%s is made before it is destroyed: %s", name, p.world.story)
			}
		}
	}
	return err
}

// servers lists all servers of the cloud.
func (p *pair) servers() (list []string) {
	for _, s := range p.cloud.Servers("RegionOne") {
		list = append(list, fmt.Sprintf("%s of %s, generation %s, is %s, in service %v", s.Name, p.images[s.ImageID], s.Metadata[openstack.GenerationKey],
			s.Status, s.Metadata[openstack.MarkKey] != ""))
	}
	slices.Sort(list)
	return list
}

// listed lists all servers of a world in the same way.
func (w *world) listed() (list []string) {
	all := map[string][]machine{}
	for name, m := range w.machines {
		all[name] = append(all[name], m)
	}
	for _, others := range []map[string][]machine{w.deposed, w.strays} {
		for name, machines := range others {
			all[name] = append(all[name], machines...)
		}
	}
	for name, machines := range all {
		for _, m := range machines {
			list = append(list, fmt.Sprintf("%s of %s, generation %d, is %s, in service %v", name, m.image, m.generation, m.status, m.own != ""))
		}
	}
	slices.Sort(list)
	return list
}

// nodes returns the generations of the nodes in the state.
func (p *pair) nodes() map[string]string {
	all := map[string]string{}
	state, err := p.State(p.Context())
	require.NoError(p.T, err)
	if state.Values == nil {
		return all
	}
	for _, module := range state.Values.RootModule.ChildModules {
		for _, r := range module.Resources {
			if nodes, is := r.AttributeValues["nodes"].(map[string]any); is && r.Type == "stackpolicy_placement_attachment" {
				p.says = fmt.Sprint(r.AttributeValues["status"], r.AttributeValues["change"], r.AttributeValues["held"])
				for name, n := range nodes {
					all[name] = fmt.Sprint(n.(map[string]any)["generation"])
				}
			}
		}
	}
	return all
}

func (w *world) generations() map[string]string {
	all := map[string]string{}
	for name, n := range w.r.Nodes {
		all[name] = fmt.Sprint(n.Generation)
	}
	return all
}
