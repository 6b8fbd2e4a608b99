package placementtf

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/private"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// attachmentPlanner has what a plan is made from. The plan of an existing attachment is a function of its state, its
// private state and the configuration, because Terraform plans again at apply and must get the same plan.
//
// A plan has four steps: it fills in what the configuration leaves out, decides, says what a person should know, and
// stores and publishes the decision. The decision is a value, which only the second step makes.
type attachmentPlanner struct {
	backend *backend.Backend
	config  *attachmentModel // as written
	plan    *attachmentModel // the plan with defaults, to be filled in
	state   *attachmentModel // nil for a new attachment
	same    bool             // whether the configuration equals the state
	memory  memory           // as the last refresh left it
	private private.Writer   // private state after the apply
	diags   *diag.Diagnostics
}

// decision is what a plan decides. It is empty if the plan keeps the state as it is, or is refused.
type decision struct {
	now, next roster.Roster
	change    planner.Change
	policy    roster.Policy      // with the places as they are now
	written   []placement.Region // regions as written
}

// beginsBatch reports whether a batch of TEMPLATE begins.
func (d decision) beginsBatch() bool {
	return slices.ContainsFunc(d.change.With(verdict.Leaves, verdict.Changes),
		func(v *verdict.Verdict) bool { return v.Row().Updates })
}

// fillSize fills in the size if the configuration gives none: somebody else owns it, such as an autoscaler, so it is
// the size in the state, or the min_size of a new attachment. A bound that excludes it changes it, and says so.
func (p *attachmentPlanner) fillSize() {
	least, most := p.plan.MinSize, p.plan.MaxSize
	switch {
	case !p.config.DesiredCapacity.IsNull(): // as written, which may be unknown
		return
	case least.IsUnknown() || most.IsUnknown():
		p.plan.DesiredCapacity = types.Int64Unknown()
		return
	case p.state == nil && least.IsNull():
		p.diags.AddAttributeError(path.Root("desired_capacity"), "Nothing says how many nodes there are",
			"A new attachment without desired_capacity begins with min_size, and neither is given. Give one of them.")
		return
	case p.state == nil:
		p.plan.DesiredCapacity = types.Int64Value(least.ValueInt64())
		return
	}
	size := p.state.DesiredCapacity.ValueInt64()
	p.plan.DesiredCapacity = types.Int64Value(size)
	follow := func(bound string, limit types.Int64, verb string) {
		p.plan.DesiredCapacity = limit
		p.diags.AddAttributeWarning(path.Root(bound), "A bound changes the size", fmt.Sprintf(
			"Without desired_capacity the size is the one in the state, %d, but %s is %d: the cluster %s to %d.",
			size, bound, limit.ValueInt64(), verb, limit.ValueInt64()))
	}
	switch {
	case value.Given(least) && size < least.ValueInt64():
		follow("min_size", least, "grows")
	case value.Given(most) && most.ValueInt64() >= 0 && size > most.ValueInt64():
		follow("max_size", most, "shrinks")
	}
}

// fillRegion names the one region of a configuration that leaves its name out: as it was in the state, or as the
// provider's.
func (p *attachmentPlanner) fillRegion(ctx context.Context) {
	if !places.Nameless(p.plan.Regions.List) {
		return
	}
	cloud := p.backend.Get(ctx, p.diags)
	if cloud == nil {
		return
	}
	region, err := cloud.Region(ctx)
	if err != nil {
		p.diags.AddAttributeError(path.Root("regions"), "Unable to determine the region", err.Error())
	}
	p.plan.nameRegion(region)
}
