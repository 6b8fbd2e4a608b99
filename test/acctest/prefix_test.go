package acctest

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	begun := time.Date(2026, 11, 21, 7, 50, 0, 0, time.UTC)
	for later, want := range map[time.Duration]time.Duration{
		-time.Hour: 0, 0: 0, 9 * time.Minute: 0, // the hour has not ended
		10 * time.Minute:      0,
		130 * time.Minute:     2 * time.Hour,
		hours / 2 * time.Hour: hours/2*time.Hour - 10*time.Minute,
	} {
		if got, ok := Age(newPrefix(begun)+"web", begun.Add(later)); got != want || !ok {
			t.Errorf("%v later: %v, %t; want %v", later, got, ok, want)
		}
	}
	for _, name := range []string{"", "acc-", "acc-abcdefghijk", "acc-abcdefghij-x", "acc-abcdefghijkl-x", "acc-ABCdefghijk-x", "acc-wbcdefghijk-x",
		"acc-abc1efghijk-x", "xacc-abcdefghijk-x"} {
		if _, ok := Age(name, begun); ok {
			t.Errorf("%q is taken for a test's", name)
		}
	}
}
