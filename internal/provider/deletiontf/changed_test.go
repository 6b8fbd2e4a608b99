package deletiontf_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestChanged: an update stores what the configuration says, and plans it. Nova is asked
// only where the region changes. In both regions is a server of the id.
func TestChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after attributes
		id            string // that is planned
		looks         int
	}{
		"the drain":      {attributes{"region": "RegionTwo"}, attributes{"region": "RegionTwo", "shutdown": true, "grace_period": "10m", "cluster": "web"}, "RegionTwo", 0},
		"the region":     {attributes{"region": "RegionTwo"}, attributes{"region": "RegionOne"}, "RegionOne", 1},
		"to none":        {attributes{"region": "RegionOne"}, attributes{}, "RegionOne", 0}, // which is computed
		"from none":      {attributes{}, attributes{"region": "RegionTwo"}, "RegionTwo", 1},
		"to the same":    {attributes{}, attributes{"region": "RegionOne"}, "RegionOne", 0},
		"to one unknown": {attributes{"region": "RegionTwo"}, attributes{"region": tftypes.UnknownValue}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := leave(t, "RegionOne")
			l.Fake.AddServers("RegionTwo", fakecloud.Server{ID: l.id, Name: "web-0"})
			l.must(t, c.before)
			c.after["server_id"] = l.id
			l.Later(t)
			resp, err := l.Plan(t.Context(), l.Request(l.I, c.after))
			if err != nil {
				t.Fatal(err)
			}
			planned := protocol.Object(l.Planned(resp))["id"]
			if c.id == "" {
				if planned.IsKnown() {
					t.Errorf("planned is %s", planned)
				}
				return
			}
			if !planned.Equal(tftypes.NewValue(tftypes.String, c.id+"/"+l.id)) {
				t.Errorf("planned is %s", planned)
			}
			l.Fake.ResetRequests()
			l.must(t, c.after)
			if got := l.Fake.Count("GET compute /servers/*"); got != c.looks || l.At() != "" {
				t.Errorf("%d looks, want %d; said %s", got, c.looks, l.Said())
			}
			if l.Shows("id") != c.id+"/"+l.id || l.Shows("region") != c.id {
				t.Errorf("the state is %s", l.I.State)
			}
			for name, given := range c.after {
				if text, ok := given.(string); ok && l.Shows(name) != text {
					t.Errorf("%s is %s", name, l.Shows(name))
				}
			}
			identity := l.Identity(t, l.I)
			if got := protocol.Text(identity["region"]) + "/" + protocol.Text(identity["server_id"]); got != l.Shows("id") {
				t.Errorf("the identity is %s", got)
			}
		})
	}
}

// TestHookRefused: a hook that is wrong, or could not run, is refused before anything is made.
func TestHookRefused(t *testing.T) {
	t.Parallel()
	const unable = "hook.type: Unable to run the hook"
	pool := attributes{"type": "octavia", "pool_ids": []any{"1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63"}, "default_result": "ABANDON"}
	for name, c := range map[string]struct {
		config   attributes
		at, says string
	}{
		"a command":                {attributes{"hook": attributes{"type": "command", "command": []any{"true"}, "default_result": "ABANDON"}}, unable, "allow_commands"},
		"a region without Octavia": {attributes{"region": "RegionTwo", "hook": pool}, unable, "RegionTwo"},
		"a region that has it":     {attributes{"region": "RegionOne", "hook": pool}, "", ""},
		"one that is not known":    {attributes{"region": tftypes.UnknownValue, "hook": pool}, "", ""},
		"no address":               {attributes{"hook": attributes{"type": "webhook", "default_result": "ABANDON"}}, "hook.url: Invalid hook", "needs url"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := leave(t, "RegionOne")
			l.Fake.HideEndpoint(fakecloud.LoadBalancing, "RegionTwo", true)
			c.config["server_id"] = l.id
			if err := l.Validate(t.Context(), l.I.Kind, c.config); err == nil {
				_, _ = l.Plan(t.Context(), l.Request(l.I, c.config)) // what it says is looked at below
			}
			if l.At() != c.at || !strings.Contains(l.Said(), c.says) {
				t.Errorf("said %s\n%s\nwant %s", l.At(), l.Said(), c.at)
			}
		})
	}
}

// TestGoesOn: a destruction that fails goes on where it failed: a hook that completed does
// not run again.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	consumer, url := acctest.StartConsumer(t, 0)
	l := leave(t, "RegionOne")
	l.must(t, attributes{"shutdown": true, "hook": webhook(url, "ABANDON")})
	down := l.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodPost, Path: "/servers/*/action", Status: http.StatusForbidden, Times: fakecloud.Forever})
	for range 2 {
		if err := l.apply(t, nil); err == nil || l.I.State.IsNull() || !strings.HasSuffix(l.At(), ": Unable to drain the node") {
			t.Errorf("%v, said %s", err, l.Said())
		}
	}
	down.Remove()
	l.must(t, nil)
	if consumer.Posts != 1 || l.status(t) != "SHUTOFF" {
		t.Errorf("%d messages, the server is %s", consumer.Posts, l.status(t))
	}
}

// TestElsewhere: the region that has a server is named, though another one does not answer.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	var regions []fakecloud.Region
	for _, name := range []string{"Dark", "RegionOne", "RegionTwo"} { // asked in this order
		regions = append(regions, fakecloud.Region{Name: name, Zones: []fakecloud.Zone{{Name: "az-1", Hosts: []string{name + "-cmp-1"}}}})
	}
	l := &leaver{Attachment: protocol.AttachIn(t, "stackpolicy_deletion_attachment", fakecloud.Config{Regions: regions})}
	l.id = l.Fake.AddServers("RegionTwo", fakecloud.Server{Name: "web-0"})[0]
	l.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Region: "Dark", Status: http.StatusForbidden, Times: fakecloud.Forever})
	if err := l.apply(t, attributes{}); err == nil || l.At() != "server_id: Unknown server" || !strings.Contains(l.Said(), `It is in the region "RegionTwo": give that.`) {
		t.Errorf("%v, said %s", err, l.Said())
	}
}
