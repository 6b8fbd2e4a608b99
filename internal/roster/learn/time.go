package learn

import (
	"hash/fnv"
	"maps"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// NoteTimes notes which places are full, and which servers are too old, must be in service for
// longer, or broke early. The clock is the one of the cloud's answer that had the server. Now is another clock, by which
// full places are tried again where no server is left.
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
		switch facts.FactOf(name, n, r, *s, policy).Is {
		case facts.Serving:
			s.Baking[name] = known && ran < u.Pause
		case facts.Broken, facts.Unwell:
			s.Early[name] = known && ran < time.Hour
		}
	}
	no := func(_ string, is bool) bool { return !is }
	maps.DeleteFunc(s.Baking, no)
	maps.DeleteFunc(s.Early, no)
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

// launched returns when a server got its current image and flavor: a rebuild and a resize
// renew the time.
func launched(server node.Node) time.Time {
	if server.LaunchedAt.IsZero() {
		return server.CreatedAt
	}
	return server.LaunchedAt
}

// Share10 returns between 0 and a tenth of a duration, always the same for an id, so that
// servers of one age are not all too old at once.
func Share10(id string, of time.Duration) time.Duration {
	h := fnv.New32a()
	h.Write([]byte(id))
	return of / 10_000 * time.Duration(h.Sum32()%1000)
}
