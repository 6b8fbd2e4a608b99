// Package runs says in which run a test is. Each test, and each row of a table, is in one of three. A test that says
// nothing is in "make test".
package runs

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Run is a set of tests that one command runs.
type Run string

// The runs.
const (
	Short Run = "short" // "make test", before each commit
	Sweep Run = "sweep" // "make sweeps", in .ci/run
	Night Run = "night" // "make lives", each night
)

// Variable names the runs that are asked for, with commas between them. Without it everything runs, as for a test that
// somebody names; "go test -short" leaves the night out.
const Variable = "STACKPOLICY_RUN"

// In skips a test, or a row of a table, of another run than those that are asked for.
func In(t testing.TB, r Run) {
	t.Helper()
	switch {
	case r != Short && r != Sweep && r != Night:
		t.Fatalf("there is no run %q", r)
	case asked() != "" && !Asked(r):
		t.Skipf("it is in the run %q", r)
	}
}

// Asked reports whether one of the runs is asked for by its name.
func Asked(runs ...Run) bool {
	return slices.ContainsFunc(strings.Split(asked(), ","), func(name string) bool {
		return slices.Contains(runs, Run(name))
	})
}

func asked() string {
	if of := os.Getenv(Variable); of != "" || !testing.Short() {
		return of
	}
	return "short,sweep"
}

// Turn reports whether it is the turn of a row of a table of which each .ci/run has a third: commits take turns.
func Turn(row int) bool {
	turn, _ := strconv.Atoi(os.Getenv("STACKPOLICY_TURN"))
	return row%3 == turn%3
}

// Some returns the run of a row of a table of which some are in one run, and the rest in another.
func Some(is bool, some, rest Run) Run {
	if is {
		return some
	}
	return rest
}
