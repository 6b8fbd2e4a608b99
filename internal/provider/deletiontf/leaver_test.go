package deletiontf_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

type attributes = protocol.Attributes

// leaver is a server with a deletion attachment.
type leaver struct {
	*protocol.Attachment
	id string // of the server
}

func leave(t *testing.T, region string) *leaver {
	t.Helper()
	l := &leaver{Attachment: protocol.Attach(t, "stackpolicy_deletion_attachment")}
	l.id = l.Fake.AddServers(region, fakecloud.Server{Name: "web-0", Zone: "az-1"})[0]
	return l
}

// apply is a command that applies a configuration of the server; nil destroys the attachment.
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
	if err := l.apply(t, config); err != nil {
		t.Fatal(err)
	}
}

func (l *leaver) status(t *testing.T) string {
	t.Helper()
	servers := append(l.Fake.Servers("RegionOne"), l.Fake.Servers("RegionTwo")...)
	i := slices.IndexFunc(servers, func(s fakecloud.Server) bool { return s.ID == l.id })
	return servers[i].Status
}

func webhook(url, result string) attributes {
	return attributes{"type": "webhook", "url": url, "default_result": result, "timeout": "1m"}
}

// TestMessage: the consumer of a hook learns all that the attachment says of its node. The
// token stays when the attachment changes.
func TestMessage(t *testing.T) {
	t.Parallel()
	for _, region := range []string{"RegionOne", "RegionTwo"} {
		consumer, url := acctest.StartConsumer(t, 0)
		l := leave(t, region)
		config := func(name string) attributes {
			c := attributes{"cluster": "web", "node_name": name, "hook": webhook(url, "ABANDON")}
			if region != "RegionOne" { // which is the provider's
				c["region"] = region
			}
			return c
		}
		l.must(t, config("web"))
		token := l.Shows("lifecycle_action_token")
		l.must(t, config("web-0"))
		l.must(t, nil)
		want := map[string]string{"lifecycle_action_token": token, "node_id": l.id, "lifecycle_transition_type": "termination", "region": region,
			"node_name": "web-0", "cluster": "web"}
		got := consumer.Nodes[token]
		if token == "" || len(got) != len(want) {
			t.Errorf("%s: got %v, want %v", region, got, want)
		}
		for name, text := range want {
			if got[name] != text {
				t.Errorf("%s: %s is %q, want %q", region, name, got[name], text)
			}
		}
	}
}

// TestDrain: the destruction does what the attachment says, and asks for nothing where it
// says nothing. The plan says so first, and an import says nothing.
func TestDrain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config attributes
		marked bool   // in service
		status string // in the end
		says   string // of the plan
		warns  string // and of the apply
	}{
		"nothing":                  {attributes{}, true, "ACTIVE", "", ""},
		"a shutdown":               {attributes{"shutdown": true}, true, "SHUTOFF", "Each server is drained: shutdown.", ""},
		"a grace period":           {attributes{"grace_period": "1s"}, true, "ACTIVE", "Each server is drained: grace period of 1s.", ""},
		"both":                     {attributes{"shutdown": true, "grace_period": "1s"}, true, "SHUTOFF", "shutdown, grace period of 1s.", ""},
		"disabled":                 {attributes{"shutdown": true, "enabled": false}, true, "ACTIVE", "", ""},
		"in service":               {attributes{"hook": webhook("", "CONTINUE"), "only_in_service": true}, true, "ACTIVE", "webhook hook, if it was in service.", ": The node was not drained in full"},
		"never in service":         {attributes{"hook": webhook("", "CONTINUE"), "only_in_service": true}, false, "ACTIVE", "webhook hook, if it was in service.", ""},
		"a hook that goes on":      {attributes{"hook": webhook("", "CONTINUE")}, true, "ACTIVE", "webhook hook.", ": The node was not drained in full"},
		"imported":                 {nil, true, "ACTIVE", "", ""},
		"imported, with a refresh": {nil, true, "ACTIVE", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := leave(t, "RegionOne")
			if c.marked {
				l.Fake.UpdateServer("RegionOne", l.id, func(s *fakecloud.Server) {
					s.Metadata = map[string]string{"stackpolicy_in_service": "1"}
				})
			}
			if hook, ok := c.config["hook"].(attributes); ok {
				broken := httptest.NewServer(http.NotFoundHandler())
				t.Cleanup(broken.Close)
				hook["url"] = broken.URL
			}
			if c.config == nil {
				var err error
				if l.I, err = l.Adopt(t.Context(), l.I.Kind, "RegionOne/"+l.id); err != nil {
					t.Fatal(err)
				}
			} else {
				l.must(t, c.config)
			}
			l.Later(t)
			if _, err := l.Plan(t.Context(), l.Request(l.I, nil)); err != nil || (l.Said() == "") != (c.says == "") || !strings.Contains(l.Said(), c.says) {
				t.Errorf("%v, the plan says %q", err, l.Said())
			}
			l.Fake.ResetRequests()
			l.must(t, nil)
			if !strings.Contains(l.At(), c.warns) || c.warns == "" && strings.Contains(l.At(), "not drained") {
				t.Errorf("the apply says %s", l.Said())
			}
			if got := l.status(t); got != c.status {
				t.Errorf("the server is %s, want %s", got, c.status)
			}
			if asked := l.Fake.Count("GET compute /servers/*"); c.says == "" && asked > 0 {
				t.Errorf("%d requests for a server that is not drained", asked)
			}
		})
	}
}

// TestDrainFails: a node that is not drained stays, and what to do about it is said.
func TestDrainFails(t *testing.T) {
	t.Parallel()
	broken := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(broken.Close)
	for name, c := range map[string]struct {
		config attributes
		locked bool
		at     string
		says   string
	}{
		"a hook":           {attributes{"hook": webhook(broken.URL, "ABANDON")}, false, ": A lifecycle hook did not complete", `because default_result is "ABANDON"`},
		"a lock":           {attributes{"shutdown": true}, true, ": The server is locked", "openstack server unlock"},
		"its own limit":    {attributes{"grace_period": "10s", "timeouts": attributes{"delete": "1s"}}, false, ": Unable to drain the node", "not done within 1s, which timeouts.delete allows"},
		"nothing, locked":  {attributes{"shutdown": true, "enabled": false}, true, "", ""},
		"nothing, limited": {attributes{"timeouts": attributes{"delete": "1s"}}, false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := leave(t, "RegionOne")
			l.must(t, c.config)
			if c.locked {
				l.Fake.UpdateServer("RegionOne", l.id, func(s *fakecloud.Server) { s.LockedBy = "admin" })
			}
			err := l.apply(t, nil)
			if (err == nil) != (c.at == "") || err != nil && (!strings.Contains(l.At(), c.at) || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%v, at %s", err, l.At())
			}
			if l.I.State.IsNull() != (c.at == "") {
				t.Errorf("the state is %s", l.I.State)
			}
		})
	}
}

// TestFound: a server that is not where it is said to be is no server, and one that Nova
// cannot be asked for is not gone.
func TestFound(t *testing.T) {
	t.Parallel()
	down := fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodGet, Path: "/servers/*", Status: http.StatusForbidden, Times: fakecloud.Forever}
	list := down
	list.Path = "/servers"
	detail := down
	detail.Path = "/servers/detail"

	l := leave(t, "RegionTwo")
	if err := l.apply(t, attributes{}); err == nil || l.At() != "server_id: Unknown server" || !strings.Contains(l.Said(), `It is in the region "RegionTwo": give that.`) {
		t.Errorf("%v, %s", err, l.At())
	}
	there := l.id
	l.id = "00000000-0000-0000-0000-000000000000"
	if err := l.apply(t, attributes{}); err == nil || l.At() != "server_id: Unknown server" || strings.Contains(l.Said(), "It is in") {
		t.Errorf("nowhere: %v, %s", err, l.Said())
	}
	l.id = there
	l.must(t, attributes{"region": "RegionTwo", "shutdown": true})
	before := l.I.State
	if err := l.apply(t, attributes{"region": "RegionOne", "shutdown": true}); err == nil || !l.I.State.Equal(before) {
		t.Errorf("another region: %v, the state is %s", err, l.I.State)
	}
	if err := l.apply(t, attributes{"region": "Atlantis"}); err == nil || !l.I.State.Equal(before) {
		t.Errorf("no region: %v, the state is %s", err, l.I.State)
	}

	faults := []*fakecloud.Injected{l.Fake.Inject(down), l.Fake.Inject(list), l.Fake.Inject(detail)}
	l.Later(t)
	if after, err := l.Refresh(t.Context(), l.I); err == nil || after.State.IsNull() {
		t.Errorf("the refresh: %v", err)
	}
	if _, err := l.Apply(t.Context(), protocol.Instance{Kind: l.I.Kind}, attributes{"server_id": l.id, "region": "RegionTwo"}); err == nil || l.At() != ": Unable to read the server\n: Unable to read the server" {
		t.Errorf("a new one: %v, %s", err, l.At())
	}
	for _, f := range faults {
		f.Remove()
	}
	l.Fake.RemoveServers("RegionTwo", l.id)
	l.Later(t)
	if after, err := l.Refresh(t.Context(), l.I); err != nil || !after.State.IsNull() {
		t.Errorf("it is gone: %v, %s", err, after.State)
	}
}

// TestStays: a plan that drains a server which keeps an attachment is refused, whichever
// of the two is planned first; another server is drained where the attachment is replaced.
func TestStays(t *testing.T) {
	t.Parallel()
	const refused, drained = ": Servers that stay would be drained", ": 1 server will be drained"
	for name, c := range map[string]struct {
		other any // what another block has as its server; "same" is the same
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
		stay := func() {
			for range 2 { // several that are not known are several servers
				req := l.Request(protocol.Instance{Kind: l.I.Kind}, attributes{"server_id": c.other, "shutdown": true})
				if resp, err := l.Plan(t.Context(), req); err == nil {
					id := protocol.Object(l.Planned(resp))["id"]
					if id.IsKnown() {
						t.Errorf("%s: the id is %s, and the region is not known", name, id)
					}
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
		if l.At() != c.at {
			t.Errorf("%s: said is %s, want %s", name, l.At(), c.at)
		}
	}

	l := leave(t, "RegionOne")
	l.must(t, attributes{"shutdown": true, "node_name": "web-0"})
	l.Later(t)
	config := attributes{"server_id": "another", "region": "RegionOne", "shutdown": true, "node_name": "web-0"}
	resp, err := l.Plan(t.Context(), l.Request(l.I, config))
	if err != nil || l.At() != drained || !strings.Contains(l.Said(), "the deletion attachments of web-0.") || len(resp.RequiresReplace) == 0 {
		t.Errorf("another server: %v, said %s", err, l.Said())
	}
	if id := protocol.Object(l.Planned(resp))["id"]; fmt.Sprint(protocol.Text(id)) != "RegionOne/another" {
		t.Errorf("the id is %s", id)
	}
}
