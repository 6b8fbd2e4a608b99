package wait

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := errors.New("stopped by the user")
		for _, c := range []struct {
			name           string
			wait, cancelIn time.Duration
			took           time.Duration
			err            error
		}{
			{"in full", time.Hour, 0, time.Hour, nil},
			{"nothing", 0, 0, 0, nil},
			{"less than nothing", -time.Hour, 0, 0, nil},
			{"cancelled", time.Hour, time.Minute, time.Minute, stop},
			{"cancelled before", time.Hour, -1, 0, stop},
			{"cancelled before, nothing to wait for", 0, -1, 0, stop},
		} {
			ctx, cancel := context.WithCancelCause(t.Context())
			if c.cancelIn < 0 {
				cancel(stop)
			} else if c.cancelIn > 0 {
				time.AfterFunc(c.cancelIn, func() { cancel(stop) })
			}
			start := time.Now()
			if err := For(ctx, c.wait); !errors.Is(err, c.err) || time.Since(start) != c.took {
				t.Errorf("%s: %v after %s", c.name, err, time.Since(start))
			}
			cancel(nil)
		}
	})
}
