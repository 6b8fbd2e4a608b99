package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// Keys names the metadata that carries facts for the policies.
type Keys struct {
	Profile   string // "": a node's profile is its image
	Tainted   string
	Protected string
}

// Query says which cluster to read.
type Query struct {
	Regions []string
	Selector
	Keys
}

// Read takes a snapshot of a cluster: its nodes, sorted as by [Sort]. All
// regions are read at once. One region that cannot be read fails the whole: a
// missing region must never look like an empty one. So does a server of which
// cannot be told whether it belongs to the cluster.
func Read(ctx context.Context, cloud *openstack.Cloud, q Query) ([]Node, error) {
	match, err := q.compile()
	if err != nil {
		return nil, err
	}
	if err := cloud.Login(ctx); err != nil {
		return nil, err
	}
	regions := slices.Compact(slices.Sorted(slices.Values(q.Regions)))
	parts := make([][]Node, len(regions))
	found := make([]bool, len(regions)) // the server group
	err = each(regions, func(i int, region string) error {
		var err error
		parts[i], found[i], err = readRegion(ctx, cloud, region, *match, q.Keys)
		return err
	})
	if err != nil {
		return nil, err
	}
	if q.ServerGroupID != "" && !slices.Contains(found, true) {
		return nil, fmt.Errorf("the server group %s is in none of the regions %s", q.ServerGroupID, strings.Join(regions, ", "))
	}
	nodes := slices.Concat(parts...)
	if q.Profile == "" {
		if err := dateProfiles(ctx, cloud, nodes); err != nil {
			return nil, err
		}
	}
	Sort(nodes)
	return nodes, nil
}

// each calls f for all items at once and returns all errors, in their order.
func each[T any](items []T, f func(i int, item T) error) error {
	errs := make([]error, len(items))
	var wait sync.WaitGroup
	for i, item := range items {
		wait.Go(func() { errs[i] = f(i, item) })
	}
	wait.Wait()
	return errors.Join(errs...)
}

// readRegion reads the nodes in one region. Found tells whether the region has
// the selector's server group.
func readRegion(ctx context.Context, cloud *openstack.Cloud, region string, match matcher, keys Keys) (nodes []Node, found bool, err error) {
	compute, err := cloud.Compute(ctx, region)
	if err != nil {
		return nil, false, err
	}
	if match.ServerGroupID != "" {
		members, err := compute.ServerGroupMembers(ctx, match.ServerGroupID)
		switch {
		case gophercloud.ResponseCodeIs(err, http.StatusNotFound):
			return nil, false, nil
		case err != nil:
			return nil, false, err
		case len(members) == 0:
			return nil, true, nil
		}
		match.members = set(members)
	}
	if len(match.Tags) > 0 && !compute.Offers(openstack.VersionTags) {
		return nil, false, fmt.Errorf("region %s: tags need Nova's microversion 2.%d, and it offers %s", region, openstack.VersionTags, compute.Newest())
	}
	var undecided []string
	restart := func() { nodes, undecided = nil, nil }
	err = compute.ServerPages(ctx, match.query(), restart, func(page []byte) (string, bool, error) {
		servers, more, err := decodePage(page)
		if err != nil {
			return "", false, err
		}
		for i := range servers {
			s := &servers[i]
			belongs, known := match.matches(s)
			switch {
			case s.gone():
			case !known:
				undecided = append(undecided, s.ID)
			case belongs:
				node, err := s.node(region, keys)
				if err != nil {
					return "", false, err
				}
				nodes = append(nodes, node)
			}
		}
		if len(servers) == 0 {
			return "", more, nil
		}
		return servers[len(servers)-1].ID, more, nil
	})
	if err != nil {
		return nil, false, fmt.Errorf("region %s: list servers: %w", region, err)
	}
	if len(undecided) > 0 {
		slices.Sort(undecided)
		return nil, false, fmt.Errorf("region %s: a cell of Nova is down, and hides the name, metadata and tags of %d servers (%s): whether they belong to the cluster cannot be told. Select by ids or servergroup_id alone, or wait until the cell is back",
			region, len(undecided), abbreviate(undecided))
	}
	return nodes, true, nil
}

// abbreviate lists the first few of many.
func abbreviate(ids []string) string {
	const few = 5
	if len(ids) <= few {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:few], ", "), len(ids)-few)
}

// dateProfiles fills in when the images of the nodes were made. Each image is
// asked for once, all at once: clusters have few.
func dateProfiles(ctx context.Context, cloud *openstack.Cloud, nodes []Node) error {
	type image struct{ region, id string }
	created := map[image]time.Time{}
	for _, n := range nodes {
		if n.Profile != "" {
			created[image{n.Region, n.Profile}] = time.Time{}
		}
	}
	images := slices.SortedFunc(maps.Keys(created), func(a, b image) int {
		return cmp.Or(strings.Compare(a.region, b.region), strings.Compare(a.id, b.id))
	})
	dates := make([]time.Time, len(images))
	err := each(images, func(i int, m image) error {
		var err error
		dates[i], err = cloud.ImageCreated(ctx, m.region, m.id)
		return err
	})
	for i, m := range images {
		created[m] = dates[i].UTC()
	}
	for i, n := range nodes {
		nodes[i].ProfileCreatedAt = created[image{n.Region, n.Profile}]
	}
	return err
}
