package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTable: each fault of the table can be put in, so the table is changed together with the code.
func TestTable(t *testing.T) {
	t.Chdir("../..")
	names := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	all, err := readFaults(table)
	if err != nil || len(all) == 0 {
		t.Fatalf("%d faults, %v", len(all), err)
	}
	for _, f := range all {
		_, err := f.put()
		assert.NoError(t, err)
		there := map[string]bool{}
		files, _ := filepath.Glob(filepath.Join(f.pkg, "*_test.go"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, m := range names.FindAllStringSubmatch(string(text), -1) {
				there[m[1]] = true
			}
		}
		tests, _, _ := strings.Cut(f.tests, "/") // the part after it may name a subtest
		for name := range strings.SplitSeq(strings.Trim(tests, "^$()"), "|") {
			assert.True(t, there[name], "%s: %s has no test %s", f.title, f.pkg, name)
		}
	}
}

// TestPut: a fault replaces lines that the file has exactly once.
func TestPut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.tf")
	require.NoError(t, os.WriteFile(file, []byte("a {\n  b = 1\n  c = { # of\n  d = 2 }\n  b = 1\n}\n"), 0o600))
	for _, c := range []struct {
		f          fault
		text, want string
	}{
		{fault{before: []string{"c = { # of", "d = 2 }"}, after: []string{"e = 3"}}, "a {\n  b = 1\ne = 3\n  b = 1\n}\n", ""},
		{fault{before: []string{"b = 1"}}, "", "2 times, not once"},
		{fault{before: []string{"b = 2"}}, "", "0 times, not once"},
	} {
		c.f.file = file
		text, err := c.f.put()
		assert.Equal(t, c.text, text, c.f.before)
		assert.Contains(t, fmt.Sprint(err), cmp.Or(c.want, "<nil>"), c.f.before)
	}
}
