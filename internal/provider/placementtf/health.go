package placementtf

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/health"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/probeblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

const (
	defaultGrace  = 10 * time.Minute
	defaultHealth = 10 * time.Second
)

// atHealth is the block health: Terraform shows a block for a path into it.
var atHealth = path.Root("health").AtName("http")

type healthModel struct {
	Grace   types.String `tfsdk:"grace"`
	Timeout types.String `tfsdk:"timeout"`
	HTTP    types.Object `tfsdk:"http"`
	TCP     types.Object `tfsdk:"tcp"`
	Octavia types.Object `tfsdk:"octavia"`
}

func healthBlock() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Asks the services of the nodes with each refresh, by one of `http`, `tcp` and " +
			"`octavia`. A node that fails twice, a second apart, is not in service, and the cause `UNHEALTHY` " +
			"replaces it. If no node can be reached, their health is not known, and a warning says so.",
		Attributes: map[string]schema.Attribute{
			"grace": durations.Argument(0, 30*duration.Day, "Lowest age of a server that is asked. Defaults to `10m`."),
			"timeout": durations.Argument(time.Second, 10*time.Minute, "Time to ask all nodes of a region. Each "+
				"answer may take two fifths of it. Defaults to `10s`."),
		},
		Blocks: map[string]schema.Block{
			"http": probeblock.HTTP(),
			"tcp":  probeblock.TCP(),
			"octavia": schema.SingleNestedBlock{
				MarkdownDescription: "Uses the health monitors of Octavia pools: a member in `ERROR` is unhealthy.",
				Validators:          attribute.Needs("pool_ids"),
				Attributes: map[string]schema.Attribute{
					"pool_ids": attribute.Texts("Required. Ids of the pools. Each region is asked for its own.",
						listvalidator.SizeAtLeast(1), listvalidator.ValueStringsAre(value.NotNull{})),
				},
			},
		},
	}
}

// health returns the check of the block health, and reports its faults. The check is
// nil without the block, or if it is not completely known.
func (m attachmentModel) health(
	ctx context.Context, diags *diag.Diagnostics,
) (check *health.Check, grace time.Duration) {
	if m.Health.IsNull() || !value.Known(ctx, m.Health) {
		return nil, 0
	}
	block := value.Object[healthModel](ctx, m.Health, diags)
	check = &health.Check{Timeout: durations.Or(block.Timeout, defaultHealth)}
	check.HTTP, check.TCP = probeblock.Read(block.HTTP, block.TCP, false, path.Root("health"), diags)
	pools, _ := block.Octavia.Attributes()["pool_ids"].(types.List)
	check.Pools = texts(pools)
	given := slices.DeleteFunc([]types.Object{block.HTTP, block.TCP, block.Octavia}, types.Object.IsNull)
	// a validator would count dynamic blocks that are not known yet; Terraform needs a path into the block
	if len(given) != 1 {
		diags.AddAttributeError(atHealth, "Invalid health check",
			fmt.Sprintf("The block health needs one of http, tcp and octavia, and has %d of them.", len(given)))
	}
	if diags.HasError() {
		return nil, 0
	}
	return check, durations.Or(block.Grace, defaultGrace)
}

// refusePools refuses a pool that no region has, in the plan that first names it. Other
// faults of Octavia may be over at the next refresh. A closed region is not asked, and may
// have the pool.
func (p *attachmentPlanner) refusePools(ctx context.Context, regions []placement.Region) {
	check, _ := p.plan.health(ctx, p.diags)
	closed := func(r placement.Region) bool { return r.Closed || r.Maintenance }
	asked := p.state != nil && p.state.Health.Equal(p.plan.Health)
	if check == nil || len(check.Pools) == 0 || asked || slices.ContainsFunc(regions, closed) {
		return
	}
	cloud := p.backend.Get(ctx, p.diags)
	if cloud == nil {
		return
	}
	for i, pool := range check.Pools {
		mayHave := func(r placement.Region) bool {
			lb, err := cloud.LoadBalancer(ctx, r.Name)
			return err == nil && !gophercloud.ResponseCodeIs(lb.FindPool(ctx, pool), http.StatusNotFound)
		}
		if !slices.ContainsFunc(regions, mayHave) {
			at := path.Root("health").AtName("octavia").AtName("pool_ids").AtListIndex(i)
			p.diags.AddAttributeError(at, "Unknown pool",
				fmt.Sprintf("No region of the cluster has the pool %q, so it would say nothing about any node. "+
					"Correct the id, or remove it from the list.", pool))
		}
	}
}

// lookAfter checks the services of the servers, and notes unhealthy servers. It
// skips servers that are too young or do not run.
func (m attachmentModel) lookAfter(ctx context.Context, hooks *hook.Runner, l *look, diags *diag.Diagnostics) {
	check, grace := m.health(ctx, diags)
	if check == nil {
		return
	}
	if check.HTTP != nil {
		check.HTTP.Client = hooks.HTTP
	}
	check.Members = func(ctx context.Context, region, pool string) ([]openstack.Member, error) {
		lb, err := l.cloud.LoadBalancer(ctx, region)
		if err != nil {
			return nil, err
		}
		members, err := lb.Members(ctx, pool)
		if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			return nil, nil
		}
		return members, err
	}
	var nodes []health.Node
	for _, s := range l.servers {
		since := s.LaunchedAt
		if since.IsZero() {
			since = s.CreatedAt
		}
		if s.Status == "ACTIVE" && !since.IsZero() && s.SeenAt.Sub(since) >= grace {
			nodes = append(nodes, health.Node{ID: s.ID, Name: s.Name, Region: s.Region, Addresses: l.Addresses[s.ID]})
		}
	}
	result := check.Look(ctx, nodes)
	for _, warning := range result.Warnings {
		diags.AddAttributeWarning(atHealth, "The health of nodes is not known", warning)
	}
	for i, s := range l.servers {
		l.servers[i].Unwell, l.servers[i].HealthUnknown = result.Unhealthy[s.ID], result.Unknown[s.ID]
	}
}
