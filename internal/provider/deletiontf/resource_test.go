package deletiontf_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

type attributes = protocol.Attributes

// leaver is a server with a deletion attachment.
type leaver struct {
	*protocol.Attachment
	id string // id of the server
}

func leave(t *testing.T, region string) *leaver {
	t.Helper()
	l := &leaver{Attachment: protocol.Attach(t, "stackpolicy_deletion_attachment")}
	l.id = l.Fake.AddServers(region, fakecloud.Server{Name: "web-0", Zone: "az-1"})[0]
	return l
}

// apply returns a command that applies a configuration of the server; nil destroys the attachment.
func (l *leaver) apply(t *testing.T, config attributes) error {
	t.Helper()
	l.Later(t)
	if config != nil {
		config["server_id"] = l.id
	}
	return l.Try(t, config)
}

func (l *leaver) must(t *testing.T, config attributes) {
	t.Helper()
	require.NoError(t, l.apply(t, config))
}

// server returns the server as Nova has it.
func (l *leaver) server() fakecloud.Server {
	servers := append(l.Fake.Servers("RegionOne"), l.Fake.Servers("RegionTwo")...)
	return servers[slices.IndexFunc(servers, func(s fakecloud.Server) bool { return s.ID == l.id })]
}

func webhook(url, result string) attributes {
	return attributes{"type": "webhook", "url": url, "default_result": result, "timeout": "1m"}
}

// TestMessage: the consumer of a hook gets all that the attachment says about its node. The
// token stays when the attachment changes.
func TestMessage(t *testing.T) {
	t.Parallel()
	for _, region := range []string{"RegionOne", "RegionTwo"} {
		consumer, url := acctest.StartConsumer(t, 0)
		l := leave(t, region)
		config := func(name string) attributes {
			c := attributes{"cluster": "web", "node_name": name, "hook": webhook(url, "ABANDON")}
			if region != "RegionOne" { // the provider's region
				c["region"] = region
			}
			return c
		}
		l.must(t, config("web"))
		before := l.I.Private
		l.must(t, config("web-0"))
		assert.Equal(t, before, l.I.Private, "the token stays")
		l.must(t, nil)
		require.Len(t, consumer.Nodes, 1)
		token := slices.Collect(maps.Keys(consumer.Nodes))[0]
		want := map[string]string{"lifecycle_action_token": token, "node_id": l.id, "resource_id": l.id, "lifecycle_transition_type": "termination",
			"region": region, "node_name": "web-0", "cluster": "web", "consumer": strings.TrimPrefix(url, "http://")}
		assert.Len(t, token, 26)
		assert.Equal(t, want, consumer.Nodes[token], region)
	}
}

// TestDrain: the destruction takes the steps that the attachment names, and without steps it sends
// no request. The plan announces the steps; an import announces nothing. A drain is noted in Nova,
// and removes the mark.
func TestDrain(t *testing.T) {
	t.Parallel()
	const mark = openstack.MarkKey
	for name, c := range map[string]struct {
		config attributes
		noted  string // metadata key of the note at the server
		status string // status of the server at the end
		says   string // warning of the plan
		warns  string // warning of the apply
	}{
		"a command": {attributes{"shutdown": false, "hook": attributes{"type": "command",
			"command": []any{"sh", "-c", "test $STACKPOLICY_TRANSITION$OS_PASSWORD = termination"}, "default_result": "ABANDON"}}, mark,
			"ACTIVE", "command hook.", ""},
		"nothing":        {attributes{"shutdown": false}, mark, "ACTIVE", "", ""},
		"a shutdown":     {attributes{}, mark, "SHUTOFF", ": shutdown.", ""},
		"a grace period": {attributes{"shutdown": false, "grace_period": "1s"}, mark, "ACTIVE", ": grace period of 1s.", ""},
		"both":           {attributes{"grace_period": "1s"}, mark, "SHUTOFF", "grace period of 1s, shutdown.", ""},
		"disabled":       {attributes{"enabled": false}, mark, "ACTIVE", "", ""},
		"not known to be": {attributes{"shutdown": false, "hook": webhook("", "CONTINUE")}, "", "ACTIVE", ": webhook hook.",
			": The node was not drained in full"},
		"never in service":    {attributes{"hook": webhook("", "CONTINUE"), "grace_period": "1d"}, openstack.NotInServiceAtKey, "SHUTOFF", "", ""},
		"a hook that goes on": {attributes{"hook": webhook("", "CONTINUE")}, mark, "SHUTOFF", "webhook hook, shutdown.", ": The node was not drained in full"},
		"imported":            {nil, mark, "SHUTOFF", ": shutdown.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := leave(t, "RegionOne")
			l.Block = attributes{"allow_commands": true}
			if c.noted != "" {
				l.Fake.UpdateServer("RegionOne", l.id, func(s *fakecloud.Server) {
					s.Metadata = map[string]string{c.noted: map[bool]string{true: "1", false: "1 2026-11-22T09:00:00Z"}[c.noted == mark]}
				})
			}
			if hook, ok := c.config["hook"].(attributes); ok && hook["type"] == "webhook" {
				broken := httptest.NewServer(http.NotFoundHandler())
				t.Cleanup(broken.Close)
				hook["url"] = broken.URL
			}
			if c.config == nil {
				imported, err := l.Adopt(t.Context(), l.I.Kind, "RegionOne/"+l.id)
				require.NoError(t, err)
				l.I = imported
			} else {
				l.must(t, c.config)
			}
			l.Later(t)
			says := strings.ReplaceAll(c.says, "%s", l.id)
			l.Look(t)
			l.MustPlan(t, nil)
			assert.Equal(t, says == "", l.Said() == "", l.Said())
			assert.Contains(t, l.Said(), says, "the plan")
			l.Fake.ResetRequests()
			l.must(t, nil)
			assert.Contains(t, l.At(), c.warns, "the apply")
			assert.Equal(t, c.warns != "", strings.Contains(l.At(), "not drained"), "the apply says %s", l.Said())
			assert.Equal(t, c.status, l.server().Status, "the server")
			noted, marked := l.server().Metadata[openstack.DrainedKey] != "", l.server().Metadata[openstack.MarkKey] != ""
			drains := c.says != ""
			assert.Equal(t, []bool{drains, c.noted == mark && !drains}, []bool{noted, marked}, "Nova has %v", l.server().Metadata)
			if c.says == "" && c.noted == mark {
				assert.Zero(t, l.Fake.Count("GET compute /servers/*"), "requests for a server that is not drained")
			}
		})
	}
}

// TestDrainFails: a node that is not drained stays, and the error says what to do. An error page of a
// load balancer does not say that a server is gone.
func TestDrainFails(t *testing.T) {
	t.Parallel()
	broken := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(broken.Close)
	page := &fakecloud.Fault{Method: http.MethodGet, Path: "/servers/*", Status: http.StatusNotFound, Times: fakecloud.Forever, Body: "<html>404</html>",
		Header: http.Header{"Content-Type": {"text/html"}}}
	runs, locked := fakecloud.Server{}, fakecloud.Server{LockedBy: "admin"}
	for name, c := range map[string]struct {
		config attributes
		server fakecloud.Server
		fault  *fakecloud.Fault
		at     string
		says   string
	}{
		"a hook": {attributes{"hook": webhook(broken.URL, "ABANDON")}, runs, nil, ": A lifecycle hook did not complete", `because default_result is "ABANDON"`},
		"a lock": {attributes{"shutdown": true}, locked, nil, ": The server is locked", "openstack server unlock"},
		"a stop": {attributes{"shutdown": true}, fakecloud.Server{Stuck: true}, nil, ": Nova cannot stop the server",
			`it is still ACTIVE: Nova began twice to stop it, and failed ("Error", request req-`},
		"its own limit": {attributes{"grace_period": "10s", "timeouts": attributes{"delete": "1s"}}, runs, nil, ": Unable to drain the node",
			"not done within 1s, which timeouts.delete allows"},
		"nothing, locked":   {attributes{"shutdown": true, "enabled": false}, locked, nil, "", ""},
		"nothing, limited":  {attributes{"shutdown": false, "timeouts": attributes{"delete": "1s"}}, runs, nil, "", ""},
		"a page, no server": {attributes{"shutdown": true}, runs, page, ": Unable to drain the node", "404"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := leave(t, "RegionOne")
			l.must(t, c.config)
			l.Fake.UpdateServer("RegionOne", l.id, func(s *fakecloud.Server) { s.LockedBy, s.Stuck = c.server.LockedBy, c.server.Stuck })
			var injected *fakecloud.Injected
			if c.fault != nil {
				injected = l.Fake.Inject(*c.fault)
			}
			err := l.apply(t, nil)
			assert.Equal(t, c.at == "", err == nil, "%v", err)
			assert.Contains(t, l.At(), c.at)
			assert.Contains(t, fmt.Sprint(err), c.says)
			assert.Equal(t, c.at == "", l.I.State.IsNull(), "the state is %s", l.I.State)
			assert.True(t, injected == nil || injected.Fired() > 0, "the fault hit nothing")
			assert.True(t, c.server.LockedBy == "" || l.server().Metadata[openstack.DrainedKey] == "", "a server that stays in service was noted as drained")
			if err != nil && c.server.LockedBy != "" { // as the error says
				l.Fake.UpdateServer("RegionOne", l.id, func(s *fakecloud.Server) { s.LockedBy = "" })
				l.must(t, nil)
				assert.NotEmpty(t, l.server().Metadata[openstack.DrainedKey])
			}
		})
	}
}

// TestTogether: each attachment that a plan destroys has a warning of one title, which Terraform merges. A refresh lists
// the servers once.
func TestTogether(t *testing.T) {
	t.Parallel()
	l := leave(t, "RegionOne")
	var all []protocol.Instance
	for _, id := range append(l.Fake.AddServers("RegionOne", fakecloud.Server{}, fakecloud.Server{}), l.id) {
		i, err := l.Apply(t.Context(), protocol.Instance{Kind: l.I.Kind}, attributes{"server_id": id, "shutdown": true})
		require.NoError(t, err)
		all = append(all, i)
	}
	look := func(i protocol.Instance) {
		_, err := l.Refresh(t.Context(), i)
		assert.NoError(t, err)
	}
	plan := func(i protocol.Instance) {
		_, err := l.Plan(t.Context(), l.Request(i, nil))
		assert.NoError(t, err)
	}
	l.Later(t)
	l.Fake.ResetRequests()
	for _, i := range all {
		look(i)
	}
	assert.Equal(t, 1, l.Fake.Count("GET compute /servers"), "lists of servers")
	assert.Zero(t, l.Fake.Count("GET compute /servers/*"), "servers that were asked for")
	for _, i := range all {
		plan(i)
	}
	const drained = ": Servers will be drained" // Terraform merges warnings of one title
	assert.Equal(t, drained+"\n"+drained+"\n"+drained, l.At())
	assert.Contains(t, l.Said(), "to   = stackpolicy_deletion_attachment.NEW_NAME", "no plan of a placement attachment says that they leave")
}

// TestDeletedMeanwhile: a server is deleted while the list is read, and Nova cannot
// continue the list after it. The servers that the list lacks are read one by one.
func TestDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	l := &leaver{Attachment: protocol.AttachIn(t, "stackpolicy_deletion_attachment", fakecloud.Config{PageLimit: 1})}
	for range 3 {
		l.id = l.Fake.AddServers("RegionOne", fakecloud.Server{})[0]
	}
	first := l.Fake.Servers("RegionOne")[0].ID // in the last page
	var all []protocol.Instance
	for _, id := range []string{first, l.id} {
		i, err := l.Apply(t.Context(), protocol.Instance{Kind: l.I.Kind}, attributes{"server_id": id})
		require.NoError(t, err)
		all = append(all, i)
	}
	l.Later(t)
	lost := l.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, PathRegexp: regexp.MustCompile(`/servers\?marker=`), Status: http.StatusBadRequest,
		Times: fakecloud.Forever})
	for _, i := range all {
		after, err := l.Refresh(t.Context(), i)
		assert.NoError(t, err)
		assert.False(t, after.State.IsNull(), "it counts as gone")
	}
	assert.Equal(t, 3, lost.Fired(), "pages that were lost")
}

// TestInvalid: the schema refuses each of these. The package hookblock tests hooks.
func TestInvalid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		given attributes
		at    string
	}{
		"no region":     {attributes{"region": ""}, "region: Invalid Attribute Value Length"},
		"half a second": {attributes{"grace_period": "0.5"}, "grace_period: Invalid duration"},
		"before":        {attributes{"grace_period": "-1"}, "grace_period: Invalid duration"},
		"no time":       {attributes{"timeouts": attributes{"delete": "0s"}}, "timeouts.delete: Invalid duration"},
		"all well":      {attributes{"hook": webhook("https://x/", "ABANDON")}, ""},
	} {
		l := leave(t, "RegionOne")
		c.given["server_id"] = l.id
		err := l.Validate(t.Context(), l.I.Kind, c.given)
		assert.Equal(t, c.at, l.At(), "%s: %v, said", name, err)
	}
}

// TestImported: an identity may leave the region out; it defaults to the provider's.
func TestImported(t *testing.T) {
	t.Parallel()
	l := leave(t, "RegionOne")
	got, err := l.AdoptBy(t.Context(), l.I.Kind, l.Identified(t, l.I.Kind, attributes{"server_id": l.id}))
	require.NoError(t, err)
	assert.Equal(t, "RegionOne", protocol.Shown(protocol.Object(got.State)["region"]))
}

// TestFound: a server that is not in its region is reported as unknown, and a server that
// Nova cannot be asked for does not count as gone.
func TestFound(t *testing.T) {
	t.Parallel()
	down := fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodGet, Path: "/servers/*", Status: http.StatusForbidden, Times: fakecloud.Forever}
	list := down
	list.Path = "/servers"
	detail := down
	detail.Path = "/servers/detail"

	l := leave(t, "RegionTwo")
	there := l.id
	l.id = "00000000-0000-0000-0000-000000000000"
	assert.Error(t, l.apply(t, attributes{}), "nowhere")
	l.Expect(t, "server_id: Unknown server", "")
	assert.NotContains(t, l.Said(), "It is in")
	l.id = there
	l.must(t, attributes{"region": "RegionTwo", "shutdown": true})
	before := l.I.State
	for _, region := range []string{"RegionOne", "Atlantis"} {
		assert.Error(t, l.apply(t, attributes{"region": region, "shutdown": true}), region)
		assert.True(t, l.I.State.Equal(before), "%s: the state is %s", region, l.I.State)
	}

	faults := []*fakecloud.Injected{l.Fake.Inject(down), l.Fake.Inject(list), l.Fake.Inject(detail)}
	l.Later(t)
	after, err := l.Refresh(t.Context(), l.I)
	assert.Error(t, err, "the refresh")
	assert.False(t, after.State.IsNull(), "it counts as gone")
	_, err = l.Apply(t.Context(), protocol.Instance{Kind: l.I.Kind}, attributes{"server_id": l.id, "region": "RegionTwo"})
	assert.Error(t, err, "a new one")
	l.Expect(t, ": Unable to read the server\n: Unable to read the server", "")
	for _, f := range faults {
		f.Remove()
	}
	l.Fake.RemoveServers("RegionTwo", l.id)
	l.Later(t)
	l.Look(t)
	assert.True(t, l.I.State.IsNull(), "it is gone")
}

// TestStays: a plan that drains a server which keeps an attachment is refused, in whichever
// order the two are planned. If an attachment gets another server, the old server is drained.
func TestStays(t *testing.T) {
	t.Parallel()
	const refused, drained = ": Servers that stay would be drained", ": Servers will be drained"
	for name, c := range map[string]struct {
		other any // server of another block; "same" is the same server
		first bool
		at    string
	}{
		"the same, first":     {"same", true, refused},
		"the same, last":      {"same", false, drained + "\n" + refused},
		"another":             {"other", true, drained},
		"one not known":       {tftypes.UnknownValue, true, drained},
		"one not known, last": {tftypes.UnknownValue, false, drained},
	} {
		l := leave(t, "RegionOne")
		l.must(t, attributes{"shutdown": true})
		if c.other == "same" {
			c.other = l.id
		}
		l.Later(t)
		l.Look(t)
		stay := func() {
			for range 2 { // several unknown servers are not the same server
				req := l.Request(protocol.Instance{Kind: l.I.Kind}, attributes{"server_id": c.other, "shutdown": true})
				if resp, err := l.Plan(t.Context(), req); err == nil {
					assert.Equal(t, "unknown", protocol.Shown(protocol.Object(l.Planned(resp))["region"]), "%s: the region", name)
				}
				if c.other == l.id {
					break
				}
			}
		}
		if c.first {
			stay()
		}
		_, _ = l.Plan(t.Context(), l.Request(l.I, nil))
		if !c.first {
			stay()
		}
		assert.Equal(t, c.at, l.At(), "%s: said", name)
	}

	l := leave(t, "RegionOne")
	l.must(t, attributes{"shutdown": true, "node_name": "web-0"})
	l.Later(t)
	l.Look(t)
	config := attributes{"server_id": "another", "region": "RegionOne", "shutdown": true, "node_name": "web-0"}
	resp, err := l.Plan(t.Context(), l.Request(l.I, config))
	require.NoError(t, err)
	assert.NotEmpty(t, resp.RequiresReplace, "another server")
	l.Expect(t, drained, "\nweb-0: shutdown.")
	assert.Equal(t, "another", protocol.Shown(protocol.Object(l.Planned(resp))["server_id"]))

	// Terraform plans only the new attachment if -replace or a taint makes one again.
	for _, look := range []func(){func() { l.Look(t) }, func() {
		_, _ = l.Plan(t.Context(), l.Request(l.I, attributes{"server_id": l.id, "shutdown": true}))
	}} {
		l.Later(t)
		look()
		_, err := l.Plan(t.Context(), l.Request(protocol.Instance{Kind: l.I.Kind}, attributes{"server_id": l.id, "shutdown": true}))
		assert.Error(t, err, "made again")
		assert.Regexp(t, refused+"$", l.At())
	}
}

// TestChanged: an update plans and stores the configuration. Nova is asked
// only if the region changes. Both regions have a server with the id.
func TestChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after attributes
		region        string // planned region
		looks         int
	}{
		"the drain": {attributes{"region": "RegionTwo"},
			attributes{"region": "RegionTwo", "shutdown": true, "grace_period": "10m", "cluster": "web"}, "RegionTwo", 0},
		"the region":     {attributes{"region": "RegionTwo"}, attributes{"region": "RegionOne"}, "RegionOne", 1},
		"to none":        {attributes{"region": "RegionOne"}, attributes{}, "RegionOne", 0}, // the region is computed
		"from none":      {attributes{}, attributes{"region": "RegionTwo"}, "RegionTwo", 1},
		"to the same":    {attributes{}, attributes{"region": "RegionOne"}, "RegionOne", 0},
		"to one unknown": {attributes{"region": "RegionTwo"}, attributes{"region": tftypes.UnknownValue}, "unknown", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := leave(t, "RegionOne")
			l.Fake.AddServers("RegionTwo", fakecloud.Server{ID: l.id, Name: "web-0"})
			l.must(t, c.before)
			c.after["server_id"] = l.id
			l.Later(t)
			planned := protocol.Shown(protocol.Object(l.MustPlan(t, c.after))["region"])
			assert.Equal(t, c.region, planned, "planned")
			if c.region == "unknown" {
				return
			}
			l.Fake.ResetRequests()
			l.must(t, c.after)
			assert.Equal(t, c.looks, l.Fake.Count("GET compute /servers/*"), "looks")
			assert.Empty(t, l.Said())
			assert.Equal(t, c.region, l.Shows("region"))
			for name, given := range c.after {
				if text, ok := given.(string); ok {
					assert.Equal(t, text, l.Shows(name), name)
				}
			}
			identity := l.Identity(t, l.I)
			assert.Equal(t, c.region+"/"+l.id, protocol.Text(identity["region"])+"/"+protocol.Text(identity["server_id"]), "the identity")
		})
	}
}

// TestHookRefused: a hook that is wrong, or not allowed, is refused before anything is made, and once for all nodes.
func TestHookRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config   attributes
		at, says string
	}{
		"a command": {attributes{"hook": attributes{"type": "command", "command": []any{"true"}, "default_result": "ABANDON"}},
			"hook.type: Unable to run the hook", "allow_commands"},
		"no address": {attributes{"hook": attributes{"type": "webhook", "default_result": "ABANDON"}}, "hook.url: Invalid hook", "needs url"},
	} {
		l := leave(t, "RegionOne")
		c.config["server_id"] = l.id
		if err := l.Validate(t.Context(), l.I.Kind, c.config); err == nil {
			for range 2 { // their diagnostics are checked below
				_, _ = l.Plan(t.Context(), l.Request(l.I, c.config))
			}
		}
		assert.Equal(t, c.at, l.At(), name)
		assert.Contains(t, l.Said(), c.says, name)
	}
}

// TestGoesOn: a failed destruction continues where it failed: a completed hook does not run
// again, and the server still counts as one that was in service, although its mark is gone.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	consumer, url := acctest.StartConsumer(t, 0)
	l := leave(t, "RegionOne")
	l.Fake.UpdateServer("RegionOne", l.id, func(s *fakecloud.Server) { s.Metadata = map[string]string{openstack.MarkKey: "1"} })
	l.must(t, attributes{"shutdown": true, "hook": webhook(url, "ABANDON")})
	down := l.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodPost, Path: "/servers/*/action", Status: http.StatusForbidden,
		Times: fakecloud.Forever})
	for range 2 {
		assert.Error(t, l.apply(t, nil))
		assert.False(t, l.I.State.IsNull())
		assert.Regexp(t, ": Unable to drain the node$", l.At())
	}
	down.Remove()
	l.must(t, nil)
	assert.Equal(t, 1, consumer.Posts, "messages")
	assert.Equal(t, "SHUTOFF", l.server().Status)
}

// TestElsewhere: the region that has the server is named, although another region does not answer.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	var regions []fakecloud.Region
	for _, name := range []string{"Dark", "RegionOne", "RegionTwo"} { // asked in this order
		regions = append(regions, fakecloud.Region{Name: name, Zones: []fakecloud.Zone{{Name: "az-1", Hosts: []string{name + "-cmp-1"}}}})
	}
	l := &leaver{Attachment: protocol.AttachIn(t, "stackpolicy_deletion_attachment", fakecloud.Config{Regions: regions})}
	l.id = l.Fake.AddServers("RegionTwo", fakecloud.Server{Name: "web-0"})[0]
	l.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Region: "Dark", Status: http.StatusForbidden, Times: fakecloud.Forever})
	assert.Error(t, l.apply(t, attributes{}))
	l.Expect(t, "server_id: Unknown server", `The region "RegionTwo" has it: give that region.`)
}
