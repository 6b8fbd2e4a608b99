package request

import (
	"encoding/json"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// q parses a number.
func q(text string) *big.Rat { r, _ := new(big.Rat).SetString(text); return r }

func TestDesiredVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/desired_capacity.json")
	require.NoError(t, err)
	var cases []struct {
		Current int64
		Resize  struct {
			AdjustmentType AdjustmentType `json:"adjustment_type"`
			Number         *json.Number   `json:"number"`
			MinSize        *int64         `json:"min_size"`
			MaxSize        *int64         `json:"max_size"`
			MinStep        *int64         `json:"min_step"`
			Strict         bool           `json:"strict"`
		}
		Expect struct {
			Status, Reason  string
			Change, Desired int64
		}
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	require.Len(t, cases, 200, "cases")
	for i, c := range cases {
		resize := Resize{AdjustmentType: c.Resize.AdjustmentType, MinSize: c.Resize.MinSize, MaxSize: c.Resize.MaxSize,
			MinStep: c.Resize.MinStep, Strict: c.Resize.Strict}
		if c.Resize.Number != nil {
			resize.Number = q(c.Resize.Number.String())
		}
		got, err := resize.Desired(c.Current)
		if c.Expect.Status == "OK" {
			if err != nil || got != c.Expect.Desired || got-c.Current != c.Expect.Change {
				t.Errorf("case %d: got %d (%v), want %d", i, got, err, c.Expect.Desired)
			}
			continue
		}
		var target *TargetError
		require.ErrorAs(t, err, &target, "case %d", i)
		assert.Equal(t, c.Expect.Reason, target.Error(), "case %d", i)
	}
}

// TestDesiredRefuses: the largest numbers are planned, and larger ones are refused, as are requests that make no
// sense; a strict target may equal its bound.
func TestDesiredRefuses(t *testing.T) {
	exact := func(n int64) Resize { return Resize{AdjustmentType: ExactCapacity, Number: big.NewRat(n, 1)} }
	change := func(n int64) Resize {
		return Resize{AdjustmentType: ChangeInCapacity, Number: big.NewRat(n, 1), Strict: true}
	}
	bounded := func(r Resize, min, max *int64) Resize {
		r.MinSize, r.MaxSize = min, max
		return r
	}
	for _, c := range []struct {
		resize  Resize
		current int64
		want    int64
		refused string
	}{
		{exact(placement.MaxNodes), 0, placement.MaxNodes, ""},
		{exact(placement.MaxNodes + 1), 0, 0, "number: 1000000000000001 is more than can be planned"},
		{change(-placement.MaxNodes), placement.MaxNodes, 0, ""},
		{change(-placement.MaxNodes - 1), placement.MaxNodes, 0, "number"},
		{exact(0), placement.MaxNodes + 1, 0, "outside 0 to"},
		{Resize{MinSize: new(int64(placement.MaxNodes))}, 1, placement.MaxNodes, ""},
		{Resize{MinSize: new(int64(placement.MaxNodes + 1))}, 1, 0, "min_size"},
		{Resize{MaxSize: new(int64(-placement.MaxNodes))}, 1, 0, "max_size is 0 or more"},
		{Resize{MaxSize: new(int64(-placement.MaxNodes - 1))}, 1, 0, "more than can be planned"},
		{Resize{MinSize: new(int64(4)), MaxSize: new(int64(4))}, 1, 4, ""},
		{bounded(change(2), nil, new(int64(4))), 2, 4, ""},
		{bounded(change(3), nil, new(int64(4))), 2, 0, "greater than the specified max_size (4)"},
		{bounded(change(-2), new(int64(2)), nil), 4, 2, ""},
		{bounded(change(-3), new(int64(2)), nil), 4, 0, "less than the specified min_size (2)"},
		{change(-4), 4, 0, ""},
		{Resize{AdjustmentType: ChangeInPercentage, Number: q("33.3")}, 1000, 1333, ""},
		{change(-5), 4, 0, "less than the cluster's min_size (0)"},

		{Resize{AdjustmentType: "HALF", Number: q("1")}, placement.MaxNodes, 0, `adjustment_type: "HALF" is not one of`},
		{Resize{AdjustmentType: ChangeInPercentage}, placement.MaxNodes, 0, "number: CHANGE_IN_PERCENTAGE needs a number."},
		{Resize{Number: q("1")}, placement.MaxNodes, 0, "adjustment_type: A number needs an adjustment_type"},
		{Resize{AdjustmentType: ExactCapacity, Number: q("-1")}, placement.MaxNodes, 0, "number: EXACT_CAPACITY needs a number that is 0 or more, not -1."},
		{Resize{AdjustmentType: ChangeInCapacity, Number: q("3.7")}, placement.MaxNodes, 0, "number: CHANGE_IN_CAPACITY needs a whole number, not 3.7."},
		{Resize{AdjustmentType: ExactCapacity, Number: q("1/3")}, placement.MaxNodes, 0,
			"number: EXACT_CAPACITY needs a whole number, not 0.33333333333333333333."},
		{Resize{MinSize: new(int64(-1))}, placement.MaxNodes, 0, "min_size: min_size is 0 or more, not -1."},
		{Resize{MaxSize: new(int64(-2))}, placement.MaxNodes, 0, "max_size: max_size is 0 or more, or -1 for none, not -2."},
		{Resize{AdjustmentType: ChangeInPercentage, Number: q("5"), MinStep: new(int64(-1))}, placement.MaxNodes, 0,
			"min_step: min_step is 0 or more, not -1."},
		{Resize{AdjustmentType: ChangeInPercentage, Number: q("-1"), MinStep: new(int64(0))}, 7, 6, ""},
		{Resize{MinSize: new(int64(5)), MaxSize: new(int64(4))}, placement.MaxNodes, 0,
			"min_size: The specified min_size (5) is greater than the specified max_size (4)."},
		{Resize{AdjustmentType: ChangeInPercentage, Number: big.NewRat(placement.MaxNodes, 1)}, placement.MaxNodes, 0, "more than can be planned"},
		{Resize{}, -1, 0, "outside 0 to"},
	} {
		got, err := c.resize.Desired(c.current)
		if (err == nil) != (c.refused == "") || err == nil && got != c.want || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%+v of %d: got %d (%v), want %d or %q", c.resize, c.current, got, err, c.want, c.refused)
		}
	}
}

func TestDecimal(t *testing.T) {
	for text, want := range map[string]string{
		"3": "3", "25/2": "12.5", "-1/3": "-0.33333333333333333333",
		"0.12345678901234567891":   "0.12345678901234567891", // 20 digits are exact
		"0.123456789012345678912":  "0.12345678901234567891",
		"0.1234567890123456789123": "0.12345678901234567891",
	} {
		assert.Equal(t, want, decimal(q(text)), text)
	}
}
