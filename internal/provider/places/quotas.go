package places

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// ReadQuotas reads the quotas of the regions that take nodes.
func ReadQuotas(
	ctx context.Context, cloud *openstack.Cloud, flavors func(placement.Region) []string, regions []placement.Region,
	diags *diag.Diagnostics,
) cluster.Quotas {
	quotas, err := cluster.ReadQuotas(ctx, cloud, flavors, regions)
	if err != nil {
		diags.AddError("Unable to look up quotas", err.Error())
	}
	return quotas
}

// WarnOfQuotas warns of the quotas that a plan uses up.
func WarnOfQuotas(binding []cluster.Binding, diags *diag.Diagnostics) {
	for _, b := range binding {
		gets := fmt.Sprintf("gets %s and is full then", text.Nodes(b.Nodes))
		if b.Nodes == 0 {
			gets = "is full and gets no node"
		}
		diags.AddWarning("A quota binds", fmt.Sprintf("The region %q %s: %s.", b.Region, gets, b.Limit))
	}
}

// WarnOfRoom warns of quotas without room for new servers until the servers
// that they replace are gone.
func WarnOfRoom(short []cluster.Binding, diags *diag.Diagnostics) {
	for _, b := range short {
		advice := "Raise the quota, or use another method."
		if b.Room > 0 {
			advice = "Use a smaller max_batch_size, grow and replace in two applies, or raise the quota."
		}
		diags.AddWarning("A quota has no room for new servers next to the old ones", fmt.Sprintf("In the region %q "+
			"this plan needs servers for %s, and the quota has room for %d more: %s. With create_before_destroy Nova "+
			"refuses the others until old servers are gone. %s", b.Region, text.Nodes(b.Nodes), b.Room, b.Limit,
			advice))
	}
}
