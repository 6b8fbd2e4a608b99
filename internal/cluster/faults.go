package cluster

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// mostFaults is the maximum number of requests for faults. If more servers failed, the reason is in the cloud and not
// in a single server.
const mostFaults = 50

// findFaults adds why servers are in ERROR that were never on a host, and which servers their
// groups keep them apart from.
func findFaults(ctx context.Context, cloud *openstack.Cloud, nodes []node.Node) error {
	var silent []int
	homeless := map[string][]int{} // by region
	for i, n := range nodes {
		if n.Status != "ERROR" || n.HostID != "" {
			continue
		}
		homeless[n.Region] = append(homeless[n.Region], i)
		if n.Fault == "" && len(silent) < mostFaults {
			silent = append(silent, i)
		}
	}
	err := each(slices.Sorted(maps.Keys(homeless)), func(_ int, region string) error {
		return findGroups(ctx, cloud, region, nodes, homeless[region])
	})
	return errors.Join(err, each(silent, func(_, i int) error {
		compute, err := cloud.Compute(ctx, nodes[i].Region)
		if err == nil {
			nodes[i].Fault, err = openstack.Server{Compute: compute, ID: nodes[i].ID}.Fault(ctx)
		}
		if err != nil {
			return &RegionError{nodes[i].Region, err}
		}
		return nil
	}))
}

// findGroups fills in the servers that may share no host with some of a region.
func findGroups(ctx context.Context, cloud *openstack.Cloud, region string, nodes []node.Node, some []int) error {
	compute, err := cloud.Compute(ctx, region)
	var groups []openstack.ServerGroup
	if err == nil {
		groups, err = compute.ServerGroups(ctx)
	}
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusForbidden):
		return nil // then a place counts as full for all nodes
	case err != nil:
		return &RegionError{region, err}
	}
	for _, group := range groups {
		if !group.KeepsApart() {
			continue
		}
		for _, i := range some {
			if slices.Contains(group.Members, nodes[i].ID) {
				nodes[i].Group = (*node.Group)(&group.Members)
			}
		}
	}
	return nil
}
