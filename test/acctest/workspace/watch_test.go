package workspace

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSources: the source of the provider is an input of the tests that run it as a program, so that their results are
// not cached once it is broken.
func TestSources(t *testing.T) {
	files, err := sourcesOf(t.Context(), ".")
	require.NoError(t, err)
	hooks := filepath.Join(Root(), "internal", "hook")
	for _, file := range []string{hooks, filepath.Join(hooks, "hook.go"), filepath.Join(Root(), "main.go"), filepath.Join(Root(), "go.sum")} {
		assert.Contains(t, files, file)
	}
	for _, file := range files {
		assert.NoError(t, Watch(file))
	}
}
