package openstack

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gophercloud/gophercloud/v2"
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

// Hypervisors lists the hypervisors of the region, once. Nova shows them to
// admins only: to others it answers 403.
func (c *Compute) Hypervisors(ctx context.Context) ([]Hypervisor, error) {
	return c.hypervisors.get(ctx, struct{}{}, func(ctx context.Context) ([]Hypervisor, error) {
		var found []Hypervisor
		err := walk(ctx, c.At(versionHypervisorPages), "os-hypervisors/detail", nil, func(page []byte) (last string, more bool, err error) {
			var list struct {
				Hypervisors []hypervisors.Hypervisor `json:"hypervisors"`
				Links       []gophercloud.Link       `json:"hypervisors_links"`
			}
			if err = json.Unmarshal(page, &list); err == nil && list.Hypervisors == nil {
				err = missing("hypervisors")
			}
			for _, h := range list.Hypervisors {
				last = h.ID
				found = append(found, Hypervisor{Hostname: h.HypervisorHostname, Host: h.Service.Host, Up: h.State == "up", Enabled: h.Status == "enabled"})
			}
			return last, len(list.Links) > 0, err
		})
		if err != nil {
			return nil, fmt.Errorf("region %s: list hypervisors: %w", c.Region, err)
		}
		return found, nil
	})
}
