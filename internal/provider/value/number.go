package value

import (
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// NumberText returns a number as text. Decimal digits take time and memory that
// grow with the exponent: 1e88888888 has 88888889 digits. So a number with an
// exponent beyond all useful ones is not written out.
func NumberText(f *big.Float) string {
	const far = 1024 // the range of binary exponents of a float64
	exponent := f.MantExp(nil)
	switch {
	case f.IsInf(), exponent > far:
		return "a number beyond all bounds"
	case exponent < -far:
		return "a number that is almost zero"
	}
	return f.Text('g', 20)
}

// Decimal returns a number as the exact fraction of its decimal digits: 12.5 is
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
	return new(big.Rat).SetString(f.Text('g', -1)) // the shortest digits that give this number
}
