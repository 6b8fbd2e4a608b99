package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// login prepares a cloud for the member; change adapts its configuration.
func login(t testing.TB, fake *fakecloud.Cloud, change ...func(*openstack.Config)) *openstack.Cloud {
	t.Helper()
	config := openstack.Config{AuthURL: fake.AuthURL(), UserName: fakecloud.MemberUser, Password: fakecloud.Password,
		TenantName: fakecloud.MemberProject, DefaultDomain: fakecloud.DomainID, RequestTimeout: time.Minute}
	for _, f := range change {
		f(&config)
	}
	cloud, err := openstack.New(config)
	require.NoError(t, err)
	return cloud
}

func names(nodes []node.Node) string {
	list := make([]string, len(nodes))
	for i, n := range nodes {
		list[i] = n.Name
	}
	return strings.Join(list, " ")
}

var both = []string{"RegionTwo", "RegionOne"}

// read reads servers of regions as the member.
func read(t *testing.T, fake *fakecloud.Cloud, regions []string, selector cluster.Selector) ([]node.Node, error) {
	t.Helper()
	return cluster.Read(t.Context(), login(t, fake), cluster.Query{Regions: regions, Selector: selector})
}

// reads returns the nodes of a query, and fails unless they have the names.
func reads(t *testing.T, fake *fakecloud.Cloud, regions []string, selector cluster.Selector, want string) []node.Node {
	t.Helper()
	nodes, err := read(t, fake, regions, selector)
	require.NoError(t, err)
	require.Equal(t, want, names(nodes))
	return nodes
}

var web = cluster.Selector{NameRegex: "web"}

// webs adds web-0 to web-(n-1) to the two regions in turn, and one other server.
func webs(fake *fakecloud.Cloud, n int) {
	for i := range n {
		fake.AddServers(both[1-i%2], fakecloud.Server{Name: fmt.Sprintf("web-%d", i)})
	}
	fake.AddServers("RegionOne", fakecloud.Server{Name: "db-0"})
}

// TestReadTwoRegions: all servers of the cluster are its nodes, except deleted ones that Nova still lists.
func TestReadTwoRegions(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	webs(fake, 5)
	for i, status := range []string{"DELETED", "SOFT_DELETED", "SHELVED"} {
		fake.AddServers("RegionOne", fakecloud.Server{Name: fmt.Sprintf("web-%d", 5+i), Status: status})
	}
	n := reads(t, fake, both, cluster.Selector{NameRegex: "^web-"}, "web-0 web-2 web-4 web-7 web-1 web-3")[0]
	assert.Equal(t, "RegionOne ACTIVE", n.Region+" "+n.Status)
	assert.False(t, n.Zone == "" || n.CreatedAt.IsZero() || n.Profile == "" || n.ProfileCreatedAt.IsZero() || n.HostID == "", "%+v", n)
	// The number of requests: one login, and for each region its versions, a page and the image.
	for pattern, want := range map[string]int{
		"POST identity /auth/tokens": 1, "GET compute /": 2, "GET compute /servers/detail": 2, "GET image /images/*": 2,
	} {
		assert.Equal(t, want, fake.Count(pattern), "requests %s", pattern)
	}
	assert.Len(t, fake.Requests(), 7, "requests in all")
}

// TestReadPages: the first request has no filter, so that Nova reports cells that are down; the later ones have all
// filters that Nova offers.
func TestReadPages(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{PageLimit: 4})
	for i := range 11 {
		fake.AddServers("RegionOne", fakecloud.Server{Name: fmt.Sprintf("web-%d", i)}, fakecloud.Server{Name: fmt.Sprintf("db-%d", i)})
	}
	reads(t, fake, both[1:], cluster.Selector{NameRegex: "^web-[0-9]+$"}, "web-0 web-1 web-2 web-3 web-4 web-5 web-6 web-7 web-8 web-9 web-10")
	var queries []string
	for _, r := range fake.Requests() {
		if r.Path == "/servers/detail" {
			queries = append(queries, fmt.Sprintf("%s marker=%t", r.Query.Get("name"), r.Query.Has("marker")))
		}
	}
	assert.Equal(t, []string{" marker=false", "web- marker=true", "web- marker=true", "web- marker=true"}, queries)
}

// TestReadStartsAgain: a server that is deleted between two pages neither fails the read nor hides others. A list
// that starts again forgets its nodes, and its servers in a cell that was down.
func TestReadStartsAgain(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0"}, fakecloud.Server{Name: "web-1"})
	fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Path: "/servers/detail", Status: http.StatusOK,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body: `{"servers": [{"id": "1", "status": "UNKNOWN", "links": []}, {"id": "2", "name": "web-0", "status": "ACTIVE"}],
			"servers_links": [{"rel": "next", "href": "http://elsewhere/"}]}`})
	gone := fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Path: "/servers/detail", Nth: 2, Status: http.StatusBadRequest})
	reads(t, fake, both[1:], web, "web-0 web-1")
	assert.Equal(t, 1, gone.Fired())
	fake = fakecloud.Start(t, fakecloud.Config{PageLimit: 1})
	webs(fake, 4)
	fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Path: "/servers/detail", Nth: 2, Times: fakecloud.Forever, Status: http.StatusBadRequest})
	_, err := read(t, fake, both[1:], web)
	assert.Error(t, err, "a list that never ends well")
	assert.LessOrEqual(t, fake.Count("GET compute /servers/detail"), 6, "requests")
}

// TestReadFails: if one region cannot be read, the read fails and the error names the region.
func TestReadFails(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault fakecloud.Fault
		want  string
	}{
		{"unavailable", fakecloud.Fault{Path: "/servers/detail", Status: 503}, "region RegionTwo: list servers: "},
		{"no versions", fakecloud.Fault{Path: "/", Status: 500}, "region RegionTwo: find the microversions of Nova: "},
		{"HTML", fakecloud.Fault{Path: "/servers/detail", Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>Login</html>"},
			"Is this the address of an OpenStack API?"},
		{"cut off", fakecloud.Fault{Path: "/servers/detail", Effect: fakecloud.Truncate}, "breaks off"},
		{"reset", fakecloud.Fault{Path: "/servers/detail", Effect: fakecloud.Reset, Times: fakecloud.Forever}, "region RegionTwo"},
		{"hangs", fakecloud.Fault{Path: "/servers/detail", Effect: fakecloud.Hang}, "no answer within 5s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fake := fakecloud.Start(t, fakecloud.Config{})
			webs(fake, 4)
			c.fault.Service, c.fault.Region = fakecloud.Compute, "RegionTwo"
			injected := fake.Inject(c.fault)
			cloud := login(t, fake, func(c *openstack.Config) { c.RequestTimeout = 5 * time.Second })
			nodes, err := cluster.Read(t.Context(), cloud, cluster.Query{Regions: both, Selector: web})
			require.NotZero(t, injected.Fired(), "the fault hit nothing")
			failed, ok := errors.AsType[*cluster.RegionError](err)
			if !ok || failed.Region != "RegionTwo" || nodes != nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "RegionOne") {
				t.Errorf("got %s, %v, want %q", names(nodes), err, c.want)
			}
		})
	}
}

// TestReadCancelled: cancelling ends a read that would not end otherwise.
func TestReadCancelled(t *testing.T) {
	for _, path := range []string{"/auth/tokens", "/", "/servers/detail"} {
		fake := fakecloud.Start(t, fakecloud.Config{})
		hang := fake.Inject(fakecloud.Fault{Path: path, Effect: fakecloud.Hang, Times: fakecloud.Forever})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-hang.Hit()
			cancel()
		}()
		patient := login(t, fake, func(c *openstack.Config) { c.RequestTimeout = time.Hour })
		_, err := cluster.Read(ctx, patient, cluster.Query{Regions: both, Selector: web})
		assert.ErrorIs(t, err, context.Canceled, "%s hangs", path)
	}
}

func TestReadServerGroup(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	group := fake.AddServerGroup("RegionTwo", fakecloud.ServerGroup{Name: "g", Policy: "anti-affinity"})
	empty := fake.AddServerGroup("RegionTwo", fakecloud.ServerGroup{Name: "empty", Policy: "affinity"})
	fake.AddServers("RegionTwo", fakecloud.Server{Name: "in-0", Group: group}, fakecloud.Server{Name: "out-0"}, fakecloud.Server{Name: "in-1", Group: group})
	for id, want := range map[string]string{group: "in-0 in-1", empty: ""} {
		reads(t, fake, both, cluster.Selector{ServerGroupID: id}, want)
	}
	_, err := read(t, fake, both, cluster.Selector{ServerGroupID: "00000000-0000-0000-0000-000000000000"})
	assert.ErrorAs(t, err, new(*cluster.GroupGoneError))
	assert.ErrorContains(t, err, "is in none of the regions RegionOne, RegionTwo")
}

// TestReadCellDown: servers of a cell that is down are not just missing.
func TestReadCellDown(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	ids := fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0", Zone: "az-1"}, fakecloud.Server{Name: "web-1", Zone: "az-2"})
	fake.SetCellDown("RegionOne", true, "az-2")
	_, err := read(t, fake, both[1:], web)
	assert.ErrorContains(t, err, "a cell of Nova is down")
	assert.ErrorContains(t, err, ids[1])
	nodes, err := read(t, fake, both[1:], cluster.Selector{IDs: ids})
	require.NoError(t, err)
	require.Len(t, nodes, 2)
	i := slices.IndexFunc(nodes, func(n node.Node) bool { return n.ID == ids[1] })
	assert.Equal(t, []string{"UNKNOWN", "", ""}, []string{nodes[i].Status, nodes[i].Name, nodes[i].Zone})
	// A remembered server is known. If all wanted nodes are found, other servers in the cell do not matter.
	fake.AddServers("RegionOne", fakecloud.Server{Name: "db-0", Zone: "az-2"})
	query := cluster.Query{Regions: both[1:], Selector: cluster.Selector{Names: []string{"web-0", "web-1"}}}
	_, err = cluster.Read(t.Context(), login(t, fake), query)
	assert.Error(t, err)
	query.Remembered = map[string]string{ids[1]: "web-1"}
	if nodes, err := cluster.Read(t.Context(), login(t, fake), query); err != nil || len(nodes) != 2 {
		t.Errorf("got %s, %v", names(nodes), err)
	}
	fake.SetCellDown("RegionOne", false, "az-2")
	reads(t, fake, both[1:], web, "web-0 web-1") // the cell is back
}

func TestReadTagsAndMarks(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	fake.AddServers("RegionOne",
		fakecloud.Server{Name: "a", Tags: []string{"blue", "eu"}, Metadata: map[string]string{"stackpolicy_tainted": "1"}},
		fakecloud.Server{Name: "b", Tags: []string{"blue"}},
		fakecloud.Server{Name: "c", Tags: []string{"eu", "blue"}, LockedBy: "owner"},
		fakecloud.Server{Name: "d", Tags: []string{"eu", "blue"}, Zone: "az-2", Status: "BUILD", Host: "-"},
	)
	nodes, err := cluster.Read(t.Context(), login(t, fake), cluster.Query{Regions: both[1:],
		Selector: cluster.Selector{Tags: []string{"eu", "blue"}}})
	if err != nil || names(nodes) != "a c d" || !nodes[0].Tainted || nodes[0].Protected || !nodes[1].Protected {
		t.Errorf("got %+v, %v", nodes, err)
	}
}

// TestDraining: a server whose drain has begun is not in service, and not drained; any other note says that it is drained.
func TestDraining(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	for name, note := range map[string]string{"a": "begun 2026-11-27T02:00:00Z", "b": "2026-11-27T02:00:00Z", "c": "", "d": "Begun"} {
		fake.AddServers("RegionOne", fakecloud.Server{Name: name, Metadata: map[string]string{"stackpolicy_drained": note, "stackpolicy_in_service": "1"}})
	}
	nodes, err := cluster.Read(t.Context(), login(t, fake), cluster.Query{Regions: []string{"RegionOne"},
		Selector: cluster.Selector{NameRegex: "."}})
	require.NoError(t, err)
	for _, n := range nodes {
		assert.Equal(t, n.Name == "a", n.Draining, n.Name)
		assert.Equal(t, n.Name != "a", n.Drained, n.Name)
		assert.Equal(t, n.Name == "a", n.InService == "", n.Name)
	}
}

// TestImageGone: an image that is deleted has no known age; an error of Glance is an error.
func TestImageGone(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	image := fake.AddImage(fakecloud.Image{Name: "old"})
	fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0", ImageID: image})
	fake.RemoveImage(image)
	for _, hidden := range []bool{false, true} {
		fake.HideEndpoint(fakecloud.Images, "RegionOne", hidden)
		found := reads(t, fake, both[1:], web, "web-0")[0]
		assert.Equal(t, image, found.Profile)
		assert.Zero(t, found.ProfileCreatedAt)
	}
	fake.HideEndpoint(fakecloud.Images, "RegionOne", false)
	fake.Inject(fakecloud.Fault{Service: fakecloud.Images, Status: 503})
	_, err := read(t, fake, both[1:], web)
	assert.ErrorContains(t, err, "region RegionOne: get the image")
}

// TestReadFaults: Nova's list says nothing about a server that found no host, so each is requested by itself, but no
// more than fifty of them.
func TestReadFaults(t *testing.T) {
	const none = "No valid host was found. There are not enough hosts available."
	fake := fakecloud.Start(t, fakecloud.Config{})
	fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0", Status: "ERROR", Fault: none, Host: "-"},
		fakecloud.Server{Name: "web-1", Status: "ERROR", Fault: "broken"}, fakecloud.Server{Name: "web-2"})
	cloud := login(t, fake)
	read := func(faults bool) []node.Node {
		t.Helper()
		fake.ResetRequests()
		nodes, err := cluster.Read(t.Context(), cloud, cluster.Query{Regions: both[1:], Selector: web, NoProfiles: true, Faults: faults})
		require.NoError(t, err)
		return nodes
	}
	asked := func() int { return fake.Count("GET compute /servers/*") - fake.Count("GET compute /servers/detail") }
	for faults, want := range map[bool][]string{false: {"", "broken", ""}, true: {none, "broken", ""}} {
		for i, n := range read(faults) {
			assert.Equal(t, want[i], n.Fault, "asked for: %t; %s", faults, n.Name)
		}
	}
	assert.LessOrEqual(t, asked(), 1, "servers that were asked for")
	for i := range 60 {
		fake.AddServers("RegionOne", fakecloud.Server{Name: fmt.Sprintf("web-more-%d", i), Status: "ERROR", Fault: none, Host: "-"})
	}
	nodes := read(true)
	assert.Len(t, nodes, 63)
	assert.Equal(t, 50, asked(), "servers that were asked for")
	fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: "GET", PathRegexp: regexp.MustCompile(`^/servers/[0-9a-f-]{36}$`), Status: 503})
	_, err := cluster.Read(t.Context(), cloud, cluster.Query{Regions: both[1:], Selector: web, NoProfiles: true, Faults: true})
	assert.ErrorContains(t, err, "region RegionOne: get the server")
}
