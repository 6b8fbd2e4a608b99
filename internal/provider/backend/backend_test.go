package backend

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stretchr/testify/assert"
)

// TestGather: of resources that join at about the same time one gets all names, and
// a resource that joins later is not forgotten.
func TestGather(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w Walk
		var mu sync.Mutex
		var got []string
		var all sync.WaitGroup
		start := time.Now()
		for i, after := range []time.Duration{0, 0, quiet - 1, 2*quiet - 2, 4 * quiet, 4 * quiet, 10 * quiet, 12 * quiet} {
			all.Go(func() {
				time.Sleep(after)
				if names := w.Gather(t.Context(), "drained", fmt.Sprint("web-", i)); names != nil {
					mu.Lock()
					defer mu.Unlock()
					got = append(got, fmt.Sprintf("%v after %d", names, time.Since(start)/quiet))
				}
			})
		}
		all.Go(func() {
			assert.Len(t, w.Gather(t.Context(), "others", "db-0"), 1, "another group")
		})
		all.Wait()
		want := []string{"[web-0 web-1 web-2 web-3] after 3", "[web-4 web-5] after 6", "[web-6] after 11", "[web-7] after 12"}
		assert.Equal(t, want, got)
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Len(t, new(Walk).Gather(ctx, "drained", "web-0"), 1, "a walk that was cancelled")
}

// TestWalk: the second of two resources sees the note of the first, in either order.
func TestWalk(t *testing.T) {
	var w Walk
	before := []bool{w.Note(Leaving, "a", "web"), w.Note(Leaving, "a", "db"), w.Note(Ready, "a", "")}
	assert.Equal(t, []bool{false, true, false}, before, "noted before")
	value, noted := w.Noted(Leaving, "a")
	assert.True(t, noted)
	assert.Equal(t, "db", value)
	_, noted = w.Noted(Leaving, "b")
	assert.False(t, noted)
}

func TestNil(t *testing.T) {
	var b *Backend
	var diags diag.Diagnostics
	assert.Nil(t, b.Hooks())
	assert.Nil(t, b.Get(t.Context(), &diags))
	assert.Contains(t, diags[0].Detail(), "the provider is not configured")
}
