// Package cluster reads the nodes of a cluster from several regions at once, finds the places that take nodes now,
// and reads quotas.
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
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Query says which cluster to read.
type Query struct {
	Regions []string
	Selector
	NoProfiles bool // skips the age of the nodes' images, which needs requests to Glance

	// Faults requests why servers are in ERROR if Nova's list does not say so, which is the case for servers that
	// were never on a host. It makes at most mostFaults requests.
	Faults bool

	Attached bool // reads the addresses, ports and volumes of the servers, which are most of an answer

	// Others is filled with the names of servers that match everything except Names. Nova is asked for servers whose
	// names begin as Names and Next do. If it is nil, those names are not read.
	Others map[string]bool
	Next   string

	// Remembered has names of servers, by id, from an earlier read. They are used if a cell that is down hides the
	// names.
	Remembered map[string]string
}

// Read reads the nodes of a cluster, sorted as by [node.Sort]. All regions are read at once. If one region cannot be
// read, Read fails: a missing region must never look like an empty one. It also fails if it cannot know whether a
// server belongs to the cluster.
//
// Two errors have a type of their own: [*GroupGoneError], and one or several [*RegionError].
func Read(ctx context.Context, cloud *openstack.Cloud, q Query) ([]node.Node, error) {
	match, err := q.compile()
	if err != nil {
		return nil, err
	}
	regions := slices.Compact(slices.Sorted(slices.Values(q.Regions)))
	parts := make([]part, len(regions))
	err = each(regions, func(i int, region string) error {
		if err := parts[i].read(ctx, cloud, region, *match, q); err != nil {
			return &RegionError{region, err}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	lists := make([][]node.Node, len(parts))
	for i, p := range parts {
		lists[i] = p.nodes
		if q.Others != nil {
			maps.Copy(q.Others, p.others)
		}
	}
	nodes := slices.Concat(lists...)
	if q.ServerGroupID != "" && !slices.ContainsFunc(parts, func(p part) bool { return p.group }) {
		return nil, &GroupGoneError{q.ServerGroupID, regions}
	}
	if err := undecided(parts, nodes, q.Names); err != nil {
		return nil, err
	}
	if !q.NoProfiles {
		if err := dateProfiles(ctx, cloud, nodes); err != nil {
			return nil, err
		}
	}
	node.Sort(nodes)
	if q.Faults {
		return nodes, findFaults(ctx, cloud, nodes)
	}
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

// part is the part of a cluster in one region.
type part struct {
	region    string
	nodes     []node.Node
	others    map[string]bool
	undecided []string // ids of servers that may belong to the cluster
	group     bool     // reports whether the region has the selector's server group
}

func (p *part) read(ctx context.Context, cloud *openstack.Cloud, region string, match matcher, q Query) error {
	p.region = region
	compute, err := cloud.Compute(ctx, region)
	if err != nil {
		return err
	}
	if match.ServerGroupID != "" {
		group, err := compute.ServerGroup(ctx, match.ServerGroupID)
		switch {
		case gophercloud.ResponseCodeIs(err, http.StatusNotFound):
			return nil
		case err != nil:
			return err
		}
		if p.group = true; len(group.Members) == 0 {
			return nil
		}
		match.members = set(group.Members)
	}
	restart := func() { p.nodes, p.undecided, p.others = nil, nil, map[string]bool{} }
	err = compute.ServerPages(ctx, match.query(q.Next), restart,
		func(page openstack.Page, item func(openstack.Text) error) (bool, error) {
			return readPage(page.Body, func(s *server) error {
				if err := item(s.ID); err != nil {
					return err
				}
				return p.add(s, page.At, match, q)
			})
		})
	if err != nil {
		return fmt.Errorf("region %s: list servers: %w", region, err)
	}
	return nil
}

// add keeps a server, with the time of the answer, if it belongs to the cluster.
func (p *part) add(s *server, at time.Time, match matcher, q Query) error {
	if s.hidden {
		s.Name = openstack.Text(q.Remembered[string(s.ID)])
	}
	belongs, known := match.matches(s)
	switch {
	case s.gone():
	case !known:
		p.undecided = append(p.undecided, string(s.ID))
	case !belongs && q.Others != nil:
		match.names = nil
		if alike, _ := match.matches(s); alike {
			p.others[string(s.Name)] = true
		}
	case belongs:
		n, err := s.node(p.region, at)
		if q.Attached && err == nil {
			err = s.attached(&n)
		}
		p.nodes = append(p.nodes, n)
		return err
	}
	return nil
}

// undecided refuses a snapshot in which nodes may be missing, because a cell is down and servers in it may belong to
// the cluster. If names were asked for and all of them were found, no node is missing.
func undecided(parts []part, nodes []node.Node, names []string) error {
	missing := set(names)
	for _, n := range nodes {
		delete(missing, n.Name)
	}
	if len(names) > 0 && len(missing) == 0 {
		return nil
	}
	var errs []error
	for _, p := range parts {
		if len(p.undecided) == 0 {
			continue
		}
		slices.Sort(p.undecided)
		errs = append(errs, fmt.Errorf("region %s: a cell of Nova is down, and hides the name, metadata and tags of "+
			"%d servers (%s): so it is not known whether they belong to the cluster. Wait until the cell is back, or "+
			"select by ids or servergroup_id alone", p.region, len(p.undecided), text.Few(p.undecided)))
	}
	return errors.Join(errs...)
}

// dateProfiles adds when the images of the nodes were made. Each image is requested once, all at the same time:
// clusters have few.
func dateProfiles(ctx context.Context, cloud *openstack.Cloud, nodes []node.Node) error {
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
		if dates[i], err = cloud.ImageCreated(ctx, m.region, m.id); err != nil {
			return &RegionError{m.region, err}
		}
		return nil
	})
	for i, m := range images {
		created[m] = dates[i].UTC()
	}
	for i, n := range nodes {
		nodes[i].ProfileCreatedAt = created[image{n.Region, n.Profile}]
	}
	return err
}

// RegionError means that a region could not be read.
type RegionError struct {
	Region string
	Err    error // names the region and the request
}

func (e *RegionError) Error() string { return e.Err.Error() }

func (e *RegionError) Unwrap() error { return e.Err }

// GroupGoneError means that all regions answered, and none has the server group of the selector.
type GroupGoneError struct {
	ID      string
	Regions []string
}

func (e *GroupGoneError) Error() string {
	return fmt.Sprintf("the server group %s is in none of the regions %s", e.ID, strings.Join(e.Regions, ", "))
}

// mostFaults is the maximum number of requests for faults. If more servers failed, the reason is in the cloud and not
// in a single server.
const mostFaults = 50

// findFaults adds why servers are in ERROR that were never on a host.
func findFaults(ctx context.Context, cloud *openstack.Cloud, nodes []node.Node) error {
	var silent []int
	for i, n := range nodes {
		if n.Status == "ERROR" && n.HostID == "" && n.Fault == "" && len(silent) < mostFaults {
			silent = append(silent, i)
		}
	}
	return each(silent, func(_, i int) error {
		compute, err := cloud.Compute(ctx, nodes[i].Region)
		if err == nil {
			nodes[i].Fault, err = openstack.Server{Compute: compute, ID: nodes[i].ID}.Fault(ctx)
		}
		if err != nil {
			return &RegionError{nodes[i].Region, err}
		}
		return nil
	})
}
