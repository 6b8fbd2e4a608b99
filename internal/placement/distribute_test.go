package placement

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bins parses bins such as "A w3 cap2 min1 kept1 now4, B closed"; the default is w1, no cap, empty. A bin can be
// closed without a reason, down or gone with one, shut for maintenance, or have a quota.
func bins(t testing.TB, text string) []Bin {
	t.Helper()
	var list []Bin
	for part := range strings.SplitSeq(text, ", ") {
		words := strings.Fields(part)
		b := Bin{Name: words[0], Weight: 1, Cap: Unlimited}
		for _, word := range words[1:] {
			why, state := map[string]string{"closed": "", "shut": "", "down": "is not available", "gone": "has no compute endpoint",
				"quota": "quota: 9 of 10 instances in use"}[word]
			if state {
				b.Why, b.Maintenance, b.Closed = why, word == "shut", word != "shut" && word != "quota"
				continue
			}
			split := strings.IndexAny(word, "-0123456789")
			var n int64
			require.NoError(t, json.Unmarshal([]byte(word[split:]), &n), word)
			*map[string]*int64{"w": &b.Weight, "cap": &b.Cap, "min": &b.Min, "kept": &b.Kept, "now": &b.Current}[word[:split]] = n
		}
		list = append(list, b)
	}
	return list
}

// regions parses regions with their zones, such as "R1 w2: a cap1, b; R2".
func regions(t testing.TB, text string) (list []Region) {
	if text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, "; ") {
		region, zones, zoned := strings.Cut(part, ": ")
		r := Region{Bin: bins(t, region)[0]}
		if zoned {
			r.Zones = bins(t, zones)
		}
		list = append(list, r)
	}
	return list
}

// after returns the counts after the change.
func after(bins []Bin, changes []int64) []int64 {
	held := counts(bins)
	for i, c := range changes {
		held[i] += c
	}
	return held
}

func TestDistribute(t *testing.T) {
	const seven, many = "A, B, C, D, E, F, G", 1_000_000_000_000
	for _, c := range []struct {
		name  string
		bins  string
		count int64
		after []int64
	}{
		{"equal weights fill by name", "C, A, B", 2, []int64{0, 1, 1}},
		{"weights set the shares", "A w100, B w200", 3, []int64{1, 2}},
		{"the larger weight wins a tie", "A w1, B w3", 2, []int64{0, 2}},
		{"one node, and two bins of the largest weight", "A w1 cap1, B w3, C w3", 1, []int64{0, 1, 0}},
		{"a cap sends the rest elsewhere", "A w60 cap5, B w25, C w15", 20, []int64{5, 9, 6}},
		{"a min is filled first", "A w1 min3, B w100", 4, []int64{3, 1}},
		{"too few nodes for every min", "A min2, B min2, C", 3, []int64{2, 1, 0}},
		{"a closed bin takes nothing, not even for its min", "A closed min3 now1, B", 2, []int64{1, 2}},
		{"removal treats a closed bin like any other", "A closed now3, B now3", -2, []int64{2, 2}},
		{"but first takes what it has above its cap", "A closed cap1 now3, B now3", -2, []int64{1, 3}},
		{"existing nodes count", "A now10, B, C", 5, []int64{10, 3, 2}},
		{"a bin above its cap takes nothing", "A cap2 now5, B", 3, []int64{5, 3}},
		{"nothing asked", "A now3, B", 0, []int64{3, 0}},
		{"removal levels", "A now3, B now3, C now3", -4, []int64{2, 2, 1}},
		{"removal takes from above a cap first", "A w9 cap1 now3, B w1 now9", -2, []int64{1, 9}},
		{"removal empties unlisted bins first", "A now5, old w0 now1, older w0 now3", -3, []int64{5, 1, 0}},
		{"but not below a min of theirs", "A now5, old w0 min1 now3", -3, []int64{4, 1}},
		{"removal leaves the min", "A min2 now3, B now1", -2, []int64{2, 0}},
		{"removal goes by the larger share", "A w1 now3, B w3 now3", -3, []int64{1, 2}},
		{"unlisted bins take nothing", "A, old w0 now2", 4, []int64{4, 2}},
		// Cases in which Senlin's placement policies were wrong.
		{"a cap that is reached", "A w100 cap2, B w100", 6, []int64{2, 4}},
		{"a cap that was reached", "A w100 cap2 now2, B w100 now3", 1, []int64{2, 4}},
		{"a small cap of much weight", "A w3 cap3, B w1", 1000, []int64{3, 997}},
		{"a remainder", "A, B, C", 4, []int64{2, 1, 1}},
		{"a remainder of one, and more", seven, 36, []int64{6, 5, 5, 5, 5, 5, 5}},
		{"many leave", "A now7, B now7, C now7, D now7, E now7, F now7, G now7, H now7", -49, []int64{1, 1, 1, 1, 1, 1, 1, 0}},
		// No overflow, even at the largest numbers that are allowed.
		{"many", "A w1, B w3", 4 * many, []int64{many, 3 * many}},
		{"the largest weight, and a cap", "A w9223372036854775807 cap5, B w1, C w2", 3*many + 5, []int64{5, many, 2 * many}},
		{"the most", "A w1, B w1", MaxNodes, []int64{MaxNodes / 2, MaxNodes / 2}},
		{"half of the most leave", "A now1000000000000000, B", -MaxNodes / 2, []int64{MaxNodes / 2, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := bins(t, c.bins)
			changes, err := Distribute(list, c.count)
			require.NoError(t, err)
			assert.Equal(t, c.after, after(list, changes), "%s, %+d", c.bins, c.count)
		})
	}
}

// TestVectors: the cases with known answers, each in two orders of its bins.
func TestVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/distribute.json")
	require.NoError(t, err)
	var cases []struct {
		Count                  int64
		Weights, Caps, Current map[string]int64
		Expect                 struct {
			Plan  map[string]int64
			Error string
		}
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	require.Len(t, cases, 200, "cases")
	for n, c := range cases {
		names := slices.Collect(maps.Keys(c.Weights))
		for name := range c.Current {
			if _, listed := c.Weights[name]; !listed {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for range 2 {
			list := make([]Bin, len(names))
			for i, name := range names {
				list[i] = Bin{Name: name, Weight: c.Weights[name], Cap: Unlimited, Current: c.Current[name]}
				if cap, ok := c.Caps[name]; ok {
					list[i].Cap = cap
				}
			}
			changes, err := Distribute(list, c.Count)
			if c.Expect.Error != "" {
				assert.EqualError(t, err, c.Expect.Error, "case %d", n)
			} else {
				plan := map[string]int64{}
				for i, change := range changes {
					if change != 0 {
						plan[names[i]] = max(change, -change)
					}
				}
				assert.NoError(t, err, "case %d", n)
				assert.Equal(t, c.Expect.Plan, plan, "case %d", n)
			}
			slices.Reverse(names)
		}
	}
}

func TestDistributeRefuses(t *testing.T) {
	for _, c := range []struct {
		bins  string
		count int64
		want  string
	}{
		{"A, A", 1, `"A" is named twice`},
		{"A w-1", 1, `the weight of "A" is -1`},
		{"A cap-2", 1, `the cap of "A" is -2`},
		{"A min-1", 1, `the min of "A" is -1`},
		{"A now-1", 1, `"A" has -1 nodes`},
		{"A", MaxNodes + 1, "is more than can be planned"},
		{"A now600000000000000, B now600000000000000", 1, "cannot be planned"},
		{"A w0, B w0", 1, "no feasible plan"},
	} {
		_, err := Distribute(bins(t, c.bins), c.count)
		assert.ErrorContains(t, err, c.want, "%s, %+d", c.bins, c.count)
	}
}

func TestIdeal(t *testing.T) {
	for list, want := range map[string]string{
		"A w150, B w200, old w0 now4": "4.71 6.29 0.00",
		"old w0 now4":                 "0.00", // nothing is listed
	} {
		var got []string
		for _, share := range ideal(bins(t, list), 11) {
			got = append(got, share.FloatString(2))
		}
		assert.Equal(t, want, strings.Join(got, " "), list)
	}
}

// TestInfeasible: the error says how much room there is, and what limits each place.
func TestInfeasible(t *testing.T) {
	for _, c := range []struct {
		regions string
		count   int64
		detail  string
	}{
		{"A cap3; B cap1 now1", 5, "5 nodes must be added, but there is room for 3: A 3 (cap 3), B 0 (cap 1)."},
		{"A cap2 now2; B: az-2 now2 down, az-1 cap3 now3", 1,
			"1 node must be added, but there is room for 0: A 0 (cap 2), B/az-2 0 (not available), B/az-1 0 (cap 3)."},
		{"B: az-1 cap3 now1, old w0 now1", 4, "4 nodes must be added, but there is room for 2: B/az-1 2 (cap 3)."},
		{"A cap3 now2 quota; old w0 now1", 2,
			"2 nodes must be added, but there is room for 1: A 1 (quota: 9 of 10 instances in use), old 0 (not listed)."},
		{"A gone: az-1 cap3 now3", 1, "1 node must be added, but there is room for 0: A 0 (no compute endpoint)."},
		{"A: az-0 now1 closed, az-1 cap3 now3", 1, "1 node must be added, but there is room for 0: A/az-0 0 (takes no nodes now), A/az-1 0 (cap 3)."},
		{"", 2, "2 nodes must be added, but there is room for 0: no place is listed."},

		{"A min1 now3; B now1", -4, "4 nodes must be removed, but only 3 can be: A 2 (min 1), B 1."},
		{"A: az-2 min1 now2 down, az-1 cap3 now3", -5, "5 nodes must be removed, but only 4 can be: A/az-2 1 (min 1), A/az-1 3."},
		{"A min1 kept2 now3; B min1 kept1 now1", -2, "2 nodes must be removed, but only 1 can be: A 1 (2 protected), B 0 (min 1)."},
		{"A: az-1 min1 kept2 now2, az-2 min1 kept1 now2, az-3 now1", -3,
			"3 nodes must be removed, but only 2 can be: A/az-1 0 (2 protected), A/az-2 1 (min 1), A/az-3 1."},
		{"A min2: az-1 min3 now1, az-2 now3", -3, "3 nodes must be removed, but only 2 can be: A 2 (min 2)."},
		{"A gone: az-1 cap3 now3", -1, "1 node must be removed, but only 0 can be: A 0 (no compute endpoint, and keeps its nodes)."},
		{"A now1; old w0 now2 gone", -2, "2 nodes must be removed, but only 1 can be: A 1, old 0 (no compute endpoint, and keeps its nodes)."},
	} {
		board := newBoard(regions(t, c.regions))
		for _, r := range board.regions {
			if r.Closed && c.count < 0 {
				board.HoldRegion(r.Name)
			}
		}
		_, err := board.Distribute(c.count)
		infeasible, ok := asInfeasible(err)
		if assert.True(t, ok, "%s, %+d: got %v", c.regions, c.count, err) {
			assert.Equal(t, "There is no feasible plan to handle all nodes.", infeasible.Error())
			assert.Equal(t, c.detail, infeasible.Detail(), c.regions)
		}
	}
}
