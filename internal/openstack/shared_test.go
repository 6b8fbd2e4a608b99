package openstack

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestShared: callers share one call, even if the first one leaves, or all do. Its result is kept, and its error too, except
// for one that passes.
func TestShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, passing := errors.New("left"), errors.New("passing")
		s := shared[string, string]{passes: func(err error) bool { return errors.Is(err, passing) }}
		calls := 0
		fetch := func(context.Context) (string, error) {
			calls++
			time.Sleep(time.Minute)
			return fmt.Sprint("call ", calls), map[int]error{3: errors.New("failed"), 4: passing}[calls]
		}
		for _, c := range []struct {
			name, key string
			leaving   []time.Duration // time after which each caller leaves
			want      []string
		}{
			{"the first leaves", "a", []time.Duration{time.Second, time.Hour, time.Hour}, []string{"left", "call 1", "call 1"}},
			{"it is kept", "a", []time.Duration{time.Second}, []string{"call 1"}},
			{"all leave", "b", []time.Duration{time.Second, 2 * time.Second}, []string{"left", "left"}},
			{"asked again", "b", []time.Duration{time.Hour}, []string{"call 2"}},
			{"a failure", "c", []time.Duration{time.Hour}, []string{"failed"}},
			{"it is kept, too", "c", []time.Duration{time.Hour}, []string{"failed"}},
			{"one that passes", "d", []time.Duration{time.Hour}, []string{"passing"}},
			{"it has passed", "d", []time.Duration{time.Hour}, []string{"call 5"}},
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
		}
	})
}
