package roster

import (
	"cmp"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
)

// A plan knows no time. A look at the cloud turns times into facts that change once
// and then stay: this node is too old, that one has not been in service for long
// enough. A time itself would be another one with each look, and make every saved plan
// stale.

// Aged is a node that was too old when it was seen.
type Aged struct {
	Mark     Mark      `json:"mark"` // of the node then: a node that was changed since gets another server
	Launched time.Time `json:"launched"`
}

// Tell works out the facts of time of the nodes, each by the clock of the cloud's
// answer in which its server was seen.
func Tell(s *Seen, r Roster, policy Policy) {
	s.Aged, s.Baking, s.Early = map[string]Aged{}, map[string]bool{}, map[string]bool{}
	s.Full = fullPlaces(*s, r, policy)
	u := policy.Update
	if u == nil {
		return
	}
	for _, name := range slices.Concat(r.Names(), r.LeavingNames()) {
		n, _ := r.known(name)
		server, there := s.Servers[name]
		if !there || server.SeenAt.IsZero() {
			continue
		}
		launched := launched(server)
		limit := u.MaxAge + share10(server.ID, u.MaxAge)
		if u.MaxAge > 0 && !launched.IsZero() && server.SeenAt.Sub(launched) > limit {
			s.Aged[name] = Aged{n.Mark, launched}
		}
		since := launched
		if policy.RequireMarks {
			since = server.InServiceAt
		}
		ran := server.SeenAt.Sub(since) // below 0 where the time is ahead of the clock, and so is no time
		known := !since.IsZero() && ran >= 0
		switch conditionOf(name, n, *s, policy) {
		case Serving:
			s.Baking[name] = known && ran < u.Pause
		case Broken, Unwell:
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

// share10 is a fixed part of a tenth of a duration, so that servers of one age are
// not all too old at once.
func share10(id string, of time.Duration) time.Duration {
	h := fnv.New32a()
	h.Write([]byte(id))
	return of / 10_000 * time.Duration(h.Sum32()%1000)
}
