package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCount(t *testing.T) {
	t.Parallel()
	got, err := count(strings.NewReader(`=== RUN   TestAccA
=== PAUSE TestAccA
=== RUN   TestAccB
    a_test.go:12: needs two regions, and the cloud has [one]
--- SKIP: TestAccB (0.00s)
=== CONT  TestAccA
=== RUN   TestAccA/sub
--- PASS: TestAccA (0.10s)
    --- PASS: TestAccA/sub (0.10s)
=== RUN   TestAccC
    c_test.go:3: got 1
--- FAIL: TestAccC (0.00s)
=== RUN   TestAccD
--- SKIP: TestAccD (0.00s)
FAIL	x	0.1s
`))
	want := counts{Passed: 2, Failed: []string{"TestAccC"}, Skipped: map[string]int{"needs two regions, and the cloud has [one]": 1, "no reason": 1}}
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestVersions(t *testing.T) {
	t.Parallel()
	passed := counts{Passed: 1}
	runs := []run{
		{Cloud: "OpenStack zed", Services: map[string]string{"nova": "26.2.2"}, Terraform: "Terraform 1.11.4", Provider: "stand-in", counts: passed},
		{Cloud: "OpenStack 2025.1", Services: map[string]string{"nova": "31.0.0"}, Terraform: "Terraform 1.11.4", Provider: "3.4.0", counts: passed},
		{Cloud: "the fake cloud", Terraform: "Terraform 1.8.5", Provider: "stand-in", counts: passed},
		{Cloud: "the fake cloud", Terraform: "OpenTofu 1.12.6", Provider: "stand-in", counts: passed},
		{Cloud: "OpenStack 2026.1", Terraform: "Terraform 1.16.0", Provider: "3.5.0", counts: counts{Passed: 9, Failed: []string{"TestAccA"}}},
	}
	const want = `| | supported | tested with |
|---|---|---|
| Terraform | 1.8 or later | 1.8.5, 1.11.4 |
| OpenTofu | 1.7 or later | 1.12.6 |
| terraform-provider-openstack | 3.0 or later | 3.4.0 |
| OpenStack | the maintained releases, and Zed | 2025.1 (Nova 31.0.0), zed (Nova 26.2.2) |
`
	assert.Equal(t, want, versions(runs))
}

func TestBetween(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "page.md")
	const begin, end = "a\n<!-- results: make docs writes what follows -->\n", "<!-- end of results -->\nb\n"
	require.NoError(t, os.WriteFile(file, []byte(begin+"\nold\n\n"+end), 0o600))
	for range 2 {
		require.NoError(t, between(file, "new\n"))
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, begin+"\nnew\n\n"+end, string(text))
}
