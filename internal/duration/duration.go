// Package duration reads and writes durations as users write them: "90s", "10m", "36h", "30d", or combined as in
// "1h30m". A number without a unit is seconds, as in Senlin.
package duration

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Day is 24 hours.
const Day = 24 * time.Hour

// units are the units of a duration, from the largest to the smallest.
var units = []struct {
	name string
	of   time.Duration
}{{"d", Day}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}}

var (
	seconds = regexp.MustCompile(`^\d+$`)
	format  = regexp.MustCompile(`^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$`)
)

// Longest is the longest duration that can be written.
const Longest = math.MaxInt64 / Day * Day

// Parse reads a duration. It returns false for a text that is no duration, or is longer than [Longest].
func Parse(s string) (d time.Duration, ok bool) {
	if seconds.MatchString(s) {
		s += "s"
	}
	parts := format.FindStringSubmatch(s)
	if s == "" || parts == nil {
		return 0, false
	}
	for i, unit := range units {
		if parts[i+1] == "" {
			continue
		}
		n, err := strconv.ParseInt(parts[i+1], 10, 64)
		if err != nil || n > int64((Longest-d)/unit.of) {
			return 0, false
		}
		d += time.Duration(n) * unit.of
	}
	return d, true
}

// Format writes a duration of whole seconds in the shortest form that [Parse] reads: "90s" is "1m30s", and 0 is "0s".
// It drops fractions of a second.
func Format(d time.Duration) string {
	var b strings.Builder
	for _, unit := range units {
		if n := d / unit.of; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, unit.name)
			d -= n * unit.of
		}
	}
	if b.Len() == 0 {
		return "0s"
	}
	return b.String()
}

// Fault is the sentence about a text that is not a duration between two bounds.
func Fault(s string, shortest, longest time.Duration) string {
	return fmt.Sprintf(
		`A duration from %s to %s is needed, such as "90s", "10m", "36h" or "30d" (a number without a unit is `+
			`seconds), not %q.`,
		Format(shortest),
		Format(longest),
		s,
	)
}
