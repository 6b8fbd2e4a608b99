package placementtf_test

import (
	"cmp"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One gate holds the batch, whatever the cause, the method and the known facts are. Each row below is a
// cluster, an event, and applies through a real terraform, while the cloud counts servers.

var update = flag.Bool("update", false, "rewrite the table of the guide")

// gated is the configuration of a cluster. Servers of an image that begins with "bad" never get ready; Nova refuses the
// image "missing".
type gated struct {
	size     int
	image    string
	unseen   bool      // whether the event comes before a refresh has seen the new cluster
	causes   string    // "": TEMPLATE and UNHEALTHY
	batch    string    // max_batch_size; "": 1
	instead  [2]string // a text in the servers' block, and its replacement
	method   string    // "": SUBSTITUTE
	update   string    // more arguments of the block update
	more     string    // more arguments of the placement attachment
	unmarked bool      // no readiness attachment
	stopped  bool      // servers ignore changes of power_state
	closed   string    // name of a closed region
	hasty    bool      // whether the readiness attachment waits for two seconds only
	regions  string    // "": three zones of RegionOne
}

func (g gated) config(c *acctest.Cloud, url string) string {
	lifecycle, drains, ignored := "create_before_destroy = true", acctest.First, "metadata"
	if cmp.Or(g.method, "SUBSTITUTE") != "SUBSTITUTE" {
		lifecycle, drains = "", ""
	}
	lifecycle += "\n    " + acctest.Again
	more := acctest.Generations
	if strings.Contains(g.more, "stateful") {
		more += `
resource "terraform_data" "volume" {
  for_each = stackpolicy_placement_attachment.web.slots
  input    = each.value.zone
}`
	}
	if g.stopped {
		ignored += ", power_state"
	}
	if g.method != "IN_PLACE" {
		lifecycle += fmt.Sprintf("\n    ignore_changes = [%s]", ignored)
	}
	regions := acctest.Places(cmp.Or(g.regions, "RegionOne: az-1 az-2 az-3"))
	if g.closed != "" {
		regions = strings.Replace(regions, fmt.Sprintf("name = %q", g.closed), fmt.Sprintf("name = %q, closed = true", g.closed), 1)
	}
	update := g.update
	if g.unmarked && update == "" {
		update = "require_in_service = false"
	}
	text := acctest.Placement(c, g.size, regions, fmt.Sprintf(`template          = { version = %q }
  update {
    causes         = [%s]
    max_batch_size = %q
    method         = %q
    %s
  }
  %s`, g.image, cmp.Or(g.causes, `"TEMPLATE", "UNHEALTHY"`), cmp.Or(g.batch, "1"), cmp.Or(g.method, "SUBSTITUTE"), update, g.more)) + more
	servers := acctest.Made(c, fmt.Sprintf(`
  metadata = { version = each.value.template.version, stackpolicy_generation = each.value.generation }
  lifecycle {
    %s
  }`, lifecycle))
	servers = strings.Replace(servers, fmt.Sprintf("= %q\n", c.Image),
		fmt.Sprintf("= each.value.template.version == \"missing\" ? \"00000000-0000-4000-8000-000000000000\" : %q\n", c.Image), 1)
	text += strings.Replace(servers, g.instead[0], g.instead[1], 1) + acctest.Drained("shutdown = true\n  "+drains)
	if g.unmarked {
		return text
	}
	return text + acctest.Awaited(c, fmt.Sprintf("timeout = %d\n  http {\n    url = \"%s/ready/{name}\"\n  }", g.timeout(), url))
}

// timeout returns the timeout of the readiness attachment in seconds: short if servers never get ready.
func (g gated) timeout() int {
	if g.hasty || strings.HasPrefix(g.image, "bad") {
		return 2
	}
	return 300
}

// gate is a cluster in a workspace of its own, with the counts of its applies.
type gate struct {
	*testing.T
	acctest.Loop
	gated
	url     string
	unwell  atomic.Bool // whether all nodes are unhealthy
	watched *acctest.Watched
	counted acctest.Tally // counts of all applies
	taken   int           // maximum number of servers that had served and that one apply destroyed or changed in place
	applies int
}

// start makes the cluster by one apply, as a pipeline does: no refresh has seen the result yet.
func (g *gate) start(t *testing.T, config gated) {
	t.Helper()
	g.T, g.gated = t, config
	c := acctest.NewFake(t, fakecloud.Config{})
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	health := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"+c.Prefix)
		servers := c.Servers(t)
		s, there := servers[name]
		if !there {
			s, there = servers[name+domain]
		}
		bad := !there || strings.HasPrefix(s.Metadata["version"], "bad")
		if bad || g.unwell.Load() && strings.HasPrefix(r.URL.Path, "/well/") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	_ = health.Listener.Close()
	health.Listener = listener
	health.Start()
	t.Cleanup(health.Close)
	g.url = "http://127.0.0.1" + health.URL[strings.LastIndex(health.URL, ":"):]
	g.more = strings.Replace(config.more, "PORT", health.URL[strings.LastIndex(health.URL, ":")+1:], 1)
	g.watched = c.Watch(t, "RegionOne", config.size, "RegionTwo")
	g.watched.Unmarked = config.unmarked
	g.Loop = acctest.Loop{Cloud: c, Workspace: c.Workspace(t, g.config(c, g.url))}
	g.apply()
	g.counted, g.taken, g.applies = acctest.Tally{Least: config.size, Of: config.size}, 0, 0
}

// apply applies the present configuration, and returns the output. It may fail: bad servers never get ready.
func (g *gate) apply(args ...string) string {
	g.Helper()
	require.NoError(g, g.Write(g.config(g.Cloud, g.url)))
	g.each(func(n int, region, id string) { // addresses for the health check
		g.Cloud.Fake.UpdateServer(region, id, func(s *fakecloud.Server) { s.Network, s.Address = true, fmt.Sprint("127.77.0.", n) })
	})
	g.watched.Restart() // changes made by hand do not count
	g.applies++
	text, err := g.Workspace.Run(g.Context(), append([]string{"apply", "-auto-approve", "-input=false", "-no-color"}, args...)...)
	if err != nil {
		text = err.Error()
	}
	n := g.watched.Restart()
	g.counted.Least, g.counted.Most = min(g.counted.Least, n.Least), max(g.counted.Most, n.Most)
	g.counted.Destroyed += n.Destroyed
	g.counted.Served += n.Served
	g.counted.Undrained += n.Undrained
	g.taken = max(g.taken, n.Served+n.Changed)
	return text
}

// times applies several times, and returns the last output.
func (g *gate) times(n int, args ...string) (last string) {
	g.Helper()
	for range n {
		last = g.apply(args...)
	}
	return last
}

// finish applies until nothing is left to do.
func (g *gate) finish() {
	g.Helper()
	acctest.Finish(g.T, func() string { return g.apply() })
	g.applies--
}

// imported takes the attachment out of the state and imports it again, as after a lost state.
func (g *gate) imported(more string) {
	g.Helper()
	id := fmt.Sprintf(`{"cluster": %q, "node_name_pattern": "{cluster}{index}"%s}`, g.Cloud.Prefix, more)
	for _, args := range [][]string{{"state", "rm"}, {"import", "-input=false", "-no-color"}} {
		if args = append(args, "stackpolicy_placement_attachment.web"); args[0] == "import" {
			args = append(args, id)
		}
		acctest.Must(g.T, g.Workspace, args...)
	}
}

// outage applies a new image three times while all nodes are unhealthy.
func (g *gate) outage() {
	g.Helper()
	g.unwell.Store(true)
	g.image = "b"
	g.times(3)
	assert.LessOrEqual(g, g.counted.Destroyed, 1, "servers that the outage cost")
	g.unwell.Store(false)
	g.finish()
}

// untouched applies a bad image three times without a refresh, and then the old image.
func (g *gate) untouched() {
	g.Helper()
	g.image = "bad"
	g.times(3, "-refresh=false")
	g.image = "a"
	g.finish()
}

// wiped applies a new image after somebody wiped all marks.
func (g *gate) wiped() {
	g.Helper()
	g.each(func(_ int, _, id string) { g.metadata(id, openstack.MarkKey, "") })
	g.image = "b"
	g.finish()
}

// stuck applies a new image four times, which never ends.
func (g *gate) stuck() {
	g.Helper()
	g.image = "b"
	g.times(4)
}

// corrected applies a working image after an image that Nova refused.
func (g *gate) corrected() {
	g.Helper()
	g.image = "b"
	g.finish()
}

// id returns the id of a server, by number.
func (g *gate) id(number int) string { return g.Cloud.Servers(g.T)[fmt.Sprint(number)].ID }

// each does something to the servers, by number.
func (g *gate) each(do func(number int, region, id string)) {
	g.Helper()
	for number, s := range g.Cloud.Servers(g.T) {
		i, err := strconv.Atoi(strings.TrimSuffix(number, domain))
		require.NoError(g, err)
		region := "RegionOne"
		if g.regions != "" && !slices.ContainsFunc(g.Cloud.In(g.T, region), func(in servers.Server) bool { return in.ID == s.ID }) {
			region = "RegionTwo"
		}
		do(i, region, s.ID)
	}
}

func (g *gate) metadata(id, key, value string) {
	g.Helper()
	g.Cloud.Fake.UpdateServer("RegionOne", id, func(s *fakecloud.Server) {
		if s.Metadata[key] = value; value == "" {
			delete(s.Metadata, key)
		}
	})
}

func (g *gate) status(id, status string) {
	g.Helper()
	g.Cloud.Fake.UpdateServer("RegionOne", id, func(s *fakecloud.Server) { s.Status = status })
}

const (
	wellness = "health {\n    grace = \"0s\"\n    http {\n      url = \"http://{address}:PORT/well/{name}\"\n    }\n  }"
	domain   = ".example.com" // suffix of servers' names that differ from the names of nodes
	slots    = "stateful {\n    on_removal = \"RETAIN\"\n  }"
)

// renamed gives the servers other names than their nodes have.
var renamed = [2]string{"= each.key", `= "${each.key}` + domain + `"`}

var gates = []struct {
	what   string
	start  gated
	then   func(g *gate)
	least  int // minimum number of servers in service
	most   int // maximum number of servers
	taken  int // maximum number of servers that had served and that one apply took
	lost   int // servers destroyed without the note of a drain, which a server in ERROR does not take
	images string
}{
	{what: "all nodes answer 503 before a refresh was stored, and a new image", start: gated{unseen: true, size: 4, image: "a", more: wellness},
		least: 4, most: 5, taken: 1, images: "b:4", then: (*gate).outage},
	{what: "the same with `RECREATE` and slots",
		start: gated{unseen: true, size: 3, image: "a", method: "RECREATE", more: slots + "\n" + wellness}, least: 2, most: 3, taken: 1,
		images: "b:3", then: (*gate).outage},
	{what: "the same after a growth that no refresh has seen", start: gated{size: 3, image: "a", more: wellness}, least: 5, most: 6, taken: 1, images: "b:5",
		then: func(g *gate) {
			g.size = 5
			g.watched.Resize(5)
			g.apply()
			g.counted.Least, g.counted.Of = 5, 5
			g.outage()
		}},
	{what: "all nodes answer 503, and a new image with `IN_PLACE`",
		start: gated{unseen: true, size: 3, image: "a", method: "IN_PLACE", more: wellness}, least: 2, most: 3, taken: 1, images: "b:3",
		then: (*gate).outage},
	{what: "the selector meets no server, and a new image with `RECREATE`",
		start: gated{size: 3, image: "a", method: "RECREATE", more: "selector {\n    metadata = { team = \"x\" }\n  }"}, least: 3, most: 3,
		images: "a:3", then: (*gate).stuck},
	{what: "Nova's list is empty once, and a new image with `RECREATE`", start: gated{size: 3, image: "a", method: "RECREATE", hasty: true}, least: 2, most: 3,
		taken:  1,
		images: "b:3", then: func(g *gate) {
			g.image = "b"
			empty := g.Cloud.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: "GET", Path: "/servers/detail", Times: fakecloud.Forever,
				Status: 200, Body: `{"servers": []}`})
			g.apply()
			empty.Remove()
			assert.NotZero(g, empty.Fired(), "the empty list was read")
			assert.Zero(g, g.counted.Destroyed, "servers that it cost")
			g.finish()
		}},
	{what: "two creations are refused, the next apply makes them, and a new image with `RECREATE` and `-refresh=false`",
		start: gated{size: 3, image: "a", method: "RECREATE"}, least: 4, most: 5, taken: 1, images: "b:5", then: func(g *gate) {
			g.size = 5
			g.watched.Resize(5)
			g.Cloud.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: "POST", Path: "/servers", Times: 2, Status: 403})
			g.apply()
			g.apply()
			g.counted.Least, g.counted.Of = 5, 5
			g.image = "b"
			g.apply("-refresh=false")
			g.finish()
		}},
	{what: "an older state comes back, with `RECREATE`", start: gated{size: 3, image: "a", method: "RECREATE"}, least: 2, most: 6, taken: 1,
		images: "a:3 b:3", then: func(g *gate) {
			path := filepath.Join(g.Dir, "terraform.tfstate")
			old, err := os.ReadFile(path)
			require.NoError(g, err)
			g.image = "b"
			g.finish()
			require.NoError(g, os.WriteFile(path, old, 0o600))
			destroyed := g.counted.Destroyed
			assert.Contains(g, g.apply(), "Servers are ahead of this state")
			g.apply()
			assert.Equal(g, destroyed, g.counted.Destroyed, "servers that were destroyed")
		}},
	{what: "a DELETE is refused once while nodes move for `PLACEMENT`", start: gated{size: 4, image: "a", causes: `"PLACEMENT"`, regions: "RegionOne: az-1"},
		least: 4, most: 6, taken: 1, images: "a:4", then: func(g *gate) {
			g.regions = "RegionOne: az-1 az-2"
			g.Cloud.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: "DELETE", Path: "/servers/*", Status: 403})
			g.finish()
			assert.Equal(g, 2, g.counted.Destroyed, "servers that moved")
		}},
	{what: "Nova refuses the first image, and the next works, with a batch of two",
		start: gated{unseen: true, size: 6, image: "missing", batch: "2"}, least: 0, most: 6, taken: 0, images: "b:6", then: (*gate).corrected},
	{what: "Nova refuses the first image, and the next works, with a batch of all",
		start: gated{unseen: true, size: 6, image: "missing", batch: "100%"}, least: 0, most: 6, taken: 0, images: "b:6", then: (*gate).corrected},
	{what: "Nova refuses the first image, and the next works, with `RECREATE` and a batch of two",
		start: gated{unseen: true, size: 6, image: "missing", batch: "2", method: "RECREATE"}, least: 0, most: 6, taken: 0, images: "b:6",
		then: (*gate).corrected},
	{what: "servers of an image get into service and die soon after, fifteen applies", start: gated{size: 4, image: "a"}, least: 3, most: 6, taken: 1, lost: 3,
		images: "a:3 b:1", then: func(g *gate) {
			g.image = "b"
			for range 15 {
				g.apply()
				g.each(func(_ int, _, id string) {
					if g.Cloud.Server(g.T, "RegionOne", id).Metadata["version"] == "b" {
						g.status(id, "ERROR")
					}
				})
			}
			assert.LessOrEqual(g, g.counted.Destroyed, 3, "servers that were destroyed")
		}},
	{what: "all servers are stopped before a refresh was stored, and a new image", start: gated{unseen: true, size: 3, image: "a", stopped: true},
		least: 0, most: 4, taken: 1, images: "b:3", then: func(g *gate) {
			g.each(func(_ int, _, id string) { g.status(id, "SHUTOFF") })
			g.image = "b"
			g.apply()
			g.each(func(_ int, _, id string) { g.status(id, "ACTIVE") })
			g.finish()
		}},
	{what: "somebody wipes all marks, and a new image with `RECREATE`",
		start: gated{unseen: true, size: 3, image: "a", method: "RECREATE"}, least: 2, most: 3, taken: 1, images: "b:3",
		then: (*gate).wiped},
	{what: "the same with `SUBSTITUTE`", start: gated{unseen: true, size: 3, image: "a"}, least: 3, most: 4,
		taken: 1, images: "b:3", then: (*gate).wiped},
	{what: "somebody writes a mark on one server, without a readiness attachment, and a new image with `RECREATE`",
		start: gated{unseen: true, size: 3, image: "a", method: "RECREATE", unmarked: true}, least: 2, most: 3, taken: 1, images: "b:3", then: func(g *gate) {
			g.metadata(g.id(0), openstack.MarkKey, "x")
			g.image = "b"
			g.finish()
		}},
	{what: "no readiness attachment, and a new image three times with `RECREATE`, then `require_in_service = false`",
		start: gated{size: 3, image: "a", method: "RECREATE", unmarked: true, update: "require_in_service = true"}, least: 2, most: 3, taken: 1, images: "b:3",
		then: func(g *gate) {
			g.image = "b"
			for range 3 { // whatever the method, no batch begins; only the first apply has news, and the state keeps it
				g.apply()
				shown := acctest.Must(g.T, g.Workspace, "state", "show", "-no-color", "stackpolicy_placement_attachment.web")
				assert.Contains(g, shown, "wiring: no readiness attachment marks the servers")
			}
			assert.Zero(g, g.counted.Destroyed)
			g.update = "require_in_service = false"
			g.finish()
		}},
	{what: "three applies of a bad image with `RECREATE` and `-refresh=false`, then the old image",
		start: gated{unseen: true, size: 3, image: "a", method: "RECREATE"}, least: 2, most: 3, taken: 1, images: "a:3", then: (*gate).untouched},
	{what: "the same with `IN_PLACE`", start: gated{unseen: true, size: 3, image: "a", method: "IN_PLACE"}, least: 2, most: 3, taken: 1, images: "a:3",
		then: (*gate).untouched},
	{what: "three `candidates` at once with `RECREATE`", start: gated{size: 3, image: "a", method: "RECREATE"}, least: 2, most: 3, taken: 1, images: "a:3",
		then: func(g *gate) {
			g.more = fmt.Sprintf("deletion {\n    candidates = [%q, %q, %q]\n  }", g.Cloud.Prefix+"0", g.Cloud.Prefix+"1", g.Cloud.Prefix+"2")
			g.finish()
			for _, method := range []string{"SUBSTITUTE", "RECREATE"} {
				g.method = method // conditions that are met stay met
				g.finish()
			}
			g.imported("")
			g.finish()
			assert.Equal(g, 3, g.counted.Destroyed, "servers that were made again")
		}},
	{what: "a candidate with `RECREATE` while another server is in ERROR", start: gated{size: 3, image: "a", method: "RECREATE"}, least: 2, most: 3, taken: 1,
		lost: 1, images: "a:3", then: func(g *gate) {
			g.status(g.id(2), "ERROR")
			g.more = fmt.Sprintf("deletion {\n    candidates = [%q]\n  }", g.Cloud.Prefix+"0")
			g.finish()
		}},
	{what: "from three nodes to one, with a new image and `RECREATE`, in one change", start: gated{size: 3, image: "a", method: "RECREATE"}, least: 0, most: 3,
		taken: 1, images: "b:1", then: func(g *gate) {
			g.size, g.image = 1, "b"
			g.watched.Resize(1)
			g.counted.Least = 1
			g.apply()
			require.Equal(g, "a:1", g.Cloud.Versions(g.T), "the one that stays")
			g.counted.Least, g.counted.Of, g.taken = 1, 1, 0
			g.finish()
		}},
	{what: "`SUBSTITUTE` becomes `RECREATE` together with a new image", start: gated{size: 3, image: "a"}, least: 2, most: 3, taken: 1, images: "b:3",
		then: func(g *gate) {
			g.method, g.image = "RECREATE", "b"
			assert.Contains(g, g.apply(), "the update begins with the next apply")
			assert.Equal(g, "a:3", g.Cloud.Versions(g.T), "after the first apply")
			g.finish()
		}},
	{what: "`stateful` is switched on together with a new image", start: gated{size: 3, image: "a", method: "RECREATE"}, least: 2, most: 3, taken: 1,
		images: "b:3", then: func(g *gate) {
			g.more, g.image = slots, "b"
			assert.Contains(g, g.apply(), "the update begins with the next apply")
			assert.Equal(g, "a:3", g.Cloud.Versions(g.T), "after the first apply")
			g.finish()
		}},
	{what: "the attachment leaves the state, with `RECREATE` and slots, and is imported",
		start: gated{unseen: true, size: 3, image: "a", method: "RECREATE", more: slots}, least: 2, most: 3, taken: 1, images: "b:3",
		then: func(g *gate) {
			g.image = "b"
			g.finish() // the generations are 2 now
			g.counted.Destroyed = 0
			g.imported("")
			g.finish()
			assert.Zero(g, g.counted.Destroyed, "servers that were made again")
		}},
	{what: "the same in the middle of a rollout, with the former template in the import id", start: gated{size: 3, image: "a", method: "RECREATE"}, least: 2,
		most: 3, taken: 1, images: "b:3", then: func(g *gate) {
			g.image = "b"
			g.apply()
			g.imported(`, "templates": [{"version": "a"}]`)
			g.finish()
			assert.Equal(g, 3, g.counted.Destroyed, "servers that were made again")
		}},
	{what: "the attachment is imported when one server of four has a mark, and a new image", start: gated{size: 4, image: "a"}, least: 4, most: 5, taken: 1,
		images: "b:4", then: func(g *gate) {
			g.each(func(i int, _, id string) {
				if i > 0 {
					g.metadata(id, openstack.MarkKey, "")
				}
			})
			g.imported("")
			g.finish()
			g.image = "b"
			g.finish()
		}},
	{what: "half of a rollout with `pause = \"1h\"` is taken back at once", start: gated{size: 4, image: "a", update: "pause = \"1h\""}, least: 4, most: 5,
		taken: 1, images: "a:4", then: func(g *gate) {
			g.image = "b"
			for range 2 {
				g.apply()
				g.Cloud.Fake.Advance(2 * 3600e9)
			}
			g.image = "a"
			g.times(2)
			assert.Equal(g, "a:4", g.Cloud.Versions(g.T), "after two applies")
		}},
	{what: "all marks are wiped, and notes of waits that failed are forged, in the middle of a rollout",
		start: gated{size: 3, image: "a"}, least: 3, most: 4, taken: 1, images: "b:3", then: func(g *gate) {
			g.image = "b"
			g.times(2)
			g.Cloud.Fake.Advance(2 * 3600e9)
			g.each(func(_ int, _, id string) {
				s := g.Cloud.Server(g.T, "RegionOne", id)
				g.metadata(id, openstack.MarkKey, "")
				g.metadata(id, openstack.NotInServiceAtKey, "7-deadbeef "+s.Created.Add(time.Hour).UTC().Format(time.RFC3339))
			})
			g.finish()
			g.each(func(_ int, _, id string) { // notes with the nodes' present marks
				s := g.Cloud.Server(g.T, "RegionOne", id)
				g.metadata(id, openstack.NotInServiceAtKey, s.Metadata[openstack.MarkKey]+" "+s.Created.Add(time.Hour).UTC().Format(time.RFC3339))
				g.metadata(id, openstack.MarkKey, "")
			})
			g.Cloud.Fake.Advance(2 * 3600e9)
			g.finish()
		}},
	{what: "a mark is from the year 9999, with `pause`", start: gated{size: 3, image: "a", update: "pause = \"1h\""}, least: 3, most: 4, taken: 1,
		images: "b:3", then: func(g *gate) {
			g.image = "b"
			g.apply()
			g.each(func(_ int, _, id string) { g.metadata(id, openstack.InServiceAtKey, "9999-01-01T00:00:00Z") })
			for range 3 {
				g.Cloud.Fake.Advance(2 * 3600e9)
				assert.Contains(g, g.apply(), "Marks are from the future")
			}
		}},
	{what: "a region is closed while a bad batch is open in it, then the old image",
		start: gated{size: 4, image: "a", hasty: true, regions: "RegionOne: az-1 az-2; RegionTwo: az-1 az-2"}, least: 4, most: 5, taken: 1, images: "a:4",
		then: func(g *gate) {
			g.image = "bad"
			g.apply()
			g.closed, g.image = "RegionTwo", "a"
			require.Contains(g, g.Cloud.Versions(g.T), "bad", "a bad batch")
			g.finish() // a closed region is not waited for
			g.closed = ""
			g.finish()
		}},
}

// TestAccGate: no apply of a row takes more than its batch.
func TestAccGate(t *testing.T) {
	for i, c := range gates {
		t.Run(c.what, func(t *testing.T) {
			runs.In(t, runs.Some(i%16 == 0, runs.Sweep, runs.Night))
			t.Parallel()
			g := &gate{}
			g.start(t, c.start)
			if !c.start.unseen {
				g.apply()
			}
			c.then(g)
			n := g.counted
			if n.Least < c.least || n.Most > c.most || g.taken > c.taken || n.Undrained > c.lost || g.Cloud.Versions(g.T) != c.images {
				t.Errorf("in service %d of %d, %d servers, one apply took %d, %d not drained, in the end %s, want %d, %d, %d, %d and %s",
					n.Least, n.Of, n.Most, g.taken, n.Undrained, g.Cloud.Versions(g.T), c.least, c.most, c.taken, c.lost, c.images)
			}
			n.Row(t, "Whatever comes together", c.what, g.applies, *update)
		})
	}
}
