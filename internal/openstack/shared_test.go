package openstack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestShared: callers share one call, even if the first one leaves. When all have left, the call ends, and
// the next caller starts another. Its result is kept, and its error too, except for one that passes.
func TestShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, passing := errors.New("left"), errors.New("passing")
		s := shared[string, string]{passes: func(err error) bool { return errors.Is(err, passing) }}
		calls, cancelled := 0, 0
		fetch := func(ctx context.Context) (string, error) {
			calls++
			select {
			case <-time.After(time.Minute):
				return fmt.Sprint("call ", calls), map[int]error{4: errors.New("failed"), 5: passing}[calls]
			case <-ctx.Done():
				cancelled++
				return "", ctx.Err()
			}
		}
		for _, c := range []struct {
			name, key string
			leaving   []time.Duration // time after which each caller leaves
			want      []string
			cancelled int
		}{
			{"the first leaves", "a", []time.Duration{time.Second, time.Hour, time.Hour}, []string{"left", "call 1", "call 1"}, 0},
			{"it is kept", "a", []time.Duration{time.Second}, []string{"call 1"}, 0},
			{"for callers that are cancelled, too", "a", make([]time.Duration, 20), slices.Repeat([]string{"call 1"}, 20), 0},
			{"all leave", "b", []time.Duration{time.Second, 2 * time.Second}, []string{"left", "left"}, 1},
			{"asked again", "b", []time.Duration{time.Hour}, []string{"call 3"}, 1},
			{"a failure", "c", []time.Duration{time.Hour}, []string{"failed"}, 1},
			{"it is kept, too", "c", []time.Duration{time.Hour}, []string{"failed"}, 1},
			{"one that passes", "d", []time.Duration{time.Hour}, []string{"passing"}, 1},
			{"it has passed", "d", []time.Duration{time.Hour}, []string{"call 6"}, 1},
		} {
			got := make([]string, len(c.leaving))
			var all sync.WaitGroup
			for i, leaving := range c.leaving {
				all.Go(func() {
					ctx, cancel := context.WithTimeoutCause(t.Context(), leaving, left)
					defer cancel()
					value, err := s.get(ctx, c.key, fetch)
					if got[i] = value; err != nil {
						got[i] = err.Error()
					}
				})
				synctest.Wait() // so that they call one after the other
			}
			all.Wait()
			synctest.Wait()
			assert.Equal(t, c.want, got, c.name)
			assert.Equal(t, c.cancelled, cancelled, "%s: calls that were cancelled", c.name)
		}
	})
}
