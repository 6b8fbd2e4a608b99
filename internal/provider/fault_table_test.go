package provider_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite golden files")

// tally counts the cases of an operation by their outcome.
type tally struct {
	operation                           string
	requests, cases, overcame, reported int
}

// compareTable compares the table of counts with the golden file.
func compareTable(t *testing.T, file string, tallies []*tally) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "| Operation | Requests | Cases | Overcome | Reported |\n|---|---:|---:|---:|---:|\n")
	total := &tally{operation: "All"}
	for _, c := range append(tallies, total) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", c.operation, c.requests, c.cases, c.overcame, c.reported)
		total.requests += c.requests
		total.cases += c.cases
		total.overcame += c.overcame
		total.reported += c.reported
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
	}
	golden, err := os.ReadFile(file)
	require.NoError(t, err)
	if string(golden) != b.String() {
		t.Errorf("%s is out of date (go test -run %s -update rewrites it):\n%s", file, t.Name(), b.String())
	}
}
