// Package amount has numbers of nodes as configurations write them: "3", or "25%" of the cluster.
package amount

import (
	"cmp"
	"fmt"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
)

// Amount is a number of nodes, or a percentage of the nodes of a cluster.
type Amount struct {
	millionths uint64
	percent    bool
	text       string
}

var amountPattern = regexp.MustCompile(`^([0-9]{1,9})(?:\.([0-9]{1,6}))?(%)?$`)

// Parse reads "3", "25%" or "12.5%". A percentage is at most 100%.
func Parse(text string) (Amount, error) {
	m := amountPattern.FindStringSubmatch(text)
	if m == nil || m[2] != "" && m[3] == "" {
		return Amount{}, fmt.Errorf(
			`%q is neither a whole number of nodes, such as "2", nor a percentage, such as "25%%"`, text)
	}
	millionths, _ := strconv.ParseUint(m[1]+m[2]+strings.Repeat("0", 6-len(m[2])), 10, 64) // 15 digits at most
	if m[3] != "" && millionths > 100e6 {
		return Amount{}, fmt.Errorf("%s is more than all nodes: a percentage is at most 100%%", text)
	}
	return Amount{millionths, m[3] != "", text}, nil
}

// String returns the amount as it was written.
func (a Amount) String() string { return cmp.Or(a.text, "0") }

// Zero reports whether the amount is zero for a cluster of any size.
func (a Amount) Zero() bool { return a.millionths == 0 }

// of returns the number of nodes for a cluster of a size, rounded down, and whether it is a fraction more.
func (a Amount) of(size int64) (nodes int64, more bool) {
	if !a.percent {
		return int64(a.millionths / 1e6), false // a number of nodes is a whole one
	}
	high, low := bits.Mul64(a.millionths, uint64(size))
	share, rest := bits.Div64(high, low, 100e6) // at most the size, because a percentage is at most 100%
	return int64(share), rest > 0
}

// Down returns the number of nodes for a cluster of a size, rounded down.
func (a Amount) Down(size int64) int64 {
	nodes, _ := a.of(size)
	return nodes
}

// Up returns the number of nodes for a cluster of a size, rounded up.
func (a Amount) Up(size int64) int64 {
	nodes, more := a.of(size)
	if more {
		nodes++
	}
	return nodes
}
