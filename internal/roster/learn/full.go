package learn

import (
	"cmp"
	"maps"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// A flavor in a place in which Nova found no host is full for a while, so that a node that went
// elsewhere for it is not moved back at once, and no other is sent there to fail. Only
// Nova knows when there is room again, so it is asked again after that time, and at once
// where nodes would otherwise find no room at all.

// fullSpots are what is full: those of before and those of servers that found no host,
// as far as that is not too long ago by the clock of the cloud. Without a clock there are
// none, and what lies as far ahead was noted by another clock: so none is full for ever.
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
