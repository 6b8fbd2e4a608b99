// Package wait waits until a time is over or a context ends, and reads how long a server asks to wait.
package wait

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
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

// RetryAfter reads a Retry-After header: a number of seconds, or a date. The wait is never negative, and at most
// longest, however large the number is. The result is false if the header has no valid time.
func RetryAfter(header string, now time.Time, longest time.Duration) (time.Duration, bool) {
	header = strings.TrimSpace(header)
	n, err := strconv.ParseUint(header, 10, 64) // the largest number if there are too many digits
	switch {
	case err == nil && n <= uint64(longest/time.Second):
		return time.Duration(n) * time.Second, true
	case err == nil, errors.Is(err, strconv.ErrRange):
		return longest, true
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0, false
	}
	return min(max(at.Sub(now), 0), longest), true
}
