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
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/request"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Listed has the places of a configuration: regions with their zones or, in one
// region, its zones.
type Listed struct {
	Regions []placement.Region
	InOne   bool // whether the arguments zones and region list them
}

// InRegion returns the zones of one region.
func InRegion(region string, zones []placement.Bin) Listed {
	bin := placement.Bin{Name: region, Weight: placement.DefaultWeight, Cap: placement.Unlimited}
	return Listed{Regions: []placement.Region{{Bin: bin, Zones: zones}}, InOne: true}
}

// Also adds the regions and zones that have nodes and are not listed. They get no
// weight; they are added because a look-up must find out whether nodes can be removed
// from there.
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
		named := func(z placement.Bin) bool { return z.Name == at.Zone }
		if len(r.Zones) > 0 && !r.Maintenance && !slices.ContainsFunc(r.Zones, named) {
			r.Zones = append(r.Zones, placement.Bin{Name: at.Zone})
		}
	}
	return Listed{regions, l.InOne}
}

// KeepsAll is the effect on a region that does not answer while nodes are removed.
const KeepsAll = "It keeps its nodes, because nothing can be deleted there."

// effect returns the effect on a place that is not usable.
func effect(kind cluster.FindingKind, removing bool) string {
	switch {
	case !removing:
		return "It takes no nodes; its present nodes still count."
	case kind == cluster.ZoneUnavailable:
		return "It takes no nodes, and loses its share of leaving nodes, because Nova still deletes servers there."
	case kind == cluster.ZoneHidden:
		return "It takes no nodes, and loses its own nodes last, because Nova deletes no server there."
	}
	return KeepsAll
}

// Report reports the findings of a look-up, and their effect on places that are not
// usable; removing says that nodes are only removed.
func (l Listed) Report(findings []cluster.Finding, removing bool, diags *diag.Diagnostics) {
	for _, f := range findings {
		at, follows := l.path(f.Region, f.Zone), effect(f.Kind, removing)
		why := "No service in the availability zone %q of region %q is up."
		if f.Kind == cluster.ZoneHidden {
			why = "Nova does not list the availability zone %q of region %q, although nodes are there: its cell " +
				"seems to be down."
		}
		switch {
		case f.Kind == cluster.UnknownRegion:
			diags.AddAttributeError(at, "Unknown region", UnknownRegion(f.Region, f.Known))
		case f.Kind == cluster.UnknownZone:
			diags.AddAttributeError(at, "Unknown availability zone", unknownZone(f.Region, f.Zone, f.Known))
		case f.Closed:
		case f.Kind == cluster.NoCompute:
			why := cmp.Or(f.Why, fmt.Sprintf("The region %q has no compute endpoint for this user.", f.Region))
			diags.AddAttributeWarning(at, "Region skipped", why+" "+follows)
		default:
			diags.AddAttributeWarning(at, "Availability zone skipped", fmt.Sprintf(why+" %s", f.Zone, f.Region,
				follows))
		}
	}
}

// UnknownRegion says that Keystone does not know a region, and which it knows.
func UnknownRegion(name string, known []string) string {
	return fmt.Sprintf("Keystone does not know the region %q. It knows %s.", name, strings.Join(known, ", "))
}

func unknownZone(region, name string, known []string) string {
	return fmt.Sprintf("Nova in region %q does not list the availability zone %q. It lists %s.", region, name,
		cmp.Or(strings.Join(known, ", "), "none"))
}

// WarnOfClosed warns of closed places that lose nodes in a change.
func (l Listed) WarnOfClosed(board *placement.Board, change placement.Counts, diags *diag.Diagnostics) {
	for _, row := range board.Rows() {
		if n := change[row.Place]; n < 0 && row.Bin.Maintenance {
			diags.AddAttributeWarning(l.path(row.Region, row.Zone), "A closed place loses nodes", fmt.Sprintf(
				"%s is closed and loses %s, because no open place can lose more. To keep them, remove fewer nodes.",
				row.Place, text.Nodes(-n)))
		}
	}
}

// RefuseUnknown refuses a request that names a region which Keystone does not know, or for a new node a zone which Nova
// does not list. A plan's own regions are looked up together with the plan.
func RefuseUnknown(
	ctx context.Context, cloud *openstack.Cloud, asked request.Request, own []string, diags *diag.Diagnostics,
) {
	at := path.Root("decision")
	if asked.NodeCreate != nil {
		at = path.Root("node_create").AtName("region")
	}
	for _, name := range asked.Regions() {
		state, why, err := cloud.RegionState(ctx, name)
		switch {
		case asked.NodeCreate != nil && err == nil && state == openstack.RegionNoCompute:
			WarnOfNode(at, why+" Name another region.", diags)
		case slices.Contains(own, name):
		case err != nil:
			diags.AddError("Unable to look up regions and availability zones", err.Error())
		case state == openstack.RegionUnknown:
			known, _ := cloud.Regions(ctx) // kept from the request just made
			diags.AddAttributeError(at, "Unknown region", UnknownRegion(name, known))
		}
	}
	if asked.NodeCreate == nil || asked.NodeCreate.Zone == "" || diags.HasError() {
		return
	}
	regions := own // one of them, where the node does not name its region
	if name := asked.NodeCreate.Region; name != "" {
		regions = []string{name}
	}
	zone, _, _ := strings.Cut(asked.NodeCreate.Zone, ":") // an admin may name a host, as Nova does
	CheckZone(ctx, cloud, regions, zone, path.Root("node_create").AtName("zone"), diags)
}

// WarnOfNode warns that the place that a node names takes none, and why.
func WarnOfNode(at path.Path, why string, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(at, "The place of the node takes no nodes", why)
}

// CheckZone reports a zone that exists in none of the regions, and warns of one that takes no servers now. Regions
// without compute service are left out.
func CheckZone(
	ctx context.Context, cloud *openstack.Cloud, regions []string, zone string, at path.Path, diags *diag.Diagnostics,
) {
	var none []string // what Nova lists in place of the zone
	down := ""
	for _, region := range regions {
		if state, _, err := cloud.RegionState(ctx, region); err == nil && state != openstack.RegionWithCompute {
			continue
		}
		zones, err := cloud.Zones(ctx, region)
		if err != nil {
			diags.AddError("Unable to look up availability zones", err.Error())
			return
		}
		var names []string
		for _, z := range zones {
			if names = append(names, z.Name); z.Name == zone && z.Available {
				return
			}
		}
		if slices.Contains(names, zone) {
			down = region
		} else {
			none = append(none, unknownZone(region, zone, names))
		}
	}
	switch {
	case down != "":
		diags.AddAttributeWarning(at, "The availability zone is down", fmt.Sprintf("No service in the availability "+
			"zone %q of region %q is up, so Nova finds no host for new servers there. Name another zone, or make no "+
			"servers until it is back.", zone, down))
	case none != nil:
		diags.AddAttributeError(at, "Unknown availability zone", strings.Join(none, " "))
	}
}

// ReportNone reports that no place is usable. A place that is closed for
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
			"No listed place takes nodes: each is closed, or not usable now. Remove closed = true from a place, "+
				"list another place, or ask for no more nodes than the cluster has.")
	case l.InOne && regions > 0:
		diags.AddAttributeError(list, "No availability zone found available.",
			fmt.Sprintf("No listed availability zone is available in region %q. List another zone, or apply again "+
				"when a listed one is back.", looked[0].Name))
	case regions > 0:
		diags.AddAttributeError(list, "No availability zone found available.",
			"No listed availability zone is available in its region. List another zone, or apply again when a "+
				"listed one is back.")
	default:
		diags.AddAttributeError(list, "No region is found usable.",
			"No listed region has a compute endpoint that this user can use. The command \"openstack catalog show "+
				"compute\" shows which regions have one: list such a region.")
	}
}

// path returns the path of the name of a region or zone, or of the list if the name is not in it.
func (l Listed) path(region, zone string) path.Path {
	list := path.Root("regions")
	if l.InOne {
		list = path.Root("zones")
	}
	for i, r := range l.Regions {
		if r.Name != region || r.Weight == 0 {
			continue
		}
		name, zones := list.AtListIndex(i).AtName("name"), list.AtListIndex(i).AtName("zones")
		if l.InOne {
			name, zones = path.Root("region"), list
		}
		if zone == "" {
			return name
		}
		for j, z := range r.Zones {
			if z.Name == zone && z.Weight > 0 {
				return zones.AtListIndex(j).AtName("name")
			}
		}
	}
	return list
}

// ReportPlan reports that no plan could be made, in the policy document's own
// words if it has any.
func (l Listed) ReportPlan(err error, diags *diag.Diagnostics) {
	if infeasible, ok := errors.AsType[*placement.InfeasibleError](err); ok {
		next := " Raise a cap, list another place, or ask for fewer nodes."
		if infeasible.Count < 0 {
			next = " Lower a min, protect fewer nodes, or remove fewer."
		}
		detail := text.Clean(infeasible.Detail()) + next // it may name literal nodes
		diags.AddAttributeError(l.path("", ""), infeasible.Error(), detail)
		return
	}
	diags.AddError("Unable to make a plan", err.Error())
}

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
		advice := "Raise the quota, or apply a smaller desired_capacity until all nodes are replaced."
		if b.Room > 0 {
			advice = "Use a smaller max_batch_size, grow and replace in two applies, or raise the quota."
		}
		diags.AddWarning("A quota has no room for new servers next to the old ones", fmt.Sprintf("In the region %q "+
			"this plan needs servers for %s, and the quota has room for %d more: %s. With create_before_destroy Nova "+
			"refuses the others until old servers are gone. %s", b.Region, text.Nodes(b.Nodes), b.Room, b.Limit,
			advice))
	}
}
