package duration

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestParse(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"0":        0,
		"0s":       0,
		"60":       time.Minute,
		"90s":      90 * time.Second,
		"10m":      10 * time.Minute,
		"36h":      36 * time.Hour,
		"30d":      30 * Day,
		"1h30m":    90 * time.Minute,
		"1d2h3m4s": Day + 2*time.Hour + 3*time.Minute + 4*time.Second,
		"007m":     7 * time.Minute,
		"106751d":  Longest,
	} {
		got, ok := Parse(s)
		assert.Equal(t, []any{want, true}, []any{got, ok}, s)
	}
	for _, s := range []string{"", "m", "-1", "-5m", "1.5", "1.5h", "10 m", " 10m", "10m ", "10m30", "5s1m", "1m1m", "1w", "10M", "10min", "1e3",
		"٣m", "106752d", "9223372037", "99999999999999999999", "106751d1s"} {
		_, ok := Parse(s)
		assert.False(t, ok, s)
	}
}

func TestFormat(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                              "0s",
		300 * time.Millisecond:         "0s",
		90 * time.Second:               "1m30s",
		10 * time.Minute:               "10m",
		36 * time.Hour:                 "1d12h",
		30*Day + 1500*time.Millisecond: "30d1s",
	} {
		assert.Equal(t, want, Format(d), "%s", d)
	}
}

// FuzzParse: a duration that is read can be written, and read again with the same value.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"90s", "1d2h3m4s", "60", "10m30", "106752d", "-1", "1.5h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, ok := Parse(s)
		if !ok {
			return
		}
		if d < 0 || d > Longest {
			t.Fatalf("%q: got %s", s, d)
		}
		if again, ok := Parse(Format(d)); !ok || again != d {
			t.Fatalf("%q is %s, written %q, and read as %s", s, d, Format(d), again)
		}
	})
}
