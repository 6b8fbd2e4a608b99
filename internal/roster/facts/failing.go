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
	Wanted   roster.Templates // the given templates or, if these failed, the settled ones
	Holds    bool             // whether there is no settled template to go back to
}

// Judge looks for the given templates among the failed ones. A settled template does not
// count as failed.
func Judge(r roster.Roster, policy roster.Policy) Judged {
	v := Judged{Given: policy.Templates, Wanted: policy.Templates}
	if u := policy.Update; u == nil || u.RevertAfter <= 0 || len(r.Failed) == 0 {
		return v
	}
	v.Holds = true
	for _, at := range places(r, policy.Regions) {
		given, settled := policy.Templates.At(at), r.Settled.At(at)
		if given == settled {
			continue
		}
		hash := given.Hash()
		i := slices.IndexFunc(r.Failed, func(f roster.Failure) bool { return f.Template == hash })
		if i < 0 {
			continue
		}
		if len(v.Failures) == 0 {
			v.At = at
		}
		if !slices.Contains(v.Failures, r.Failed[i]) {
			v.Failures = append(v.Failures, r.Failed[i])
		}
		v.Holds = v.Holds && settled == ""
	}
	if len(v.Failures) > 0 && !v.Holds {
		v.Wanted = r.Settled.Or(policy.Templates)
	}
	v.Holds = v.Holds && len(v.Failures) > 0
	return v
}

// Over returns the policy with the wanted templates. Going back has no target, so that a canary
// that failed goes back too.
func (v Judged) Over(policy roster.Policy) roster.Policy {
	if len(v.Failures) == 0 {
		return policy
	}
	u := *policy.Update
	u.Holds = v.Holds
	if !v.Holds {
		u.Target = roster.Amount{Number: big.NewRat(100, 1), Percent: true}
	}
	policy.Templates, policy.Update = v.Wanted, &u
	return policy
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
