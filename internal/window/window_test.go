package window

import (
	"strings"
	"testing"
	"time"
)

// TestWindows: by the clock of its zone a window is open or opens next, also past midnight, over the week's end and when
// clocks are changed. The rows with a change are from Python's zoneinfo, which agrees in 20,000 random ones.
func TestWindows(t *testing.T) {
	for _, c := range []struct{ windows, now, want string }{ // want: when the next one opens; "": one is open
		{"Sat 02:00-06:00 Europe/Berlin", "2026-11-28T00:59:59Z", "Sat 02:00 Europe/Berlin"},
		{"Sat 02:00-06:00 Europe/Berlin", "2026-11-28T01:00:00Z", ""},
		{"Sat 02:00-06:00 Europe/Berlin", "2026-11-28T04:59:59Z", ""},
		{"Sat 02:00-06:00 Europe/Berlin", "2026-11-28T05:00:00Z", "Sat 02:00 Europe/Berlin"},
		{"Sat 02:00-06:00 Europe/Berlin", "2026-07-04T00:00:00Z", ""}, // summer
		{"Sat-Mon 22:00-02:00 UTC", "2026-11-30T01:59:00Z", ""},
		{"Sat-Mon 22:00-02:00 UTC", "2026-11-30T02:00:00Z", "Mon 22:00 UTC"},
		{"Sat-Mon 22:00-02:00 UTC", "2026-12-01T02:00:00Z", "Sat 22:00 UTC"},
		{"Sat 00:00-24:00 UTC", "2026-11-28T23:59:59Z", ""},
		{"Sat 00:00-24:00 UTC", "2026-11-29T00:00:00Z", "Sat 00:00 UTC"},
		{"Mon 03:00-04:00 UTC, Sun 03:00-04:00 Asia/Tokyo", "2026-11-28T12:00:00Z", "Sun 03:00 Asia/Tokyo"},
		{"Mon 03:00-04:00 UTC, Sun 03:00-04:00 Asia/Tokyo", "2026-11-28T18:30:00Z", ""},
		{"Sat 02:00-06:00 Europe/Berlin, Mon-Fri 22:00-05:00 UTC", "2026-11-28T04:30:00Z", ""},     // they overlap
		{"Sun 02:00-03:00 Europe/Berlin", "2026-03-28T12:00:00Z", "Sun 5 Apr 02:00 Europe/Berlin"}, // that day has no such hour
		{"Sun 02:00-03:00 Europe/Berlin", "2026-03-29T02:00:00Z", "Sun 02:00 Europe/Berlin"},
		{"Sun 02:00-03:30 Europe/Berlin", "2026-03-28T12:00:00Z", "Sun 03:00 Europe/Berlin"}, // and here it has half of it
		{"Sun 02:15-02:45 Europe/Berlin", "2026-10-25T00:30:00Z", ""},
		{"Sun 02:15-02:45 Europe/Berlin", "2026-10-25T00:50:00Z", "Sun 25 Oct 02:15 Europe/Berlin"}, // the hour comes twice
		{"Sun 02:15-02:45 Europe/Berlin", "2026-10-25T01:30:00Z", ""},
		{"Sat-Wed 01:30-02:30 Europe/Bratislava", "2025-10-26T00:56:47Z", "Sun 26 Oct 02:00 Europe/Bratislava"},
		{"Sat 23:00-23:30 America/Santiago", "2025-04-06T02:59:53Z", "Sat 5 Apr 23:00 America/Santiago"},
		{"Sat 23:00-07:00 America/Nuuk", "2026-03-27T10:13:26Z", "Sun 00:00 America/Nuuk"},
		{"Sun 02:00-01:59 Europe/Amsterdam", "2026-12-29T12:00:00Z", "Sun 02:00 Europe/Amsterdam"}, // in another year
	} {
		windows, fault := Parse(strings.Split(c.windows, ", "))
		now, err := time.Parse(time.RFC3339, c.now)
		if got := windows.Look(now); err != nil || fault != "" || got.At != c.want || got.Of != c.windows {
			t.Errorf("%s at %s: %+v, want %q %s %v", c.windows, c.now, got, c.want, fault, err)
		}
	}
	if windows, _ := Parse([]string{"Sat-Fri 00:00-24:00 UTC"}); windows.Look(time.Time{}) != (Opens{}) {
		t.Error("without a time a window counts as open")
	}
	for _, c := range []struct{ windows, fault string }{
		{"Sat 02:00-02:00 UTC", "ends when it begins, so it never opens"},
		{"Sat 02:00-06:00 UTC, Sat 02:00-06:00 Europe/Berln", "names no time zone"},
		{"Sat 02:00-06:00 Local", "names no time zone"},
		{"Sat 02:00-06:00 localtime", "names no time zone"}, // files of the same folder
		{"Sat 02:00-06:00 posixrules", "names no time zone"},
		{"Sat 02:00-06:00 right/Europe/Berlin", "names no time zone"},
		{"Sat 02:00-06:00 posix/Europe/Berlin", "names no time zone"},
		{"Sat 02:00-06:00", "is no window"},
		{"Sam 02:00-06:00 UTC", "is no window"},
		{"Sat 2:00-6:00 UTC", "is no window"},
		{"Sat 24:00-06:00 UTC", "is no window"},
		{"Sat 02:00-24:01 UTC", "is no window"},
	} {
		_, fault := Parse(strings.Split(c.windows, ", "))
		if !strings.Contains(fault, c.fault) {
			t.Errorf("%s: %s", c.windows, fault)
		}
	}
}
