package learn

import (
	"cmp"
	"maps"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// A place in which Nova found no host is full for a while, so that a node that was placed
// elsewhere is not moved back at once, and no other node is placed there and fails. Only
// Nova knows when there is room again, so it is asked again after that time, or at once if
// nodes would otherwise find no room at all.

// fullPlaces returns the places that were full before and the places of servers without a host,
// unless that is longer ago than RetryFullAfter by the clock of the cloud. Without a clock, and
// for a time that lies as far in the future, which another clock set, no place is full: so no
// place is full for ever.
func fullPlaces(s roster.Seen, r roster.Roster, policy roster.Policy) map[placement.Place]time.Time {
	full := map[placement.Place]time.Time{}
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
			full[at] = latest(full[at], server.CreatedAt)
		}
	}
	maps.DeleteFunc(full, func(at placement.Place, since time.Time) bool {
		clock := cmp.Or(now[at.Region], last)
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
