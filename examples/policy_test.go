package examples_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// replace replaces text in a file of a copy of the examples.
func replace(t *testing.T, file, old, text string) {
	t.Helper()
	all, err := os.ReadFile(file)
	if !strings.Contains(string(all), old) {
		err = errors.Join(err, errors.New("nothing to replace"))
	}
	if err = errors.Join(err, os.WriteFile(file, []byte(strings.ReplaceAll(string(all), old, text)), 0o600)); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// TestAccExample_clusterPolicy: another policy of the module's server groups is
// taken up in place, with create_before_destroy and without it. No server is
// replaced, and no group is left.
func TestAccExample_clusterPolicy(t *testing.T) {
	sideBySide(t)
	for name, module := range map[string]func(*testing.T, string){
		"create_before_destroy": func(*testing.T, string) {},
		"destroy first": func(t *testing.T, file string) {
			t.Helper()
			replace(t, file, "create_before_destroy = true", "create_before_destroy = false")
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t, "cluster")
			module(t, filepath.Join(e.Dir, "..", "modules", "cluster", "main.tf"))
			e.apply(t)
			before := e.servers(t)
			groups := len(e.groups(t, "RegionOne"))
			replace(t, filepath.Join(e.Dir, "main.tf"), `network_name = "shared"`, "network_name = \"shared\"\n  affinity     = \"soft-affinity\"")
			e.apply(t)
			kept(t, before, e.servers(t), len(before))
			changed := e.groups(t, "RegionOne")
			if len(changed) != groups || groups == 0 {
				t.Errorf("%d groups became %v", groups, changed)
			}
			for _, g := range changed {
				if g.Policy != "soft-affinity" {
					t.Errorf("the group is %+v", g)
				}
			}
			if _, err := e.Destroy(t.Context()); err != nil || len(e.groups(t, "RegionOne")) != 0 {
				t.Errorf("destroyed: %v, left are %v", err, e.groups(t, "RegionOne"))
			}
		})
	}
}
