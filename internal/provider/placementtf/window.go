package placementtf

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// refuseLate refuses a batch if the window of the update has shut since the last refresh. A plan without a refresh may
// be made long after it, and a saved plan may be applied as late: Terraform asks for both in the same way, so the plan
// cannot hold the batch. The servers that would be replaced are read for the cloud's time. If no server is found, the
// apply has destroyed them before it asks for the plan, as with RECREATE, and goes on.
func (p *attachmentPlanner) refuseLate(
	ctx context.Context, now roster.Roster, change planner.Change, policy roster.Policy,
) {
	seen := p.memory.Seen
	if u := policy.Update; u == nil || len(u.Windows) == 0 || change.Replaced() == 0 || seen.Shut(policy) != "" {
		return
	}
	query := cluster.Query{NoProfiles: true}
	for _, v := range append(change.With(verdict.Leaves), change.With(verdict.Changes)...) {
		query.Names, query.Regions = append(query.Names, v.Name), append(query.Regions, v.Region)
	}
	cloud := p.backend.Get(ctx, p.diags)
	if cloud == nil {
		return
	}
	servers, err := cluster.Read(ctx, cloud, query)
	if err != nil {
		reportRead(err, p.diags)
		return
	}
	var clock time.Time
	for _, s := range servers {
		clock = slices.MaxFunc([]time.Time{clock, s.SeenAt}, time.Time.Compare)
	}
	seen.Opens = policy.Update.Windows.Look(clock)
	if clock.IsZero() || seen.Shut(policy) == "" {
		return
	}
	if _, held, err := planner.Plan(now, seen, policy); err == nil && held.Replaced() < change.Replaced() {
		p.diags.AddAttributeError(path.Root("update").AtName("window"), "The window has shut since the last refresh",
			fmt.Sprintf("The plan replaces %s, because the window was open at the last refresh. Now %d of them should "+
				"wait until %s. Plan again, with a refresh.",
				text.Nodes(change.Replaced()), change.Replaced()-held.Replaced(), seen.Shut(policy)))
	}
}
