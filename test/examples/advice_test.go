package examples_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Guides whose configurations meet warnings, by their features.
const (
	rolling  = "rolling-out-an-image"
	stateful = "stateful-nodes"
	tryIt    = "try-it-without-a-cloud"
	workers  = "kubernetes-workers/command"
	policy   = "policy-as-code"
	balancer = "behind-a-load-balancer"
	scaling  = "autoscaling"
	regions  = "several-regions/one-login"
	senlin   = "from-senlin"
)

var (
	substitutes = []string{rolling, tryIt, workers, policy} // replace nodes by others
	updates     = append([]string{stateful}, substitutes...)
	capped      = []string{stateful, rolling, tryIt, workers} // pass a cap on
	readiness   = []string{rolling, tryIt, workers, balancer} // and with create_before_destroy
	plain       = []string{balancer, scaling, regions, "hooks/webhook", "keeping-nodes/before", "quotas", "what-happens-when"}
)

// advised is a warning whose advice is another configuration: the guides in which it can occur, how it occurs there,
// and how the advice is followed.
type advised struct {
	title        string
	guides       []string
	meet, follow func(*guide)
}

// guide is a running configuration of a guide.
type guide struct {
	example
	t         *testing.T
	name      string
	variables map[string]string
	said      string // output of all plans and applies
	runs      *serving
}

// begin applies the configuration of a guide, with three nodes.
func begin(t *testing.T, name string) *guide {
	t.Helper()
	g := &guide{example: startOn(t, acctest.NewFake(t, fakecloud.Config{}), "guides/"+name), t: t, name: name,
		runs: &serving{broken: "none", by: map[string]int{}}}
	for _, region := range g.c.Regions(t) {
		g.c.Fake.Watch(region, func(list []fakecloud.Server) { g.runs.see(region, list) })
	}
	g.variables = map[string]string{}
	if strings.Contains(g.text(), `variable "size"`) {
		g.set("size", "3")
	}
	healthy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(healthy.Close)
	network, _ := g.c.Network(t, "RegionOne")
	_, kubectl := kube(t)
	_, drain := acctest.StartConsumer(t, 0)
	g.Env = slices.Concat(g.Env, joining, kubectl, []string{
		"TF_VAR_network_id=" + network, "TF_VAR_health_url=" + healthy.URL + "/{name}", "TF_VAR_pool_id=" + g.c.Pool(t, "RegionOne"),
		"TF_VAR_drain_url=" + drain,
	})
	switch name { // one node at a time, and without long waits
	case rolling:
		g.edit(t, "= 9", "= 3")
		fallthrough
	case tryIt:
		g.edit(t, "max_batch_size = 2", "max_batch_size = 1")
	case policy:
		g.set("max_batch_size", "1")
	case balancer:
		g.edit(t, `"1m"`, `"1s"`)
		g.edit(t, `"10s"`, `"1s"`)
	}
	g.finish()
	g.said = ""
	return g
}

// set sets a variable.
func (g *guide) set(name, value string) { g.variables[name] = value }

// run runs terraform with the variables.
func (g *guide) run(command ...string) string {
	g.t.Helper()
	args := slices.Concat(command, []string{"-input=false", "-no-color"})
	for name, value := range g.variables {
		args = append(args, "-var="+name+"="+value)
	}
	text := acctest.Must(g.t, g.Workspace, args...)
	g.said += text
	return text
}

// apply applies once.
func (g *guide) apply() string { return g.run("apply", "-auto-approve") }

// finish applies until nothing is left, and returns the output of the last apply.
func (g *guide) finish() (last string) {
	g.t.Helper()
	acctest.Finish(g.t, func() string {
		last = g.apply()
		return last
	})
	return last
}

// other sets another image.
func (g *guide) other() {
	g.set("image", map[string]string{"": "debian-13", "debian-13": "debian-12", "debian-12": "debian-13"}[g.variables["image"]])
}

// text returns the configuration.
func (g *guide) text() string {
	g.t.Helper()
	return read(g.t, filepath.Join(g.Dir, "main.tf"))
}

// in puts a line into a block of the placement attachment.
func (g *guide) in(block, line string) {
	g.t.Helper()
	if !strings.Contains(g.text(), "\n  "+block+" {\n") {
		g.edit(g.t, `"web"`+"\n  desired", `"web"`+"\n  "+block+" {\n  }\n  desired")
	}
	g.edit(g.t, "\n  "+block+" {\n", "\n  "+block+" {\n    "+line+"\n")
}

// zones replaces the zones of RegionOne.
func (g *guide) zones(list string) {
	g.t.Helper()
	if g.name == policy {
		g.set("zones", "["+list+"]")
		return
	}
	g.edit(g.t, regexp.MustCompile(`\[\{ name = "az-1".*?\}\]`).FindString(g.text()), "["+list+"]")
}

const (
	at  = "stackpolicy_readiness_attachment."
	az1 = `{ name = "az-1" }`
	az2 = `{ name = "az-2" }`
	az3 = `{ name = "az-3" }`
)

// change changes servers, by name.
func (g *guide) change(change func(*fakecloud.Server), names ...string) {
	g.t.Helper()
	for _, region := range g.c.Regions(g.t) {
		for _, s := range g.c.In(g.t, region) {
			if slices.Contains(names, s.Name) {
				g.c.Fake.UpdateServer(region, s.ID, change)
			}
		}
	}
}

// newest returns the name of the newest server.
func (g *guide) newest() (name string) {
	g.t.Helper()
	var made time.Time
	for _, s := range g.c.AllServers(g.t) {
		if !s.Created.Before(made) {
			name, made = s.Name, s.Created
		}
	}
	return name
}

func broken(s *fakecloud.Server)   { s.Status = "ERROR" }
func stopped(s *fakecloud.Server)  { s.Status = "SHUTOFF" }
func unmarked(s *fakecloud.Server) { s.Metadata = nil }
func homeless(s *fakecloud.Server) {
	s.Status, s.Fault = "ERROR", "No valid host was found. There are not enough hosts available."
}

// advice lists the warnings that advise another configuration.
var advice = []advised{
	{"A batch waits for the one before", updates, func(g *guide) {
		g.other()
		g.apply()
		g.change(stopped, g.newest())
	}, (*guide).other},
	{"Too many nodes are unhealthy to replace them", updates, func(g *guide) {
		g.change(broken, "web-0", "web-1")
	}, func(g *guide) { g.in("update", `stop_above = "100%"`) }},
	{"No room for a replacement", []string{rolling, workers}, func(g *guide) {
		g.zones(`{ name = "az-1" }, { name = "az-2", cap = 1 }, { name = "az-3", cap = 1 }`)
		g.change(homeless, "web-0")
	}, func(g *guide) { g.zones(az1 + ", " + az2 + ", " + az3) }},
	{"Nodes wait for a host", []string{stateful}, func(g *guide) { g.change(homeless, "web-1") }, func(g *guide) {
		g.in("deletion", `candidates = ["web-1"]`)
		g.set("size", "2")
		g.finish()
		g.edit(g.t, `candidates = ["web-1"]`, "")
		g.set("size", "3")
	}},
	{"Nodes are not made a third time", []string{stateful, rolling, tryIt, workers}, func(g *guide) {
		g.grow()
		g.apply()
		g.change(broken, g.newest())
		g.apply()
		g.change(broken, g.newest())
	}, (*guide).other},
	{"The first template is taken for what all nodes were made from", plain, func(g *guide) {
		g.template(`"debian-13"`)
	}, func(g *guide) { g.edit(g.t, `"debian-13"`, `"debian-12"`) }},
	{"A missing argument", []string{balancer}, func(g *guide) {
		g.in("update", `max_batch_size = 1`)
		g.in("update", `causes = ["TEMPLATE"]`)
	}, func(g *guide) { g.template(`"debian-12"`) }},
	{"A candidate is not there", []string{balancer, scaling, stateful, "hooks/webhook"}, func(g *guide) { g.candidates(`["web-9"]`) },
		func(g *guide) { g.candidates(`[]`) }},
	{"A protected node is not there", []string{balancer, scaling, stateful, "hooks/webhook"}, func(g *guide) { g.in("deletion", `protected = ["web-9"]`) },
		func(g *guide) { g.edit(g.t, `protected = ["web-9"]`, "") }},
	{"Kept slots wait for their places", []string{stateful}, func(g *guide) {
		g.set("size", "1")
		g.finish()
		g.zones(`{ name = "az-1" }, { name = "az-2", closed = true }, { name = "az-3" }`)
		g.set("size", "3")
	}, func(g *guide) { g.apply(); g.set("release", `["web-1"]`) }},
	{"A slot to release is not there", []string{stateful}, func(g *guide) {
		g.set("size", "2")
		g.finish()
		g.set("release", `["web-2"]`)
		g.finish()
	}, func(g *guide) { g.set("release", `[]`) }},
	{"Servers have the names that come next", []string{regions, rolling, tryIt, stateful}, func(g *guide) {
		g.c.Fake.AddServers("RegionOne", fakecloud.Server{Name: "web-3", Zone: "az-1"})
		g.grow()
	}, func(g *guide) {
		g.edit(g.t, `"web"`+"\n  desired", `"web"`+"\n  node_name_pattern = \"node-{index}\"\n  desired")
	}},
	{"Places are full", substitutes, func(g *guide) { g.change(homeless, "web-0") }, func(g *guide) { g.c.Fake.Advance(time.Hour) }},
	{"A place with nodes is no longer listed", append([]string{regions}, updates...), func(g *guide) { g.zones(az1 + ", " + az3) }, (*guide).move},
	{"More nodes than the cap", append([]string{regions}, capped...), func(g *guide) {
		g.zones(az1 + `, { name = "az-2", cap = 0 }, ` + az3)
	}, (*guide).move},
	{"A place is below its min", []string{policy}, func(g *guide) { g.zones(`{ name = "az-1", min = 5 }`) }, func(g *guide) {
		g.zones(`{ name = "az-1", min = 1 }`)
	}},
	{"A quota has no room for new servers next to the old ones", []string{tryIt}, func(g *guide) {
		g.c.Room(g.t, "RegionOne", 1)
		g.c.Room(g.t, "RegionTwo", 1)
		g.edit(g.t, "max_batch_size = 1", "max_batch_size = 3")
		g.other()
	}, func(g *guide) { g.edit(g.t, "max_batch_size = 3", "max_batch_size = 1") }},
	{"Servers are no longer waited for", append([]string{stateful}, readiness...), func(g *guide) {
		g.change(unmarked, "web-0")
		g.run("apply", "-refresh-only", "-auto-approve")
		g.edit(g.t, `"stackpolicy_readiness_attachment" "`, `"stackpolicy_readiness_attachment" "new_`)
	}, func(g *guide) {
		for _, name := range []string{"web", "worker"} {
			if strings.Contains(g.text(), "\"new_"+name+`" {`) {
				g.file(g.t, "moved.tf.json", map[string]any{"moved": map[string]string{"from": at + name, "to": at + "new_" + name}})
			}
		}
	}},
	{"The health of nodes is not known", []string{tryIt}, func(g *guide) {
		g.c.Fake.Advance(time.Hour)
		g.set("health_url", "http://127.0.0.1:1/{name}")
		g.apply()
	}, func(g *guide) { delete(g.variables, "health_url") }},
	{"The server group is gone", []string{senlin}, func(g *guide) {
		for _, group := range g.c.Fake.ServerGroups("RegionOne") {
			g.c.Fake.RemoveServerGroup("RegionOne", group.ID)
		}
		g.edit(g.t, "ignore_changes = [scheduler_hints]", "")
	}, (*guide).ignore},
	{"The server group changes", []string{senlin}, func(g *guide) {
		writePolicy(g.t, g.Dir, "affinity", "servergroup: {name: web, policies: anti-affinity}")
		g.edit(g.t, "ignore_changes = [scheduler_hints]", "")
	}, (*guide).ignore},
	{"The count is above the cluster's size", []string{senlin}, func(g *guide) { g.edit(g.t, "count = 2", "count = 9") }, func(g *guide) {
		g.edit(g.t, "count = 9", "count = 2")
	}},
}

// ignore ignores changes of the servers' groups.
func (g *guide) ignore() {
	g.edit(g.t, "  lifecycle {\n    \n", "  lifecycle {\n    ignore_changes = [scheduler_hints]\n")
}

// grow adds a node.
func (g *guide) grow() {
	if g.name == rolling {
		g.edit(g.t, "= 3", "= 4")
		return
	}
	g.set("size", "4")
}

// candidates names nodes to remove.
func (g *guide) candidates(list string) {
	if g.name == balancer {
		g.set("candidates", list)
		return
	}
	line := "candidates = " + list
	if text := g.text(); strings.Contains(text, "    candidates = ") {
		g.edit(g.t, regexp.MustCompile("candidates = .*").FindString(text), line)
		return
	}
	g.in("deletion", line)
}

// template gives the plain configuration its first template.
func (g *guide) template(image string) {
	g.edit(g.t, "\n  desired_capacity", "\n  template = { image = "+image+" }\n  desired_capacity")
	g.edit(g.t, regexp.MustCompile(`image_name +=.*`).FindString(g.text()), "image_name = each.value.template.image")
}

// move lets an update move nodes, which a stateful cluster does not allow.
func (g *guide) move() {
	switch g.name {
	case stateful:
		g.set("size", "2")
	case regions:
		g.in("update", `causes = ["PLACEMENT"]`)
		g.in("update", `max_batch_size = 1`)
		g.in("update", `require_in_service = false`)
		g.edit(g.t, "  network {", "  lifecycle {\n    create_before_destroy = true\n  }\n  network {")
	default:
		g.edit(g.t, regexp.MustCompile(`causes +=.*`).FindString(g.text()), `causes = ["UNHEALTHY", "TEMPLATE", "PLACEMENT"]`)
	}
}

// others lists the warnings that no guide's configuration follows, with the reason, or with the test that follows one
// elsewhere. A hold has a test.
var others = map[string]string{
	"Servers will be drained":                  "TestAccPlacementDrains",
	"Generations are guesses":                  "an import id: TestPlacementAdoptsGenerations",
	"Nodes carry the mark of another template": "an import id: TestPlacementAdopts",

	"Ignored in favour of clouds.yaml":           "a guide's provider block names at most a cloud",
	"Insecure hook":                              "a guide's hook has https",
	"Protected candidate":                        "no guide names nodes in a deletion plan",
	"Scheduler hints without effect":             "no guide gives an affinity attachment hints",
	"The group gets more members than its quota": "no guide has an affinity plan",
	"Too few hosts for the group":                "no guide has an affinity plan",
	"The server group of the selector is gone":   "no guide has a selector",
	"The server group stays":                     "no guide has two attachments of a group",

	"ACTIVE is taken for service":                           "a line: TestForgotten",
	"A lifecycle hook did not complete":                     "the consumer",
	"A node has lost its server":                            "it is made again",
	"A closed place loses nodes":                            "no guide has a plan of a closed place",
	"A quota binds":                                         "the cloud",
	"Availability zone skipped":                             "the cloud",
	"Marks are from the future":                             "metadata",
	"Region skipped":                                        "the cloud",
	"Servers are ahead of this state":                       "TestStatuses",
	"Several servers have the name of one node":             "a server",
	"The node was not drained in full":                      "the consumer",
	"Disks are kept":                                        "TestHangsOnTaken",
	"Disks are larger":                                      "an argument",
	"The place of the node takes no nodes":                  "an argument",
	"Unable to look up volumes":                             "the cloud",
	"The server group had members":                          "nothing",
	"There is nothing to drain":                             "nothing",
	"Servers belong to no node":                             "a server",
	"Servers are there that this plan makes again":          "a server",
	"Kept servers leave the cluster":                        "the plan",
	"Servers are still not in service":                      "an apply: TestAwaited",
	"The servers do not follow the %s of their nodes":       "a line: TestAccWires",
	"Servers were destroyed before others took their place": "refused before, where nodes are drained",
	"A bound changes the size":                              "nothing, or the bound",
	"An import of servers removes their metadata":           "an import",
	"The availability zone is down":                         "the cloud",
	"The cluster waits for a value":                         "an apply",
	"The image is gone":                                     "the cloud",
	"Unable to look up images and flavors":                  "the cloud",
}

// refusals are the errors of plans and applies, each with the test that takes its way out to an empty plan or to the
// next batch. A test of examples does so with both modules where they can meet it.
var refusals = map[string]string{
	"A drain would begin too early":             "TestForgotten",
	"Nodes and servers do not match":            "TestForgotten",
	"Nodes are not waited for":                  "TestAccWires",
	"Nodes of another cluster":                  "TestAccWires",
	"Servers are not in service":                "TestCorrected",
	"Servers change outside of the batch":       "TestWaysOut",
	"Servers of this cluster are there already": "TestAccExample_restore",
	"Servers that stay would be drained":        "TestAccWires",
	"The servers do not follow their nodes":     "TestForgotten",
	"The wait for new servers was interrupted":  "TestInterrupted",
	"Two attachments give the same names":       "TestAccWires",

	"Nova cannot stop the server":  "TestAccNotStopped",
	"The server is locked":         "TestDrainFails",
	"Too few nodes can be removed": "TestPlacementRefuses",

	"A server in ERROR cannot be checked": "TestNoAddress",
	"No substitute can be made now":       "TestNumber",
	"Too many servers would be made":      "TestNumber",

	"A look did not find servers":     "TestWhole",
	"A port is still in use":          "TestModuleTaint",
	"A slot to release is in use":     "TestPlacementRefuses",
	"A disk becomes smaller":          "TestHangsOnTaken",
	"A slot has one server at a time": "TestStatefulMakesFirst",
	"Slots are kept without stateful": "TestPlacementRefuses",
	"The template is gone":            "TestPlacementRefuses",

	"All places are closed":       "TestPlacementPlaces",
	"Not known before the apply":  "TestPlacementUnknownAt",
	"Unable to adopt the cluster": "TestPlacementAdopts",

	"No suitable vSphere host is available.": "TestDRSStays",
	"Only an admin sees hypervisors":         "TestRefused",
	"Several server groups have the name":    "TestRefused",
	"The server group has other rules":       "TestRefused",
	"The server group is another project's":  "TestForeign",
	"The vSphere host is in another zone":    "TestDRSZone",
}

// arguments matches the errors of an argument: another value is the way out, see TestCorrected. A request that failed
// is repeated by the next apply: TestFaultSweep.
var (
	arguments = regexp.MustCompile(`^(Invalid|Unknown|Unusable|Empty|Contradictory|Given twice|Null|Regions and|Size|A missing|A region without|` +
		`Node (given|without)|No (places|moves|substitutes|availability|region|such slot)|Not (a whole|enough)|` +
		`Nothing (says|to release)|Several networks|Too few addresses|The (%s is|min is|pool has another)|A mark of no)`)
	requests = regexp.MustCompile(`^Unable to `)
)

const titled = `\(\s*(?:(?:[\w.]+|[\w.]+\([^()]*(?:\([^()]*\))?[^()]*\)(?:\.\w+\([^()]*\))*),\s*)?(?:fmt\.Sprintf\()?"([^"]+)"`

var (
	warnings = regexp.MustCompile(`Add(?:Attribute)?Warning` + titled)
	errs     = regexp.MustCompile(`Add(?:Attribute)?Error` + titled + `|ArgumentError\{(?:"?[\w.]+"?|\[\]string\{.+?\}),\s*"([^"]+)"`)
	notices  = regexp.MustCompile(`\b(?:Title: +|tell\(|notice\()"([^"]+)"`)
	tests    = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// TestAdviceOfAll: each warning, error and hold of the provider is in one of the tables, and the tables have no other.
// Each refusal and each hold has a test that takes its way out.
func TestAdviceOfAll(t *testing.T) {
	t.Parallel()
	said, refused, holds, known := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	there := map[string]bool{}
	for _, folder := range []string{"*", "roster/*", "provider/*", "provider", "../test/examples"} {
		files, err := filepath.Glob("../internal/" + folder + "/*.go")
		require.NoError(t, err)
		require.NotEmpty(t, files, folder)
		for _, file := range files {
			text := read(t, file)
			if strings.HasSuffix(file, "_test.go") {
				for _, m := range tests.FindAllStringSubmatch(text, -1) {
					there[m[1]] = true
				}
				continue
			}
			if !strings.Contains(file, "roster/") && !strings.Contains(file, "provider") && !strings.Contains(file, "wiring") &&
				!strings.Contains(file, "affinity") {
				continue
			}
			titles := notices.FindAllStringSubmatch(text, -1)
			for _, m := range append(titles, warnings.FindAllStringSubmatch(text, -1)...) {
				said[m[1]] = true
				holds[m[1]] = holds[m[1]] || strings.Contains(file, "roster/hold")
			}
			if !strings.Contains(file, "wiring/planned") {
				titles = nil
			}
			for _, m := range append(titles, errs.FindAllStringSubmatch(text, -1)...) {
				refused[m[1]+strings.Join(m[2:], "")] = true
			}
		}
	}
	for _, a := range advice {
		assert.False(t, known[a.title] || others[a.title] != "", "%q is there twice", a.title)
		known[a.title] = true
	}
	for title, test := range others {
		known[title] = true
		assert.True(t, !holds[title] || there[test], "no test takes the way out of %q", title)
	}
	for title, test := range refusals {
		assert.True(t, there[test], "no test takes the way out of %q", title)
		assert.True(t, refused[title], "the provider never refuses with %q", title)
	}
	for title := range refused {
		assert.True(t, known[title] || refusals[title] != "" || arguments.MatchString(title) || requests.MatchString(title), "%q has no way out", title)
	}
	for title := range said {
		assert.True(t, known[title] || refused[title], "the tables have nothing of %q", title)
	}
	for title := range known {
		assert.True(t, said[title], "the provider never says %q", title)
	}
}

// TestAdvice causes each warning in each guide in which it can occur, and follows its advice to the end: nothing is
// left to plan, the warning is gone, and at no time do fewer servers run than before. Without a readiness attachment,
// and with RECREATE, a batch of one is out of service.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for _, a := range advice {
		for i, name := range a.guides {
			t.Run(a.title+"/"+name, func(t *testing.T) {
				runs.In(t, runs.Some(i == 0 && (name == rolling || a.title == advice[0].title), runs.Sweep, runs.Night))
				t.Parallel()
				g := begin(t, name)
				a.meet(g)
				g.run("plan")
				require.Regexp(t, acctest.Says(a.title), g.said, "not met")
				before := g.runs.begin()
				a.follow(g)
				assert.NotRegexp(t, acctest.Says(a.title), g.finish(), "the advice was followed, and it is said again")
				fewest := g.runs.least()
				least := min(before, g.runs.begin())
				if !slices.Contains(readiness, name) {
					least-- // one server of a batch
				}
				assert.GreaterOrEqual(t, fewest, least, "servers that ran")
				if name == stateful {
					assert.NotRegexp(t, "create_before_destroy|PLACEMENT", g.said, "a warning advises what stateful nodes rule out")
				}
				for _, s := range g.c.AllServers(t) {
					assert.Equal(t, "ACTIVE", s.Status, s.Name)
				}
			})
		}
	}
}
