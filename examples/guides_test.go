package examples_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// use replaces the configuration by that of another folder of the examples.
func (e example) use(t *testing.T, folder string) {
	t.Helper()
	old, err := filepath.Glob(filepath.Join(e.Dir, "*.tf"))
	for _, file := range old {
		if filepath.Base(file) != "required.tf" {
			err = errors.Join(err, os.Remove(file))
		}
	}
	if err = errors.Join(err, os.CopyFS(e.Dir, os.DirFS(folder))); err != nil {
		t.Fatal(err)
	}
}

// TestFromElement: the servers are the same before and after.
func TestFromElement(t *testing.T) {
	e := start(t, "guides/from-element/before")
	e.apply(t)
	before := e.servers(t)
	e.use(t, "guides/from-element/after")
	text := e.apply(t)
	t.Log(text)
	if after := e.servers(t); len(after) != 6 || !maps.Equal(before, after) {
		t.Errorf("before: %v, after: %v", before, after)
	}
	if err := os.Remove(filepath.Join(e.Dir, "migrate.tf")); err != nil {
		t.Fatal(err)
	}
	e.apply(t)
}
