package learn

import (
	"cmp"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// Tell works out the facts of time of the nodes, each by the clock of the cloud's
// answer in which its server was seen.
func Tell(s *roster.Seen, r roster.Roster, policy roster.Policy) {
	s.Aged, s.Baking, s.Early = map[string]roster.Aged{}, map[string]bool{}, map[string]bool{}
	tellFull(s, r, policy)
	u := policy.Update
	if u == nil {
		return
	}
	for _, name := range slices.Concat(r.Names(), r.LeavingNames()) {
		n, _ := r.Known(name)
		server, there := s.Servers[name]
		if !there || server.SeenAt.IsZero() {
			continue
		}
		launched := launched(server)
		limit := u.MaxAge + Share10(server.ID, u.MaxAge)
		if u.MaxAge > 0 && !launched.IsZero() && server.SeenAt.Sub(launched) > limit {
			s.Aged[name] = roster.Aged{Mark: n.Mark, Launched: launched}
		}
		since := launched
		if policy.RequireMarks {
			since = server.InServiceAt
		}
		ran := server.SeenAt.Sub(since) // below 0 where the time is ahead of the clock, and so is no time
		known := !since.IsZero() && ran >= 0
		switch facts.ConditionOf(name, n, *s, policy) {
		case facts.Serving:
			s.Baking[name] = known && ran < u.Pause
		case facts.Broken, facts.Unwell:
			s.Early[name] = known && ran < cmp.Or(u.RevertAfter, time.Hour)
		}
	}
	no := func(_ string, is bool) bool { return !is }
	maps.DeleteFunc(s.Baking, no)
	maps.DeleteFunc(s.Early, no)
}

// launched is when a server was made from what it is now: a rebuild and a resize
// renew it.
func launched(server node.Node) time.Time {
	if server.LaunchedAt.IsZero() {
		return server.CreatedAt
	}
	return server.LaunchedAt
}

// Share10 is a fixed part of a tenth of a duration, so that servers of one age are
// not all too old at once.
func Share10(id string, of time.Duration) time.Duration {
	h := fnv.New32a()
	h.Write([]byte(id))
	return of / 10_000 * time.Duration(h.Sum32()%1000)
}
