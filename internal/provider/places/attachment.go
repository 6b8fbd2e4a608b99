package places

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/text"
)

// CloseRegions closes the regions that have no compute endpoint for this user,
// with a warning, and refuses those that Keystone does not know. At is the path
// of the list that the bins come from. It returns notes on the closed ones.
func CloseRegions(ctx context.Context, cloud *openstack.Cloud, bins []placement.Bin, at path.Path, diags *diag.Diagnostics) map[string]string {
	notes := map[string]string{}
	for i, b := range bins {
		state, err := cloud.RegionState(ctx, b.Name)
		if err != nil {
			diags.AddError("Unable to look up regions", err.Error())
			return notes
		}
		name := at.AtListIndex(i).AtName("name")
		switch state {
		case openstack.RegionUnknown:
			known, _ := cloud.Regions(ctx) // asked for above
			diags.AddAttributeError(name, "Unknown region", fmt.Sprintf("Keystone does not know the region %q. It knows %s.", b.Name, strings.Join(known, ", ")))
		case openstack.RegionNoCompute:
			diags.AddAttributeWarning(name, "Region skipped", fmt.Sprintf("The region %q has no compute endpoint for this user: it takes no nodes. Those that it has still count.", b.Name))
			notes[b.Name] = "no compute endpoint"
			bins[i].Closed = true
		}
	}
	if len(notes) == len(bins) && !diags.HasError() {
		diags.AddAttributeError(at, "No region is found usable.", "None of the regions listed has a compute endpoint for this user.")
	}
	return notes
}

// CloseZones does the same for the zones of a region: those that Nova does not
// list are refused, those that are not available closed. That all of them are
// is for the caller to judge.
func CloseZones(ctx context.Context, cloud *openstack.Cloud, region string, bins []placement.Bin, at path.Path, diags *diag.Diagnostics) map[string]string {
	notes := map[string]string{}
	zones, err := cloud.Zones(ctx, region)
	if err != nil {
		diags.AddError("Unable to look up availability zones", err.Error())
		return notes
	}
	for i, b := range bins {
		name := at.AtListIndex(i).AtName("name")
		j := slices.IndexFunc(zones, func(z openstack.Zone) bool { return z.Name == b.Name })
		switch {
		case j < 0:
			diags.AddAttributeError(name, "Unknown availability zone", fmt.Sprintf("Nova in region %q does not list the availability zone %q. It lists %s.", region, b.Name, zoneNames(zones)))
		case !zones[j].Available:
			diags.AddAttributeWarning(name, "Availability zone skipped", fmt.Sprintf("No service in the availability zone %q of region %q is up: it takes no nodes. Those that it has still count.", b.Name, region))
			notes[b.Name] = "not available"
			bins[i].Closed = true
		}
	}
	return notes
}

// ReportNoZone reports that none of the zones listed takes nodes.
func ReportNoZone(region string, at path.Path, diags *diag.Diagnostics) {
	diags.AddAttributeError(at, "No availability zone found available.", fmt.Sprintf("None of the availability zones listed is available in region %q.", region))
}

func zoneNames(zones []openstack.Zone) string {
	if len(zones) == 0 {
		return "none"
	}
	names := make([]string, len(zones))
	for i, z := range zones {
		names[i] = z.Name
	}
	return strings.Join(names, ", ")
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
