package wait

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

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
