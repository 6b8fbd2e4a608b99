package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTable: each fault of the table can be put in: where the code moved, the table
// moves with it.
func TestTable(t *testing.T) {
	t.Chdir("../..")
	names := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	all, err := readFaults(table)
	if err != nil || len(all) == 0 {
		t.Fatalf("%d faults, %v", len(all), err)
	}
	for _, f := range all {
		if _, err := f.put(); err != nil {
			t.Error(err)
		}
		there := map[string]bool{}
		files, _ := filepath.Glob(filepath.Join(f.pkg, "*_test.go"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, m := range names.FindAllStringSubmatch(string(text), -1) {
				there[m[1]] = true
			}
		}
		for name := range strings.SplitSeq(strings.Trim(f.tests, "^$()"), "|") {
			if !there[name] {
				t.Errorf("%s: %s has no test %s", f.title, f.pkg, name)
			}
		}
	}
}
