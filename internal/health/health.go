// Package health checks the services of running nodes: whether they answer, or what a load balancer's monitor
// reports.
//
// A node is unhealthy only if two tries found that; a monitor makes its own. The health of a node that was never asked,
// or that cannot be reached from here, is not known: it counts neither as healthy nor as unhealthy.
package health

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/probe"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

// Check is how nodes are checked: by one of HTTP, TCP and Pools.
type Check struct {
	HTTP  *probe.HTTP
	TCP   *probe.TCP
	Pools []string // ids of Octavia pools; each region is asked only for pools that it has

	// Members lists the members of a pool in a region. It returns nil for a pool that does not exist.
	Members func(ctx context.Context, region, pool string) ([]openstack.Member, error)

	Timeout time.Duration // for all nodes of a region together
}

const (
	// mostAtOnce is how many nodes of all regions are asked at the same time. Each opens a file, and a process may
	// have 1,024 open on some systems.
	mostAtOnce = 500

	longest = time.Second // pause between the two tries

	// Tenths of the timeout: each try takes four tenths, and the pause takes at most one. One tenth is left, because
	// a second try may begin a little late.
	parts    = 4
	fraction = 10
)

// Result is the result of a check.
type Result struct {
	// Unhealthy has what is wrong with nodes, by the ids of their servers.
	Unhealthy map[string]string
	// Unknown has the ids of the servers whose health is not known. A warning counts them.
	Unknown map[string]bool
	// Warnings are sentences that somebody should know, sorted.
	Warnings []string
}

// seen has what is wrong with nodes, by the ids of their servers; nil means healthy. A node whose health is not known
// is not in it.
type seen map[string]*probe.Failure

// Look checks all nodes, in all regions at once. The first address of a node is asked that a node can have.
//
// If all nodes that could be asked fail with the same error of the network, this machine probably cannot reach them.
// Then no node is unhealthy, and a warning says so. That holds for the nodes of all regions together, and for the
// nodes of each region that has more than one.
func (c Check) Look(ctx context.Context, nodes []node.Node) Result {
	regions := map[string][]node.Node{}
	for _, n := range nodes {
		regions[n.Region] = append(regions[n.Region], n)
	}
	var mutex sync.Mutex
	var all sync.WaitGroup
	found := seen{}
	result := Result{Unhealthy: map[string]string{}, Unknown: map[string]bool{}}
	pools := map[string]bool{} // pools that a region has
	slots := make(chan struct{}, mostAtOnce)
	for region, list := range regions {
		all.Go(func() {
			var look looked
			if len(c.Pools) > 0 {
				look = c.monitored(ctx, region, list)
			} else {
				look = c.ask(ctx, region, list, slots)
			}
			mutex.Lock()
			defer mutex.Unlock()
			maps.Copy(found, look.seen)
			for _, n := range look.unknown {
				result.Unknown[n.ID] = true
			}
			for _, pool := range look.pools {
				pools[pool] = true
			}
			result.Warnings = append(result.Warnings, look.warnings...)
		})
	}
	all.Wait()
	for _, pool := range c.Pools {
		if len(nodes) > 0 && !pools[pool] && len(result.Warnings) == 0 {
			result.Warnings = append(result.Warnings,
				fmt.Sprintf("No region of the nodes has the pool %s: correct pool_ids.", pool))
		}
	}
	away, warnings := missingWay(nodes, regions, found)
	for _, n := range away {
		result.Unknown[n.ID] = true
		delete(found, n.ID)
	}
	result.Warnings = append(result.Warnings, warnings...)
	for id, failure := range found {
		if failure != nil {
			result.Unhealthy[id] = failure.Text
		}
	}
	slices.Sort(result.Warnings)
	return result
}

// looked is the result for the nodes of one region.
type looked struct {
	seen     seen
	unknown  []node.Node
	pools    []string // pools that the region has
	warnings []string
}

// missingWay finds the nodes that cannot be reached from here, with a warning for them.
func missingWay(nodes []node.Node, regions map[string][]node.Node, found seen) (away []node.Node, warnings []string) {
	unreachable := func(where string, list []node.Node, least int) bool {
		n, cause := 0, ""
		for _, asked := range list {
			failure, known := found[asked.ID]
			switch {
			case !known:
				continue
			case failure == nil || failure.Network == "" || (cause != "" && failure.Network != cause):
				return false
			}
			cause = failure.Network
			n++
		}
		if n < least {
			return false
		}
		away = append(away, list...)
		warnings = append(warnings, fmt.Sprintf("All %d nodes%s that were asked failed with the same error of the "+
			"network (%s). Terraform probably runs where it cannot reach them, so no node counts as unhealthy. "+
			"Plan from where they can be reached, or correct the port or the address.", n, where, cause))
		return true
	}
	if unreachable("", nodes, 1) {
		return away, warnings
	}
	for region, list := range regions {
		unreachable(" of the region "+region, list, 2)
	}
	return away, warnings
}

// ask asks the nodes of a region themselves, and asks those that failed once more, a moment later. A try has the same
// time, however many nodes there are. If the tries of a node do not end within the timeout, its health is not known.
func (c Check) ask(ctx context.Context, region string, nodes []node.Node, slots chan struct{}) (look looked) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	try := func(n node.Node, address string) (failure *probe.Failure, asked bool) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		case <-ctx.Done():
			return nil, false
		}
		limited, cancel := context.WithTimeout(ctx, c.Timeout*parts/fraction)
		defer cancel()
		if c.TCP != nil {
			failure = c.TCP.Look(limited, address)
		} else {
			failure = c.HTTP.Look(limited, n.Name, address)
		}
		return failure, failure == nil || !failure.Unasked
	}
	look.seen = seen{}
	var mutex sync.Mutex
	var all sync.WaitGroup
	nowhere := 0
	for _, n := range nodes {
		i := slices.IndexFunc(n.Addresses, func(address string) bool { return probe.CheckRange(address, false) == nil })
		if i < 0 {
			nowhere++
			look.unknown = append(look.unknown, n)
			continue
		}
		all.Go(func() {
			failure, known := try(n, n.Addresses[i])
			if failure != nil && wait.For(ctx, min(longest, c.Timeout/fraction)) == nil {
				failure, known = try(n, n.Addresses[i])
			}
			mutex.Lock()
			defer mutex.Unlock()
			if known && ctx.Err() == nil {
				look.seen[n.ID] = failure
			} else {
				look.unknown = append(look.unknown, n)
			}
		})
	}
	all.Wait()
	if len(look.unknown) > 0 {
		look.warnings = []string{unasked(region, len(nodes), nowhere, len(look.unknown)-nowhere)}
	}
	return look
}

// unasked says why the health of nodes is not known: nowhere counts those without an address, and late the others.
func unasked(region string, all, nowhere, late int) string {
	var why []string
	if nowhere > 0 {
		why = append(why, fmt.Sprintf("Nova shows no address of %d that can be asked", nowhere))
	}
	if late > 0 {
		why = append(why, fmt.Sprintf("%d were not asked in time, with %d at once, raise timeout", late, mostAtOnce))
	}
	return fmt.Sprintf("%d of %d nodes of the region %s were not asked in full, so their health is not known: %s.",
		nowhere+late, all, region, strings.Join(why, ", "))
}

// monitored reads the results of the pools' monitors, with one request for each pool. A monitor itself tries more than
// once before it calls a member broken.
func (c Check) monitored(ctx context.Context, region string, nodes []node.Node) (look looked) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	look.seen = seen{}
	broken := false
	for _, pool := range c.Pools {
		members, err := c.Members(ctx, region, pool)
		switch {
		case err != nil:
			broken = true
			look.warnings = append(look.warnings, fmt.Sprintf(
				"The health of the nodes of the region %s is not known: %s.", region, text.Cut(err.Error(), 500)))
			continue
		case members == nil:
			continue
		}
		look.pools = append(look.pools, pool)
		unwatched := func(m openstack.Member) bool { return m.Operating == openstack.MemberUnwatched }
		if slices.ContainsFunc(members, unwatched) {
			look.warnings = append(look.warnings, fmt.Sprintf("The pool %s of the region %s has no health monitor "+
				"(NO_MONITOR), so the health of its members is not known. Add an openstack_lb_monitor_v2.",
				pool, region))
		}
		for _, n := range nodes {
			for _, m := range openstack.MembersOf(members, n.Addresses, n.Name) {
				_, known := look.seen[n.ID]
				switch {
				case m.Operating == openstack.MemberError:
					look.seen[n.ID] = &probe.Failure{Text: fmt.Sprintf(
						"its member %s of the pool %s is in ERROR for Octavia",
						strings.TrimSpace(string(m.Name+" "+m.ID)), pool)}
				case m.Operating == openstack.MemberOnline && !known:
					look.seen[n.ID] = nil
				}
			}
		}
	}
	for _, n := range nodes {
		if _, known := look.seen[n.ID]; broken && !known {
			look.unknown = append(look.unknown, n)
		}
	}
	return look
}
