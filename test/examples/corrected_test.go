//go:build unix

package examples_test

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mistakes are what people get wrong, in the configuration or in the cloud.
var mistakes = []struct {
	name, argument, wrong, right string
	planned                      bool // whether the plan refuses it
	happens                      func(l *life, right bool)
}{
	{"image", "image", `"none-such"`, `"debian-12"`, true, nil},
	{"flavor", "flavors", `["none-such"]`, `["m1.small"]`, true, nil},
	{"a list of flavors", "flavors", `["m1.small", "none-such"]`, `["m1.small", "m1.tiny"]`, true, nil},
	{"a zone's flavor", "regions", `[{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2", flavors = ["none-such"] }] }]`,
		`[{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2", flavors = ["m1.tiny"] }] }]`, true, nil},
	{"key pair", "key_pair", `"none-such"`, `"ops"`, false, nil},
	{"network", "networks", `["none-such"]`, `["shared"]`, true, nil},
	{"volume type", "disks", `{ root = { size = 1, type = "none-such", boot = true } }`, `{ root = { size = 1, boot = true } }`, false, nil},
	{"quota", "", "", "", false, func(l *life, right bool) {
		quota := l.size - 1
		if right {
			quota = 3 * l.size
		}
		l.c.Fake.SetQuota("RegionOne", fakecloud.MemberProjectID, "instances", quota)
	}},
	{"silent image", "", "", "", false, func(l *life, right bool) {
		l.known.Store(nil)
		if before := l.ids(); !right {
			l.known.Store(&before)
		}
	}},
}

// TestCorrected: a mistake ends with its correction. After one apply each node serves that never did, the apply
// has cost no server in service, and the plan is empty once nothing is left.
func TestCorrected(t *testing.T) {
	t.Parallel()
	for k, folder := range []string{"clusters/first", "clusters/database"} {
		for i, m := range mistakes {
			for j, moment := range []string{"creation", "creation, twice", "growth", "rollout"} {
				t.Run(fmt.Sprintf("%s, %s, %s", path.Base(folder), m.name, moment), func(t *testing.T) {
					runs.In(t, runs.Some((i+j+k)%9 == 8, runs.Sweep, runs.Night))
					t.Parallel()
					l := &life{example: startOn(t, acctest.NewFake(t, fakecloud.Config{}), folder), size: 3}
					l.c.Fake.AddKeyPairs("RegionOne", "ops")
					health := httptest.NewServer(l)
					t.Cleanup(health.Close)
					l.watched = map[string]*acctest.Watched{"RegionOne": l.c.Watch(t, "RegionOne", l.size)}
					text := strings.ReplaceAll(read(t, filepath.Join(l.Dir, "main.tf")), ", cap = 3", "")
					l.file(t, "main.tf", strings.ReplaceAll(text, ", zone = \"nova\"", ""))
					l.set(t, "readiness", `{ url = "`+health.URL+`/{name}", timeout = "4s" }`)
					l.correct(t, m.argument, m.wrong, m.right, m.happens, moment, m.planned)
				})
			}
		}
	}
}

// ids are the ids of the servers.
func (l *life) ids() []string {
	var ids []string
	for _, s := range l.c.Fake.Servers("RegionOne") {
		ids = append(ids, s.ID)
	}
	return ids
}

// correct makes a mistake at a moment, and corrects it.
func (l *life) correct(t *testing.T, argument, wrong, right string, happens func(*life, bool), moment string, planned bool) {
	t.Helper()
	write := func(is bool) {
		switch {
		case argument != "":
			l.set(t, argument, map[bool]string{true: right, false: wrong}[is])
		default:
			happens(l, is)
		}
		l.set(t, "desired_capacity", fmt.Sprint(l.size))
	}
	var before map[string]string
	if !strings.HasPrefix(moment, "creation") {
		write(true)
		acctest.Apply(t, l.Workspace)
		before = l.servers(t)
		switch moment {
		case "growth":
			l.size += 2
		default:
			l.set(t, "config_drive", "true")
		}
	}
	write(false)
	for range 1 + strings.Count(moment, "twice") {
		_, err := l.Apply(t.Context())
		require.Error(t, err)
		assert.Equal(t, planned, len(l.servers(t)) == len(before) && strings.Contains(err.Error(), "none-such") && strings.Contains(err.Error(), "Unknown"),
			"%v", err)
	}
	write(true)
	acctest.Apply(t, l.Workspace)
	after := l.servers(t)
	if moment != "rollout" {
		assert.Len(t, after, l.size, "servers after one apply")
		assert.Empty(t, l.planned(t), "the next plan")
		maps.DeleteFunc(before, func(name, id string) bool { return after[name] == id })
		assert.Empty(t, before, "servers that left")
	}
	acctest.Finish(t, func() string { return acctest.Apply(t, l.Workspace) })
	assert.Len(t, l.servers(t), l.size, "servers in the end")
	tally := l.watched["RegionOne"].Restart()
	assert.Zero(t, tally.Undrained, "%+v", tally)
}

// TestWaysOut: what pages and errors advise ends in a cluster in service, with both modules. Each way begins with three nodes.
func TestWaysOut(t *testing.T) {
	t.Parallel()
	const more, tainted = "  cluster          =", `module.web.openstack_compute_instance_v2.node["web-2"]`
	for _, module := range []string{"cluster", "stateful"} {
		for i, w := range []struct {
			name  string
			wrong func(t *testing.T, e example)
			way   func(t *testing.T, e example)
		}{
			{"a node in ERROR, no cause UNHEALTHY: candidates", func(t *testing.T, e example) {
				t.Helper()
				e.edit(t, more, "  update           = { causes = [\"TEMPLATE\"] }\n"+more)
				e.c.Reset(t, "RegionOne", e.servers(t)["web-1"])
				assert.NotContains(t, acctest.Apply(t, e.Workspace), "leaves", "by itself")
			}, func(t *testing.T, e example) {
				t.Helper()
				e.edit(t, more, "  deletion         = { candidates = [\"web-1\"] }\n"+more)
			}},
			{"a taint beside a batch: untaint", func(t *testing.T, e example) {
				t.Helper()
				e.edit(t, `"debian-12"`, `"debian-13"`)
				_, err := e.Run(t.Context(), "plan", "-input=false", "-no-color", "-replace="+tainted)
				require.Error(t, err)
				assert.Regexp(t, acctest.Says("leave -replace out"), err.Error())
				acctest.Must(t, e.Workspace, "taint", tainted)
				e.fails(t, "Servers change outside of the batch")
				e.fails(t, "or leave -replace out")
			}, func(t *testing.T, e example) {
				t.Helper()
				acctest.Must(t, e.Workspace, "untaint", tainted)
			}},
			{"a taint beside a batch: candidates", func(t *testing.T, e example) {
				t.Helper()
				e.edit(t, `"debian-12"`, `"debian-13"`)
				acctest.Must(t, e.Workspace, "taint", tainted)
				e.fails(t, "name its node in candidates")
			}, func(t *testing.T, e example) {
				t.Helper()
				e.edit(t, more, "  deletion         = { candidates = [\"web-2\"] }\n"+more)
			}},
			{"a wrong hook: its place back, another URL", func(t *testing.T, e example) {
				t.Helper()
				e.edit(t, more, "  drain            = { hook_url = \"http://127.0.0.1:1/drain\", hook_timeout = \"2s\" }\n"+more)
				acctest.Apply(t, e.Workspace)
				e.edit(t, `"debian-12"`, `"debian-13"`)
				e.fails(t, "A lifecycle hook did not complete")
			}, func(t *testing.T, e example) {
				t.Helper()
				consumer, url := acctest.StartConsumer(t, 0)
				size := "desired_capacity = 3"
				if e.servers(t)["web-3"] != "" { // a substitute has its place
					size = "desired_capacity = 4"
				}
				e.edit(t, "desired_capacity = 3", size)
				e.edit(t, `"debian-13"`, `"debian-12"`)
				e.edit(t, "http://127.0.0.1:1/drain", url)
				acctest.Apply(t, e.Workspace)
				assert.Zero(t, consumer.Posts, "drains")
				e.edit(t, size, "desired_capacity = 3")
				e.edit(t, `"debian-12"`, `"debian-13"`)
			}},
		} {
			t.Run(module+"/"+w.name, func(t *testing.T) {
				runs.In(t, runs.Some(module == "stateful" && i >= 2, runs.Short, runs.Night))
				t.Parallel()
				e := startModule(t, module)
				e.edit(t, `"2m"`, `"2s"`)
				e.edit(t, `output "placement" {`, "output \"status\" {\n  value = module.web.status\n}\n\noutput \"placement\" {")
				w.wrong(t, e)
				w.way(t, e)
				acctest.Finish(t, func() string {
					before := e.servers(t)
					said := acctest.Apply(t, e.Workspace)
					after := e.servers(t)
					maps.DeleteFunc(after, func(name, id string) bool { return before[name] == id })
					named := strings.Count(read(t, filepath.Join(e.Dir, "main.tf")), "candidates ") // beside the batch, as a person says
					assert.LessOrEqual(t, len(after), 1+named, "servers that an apply made")
					return said
				})
				assert.Equal(t, "in step", e.output(t, "status"))
				assert.Len(t, e.c.Servers(t), 3)
				for name, s := range e.c.Servers(t) {
					assert.Equal(t, "ACTIVE", s.Status, name)
				}
			})
		}
	}
}
