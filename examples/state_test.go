package examples_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const memory = "guides/state-is-the-memory/"

// file writes a file into the folder of the example.
func (e example) file(t *testing.T, name string, content any) {
	t.Helper()
	text, err := json.Marshal(content)
	if err = errors.Join(err, os.WriteFile(filepath.Join(e.Dir, name), text, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// remembered starts the cluster of the guide, without the import of its last
// section.
func remembered(t *testing.T) example {
	t.Helper()
	e := start(t, memory+"cluster")
	require.NoError(t, os.Remove(filepath.Join(e.Dir, "import.tf")))
	e.apply(t)
	return e
}

// planned plans, and returns the line that counts what changes.
func (e example) planned(t *testing.T) string {
	t.Helper()
	text, err := e.Run(t.Context(), "plan", "-no-color")
	require.NoError(t, err)
	if strings.Contains(text, "No changes.") {
		return "No changes."
	}
	plan := regexp.MustCompile("Plan: .*").FindString(text)
	return regexp.MustCompile(`, \d+ to forget`).ReplaceAllString(plan, "") // OpenTofu also counts what it forgets
}

// TestAccExample_restore: the drill of the guide. A backup brings the cluster
// back into an empty state.
func TestAccExample_restore(t *testing.T) {
	e := remembered(t)
	before := e.servers(t)
	backup, err := e.Run(t.Context(), "state", "pull")
	require.NoError(t, err)
	lost := filepath.Join(e.Dir, "terraform.tfstate")
	require.NoError(t, errors.Join(os.Remove(lost), os.WriteFile(filepath.Join(e.Dir, "backup.tfstate"), []byte(backup), 0o600)))
	if text, err := e.Run(t.Context(), "plan", "-no-color"); err == nil || !acctest.Says("Servers of this cluster are there already").MatchString(err.Error()) {
		t.Errorf("without its state: %v\n%s", err, text)
	}
	if _, err := e.Run(t.Context(), "state", "push", "backup.tfstate"); err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, "No changes.", e.planned(t), "with the backup")
	if after := e.servers(t); !maps.Equal(before, after) {
		t.Errorf("before %v, after %v", before, after)
	}
}

// TestAccExample_importAgain: without a backup the import brings the cluster
// back, and no server is touched.
func TestAccExample_importAgain(t *testing.T) {
	e := remembered(t)
	before := e.servers(t)
	require.NoError(t, os.Remove(filepath.Join(e.Dir, "terraform.tfstate")))
	e.use(t, memory+"cluster")
	e.file(t, "servers.auto.tfvars.json", map[string]any{"servers": before})
	got := e.planned(t)
	quoted(t, "state-is-the-memory", got)
	if !strings.Contains(got, "5 to import, 0 to add") || !strings.Contains(got, "0 to destroy") {
		t.Errorf("the import plans: %s", got)
	}
	e.apply(t)
	if after := e.servers(t); !maps.Equal(before, after) {
		t.Errorf("before %v, after %v", before, after)
	}
}

// TestAccExample_leave: the servers of the README's cluster, and of one that has
// deletion attachments, stay when the provider leaves, and then nothing needs the
// provider any more.
func TestAccExample_leave(t *testing.T) {
	const drained = `
resource "stackpolicy_deletion_attachment" "web" {
  for_each  = openstack_compute_instance_v2.web
  server_id = each.value.id
  region    = each.value.region
}
`
	for name, more := range map[string]string{"README": "", "drained": drained} {
		t.Run(name, func(t *testing.T) {
			e := start(t, "first-cluster")
			file := func(name, text string) {
				t.Helper()
				require.NoError(t, os.WriteFile(filepath.Join(e.Dir, name), []byte(text), 0o600))
			}
			file("more.tf", more)
			e.apply(t)
			before := e.servers(t)
			const output = "output \"nodes\" {\n  value = stackpolicy_placement_attachment.web.nodes\n}\n"
			quoted(t, "state-is-the-memory", output)
			file("more.tf", more+output)
			assert.Empty(t, e.planned(t), "what the output plans")
			e.apply(t)
			nodes, err := e.Run(t.Context(), "output", "-json", "nodes")
			require.NoError(t, err)
			e.use(t, memory+"leave")
			file("nodes.json", nodes)
			if more != "" {
				file("more.tf", "removed {\n  from = stackpolicy_deletion_attachment.web\n  lifecycle {\n    destroy = false\n  }\n}\n")
			}
			got := e.planned(t)
			quoted(t, "state-is-the-memory", got)
			if !strings.HasPrefix(got, "Plan: 0 to add, 0 to change, 0 to destroy") {
				t.Errorf("leaving plans: %s", got)
			}
			e.apply(t)
			require.NoError(t, os.Remove(filepath.Join(e.Dir, "nodes.json")))
			e.use(t, memory+"left")
			file("nodes.json", nodes)
			if err := errors.Join(os.RemoveAll(filepath.Join(e.Dir, ".terraform")), os.RemoveAll(filepath.Join(e.Dir, ".terraform.lock.hcl")), e.Init(t.Context())); err != nil {
				t.Fatal(err)
			}
			assert.Equal(t, "No changes.", e.planned(t), "without the provider")
			if text, err := e.Run(t.Context(), "providers"); err != nil || strings.Contains(text, "stackpolicy") {
				t.Errorf("the provider is still there: %v\n%s", err, text)
			}
			if after := e.servers(t); len(after) != 6 || !maps.Equal(before, after) {
				t.Errorf("before %v, after %v", before, after)
			}
		})
	}
}
