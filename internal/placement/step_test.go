package placement

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// genRegions draws up to three regions, some with zones, with small numbers.
func genRegions() *rapid.Generator[[]Region] {
	return rapid.Custom(func(t *rapid.T) []Region {
		bins := genBins(3).Draw(t, "regions")
		regions := make([]Region, len(bins))
		for i, b := range bins {
			regions[i].Bin = b
			if b.Weight > 0 && rapid.IntRange(0, 3).Draw(t, "without zones") > 0 {
				regions[i].Zones = genBins(3).Draw(t, "zones")
			}
		}
		return regions
	})
}

// copied returns a copy of regions that can be changed.
func copied(regions []Region) []Region {
	regions = slices.Clone(regions)
	for i := range regions {
		regions[i].Zones = slices.Clone(regions[i].Zones)
	}
	return regions
}

func shape(regions []Region) (text string) {
	for _, r := range regions {
		text += fmt.Sprintf("%s %d %v; ", r.Name, slowTop(r).Current, counts(r.Zones))
	}
	return text
}

// TestRegionsOneByOne: planning many nodes at once gives the same result as planning one after the other.
func TestRegionsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		regions := genRegions().Draw(t, "regions")
		step := rapid.SampledFrom([]int64{-1, 1}).Draw(t, "step")
		slow := copied(regions)
		for n := int64(1); n <= 12; n++ {
			i, j := slowPlace(slow, step)
			board := newBoard(copied(regions))
			changes, err := board.distribute(n * step)
			require.Equal(t, i >= 0, err == nil, "node %d finds region %d, but at once: %v", n, i, err)
			if err != nil {
				return
			}
			binAt(slow, spot{i, j}).Current += step
			require.Equal(t, shape(slow), shape(board.after(changes).regions), "%d nodes one by one, and at once", n)
		}
	})
}

// TestLeavingTie: the comparison decides between places that are equally good to take from, in a region and between
// regions, and between no others.
func TestLeavingTie(t *testing.T) {
	board := newBoard(regions(t, "R1: a now2, b now2, c now1; R2: a now2, b now3"))
	for _, c := range []struct {
		name  string
		wants []spot // spots in the order in which nodes should leave
		spot  spot
	}{
		{"by name", nil, spot{1, 1}},
		{"a zone of the other region", []spot{{0, 0}, {1, 1}}, spot{0, 0}},
		{"its zone that is as full", []spot{{0, 1}, {0, 0}}, spot{0, 1}},
		{"not one that is less full", []spot{{0, 2}, {1, 0}, {0, 0}, {1, 1}}, spot{0, 0}},
	} {
		turn := func(s spot) int {
			if i := slices.Index(c.wants, s); i >= 0 {
				return i
			}
			return len(c.wants)
		}
		spot, ok := board.leaving(func(a, b spot) int { return turn(a) - turn(b) })
		assert.True(t, ok, c.name)
		assert.Equal(t, c.spot, spot, c.name)
	}
}

// TestMovingRegions: nodes move between regions first, then between zones, and leave places that are not listed if
// there is room elsewhere.
func TestMovingRegions(t *testing.T) {
	for _, c := range []struct {
		name    string
		regions string
		want    []string
	}{
		{"regions, then zones", "R1: a now4, b; R2: a, b; old w0 now2", []string{"old to R2/a", "old to R2/b", "R1/a to R2/a", "R1/a to R1/b"}},
		{"not where it would be as good", "R1; R2 now1", nil},
		{"zones in the order of the regions' names", "R2: a now2, b; R1: a now2, b", []string{"R1/a to R1/b", "R2/a to R2/b"}},
		{"of equal zones the last by name loses the first node", "R1: a now2, b now2, c; R2: a now4", []string{"R1/b to R1/c"}},
		{"a zone that nobody lists", "R1: a now1, old w0 now2; R2: a now3", []string{"R1/old to R1/a", "R1/old to R1/a"}},
		{"whose region is full", "R1: a cap1 now1, old w0 now2; R2: a now3", []string{"R1/old to R2/a", "R1/old to R2/a"}},
		{"a zone above its cap in a full region", "R1: a cap1 now2, b closed; R2: a now2", []string{"R1/a to R2/a"}},
		{"not in a region above its cap, which would not take them back", "R1 cap2: a now3, b; R2: a closed", nil},
		{"nor in a closed one", "R1 closed: a now3, b", nil},
		{"out of a closed region, which takes none", "R1 closed: a, old w0 now1; R2: a now3", []string{"R1/old to R2/a"}},
		{"not where all is full", "R1: a cap1 now1, old w0 now2; R2: a closed now3", nil},
		{"not below a min", "R1: a min4 now4, b; R2: a; old w0 min2 now2", nil},
		{"not below a region's min", "R1 min3: a cap1 now1, old w0 now2; R2: a now3", nil},
		{"a zone's min is its region's", "R1: a min2, b; R2: a now2", []string{"R2/a to R1/a", "R2/a to R1/a"}},
	} {
		board := newBoard(regions(t, c.regions))
		var got []string
		for len(got) < 10 {
			from, to, ok := board.moving()
			if !ok {
				break
			}
			got = append(got, board.place(from).String()+" to "+board.place(to).String())
			board.add(from, -1)
			board.add(to, 1)
		}
		assert.Equal(t, c.want, got, c.name)
	}
}

// TestMovingAgainstOracle: each move is the one that follows from the text of the rule. The moves end, and then no
// node is in a place that is not listed while another place has room for it.
func TestMovingAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		regions := genRegions().Draw(t, "regions")
		for range 100 {
			from, to, ok := newBoard(regions).moving()
			slowFrom, slowTo, slowOK := slowMove(regions)
			if ok != slowOK || from != slowFrom || to != slowTo {
				t.Fatalf("%+v: %v to %v (%v), want %v to %v (%v)", regions, from, to, ok, slowFrom, slowTo, slowOK)
			}
			if !ok {
				return
			}
			binAt(regions, from).Current--
			binAt(regions, to).Current++
		}
		t.Fatal("the moves do not end")
	})
}

func binAt(regions []Region, s spot) *Bin { return newBoard(regions).at(s) }
