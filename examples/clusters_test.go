package examples_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// life is a whole configuration that goes through what happens to a cluster.
type life struct {
	example
	size    int                         // capacity
	missing int                         // nodes that may be out of service at a time
	known   atomic.Pointer[[]string]    // ids of servers: no other one answers; nil: each does
	watched map[string]*acctest.Watched // by region, on the fake cloud
	drained int                         // servers that had served, and left
	holds   func(t *testing.T)          // what is so after each step
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

// step applies until nothing is left to do, and returns how many servers were made.
func (l *life) step(t *testing.T, what string, variables ...string) (made int) {
	t.Helper()
	for _, w := range l.watched {
		w.Resize(l.size)
	}
	variables = append(variables, fmt.Sprintf("size=%d", l.size))
	before := l.servers(t)
	for applies := 1; ; applies++ {
		text, err := l.Apply(t.Context(), variables...)
		require.NoError(t, err, "%s: apply %d", what, applies)
		if strings.Contains(text, "No changes.") {
			break
		}
		require.Less(t, applies, 12, "%s goes on:\n%s", what, text)
	}
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
		if tally.Undrained+tally.Changed > 0 || tally.Of-tally.Least > l.missing {
			t.Errorf("%s: %s: %+v", what, region, tally)
		}
		zone := map[string]string{}
		for _, s := range l.c.In(t, region) { // all of a zone are in one group
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

// through is all that happens to a cluster.
func (l *life) through(t *testing.T, folder, zone string) {
	const old, fresh, none = "image=debian-12", "image=debian-13", "zones_closed=[]"
	assert.Equal(t, l.size, l.step(t, "creation"), "made")
	l.size += 2
	assert.Equal(t, 2, l.step(t, "growth"), "made")
	l.size--
	assert.Zero(t, l.step(t, "shrink"), "made")
	canary := (l.size + 3) / 4
	assert.Equal(t, canary, l.step(t, "canary", fresh, "target=25%"), "made")
	l.step(t, "back", old)

	before := l.servers(t)
	ids := slices.Collect(maps.Values(before))
	l.known.Store(&ids)
	_, err := l.Apply(t.Context(), fresh, fmt.Sprintf("size=%d", l.size))
	if len(l.watched) > 0 { // on a real cloud all nodes answer
		require.ErrorContains(t, err, "Servers are not in service", "a bad image")
		l.holds(t)
		if folder == "clusters/canary" {
			l.c.Fake.Advance(time.Minute) // a second wait ends late enough
			_, err = l.Apply(t.Context(), fresh, fmt.Sprintf("size=%d", l.size))
			require.Error(t, err)
			assert.Zero(t, l.step(t, "back by itself", fresh), "made")
		} else {
			l.known.Store(nil)
			l.step(t, "back", old)
		}
		lost := 0
		for name, id := range before {
			if l.servers(t)[name] != id {
				lost++
			}
		}
		assert.LessOrEqual(t, lost, l.missing, "servers that a bad image cost")
	}
	l.known.Store(nil)
	image := fresh
	if folder == "clusters/canary" {
		image = old // that one has failed
	} else {
		l.step(t, "an image", image)
	}
	in := func() (n int) {
		for _, s := range l.c.In(t, "RegionOne") {
			if s.AvailabilityZone == path.Base(zone) {
				n++
			}
		}
		return n
	}
	there := in()
	l.size++
	l.step(t, "a closed zone", image, fmt.Sprintf("zones_closed=[%q]", zone))
	assert.Equal(t, there, in(), "nodes of the closed zone")
	assert.Zero(t, l.step(t, "open", image), "made")
	_, err = l.Destroy(t.Context(), image)
	require.NoError(t, err)
	assert.Empty(t, l.servers(t), "left")
	assert.Empty(t, l.groups(t, "RegionOne"), "left")
}

// TestAccExample_clusters: each whole configuration is created, grows, shrinks, gets a canary and goes back, gets an image that does not
// work and one that does, has a zone closed, and is destroyed, with empty plans between. No server that serves is lost undrained, and no
// more are out of service than may be.
func TestAccExample_clusters(t *testing.T) {
	regions := func(more ...fakecloud.Region) []fakecloud.Region { return append(fakecloud.DefaultRegions(), more...) }
	one := regions()
	one[0].VolumeZones = []string{"nova"}
	for _, c := range []struct {
		folder, zone  string
		size, missing int
		regions       []fakecloud.Region // nil: as those of the real cloud
		edits         []string
		holds         func(t *testing.T, l *life) func(t *testing.T)
	}{
		{"clusters/web", "az-1", 4, 0, nil, []string{`"1m"`, `"1s"`}, pooled},
		{"clusters/workers", "az-1", 3, 0, nil, nil, worked},
		{"clusters/regions", "RegionOne/az-1", 8, 99, regions(fakecloud.Region{Name: "RegionThree", Zones: one[1].Zones[:1]}), nil, bounded},
		{"clusters/canary", "az-1", 3, 0, nil, []string{`"10m"`, `"1s"`, `"30m"`, `"5s"`}, func(*testing.T, *life) func(*testing.T) { return func(*testing.T) {} }},
		{"clusters/database", "az-1", 3, 1, one, nil, keeping},
	} {
		t.Run(path.Base(c.folder), func(t *testing.T) {
			if testing.Short() && c.folder != "clusters/web" && c.folder != "clusters/database" {
				t.Skip("-short: one of each module; \"make faults\" runs all")
			}
			sideBySide(t)
			cloud := acctest.New(t, fakecloud.Config{Regions: c.regions})
			if cloud.Fake == nil && c.regions != nil {
				t.Skip("needs a cloud of another shape")
			}
			l := &life{example: startOn(t, cloud, c.folder), size: c.size, missing: c.missing, watched: map[string]*acctest.Watched{}}
			health := httptest.NewServer(l)
			t.Cleanup(health.Close)
			l.Env = append(l.Env, "TF_VAR_health_url="+health.URL+"/{name}")
			l.holds = c.holds(t, l)
			for i := 0; i < len(c.edits); i += 2 {
				l.edit(t, c.edits[i], c.edits[i+1])
			}
			if cloud.Fake != nil {
				l.Env = append(l.Env, "TF_VAR_patience=5s")
				for _, region := range cloud.Regions(t) {
					l.watched[region] = cloud.Watch(t, region, l.size)
				}
			}
			l.through(t, c.folder, c.zone)
		})
	}
}

// pooled: the members of the pool are the servers in service, and none leaves before the one in its place is there.
func pooled(t *testing.T, l *life) func(t *testing.T) {
	t.Helper()
	pool := l.c.Pool(t, "RegionOne")
	l.Env = append(l.Env, "TF_VAR_pool_id="+pool)
	had := 0
	return func(t *testing.T) {
		t.Helper()
		var serving []string
		for _, s := range l.c.In(t, "RegionOne") {
			if s.Metadata[openstack.MarkKey] != "" {
				serving = append(serving, s.Name)
			}
		}
		members := slices.Collect(maps.Keys(l.c.Members(t, "RegionOne", pool)))
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

// worked: each server that had served was drained by the webhook.
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
		if l.known.Load() == nil && (two > 4 || three < 1 || three > 2) { // after an apply that failed, old ones are there too
			t.Errorf("RegionTwo has %d nodes, RegionThree %d", two, three)
		}
	}
}

// keeping: each slot has the volume and the port that it always had, and its node has them.
func keeping(t *testing.T, l *life) func(t *testing.T) {
	t.Helper()
	d := &databases{example: l.example, volumes: map[string]string{}, ports: map[string]string{}}
	network, _ := l.c.Network(t, "RegionOne")
	l.Env = append(l.Env, "TF_VAR_network_id="+network)
	return func(t *testing.T) {
		t.Helper()
		d.size = l.size
		d.whole(t, "each slot")
	}
}
