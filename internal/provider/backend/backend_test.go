package backend

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stretchr/testify/assert"
)

// TestGather: of resources that join at about the same time, or are announced, one gets all names, and a resource that
// joins later is not forgotten.
func TestGather(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(Walk)
		var mu sync.Mutex
		var got []string
		var all sync.WaitGroup
		start := time.Now()
		for i, r := range []struct {
			after, answer time.Duration // when it is announced, and how long the cloud takes to answer it
			stays         bool          // whether it does not join
		}{
			{}, {}, {after: quiet - 1}, {after: 2*quiet - 2}, {after: 4 * quiet}, {after: 4 * quiet}, {after: 10 * quiet}, {after: 12 * quiet},
			{after: 20 * quiet, answer: 5 * quiet}, {after: 20*quiet + 1}, {after: 24 * quiet, answer: 3*quiet + 2, stays: true},
		} {
			all.Go(func() {
				time.Sleep(r.after)
				answered := w.Announce("drained")
				time.Sleep(r.answer)
				answered()
				if r.stays {
					return
				}
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
		want := []string{"[web-0 web-1 web-2 web-3] after 3", "[web-4 web-5] after 6", "[web-6] after 11", "[web-7] after 12", "[web-8 web-9] after 29"}
		assert.Equal(t, want, got)
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Len(t, new(Walk).Gather(ctx, "drained", "web-0"), 1, "a walk that was cancelled")
}

// TestWalk: the second of two resources sees the note of the first, in either order.
func TestWalk(t *testing.T) {
	w := new(Walk)
	before := []bool{w.Leaving.Note("a", "web"), w.Leaving.Note("a", "db"), w.Ready.Note("a", true)}
	assert.Equal(t, []bool{false, true, false}, before, "noted before")
	value, noted := w.Leaving.Noted("a")
	assert.True(t, noted)
	assert.Equal(t, "db", value)
	_, noted = w.Leaving.Noted("b")
	assert.False(t, noted)
}

func TestNil(t *testing.T) {
	var b *Backend
	var diags diag.Diagnostics
	assert.Nil(t, b.Hooks())
	assert.Nil(t, b.Get(t.Context(), &diags))
	assert.Contains(t, diags[0].Detail(), "the provider is not configured")
}

// TestCheckCluster: an attachment that names another cluster than its nodes' is refused, once for all that do.
func TestCheckCluster(t *testing.T) {
	w := new(Walk)
	w.Publish("web", Cluster{Nodes: map[string]Node{"web-0": {}}})
	w.Publish("shop", Cluster{Nodes: map[string]Node{"shop-0": {}}})
	refuses := func(cluster types.String, node string) string {
		var diags diag.Diagnostics
		return fmt.Sprint(w.CheckCluster(cluster, []string{node}, &diags), len(diags))
	}
	for _, c := range [][3]string{{"web", "web-0", "false 0"}, {"web", "web-7", "false 0"}, {"db", "db-0", "false 0"}, {"", "web-0", "false 0"},
		{"shop", "web-0", "true 1"}, {"shop", "web-0", "true 0"}, {"db", "web-0", "true 1"}} {
		named := types.StringValue(c[0])
		if c[0] == "" {
			named = types.StringNull()
		}
		assert.Equal(t, c[2], refuses(named, c[1]), "%v", c)
	}
	assert.Equal(t, "false 0", refuses(types.StringUnknown(), "web-0"))
}
