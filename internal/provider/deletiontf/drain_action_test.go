package deletiontf_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDrainAction: the action does what the attachment does, reports each step, and says what
// to do about a step that fails. Each run notifies the consumer under a new token.
func TestDrainAction(t *testing.T) {
	t.Parallel()
	broken := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(broken.Close)
	consumer, url := acctest.StartConsumer(t, 0)
	const hook, stop = "web-0: running the hook", "web-0: shutting the server down"
	for _, c := range []struct {
		name     string
		config   attributes
		region   string // region of the server
		locked   bool
		progress string
		status   string // status of the server at the end
		noted    bool   // whether Nova has the note and the mark is removed
		at, says string
	}{
		{"nothing", attributes{}, "RegionOne", false, "", "ACTIVE", true, "", ""},
		{"all", attributes{"hook": webhook(url, "ABANDON"), "shutdown": true, "grace_period": "1s"}, "RegionOne", false,
			hook + "|" + stop + "|web-0: waiting for the grace period of 1s", "SHUTOFF", true, "", ""},
		{"in another region", attributes{"region": "RegionTwo", "hook": webhook(url, "ABANDON")}, "RegionTwo", false, hook, "ACTIVE", true, "", ""},
		{"in another one than is said", attributes{"shutdown": true}, "RegionTwo", false, "", "ACTIVE", false, "region: Unknown server",
			`The region "RegionTwo" has it`},
		{"one that is gone", attributes{"server_id": "gone", "shutdown": true}, "RegionOne", false, "", "ACTIVE", false,
			": There is nothing to drain", "needs no drain"},
		{"a hook that goes on", attributes{"hook": webhook(broken.URL, "CONTINUE"), "shutdown": true}, "RegionOne", false, hook + "|" + stop, "SHUTOFF", true,
			": The node was not drained in full", `The node "web-0" (server `},
		{"a hook that abandons", attributes{"hook": webhook(broken.URL, "ABANDON"), "shutdown": true}, "RegionOne", false, hook, "ACTIVE", true,
			": A lifecycle hook did not complete", "the change that triggered the action does not happen"},
		{"a lock", attributes{"shutdown": true}, "RegionOne", true, "", "ACTIVE", false, ": The server is locked", "openstack server unlock"},
		{"a command that is not allowed", attributes{"hook": attributes{"type": "command", "command": []any{"true"}, "default_result": "ABANDON"}}, "RegionOne",
			false, "", "ACTIVE", false,
			"hook.type: Unable to run the hook", "allow_commands"},
		{"a hook that is wrong", attributes{"hook": attributes{"type": "webhook", "default_result": "ABANDON"}}, "RegionOne", false, "", "ACTIVE", false,
			"hook.url: Invalid hook", "needs url"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := leave(t, c.region)
			l.Fake.UpdateServer(c.region, l.id, func(s *fakecloud.Server) {
				s.Metadata = map[string]string{"stackpolicy_in_service": "1"}
				if c.locked {
					s.LockedBy = "admin"
				}
			})
			c.config["node_name"] = "web-0"
			if c.config["server_id"] == nil {
				c.config["server_id"] = l.id
			}
			err := l.ValidateAction(t.Context(), "stackpolicy_drain", c.config)
			var progress []string
			if err == nil {
				progress, err = l.Invoke(t.Context(), "stackpolicy_drain", c.config, nil)
			}
			l.Expect(t, c.at, c.says)
			assert.Equal(t, c.at == "" || strings.Contains(l.Said(), "WARNING"), err == nil, "%v", err)
			assert.Equal(t, c.progress, strings.Join(progress, "|"), "the progress")
			for _, s := range l.Fake.Servers(c.region) {
				assert.Equal(t, c.status, s.Status)
				noted, marked := s.Metadata["stackpolicy_drained"] != "", s.Metadata["stackpolicy_in_service"] != ""
				assert.Equal(t, []bool{c.noted, !c.noted}, []bool{noted, marked}, "Nova has %v", s.Metadata)
			}
		})
	}
	assert.Len(t, consumer.Nodes, 2, "the consumer has seen")
}

// TestDrainActionInterrupted: an interrupted Terraform ends the wait at once. Its progress
// has no control characters.
func TestDrainActionInterrupted(t *testing.T) {
	t.Parallel()
	l := leave(t, "RegionOne")
	ctx, interrupt := context.WithCancel(t.Context())
	config := attributes{"server_id": l.id, "node_name": "web\x1b[2J", "grace_period": "1h"}
	progress, err := l.Invoke(ctx, "stackpolicy_drain", config, func(string) { interrupt() })
	assert.Error(t, err)
	l.Expect(t, ": Unable to drain the node", "Terraform was interrupted")
	assert.Regexp(t, "^[^\x1b]*: waiting for the grace period of 1h0m0s$", strings.Join(progress, "|"))
}

// TestDrainActionTurns: with at_once a node waits for its turn, which begins and ends in one process. An error says why it
// gets none. Turns of servers that are made again are refused.
func TestDrainActionTurns(t *testing.T) {
	t.Parallel()
	marked := map[string]string{"stackpolicy_in_service": "1"}
	nodes := attributes{"web-0": attributes{"region": "RegionOne"}, "web-1": attributes{"region": "RegionOne"}, "web-2": attributes{"region": "RegionTwo"}}
	for _, c := range []struct {
		name   string
		first  string            // node that was drained before in this process
		ready  string            // cluster in which it is in service again
		other  map[string]string // metadata of a third server
		status string            // its status
		method string
		given  attributes
		at     string
		says   string
	}{
		{"the first", "", "", marked, "", "IN_PLACE", nil, "", ""},
		{"after one that is ready", "web-0", "web", marked, "", "", nil, "", ""},
		{"before one is ready", "web-0", "", marked, "", "", nil, ": The node gets no turn", "web-0 has not ended within 1s (turn_timeout)"},
		{"after one that is ready in another cluster", "web-0", "wbe", marked, "", "", nil, "cluster: The turn of another cluster\n: The node gets no turn",
			"web-0 failed in its turn: stackpolicy_ready names another cluster"},
		{"after another apply", "", "", map[string]string{"stackpolicy_drained": "2026-11-01T00:00:00Z"}, "", "", nil, ": The node gets no turn",
			"web-2 out of service, and at_once is 1"},
		{"after another apply whose drain kept the mark", "", "",
			map[string]string{"stackpolicy_drained": "2026-11-01T00:00:00Z", "stackpolicy_in_service": "1"}, "", "", nil, ": The node gets no turn",
			"web-2 out of service, and at_once is 1"},
		{"while another is off", "", "", marked, "SHUTOFF", "", nil, ": The node gets no turn", "web-2 out of service, and at_once is 1"},
		{"with room", "", "", nil, "", "", attributes{"at_once": 2}, "", ""},
		{"for servers that are made again", "", "", marked, "", "RECREATE", nil, "at_once: Turns of servers that are made again", `needs "IN_PLACE"`},
		{"after one that is ready, for servers that are replaced", "", "web", marked, "", "SUBSTITUTE", nil,
			"cluster: Turns of servers that are made again\nat_once: Turns of servers that are made again", "no turn bounds such a batch"},
		{"of no cluster", "", "", marked, "", "", attributes{"cluster": nil}, "at_once: Turns of no cluster", "give cluster"},
		{"of a null node", "", "", marked, "", "", attributes{"nodes": attributes{"web-2": nil}}, "nodes: Null Map Value", "null value"},
		{"of no nodes", "", "", marked, "", "", attributes{"nodes": nil}, "at_once: Turns of no cluster", "nodes = "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := protocol.Attach(t, "stackpolicy_placement_attachment")
			ids := append(l.Fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0", Metadata: marked}, fakecloud.Server{Name: "web-1", Metadata: marked}),
				l.Fake.AddServers("RegionTwo", fakecloud.Server{Name: "web-2", Metadata: c.other, Status: c.status})...)
			if c.method != "" {
				l.Must(t, attributes{"cluster": "web", "desired_capacity": 3, "zones": []any{attributes{"name": "az-1"}}, "node_name_pattern": "new-{index}",
					"template": attributes{"image": "a"},
					"update":   attributes{"causes": []any{"TEMPLATE"}, "method": c.method, "max_batch_size": "100%"}})
			}
			drain := func(node, id string) error {
				config := attributes{"server_id": id, "node_name": node, "cluster": "web", "nodes": nodes, "at_once": 1, "turn_timeout": "1s"}
				maps.Copy(config, c.given)
				if err := l.ValidateAction(t.Context(), "stackpolicy_drain", config); err != nil {
					return err
				}
				_, err := l.Invoke(t.Context(), "stackpolicy_drain", config, nil)
				return err
			}
			if c.first != "" {
				require.NoError(t, drain(c.first, ids[0]))
			}
			if c.ready != "" {
				_, err := l.Invoke(t.Context(), "stackpolicy_ready", attributes{"server_id": ids[0], "node_name": "web-0", "cluster": c.ready}, nil)
				assert.Equal(t, c.ready == "web" && c.method == "", err == nil, "%v", err)
			}
			err := drain("web-1", ids[1])
			if l.At() != c.at || !strings.Contains(l.Said(), c.says) || (err == nil) != (c.at == "") {
				t.Errorf("%v, said %s\n%s\nwant %s", err, l.At(), l.Said(), c.at)
			}
		})
	}
}
