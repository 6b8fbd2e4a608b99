package affinitytf

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// zoneWanted is a zone that the configuration asks for.
type zoneWanted struct {
	name string // zone or zone:host; "": any zone
	at   path.Path
	drs  bool // whether servers go to the host of a vSphere cluster with DRS
}

// zone returns the zone that the attachment asks for.
func (m attachmentModel) zone() zoneWanted {
	at := path.Root("availability_zone")
	return zoneWanted{m.AvailabilityZone.ValueString(), at, m.EnableDRSExtension.ValueBool()}
}

// targetZone returns the zone to give to servers, or "" for any zone. The zone must
// exist. The DRS extension adds the host to it.
func targetZone(
	ctx context.Context, cloud *openstack.Cloud, compute *openstack.Compute, wanted zoneWanted, diags *diag.Diagnostics,
) string {
	zone, drs := wanted.name, wanted.drs
	if zone != "" {
		name := zone
		if !drs {
			name, _, _ = strings.Cut(zone, ":") // an admin may name a host, as Nova does
		}
		checkZone(ctx, cloud, compute.Region, name, wanted.at, diags)
	}
	if !drs || diags.HasError() {
		return zone
	}
	at := path.Root("enable_drs_extension")
	hypervisors, err := compute.Hypervisors(ctx)
	var zoneOf map[string]string
	if err == nil {
		zoneOf, err = compute.HostZones(ctx)
	}
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusForbidden):
		diags.AddAttributeError(at, "Only an admin sees hypervisors",
			"The DRS extension looks for a host among all hypervisors, and for its zone. Nova shows these to admins "+
				"only (os_compute_api:os-hypervisors:list-detail, os_compute_api:os-availability-zone:detail): "+
				text.Sentence(err)+" Log in as an admin, or leave the extension off.")
		return ""
	case err != nil:
		diags.AddAttributeError(at, "Unable to look for a vSphere host", err.Error())
		return ""
	}
	target, err := affinity.DRSZone(hypervisors, zoneOf, zone)
	switch {
	case value.Is[*affinity.NoHostError](err):
		diags.AddAttributeError(at, "No suitable vSphere host is available.",
			"No hypervisor of region "+compute.Region+" is up, enabled and has drs in its hostname.")
	case err != nil:
		diags.AddAttributeError(wanted.at, "The vSphere host is in another zone",
			text.Sentence(err)+" Nova would refuse servers for the host in that zone. Name its zone, or no zone.")
	}
	return target
}

// hostZones returns the zones of hosts, or nil if Nova does not show them to this user.
func hostZones(ctx context.Context, compute *openstack.Compute) (map[string]string, error) {
	zones, err := compute.HostZones(ctx)
	if gophercloud.ResponseCodeIs(err, http.StatusForbidden) {
		return nil, nil
	}
	return zones, err
}

// checkZone reports a zone that does not exist, and warns of one that takes no servers now.
func checkZone(
	ctx context.Context, cloud *openstack.Cloud, region, zone string, at path.Path, diags *diag.Diagnostics,
) {
	zones, err := cloud.Zones(ctx, region)
	if err != nil {
		diags.AddError("Unable to look up availability zones", err.Error())
		return
	}
	names := make([]string, len(zones))
	for i, z := range zones {
		names[i] = z.Name
	}
	i := slices.Index(names, zone)
	switch {
	case i < 0:
		diags.AddAttributeError(at, "Unknown availability zone", fmt.Sprintf("Nova in region %q does not list "+
			"the availability zone %q. It lists %s.", region, zone, strings.Join(names, ", ")))
	case !zones[i].Available:
		diags.AddAttributeWarning(at, "The availability zone is down", fmt.Sprintf("No service in the availability "+
			"zone %q of region %q is up, so Nova finds no host for new servers there. Name another zone, or make no "+
			"servers until it is back.", zone, region))
	}
}
