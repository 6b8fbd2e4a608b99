package provider_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testdata/states has a folder for each released version, and the folder "next" for
// the next version: a configuration with all resources, the state of its apply, and the
// cloud that belongs to the state. RELEASING.md copies "next" when a version is
// released.
const (
	statesDir = "testdata/states"
	nextState = "next"
)

// cloudContents is the cloud that belongs to the state of a version, by region.
type cloudContents map[string]struct {
	Servers []fakecloud.Server
	Groups  []fakecloud.ServerGroup
}

// TestReleasedStates: the provider reads the state of each released version, and its
// configuration plans no change.
func TestReleasedStates(t *testing.T) {
	t.Parallel()
	if *update {
		writeState(t, filepath.Join(statesDir, nextState))
	}
	folders, err := filepath.Glob(filepath.Join(statesDir, "*"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, dir := range folders {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			readState(t, dir)
		})
	}
}

func readState(t *testing.T, dir string) {
	t.Helper()
	c := acctest.NewFake(t, fakecloud.Config{})
	var contents cloudContents
	readJSON(t, filepath.Join(dir, "cloud.json"), &contents)
	for region, there := range contents {
		for _, g := range there.Groups {
			c.Fake.AddServerGroup(region, g)
		}
		c.Fake.AddServers(region, there.Servers...)
	}
	state, err := os.ReadFile(filepath.Join(dir, "state.json"))
	require.NoError(t, err)
	var written struct {
		Resources []struct {
			Type      string
			Instances []struct {
				Version    int64 `json:"schema_version"`
				Attributes map[string]any
			}
		}
	}
	require.NoError(t, json.Unmarshal(state, &written))
	schemas := protocol.Start(t, c.Fake, fakecloud.MemberUser, "RegionOne").Schemas.ResourceSchemas
	there := map[string]bool{}
	for _, r := range written.Resources {
		there[r.Type] = true
		schema, ours := schemas[r.Type]
		for _, i := range r.Instances {
			for name := range i.Attributes { // the framework ignores unknown attributes
				if ours && i.Version == schema.Version && !slices.Contains(parts(schema), name) {
					t.Errorf("%s.%s in %s is not read any more. Give the schema a higher version and the resource an upgrader.", r.Type, name, dir)
				}
			}
		}
	}
	for name := range schemas {
		assert.True(t, filepath.Base(dir) != nextState || there[name], "%s: no %s in the state: add one to main.tf, and run the test with -update", dir, name)
	}
	if strings.Contains(filepath.Base(acctest.Terraform(t)), "tofu") {
		state = []byte(strings.ReplaceAll(string(state), "registry.terraform.io", "registry.opentofu.org"))
	}
	w := stateWorkspace(t, c, dir)
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir, "terraform.tfstate"), state, 0o600))
	acctest.Loop{Workspace: w}.Settled(t, "the state in "+dir)
}

// parts returns the attributes and blocks of a resource.
func parts(schema *tfprotov6.Schema) (names []string) {
	for _, a := range schema.Block.Attributes {
		names = append(names, a.Name)
	}
	for _, b := range schema.Block.BlockTypes {
		names = append(names, b.TypeName)
	}
	return names
}

func stateWorkspace(t *testing.T, c *acctest.Cloud, dir string) *workspace.Workspace {
	t.Helper()
	config, err := os.ReadFile(filepath.Join(dir, "main.tf"))
	require.NoError(t, err)
	return c.Workspace(t, string(config))
}

// writeState applies the configuration of a folder, and writes the state and the cloud
// into it.
func writeState(t *testing.T, dir string) {
	t.Helper()
	c := acctest.NewFake(t, fakecloud.Config{})
	w := stateWorkspace(t, c, dir)
	acctest.Must(t, w, "apply", "-auto-approve", "-input=false", "-no-color", "-target=stackpolicy_placement_attachment.web")
	var nodes map[string]struct {
		Index        int
		Region, Zone string
	}
	require.NoError(t, w.Output(t.Context(), "nodes", &nodes))
	for name, n := range nodes {
		c.Fake.AddServers(n.Region, fakecloud.Server{
			ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", n.Index), Name: name, Zone: n.Zone,
		})
	}
	for range 2 { // the second apply sees the servers
		acctest.Apply(t, w)
	}
	state, err := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate"))
	require.NoError(t, err)
	for pattern, fixed := range map[string]string{
		`"lineage": "[^"]*"`:           `"lineage": "00000000-0000-4000-8000-000000000000"`,
		`"terraform_version": "[^"]*"`: `"terraform_version": "1.8.0"`,
		`registry\.opentofu\.org`:      `registry.terraform.io`,
	} {
		state = regexp.MustCompile(pattern).ReplaceAll(state, []byte(fixed))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "state.json"), state, 0o600))
	contents := cloudContents{}
	for _, region := range c.Regions(t) {
		there := contents[region]
		there.Servers, there.Groups = c.Fake.Servers(region), c.Fake.ServerGroups(region)
		contents[region] = there
	}
	writeJSON(t, filepath.Join(dir, "cloud.json"), contents)
}
