package deletiontf_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
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
			hook + "|web-0: waiting for the grace period of 1s|" + stop, "SHUTOFF", true, "", ""},
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
