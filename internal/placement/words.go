package placement

import (
	"cmp"
	"fmt"
	"strings"
)

// All words about the limits of a bin are in this file.

// limit says what keeps the bin from taking more nodes or, if the change is negative, from losing more: "cap 2", "min
// 1", "not available".
func (b Bin) limit(change int64) string {
	switch {
	case change < 0 && b.Closed && b.Kept >= b.Current:
		return b.state() + ", and keeps its nodes"
	case change < 0 && b.Kept > b.Min:
		return fmt.Sprintf("%d protected", b.Kept)
	case change < 0:
		return fmt.Sprintf("min %d", b.Min)
	case b.Weight == 0:
		return "not listed"
	case b.closed():
		return b.state()
	}
	return cmp.Or(b.Why, fmt.Sprintf("cap %d", b.Cap))
}

// surplus says why removals take from the bin before all others, or returns "".
func (b Bin) surplus() string {
	switch {
	case b.Weight == 0:
		return "not listed"
	case b.aboveCap():
		return fmt.Sprintf("above its cap of %d", b.Cap)
	}
	return ""
}

// why says why a closed bin takes no nodes: "is not available".
func (b Bin) why() string {
	if b.Maintenance {
		return "is closed"
	}
	return cmp.Or(b.Why, "takes no nodes now")
}

// state is why without its verb: "not available".
func (b Bin) state() string {
	return strings.TrimPrefix(strings.TrimPrefix(b.why(), "is "), "has ")
}

// note says in a few words what limits a bin with its nodes.
func (b Bin) note() string {
	surplus := b.surplus()
	switch {
	case b.Maintenance:
		return b.state()
	case b.Weight == 0 && b.Closed:
		return surplus + ", " + b.state()
	case surplus != "":
		return surplus + ": removed first"
	case b.Closed:
		return b.state()
	case b.Current == b.Cap: // "cap" or "quota"
		return "full: " + strings.FieldsFunc(b.limit(1), func(r rune) bool { return r == ' ' || r == ':' })[0]
	case b.Current < b.Min:
		return "below min"
	}
	return ""
}
