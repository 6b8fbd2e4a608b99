package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const memory = "guides/state-is-the-memory/"

// TestAccExample_restore: the drill of the guide. A backup brings the cluster back into an empty state. Without one the
// import does, and no server is touched.
func TestAccExample_restore(t *testing.T) {
	e := start(t, memory+"cluster")
	require.NoError(t, os.Remove(filepath.Join(e.Dir, "import.tf"))) // of the last section
	e.apply(t)
	before := e.servers(t)
	backup, err := e.Run(t.Context(), "state", "pull")
	require.NoError(t, err)
	lost := filepath.Join(e.Dir, "terraform.tfstate")
	require.NoError(t, os.Remove(lost))
	e.file(t, "backup.tfstate", backup)
	if text, err := e.Run(t.Context(), "plan", "-no-color"); err == nil || !acctest.Says("Servers of this cluster are there already").MatchString(err.Error()) {
		t.Errorf("without its state: %v\n%s", err, text)
	}
	if _, err := e.Run(t.Context(), "state", "push", "backup.tfstate"); err != nil {
		t.Fatal(err)
	}
	assert.Empty(t, e.planned(t), "with the backup")

	require.NoError(t, os.Remove(lost))
	e.use(t, memory+"cluster")
	e.file(t, "servers.auto.tfvars.json", map[string]any{"servers": before})
	got := counts(e.apply(t))
	quoted(t, "state-is-the-memory", got)
	if !strings.Contains(got, "5 to import, 0 to add") || !strings.Contains(got, "0 to destroy") {
		t.Errorf("the import plans: %s", got)
	}
	assert.Equal(t, before, e.servers(t), "the servers")
}

// TestAccExample_leave: the servers of the README's cluster, with deletion attachments, stay when the provider leaves, and
// then nothing needs the provider any more.
func TestAccExample_leave(t *testing.T) {
	const output = "output \"nodes\" {\n  value = stackpolicy_placement_attachment.web.nodes\n}\n"
	e := start(t, "first-cluster")
	e.file(t, "more.tf", output+`
resource "stackpolicy_deletion_attachment" "web" {
  for_each  = openstack_compute_instance_v2.web
  server_id = each.value.id
  region    = each.value.region
}
`)
	e.apply(t)
	before := e.servers(t)
	quoted(t, "state-is-the-memory", output)
	nodes, err := e.Run(t.Context(), "output", "-json", "nodes")
	require.NoError(t, err)
	e.use(t, memory+"leave")
	e.file(t, "nodes.json", nodes)
	e.file(t, "more.tf", "removed {\n  from = stackpolicy_deletion_attachment.web\n  lifecycle {\n    destroy = false\n  }\n}\n")
	got := counts(e.apply(t))
	quoted(t, "state-is-the-memory", got)
	if !strings.HasPrefix(got, "Plan: 0 to add, 0 to change, 0 to destroy") {
		t.Errorf("leaving plans: %s", got)
	}
	require.NoError(t, os.Remove(filepath.Join(e.Dir, "nodes.json")))
	e.use(t, memory+"left")
	e.file(t, "nodes.json", nodes)
	assert.Empty(t, e.planned(t), "without the provider")
	if text, err := e.Run(t.Context(), "providers"); err != nil || strings.Contains(text, "stackpolicy") {
		t.Errorf("the provider is still there: %v\n%s", err, text)
	}
	assert.Equal(t, before, e.servers(t), "the servers")
}
