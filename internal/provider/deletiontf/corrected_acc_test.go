package deletiontf_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wrongHook is a cluster of a size whose hook nobody answers, until it is corrected.
type wrongHook struct {
	*acctest.Cloud
	*workspace.Workspace
	consumer *acctest.Consumer
	right    string
}

func (h wrongHook) config(size int, url string, enabled bool) string {
	const before = "lifecycle {\n    create_before_destroy = true\n  }"
	return acctest.Placement(h.Cloud, size, acctest.Places("RegionOne: az-1"), "") + acctest.Made(h.Cloud, before) +
		acctest.Drained(fmt.Sprintf("enabled = %t\n  cluster = %q\n  hook {\n    type = \"webhook\"\n    url = %q\n    timeout = 3\n"+
			"    default_result = \"ABANDON\"\n  }\n  %s", enabled, h.Prefix, url, before)) + acctest.Awaited(h.Cloud, "")
}

// TestAccNotStopped: a server that Nova cannot stop keeps all servers that leave. Each way out of the error destroys them.
func TestAccNotStopped(t *testing.T) {
	t.Parallel()
	for name, out := range map[string]func(h wrongHook, id string) (shutdown bool){
		"deleted":            func(h wrongHook, id string) bool { h.Fake.RemoveServers("RegionOne", id); return true },
		"without a shutdown": func(wrongHook, string) bool { return false },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := acctest.NewFake(t, fakecloud.Config{})
			h := wrongHook{Cloud: c}
			config := func(size int, shutdown bool) string {
				leaving := fmt.Sprintf("deletion {\n    candidates = [\"%s0\", \"%[1]s1\"]\n  }", c.Prefix)
				return acctest.Placement(c, size, acctest.Places("RegionOne: az-1"), leaving) + acctest.Made(c, "") +
					acctest.Drained(fmt.Sprintf("cluster = %q\n  shutdown = %t", c.Prefix, shutdown))
			}
			h.Workspace = c.Workspace(t, config(3, true))
			require.NoError(t, h.run(t, config(3, true), "apply"))
			id := c.Servers(t)["0"].ID
			c.Fake.Inject(fakecloud.Fault{Method: "POST", Path: "/servers/" + id + "/action", Status: http.StatusAccepted, Times: fakecloud.Forever})
			for range 2 {
				err := h.run(t, config(1, true), "apply")
				require.ErrorContains(t, err, "Nova cannot stop the server")
				assert.Len(t, c.AllServers(t), 3)
			}
			require.NoError(t, h.run(t, config(1, out(h, id)), "apply"))
			assert.Len(t, c.AllServers(t), 1)
		})
	}
}

func (h wrongHook) run(t *testing.T, config string, args ...string) error {
	t.Helper()
	require.NoError(t, h.Write(config))
	_, err := h.Run(t.Context(), append(args, "-auto-approve", "-input=false", "-no-color")...)
	return err
}

// servers returns the nodes that have a server, each with its mark, and whether its drain has begun.
func (h wrongHook) servers(t *testing.T) string {
	t.Helper()
	var all []string
	for _, s := range h.AllServers(t) {
		all = append(all, strings.TrimPrefix(s.Name, h.Prefix)+strings.TrimSpace(" "+s.Metadata["stackpolicy_in_service"]+
			strings.TrimRight(s.Metadata["stackpolicy_drained"], "-:.0123456789TZ ")))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// TestAccWrongHook: a wrong address of a hook is corrected. A node whose hook failed keeps its server and does not count as
// in service. The corrected hook is called for it, or it comes back and is checked again, or it leaves without a drain.
func TestAccWrongHook(t *testing.T) {
	t.Parallel()
	const wrong, failed = "http://127.0.0.1:1/leave", "A lifecycle hook did not complete"
	for name, correct := range map[string]func(t *testing.T, h wrongHook){
		"corrected": func(t *testing.T, h wrongHook) {
			require.NoError(t, h.run(t, h.config(2, h.right, true), "apply"))
			assert.Len(t, h.consumer.Nodes, 1, "messages")
		},
		"its place is given back": func(t *testing.T, h wrongHook) {
			require.NoError(t, h.run(t, h.config(3, h.right, true), "apply"))
			assert.Equal(t, "01, 11, 21", h.servers(t))
			assert.Empty(t, h.consumer.Nodes, "messages")
			assert.Contains(t, acctest.Must(t, h.Workspace, "plan", "-no-color"), "No changes.")
			require.NoError(t, h.run(t, h.config(2, h.right, true), "apply"))
			assert.Len(t, h.consumer.Nodes, 1, "messages")
		},
		"without a drain": func(t *testing.T, h wrongHook) {
			require.NoError(t, h.run(t, h.config(2, wrong, false), "apply"))
		},
		"destroyed": func(t *testing.T, h wrongHook) {
			require.ErrorContains(t, h.run(t, h.config(2, wrong, true), "destroy"), failed)
			require.NoError(t, h.run(t, h.config(2, wrong, false), "apply"))
			assert.Regexp(t, "^.1, .1$", h.servers(t))
			require.NoError(t, h.run(t, h.config(2, wrong, false), "destroy"))
			assert.Empty(t, h.AllServers(t))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := acctest.NewFake(t, fakecloud.Config{})
			h := wrongHook{Cloud: c}
			h.Workspace = c.Workspace(t, h.config(3, wrong, true))
			h.consumer, h.right = acctest.StartConsumer(t, 0)
			require.NoError(t, h.run(t, h.config(3, wrong, true), "apply"))
			require.ErrorContains(t, h.run(t, h.config(2, wrong, true), "apply"), failed)
			assert.Regexp(t, "^(0begun, 11, 21|01, 1begun, 21|01, 11, 2begun)$", h.servers(t))
			if correct(t, h); name != "destroyed" {
				assert.Regexp(t, "^.1, .1$", h.servers(t))
			}
		})
	}
}
