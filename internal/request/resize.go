package request

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// AdjustmentType is the meaning of the number of a [Resize].
type AdjustmentType string

// The adjustment types of CLUSTER_RESIZE.
const (
	ExactCapacity      AdjustmentType = "EXACT_CAPACITY"       // the number is the new size
	ChangeInCapacity   AdjustmentType = "CHANGE_IN_CAPACITY"   // the number is added to the size
	ChangeInPercentage AdjustmentType = "CHANGE_IN_PERCENTAGE" // the number is added, as a percentage of the size
)

// AdjustmentTypes lists all adjustment types.
func AdjustmentTypes() []string {
	return []string{string(ExactCapacity), string(ChangeInCapacity), string(ChangeInPercentage)}
}

// Resize requests another cluster size, as CLUSTER_RESIZE does. A nil field was not given. The zero value requests
// nothing.
type Resize struct {
	AdjustmentType AdjustmentType // "" for bounds without an adjustment
	Number         *big.Rat       // whole, except for a percentage
	MinSize        *int64         // smallest size; nil means 0
	MaxSize        *int64         // largest size; nil or [placement.Unlimited] means no bound
	MinStep        *int64         // smallest change of a percentage, in nodes; other types ignore it
	Strict         bool           // refuses a target outside the bounds, instead of truncating it
}

// check refuses a request that makes no sense for any size of the cluster. The error is an [*ArgumentError].
func (r Resize) check() error {
	fault := func(argument, format string, args ...any) error {
		return &ArgumentError{argument, fmt.Sprintf(format, args...)}
	}
	if n := r.Number; n != nil && new(big.Rat).Abs(n).Cmp(big.NewRat(placement.MaxNodes, 1)) > 0 {
		return fault("number", "%s is more than can be planned (%d).", decimal(n), int64(placement.MaxNodes))
	}
	for _, n := range []struct {
		argument string
		value    *int64
	}{{"min_size", r.MinSize}, {"max_size", r.MaxSize}, {"min_step", r.MinStep}} {
		if n.value != nil && (*n.value > placement.MaxNodes || *n.value < -placement.MaxNodes) {
			return fault(n.argument, "%d is more than can be planned (%d).", *n.value, int64(placement.MaxNodes))
		}
	}
	adjusts := r.AdjustmentType != ""
	switch {
	case adjusts && !slices.Contains(AdjustmentTypes(), string(r.AdjustmentType)):
		return fault("adjustment_type", "%q is not one of %q.", r.AdjustmentType, AdjustmentTypes())
	case adjusts && r.Number == nil:
		return fault("number", "%s needs a number.", r.AdjustmentType)
	case !adjusts && r.Number != nil:
		return fault("adjustment_type", "A number needs an adjustment_type, one of %q.", AdjustmentTypes())
	case adjusts && r.AdjustmentType != ChangeInPercentage && !r.Number.IsInt():
		return fault("number", "%s needs a whole number, not %s. Only a percentage may have decimals.",
			r.AdjustmentType, decimal(r.Number))
	case r.AdjustmentType == ExactCapacity && r.Number.Sign() < 0:
		return fault("number", "EXACT_CAPACITY needs a number that is 0 or more, not %s.", decimal(r.Number))
	case r.MinSize != nil && *r.MinSize < 0:
		return fault("min_size", "min_size is 0 or more, not %d.", *r.MinSize)
	case r.MaxSize != nil && *r.MaxSize < placement.Unlimited:
		return fault("max_size", "max_size is 0 or more, or -1 for none, not %d.", *r.MaxSize)
	case r.MinStep != nil && *r.MinStep < 0:
		return fault("min_step", "min_step is 0 or more, not %d.", *r.MinStep)
	}
	return nil
}

// checkSizes refuses bounds that no size fits. The error is an [*ArgumentError].
func (r Resize) checkSizes() error {
	if r.MinSize != nil && r.bounded() && *r.MinSize > *r.MaxSize {
		return &ArgumentError{"min_size", fmt.Sprintf(
			"The specified min_size (%d) is greater than the specified max_size (%d).", *r.MinSize, *r.MaxSize)}
	}
	return nil
}

func (r Resize) bounded() bool { return r.MaxSize != nil && *r.MaxSize != placement.Unlimited }

// TargetError means that the target of a strict resize is outside its bounds. Its text is a sentence with both.
type TargetError struct{ text string }

func (e *TargetError) Error() string { return e.text }

// Desired returns the size that a cluster of current nodes must have, by the arithmetic of CLUSTER_RESIZE.
//
// A percentage rounds towards zero, but never to zero: it changes at least one node, or MinStep nodes. A target
// outside the bounds is truncated. If the resize is strict it is an error that names target and bound.
func (r Resize) Desired(current int64) (int64, error) {
	if err := r.check(); err != nil {
		return 0, err
	}
	if current < 0 || current > placement.MaxNodes {
		return 0, fmt.Errorf("a cluster of %d nodes is outside 0 to %d", current, int64(placement.MaxNodes))
	}
	target := current
	switch r.AdjustmentType {
	case ExactCapacity:
		target = r.Number.Num().Int64() // whole, as checked
	case ChangeInCapacity:
		target += r.Number.Num().Int64()
	case ChangeInPercentage:
		change, err := r.percentage(current)
		if err != nil {
			return 0, err
		}
		target += change
	}
	if r.Strict {
		return target, r.within(target)
	}
	if err := r.checkSizes(); err != nil {
		return 0, err
	}
	if r.bounded() {
		target = min(target, *r.MaxSize)
	}
	if r.MinSize != nil {
		target = max(target, *r.MinSize)
	}
	return max(target, 0), nil
}

// percentage returns the change in nodes.
func (r Resize) percentage(current int64) (int64, error) {
	// Current and number may each be as large as placement.MaxNodes; their product may be too large for 64 bits.
	share := new(big.Rat).Mul(big.NewRat(current, 100), r.Number)
	nodes := new(big.Int).Quo(share.Num(), share.Denom()) // towards zero
	if nodes.CmpAbs(big.NewInt(placement.MaxNodes)) > 0 {
		return 0, fmt.Errorf("%s %% of %d nodes are more than can be planned (%d)",
			decimal(r.Number), current, int64(placement.MaxNodes))
	}
	least := int64(1)
	if r.MinStep != nil {
		least = max(*r.MinStep, least)
	}
	switch change := nodes.Int64(); r.Number.Sign() {
	case 1:
		return max(change, least), nil
	case -1:
		return min(change, -least), nil
	}
	return 0, nil
}

// maxDigits is the maximum number of digits after the point in a message.
const maxDigits = 20

// decimal writes a number as people do: 12.5, and 3 without a fraction.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	digits, exact := r.FloatPrec()
	if !exact {
		digits = maxDigits
	}
	return r.FloatString(min(digits, maxDigits))
}

// within returns an error with the bound that the target exceeds.
func (r Resize) within(target int64) error {
	passes := func(bound string, size int64) error {
		return &TargetError{fmt.Sprintf("The target capacity (%d) is %s (%d).", target, bound, size)}
	}
	switch {
	case r.MinSize == nil && target < 0:
		return passes("less than the cluster's min_size", 0)
	case r.MinSize != nil && target < *r.MinSize:
		return passes("less than the specified min_size", *r.MinSize)
	case r.bounded() && target > *r.MaxSize:
		return passes("greater than the specified max_size", *r.MaxSize)
	}
	return nil
}
