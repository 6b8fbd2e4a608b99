package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRuns: each test is in a run, and the tests of a module of its own are in a target of the GNUmakefile.
func TestRuns(t *testing.T) {
	t.Chdir("../..")
	all, faults := tests(".")
	assert.Empty(t, faults)
	counts := map[string]int{}
	for _, one := range all {
		assert.NotEmpty(t, one.runs, "%s of %s is in no run", one.name, one.pkg)
		for _, run := range one.runs {
			counts[run]++
		}
	}
	assert.True(t, counts["short"] > 300 && counts["sweep"] > 30 && counts["night"] > 10, "%v", counts)
	makefile, err := os.ReadFile("GNUmakefile")
	require.NoError(t, err)
	modules, err := filepath.Glob("*/*/go.mod")
	require.NoError(t, err)
	for _, module := range modules {
		folder := filepath.ToSlash(filepath.Dir(module))
		if files, _ := filepath.Glob(folder + "/*_test.go"); len(files) > 0 {
			assert.Contains(t, string(makefile), "cd "+folder+" ", "the tests of %s are in no run", folder)
		}
	}
}

// TestFile: what a test says about its run.
func TestFile(t *testing.T) {
	for body, want := range map[string]string{
		`func TestA(t *testing.T) {}`:                         "short",
		`func TestA(t *testing.T) { runs.In(t, runs.Sweep) }`: "sweep",
		`func TestA(t *testing.T) { for { t.Run("", func() { runs.In(t, runs.Some(x, runs.Short, runs.Night)) }) } }`: "short night",
		`var rows = []any{runs.Sweep, runs.Night}; func TestA(t *testing.T) { for { runs.In(t, c.run) } }`:            "sweep night",
		`func TestA(t *testing.T) { runs.In(t, runs.Sweep); for { runs.In(t, runs.Night) } }`: "TestA is in the run sweep, " +
			"and its rows say another: say it in all rows",
		`func help(t *testing.T) { runs.In(t, runs.Night) }`: "help is no test, " +
			"and says in which run it is",
		`func TestA(t *testing.T) { if testing.Short() {} }`: "TestA asks testing.Short: " +
			"a test says in which run it is",
		`func TestA(t *testing.T) { for { runs.In(t, c.run) } }`: "",
	} {
		tree, err := parser.ParseFile(token.NewFileSet(), "a_test.go", "package a\n"+body, 0)
		require.NoError(t, err)
		found, faults := file(tree)
		for _, one := range found {
			faults = append(faults, one.runs...)
		}
		assert.Equal(t, want, strings.Join(faults, " "), body)
	}
}

// TestArguments: the arguments of "go test", and what is left out.
func TestArguments(t *testing.T) {
	all := []found{
		{"./a", "TestB", []string{"short", "sweep"}},
		{"./a", "TestA", []string{"sweep"}},
		{"./b", "TestA", []string{"sweep"}},
		{"./b", "TestC", []string{"night"}},
	}
	assert.Equal(t, "-run ^(TestA|TestB)$ ./a ./b", arguments(all, "sweep", "", ""))
	assert.Equal(t, "-run ^(TestA)$ ./b", arguments(all, "sweep", "./b", ""))
	assert.Equal(t, "-run ^(TestA|TestB)$ ./a", arguments(all, "sweep", "", "./b"))
	assert.Equal(t, "!!! NOT RUN: 2 tests, or most of their rows, which \"make sweeps\" has: A, A\n"+
		"!!! NOT RUN: 1 tests, or most of their rows, which \"make lives\" has: C\n", leftOut(all, "short"))
}
