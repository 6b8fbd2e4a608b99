package deletiontf_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
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

// TestAccNotStopped: a server that Nova cannot stop keeps all servers that leave. Once it is deleted, as the error says,
// all of them are destroyed.
func TestAccNotStopped(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	config := func(size int) string {
		leaving := fmt.Sprintf("deletion {\n    candidates = [\"%s0\", \"%[1]s1\"]\n  }", c.Prefix)
		return acctest.Placement(c, size, acctest.Places("RegionOne: az-1"), leaving) + acctest.Made(c, "") +
			acctest.Drained(fmt.Sprintf("cluster = %q\n  shutdown = true", c.Prefix))
	}
	h := wrongHook{Cloud: c, Workspace: c.Workspace(t, config(3))}
	require.NoError(t, h.run(t, config(3), "apply"))
	id := c.Servers(t)["0"].ID
	c.Fake.Inject(fakecloud.Fault{Method: "POST", Path: "/servers/" + id + "/action", Status: http.StatusAccepted, Times: fakecloud.Forever})
	for range 2 {
		require.ErrorContains(t, h.run(t, config(1), "apply"), "Nova cannot stop the server")
		assert.Len(t, c.AllServers(t), 3)
	}
	c.Fake.RemoveServers("RegionOne", id)
	require.NoError(t, h.run(t, config(1), "apply"))
	assert.Len(t, c.AllServers(t), 1)
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

// TestAccWrongHook: a node whose hook failed keeps its server and does not count as in service. It comes back with a
// corrected hook and is checked again, or it leaves without its hook.
func TestAccWrongHook(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	const wrong, failed = "http://127.0.0.1:1/leave", "A lifecycle hook did not complete"
	for name, end := range map[string]func(t *testing.T, h wrongHook, leaves string){
		"its place is given back": func(t *testing.T, h wrongHook, _ string) {
			require.NoError(t, h.run(t, h.config(3, h.right, true), "apply"))
			assert.Equal(t, "01, 11, 21", h.servers(t))
			assert.Empty(t, h.consumer.Nodes, "messages")
			assert.Contains(t, acctest.Must(t, h.Workspace, "plan", "-no-color"), "No changes.")
			require.NoError(t, h.run(t, h.config(2, h.right, true), "apply"))
			assert.Len(t, h.consumer.Nodes, 1, "messages")
			assert.Regexp(t, "^.1, .1$", h.servers(t))
		},
		"without its hook": func(t *testing.T, h wrongHook, leaves string) {
			acctest.Must(t, h.Workspace, "state", "rm", fmt.Sprintf("stackpolicy_deletion_attachment.web[%q]", leaves))
			require.NoError(t, h.run(t, h.config(2, wrong, true), "apply"))
			assert.Regexp(t, "^.1, .1$", h.servers(t))
		},
		"destroyed": func(t *testing.T, h wrongHook, _ string) {
			require.ErrorContains(t, h.run(t, h.config(2, wrong, true), "destroy"), failed)
			require.NoError(t, h.run(t, h.config(3, wrong, false), "apply"))
			require.NoError(t, h.run(t, h.config(3, wrong, false), "destroy"))
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
			begun := regexp.MustCompile("^(?:(0)begun, 11, 21|01, (1)begun, 21|01, 11, (2)begun)$").FindStringSubmatch(h.servers(t))
			require.NotNil(t, begun, h.servers(t))
			end(t, h, c.Prefix+strings.Join(begun[1:], ""))
		})
	}
}
