package places

import (
	"context"
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/text"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// QuotaArguments adds the arguments about quotas to the attributes.
func QuotaArguments(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	attributes["respect_quotas"] = schema.BoolAttribute{Optional: true,
		MarkdownDescription: "Whether to add no more nodes to a region than the project's compute quota there still allows: a warning says where that changes the plan. Defaults to `false`."}
	attributes["flavor_id"] = schema.StringAttribute{Optional: true,
		MarkdownDescription: "Flavor of the nodes. With `respect_quotas`, the quotas of cores and RAM count too; without it only that of instances."}
	return attributes
}

// Quotas tells, by region, the quota that lowered its cap.
type Quotas map[string]string

// LimitByQuota lowers the caps of regions to what the project's quotas allow.
func LimitByQuota(ctx context.Context, cloud *openstack.Cloud, flavor string, bins []placement.Bin, diags *diag.Diagnostics) Quotas {
	regions, servers := make([]placement.Region, 0, len(bins)), map[string]int64{}
	for _, b := range bins {
		if servers[b.Name] = b.Current; b.Headroom(1) > 0 {
			regions = append(regions, placement.Region{Bin: b})
		}
	}
	quotas, err := cluster.ReadQuotas(ctx, cloud, flavor, regions)
	if err != nil {
		diags.AddError("Unable to look up quotas", err.Error())
		return nil
	}
	lowered := Quotas{}
	for _, r := range quotas.Cap(regions, servers) {
		for i, b := range bins {
			if b.Name == r.Name && b.Cap != r.Cap {
				bins[i].Cap, bins[i].Why = r.Cap, r.Why
				lowered[b.Name] = quotas[b.Name].Limit
			}
		}
	}
	return lowered
}

// Warn reports where a quota fills a region, and notes it for the summary.
func (q Quotas) Warn(bins []placement.Bin, changes []int64, notes map[string]string, diags *diag.Diagnostics) {
	for i, b := range bins {
		if limit, lowered := q[b.Name]; lowered && b.Current+changes[i] == b.Cap {
			notes[b.Name] = "quota"
			diags.AddWarning("A quota binds", fmt.Sprintf("The region %q gets %s and is full then: %s.", b.Name, text.Nodes(changes[i]), limit))
		}
	}
}
