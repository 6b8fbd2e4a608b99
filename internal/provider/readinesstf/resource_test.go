package readinesstf_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

type attributes = protocol.Attributes

// awaiting is a readiness attachment for two servers: web-0 in the provider's region, which
// the configuration leaves out, and web-1 in another region.
type awaiting struct {
	*protocol.Attachment
	ids map[string]string // ids of the servers, by node
}

// await returns an attachment whose web-1 is the given server.
func await(t *testing.T, other fakecloud.Server) awaiting {
	t.Helper()
	a := awaiting{protocol.Attach(t, "stackpolicy_readiness_attachment"), nil}
	a.ids = map[string]string{"web-0": a.Fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0"})[0], "web-1": a.Fake.AddServers("RegionTwo", other)[0]}
	return a
}

// config returns a configuration that waits for the nodes.
func (a awaiting) config(names ...string) attributes {
	nodes, servers := attributes{}, attributes{}
	for _, name := range names {
		nodes[name], servers[name] = attributes{}, attributes{"id": a.ids[name]}
		if name == "web-1" {
			servers[name].(attributes)["region"] = "RegionTwo"
		}
	}
	return attributes{"cluster": "web", "nodes": nodes, "servers": servers}
}

func (a awaiting) apply(t *testing.T, config attributes) error {
	t.Helper()
	a.Later(t)
	return a.Try(t, config)
}

func (a awaiting) must(t *testing.T, config attributes) {
	t.Helper()
	require.NoError(t, a.apply(t, config))
}

// pending returns the pending nodes in the state, "none" without a state.
func (a awaiting) pending() string {
	if a.I.State.IsNull() {
		return "none"
	}
	return a.Shows("pending")
}

// noted returns the notes in Nova about the nodes: the mark, "+" for its time, "-" for a wait
// that ended without the server, and "!" for a drain.
func (a awaiting) noted() string {
	var list []string
	for _, s := range append(a.Fake.Servers("RegionOne"), a.Fake.Servers("RegionTwo")...) {
		text := s.Name + ":" + s.Metadata[openstack.MarkKey]
		for _, sign := range [][2]string{{openstack.InServiceAtKey, "+"}, {openstack.NotInServiceAtKey, "-"}, {openstack.DrainedKey, "!"}} {
			if s.Metadata[sign[0]] != "" {
				text += sign[1]
			}
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// asked returns how often Nova was asked for the server of a single node.
func (a awaiting) asked(name string) int { return a.Fake.Count("GET compute /servers/" + a.ids[name]) }

// refused refuses each request for the list of servers.
var refused = fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodGet, Path: "/servers/detail", Status: http.StatusForbidden,
	Times: fakecloud.Forever}

// TestAwaited: an apply marks the servers that are in service. It does not check marked servers
// again and, with new servers, does not wait for servers that an earlier wait ended without. If a
// server is not in service, a new attachment is not stored, and an old one is stored with the
// pending nodes; if Nova cannot be asked, nothing changes.
func TestAwaited(t *testing.T) {
	t.Parallel()
	note := func(pairs ...string) fakecloud.Server {
		s := fakecloud.Server{Name: "web-1", Metadata: map[string]string{}}
		for i := 0; i < len(pairs); i += 2 {
			s.Metadata[pairs[i]] = pairs[i+1]
		}
		return s
	}
	const then, marked, marks = "2026-11-01T00:00:00Z", "web-0:1+ web-1:1, pending ", "web-0:1+ web-1:1+, pending "
	for name, c := range map[string]struct {
		other         fakecloud.Server
		fault         *fakecloud.Fault
		at            string
		made, updated string // notes and pending nodes: with a new attachment, and with one that had web-0
	}{
		"new":                   {note(), nil, "", marks, marks},
		"of another mark":       {note(openstack.MarkKey, "0"), nil, "", marks, marks},
		"in service":            {note(openstack.MarkKey, "1"), nil, "", marked, marked},
		"drained":               {note(openstack.MarkKey, "1", openstack.DrainedKey, then), nil, "", marks, marks},
		"not in service before": {note(openstack.NotInServiceAtKey, "1 "+then), nil, "", "web-0:1+ web-1:-, pending ", marks}, // the apply has no new server
		"in ERROR": {fakecloud.Server{Name: "web-1", Status: "ERROR"}, nil, ": Servers are not in service",
			"web-0:1+ web-1:, pending none", "web-0:1+ web-1:, pending web-1"},
		"which Nova does not list": {note(), &refused, ": Unable to look for the marks of the servers", "web-0: web-1:, pending none",
			"web-0:1+ web-1:, pending "},
	} {
		for update, want := range map[bool]string{false: c.made, true: c.updated} {
			t.Run(fmt.Sprintf("%s, update %t", name, update), func(t *testing.T) {
				t.Parallel()
				a := await(t, c.other)
				if update {
					a.must(t, a.config("web-0"))
				}
				before := a.I.State
				a.Fake.ResetRequests()
				if c.fault != nil {
					a.Fake.Inject(*c.fault)
				}
				err := a.apply(t, a.config("web-0", "web-1"))
				if assert.Equal(t, c.at != "", err != nil, "%v", err); err != nil {
					a.Expect(t, c.at, "")
				}
				assert.Equal(t, want, a.noted()+", pending "+a.pending())
				assert.False(t, update && a.asked("web-0") > 0 || want == marked && a.asked("web-1") > 0, "a server in service is looked at again")
				switch {
				case c.fault != nil && update:
					assert.True(t, a.I.State.Equal(before), "the state is %s", a.I.State)
				case a.pending() != "none":
					state := protocol.Object(a.I.State)
					assert.Len(t, protocol.Object(state["servers"]), 2)
					assert.Equal(t, "web 10m", protocol.Text(state["cluster"])+" "+protocol.Text(state["timeout"]))
				}
			})
		}
	}
}

// TestMarksRefused: where Nova refuses the marks, the error says so, and does not accuse the image.
func TestMarksRefused(t *testing.T) {
	t.Parallel()
	a := await(t, fakecloud.Server{Name: "web-1"})
	a.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodPut, Path: "/servers/*/metadata/*", Status: http.StatusForbidden, Times: 2})
	require.Error(t, a.apply(t, a.config("web-0")))
	a.Expect(t, ": Servers are not in service", "let this user change the metadata of servers")
	assert.NotContains(t, a.Said(), "change it and apply")
	a.must(t, a.config("web-0"))
	assert.Equal(t, "web-0:1+ web-1:", a.noted())
	a.ids["web-2"] = a.Fake.AddServers("RegionOne", fakecloud.Server{Name: "web-2", Status: "ERROR"})[0] // in place of web-0
	require.Error(t, a.apply(t, a.config("web-2")))
	a.Expect(t, ": Servers are not in service", "No server that these replace was drained or destroyed.")
}

// TestRefreshed: a refresh finds the pending nodes. Then the plan is not empty, and a plan that
// removes the attachment, and not all, warns that the nodes are no longer waited for.
func TestRefreshed(t *testing.T) {
	t.Parallel()
	changed := func(change func(*fakecloud.Server)) func(awaiting) {
		return func(a awaiting) { a.Fake.UpdateServer("RegionTwo", a.ids["web-1"], change) }
	}
	noted := func(key, text string) func(awaiting) {
		return changed(func(s *fakecloud.Server) {
			if delete(s.Metadata, key); text != "" {
				s.Metadata[key] = text
			}
		})
	}
	for name, c := range map[string]struct {
		happens func(awaiting)
		pending string
	}{
		"nothing":       {func(awaiting) {}, ""},
		"in ERROR":      {changed(func(s *fakecloud.Server) { s.Status = "ERROR" }), ""},
		"no mark":       {noted(openstack.MarkKey, ""), "web-1"},
		"another mark":  {noted(openstack.MarkKey, "2"), "web-1"},
		"a drain":       {noted(openstack.DrainedKey, "2026-11-01T00:00:00Z"), "web-1"},
		"no server":     {func(a awaiting) { a.Fake.RemoveServers("RegionTwo", a.ids["web-1"]) }, "web-1"},
		"a cell, down":  {func(a awaiting) { a.Fake.SetCellDown("RegionTwo", true) }, ""},
		"a wait, ended": {noted(openstack.NotInServiceAtKey, "1 2026-11-01T00:00:00Z"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := await(t, fakecloud.Server{Name: "web-1"})
			a.must(t, a.config("web-0", "web-1"))
			c.happens(a)
			a.Later(t)
			a.Fake.ResetRequests()
			a.Look(t)
			assert.Equal(t, c.pending, a.pending(), "pending")
			assert.Equal(t, 2, a.Fake.Count("GET compute /servers/detail"), "lists, in two regions")
			assert.Equal(t, 2, a.Fake.Count("GET compute /servers/*"), "requests in all")
			down := a.Fake.Inject(refused)
			failed, err := a.Refresh(t.Context(), a.I)
			down.Remove()
			assert.Error(t, err, "where Nova cannot be asked")
			assert.True(t, failed.State.Equal(a.I.State), "the state is %s", failed.State)
			other := a.config("web-0", "web-1")
			other["cluster"] = "app"
			same := a.config("web-0", "web-1")
			for to, config := range map[string]attributes{"kept": same, "of another cluster": other, "removed": nil} {
				a.Later(t)
				planned := a.MustPlan(t, config)
				at, says := "", ""
				if c.pending != "" && to == "removed" {
					at = ": Servers are no longer waited for"
					says = `Cluster "web": this plan removes the readiness attachment, which still waits for 1 node: web-1.`
				}
				a.Expect(t, at, says)
				if to == "kept" {
					assert.Equal(t, c.pending == "", planned.Equal(a.I.State), "planned is %s", planned)
				}
			}
		})
	}
}

// TestOvertaken: a server must exist until the server that replaces it is in service. A region
// without servers of the plan is not asked.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	const warned = "servers: Servers were destroyed before others took their place"
	same := func(c attributes) attributes { return c }
	for name, c := range map[string]struct {
		then    []string // nodes of the second apply
		as      func(attributes) attributes
		gone    bool // whether web-0's first server is gone
		refresh bool
		at      string
	}{
		"it is there":              {[]string{"web-2", "web-1"}, same, false, false, ""},
		"it is gone":               {[]string{"web-2", "web-1"}, same, true, false, warned},
		"it is gone, and named":    {[]string{"web-2", "web-1"}, named, true, false, warned},
		"it is made again":         {[]string{"web-0", "web-1"}, same, true, false, ""}, // as RECREATE does
		"it was gone before":       {[]string{"web-2", "web-1"}, same, true, true, ""},
		"a region is left":         {[]string{"web-2"}, same, false, false, ""},
		"gone, and a region left":  {[]string{"web-2"}, same, true, false, warned},
		"left, with servers of it": {[]string{"web-1"}, same, true, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := await(t, fakecloud.Server{Name: "web-1"})
			a.must(t, a.config("web-0", "web-1"))
			first := a.ids["web-0"]
			for _, name := range []string{"web-0", "web-2"} {
				a.ids[name] = a.Fake.AddServers("RegionOne", fakecloud.Server{Name: name})[0]
			}
			if c.gone {
				a.Fake.RemoveServers("RegionOne", first)
			}
			if c.refresh {
				a.Look(t)
			}
			region := map[string]string{"web-2": "RegionTwo", "web-1": "RegionOne"}[c.then[0]]
			if len(c.then) == 1 {
				a.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Region: region, Status: http.StatusForbidden, Times: fakecloud.Forever})
			}
			a.must(t, c.as(a.config(c.then...)))
			a.Expect(t, c.at, map[bool]string{true: "The servers of web-0 were in service"}[c.at != ""])
		})
	}
}

// TestUnstored: the first plan names the servers that it makes again because the answer to their
// request was lost. It does not name servers that failed or are replaced, which Terraform knows.
func TestUnstored(t *testing.T) {
	t.Parallel()
	a := protocol.Attach(t, "stackpolicy_readiness_attachment")
	placed, err := a.Apply(t.Context(), protocol.Instance{Kind: "stackpolicy_placement_attachment"},
		attributes{"cluster": "web", "desired_capacity": 4, "regions": []any{attributes{"name": "RegionOne"}}})
	require.NoError(t, err)
	ids := a.Fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0"}, fakecloud.Server{Name: "web-1"}, fakecloud.Server{Name: "web-2"},
		fakecloud.Server{Name: "web-3", Status: "ERROR"})
	config := attributes{"cluster": "web", "nodes": attributes{"web-0": attributes{}}, "servers": attributes{"web-0": attributes{"id": ids[0]}}}
	a.Must(t, config)
	a.Later(t)
	_, err = a.Refresh(t.Context(), placed)
	require.NoError(t, err)
	one := attributes{"mark": "1"}
	config["nodes"] = attributes{"web-0": one, "web-1": one, "web-2": one, "web-3": one}
	config["servers"] = attributes{"web-0": attributes{"id": tftypes.UnknownValue}, "web-1": attributes{"id": tftypes.UnknownValue},
		"web-2": attributes{"id": ids[2]}, "web-3": attributes{"id": tftypes.UnknownValue}}
	a.MustPlan(t, config)
	a.Expect(t, "servers: Servers are there that this plan makes again", "have already: web-1 (server "+ids[1]+").")
	assert.Contains(t, a.Said(), `ADDRESS["web-1"]`)
}

// TestHome: a server without a region is in the provider's region, which must have a Nova.
func TestHome(t *testing.T) {
	t.Parallel()
	a := await(t, fakecloud.Server{Name: "web-1"})
	a.Fake.HideEndpoint(fakecloud.Compute, "RegionOne", true)
	assert.Error(t, a.apply(t, a.config("web-0", "web-1")))
	a.Expect(t, "servers: Unable to use the region", "RegionOne")
	a.must(t, a.config("web-1"))
}

// TestHooks: a plan refuses a hook that the provider block does not allow. A hook that does
// not complete is a warning, or the server is not in service, depending on default_result.
func TestHooks(t *testing.T) {
	t.Parallel()
	broken := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(broken.Close)
	_, good := acctest.StartConsumer(t, 0)
	webhook := func(result string) attributes {
		return attributes{"type": "webhook", "url": broken.URL, "default_result": result}
	}
	for name, c := range map[string]struct {
		hook     attributes
		at, says string
		noted    string
		block    attributes // provider block
	}{
		"a command": {attributes{"type": "command", "command": []any{"true"}, "default_result": "ABANDON"},
			"hook.type: Unable to run the hook", "allow_commands", "", nil},
		"one that fails": {webhook("ABANDON"), ": Servers are not in service", "): its hook did not complete: ", "-", nil},
		"one that fails and goes on": {webhook("CONTINUE"), ": A lifecycle hook did not complete\n: A lifecycle hook did not complete",
			"counts as ready", "1+", nil},
		"a webhook that completes": {attributes{"type": "webhook", "url": good, "default_result": "ABANDON"}, "", "", "1+", nil},
		"a command that may run": {attributes{"type": "command", "command": []any{"sh", "-c", "test $STACKPOLICY_TRANSITION = launch"},
			"default_result": "ABANDON"},
			"", "", "1+", attributes{"allow_commands": true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := await(t, fakecloud.Server{Name: "web-1"})
			a.Block = c.block
			config := named(a.config("web-0", "web-1"))
			config["hook"] = c.hook
			_ = a.apply(t, config) // its diagnostics are checked below
			a.Expect(t, c.at, c.says)
			assert.Equal(t, "web-0:"+c.noted+" web-1:"+c.noted, a.noted(), "noted")
		})
	}
}

// named adds the region to each server.
func named(config attributes) attributes {
	for _, server := range config["servers"].(attributes) {
		if s := server.(attributes); s["region"] == nil {
			s["region"] = "RegionOne"
		}
	}
	return config
}

// TestInterrupted: an interrupted apply says so, and the state has the pending nodes. An apply with another server does not
// wait for them again.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	consumer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		w.WriteHeader(http.StatusAccepted) // the provider asks again later
	}))
	t.Cleanup(consumer.Close)
	a := await(t, fakecloud.Server{Name: "web-1"})
	a.must(t, a.config("web-0"))
	config := a.config("web-0", "web-1")
	config["hook"] = attributes{"type": "webhook", "url": consumer.URL, "default_result": "ABANDON"}
	a.Later(t)
	var err error
	a.I, err = a.Apply(ctx, a.I, config)
	assert.Error(t, err)
	a.Expect(t, ": The wait for new servers was interrupted", "not in service yet: web-1. Apply again")
	assert.Equal(t, "web-0:1+ web-1:, pending web-1", a.noted()+", pending "+a.pending())
	a.ids["web-2"] = a.Fake.AddServers("RegionOne", fakecloud.Server{Name: "web-2"})[0]
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/web-1" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(silent.Close)
	config = a.config("web-0", "web-1", "web-2")
	config["http"] = attributes{"url": silent.URL + "/{name}"}
	a.Look(t)
	a.must(t, config)
	a.Expect(t, "servers: Servers are still not in service", "web-1: an earlier wait ended without them")
	assert.Equal(t, "web-0:1+ web-2:1+ web-1:", a.noted())
	delete(config, "http")
	a.Look(t)
	a.must(t, config)
	assert.Equal(t, "web-0:1+ web-2:1+ web-1:1+", a.noted())
}

// TestImported: an import, by the identity too, knows the cluster and the default timeout. The next apply waits
// for servers without a mark.
func TestImported(t *testing.T) {
	t.Parallel()
	a := await(t, fakecloud.Server{Name: "web-1"})
	var err error
	a.I, err = a.Adopt(t.Context(), a.I.Kind, "www")
	require.NoError(t, err)
	state := protocol.Object(a.I.State)
	for _, name := range slices.Sorted(maps.Keys(state)) {
		want := map[string]any{"id": "www", "cluster": "www", "timeout": "10m", "pending": []tftypes.Value{}}[name]
		assert.True(t, state[name].Equal(tftypes.NewValue(state[name].Type(), want)), "%s is %s", name, state[name])
	}
	a.must(t, a.config("web-0", "web-1"))
	assert.Equal(t, "web-0:1+ web-1:1+ web", a.noted()+" "+a.Shows("cluster"), "noted, and the cluster is the one of the configuration")
	a.I.State = tftypes.NewValue(a.I.State.Type(), nil)
	a.must(t, a.config("web-0"))
	got, err := a.AdoptBy(t.Context(), a.I.Kind, a.I.Identity)
	require.NoError(t, err)
	assert.Equal(t, "web", protocol.Text(protocol.Object(got.State)["cluster"]), "by its identity")
}

// TestInvalid: a fault is reported at its argument, and an unknown value is not reported.
func TestInvalid(t *testing.T) {
	t.Parallel()
	unknown := tftypes.UnknownValue
	at := func(address any, more attributes) attributes {
		config := attributes{"servers": attributes{"web-0": attributes{"id": "a", "access_ip_v4": address}}}
		maps.Copy(config, more)
		return config
	}
	http := func(url, status any) attributes { return attributes{"http": attributes{"url": url, "status": status}} }
	ssh := attributes{"tcp": attributes{"port": 22}}
	const address = `servers["web-0"]: Unusable address`
	for name, c := range map[string]struct {
		given attributes
		at    string
	}{
		"port 0":            {attributes{"tcp": attributes{"port": 0}}, "tcp.port: Invalid Attribute Value"},
		"port 65536":        {attributes{"tcp": attributes{"port": 65536}}, "tcp.port: Invalid Attribute Value"},
		"a port, not known": {attributes{"tcp": attributes{"port": unknown}}, ""},
		"half a second":     {attributes{"timeout": "1.5"}, "timeout: Invalid duration"},
		"two days":          {attributes{"timeout": "2d"}, "timeout: Invalid duration"},
		"a null server":     {attributes{"servers": attributes{"web-0": nil}}, "servers: Null Map Value"},
		"an address instead": {at("10.0.0.1", attributes{"tcp": ssh["tcp"], "addresses": attributes{"web-0": "169.254.1.1"}}),
			`addresses["web-0"]: Unusable address`},
		"a closed place":                  {at(nil, attributes{"tcp": ssh["tcp"], "nodes": attributes{"web-0": attributes{"closed": true}}}), ""},
		"nothing missing":                 {attributes{}, ""},
		"a bad URL":                       {http("ftp://x", nil), "http.url: Invalid URL"},
		"one service for all":             {http("http://x/", nil), "http.url: Invalid URL"},
		"a URL, not known":                {http(unknown, nil), ""},
		"bad statuses":                    {http("http://{name}", "many"), "http.status: Invalid HTTP statuses"},
		"statuses, not known":             {http("http://{name}", unknown), ""},
		"stable too long":                 {attributes{"stable_for": "10m", "timeout": "10m"}, "stable_for: Not enough time"},
		"stable for a second less":        {attributes{"stable_for": "599s", "timeout": "10m"}, ""},
		"stable, the timeout not known":   {attributes{"stable_for": "1h", "timeout": unknown}, ""},
		"a hook without its address":      {attributes{"hook": attributes{"type": "webhook", "default_result": "ABANDON"}}, "hook.url: Invalid hook"},
		"no address, which the plan says": {at(nil, ssh), ""},
		"no address, and none needed":     {at(nil, http("http://x/{name}", nil)), ""},
		"an address, not known":           {at(unknown, ssh), ""},
		"a link-local one":                {at("169.254.1.1", ssh), address},
		"a link-local one, allowed":       {at("169.254.1.1", attributes{"tcp": ssh["tcp"], "allow_link_local": true}), ""},
		"a link-local one, perhaps":       {at("169.254.1.1", attributes{"tcp": ssh["tcp"], "allow_link_local": unknown}), ""},
		"what is no address":              {at("web-0/x", http("http://{address}/", nil)), address},
		"what is no address, not needed":  {at("web-0/x", nil), ""},
	} {
		a := protocol.Attach(t, "stackpolicy_readiness_attachment")
		config := attributes{"cluster": "web", "nodes": attributes{"web-0": attributes{}}, "servers": attributes{}}
		maps.Copy(config, c.given)
		_ = a.Validate(t.Context(), a.I.Kind, config) // its diagnostics are checked below
		assert.Equal(t, c.at, a.At(), name)
	}
}

// TestNoAddress: a plan says that a server has no address, and why if it is in ERROR.
func TestNoAddress(t *testing.T) {
	t.Parallel()
	a := protocol.Attach(t, "stackpolicy_readiness_attachment")
	config := attributes{"cluster": "web", "nodes": attributes{"web-0": attributes{}}, "servers": attributes{"web-0": attributes{"id": "a"}},
		"tcp": attributes{"port": 22}}
	_, err := a.Plan(t.Context(), a.Request(a.I, config))
	require.ErrorContains(t, err, `Unusable address`)
	var walk backend.Walk
	walk.Publish("web", backend.Cluster{Nodes: map[string]backend.Node{"web-0": {Dead: []string{"a"}}}})
	assert.True(t, walk.IsDead("web", "web-0", "a"))
	assert.False(t, walk.IsDead("web", "web-0", "b"))
}

// TestChecked: a node is probed over HTTP by its name, over TCP at its address, and for as long as it must be stable. Then
// the consumer of the hook gets all that the configuration says about the node.
func TestChecked(t *testing.T) {
	t.Parallel()
	var asked []time.Time
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked = append(asked, time.Now()); r.URL.Path == "/web-1" && len(asked) > 1 {
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(service.Close)
	consumer, url := acctest.StartConsumer(t, 0)
	a := await(t, fakecloud.Server{Name: "web-1"})
	config := a.config("web-1")
	config["servers"].(attributes)["web-1"].(attributes)["access_ip_v4"] = "127.0.0.1"
	config["nodes"].(attributes)["web-1"].(attributes)["mark"] = "2-0f3a9c21"
	config["http"] = attributes{"url": service.URL + "/{name}", "status": "204"}
	config["tcp"] = attributes{"port": service.Listener.Addr().(*net.TCPAddr).Port}
	config["stable_for"], config["hook"] = "1s", attributes{"type": "webhook", "url": url, "default_result": "ABANDON"}
	a.must(t, config)
	if n := len(asked); n < 3 || asked[n-1].Sub(asked[1]) < time.Second {
		t.Errorf("asked at %v", asked)
	}
	want := map[string]string{"node_id": a.ids["web-1"], "resource_id": a.ids["web-1"], "lifecycle_transition_type": "launch", "region": "RegionTwo",
		"node_name": "web-1",
		"cluster":   "web", "address": "127.0.0.1", "consumer": strings.TrimPrefix(url, "http://")}
	require.Len(t, consumer.Nodes, 1)
	for token, got := range consumer.Nodes {
		want["lifecycle_action_token"] = token
		assert.Equal(t, want, got)
	}
	assert.Equal(t, "web-0: web-1:2-0f3a9c21+", a.noted())
}

// TestPlanned: a plan refuses a server that does not follow its node, at the server. A server that stays keeps what the state
// says of it, because terraform-provider-openstack changes that at apply. Unknown servers are no mistake.
func TestPlanned(t *testing.T) {
	t.Parallel()
	a := await(t, fakecloud.Server{Name: "web-1"})
	config := a.config("web-0", "web-1")
	server := config["servers"].(attributes)["web-0"].(attributes)
	server["flavor_name"], server["availability_zone"] = "m1.tiny", "az-1"
	a.must(t, config)
	server["flavor_name"], server["availability_zone"] = "m1.small", "az-2"
	assert.True(t, a.MustPlan(t, config).Equal(a.I.State), "what the cloud says of a server is no change")
	config["timeout"] = "5m"
	planned := protocol.Object(protocol.Object(protocol.Object(a.MustPlan(t, config))["servers"])["web-0"])
	assert.Equal(t, "m1.tiny", protocol.Text(planned["flavor_name"]))
	server["name"] = "other"
	_, err := a.Plan(t.Context(), a.Request(a.I, config))
	assert.Error(t, err)
	assert.Contains(t, a.At(), `servers["web-0"]: The servers do not follow their nodes`)
	assert.Contains(t, a.Said(), "Write name = each.key")
	config["servers"] = tftypes.UnknownValue
	a.Later(t)
	a.MustPlan(t, config)
	a.Expect(t, "", "")
}
