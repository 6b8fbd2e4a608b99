package main

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWrite: each page of docs is listed, and is in the file with all pages.
func TestWrite(t *testing.T) {
	top := os.DirFS("../..")
	list, all, err := write(top)
	require.NoError(t, err)
	require.NoError(t, fs.WalkDir(top, "docs", func(page string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			assert.Equal(t, 1, strings.Count(list, "("+address+page+"): "), page)
			assert.Equal(t, 1, strings.Count(all, "<!-- "+page+" -->\n\n# "), page)
		}
		return err
	}))
	_, _, err = write(fstest.MapFS{"docs/index.md": {Data: []byte("# A page\n")}})
	assert.ErrorContains(t, err, "docs/index.md has no title")
}
