package places

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Listed are the places of a configuration: regions with their zones or, in one
// region, its zones.
type Listed struct {
	Regions []placement.Region
	InOne   bool // the zones are the argument zones, and their region is region
}

// InRegion are the zones of one region.
func InRegion(region string, zones []placement.Bin) Listed {
	bin := placement.Bin{Name: region, Weight: placement.DefaultWeight, Cap: placement.Unlimited}
	return Listed{Regions: []placement.Region{{Bin: bin, Zones: zones}}, InOne: true}
}

// Also adds the regions and zones where nodes are and that are not listed,
// without a weight: whether nodes can be removed from there has to be looked up
// too.
func (l Listed) Also(nodes placement.Counts) Listed {
	regions := slices.Clone(l.Regions)
	index := map[string]int{}
	for i, r := range regions {
		index[r.Name] = i
		regions[i].Zones = slices.Clone(r.Zones)
	}
	for _, at := range nodes.Places() {
		i, listed := index[at.Region]
		if !listed {
			i = len(regions)
			index[at.Region] = i
			regions = append(regions, placement.Region{Bin: placement.Bin{Name: at.Region}})
		}
		r := &regions[i]
		if len(r.Zones) > 0 && !slices.ContainsFunc(r.Zones, func(z placement.Bin) bool { return z.Name == at.Zone }) {
			r.Zones = append(r.Zones, placement.Bin{Name: at.Zone})
		}
	}
	return Listed{regions, l.InOne}
}

// LookUp looks up which places can take nodes now, closes the others and reports
// each: an unknown one as an error, one that is not usable as a warning. It
// returns the regions with those closed. The change is the number of nodes that are
// added.
func (l Listed) LookUp(
	ctx context.Context, cloud *openstack.Cloud, change int64, diags *diag.Diagnostics,
) []placement.Region {
	looked, findings, err := cluster.LookUp(ctx, cloud, l.Regions)
	if err != nil {
		diags.AddError("Unable to look up regions and availability zones", err.Error())
		return nil
	}
	effect := TakesNone
	if change < 0 {
		effect = KeepsAll
	}
	l.Report(findings, effect, diags)
	l.ReportNone(looked, change > 0, diags)
	return looked
}

// What follows for a place that is not usable.
const (
	TakesNone = "It takes no nodes, and those that it has still count."
	KeepsAll  = "It keeps the nodes that it has: nothing could be deleted there."
)

// Report reports what a look-up found, and what follows for a place that is not
// usable.
func (l Listed) Report(findings []cluster.Finding, effect string, diags *diag.Diagnostics) {
	for _, f := range findings {
		at, known := l.path(f.Region, f.Zone), strings.Join(f.Known, ", ")
		if known == "" {
			known = "none"
		}
		switch f.Kind {
		case cluster.UnknownRegion:
			diags.AddAttributeError(at, "Unknown region",
				fmt.Sprintf("Keystone does not know the region %q. It knows %s.", f.Region, known))
		case cluster.NoCompute:
			why := cmp.Or(f.Why, fmt.Sprintf("The region %q has no compute endpoint for this user.", f.Region))
			diags.AddAttributeWarning(at, "Region skipped", why+" "+effect)
		case cluster.UnknownZone:
			diags.AddAttributeError(at, "Unknown availability zone",
				fmt.Sprintf("Nova in region %q does not list the availability zone %q. It lists %s.",
					f.Region, f.Zone, known))
		case cluster.ZoneUnavailable:
			diags.AddAttributeWarning(at, "Availability zone skipped",
				fmt.Sprintf("No service in the availability zone %q of region %q is up. %s", f.Zone, f.Region, effect))
		}
	}
}

// ReportNone reports that no place at all is usable. A place that is closed for
// maintenance counts as usable, unless nodes are added.
func (l Listed) ReportNone(looked []placement.Region, adding bool, diags *diag.Diagnostics) {
	if diags.HasError() || len(looked) == 0 {
		return
	}
	regions, maintained := 0, false
	for _, r := range looked {
		maintained = maintained || r.Maintenance
		open := len(r.Zones) == 0
		for _, z := range r.Zones {
			maintained = maintained || z.Maintenance
			open = open || (z.Weight > 0 && !z.Closed && (!adding || !z.Maintenance))
		}
		switch {
		case r.Closed, r.Weight == 0, r.Maintenance && adding:
		case open:
			return
		default:
			regions++
		}
	}
	list := path.Root("regions")
	switch {
	case l.InOne && looked[0].Closed:
		list = path.Root("region")
	case l.InOne:
		list = path.Root("zones")
	}
	switch {
	case maintained && adding:
		diags.AddAttributeError(list, "All places are closed",
			"None of the places listed takes nodes: each of them is closed, or not usable now. To open "+
				"one, remove closed = true there; or list another place, or ask for no more nodes than there are.")
	case l.InOne && regions > 0:
		diags.AddAttributeError(list, "No availability zone found available.",
			fmt.Sprintf("None of the availability zones listed is available in region %q. List another zone, or "+
				"apply again when one of these is back.", looked[0].Name))
	case regions > 0:
		diags.AddAttributeError(list, "No availability zone found available.",
			"None of the availability zones listed is available in its region. List another zone, or apply again "+
				"when one of these is back.")
	default:
		diags.AddAttributeError(list, "No region is found usable.",
			"No region that is listed has a compute endpoint that this user can use. The command \"openstack "+
				"catalog show compute\" shows which regions have one: list one of these.")
	}
}

// path is where a region, or a zone of it, is named; the list where it is not.
func (l Listed) path(region, zone string) path.Path {
	for i, r := range l.Regions {
		if r.Name != region || r.Weight == 0 {
			continue
		}
		at := path.Root("regions").AtListIndex(i)
		if zone == "" {
			if l.InOne {
				return path.Root("region")
			}
			return at.AtName("name")
		}
		zones := at.AtName("zones")
		if l.InOne {
			zones = path.Root("zones")
		}
		for j, z := range r.Zones {
			if z.Name == zone && z.Weight > 0 {
				return zones.AtListIndex(j).AtName("name")
			}
		}
	}
	if l.InOne {
		return path.Root("zones")
	}
	return path.Root("regions")
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
		next := " Raise a cap, list another place, or ask for fewer nodes."
		if infeasible.Count < 0 {
			next = " Lower a min, protect fewer nodes, or remove fewer."
		}
		diags.AddError(infeasible.Error(), text.Clean(infeasible.Detail())+next) // in it are names of literal nodes too
		return
	}
	diags.AddError("Unable to make a plan", err.Error())
}
