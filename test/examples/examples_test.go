// Package examples_test checks the examples: each is formatted, valid, and can be planned on the fake cloud. The
// examples of the guides are followed to the end.
package examples_test

import (
	"encoding/json"
	"errors"
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

// TestMain runs the tests in the folder of the examples: all paths in them begin there.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../examples"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	acctest.Main(m)
}

func TestFormat(t *testing.T) {
	output, err := exec.CommandContext(t.Context(), acctest.Terraform(t), "fmt", "-check", "-diff", "-recursive", ".").CombinedOutput()
	assert.NoError(t, err, "run make fmt to fix this:\n%s", output)
}

// folders lists the folders with Terraform files.
func folders(t *testing.T) (list []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if folder := filepath.Dir(path); strings.HasSuffix(path, ".tf") && !slices.Contains(list, folder) {
			list = append(list, folder)
		}
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, list, "examples")
	return list
}

// TestValid: all examples can be installed and planned, as modules of one configuration for each of two clouds.
// Examples that begin with resources of another one have tests of their own.
func TestValid(t *testing.T) {
	t.Parallel()
	admin := acctest.NewAdmin(t, fakecloud.Config{}) // only an admin sees hypervisors
	for i := range 12 {                              // the cluster that the examples read
		admin.Fake.AddServers("RegionOne", fakecloud.Server{Name: fmt.Sprintf("web-%d", i), Zone: fmt.Sprintf("az-%d", i%3+1)})
	}
	three := append(fakecloud.DefaultRegions(), fakecloud.Region{Name: "RegionThree", Zones: fakecloud.DefaultRegions()[1].Zones})
	fresh := acctest.NewFake(t, fakecloud.Config{Regions: three}) // a cloud without servers, for new clusters
	fresh.Fake.AddImage(fakecloud.Image{Name: "debian-12"})
	needs := map[string]any{
		"drain_url": "https://consumer.example/drain", "drainer_url": "https://consumer.example/drain", "network_id": fakecloud.NetworkID,
		"pool_id": fresh.Fake.AddPool("RegionOne"), "health_url": "http://127.0.0.1:1/{name}", "api_server": "10.0.0.1:6443", "zone_id": "1",
		"pool_ids": map[string]string{"RegionOne": "1", "RegionTwo": "2"}, "ca_hash": "sha256:0", "join_token": "abcdef.0123456789abcdef",
		"hook_url": "https://consumer.example/hook",
	}
	clouds := map[*acctest.Cloud]string{}
	for _, folder := range folders(t) {
		minor := acctest.TerraformMinor(t)
		switch {
		case strings.HasPrefix(folder, "modules"), filepath.Base(folder) == "after", folder == "guides/several-states/servers":
			continue
		case strings.HasPrefix(folder, "actions/") && minor < 16: // for before_update
			continue
		case folder == "guides/testing-a-module" && minor > 0 && minor < 11: // see needsOverride
			continue
		}
		cloud, text := admin, configuration(t, folder)
		if regexp.MustCompile(`resource "stackpolicy_placement_attachment"|module "`).MatchString(text) {
			cloud = fresh
		}
		clouds[cloud] += fmt.Sprintf("module %q {\n  source = %q\n", strings.ReplaceAll(folder, "/", "_"), "./"+folder)
		for _, m := range regexp.MustCompile(`(?m)^variable "(\w+)"`).FindAllStringSubmatch(text, -1) {
			if value, is := needs[m[1]]; is {
				written, err := json.Marshal(value)
				require.NoError(t, err)
				clouds[cloud] += fmt.Sprintf("  %s = %s\n", m[1], written)
			}
		}
		clouds[cloud] += "}\n"
	}
	require.Len(t, clouds, 2)
	for cloud, modules := range clouds {
		e := example{cloud.Example(t, "."), cloud}
		// The objects that the import blocks name do not exist.
		imports, err := filepath.Glob(filepath.Join(e.Dir, "*", "*", "import*.tf"))
		for _, file := range append(imports, filepath.Join(e.Dir, memory, "cluster/import.tf")) {
			err = errors.Join(err, os.Remove(file))
		}
		require.NoError(t, err)
		for i, folder := range folders(t) { // two clusters of one configuration have two names
			files, err := filepath.Glob(filepath.Join(e.Dir, folder, "*.tf"))
			require.NoError(t, err)
			for _, file := range files {
				text := clusterNames.ReplaceAllString(read(t, file), fmt.Sprintf("${1}%d-", i))
				text = slotNames.ReplaceAllString(text, fmt.Sprintf("\"%d-$1\" = ", i))
				require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			}
		}
		e.file(t, "main.tf", modules)
		e.Attach = nil // each provider block needs a provider of its own
		require.NoError(t, e.Init(t.Context()))
		assert.NotEmpty(t, e.planned(t))
	}
}

var slotNames = regexp.MustCompile(`\b(web-\d) = `)

var clusterNames = regexp.MustCompile(`(\bcluster +(?:=|:) ")`)

// configuration returns the configuration of an example.
func configuration(t *testing.T, folder string) (all string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.tf"))
	require.NoError(t, err)
	for _, file := range files {
		all += read(t, file)
	}
	return all
}
