package openstack

import (
	"context"
	"fmt"
)

// Hypervisor is a hypervisor and the compute service that it belongs to.
type Hypervisor struct {
	Hostname string // name of the hypervisor
	Host     string // name of the compute service: what Nova accepts in zone:host
	Up       bool
	Enabled  bool
}

// Hypervisors lists the hypervisors of the region, once. Nova shows them to admins only, and answers 403 to
// others.
func (c *Compute) Hypervisors(ctx context.Context) ([]Hypervisor, error) {
	return c.hypervisors.get(ctx, struct{}{}, func(ctx context.Context) ([]Hypervisor, error) {
		type hypervisor struct {
			ID       Text   `json:"id"`
			Hostname Text   `json:"hypervisor_hostname"`
			State    string `json:"state"`
			Status   string `json:"status"`
			Service  struct {
				Host Text `json:"host"`
			} `json:"service"`
		}
		var found []Hypervisor
		client, restart := c.At(versionHypervisorPages), func() { found = nil }
		err := items(ctx, client, "os-hypervisors/detail", "hypervisors", restart, func(h hypervisor) Text {
			found = append(found, Hypervisor{
				Hostname: string(h.Hostname),
				Host:     string(h.Service.Host),
				Up:       h.State == "up",
				Enabled:  h.Status == "enabled",
			})
			return h.ID
		})
		if err != nil {
			return nil, fmt.Errorf("region %s: list hypervisors: %w", c.Region, err)
		}
		return found, nil
	})
}

// HostZones returns the availability zone of each host that runs a compute service and is enabled, once. Nova
// shows them to admins only, and answers 403 to others.
func (c *Compute) HostZones(ctx context.Context) (map[string]string, error) {
	return c.hostZones.get(ctx, struct{}{}, func(ctx context.Context) (map[string]string, error) {
		type zone struct {
			Name  Text                         `json:"zoneName"`
			Hosts map[Text]map[string]struct{} `json:"hosts"` // services by host and binary
		}
		client := c.At(1)
		address := client.ServiceURL("os-availability-zone", "detail")
		list, err := get[[]zone](ctx, client, address, "availabilityZoneInfo")
		if err != nil {
			return nil, fmt.Errorf("region %s: list availability zones with their hosts: %w", c.Region, err)
		}
		zones := map[string]string{}
		for _, zone := range list {
			for host, services := range zone.Hosts {
				if _, runs := services["nova-compute"]; runs {
					zones[string(host)] = string(zone.Name)
				}
			}
		}
		return zones, nil
	})
}
