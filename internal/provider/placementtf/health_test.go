package placementtf_test

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// checked is a cluster of six nodes, three in each of two regions. A plan replaces all its
// unhealthy nodes at once.
func checked() attributes {
	return attributes{
		"cluster": "web", "desired_capacity": 6, "regions": protocol.Listing("RegionOne:az-1 RegionTwo:az-1"),
		"update": attributes{"causes": []any{"UNHEALTHY"}, "max_batch_size": "100%", "stop_above": "100%", "require_in_service": false},
	}
}

// yesterday is the day before the first day of a fake cloud.
var yesterday = time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC)

// boot makes a server for each node, a day old, some with a change.
func (a attached) boot(t *testing.T, changes map[string]func(*fakecloud.Server)) {
	t.Helper()
	nodes := protocol.Object(protocol.Object(a.I.State)["nodes"])
	for i, name := range slices.Sorted(maps.Keys(nodes)) {
		node := protocol.Object(nodes[name])
		region := protocol.Text(node["region"])
		s := fakecloud.Server{Name: name, Zone: cmp.Or(protocol.Shown(node["zone"]), "az-1"), Network: true,
			Address: fmt.Sprintf("127.78.0.%d", i), Created: yesterday}
		if change := changes[name]; change != nil {
			change(&s)
		}
		a.Fake.AddServers(region, s)
	}
}

// replaced returns the nodes that a plan replaces after a refresh.
func (a attached) replaced(t *testing.T, config attributes) string {
	t.Helper()
	a.Look(t)
	names, _ := a.plan(t, config)
	var gone []string
	for name := range protocol.Object(protocol.Object(a.I.State)["nodes"]) {
		if !slices.Contains(strings.Fields(names), name) {
			gone = append(gone, name)
		}
	}
	return strings.Join(slices.Sorted(slices.Values(gone)), " ")
}

// TestHealthOfMembers: each region is asked for the members of its own pools. Servers that are young or
// do not run are not checked, and if Octavia does not answer the health is not known.
func TestHealthOfMembers(t *testing.T) {
	t.Parallel()
	config := checked()
	a := attach(t, config)
	members := func(names ...string) (list []fakecloud.Member) {
		for _, name := range names {
			list = append(list, fakecloud.Member{Name: name, Address: "10.9.9." + strings.TrimPrefix(name, "web-")})
		}
		return list
	}
	fake := a.Fake
	pools := map[string]string{
		"RegionOne": fake.AddPool("RegionOne", members("web-0", "web-1", "web-2")...),
		"RegionTwo": fake.AddPool("RegionTwo", members("web-3", "web-4", "web-5")...),
	}
	config["health"] = attributes{"grace": "1h", "octavia": attributes{"pool_ids": []any{pools["RegionOne"], pools["RegionTwo"]}}}
	a.Must(t, config)
	unaddressed := func(s *fakecloud.Server) { s.Network, s.Address = false, "" }
	a.boot(t, map[string]func(*fakecloud.Server){
		"web-0": unaddressed, "web-2": unaddressed, "web-3": unaddressed,
		"web-1": func(s *fakecloud.Server) { unaddressed(s); s.Created = time.Time{} },
		"web-4": func(s *fakecloud.Server) { unaddressed(s); s.Status = "SHUTOFF" },
	})
	old := slices.IndexFunc(fake.Servers("RegionOne"), func(s fakecloud.Server) bool { return s.Name == "web-2" })
	again := fake.Servers("RegionOne")[old].ID // made yesterday, and starts now
	a.Cloud.Act(t, "RegionOne", again, `{"shelve": null}`, "SHELVED_OFFLOADED")
	a.Cloud.Act(t, "RegionOne", again, `{"unshelve": null}`, "ACTIVE")
	assert.Empty(t, a.replaced(t, config), "all are well")
	for region, addresses := range map[string][]string{"RegionOne": {"10.9.9.0", "10.9.9.1", "10.9.9.2"}, "RegionTwo": {"10.9.9.3", "10.9.9.4"}} {
		for _, address := range addresses {
			fake.SetOperating(region, pools[region], address, "ERROR")
		}
	}
	assert.Equal(t, "web-0 web-3", a.replaced(t, config), "of five in ERROR: %s", a.Said())
	assert.Empty(t, a.Said())
	const unknown = "health.http: The health of nodes is not known"
	down := fake.Inject(fakecloud.Fault{Service: fakecloud.LoadBalancing, Region: "RegionTwo", Status: http.StatusForbidden, Times: fakecloud.Forever})
	assert.Equal(t, "web-0", a.replaced(t, config), "without the Octavia of one region")
	assert.Equal(t, unknown+"\n"+unknown, a.At(), "a warning for each of two pools")
	down.Remove()
}

// TestHealthOfServices: a node is probed at the address of its own server, by its own name. A
// redirect to another host is not its answer.
func TestHealthOfServices(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.Host)
		number := strings.TrimPrefix(host, "127.78.0.")
		switch {
		case r.URL.Path == "/elsewhere":
		case r.URL.Path != "/web-"+number || number == "3":
			w.WriteHeader(http.StatusInternalServerError)
		case number == "2":
			http.Redirect(w, r, "http://"+strings.Replace(r.Host, host, "127.78.0.99", 1)+"/elsewhere", http.StatusFound)
		}
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	config := checked()
	config["health"] = attributes{"http": attributes{"url": "http://{address}:" + port + "/{name}"}, "timeout": "1m"}
	a := attach(t, config)
	a.boot(t, nil)
	assert.Equal(t, "web-2 web-3", a.replaced(t, config), a.Said())
	config["health"] = attributes{"tcp": attributes{"port": listener.Addr().(*net.TCPAddr).Port}}
	a.Must(t, config)
	assert.Empty(t, a.replaced(t, config), "all take connections")
}
