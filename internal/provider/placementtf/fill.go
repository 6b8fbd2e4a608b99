package placementtf

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

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

// fillRegion names the one region of a configuration that leaves its name out: as the one region in the state, or as
// the provider's.
func (p *attachmentPlanner) fillRegion(ctx context.Context) {
	if !places.Nameless(p.config.Regions) {
		return
	}
	if p.state != nil && len(p.state.Regions.Elements()) == 1 {
		p.plan.Regions = places.Name(p.plan.Regions, p.state.listedRegions()[0].Name)
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
	p.plan.Regions = places.Name(p.plan.Regions, region)
}
