package examples_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shown fails unless a page has the text, line by line.
func shown(t *testing.T, page, text string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", page))
	require.NoError(t, err)
	for line := range strings.Lines(text) {
		assert.Contains(t, string(content), strings.TrimSpace(line), "%s does not show %q", page, line)
	}
}

// edit replaces a part of an example, as a reader would.
func (e example) edit(t *testing.T, old, changed string) {
	t.Helper()
	file := filepath.Join(e.Dir, "main.tf")
	text, err := os.ReadFile(file)
	require.Contains(t, string(text), old, "the example")
	if err = errors.Join(err, os.WriteFile(file, []byte(strings.Replace(string(text), old, changed, 1)), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestAccExample_firstCluster follows the README: the first cluster, a smaller
// one, and the same one over two regions.
func TestAccExample_firstCluster(t *testing.T) {
	e := start(t, "first-cluster")
	e.apply(t)
	var summary string
	require.NoError(t, e.Output(t.Context(), "placement", &summary))
	shown(t, "README.md", summary)
	shown(t, "templates/index.md.tmpl", summary)
	six := e.servers(t)
	e.edit(t, "= 6", "= 4")
	text, err := e.Run(t.Context(), "plan", "-no-color")
	require.NoError(t, err)
	// Which of them is the oldest is up to the order in which Nova creates them.
	reasons := regexp.MustCompile(`RegionOne/az-\d loses [^"]* created `).FindAllString(text, -1)
	if len(reasons) != 2 {
		t.Errorf("%d reasons:\n%s", len(reasons), text)
	}
	for _, reason := range append(reasons, regexp.MustCompile("Plan: .*").FindString(text)) {
		shown(t, "README.md", reason)
	}
	e.apply(t)
	four := e.servers(t)
	kept(t, six, four, 4)
	e.edit(t, `  region = "RegionOne"
  zones = [
    { name = "az-1" },
    { name = "az-2", weight = 200, cap = 3 },
  ]
`, `  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2", weight = 200, cap = 3 }] },
    { name = "RegionTwo" },
  ]
`)
	e.edit(t, "= 4", "= 8")
	e.apply(t)
	kept(t, four, e.servers(t), 8)
	require.NoError(t, e.Output(t.Context(), "placement", &summary))
	shown(t, "README.md", summary)
}
