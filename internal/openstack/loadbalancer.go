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

// LoadBalancer is the Octavia of one region.
type LoadBalancer struct {
	Region string
	Client *gophercloud.ServiceClient
}

// LoadBalancer finds a region's Octavia in the catalogue. It makes no request other than the login.
func (c *Cloud) LoadBalancer(ctx context.Context, region string) (*LoadBalancer, error) {
	s, err := c.session(ctx)
	if err != nil {
		return nil, err
	}
	client, err := openstack.NewLoadBalancerV2(s.client, gophercloud.EndpointOpts{Region: region})
	if err != nil {
		return nil, fmt.Errorf("the load balancer service (Octavia) was not found: %w", err)
	}
	return &LoadBalancer{region, client}, nil
}

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

// Members lists the members of a pool, sorted by id. The error has the code 404 if the pool does not exist.
func (l *LoadBalancer) Members(ctx context.Context, pool string) (members []Member, err error) {
	restart := func() { members = []Member{} }
	err = items(ctx, l.Client, "lbaas/pools/"+pool+"/members", "members", restart, func(m Member) Text {
		members = append(members, m)
		return m.ID
	})
	if err != nil {
		return nil, l.failed(pool, err)
	}
	slices.SortFunc(members, func(a, b Member) int { return cmp.Compare(a.ID, b.ID) })
	return members, nil
}

func (l *LoadBalancer) failed(pool string, err error) error {
	what := "list the members"
	if gophercloud.ResponseCodeIs(err, http.StatusForbidden) {
		what += " (by default Octavia asks for the role load-balancer_member)"
	}
	return fmt.Errorf("region %s, pool %s: %s: %w", l.Region, text.Clean(pool), what, err)
}
