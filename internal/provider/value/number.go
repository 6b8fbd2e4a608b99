package value

import (
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// NumberText shows a number. To write one in decimal takes time and memory that
// grow with its exponent: 1e88888888 has as many digits. So no number is written
// out whose exponent is beyond that of all numbers that mean something here.
func NumberText(f *big.Float) string {
	const far = 1024 // a float64 goes as far
	exponent := f.MantExp(nil)
	switch {
	case f.IsInf(), exponent > far:
		return "one beyond all bounds"
	case exponent < -far:
		return "one that is all but zero"
	}
	return f.Text('g', 20)
}

// Decimal returns a number as the fraction that its decimal digits say: 12.5 is
// 25/2, and 33.3 is 333/10, not the nearest binary fraction. It is nil for null
// and unknown; ok is false for a number so large or small that it would take
// millions of digits.
func Decimal(v types.Number) (r *big.Rat, ok bool) {
	if v.IsNull() || v.IsUnknown() {
		return nil, true
	}
	f := v.ValueBigFloat()
	const far = 1024
	if f.IsInf() || f.MantExp(nil) > far || f.MantExp(nil) < -far {
		return nil, false
	}
	return new(big.Rat).SetString(f.Text('g', -1)) // the fewest digits that are this number
}
