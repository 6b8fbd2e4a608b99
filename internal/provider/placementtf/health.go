package placementtf

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/health"
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
			"octavia": attribute.Block("Uses the health monitors of Octavia pools: a member in `ERROR` is unhealthy.",
				attribute.Fields{
					"pool_ids": attribute.Texts("Required. Ids of the pools. Each region is asked for its own.",
						listvalidator.SizeAtLeast(1), listvalidator.ValueStringsAre(value.NotNull{})),
				}, "pool_ids"),
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
