package roster

import (
	"maps"
	"math/big"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Wanted are the templates that the nodes of a cluster should have: the given ones
// or, where they failed, the settled ones.
func Wanted(r Roster, policy Policy) Templates { return judge(r, policy).wanted }

// failing is what failed templates mean for a plan.
type failing struct {
	failures []Failure // of the given templates; none: they are wanted
	places   []placement.Place
	given    Templates
	wanted   Templates
	holds    bool // there is nothing to go back to
}

// judge looks for the given templates among the failed ones. A settled template does not
// count as failed.
func judge(r Roster, policy Policy) failing {
	v := failing{given: policy.Templates, wanted: policy.Templates}
	if u := policy.Update; u == nil || u.RevertAfter <= 0 || len(r.Failed) == 0 {
		return v
	}
	v.holds = true
	for _, at := range places(r, policy.Regions) {
		given, settled := policy.Templates.At(at), r.Settled.At(at)
		if given == settled {
			continue
		}
		hash := given.hash()
		i := slices.IndexFunc(r.Failed, func(f Failure) bool { return f.Template == hash })
		if i < 0 {
			continue
		}
		if !slices.Contains(v.failures, r.Failed[i]) {
			v.failures = append(v.failures, r.Failed[i])
		}
		v.places = append(v.places, at)
		v.holds = v.holds && settled == ""
	}
	if len(v.failures) > 0 && !v.holds {
		v.wanted = r.Settled.or(policy.Templates)
	}
	v.holds = v.holds && len(v.failures) > 0
	return v
}

// over is the policy as it is then. Going back knows no target: a canary
// that failed is taken back too.
func (v failing) over(policy Policy) Policy {
	if len(v.failures) == 0 {
		return policy
	}
	u := *policy.Update
	u.holds = v.holds
	if !v.holds {
		u.Target = Amount{number: big.NewRat(100, 1), percent: true}
	}
	policy.Templates, policy.Update = v.wanted, &u
	return policy
}

// places are those that are listed and those of the nodes, in order.
func places(r Roster, listed []placement.Region) []placement.Place {
	all := map[placement.Place]bool{}
	for _, region := range listed {
		if len(region.Zones) == 0 {
			all[placement.Place{Region: region.Name}] = true
		}
		for _, zone := range region.Zones {
			all[placement.Place{Region: region.Name, Zone: zone.Name}] = true
		}
	}
	for _, n := range r.Nodes {
		all[n.Place] = true
	}
	return slices.SortedFunc(maps.Keys(all), placement.Place.Compare)
}
