package places

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// CheckNames looks the places up and reports those that do not exist. Whether
// the others take nodes now does not matter yet.
func (l Listed) CheckNames(ctx context.Context, cloud *openstack.Cloud, diags *diag.Diagnostics) {
	_, findings, err := cluster.LookUp(ctx, cloud, l.Regions)
	if err != nil {
		diags.AddError("Unable to look up regions and availability zones", err.Error())
		return
	}
	var unknown []cluster.Finding
	for _, f := range findings {
		if f.Kind.Unknown() {
			unknown = append(unknown, f)
		}
	}
	l.Report(unknown, false, diags)
}
