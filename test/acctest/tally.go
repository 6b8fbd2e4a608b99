package acctest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stretchr/testify/require"
)

// tallies is the page with tables of tallies, and tallyHead the beginning of each table.
const (
	tallies   = "test/results/mistakes.md"
	tallyHead = "| what happened | in service, at least | servers, at most | destroyed | of these had served " +
		"| not drained | applies |\n|---|---|---|---|---|---|---|\n"
)

var talliesLock sync.Mutex

// Row fails unless the table in a section of the page has the counted numbers. With update it writes them there.
func (n Tally) Row(t testing.TB, section, what string, applies int, update bool) {
	t.Helper()
	start := "| " + what + " | "
	row := fmt.Sprintf("%s%d of %d | %d | %d | %d | %d | %d |\n",
		start, n.Least, n.Of, n.Most, n.Destroyed, n.Served, n.Undrained, applies)
	talliesLock.Lock()
	defer talliesLock.Unlock()
	file := filepath.Join(workspace.Root(), filepath.FromSlash(tallies))
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	above, rest, _ := strings.Cut(string(content), "## "+section+"\n")
	text, table, found := strings.Cut(rest, tallyHead)
	if !found {
		t.Fatalf("%s has no section %q with a table\n%s", tallies, section, tallyHead)
	}
	lines := strings.SplitAfter(table, "\n")
	end := slices.IndexFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "|") })
	if slices.Contains(lines[:end], row) {
		return
	}
	if !update || t.Failed() {
		t.Errorf("the table of %s is out of date (-update rewrites it), it lacks\n%s", tallies, row)
		return
	}
	same := func(line string) bool { return strings.HasPrefix(line, start) }
	if at := slices.IndexFunc(lines[:end], same); at >= 0 {
		lines[at] = row
	} else {
		lines = slices.Insert(lines, end, row)
	}
	text = above + "## " + section + "\n" + text + tallyHead + strings.Join(lines, "")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}
