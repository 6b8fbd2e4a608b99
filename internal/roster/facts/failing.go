package facts

import (
	"math/big"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// Judged is the meaning of failed templates for a plan.
type Judged struct {
	Failures []roster.Failure // failures of the given templates; without any these are wanted
	At       placement.Place  // first place whose given template failed
	Given    roster.Templates
	Holds    bool // whether there is no settled template to go back to
}

// Judge looks for the given templates among the failed ones. A settled template does not count as failed. It returns
// the policy with the wanted templates: the given ones or, if these failed, the settled ones. Going back has no target,
// so that a canary that failed goes back too.
func Judge(r roster.Roster, policy roster.Policy) (Judged, roster.Policy) {
	v := Judged{Given: policy.Templates}
	if u := policy.Update; u == nil || u.RevertAfter <= 0 || len(r.Failed) == 0 {
		return v, policy
	}
	back := false // whether there is a settled template to go back to
	for _, at := range places(r, policy.Regions) {
		given, settled := policy.Templates.At(at), r.Settled.At(at)
		hash := given.Hash()
		i := slices.IndexFunc(r.Failed, func(f roster.Failure) bool { return f.Template == hash })
		if i < 0 || given == settled {
			continue
		}
		if len(v.Failures) == 0 {
			v.At = at
		}
		if !slices.Contains(v.Failures, r.Failed[i]) {
			v.Failures = append(v.Failures, r.Failed[i])
		}
		back = back || settled != ""
	}
	if len(v.Failures) == 0 {
		return v, policy
	}
	u := *policy.Update
	v.Holds, u.Holds = !back, !back
	if back {
		policy.Templates = r.Settled.Or(policy.Templates)
		u.Target = roster.Amount{Number: big.NewRat(100, 1), Percent: true}
	}
	policy.Update = &u
	return v, policy
}

// places returns the listed places and the places of the nodes, in order.
func places(r roster.Roster, listed []placement.Region) []placement.Place {
	all := r.Counts().Places()
	for _, region := range listed {
		all = append(all, region.Places()...)
	}
	slices.SortFunc(all, placement.Place.Compare)
	return slices.Compact(all)
}
