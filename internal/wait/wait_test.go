package wait

import (
	"context"
	"errors"
	"math/big"
	"net/http"
	"regexp"
	"strings"
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

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	const longest = 30 * time.Second
	for header, want := range map[string]time.Duration{
		"0": 0, "7": 7 * time.Second, " 30 ": longest, "31": longest, "86400": longest,
		"9223372036854775807":                             longest, // negative when multiplied by a second
		"9223372037":                                      longest, // just above the maximum when multiplied by a second
		"18446744073709551616000000000000":                longest,
		"00000000000000000000000000000005":                5 * time.Second,
		now.Add(10 * time.Second).Format(http.TimeFormat): 10 * time.Second,
		now.Add(-time.Hour).Format(http.TimeFormat):       0,
		"Fri, 31 Dec 9999 23:59:59 GMT":                   longest,
		"Mon, 01 Jan 0001 00:00:00 GMT":                   0,
		"":                                                -1, "soon": -1, "-3": -1, "+3": -1, "1.5": -1, "1e9": -1, "0x10": -1, "٣": -1,
	} {
		got, ok := RetryAfter(header, now, longest)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: got %s, %t, want %s", header, got, ok, want)
		}
	}
	if got, ok := RetryAfter("5", now, time.Duration(1<<63-1)); got != 5*time.Second || !ok {
		t.Errorf("got %s", got)
	}
	if got, _ := RetryAfter("99999999999999", now, time.Duration(1<<63-1)); got != 1<<63-1 {
		t.Errorf("got %s", got)
	}
}

// FuzzRetryAfter: no header makes a wait negative or longer than allowed, and seconds are read exactly, without an
// overflow.
func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "0", "120", "-1", "9223372036854775807", "9223372037", "1e9", "Wed, 21 Oct 2026 07:28:00 GMT",
		"Fri, 31 Dec 9999 23:59:59 GMT", "  5\t"} {
		f.Add(seed, int64(0), int64(30*time.Second))
		f.Add(seed, int64(1<<62), int64(1<<63-1))
	}
	digits := regexp.MustCompile(`^[0-9]+$`)
	f.Fuzz(func(t *testing.T, header string, unix, longest int64) {
		if longest < 0 {
			return
		}
		got, ok := RetryAfter(header, time.Unix(unix%(1<<40), 0), time.Duration(longest))
		if got < 0 || got > time.Duration(longest) || !ok && got != 0 {
			t.Fatalf("%q: %s, %t", header, got, ok)
		}
		if text := strings.TrimSpace(header); digits.MatchString(text) {
			want, _ := new(big.Int).SetString(text, 10)
			if want.Mul(want, big.NewInt(int64(time.Second))); want.Cmp(big.NewInt(longest)) > 0 {
				want.SetInt64(longest)
			}
			if !ok || want.Cmp(big.NewInt(int64(got))) != 0 {
				t.Errorf("%q: got %s, want %s ns", header, got, want)
			}
		}
	})
}
