package examples_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
)

// example is one that is applied.
type example struct {
	*workspace.Workspace
	c *acctest.Cloud
}

func start(t *testing.T, folder string) example {
	t.Helper()
	c := acctest.NewFake(t, fakecloud.Config{})
	c.Prefix = "" // all servers are the example's
	c.Fake.AddImage(fakecloud.Image{Name: "debian-12"})
	return example{c.Example(t, folder), c}
}

// apply applies, and fails unless the next plan is empty.
func (e example) apply(t *testing.T, variables ...string) string {
	t.Helper()
	text, err := e.Apply(t.Context(), variables...)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := e.Plan(t.Context(), "next.tfplan", variables...)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range plan.ResourceChanges {
		if !change.Change.Actions.NoOp() && !change.Change.Actions.Read() {
			t.Errorf("the next plan is not empty: %s of %s", change.Change.Actions, change.Address)
		}
	}
	return text
}

// servers are those of the cloud, by name.
func (e example) servers(t *testing.T) map[string]string {
	t.Helper()
	ids := map[string]string{}
	for name, s := range e.c.Servers(t) {
		ids[name] = s.ID
	}
	return ids
}

// kept fails unless the servers left are among those that were there before.
func kept(t *testing.T, before, after map[string]string, size int) {
	t.Helper()
	if len(after) != size {
		t.Errorf("%d servers, want %d", len(after), size)
	}
	for name, id := range after {
		if was, there := before[name]; there && was != id {
			t.Errorf("%s was replaced", name)
		}
	}
}

func TestCluster(t *testing.T) {
	t.Parallel()
	e := start(t, "cluster")
	e.apply(t)
	six := e.servers(t)
	e.apply(t, "size=11")
	eleven := e.servers(t)
	kept(t, six, eleven, 11)
	for name := range six {
		if _, there := eleven[name]; !there {
			t.Errorf("%s went as the cluster grew", name)
		}
	}
	e.apply(t, "size=7")
	kept(t, eleven, e.servers(t), 7)
	for _, region := range []string{"RegionOne", "RegionTwo"} {
		groups := e.c.Fake.ServerGroups(region)
		if len(groups) != 1 || groups[0].Policy != "soft-anti-affinity" {
			t.Fatalf("%s has the server groups %v", region, groups)
		}
		for _, s := range e.c.Fake.Servers(region) {
			if !slices.Contains(groups[0].Members, s.ID) || s.Metadata["cluster"] != "web" {
				t.Errorf("%s is not in the group, or has the metadata %v", s.Name, s.Metadata)
			}
		}
	}
	e.roll(t)
	if _, err := e.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := e.servers(t); len(left) != 0 || len(e.c.Fake.ServerGroups("RegionOne")) != 0 {
		t.Errorf("left are %v, %v", left, e.c.Fake.ServerGroups("RegionOne"))
	}
	if stops := e.c.Fake.Count("POST compute /servers/*/action"); stops != 13 {
		t.Errorf("%d of 13 servers were stopped before they went", stops)
	}
}

// roll brings a new image to two of seven nodes by name, and drops a region.
func (e example) roll(t *testing.T) {
	t.Helper()
	before := e.servers(t)
	names := slices.Sorted(maps.Keys(before))[:2]
	image := e.c.Fake.AddImage(fakecloud.Image{Name: "debian-13"})
	file := filepath.Join(e.Dir, "main.tf")
	text, err := os.ReadFile(file)
	config := strings.Replace(string(text), `"debian-12"`, fmt.Sprintf("\"debian-13\"\n  deletion = { candidates = [%q, %q] }", names[0], names[1]), 1)
	config = regexp.MustCompile(`(?m)^ *\{ name = "RegionTwo".*\n`).ReplaceAllString(config, "")
	if err = errors.Join(err, os.WriteFile(file, []byte(config), 0o600)); err != nil {
		t.Fatal(err)
	}
	e.apply(t, "size=7")
	after := e.servers(t)
	kept(t, before, after, 7)
	renewed := 0
	for _, s := range e.c.Fake.Servers("RegionOne") {
		if s.ImageID == image {
			renewed++
		}
	}
	if _, there := after[names[0]]; there || renewed != 2 {
		t.Errorf("%v were to be renewed: %d are, servers %v", names, renewed, after)
	}
}
