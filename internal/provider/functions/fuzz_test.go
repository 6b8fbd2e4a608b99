package functions

import (
	"encoding/json"
	"math/big"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/dynamic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// run calls a function with a number and with JSON.
func run(t *testing.T, f function.Function, number int64, text string, result attr.Value) (argument types.Dynamic, got attr.Value,
	refusal *function.FuncError) {
	t.Helper()
	argument = dynamic.Framework(t, text)
	req := function.RunRequest{Arguments: function.NewArgumentsData([]attr.Value{types.Int64Value(number), argument})}
	resp := function.RunResponse{Result: function.NewResultData(result)}
	f.Run(t.Context(), req, &resp)
	return argument, resp.Result.Value(), resp.Error
}

// call returns false if run gives no result: an error, an unknown value, or no JSON.
func call(t *testing.T, f function.Function, number int64, text string, result attr.Value) (argument types.Dynamic, got attr.Value, ok bool) {
	t.Helper()
	if !json.Valid([]byte(text)) {
		return argument, nil, false
	}
	argument, got, err := run(t, f, number, text, result)
	if err != nil && err.Text == "" {
		t.Error("an error that says nothing")
	}
	return argument, got, err == nil && !got.IsUnknown()
}

// FuzzDistribute: the function answers any input with a plan that adds up and keeps
// its bounds, or with an error.
func FuzzDistribute(f *testing.F) {
	for text, count := range map[string]int64{
		`{"RegionOne": {"cap": 150}, "RegionTwo": {"weight": 200}}`:       3,
		`{"A": {"current": 3}, "old": {"current": 1, "weight": 0}}`:       -3,
		`{"A": {"min": 2, "current": 9223372036854775807}, "B": null}`:    -9223372036854775808,
		`{"A": {"weight": 1e18, "cap": 1000000000000}, "é:/\" ": {}}`:     1000000000000,
		`{"A": {"cap": "2"}, "B": {"weight": 1.5}}`:                       1,
		`{"A": {"cap": 2, "min": 3}}`:                                     1,
		`[1, true, null]`:                                                 0,
		`{"A": {"other": 1}}`:                                             1,
		`{"A": {"cap": 1e88888888}}`:                                      1,
		`{"A": 1e88888888}`:                                               1,
		`1e88888888`:                                                      1,
		`{"A": {"current": -1}, "B": {"weight": -1}, "C": {"cap": -1e9}}`: 1,
	} {
		f.Add(count, text)
	}
	f.Fuzz(func(t *testing.T, count int64, text string) {
		bins, result, ok := call(t, NewDistribute(), count, text, types.MapUnknown(types.Int64Type))
		if !ok {
			return
		}
		changes := map[string]int64{}
		for name, change := range result.(types.Map).Elements() {
			changes[name] = change.(types.Int64).ValueInt64()
		}
		places, err := readBinObjects(bins)
		require.NoError(t, err)
		left := new(big.Int).Abs(big.NewInt(count))
		for _, b := range places {
			n := changes[b.Name]
			left.Sub(left, big.NewInt(n))
			switch {
			case n < 0, count < 0 && n > b.Current-min(b.Min, b.Current), count > 0 && n > 0 && b.Weight == 0,
				count > 0 && n > 0 && b.Cap != placement.Unlimited && n > b.Cap-b.Current:
				t.Errorf("%+v changes by %d of %d", b, n, count)
			}
		}
		assert.Equal(t, 0, left.Sign(), "of %d nodes %s have no place", count, left)
	})
}

// FuzzDesiredCapacity: the function answers any input with a size within its bounds, or
// with an error.
func FuzzDesiredCapacity(f *testing.F) {
	for text, current := range map[string]int64{
		`{"adjustment_type": "CHANGE_IN_PERCENTAGE", "number": -50, "min_step": 2, "min_size": 1}`: 3,
		`{"adjustment_type": "EXACT_CAPACITY", "number": 9, "max_size": 3, "strict": true}`:        1,
		`{"adjustment_type": "CHANGE_IN_CAPACITY", "number": 1000000000000000}`:                    9223372036854775807,
		`{"adjustment_type": "CHANGE_IN_PERCENTAGE", "number": 1e15}`:                              1000000000000000,
		`{"min_size": 5, "max_size": 3}`:                                                           -1,
		`{"min_size": null, "strict": "perhaps"}`:                                                  4,
		`{"number": 1e400}`:               0,
		`{"number": 1e88888888}`:          3,
		`{"number": 1e-88888888}`:         3,
		`{"strict": -1e88888888}`:         3,
		`{"strict": [{"a": 1e88888888}]}`: 3,
		`[]`:                              0,
	} {
		f.Add(current, text)
	}
	f.Fuzz(func(t *testing.T, current int64, text string) {
		resize, result, ok := call(t, NewDesiredCapacity(), current, text, types.Int64Unknown())
		if !ok {
			return
		}
		desired := result.(types.Int64).ValueInt64()
		r, err := readResizeObject(resize)
		require.NoError(t, err)
		if desired < 0 || r.MinSize != nil && desired < *r.MinSize || r.MaxSize != nil && *r.MaxSize >= 0 && desired > *r.MaxSize {
			t.Errorf("from %d to %d", current, desired)
		}
	})
}

// TestRefused: an error of a call f(NUMBER, JSON) names the place of the fault. A number with millions of digits
// is refused at once, and is not written out first: each of these took minutes.
func TestRefused(t *testing.T) {
	const distribute, desired = "distribute", "desired_capacity"
	for _, c := range []struct {
		function string
		number   int64
		argument string
		want     string
	}{
		{distribute, 1, `{"A": {"wieght": 3}}`, `bins["A"] has "wieght", which is not one of weight, cap, min and current`},
		{distribute, 1, `{"A": {"weight": -3}}`, `the weight of "A" is -3`},
		{distribute, 1, `{"A": {"cap": 1, "min": 2}}`, `bins["A"]: its min (2) is above its cap (1)`},
		{distribute, 1, `{"A": {"cap": 1.5}}`, `bins["A"].cap: a whole number is needed, not 1.5`},
		{distribute, 1, `{"A": {"cap": "many"}}`, `bins["A"].cap: a whole number is needed, not "many"`},
		{distribute, 1, `{"A": 3}`, `bins["A"]: an object is needed, not 3`},
		{distribute, 1, `["A"]`, `bins: an object is needed`},
		{distribute, 3, `{"A": {"cap": 1}, "B": {"cap": 1}}`,
			"There is no feasible plan to handle all nodes. 3 nodes must be added, but there is room for 2: A 1 (cap 1), B 1 (cap 1)"},
		{distribute, 1, `1e88888888`, "an object is needed, not a number beyond all bounds"},
		{distribute, 1, `{"A": {"cap": 1e88888888}}`, `bins["A"].cap: a whole number of a usual size is needed, not a number beyond all bounds`},
		{distribute, 1, `{"A": 1e88888888}`, `bins["A"]: an object is needed, not a number beyond all bounds`},
		{desired, 7, `{"adjustment": "x"}`, `resize has "adjustment", which is not one of its arguments`},
		{desired, 7, `{"strict": "maybe"}`, `resize.strict: true or false is needed, not "maybe"`},
		{desired, 7, `{"adjustment_type": "EXACT_CAPACITY", "number": 3.5}`,
			"number: EXACT_CAPACITY needs a whole number, not 3.5. Only a percentage may have decimals"},
		{desired, 7, `{"adjustment_type": "EXACT_CAPACITY", "number": 9, "max_size": 8, "strict": true}`,
			"The target capacity (9) is greater than the specified max_size (8)"},
		{desired, 1, `{"number": 1e88888888}`, "resize.number: a number of a usual size is needed, not a number beyond all bounds"},
		{desired, 1, `{"min_size": -1e88888888}`, "resize.min_size: a whole number of a usual size is needed, not a number beyond all bounds"},
		{desired, 1, `{"number": 1e-88888888}`, "resize.number: a number of a usual size is needed, not a number that is almost zero"},
		{desired, 1, `{"number": 1e400}`, "resize.number: a number of a usual size is needed, not a number beyond all bounds"},
		{desired, 1, `{"number": 1e30}`, "number: 1000000000000000000000000000000 is more than can be planned"},
		{desired, 1, `{"strict": 1e88888888}`, "resize.strict: true or false is needed, not a number beyond all bounds"},
		{desired, 1, `{"strict": [{"a": 1e88888888}]}`, "resize.strict: true or false is needed, not a list"},
		{desired, 1, `1e88888888`, "an object is needed, not a number beyond all bounds"},
	} {
		f, result := NewDesiredCapacity(), attr.Value(types.Int64Unknown())
		if c.function == distribute {
			f, result = NewDistribute(), types.MapUnknown(types.Int64Type)
		}
		start := time.Now()
		_, _, err := run(t, f, c.number, c.argument, result)
		require.NotNil(t, err, "%s(%d, %s)", c.function, c.number, c.argument)
		assert.Contains(t, err.Text, c.want, "%s(%d, %s)", c.function, c.number, c.argument)
		assert.Less(t, time.Since(start), 30*time.Second, "%s(%d, %s)", c.function, c.number, c.argument)
	}
}
