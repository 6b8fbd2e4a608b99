package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStatefulMakesFirst: create_before_destroy at the servers of slots is refused before a second server is asked for,
// or named after Nova refused it, and the way out that the text names ends with all nodes made again.
func TestStatefulMakesFirst(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	for name, deletions := range map[string]bool{"servers": false, "deletion attachments": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "guides/stateful-nodes")
			e.Env = append(e.Env, "TF_VAR_network_id="+fakecloud.NetworkID)
			file := filepath.Join(e.Dir, "main.tf")
			good := read(t, file)
			wrong := strings.Replace(good, "    replace_triggered_by", "    create_before_destroy = true\n    replace_triggered_by", 1)
			if deletions {
				wrong = strings.Replace(wrong, "  node_name = each.key", "  node_name = each.key\n  lifecycle {\n    create_before_destroy = true\n  }", 1)
			}
			require.NoError(t, os.WriteFile(file, []byte(wrong), 0o600))
			e.apply(t)
			before := e.servers(t)
			made := e.c.Fake.Count("POST compute /servers")
			if deletions {
				e.fails(t, "still in use", "image=debian-13")
				said, err := e.Run(t.Context(), "plan", "-no-color", "-var", "image=debian-13")
				require.NoError(t, err)
				assert.Regexp(t, acctest.Says("no create_before_destroy if it has a port or a volume; then name the node in candidates"), said)
			} else {
				e.fails(t, "A slot has one server at a time", "image=debian-13")
				e.fails(t, "Remove create_before_destroy", "image=debian-13")
				assert.Equal(t, made, e.c.Fake.Count("POST compute /servers"), "servers asked for")
			}
			assert.Equal(t, before, e.servers(t), "no server is lost")
			require.NoError(t, os.WriteFile(file, []byte(good), 0o600))
			apply := func() {
				_, err := e.Apply(t.Context(), "image=debian-13")
				require.NoError(t, err)
			}
			if deletions { // as the text says
				apply()
				named := strings.Replace(good, `criteria = "HIGHEST_INDEX_FIRST"`, "criteria = \"HIGHEST_INDEX_FIRST\"\n    candidates = [\"web-2\"]", 1)
				require.NoError(t, os.WriteFile(file, []byte(named), 0o600))
			}
			for range 4 {
				apply()
			}
			said, err := e.Run(t.Context(), "plan", "-no-color", "-var", "image=debian-13")
			require.NoError(t, err)
			assert.Contains(t, said, "No changes.")
			after := e.servers(t)
			for name, id := range before {
				assert.NotEqual(t, id, after[name], name)
			}
			assert.Len(t, after, 3)
		})
	}
}
