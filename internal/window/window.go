// Package window has the times of a week at which an update may begin batches, by the clock of a time zone.
package window

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// List are the times at which an update may begin batches. Without a window it always may.
type List []Window

// Window is a time that comes each week, such as "Sat 02:00-06:00 Europe/Berlin". It is open while a clock of its
// zone shows a time in it. In a night in which clocks change it may be an hour longer or shorter.
type Window struct {
	text  string
	days  [7]bool // days on which it opens, from Sunday
	opens int     // opening time in minutes since midnight
	shuts int     // closing time in minutes since that midnight; above 1440 on the next day
	zone  *time.Location
}

// Opens says whether a window was open when the cloud was read.
type Opens struct {
	Of string `json:"of,omitempty"` // the windows that were configured then
	At string `json:"at,omitempty"` // opening time of the next one, see [tell]; "" if one is open
}

const day = 24 * 60 // minutes

var pattern = regexp.MustCompile(
	`^(Sun|Mon|Tue|Wed|Thu|Fri|Sat)(?:-(Sun|Mon|Tue|Wed|Thu|Fri|Sat))? (\d\d:[0-5]\d)-(\d\d:[0-5]\d) (\S+)$`)

// elsewhere are names in a folder of time zones that are not in the IANA database, or do not mean the same everywhere.
var elsewhere = regexp.MustCompile(`^(Local|localtime|posixrules|Factory|posix/.*|right/.*)$`)

// Parse reads windows such as "Sat 02:00-06:00 Europe/Berlin" or "Mon-Fri 22:00-06:00 UTC", which may overlap.
// It returns what is wrong with one, or "".
func Parse(texts []string) (windows List, fault string) {
	for _, text := range texts {
		w, fault := parse(text)
		if fault != "" {
			return nil, fault
		}
		windows = append(windows, w)
	}
	return windows, ""
}

func parse(text string) (w Window, fault string) {
	m := pattern.FindStringSubmatch(text)
	if m == nil || m[3] > "23:59" || m[4] > "24:00" {
		return w, fmt.Sprintf("%q is no window. It needs a day or days, two times and a time zone, such as "+
			"\"Sat 02:00-06:00 Europe/Berlin\" or \"Mon-Fri 22:00-06:00 UTC\".", text)
	}
	if m[3] == m[4] {
		return w, fmt.Sprintf("%q ends when it begins, so it never opens. A whole day is 00:00-24:00.", text)
	}
	zone, err := time.LoadLocation(m[5])
	if err != nil || elsewhere.MatchString(m[5]) {
		return w, fmt.Sprintf("%q names no time zone of the IANA database, such as Europe/Berlin or UTC.", text)
	}
	w = Window{text: text, opens: minute(m[3]), shuts: minute(m[4]), zone: zone}
	if w.shuts < w.opens {
		w.shuts += day
	}
	const names = "SunMonTueWedThuFriSat"
	first, last := strings.Index(names, m[1])/3, strings.Index(names, m[2])/3
	for w.days[first] = true; m[2] != "" && first != last; w.days[first] = true {
		first = (first + 1) % 7
	}
	return w, ""
}

// minute is the minute of the day of a time such as "02:00".
func minute(text string) (n int) {
	var hour int
	_, _ = fmt.Sscanf(text, "%d:%d", &hour, &n) // digits, by the pattern
	return 60*hour + n
}

// open reports whether the window is open.
func (w Window) open(now time.Time) bool {
	local := now.In(w.zone)
	m, today := 60*local.Hour()+local.Minute(), local.Weekday()
	return w.days[today] && w.opens <= m && m < w.shuts || w.days[(today+6)%7] && m+day < w.shuts
}

// next returns when a window opens that is shut now. While the clock of the zone is not changed it opens at the time
// that is written; when the clock is changed it may open at once, or skip that day.
func (w Window) next(now time.Time) time.Time {
	for at := now.In(w.zone); ; {
		m := 60*at.Hour() + at.Minute()
		until := day - m
		if m < w.opens {
			until = w.opens - m
		}
		_, changed := at.ZoneBounds()
		at = at.Truncate(time.Minute).Add(time.Duration(until) * time.Minute)
		if !changed.IsZero() && changed.Before(at) {
			at = changed.In(w.zone)
		}
		if w.open(at) {
			return at
		}
	}
}

// tell has a time as a weekday's, with its date where the next such time after now is another one: a clock that is
// changed skips a window, or shows it twice.
func tell(at, now time.Time) string {
	const clock = "15:04"
	now = now.In(at.Location())
	days := (int(at.Weekday()-now.Weekday()) + 7) % 7
	if days == 0 && at.Format(clock) <= now.Format(clock) {
		days = 7
	}
	layout := "Mon " + clock
	y, m, d := now.Date()
	if time.Date(y, m, d+days, 0, 0, 0, 0, time.UTC).YearDay() != at.YearDay() {
		layout = "Mon 2 Jan " + clock
	}
	return at.Format(layout) + " " + at.Location().String()
}

// String has the windows as they were written.
func (l List) String() string {
	var texts []string
	for _, w := range l {
		texts = append(texts, w.text)
	}
	return strings.Join(texts, ", ")
}

// Look returns whether a window is open by a clock. Without a time it is not known, and none counts as open.
func (l List) Look(now time.Time) (o Opens) {
	if len(l) == 0 || now.IsZero() {
		return o
	}
	o.Of = l.String()
	if !slices.ContainsFunc(l, func(w Window) bool { return w.open(now) }) {
		w := slices.MinFunc(l, func(a, b Window) int { return a.next(now).Compare(b.next(now)) })
		o.At = tell(w.next(now), now)
	}
	return o
}

// Unseen says until when no batch begins because no look shows whether a window is open.
func (l List) Unseen() string {
	if len(l) > 1 {
		return "a refresh in " + l[0].text + " or another window"
	}
	return "a refresh in " + l[0].text
}
