package placement

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// regionChange is the change of a region and that of each of its zones.
type regionChange struct {
	nodes int64
	zones []int64
}

// distributeRegions is the plan for regions whose zones, or which themselves, have
// nodes, in their order.
func distributeRegions(regions []Region, count int64) ([]regionChange, error) {
	changes, err := newBoard(regions).distribute(count)
	if err != nil {
		return nil, err
	}
	list := make([]regionChange, len(regions))
	for i, r := range regions {
		list[i].nodes = changes[Place{Region: r.Name}]
		for _, z := range r.Zones {
			n := changes[Place{r.Name, z.Name}]
			if z.Name != "" {
				list[i].nodes += n
			}
			list[i].zones = append(list[i].zones, n)
		}
	}
	return list, nil
}

func TestDistributeRegions(t *testing.T) {
	one := Region{Bin: Bin{Name: "RegionOne", Weight: 100, Cap: Unlimited}, Zones: bins(t, "az-1, az-2")}
	two := Region{Bin: Bin{Name: "RegionTwo", Weight: 200, Cap: Unlimited}, Zones: bins(t, "az-1 cap1, az-2")}

	t.Run("zones of one name are two zones", func(t *testing.T) {
		got, err := distributeRegions([]Region{one, two}, 6)
		require.NoError(t, err)
		if got[0].nodes != 2 || !slices.Equal(got[0].zones, []int64{1, 1}) ||
			got[1].nodes != 4 || !slices.Equal(got[1].zones, []int64{1, 3}) {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("full zones bound their region", func(t *testing.T) {
		full := Region{Bin: one.Bin, Zones: bins(t, "az-1 cap1, az-2 cap1")}
		got, err := distributeRegions([]Region{full, two}, 9)
		require.NoError(t, err)
		if got[0].nodes != 2 || got[1].nodes != 7 {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a region without zones", func(t *testing.T) {
		bare := Region{Bin: Bin{Name: "RegionTwo", Weight: 100, Cap: Unlimited, Current: 4}}
		got, err := distributeRegions([]Region{one, bare}, 2)
		if err != nil || got[0].nodes != 2 || got[1].nodes != 0 || got[1].zones != nil {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("a zone's min is its region's", func(t *testing.T) {
		needy := Region{Bin: one.Bin, Zones: bins(t, "az-1, az-2 min2, az-3 min3 closed")}
		heavy := Region{Bin: Bin{Name: "RegionTwo", Weight: 900, Cap: Unlimited}}
		got, err := distributeRegions([]Region{needy, heavy}, 3)
		if err != nil || !slices.Equal(got[0].zones, []int64{0, 2, 0}) || got[1].nodes != 1 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("whatever its other zones have", func(t *testing.T) {
		needy := Region{Bin: one.Bin, Zones: bins(t, "az-1 now5, az-2 min2")}
		got, err := distributeRegions([]Region{needy, {Bin: Bin{Name: "RegionTwo", Weight: 100, Cap: Unlimited}}}, 3)
		if err != nil || !slices.Equal(got[0].zones, []int64{0, 2}) || got[1].nodes != 1 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("the first node too", func(t *testing.T) {
		needy := Region{Bin: one.Bin, Zones: bins(t, "az-1 now5, az-2 min2")}
		got, err := distributeRegions([]Region{needy, {Bin: Bin{Name: "RegionTwo", Weight: 100, Cap: Unlimited}}}, 1)
		if err != nil || !slices.Equal(got[0].zones, []int64{0, 1}) {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("zones at their min keep their region", func(t *testing.T) {
		kept := Region{Bin: one.Bin, Zones: bins(t, "az-1 min3 now3, az-2 now1")}
		free := Region{Bin: two.Bin, Zones: bins(t, "az-1 now2")}
		got, err := distributeRegions([]Region{kept, free}, -3)
		if err != nil || !slices.Equal(got[0].zones, []int64{0, -1}) || got[1].nodes != -2 {
			t.Errorf("got %+v, %v", got, err)
		}
		var infeasible *InfeasibleError
		if _, err := distributeRegions([]Region{kept, free}, -4); !errors.As(err, &infeasible) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("an error names the region", func(t *testing.T) {
		bad := Region{Bin: one.Bin, Zones: bins(t, "az-1, az-1")}
		if _, err := distributeRegions([]Region{bad}, 1); err == nil || !strings.Contains(err.Error(), `region "RegionOne": "az-1" is named twice`) {
			t.Errorf("got %v", err)
		}
	})
}

// TestRegionsFeasible: a plan exists exactly if the headrooms suffice, and the
// zones' changes add up to their region's.
func TestRegionsFeasible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		regions := make([]Region, rapid.IntRange(1, 3).Draw(t, "regions"))
		count := rapid.Int64Range(-12, 12).Draw(t, "count")
		var room int64
		for i := range regions {
			r := Region{Bin: Bin{Name: string(rune('R' + i)), Weight: rapid.Int64Range(1, 3).Draw(t, "weight"),
				Cap: rapid.SampledFrom([]int64{Unlimited, 3, 6}).Draw(t, "cap")}, Zones: genBins(3).Draw(t, "zones")}
			var held, free, loose int64
			for _, z := range r.Zones {
				held += z.Current
				free += z.Headroom(20)
				loose += z.Current - lower(z)
			}
			if count > 0 {
				room += min(free, max(0, upper(r.Bin, MaxNodes)-held))
			} else {
				room += loose
			}
			regions[i] = r
		}
		changes, err := distributeRegions(regions, count)
		if feasible := room >= max(count, -count); feasible != (err == nil) {
			t.Fatalf("room for %d of %d, but error %v", room, count, err)
		}
		var total int64
		for i, c := range changes {
			var sum int64
			for _, z := range c.zones {
				sum += z
			}
			if sum != c.nodes {
				t.Fatalf("%s changes by %d, its zones by %v", regions[i].Name, c.nodes, c.zones)
			}
			total += sum
		}
		if err == nil && total != count {
			t.Fatalf("changes add up to %d, not %d", total, count)
		}
	})
}
