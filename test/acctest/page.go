package acctest

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Table checks a table of a page. Its last column is written by hand; keys returns the other columns of each row, in
// order, and gets the rows that are there. With update the table is written; a new row has no last column yet.
func Table(t *testing.T, page, heading string, update bool, keys func(rows map[string]string) []string) {
	t.Helper()
	content, err := os.ReadFile(page)
	require.NoError(t, err)
	before, after, found := strings.Cut(string(content), heading)
	require.True(t, found, "%s has no table %q", page, heading)
	rows := map[string]string{}
	for strings.HasPrefix(after, "|") {
		var row string
		row, after, _ = strings.Cut(after, "\n")
		row = strings.TrimSuffix(row[1:], "|")
		last := strings.LastIndex(row, "|")
		rows[row[:last]] = row[last+1:]
	}
	list := keys(rows)
	for i, key := range list {
		assert.NotEmpty(t, rows[key], "%s does not say what to do about %q", page, key)
		list[i] = "|" + key + "|" + rows[key] + "|\n"
	}
	if want := before + heading + strings.Join(list, "") + after; update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
	} else if want != string(content) {
		t.Errorf("a table of %s is out of date: run this test with -update", page)
	}
}
