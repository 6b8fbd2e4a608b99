package workspace

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSources: the source of the stand-in is an input of the tests that run it, so that their results are not cached
// once it is broken.
func TestSources(t *testing.T) {
	files, err := sourcesOf(t.Context(), standIn)
	require.NoError(t, err)
	stub := filepath.Join(Root(), "test", "acctest", "openstackstub")
	for _, file := range []string{stub, filepath.Join(stub, "serve", "main.go"), filepath.Join(stub, "instance_resource.go"), filepath.Join(Root(), "go.sum")} {
		assert.Contains(t, files, file)
	}
	for _, file := range files {
		assert.NoError(t, Watch(file))
	}
}
