package wait

import (
	"net/http"
	"strings"
	"time"
)

// RetryAfter reads a Retry-After header: a number of seconds, or a date. The
// wait is never negative and at most the longest that the caller is willing to
// wait, however large the number is. False means that there is nothing to obey.
func RetryAfter(header string, now time.Time, longest time.Duration) (time.Duration, bool) {
	header = strings.TrimSpace(header)
	if digits := strings.TrimLeft(header, "0123456789"); header != "" && digits == "" {
		return seconds(header, longest), true
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0, false
	}
	return min(max(at.Sub(now), 0), longest), true
}

// seconds reads digits. It stops counting at the longest wait, before anything
// could overflow.
func seconds(digits string, longest time.Duration) time.Duration {
	most := int64(longest / time.Second)
	var n int64
	for _, digit := range digits {
		if n = n*10 + int64(digit-'0'); n > most {
			return longest
		}
	}
	return time.Duration(n) * time.Second
}
