package roster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// A place in which Nova found no host is full for a while, so that a node that went
// elsewhere for it is not moved back at once, and no other is sent there to fail. Only
// Nova knows when there is room again, so it is asked again after that time, and at once
// where nodes would otherwise find no room at all.

// The titles of what full places do.
const (
	FullPlaces Title = "Places are full"
	FullTried  Title = "Full places are tried again"
)

// tellFull are the full places: those of before and those of servers that found no host,
// as far as that is not too long ago by the clock of the cloud. Without a clock there are
// none, and what lies as far ahead was noted by another clock: so none is full for ever.
func (s *Seen) tellFull(r Roster, policy Policy) map[placement.Place]time.Time {
	full := map[placement.Place]time.Time{}
	if policy.Update == nil || policy.Update.RetryFullAfter <= 0 {
		return full
	}
	now, last := map[string]time.Time{}, time.Time{}
	maps.Copy(full, s.Full)
	for name, server := range s.Servers {
		n, there := r.known(name)
		if !there {
			continue
		}
		now[n.Region] = latest(now[n.Region], server.SeenAt)
		last = latest(last, server.SeenAt)
		at, none := homeless(n, server, policy.Regions)
		if none && !server.CreatedAt.IsZero() && (at.Zone != "" || !zoned(policy.Regions, at.Region)) {
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

// full lists the places that are full, in order.
func (s Seen) full(policy Policy) []placement.Place {
	if policy.Update == nil || policy.Update.RetryFullAfter <= 0 {
		return nil
	}
	return slices.SortedFunc(maps.Keys(s.Full), placement.Place.Compare)
}

// tellOfFull says which listed places are full or, where nodes find no other room, tried
// again.
func (s Seen) tellOfFull(tried bool, policy Policy) []Notice {
	var places []string
	for _, at := range s.full(policy) {
		if lists(policy.Regions, at) {
			places = append(places, fmt.Sprintf("%s (%s)", at, s.Full[at].UTC().Format("2006-01-02 15:04:05 UTC")))
		}
	}
	const room = "Make room there, or raise the quotas or aggregates that leave it none"
	switch {
	case tried:
		return []Notice{notice(FullTried, "Nova found no host a short time ago, and no other place has room for all "+
			"nodes that this plan adds. So full places count as open in this plan. %s, or list another place.", room)}
	case len(places) > 0:
		return []Notice{notice(FullPlaces, "Nova found no host for servers made there: %s. For %s from then on "+
			"(retry_full_after) no node is placed there, and none is moved there, unless no other place has room. "+
			"%s; to try again at once set retry_full_after = \"0s\".",
			text.Few(places), duration.Format(policy.Update.RetryFullAfter), room)}
	}
	return nil
}
