package fakecloud

import (
	"cmp"
	"fmt"
	"slices"
)

const noValidHost = "No valid host was found. "

// choose returns the host that suits an order best: the host with the fewest servers among those that its zone and
// its group allow, or the first of several.
func (r *region) choose(o *order) (*host, string) {
	if o.forced {
		for _, h := range r.hosts {
			if o.host == h.name {
				return h, ""
			}
		}
		return nil, fmt.Sprintf("%sNo such host - host: %s node: None ", noValidHost, o.host)
	}
	members := map[*host]int{}
	if o.group != nil {
		for _, s := range o.group.alive() {
			if s != o.moved {
				members[s.host]++
			}
		}
	}
	delete(members, nil)
	var fit []*host
	for _, h := range r.hosts {
		usable := !h.down && !h.disabled && !h.cellDown() && h != o.avoid
		wanted := (o.zone == "" || o.zone == h.zone.name) && (o.host == "" || o.host == h.name)
		sold := o.flavor != nil && r.sold[[2]string{h.zone.name, o.flavor.ID}]
		if usable && wanted && !sold && o.group.allows(members, h) {
			fit = append(fit, h)
		}
	}
	if len(fit) == 0 {
		return nil, noValidHost + "There are not enough hosts available."
	}
	return slices.MinFunc(fit, func(a, b *host) int {
		weight := 0
		if o.group != nil && o.group.Policy == "soft-affinity" {
			weight = cmp.Compare(members[b], members[a])
		} else if o.group != nil {
			weight = cmp.Compare(members[a], members[b])
		}
		return cmp.Or(weight, cmp.Compare(a.servers, b.servers))
	}), ""
}

// SellOut leaves the hosts of a zone no room for servers of a flavor, or gives it back.
func (c *Cloud) SellOut(regionName, zone, flavor string, is bool) {
	c.change(regionName, func(r *region) {
		c.mustFlavor(flavor)
		r.sold[[2]string{zone, flavor}] = is
	})
}

// allows reports whether the policy of a group lets a host have one more member.
func (g *group) allows(members map[*host]int, h *host) bool {
	switch {
	case g == nil:
		return true
	case g.Policy == "affinity":
		return len(members) == 0 || members[h] > 0
	case g.Policy == "anti-affinity":
		return members[h] < max(1, g.MaxServerPerHost)
	}
	return true // the soft policies are only preferences
}
