package placement

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNote: the first limit that applies in a place.
func TestNote(t *testing.T) {
	for _, c := range []struct {
		bin  Bin
		want string
	}{
		{Bin{Weight: 1, Cap: Unlimited, Current: 3}, ""},
		{Bin{Weight: 1, Cap: 4, Current: 3, Min: 3}, ""},
		{Bin{Weight: 1, Cap: 4, Current: 2, Min: 3}, "below min"},
		{Bin{Weight: 1, Cap: 3, Current: 3, Min: 3}, "full: cap"},
		{Bin{Weight: 1, Cap: 3, Current: 3, Why: "quota: 3 of 3 instances in use"}, "full: quota"},
		{Bin{Weight: 1, Cap: 2, Current: 3}, "above its cap of 2: removed first"},
		{Bin{Weight: 1, Cap: 2, Current: 1, Closed: true, Why: "is not available"}, "not available"},
		{Bin{Weight: 0, Cap: 0, Current: 3}, "not listed: removed first"},
		{Bin{Weight: 1, Cap: 2, Current: 3, Maintenance: true}, "closed"},
		{Bin{Weight: 1, Cap: 2, Current: 1, Maintenance: true, Closed: true, Why: "is not available"}, "closed"},
		{Bin{Closed: true, Why: "has no compute endpoint", Current: 1}, "not listed, no compute endpoint"},
	} {
		assert.Equal(t, c.want, c.bin.note(), "%+v", c.bin)
	}
}

// TestTable: both tables, word for word.
func TestTable(t *testing.T) {
	listed := regions(t, "R1 w200: a w100 cap2, b w100 min1; R2 w100 cap2")
	board := NewBoard(listed, Counts{{"R1", "a"}: 2, {"R1", ""}: 1, {"R2", "x"}: 1, {"", ""}: 1})
	const want = `place        nodes     ideal  weight   min    cap
R1               3      3.33     200     0   none
  a              2      1.67     100     0      2  full: cap
  b              0      1.67     100     1   none  below min
  (no zone)      1      none    none  none   none  not listed: removed first
R2               1      1.67     100     0      2
(no region)      1      none    none  none   none  not listed: removed first
total            5
`
	assert.Equal(t, want, board.Table())
	const change = `place        now  after     ideal  weight   min    cap
R1             3      4      4.00     200     0   none
  a            2      2      2.00     100     0      2  full: cap
  b            0      2      2.00     100     1   none
  (no zone)    1      0      none    none  none   none  not listed: removed first
R2             1      2      2.00     100     0      2  full: cap
(no region)    1      0      none    none  none   none  not listed: removed first
total          5      6
`
	assert.Equal(t, change, board.Change(Counts{{"R1", "b"}: 2, {"R1", ""}: -1, {"R2", ""}: 1, {"", ""}: -1}))
}
