package places

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/text"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
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
	lowered := Quotas{}
	for i, b := range bins {
		if b.Headroom(1) == 0 {
			continue // takes no nodes anyway
		}
		room, limit, err := cloud.QuotaRoom(ctx, b.Name, flavor)
		if err != nil {
			diags.AddError("Unable to look up quotas", err.Error())
			return nil
		}
		if most := b.Current + room; room >= 0 && (b.Cap == placement.Unlimited || most < b.Cap) {
			bins[i].Cap = most
			lowered[b.Name] = limit
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

// Text lists all quotas that lowered a cap.
func (q Quotas) Text() string {
	var text strings.Builder
	for _, region := range slices.Sorted(maps.Keys(q)) {
		fmt.Fprintf(&text, " The quota of %s bounds it: %s.", region, q[region])
	}
	return text.String()
}
