// Package wait waits until a time is over or a context ends, and reads how long a server asks to wait.
package wait

import (
	"context"
	"time"
)

// For returns nil after the duration, or the cause as soon as the context ends. If the context has already ended, it
// returns the cause, even for a duration of zero.
func For(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
