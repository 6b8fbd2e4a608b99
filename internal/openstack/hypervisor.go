package openstack

import (
	"context"
	"fmt"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/hypervisors"
)

// versionHypervisorPages is the first microversion at which hypervisors are
// listed in pages, and their ids are UUIDs.
const versionHypervisorPages = 53

// Hypervisor is a hypervisor and the compute service that it belongs to.
type Hypervisor struct {
	Hostname string // of the hypervisor
	Host     string // of the compute service: what Nova accepts in zone:host
	Up       bool
	Enabled  bool
}

// Hypervisors lists the hypervisors of the region. Nova shows them to admins
// only: to others it answers 403.
func (c *Compute) Hypervisors(ctx context.Context) ([]Hypervisor, error) {
	pages, err := hypervisors.List(c.At(versionHypervisorPages), nil).AllPages(ctx)
	if err != nil {
		return nil, fmt.Errorf("region %s: list hypervisors: %w", c.Region, err)
	}
	list, err := hypervisors.ExtractHypervisors(pages)
	if err != nil {
		return nil, fmt.Errorf("region %s: list hypervisors: %w", c.Region, err)
	}
	found := make([]Hypervisor, len(list))
	for i, h := range list {
		found[i] = Hypervisor{Hostname: h.HypervisorHostname, Host: h.Service.Host, Up: h.State == "up", Enabled: h.Status == "enabled"}
	}
	return found, nil
}
