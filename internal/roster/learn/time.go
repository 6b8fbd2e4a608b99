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

// NoteTimes notes which places are full, and which servers are too old, must be in service for
// longer, or broke early. The clock is the one of the cloud's answer that had the server. Now is another clock, by
// which full places are tried again where no server is left.
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

// Once Nova found no host for a flavor in a place, it is full there for a while. So a node that was
// placed elsewhere is not moved back at once, and no other node is placed there and fails. Only
// Nova knows when there is room again, so it is asked again after that time.
//
// Nova also finds no host if the rule of a server group leaves none, and says so in the same
// words. If every known host of the place has a server of the group, only the nodes of that
// group wait.

// noteFull works out what is full: the flavors and places that were full before, and the spots of
// servers that found no host or were refused, unless that is longer ago than an hour by the clock of the cloud, or lies
// as far in the future, because another clock set it: so nothing is full for ever.
func noteFull(s *roster.Seen, r roster.Roster, policy roster.Policy, now time.Time) {
	before := *s
	s.Full, s.GroupFull = map[roster.Spot]time.Time{}, placement.By[[]string]{}
	if policy.Update == nil {
		return
	}
	maps.Copy(s.Full, before.Full)
	clock, groups := clockOf(s.Servers, r, now), map[placement.Place][][]string{}
	note := func(n roster.Node, since time.Time, group []string, template string) {
		spot := roster.Spot{Place: placement.Choice(policy.Regions, n.Place), Flavor: n.Flavor, Template: template}
		s.Full[spot] = latest(s.Full[spot], since)
		groups[spot.Place] = append(groups[spot.Place], group)
	}
	for name, server := range s.Servers {
		n, there := r.Known(name)
		at := placement.Choice(policy.Regions, n.Place)
		placed := at.Zone != "" || !placement.Zoned(policy.Regions, at.Region)
		switch {
		case !there || !placed || server.CreatedAt.IsZero():
		case facts.NoHost(server):
			note(n, server.CreatedAt, groupIn(at, server.Group, *s, r, policy.Regions), "")
		case facts.Spent(name, n, *s, policy):
			note(n, server.CreatedAt, nil, n.Template.Hash())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Missing)) { // the first one counts for the next
		if n, there := r.Known(name); there && refused(n, *s, r, policy) {
			note(n, clock(n.Region), nil, "")
		}
	}
	maps.DeleteFunc(s.Full, func(spot roster.Spot, since time.Time) bool {
		return clock(spot.Region).Sub(since).Abs() >= roster.FullFor
	})
	s.GroupFull = groupFull(s.Full, before, groups)
}

// clockOf returns the clock of the cloud: the time of the last answer of a region or, if no server was found there, of
// any region. Where no server is left, because all failed twice, it is this machine's clock.
func clockOf(servers map[string]node.Node, r roster.Roster, now time.Time) func(region string) time.Time {
	last := map[string]time.Time{}
	for name, server := range servers {
		n, _ := r.Known(name)
		for _, region := range []string{n.Region, ""} {
			last[region] = latest(last[region], server.SeenAt)
		}
	}
	return func(region string) time.Time { return cmp.Or(last[region], last[""], now) }
}

// refused reports whether Nova refuses the server of a node (403): its flavor has no disk, and the server boots from
// no volume. Some clouds allow that, so a server of the flavor disproves it. Without another flavor nothing is full.
func refused(n roster.Node, s roster.Seen, r roster.Roster, policy roster.Policy) bool {
	at, full := placement.Choice(policy.Regions, n.Place), s.FullSpots(policy)
	full[roster.Spot{Place: at, Flavor: n.Flavor}] = true
	_, left := policy.FlavorOf(at, full)
	diskless := policy.Diskless[[2]string{n.Region, n.FlavorID}] && n.Template.Values()[roster.KeyBootVolume] == ""
	if n.Served || !left || !diskless {
		return false
	}
	for name := range s.Servers {
		if made, _ := r.Known(name); made.Region == n.Region && made.FlavorID == n.FlavorID {
			return false
		}
	}
	return true
}

// groupFull returns the full places that only server groups fill, with the nodes that wait there for a group. The group
// of each server that found no host must explain that. A place that was full before for another reason stays full.
func groupFull(
	full map[roster.Spot]time.Time, before roster.Seen, groups map[placement.Place][][]string,
) placement.By[[]string] {
	was, waiting := map[placement.Place]bool{}, placement.By[[]string]{}
	for spot := range before.Full {
		_, still := full[spot]
		was[spot.Place] = was[spot.Place] || still
	}
	for spot := range full {
		at, unexplained := spot.Place, func(group []string) bool { return group == nil }
		if was[at] && before.GroupFull[at] == nil || slices.ContainsFunc(groups[at], unexplained) {
			continue
		}
		names := slices.Concat(append(groups[at], before.GroupFull[at])...)
		slices.Sort(names)
		waiting[at] = slices.Compact(names)
	}
	return waiting
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
		if !there || placement.Choice(listed, n.Place) != at {
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

func latest(a, b time.Time) time.Time { return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare) }
