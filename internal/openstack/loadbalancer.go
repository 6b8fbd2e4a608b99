package openstack

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Member is a member of a pool: an address to which the load balancer sends connections.
type Member struct {
	ID        Text `json:"id"`
	Name      Text `json:"name"`
	Address   Text `json:"address"`
	Operating Text `json:"operating_status"` // result of the pool's health monitor
}

// Operating statuses of a member.
const (
	MemberOnline    = "ONLINE"     // the member answers the health monitor
	MemberError     = "ERROR"      // the member does not answer
	MemberUnwatched = "NO_MONITOR" // the pool has no health monitor
)

// MembersOf returns the members of a node: the members at an address of its server or, if Nova shows no
// address of the server, the members with the node's name. Two servers may have one name for a while, so an
// address counts more.
func MembersOf(members []Member, addresses []string, name string) []Member {
	own := map[netip.Addr]bool{}
	for _, address := range addresses {
		if ip, err := netip.ParseAddr(address); err == nil {
			own[ip.Unmap()] = true
		}
	}
	var list []Member
	for _, m := range members {
		ip, err := netip.ParseAddr(string(m.Address))
		if (err == nil && own[ip.Unmap()]) || (len(own) == 0 && name != "" && string(m.Name) == name) {
			list = append(list, m)
		}
	}
	return list
}

// Members lists the members of a pool, sorted by id. The error has the code 404 if the pool does not exist, and is a
// [*NoEndpointError] in a region without Octavia.
func (c *Cloud) Members(ctx context.Context, region, pool string) (members []Member, err error) {
	client, err := c.client(ctx, region, openstack.NewLoadBalancerV2)
	if err != nil {
		return nil, fmt.Errorf("the load balancer service (Octavia) was not found: %w", err)
	}
	restart := func() { members = []Member{} }
	err = items(ctx, client, "lbaas/pools/"+pool+"/members", "members", restart, func(m Member) Text {
		members = append(members, m)
		return m.ID
	})
	if err != nil {
		what := "list the members"
		if gophercloud.ResponseCodeIs(err, http.StatusForbidden) {
			what += " (by default Octavia asks for the role load-balancer_member)"
		}
		return nil, fmt.Errorf("region %s, pool %s: %s: %w", region, text.Clean(pool), what, err)
	}
	slices.SortFunc(members, func(a, b Member) int { return cmp.Compare(a.ID, b.ID) })
	return members, nil
}
