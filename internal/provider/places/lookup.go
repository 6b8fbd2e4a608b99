package places

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
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

// RegionOr is the region that is named, or the provider's. It must have a
// compute endpoint.
func RegionOr(ctx context.Context, cloud *openstack.Cloud, named types.String, diags *diag.Diagnostics) string {
	region, err := named.ValueString(), error(nil)
	if region == "" {
		region, err = cloud.Region(ctx)
	}
	if err == nil {
		_, err = cloud.Compute(ctx, region)
	}
	if err != nil {
		diags.AddAttributeError(path.Root("region"), "Unable to use the region", err.Error())
	}
	return region
}

// ReportPlan reports that no plan could be made, with the document's own
// sentence where it has one.
func ReportPlan(err error, diags *diag.Diagnostics) {
	if infeasible, ok := errors.AsType[*placement.InfeasibleError](err); ok {
		diags.AddError(infeasible.Error(), infeasible.Detail()+" Raise a cap, lower a min, list another place, or ask for less.")
		return
	}
	diags.AddError("Unable to make a plan", err.Error())
}
