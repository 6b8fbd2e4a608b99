package acctest

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// hours is how far the three digits of an hour count: nearly four years.
const hours = 1 << 15

// newPrefix begins the names of all that a test makes: the hour in which it
// began, in base 32, and eight random letters. The hour is there because server
// groups and queues do not tell their age. The letters keep apart the tests that
// share a real cloud: three are too few for the hundreds of tests of a run.
func newPrefix(now time.Time) string {
	hour := strconv.FormatInt(now.Unix()/3600%hours, 32)
	return fmt.Sprintf("acc-%03s%s-", hour, strings.ToLower(rand.Text()[:8]))
}

var prefixPattern = regexp.MustCompile(`^acc-([0-9a-v]{3})[a-z2-7]{8}-`)

// Age is how long ago the hour ended in which a test made what has this name; 0
// before it has. What has not the name that a test gives is not ok.
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
