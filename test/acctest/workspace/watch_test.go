package workspace

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestSources: the source of the stand-in is an input of the tests that run it,
// so that none is "ok (cached)" once it is broken.
func TestSources(t *testing.T) {
	files, err := sourcesOf(t.Context(), standIn)
	if err != nil {
		t.Fatal(err)
	}
	stub := filepath.Join(Root(), "test", "acctest", "openstackstub")
	for _, file := range []string{stub, filepath.Join(stub, "serve", "main.go"), filepath.Join(stub, "instance_resource.go"), filepath.Join(Root(), "go.sum")} {
		if !slices.Contains(files, file) {
			t.Errorf("%s is not among the %d files", file, len(files))
		}
	}
	for _, file := range files {
		if err := Watch(file); err != nil {
			t.Error(err)
		}
	}
}
