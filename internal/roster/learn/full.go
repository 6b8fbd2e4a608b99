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

// A place in which Nova found no host is full for a while, so that a node that went
// elsewhere for it is not moved back at once, and no other is sent there to fail. Only
// Nova knows when there is room again, so it is asked again after that time, and at once
// where nodes would otherwise find no room at all.
//
// Nova finds no host either where the rule of a server group leaves none, and says so in the same
// words. Where each host of the place that is known has a server of the group, only the nodes of
// that group wait.

// tellFull works out the full places: those of before and those of servers that found no host,
// as far as that is not too long ago by the clock of the cloud. Without a clock there are
// none, and what lies as far ahead was noted by another clock: so none is full for ever.
func tellFull(s *roster.Seen, r roster.Roster, policy roster.Policy) {
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

// groupIn lists the nodes of a place whose servers are in the group of one that found no host. It
// is nil where the group is not why: without a group, where a host that is known has no server of
// it, and where none is known.
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
