package affinitytf

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
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
		places.CheckZone(ctx, cloud, []string{compute.Region}, name, wanted.at, diags)
		checkHost(ctx, compute, wanted, diags)
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
			"No hypervisor of region "+compute.Region+" is up, enabled and has drs in its hostname. Apply again when "+
				"one is, or leave the extension off.")
	case err != nil:
		diags.AddAttributeError(wanted.at, "The vSphere host is in another zone",
			text.Sentence(err)+" Nova would refuse servers for the host in that zone. Name its zone, or no zone.")
	}
	return target
}

// checkHost reports a host that is not in its zone, as far as Nova shows hosts to this user.
func checkHost(ctx context.Context, compute *openstack.Compute, wanted zoneWanted, diags *diag.Diagnostics) {
	name, host, named := strings.Cut(wanted.name, ":")
	if !named || wanted.drs || diags.HasError() {
		return
	}
	zoneOf, err := hostZones(ctx, compute)
	switch {
	case err != nil:
		diags.AddError("Unable to look up availability zones", err.Error())
	case zoneOf != nil && zoneOf[host] != name:
		diags.AddAttributeError(wanted.at, "Unknown host", fmt.Sprintf("The availability zone %q of region %q has no "+
			"host %q, so Nova would refuse each server.", name, compute.Region, host))
	}
}

// hostZones returns the zones of hosts, or nil if Nova does not show them to this user.
func hostZones(ctx context.Context, compute *openstack.Compute) (map[string]string, error) {
	zones, err := compute.HostZones(ctx)
	if gophercloud.ResponseCodeIs(err, http.StatusForbidden) {
		return nil, nil
	}
	return zones, err
}
