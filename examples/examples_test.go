// Package examples_test checks the examples: each is formatted, valid, and can
// be planned on the fake cloud. Those of the guides are followed to the end.
package examples_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }

func TestFormat(t *testing.T) {
	output, err := exec.CommandContext(t.Context(), acctest.Terraform(t), "fmt", "-check", "-diff", "-recursive", ".").CombinedOutput()
	if err != nil {
		t.Errorf("run make fmt to fix this: %v\n%s", err, output)
	}
}

// folders lists those that have Terraform files.
func folders(t *testing.T) (list []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if folder := filepath.Dir(path); strings.HasSuffix(path, ".tf") && !slices.Contains(list, folder) {
			list = append(list, folder)
		}
		return err
	})
	if err != nil || len(list) == 0 {
		t.Fatalf("found %d examples, %v", len(list), err)
	}
	return list
}

func TestValid(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	for i := range 12 { // the cluster that examples look at
		c.Fake.AddServers("RegionOne", fakecloud.Server{Name: fmt.Sprintf("web-%d", i), Zone: fmt.Sprintf("az-%d", i%3+1)})
	}
	fresh := acctest.NewFake(t, fakecloud.Config{})  // where a new cluster has no servers yet
	admin := acctest.NewAdmin(t, fakecloud.Config{}) // who alone sees hypervisors
	pool := fresh.Fake.AddPool("RegionOne")
	for _, folder := range folders(t) {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			if folder == "guides/testing-a-module" {
				needsOverride(t)
			}
			if minor := acctest.TerraformMinor(t); strings.HasPrefix(folder, "actions/") && minor < 16 {
				t.Skipf("needs Terraform 1.16 for before_update, this is 1.%d", minor)
			}
			cloud := c
			switch {
			case folder == "resources/stackpolicy_affinity_attachment":
				cloud = admin
			case makesCluster(t, folder):
				cloud = fresh
			}
			w := cloud.Example(t, folder)
			if _, err := w.Run(t.Context(), "validate", "-no-color"); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(folder, "modules") || filepath.Base(folder) == "after" || folder == "guides/several-states/servers" {
				return // planned by who calls it, or once what is before is applied
			}
			w.Env = append(w.Env, "TF_VAR_drain_url=https://consumer.example/drain", "TF_VAR_drainer_url=https://consumer.example/drain", "TF_VAR_network_id="+fakecloud.NetworkID, "TF_VAR_pool_id="+pool,
				"TF_VAR_health_url=http://127.0.0.1:1/{name}", "TF_VAR_api_server=10.0.0.1:6443", "TF_VAR_ca_hash=sha256:0", "TF_VAR_join_token=abcdef.0123456789abcdef")
			// What the import blocks name does not exist.
			imports, _ := filepath.Glob(filepath.Join(w.Dir, "import*.tf"))
			for _, file := range imports {
				require.NoError(t, os.Remove(file))
			}
			if _, err := w.Run(t.Context(), "plan", "-input=false", "-no-color"); err != nil {
				t.Error(err)
			}
		})
	}
}

// makesCluster reports whether an example has a placement attachment, by itself
// or by way of a module.
func makesCluster(t *testing.T, folder string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.tf"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if regexp.MustCompile(`resource "stackpolicy_placement_attachment"|module "`).Match(text) {
			return true
		}
	}
	return false
}

// TestReadme: the first configuration in the README is the example, which the
// tests above plan.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	first, err := os.ReadFile("first-cluster/main.tf")
	require.NoError(t, err)
	assert.Contains(t, string(readme), "```terraform\n"+string(first)+"```\n", "the configuration in README.md is not that of examples/first-cluster/main.tf")
}
