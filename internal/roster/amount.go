package roster

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
)

// Amount is a number of nodes, or a percentage of the nodes of a cluster.
type Amount struct {
	Number  *big.Rat
	Percent bool
	text    string
}

var amountPattern = regexp.MustCompile(`^([0-9]{1,9})(\.[0-9]{1,6})?(%)?$`)

// ParseAmount reads "3", "25%" or "12.5%". A percentage is at most 100%.
func ParseAmount(text string) (Amount, error) {
	m := amountPattern.FindStringSubmatch(text)
	if m == nil || m[2] != "" && m[3] == "" {
		return Amount{}, fmt.Errorf(
			`%q is neither a whole number of nodes, such as "2", nor a percentage, such as "25%%"`,
			text,
		)
	}
	number, _ := new(big.Rat).SetString(m[1] + m[2]) // digits, by the pattern
	if m[3] != "" && number.Cmp(big.NewRat(100, 1)) > 0 {
		return Amount{}, fmt.Errorf("%s is more than all nodes: a percentage is at most 100%%", text)
	}
	return Amount{number, m[3] != "", text}, nil
}

// String returns the amount as it was written.
func (a Amount) String() string { return cmp.Or(a.text, "0") }

// Zero reports whether the amount is zero for a cluster of any size.
func (a Amount) Zero() bool { return a.Number == nil || a.Number.Sign() == 0 }

// exact returns the number of nodes for a cluster of a size, which may be a fraction.
func (a Amount) exact(size int64) *big.Rat {
	if a.Number == nil {
		return new(big.Rat)
	}
	if !a.Percent {
		return a.Number
	}
	share := new(big.Rat).Mul(a.Number, big.NewRat(size, 1))
	return share.Quo(share, big.NewRat(100, 1))
}

// Down returns the number of nodes for a cluster of a size, rounded down.
func (a Amount) Down(size int64) int64 {
	n := a.exact(size)
	return new(big.Int).Quo(n.Num(), n.Denom()).Int64()
}

// Up returns the number of nodes for a cluster of a size, rounded up.
func (a Amount) Up(size int64) int64 {
	down := a.Down(size)
	if a.exact(size).Cmp(big.NewRat(down, 1)) > 0 {
		down++
	}
	return down
}
