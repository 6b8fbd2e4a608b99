package learn

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// A place in which Nova found no host is full for a while, so that a node that was placed
// elsewhere is not moved back at once, and no other node is placed there and fails. Only
// Nova knows when there is room again, so it is asked again after that time, or at once if
// nodes would otherwise find no room at all.
//
// Nova also finds no host if the rule of a server group leaves none, and says so in the same
// words. If every known host of the place has a server of the group, only the nodes of that
// group wait.

// noteFull works out the full places: the places that were full before and the places of servers
// without a host, unless that is longer ago than RetryFullAfter by the clock of the cloud. Without
// a clock, and for a time that lies as far in the future, which another clock set, no place is
// full: so no place is full for ever.
func noteFull(s *roster.Seen, r roster.Roster, policy roster.Policy) {
	before, apart := s.Full, s.Apart
	s.Full, s.Apart = placement.By[time.Time]{}, placement.By[[]string]{}
	if policy.Update == nil || policy.Update.RetryFullAfter <= 0 {
		return
	}
	now, last := map[string]time.Time{}, time.Time{}
	groups := map[placement.Place][][]string{}
	maps.Copy(s.Full, before)
	for name, server := range s.Servers {
		n, there := r.Known(name)
		if !there {
			continue
		}
		now[n.Region] = latest(now[n.Region], server.SeenAt)
		last = latest(last, server.SeenAt)
		at, none := facts.Homeless(n, server, policy.Regions)
		if none && !server.CreatedAt.IsZero() && (at.Zone != "" || !roster.Zoned(policy.Regions, at.Region)) {
			s.Full[at] = latest(s.Full[at], server.CreatedAt)
			groups[at] = append(groups[at], groupIn(at, server.Group, *s, r, policy.Regions))
		}
	}
	maps.DeleteFunc(s.Full, func(at placement.Place, since time.Time) bool {
		clock := cmp.Or(now[at.Region], last)
		return clock.Sub(since).Abs() >= policy.Update.RetryFullAfter
	})
	for at := range s.Full {
		_, was := before[at]
		none := func(names []string) bool { return names == nil }
		if (!was || apart[at] != nil) && !slices.ContainsFunc(groups[at], none) {
			names := slices.Concat(append(groups[at], apart[at])...)
			slices.Sort(names)
			s.Apart[at] = slices.Compact(names)
		}
	}
}

// groupIn lists the nodes of a place whose servers are in the group of a server that found no
// host. It returns nil if the group is not the reason: without a group, if a known host has no
// server of it, and if no host is known.
func groupIn(
	at placement.Place, group *node.Group, s roster.Seen, r roster.Roster, listed []placement.Region,
) (names []string) {
	if group == nil {
		return nil
	}
	hosts := map[string]bool{} // whether it has a server of the group
	for name, server := range s.Servers {
		n, there := r.Known(name)
		if !there || facts.Counted(n, listed) != at {
			continue
		}
		member := slices.Contains(*group, server.ID)
		if member {
			names = append(names, name)
		}
		if server.HostID != "" {
			hosts[server.HostID] = hosts[server.HostID] || member
		}
	}
	if len(hosts) == 0 || slices.Contains(slices.Collect(maps.Values(hosts)), false) {
		return nil
	}
	return names
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
