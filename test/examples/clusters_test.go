//go:build unix

package examples_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// life is a whole configuration that goes through the life of a cluster.
type life struct {
	example
	size    int                         // capacity
	missing int                         // nodes that may be out of service at the same time
	known   atomic.Pointer[[]string]    // ids of the only servers that answer; nil means that all do
	watched map[string]*acctest.Watched // by region, on the fake cloud
	drained int                         // servers that had been in service and left
	holds   func(t *testing.T)          // checks after each step
}

// ServeHTTP is the health check of the nodes.
func (l *life) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for region := range l.watched {
		for _, s := range l.c.Fake.Servers(region) {
			known := l.known.Load()
			if s.Name == path.Base(r.URL.Path) && known != nil && !slices.Contains(*known, s.ID) {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}
	}
}

// set changes arguments of the module, as a reader would.
func (l *life) set(t *testing.T, arguments ...string) {
	t.Helper()
	text := read(t, filepath.Join(l.Dir, "main.tf"))
	for i := 0; i < len(arguments); i += 2 {
		line, given := "  "+arguments[i]+" = "+arguments[i+1]+"\n", regexp.MustCompile(`(?m)^ *`+arguments[i]+` *=.*\n`)
		if given.MatchString(text) {
			text = given.ReplaceAllLiteralString(text, line)
		} else {
			text = strings.Replace(text, "  cluster ", line+"  cluster ", 1)
		}
	}
	l.file(t, "main.tf", text)
}

// step sets arguments, applies until nothing is left to do, and returns how many servers were made.
func (l *life) step(t *testing.T, what string, arguments ...string) (made int) {
	t.Helper()
	for _, w := range l.watched {
		w.Resize(l.size)
	}
	l.set(t, append(arguments, "desired_capacity", strconv.Itoa(l.size))...)
	before := l.servers(t)
	acctest.Finish(t, func() string { return acctest.Apply(t, l.Workspace) })
	after := l.servers(t)
	assert.Len(t, after, l.size, what)
	for name, id := range after {
		if before[name] != id {
			made++
		}
	}
	for region, w := range l.watched {
		tally := w.Restart()
		l.drained += tally.Served
		assert.Zero(t, tally.Undrained+tally.Changed, "%s: %s: %+v", what, region, tally)
		assert.LessOrEqual(t, tally.Of-tally.Least, l.missing, "%s: %s: %+v", what, region, tally)
		zone := map[string]string{}
		for _, s := range l.c.In(t, region) { // all servers of a zone are in one group
			groups := slices.DeleteFunc(l.groups(t, region), func(g openstack.ServerGroup) bool { return !slices.Contains(g.Members, s.ID) })
			if len(groups) != 1 || zone[s.AvailabilityZone] != "" && zone[s.AvailabilityZone] != groups[0].ID {
				t.Errorf("%s: %s is in the groups %v, others of %s in %s", what, s.Name, groups, s.AvailabilityZone, zone[s.AvailabilityZone])
			} else {
				zone[s.AvailabilityZone] = groups[0].ID
			}
		}
	}
	l.holds(t)
	return made
}

// through goes through the whole life of a cluster.
func (l *life) through(t *testing.T, folder string) {
	const old, fresh = `"debian-12"`, `"debian-13"`
	const image = "image"
	assert.Equal(t, l.size, l.step(t, "creation"), "made")
	l.size += 2
	assert.Equal(t, 2, l.step(t, "growth"), "made")
	l.size--
	assert.Zero(t, l.step(t, "shrink"), "made")
	assert.Equal(t, (l.size+3)/4, l.step(t, "canary", image, fresh, "target", `"25%"`), "made")
	l.step(t, "back", image, old)

	if l.c.Fake != nil { // on a real cloud all nodes answer
		before := l.servers(t)
		ids := slices.Collect(maps.Values(before))
		l.known.Store(&ids)
		l.set(t, image, fresh, "target", `"100%"`)
		_, err := l.Apply(t.Context())
		require.ErrorContains(t, err, "Servers are not in service", "a bad image")
		l.holds(t)
		l.known.Store(nil)
		l.step(t, "back from it", image, old)
		lost := 0
		for name, id := range before {
			if l.servers(t)[name] != id {
				lost++
			}
		}
		assert.Equal(t, map[bool]int{true: 1}[folder == "clusters/database" || folder == "clusters/storage"], lost, "servers that a bad image cost")
	}
	l.known.Store(nil)
	l.step(t, "an image", image, fresh, "target", `"100%"`)
	closed := func() (n int) {
		for _, s := range l.c.In(t, "RegionOne") {
			if s.AvailabilityZone == "az-1" {
				n++
			}
		}
		return n
	}
	there := closed()
	l.size++
	l.edit(t, `name = "az-1"`, `name = "az-1", closed = true`)
	l.step(t, "a closed zone")
	assert.Equal(t, there, closed(), "nodes of the closed zone")
	l.edit(t, ", closed = true", "")
	assert.Zero(t, l.step(t, "open"), "made")
	_, err := l.Destroy(t.Context())
	require.NoError(t, err)
	assert.Empty(t, l.servers(t), "left")
	assert.Empty(t, l.groups(t, "RegionOne"), "left")
}

// TestAccExample_clusters: each whole configuration is created, grows, shrinks, gets a canary and goes back, gets an
// image that does not work and one that does, has a zone closed, and is destroyed, with empty plans between. No
// server in service is lost undrained, and no more servers are out of service than allowed.
func TestAccExample_clusters(t *testing.T) {
	regions := func(more ...fakecloud.Region) []fakecloud.Region { return append(fakecloud.DefaultRegions(), more...) }
	one := regions()
	one[0].VolumeZones = []string{"nova"}
	for _, c := range []struct {
		folder        string
		size, missing int
		regions       []fakecloud.Region // nil means the regions of the real cloud
		edits         []string
		holds         func(t *testing.T, l *life) func(t *testing.T)
	}{
		{"clusters/web", 4, 0, nil, []string{`"1m"`, `"1s"`}, pooled("RegionOne")},
		{"clusters/workers", 3, 0, nil, nil, worked},
		{"clusters/regions", 8, 99, regions(fakecloud.Region{Name: "RegionThree", Zones: one[1].Zones[:1]}), nil, bounded},
		{"clusters/canary", 3, 0, nil, []string{`"10m"`, `"1s"`, `"30m"`, `"5s"`}, func(*testing.T, *life) func(*testing.T) { return func(*testing.T) {} }},
		{"clusters/database", 3, 1, one, []string{"readiness_port = 5432", `readiness_url = "http://{address}"`}, keeping},
		{"clusters/storage", 3, 1, nil, nil, func(t *testing.T, l *life) func(*testing.T) {
			t.Helper()
			_, url := acctest.StartConsumer(t, 0)
			l.Env = append(l.Env, "TF_VAR_drain_url="+url)
			return keeping(t, l)
		}},
		{"clusters/edge", 4, 0, nil, []string{`"1m"`, `"1s"`, `count = 6`, `count = 9`}, addressed},
		{"production", 6, 99, nil, []string{`"1m"`, `"1s"`, `"30m"`, `"5s"`}, pooled("RegionOne", "RegionTwo")},
	} {
		t.Run(path.Base(c.folder), func(t *testing.T) {
			runs.In(t, runs.Some(c.folder == "clusters/web", runs.Sweep, runs.Night))
			sideBySide(t)
			start := acctest.New
			if c.folder == "clusters/storage" { // only the owner of a network and an admin choose addresses in it
				start = acctest.NewAdmin
			}
			cloud := start(t, fakecloud.Config{Regions: c.regions})
			if cloud.Fake == nil && c.regions != nil {
				t.Skip("needs the fake cloud: the regions of this configuration are its own")
			}
			l := &life{example: startOn(t, cloud, c.folder), size: c.size, missing: c.missing, watched: map[string]*acctest.Watched{}}
			health := httptest.NewServer(l)
			t.Cleanup(health.Close)
			l.holds = c.holds(t, l)
			for i := 0; i < len(c.edits); i += 2 {
				if cloud.Fake != nil || !strings.Contains(c.edits[i], "30m") { // a real server takes longer
					l.edit(t, c.edits[i], c.edits[i+1])
				}
			}
			l.file(t, "main.tf", regexp.MustCompile(`"http://\{address\}.*"`).ReplaceAllString(read(t, filepath.Join(l.Dir, "main.tf")),
				`"`+health.URL+`/{name}"`))
			if cloud.Fake != nil {
				if c.folder != "production" {
					l.set(t, "readiness_timeout", `"5s"`)
				}
				for _, region := range cloud.Regions(t) {
					l.watched[region] = cloud.Watch(t, region, l.size)
				}
			}
			l.through(t, c.folder)
		})
	}
}

// pooled: the members of the pool are the servers in service, and no member leaves before its replacement is there.
func pooled(regions ...string) func(*testing.T, *life) func(*testing.T) {
	return func(t *testing.T, l *life) func(*testing.T) {
		t.Helper()
		pools, had := map[string]string{}, 0
		for _, region := range regions {
			pools[region] = l.c.Pool(t, region)
		}
		ids, err := json.Marshal(pools)
		require.NoError(t, err)
		_, url := acctest.StartConsumer(t, 0)
		l.Env = append(l.Env, "TF_VAR_pool_id="+pools["RegionOne"], "TF_VAR_pool_ids="+string(ids), "TF_VAR_drain_url="+url)
		return func(t *testing.T) {
			t.Helper()
			var serving, members []string
			for region, pool := range pools {
				for _, s := range l.c.In(t, region) {
					if s.Metadata[openstack.MarkKey] != "" {
						serving = append(serving, s.Name)
					}
				}
				members = slices.AppendSeq(members, maps.Keys(l.c.Members(t, region, pool)))
			}
			assert.ElementsMatch(t, serving, members, "members")
			if l.c.Fake != nil {
				least, now := min(had, len(members)), had
				for _, r := range l.requested() {
					now += map[string]int{"POST member": 1, "DELETE member": -1}[r]
					assert.GreaterOrEqual(t, now, least, "members")
				}
				l.c.Fake.ResetRequests()
			}
			had = len(members)
		}
	}
}

// worked: the webhook drained each server that had been in service.
func worked(t *testing.T, l *life) func(t *testing.T) {
	t.Helper()
	consumer, url := acctest.StartConsumer(t, 0)
	l.Env = append(l.Env, "TF_VAR_drain_url="+url)
	return func(t *testing.T) {
		t.Helper()
		if l.c.Fake != nil {
			assert.Equal(t, l.drained, consumer.Posts, "drained")
		}
	}
}

// bounded: caps and mins hold.
func bounded(_ *testing.T, l *life) func(t *testing.T) {
	return func(t *testing.T) {
		t.Helper()
		two, three := len(l.c.In(t, "RegionTwo")), len(l.c.In(t, "RegionThree"))
		if l.known.Load() == nil && (two > 4 || three < 1 || three > 2) { // after a failed apply the old ones exist too
			t.Errorf("RegionTwo has %d nodes, RegionThree %d", two, three)
		}
	}
}

// keeping: each slot has the volume and the port that it always had, and its node has them.
func keeping(t *testing.T, l *life) func(t *testing.T) {
	t.Helper()
	d := &databases{example: l.example, volumes: map[string]string{}, ports: map[string]string{}}
	return func(t *testing.T) {
		t.Helper()
		d.size = l.size
		d.whole(t, "each slot")
	}
}

// addressed: each server in service has an address, and no address is taken from a server that has it.
func addressed(t *testing.T, l *life) func(t *testing.T) {
	t.Helper()
	consumer, url := acctest.StartConsumer(t, 0)
	l.Env = append(l.Env, "TF_VAR_drain_url="+url)
	taken := map[string]bool{} // by the path of the address
	return func(t *testing.T) {
		t.Helper()
		var have, serve []string
		for _, server := range l.c.Floating(t, "RegionOne") {
			if server != "" {
				have = append(have, server)
			}
		}
		for _, s := range l.c.In(t, "RegionOne") {
			serve = append(serve, s.ID)
		}
		assert.ElementsMatch(t, serve, have, "servers with an address")
		if l.c.Fake != nil {
			assert.Equal(t, l.drained, consumer.Posts, "drained")
			for _, r := range l.c.Fake.Requests() {
				if r.Method == http.MethodPut && strings.Contains(r.Path, "/floatingips/") {
					given := strings.Contains(string(r.Body), `"port_id":"`)
					assert.False(t, given && taken[r.Path], "%s is taken from a server", r.Path)
					taken[r.Path] = given
				}
			}
			l.c.Fake.ResetRequests()
		}
	}
}

// TestModulesSize: without a desired_capacity both modules begin with min_size, and with neither the plan names the argument.
func TestModulesSize(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"clusters/first", "clusters/database"} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			l := &life{example: startOn(t, acctest.NewFake(t, fakecloud.Config{}), folder)}
			l.Env = append(l.Env, "TF_VAR_health_url=http://127.0.0.1:1/{name}")
			l.set(t, "desired_capacity", "null", "min_size", "2")
			plan := acctest.Must(t, l.Workspace, "plan", "-input=false", "-no-color")
			assert.Equal(t, 2, strings.Count(plan, `resource "openstack_compute_instance_v2" "node"`), "servers")
			l.set(t, "min_size", "null")
			_, err := l.Run(t.Context(), "plan", "-input=false", "-no-color")
			require.Error(t, err)
			assert.Contains(t, err.Error(), "desired_capacity")
		})
	}
}
