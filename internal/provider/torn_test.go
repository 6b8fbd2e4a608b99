package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// TestTwoApplies: without a lock each of two applies carries out its own plan, and the
// last one to end writes the state. The guide says what is left behind.
func TestTwoApplies(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	config := func(size int) string { return acctest.Attached(c, size, acctest.Places("RegionOne: az-1 az-2"), "") }
	one := c.Workspace(t, config(3))
	if _, err := one.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	// apply carries out a change in a copy of the folder, with the state before the change.
	apply := func(size int) (state []byte, text string) {
		t.Helper()
		two := *one
		two.Dir = filepath.Join(t.TempDir(), "copy")
		require.NoError(t, os.CopyFS(two.Dir, os.DirFS(one.Dir)))
		require.NoError(t, two.Write(config(size)))
		text, err := two.Apply(t.Context())
		if err == nil {
			state, err = os.ReadFile(filepath.Join(two.Dir, "terraform.tfstate"))
		}
		require.NoError(t, err)
		return state, text
	}
	// then returns the output of the next apply, after this state was written last.
	then := func(state []byte, size int) string {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(one.Dir, "terraform.tfstate"), state, 0o600))
		require.NoError(t, one.Write(config(size)))
		text, err := one.Apply(t.Context())
		require.NoError(t, err)
		return text
	}
	grown, _ := apply(5)
	shrunk, _ := apply(2)
	if text := then(shrunk, 2); !strings.Contains(text, "0 added, 0 changed, 0 destroyed") || len(c.Servers(t)) != 4 {
		t.Errorf("the shrink is what is known: %d servers\n%s", len(c.Servers(t)), text)
	}
	if text := then(grown, 5); !strings.Contains(text, "1 added, 1 changed, 0 destroyed") || len(c.Servers(t)) != 5 {
		t.Errorf("the growth is what is known: %d servers\n%s", len(c.Servers(t)), text)
	}
	apply(6)
	last, text := apply(6)
	if !acctest.Says("Servers have the names that come next").MatchString(text) {
		t.Errorf("no warning says that the other one grew: %s", text)
	}
	if text := then(last, 6); !strings.Contains(text, "0 added, 0 changed, 0 destroyed") || len(c.Servers(t)) != 7 {
		t.Errorf("both grew: %d servers of different names\n%s", len(c.Servers(t)), text)
	}
}
