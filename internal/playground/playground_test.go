package playground_test

import (
	"fmt"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/playground"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { acctest.Main(m) }

func place(name string, weight, limit, least, nodes int64) playground.Bin {
	return playground.Bin{Name: name, Weight: weight, Cap: limit, Min: least, Nodes: nodes}
}

// example is two regions with five places.
func example() playground.State {
	return playground.State{Capacity: 9, Batch: "2", Regions: []playground.Region{
		{Bin: place("RegionOne", 200, -1, 0, 0),
			Zones: []playground.Bin{place("az-1", 100, -1, 1, 1), place("az-2", 100, 2, 0, 1), place("az-3", 100, -1, 0, 1)}},
		{Bin: place("RegionTwo", 100, -1, 0, 1)},
	}}
}

func places(moves []playground.Move) (list []string) {
	for _, m := range moves {
		list = append(list, m.Place)
	}
	return list
}

func TestPlay(t *testing.T) {
	t.Parallel()
	s := example()
	r, err := playground.Play(s)
	require.NoError(t, err)
	assert.Equal(t, []string{"RegionTwo", "RegionOne/az-1", "RegionOne/az-2", "RegionTwo", "RegionOne/az-3"}, places(r.Moves))
	assert.Equal(t, []playground.Option{{Name: "RegionOne", Sum: "(2 × 3 + 1) / 200 = 0.0350"},
		{Name: "RegionTwo", Sum: "(2 × 1 + 1) / 100 = 0.0300", Chosen: true}},
		r.Moves[0].Levels[0].Options)
	s.Capacity = 2
	r, err = playground.Play(s)
	require.NoError(t, err)
	assert.Equal(t, []string{"RegionOne/az-3", "RegionOne/az-2"}, places(r.Moves), "of equals the last name; az-1 keeps its min")
	assert.Equal(t, "keeps its min of 1", r.Moves[0].Levels[1].Options[0].Note)
}

func TestRollout(t *testing.T) {
	t.Parallel()
	s := example()
	for step, left := range []int64{9, 7, 5, 3, 1, 0, 0} {
		s.Step = step
		r, err := playground.Play(s)
		require.NoError(t, err)
		assert.Equal(t, left, r.Remaining, "step %d: left", step)
		assert.EqualValues(t, 9, r.Drawing.After, "step %d: nodes", step)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*playground.State){
		"no region is listed":              func(s *playground.State) { s.Regions = nil },
		"a region has no name":             func(s *playground.State) { s.Regions[0].Name = "" },
		`the zone "az-1" is named twice`:   func(s *playground.State) { s.Regions[0].Zones[1].Name = "az-1" },
		"the weight of \"RegionTwo\" is 0": func(s *playground.State) { s.Regions[1].Weight = 0 },
		"the cap of \"RegionTwo\" is -2":   func(s *playground.State) { s.Regions[1].Cap = -2 },
		"the min of \"RegionTwo\" is -1":   func(s *playground.State) { s.Regions[1].Min = -1 },
		"a min of 3, above its cap of 2":   func(s *playground.State) { s.Regions[0].Zones[1].Min = 3 },
		`"RegionTwo" has 1001 nodes`:       func(s *playground.State) { s.Regions[1].Nodes = 1001 },
		"the capacity is 1001":             func(s *playground.State) { s.Capacity = 1001 },
		"1003 nodes are more than can be":  func(s *playground.State) { s.Regions[1].Nodes = 1000 },
		"the step is -1":                   func(s *playground.State) { s.Step = -1 },
		"neither a whole number":           func(s *playground.State) { s.Batch = "some" },
		"it must be more than 0":           func(s *playground.State) { s.Batch = "0" },
		"batch 21 of 1000 nodes is more than": func(s *playground.State) {
			s.Capacity, s.Batch, s.Step = 1000, "1", 1_000_000_000
			s.Regions = []playground.Region{{Bin: place("RegionOne", 100, -1, 0, 1000)}}
		},
		"67 places are more than can be played": func(s *playground.State) {
			for i := range 62 {
				s.Regions = append(s.Regions, playground.Region{Bin: place(fmt.Sprint(i), 100, -1, 0, 0)})
			}
		},
		"There is no feasible plan to handle all nodes. 5 nodes must be added": func(s *playground.State) {
			s.Regions[0].Cap, s.Regions[1].Cap = 3, 1
		},
	} {
		s := example()
		change(&s)
		_, err := playground.Play(s)
		assert.ErrorContains(t, err, want)
	}
}

// TestMovesAreTheDecision: the moves that are shown add up to the planner's decision, growing and shrinking.
func TestMovesAreTheDecision(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		small := func(name string, most int64) int64 { return rapid.Int64Range(0, most).Draw(t, name) }
		bin := func(name string) playground.Bin {
			limit := small("cap", 12)
			if limit > 8 {
				limit = placement.Unlimited
			}
			p := place(name, 1+small("weight", 3), limit, 0, small("nodes", 4))
			if limit < 0 {
				p.Min = small("min", 2)
			}
			return p
		}
		s := playground.State{Batch: "1", Capacity: small("capacity", 20)}
		for _, name := range []string{"a", "b", "c"}[:1+small("regions", 2)] {
			r := playground.Region{Bin: bin(name)}
			for _, zone := range []string{"x", "y", "z"}[:small("zones", 3)] {
				r.Zones = append(r.Zones, bin(zone))
			}
			s.Regions = append(s.Regions, r)
		}
		r, err := playground.Play(s)
		if err != nil {
			return // no plan satisfies these caps and mins
		}
		want, got := map[string]int64{}, map[string]int64{}
		for _, region := range r.Drawing.Regions {
			if len(region.Zones) == 0 {
				want[region.Name] = region.After - region.Before
			}
			for _, zone := range region.Zones {
				want[region.Name+"/"+zone.Name] = zone.After - zone.Before
			}
		}
		sign := int64(1)
		if r.Drawing.After < r.Drawing.Before {
			sign = -1
		}
		for _, m := range r.Moves {
			got[m.Place] += sign
			for _, l := range m.Levels {
				chosen := 0
				for _, o := range l.Options {
					if o.Chosen {
						chosen++
						assert.True(t, o.Sum != "" || o.Note == "not listed", "%s was chosen, and is %s", o.Name, o.Note)
					}
				}
				assert.Equal(t, 1, chosen, "%d of %v were chosen", chosen, l.Options)
			}
		}
		for name, n := range want {
			require.Equal(t, n, got[name], "%s: what the planner decided, and the moves make: %q", name, places(r.Moves))
		}
	})
}

// TestHCL: Terraform's plan for the configuration is the one that the playground shows, and terraform fmt does not
// change the configuration.
func TestHCL(t *testing.T) {
	t.Parallel()
	s := example()
	for i := range s.Regions {
		s.Regions[i].Nodes = 0
		for j := range s.Regions[i].Zones {
			s.Regions[i].Zones[j].Nodes = 0
		}
	}
	r, err := playground.Play(s)
	require.NoError(t, err)
	w := acctest.NewFake(t, fakecloud.Config{}).Workspace(t, r.HCL)
	_, err = w.Run(t.Context(), "fmt", "-check", "-diff", "main.tf")
	assert.NoError(t, err)
	acctest.Apply(t, w)
	counts := map[string]int64{}
	for _, n := range acctest.Resources(t, w, "stackpolicy_placement_attachment")[0]["nodes"].(map[string]any) {
		zone, _ := n.(map[string]any)["zone"].(string)
		counts[n.(map[string]any)["region"].(string)+"/"+zone]++
	}
	for _, region := range r.Drawing.Regions {
		if len(region.Zones) == 0 {
			assert.Equal(t, region.After, counts[region.Name+"/"], "%s has", region.Name)
		}
		for _, zone := range region.Zones {
			assert.Equal(t, zone.After, counts[region.Name+"/"+zone.Name], "%s/%s has", region.Name, zone.Name)
		}
	}

	// With a rollout, and with names that have a meaning in HCL.
	s.Step, s.Batch = 1, "25%"
	s.Regions[1].Name = `a"b\${c}%{d}` + "\n\x01"
	r, err = playground.Play(s)
	require.NoError(t, err)
	require.NoError(t, w.Write(r.HCL+"variable \"image\" {\n  type = string\n}\n"))
	for _, args := range [][]string{{"fmt", "-check", "-diff", "main.tf"}, {"validate", "-no-color"}} {
		_, err := w.Run(t.Context(), args...)
		assert.NoError(t, err)
	}
}
