package learn

import (
	"cmp"
	"maps"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// Once Nova found no host for a flavor in a place, it is full there for a while. So a node that was
// placed elsewhere is not moved back at once, and no other node is placed there and fails. Only
// Nova knows when there is room again, so it is asked again after that time, or at once if
// nodes would otherwise find no room at all.

// fullSpots returns what was full before, and the flavors and places of servers without a host,
// unless that is longer ago than RetryFullAfter by the clock of the cloud. Without a clock, and
// for a time that lies as far in the future, which another clock set, nothing is full: so
// nothing is full for ever.
func fullSpots(s roster.Seen, r roster.Roster, policy roster.Policy) map[roster.Spot]time.Time {
	full := map[roster.Spot]time.Time{}
	if policy.Update == nil || policy.Update.RetryFullAfter <= 0 {
		return full
	}
	now, last := map[string]time.Time{}, time.Time{}
	maps.Copy(full, s.Full)
	for name, server := range s.Servers {
		n, there := r.Known(name)
		if !there {
			continue
		}
		now[n.Region] = latest(now[n.Region], server.SeenAt)
		last = latest(last, server.SeenAt)
		at, none := facts.Homeless(n, server, policy.Regions)
		if none && !server.CreatedAt.IsZero() && (at.Zone != "" || !roster.Zoned(policy.Regions, at.Region)) {
			spot := roster.Spot{Place: at, Flavor: n.Flavor}
			full[spot] = latest(full[spot], server.CreatedAt)
		}
	}
	maps.DeleteFunc(full, func(spot roster.Spot, since time.Time) bool {
		clock := cmp.Or(now[spot.Region], last)
		return clock.Sub(since).Abs() >= policy.Update.RetryFullAfter
	})
	return full
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
