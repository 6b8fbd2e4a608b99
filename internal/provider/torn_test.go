package provider_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTwoApplies: without a lock each of two applies carries out its own plan, and the
// last one to end writes the state. The guide says what is left behind.
func TestTwoApplies(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	config := func(size int) string { return acctest.Attached(c, size, acctest.Places("RegionOne: az-1 az-2"), "") }
	one := c.Workspace(t, config(3))
	acctest.Apply(t, one)
	// apply carries out a change in a copy of the folder, with the state before the change.
	apply := func(size int) (state []byte, text string) {
		t.Helper()
		two := *one
		two.Dir = filepath.Join(t.TempDir(), "copy")
		require.NoError(t, os.CopyFS(two.Dir, os.DirFS(one.Dir)))
		require.NoError(t, two.Write(config(size)))
		text = acctest.Apply(t, &two)
		state, err := os.ReadFile(filepath.Join(two.Dir, "terraform.tfstate"))
		require.NoError(t, err)
		return state, text
	}
	// then checks the next apply, after this state was written last.
	then := func(state []byte, size int, does string, servers int) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(one.Dir, "terraform.tfstate"), state, 0o600))
		require.NoError(t, one.Write(config(size)))
		assert.Contains(t, acctest.Apply(t, one), does)
		assert.Len(t, c.Servers(t), servers)
	}
	grown, _ := apply(5)
	shrunk, _ := apply(2)
	then(shrunk, 2, "0 added, 0 changed, 0 destroyed", 4)
	then(grown, 5, "1 added, 1 changed, 0 destroyed", 5)
	apply(6)
	last, text := apply(6)
	assert.Regexp(t, acctest.Says("Servers have the names that come next"), text)
	then(last, 6, "0 added, 0 changed, 0 destroyed", 7) // both grew, by servers of different names
}
