package readinesstf_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadyAction: the action marks a server that is in service, and removes the notes of its drain and of a failed wait. It
// marks no server that does not get into service, or whose update failed.
func TestReadyAction(t *testing.T) {
	t.Parallel()
	broken := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(broken.Close)
	const then, now = "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z"
	hook := func(url string) attributes {
		return attributes{"type": "webhook", "url": url, "default_result": "ABANDON"}
	}
	for _, c := range []struct {
		name   string
		config attributes
		status string
		noted  string // notes at the end
		at     string
		says   string
	}{
		{"in service", attributes{"mark": "2-cafe"}, "ACTIVE", "web-1:2-cafe+", "", ""},
		{"without a mark of its own", attributes{"region": "RegionTwo"}, "ACTIVE", "web-1:1+", "", ""},
		{"updated", attributes{"metadata": attributes{"stackpolicy_drained": then}}, "ACTIVE", "web-1:1+", "", ""},
		{"not updated", attributes{"metadata": attributes{"stackpolicy_drained": now}}, "ACTIVE", "web-1:-!", ": The update of the server failed",
			"Repair what the other error says, and apply again"},
		{"not updated, and never drained before", attributes{"metadata": attributes{}}, "ACTIVE", "web-1:-!", ": The update of the server failed", "web-1"},
		{"broken", attributes{}, "ERROR", "web-1:-!", ": Servers are not in service", "ERROR in Nova"},
		{"without a service", attributes{"timeout": "1s", "http": attributes{"url": broken.URL + "/{name}"}}, "ACTIVE", "web-1:-!",
			": Servers are not in service", "404 Not Found"},
		{"a hook that fails", attributes{"hook": hook(broken.URL)}, "ACTIVE", "web-1:-!", ": Servers are not in service", "its hook did not complete"},
		{"an address that cannot be checked", attributes{"tcp": attributes{"port": 80}}, "ACTIVE", "web-1:-!", "address: Unusable address", `"web-1"`},
		{"more time than there is", attributes{"timeout": "1s", "stable_for": "2s"}, "ACTIVE", "web-1:-!", "stable_for: Not enough time", "2s"},
		{"a command that is not allowed", attributes{"hook": attributes{"type": "command", "command": []any{"true"}, "default_result": "ABANDON"}}, "ACTIVE",
			"web-1:-!", "hook.type: Unable to run the hook", "allow_commands"},
		{"an unknown region", attributes{"region": "RegionSix"}, "ACTIVE", "web-1:-!", "region: Unable to use the region", "RegionSix"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := awaiting{protocol.Attach(t, "stackpolicy_readiness_attachment"), nil}
			a.Home = "RegionTwo"
			a.Later(t)
			c.config["server_id"] = a.Fake.AddServers("RegionTwo", fakecloud.Server{Name: "web-1", Status: c.status,
				Metadata: map[string]string{"stackpolicy_drained": then, "stackpolicy_not_in_service_at": "1 " + then}})[0]
			c.config["cluster"], c.config["node_name"] = "web", "web-1"
			err := a.ValidateAction(t.Context(), "stackpolicy_ready", c.config)
			if err == nil {
				_, err = a.Invoke(t.Context(), "stackpolicy_ready", c.config, nil)
			}
			if a.At() != c.at || !strings.Contains(a.Said(), c.says) || (err == nil) != (c.at == "") {
				t.Errorf("%v, said %s\n%s\nwant %s", err, a.At(), a.Said(), c.at)
			}
			assert.Equal(t, c.noted, a.noted())
		})
	}
}

// TestTurnless: a plan that changes all nodes in place is refused if an action drains their servers without turns.
func TestTurnless(t *testing.T) {
	t.Parallel()
	for at, given := range map[string]attributes{"\nservers[\"web-0\"]: Nodes change without turns": {}, "": {"at_once": 1}} {
		a := awaiting{protocol.Attach(t, "stackpolicy_readiness_attachment"), map[string]string{}}
		placement := func(image string) attributes {
			return attributes{"cluster": "web", "desired_capacity": 2, "regions": protocol.Listing("RegionOne RegionTwo"),
				"template": attributes{"image": image}, "update": attributes{"causes": []any{"TEMPLATE"}, "method": "IN_PLACE",
					"max_batch_size": "100%", "require_in_service": false}}
		}
		placed, err := a.Apply(t.Context(), protocol.Instance{Kind: "stackpolicy_placement_attachment"}, placement("a"))
		require.NoError(t, err)
		for i, region := range []string{"RegionOne", "RegionTwo"} {
			name := fmt.Sprint("web-", i)
			a.ids[name] = a.Fake.AddServers(region, fakecloud.Server{Name: name})[0]
		}
		config := a.config("web-0", "web-1")
		a.must(t, config)
		a.Later(t)
		placed, err = a.Refresh(t.Context(), placed)
		require.NoError(t, err)
		_, err = a.Plan(t.Context(), a.Request(placed, placement("b")))
		require.NoError(t, err)
		given["server_id"], given["node_name"], given["cluster"] = a.ids["web-0"], "web-0", "web"
		given["nodes"] = attributes{"web-0": attributes{"region": "RegionOne"}, "web-1": attributes{"region": "RegionTwo"}}
		_, err = a.Invoke(t.Context(), "stackpolicy_drain", given, nil)
		require.NoError(t, err)
		_, err = a.Plan(t.Context(), a.Request(a.I, config))
		assert.Equal(t, at != "", err != nil, "%v", err)
		a.Expect(t, "update.require_in_service: ACTIVE is taken for service"+at, "")
	}
}
