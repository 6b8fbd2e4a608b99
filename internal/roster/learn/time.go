package learn

import (
	"cmp"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// NoteTimes notes which places are full, and which servers are too old, must be in service for longer, or broke early.
// The clock is the one of the cloud's answer that had the server. Now is this machine's, by which full places are tried
// again where no server is left.
func NoteTimes(s *roster.Seen, r roster.Roster, policy roster.Policy, now time.Time) {
	s.Aged, s.Baking, s.Early = map[string]roster.Aged{}, map[string]bool{}, map[string]bool{}
	noteFull(s, r, policy, now)
	u := policy.Update
	if u == nil {
		return
	}
	for name, server := range s.Servers {
		n, there := r.Known(name)
		if !there || server.SeenAt.IsZero() {
			continue
		}
		launched := launched(server)
		limit := u.MaxAge + Share10(server.ID, u.MaxAge)
		if u.MaxAge > 0 && !launched.IsZero() && server.SeenAt.Sub(launched) > limit {
			s.Aged[name] = roster.Aged{Mark: n.Mark, Launched: launched}
		}
		ran, known := inServiceFor(server, policy)
		switch is := facts.FactOf(name, n, r, *s, policy).Is; {
		case !known:
		case is == facts.Serving && ran < u.Pause:
			s.Baking[name] = true
		case is != facts.Serving && ran < time.Hour:
			s.Early[name] = true
		}
	}
}

// inServiceFor returns how long a server had been in service when it was seen, and whether that
// is known: it is not if the time of its mark is ahead of the cloud's clock.
func inServiceFor(server node.Node, policy roster.Policy) (ran time.Duration, known bool) {
	since := launched(server)
	if policy.RequireMarks {
		since = server.InServiceAt
	}
	ran = server.SeenAt.Sub(since)
	return ran, !since.IsZero() && ran >= 0
}

// launched returns when a server got its current image and flavor: a rebuild and a resize renew the time.
func launched(server node.Node) time.Time { return cmp.Or(server.LaunchedAt, server.CreatedAt) }

// Share10 returns between 0 and a tenth of a duration, always the same for an id, so that
// servers of one age are not all too old at once.
func Share10(id string, of time.Duration) time.Duration {
	h := fnv.New32a()
	h.Write([]byte(id))
	return of / 10_000 * time.Duration(h.Sum32()%1000)
}

// noteFull works out what is full: the flavors and places that were full before, and the spots of servers that found no
// host or were refused, unless that is longer ago than an hour by the clock of the cloud, or lies as far
// in the future, because another clock set it: so nothing is full for ever.
//
// So a node that was placed elsewhere is not moved back at once, and no other node is placed there and fails. Only Nova
// knows when there is room again, so it is asked again after that time.
func noteFull(s *roster.Seen, r roster.Roster, policy roster.Policy, now time.Time) {
	before := s.Full
	s.Full = map[roster.Spot]time.Time{}
	if policy.Update == nil {
		return
	}
	maps.Copy(s.Full, before)
	last := map[string]time.Time{} // answers by region; "" has the last of all
	for name, server := range s.Servers {
		n, _ := r.Known(name)
		last[n.Region], last[""] = latest(last[n.Region], server.SeenAt), latest(last[""], server.SeenAt)
	}
	clock := func(region string) time.Time { return cmp.Or(last[region], last[""], now) }
	for name := range s.Servers {
		n, there := r.Known(name)
		at := placement.Choice(policy.Regions, n.Place)
		placed := at.Zone != "" || !placement.Zoned(policy.Regions, at.Region)
		for _, server := range s.There(name) {
			if there && placed && !server.CreatedAt.IsZero() && facts.NoHost(server) {
				spot := roster.Spot{Place: at, Flavor: n.Flavor}
				s.Full[spot] = latest(s.Full[spot], server.CreatedAt)
			}
		}
	}
	maps.DeleteFunc(s.Full, func(spot roster.Spot, since time.Time) bool {
		return clock(spot.Region).Sub(since).Abs() >= roster.FullFor
	})
}

func latest(a, b time.Time) time.Time { return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare) }
