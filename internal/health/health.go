// Package health looks at the services of nodes that run: whether they answer, or
// what a load balancer's monitor says of them.
//
// A node is unhealthy only where that was seen twice. One that could not be looked
// at in time is not known, which is never unhealthy.
package health

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/probe"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

// Node is a node that is looked at.
type Node struct {
	ID        string // of its server
	Name      string
	Region    string
	Addresses []string // the one that is asked comes first
}

// Check is how nodes are looked at: by one of HTTP, TCP and Pools.
type Check struct {
	HTTP  *probe.HTTP
	TCP   *probe.TCP
	Pools []string // ids of Octavia pools; each region is asked for those that it has

	// Members lists the members of a pool in a region. A pool that is not there is nil.
	Members func(ctx context.Context, region, pool string) ([]openstack.Member, error)

	Timeout time.Duration // for all nodes of a region together
}

const (
	atOnce   = 16          // nodes of a region that are asked at the same time
	longest  = time.Second // pause between the two tries
	fraction = 10          // the pause is a tenth of the timeout where that is shorter
)

// Result is what a look brings.
type Result struct {
	// Unhealthy says of nodes, by the ids of their servers, what is wrong with them.
	Unhealthy map[string]string
	// Warnings are what somebody should know, sorted.
	Warnings []string
}

// seen is what was seen of a node.
type seen struct {
	known   bool
	failure *probe.Failure // nil: it is well
}

// Look looks at all nodes, all regions at once.
//
// Where all nodes that could be looked at fail with one and the same error of the
// network, the way to them is missing, not all of them: then none is unhealthy, and
// a warning says so. That holds for the nodes of all regions together, and for
// those of a region that has more than one.
func (c Check) Look(ctx context.Context, nodes []Node) Result {
	regions := map[string][]Node{}
	for _, n := range nodes {
		regions[n.Region] = append(regions[n.Region], n)
	}
	var mutex sync.Mutex
	var all sync.WaitGroup
	found := map[string]seen{}
	result := Result{Unhealthy: map[string]string{}}
	pools := map[string]bool{} // that a region has
	for region, list := range regions {
		all.Go(func() {
			limited, cancel := context.WithTimeout(ctx, c.Timeout)
			defer cancel()
			var of map[string]seen
			var there, warnings []string
			if len(c.Pools) > 0 {
				of, there, warnings = c.monitored(limited, region, list)
			} else {
				of = c.ask(limited, list)
			}
			mutex.Lock()
			defer mutex.Unlock()
			maps.Copy(found, of)
			for _, pool := range there {
				pools[pool] = true
			}
			result.Warnings = append(result.Warnings, warnings...)
		})
	}
	all.Wait()
	for _, pool := range c.Pools {
		if len(nodes) > 0 && !pools[pool] && len(result.Warnings) == 0 {
			result.Warnings = append(
				result.Warnings,
				fmt.Sprintf("No region of the nodes has the pool %s: correct pool_ids.", text.Clean(pool)),
			)
		}
	}
	result.Warnings = append(result.Warnings, missingWay(nodes, regions, found)...)
	for id, s := range found {
		if s.known && s.failure != nil {
			result.Unhealthy[id] = s.failure.Text
		}
	}
	slices.Sort(result.Warnings)
	return result
}

// missingWay forgets what was seen of nodes that cannot be reached from here, and
// returns a warning for them.
func missingWay(nodes []Node, regions map[string][]Node, found map[string]seen) (warnings []string) {
	blind := func(list []Node, least int) (cause string, n int) {
		for _, node := range list {
			s := found[node.ID]
			switch {
			case !s.known:
				continue
			case s.failure == nil || s.failure.Network == "" || (cause != "" && s.failure.Network != cause):
				return "", 0
			}
			cause = s.failure.Network
			n++
		}
		if n < least {
			return "", 0
		}
		return cause, n
	}
	forget := func(list []Node, where, cause string, n int) {
		for _, node := range list {
			delete(found, node.ID)
		}
		warnings = append(
			warnings,
			fmt.Sprintf(
				"All %d nodes%s that were asked failed with the same error of the network (%s). That looks like a "+
					"plan from a place without a way to them, "+
					"so none of them counts as unhealthy. Plan from where they can be reached, or correct the port "+
					"or the address.",
				n,
				where,
				text.Clean(cause),
			),
		)
	}
	if cause, n := blind(nodes, 1); n > 0 {
		forget(nodes, "", cause, n)
		return warnings
	}
	for region, list := range regions {
		if cause, n := blind(list, 2); n > 0 {
			forget(list, " of the region "+text.Clean(region), cause, n)
		}
	}
	return warnings
}

// ask asks the nodes of a region themselves: all of them, and a moment later those
// that failed. What is not done when the context ends is not known.
func (c Check) ask(ctx context.Context, nodes []Node) map[string]seen {
	found := c.tries(ctx, nodes)
	var again []Node
	for _, n := range nodes {
		if s := found[n.ID]; s.failure != nil {
			again = append(again, n)
			delete(found, n.ID) // until it failed twice
		}
	}
	if len(again) > 0 && wait.For(ctx, min(longest, c.Timeout/fraction)) == nil {
		maps.Copy(found, c.tries(ctx, again))
	}
	return found
}

// tries asks each node once. A try takes at most two fifths of the timeout, so that
// two of them and the pause fit into it.
func (c Check) tries(ctx context.Context, nodes []Node) map[string]seen {
	list := make([]seen, len(nodes))
	slots := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, n := range nodes {
		if len(n.Addresses) == 0 {
			continue // Nova shows none: nothing is known
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			defer func() { <-slots }()
			limited, cancel := context.WithTimeout(ctx, c.Timeout*2/5)
			defer cancel()
			var failure *probe.Failure
			if c.TCP != nil {
				failure = c.TCP.Look(limited, n.Addresses[0])
			} else {
				failure = c.HTTP.Look(limited, n.Name, n.Addresses[0])
			}
			list[i] = seen{known: ctx.Err() == nil, failure: failure}
		})
	}
	all.Wait()
	found := map[string]seen{}
	for i, n := range nodes {
		if list[i].known {
			found[n.ID] = list[i]
		}
	}
	return found
}

// monitored looks at what the monitors of the pools say. Each pool is one request; one
// with a member in ERROR is listed once more, a moment later.
func (c Check) monitored(
	ctx context.Context,
	region string,
	nodes []Node,
) (found map[string]seen, there, warnings []string) {
	found = map[string]seen{}
	for _, pool := range c.Pools {
		members, err := c.Members(ctx, region, pool)
		if sick(members) && err == nil && wait.For(ctx, min(longest, c.Timeout/fraction)) == nil {
			var second []openstack.Member
			if second, err = c.Members(ctx, region, pool); err == nil {
				members = both(members, second)
			}
		}
		switch {
		case err != nil:
			warnings = append(
				warnings,
				fmt.Sprintf(
					"The health of the nodes of the region %s is not known: %s.",
					text.Clean(region),
					text.Clean(text.Cut(err.Error(), 500)),
				),
			)
			continue
		case members == nil:
			continue
		}
		there = append(there, pool)
		unwatched := func(m openstack.Member) bool { return m.Operating == openstack.MemberUnwatched }
		if slices.ContainsFunc(members, unwatched) {
			warnings = append(
				warnings,
				fmt.Sprintf(
					"The pool %s of the region %s has no health monitor (NO_MONITOR), so the health of its members "+
						"is not known. Add an openstack_lb_monitor_v2.",
					text.Clean(pool),
					text.Clean(region),
				),
			)
		}
		for _, n := range nodes {
			for _, m := range openstack.MembersOf(members, n.Addresses, n.Name) {
				switch {
				case m.Operating == openstack.MemberError:
					found[n.ID] = seen{
						true,
						&probe.Failure{
							Text: fmt.Sprintf(
								"its member %s of the pool %s is in ERROR for Octavia",
								strings.TrimSpace(m.Name+" "+m.ID),
								pool,
							),
						},
					}
				case m.Operating == openstack.MemberOnline && !found[n.ID].known:
					found[n.ID] = seen{known: true}
				}
			}
		}
	}
	return found, there, warnings
}

func sick(members []openstack.Member) bool {
	return slices.ContainsFunc(members, func(m openstack.Member) bool { return m.Operating == openstack.MemberError })
}

// both returns the members of the second look. One of them is in ERROR only if it was
// so in both.
func both(first, second []openstack.Member) []openstack.Member {
	before := map[string]string{}
	for _, m := range first {
		before[m.ID] = m.Operating
	}
	for i, m := range second {
		if m.Operating == openstack.MemberError && before[m.ID] != openstack.MemberError {
			second[i].Operating = "" // not known
		}
	}
	return second
}
