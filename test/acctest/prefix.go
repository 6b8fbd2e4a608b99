package acctest

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// hours is the number of hours after which the three digits start again: nearly four years.
const hours = 1 << 15

// newPrefix returns the beginning of the names of everything that a test makes: the hour in which it began, in base
// 32, and eight random letters. The hour is in the name because server groups do not show their age. The letters
// distinguish tests that share a real cloud: three letters would be too few for the hundreds of tests of a run.
func newPrefix(now time.Time) string {
	hour := strconv.FormatInt(now.Unix()/3600%hours, 32)
	return fmt.Sprintf("acc-%03s%s-", hour, strings.ToLower(rand.Text()[:8]))
}

var prefixPattern = regexp.MustCompile(`^acc-([0-9a-v]{3})[a-z2-7]{8}-`)

// Age returns the time since the end of the hour in which a test made the thing with this name, or 0 during that
// hour. The result ok is false for a name that no test gives.
func Age(name string, now time.Time) (age time.Duration, ok bool) {
	match := prefixPattern.FindStringSubmatch(name)
	if match == nil {
		return 0, false
	}
	hour, err := strconv.ParseInt(match[1], 32, 64)
	past := (now.Unix()/3600 - hour) % hours
	if past > hours-24 {
		past = 0 // the clock of the other machine is ahead
	}
	ended := now.Truncate(time.Hour).Add(-time.Duration(past-1) * time.Hour)
	return max(0, now.Sub(ended)), err == nil
}
