package say

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

func notice(title roster.Title, format string, args ...any) roster.Notice {
	return roster.Notice{Title: title, Text: fmt.Sprintf(format, args...)}
}

// Notices returns what a person should know about a plan.
func (p *speech) Notices() []roster.Notice {
	return slices.Concat(
		p.firstTemplateNotices(),
		p.nameNotices(),
		p.leavingNotices(),
		belowMin(p.All.Counts(), p.Next.Counts(), p.Policy),
		p.revertedNotices(),
		p.fullNotices(),
		p.heldNotices(),
		p.slotsWait(),
	)
}

// firstTemplateNotices are about a first template and existing nodes.
func (p *speech) firstTemplateNotices() (notices []roster.Notice) {
	if len(p.First) > 0 {
		notices = append(notices, notice(hold.FirstTemplate, "%s had no template until now: %s. The template must be "+
			"what they were made from. If it differs, all their servers change at once in this apply, and do not "+
			"count as in service until they are found in service again.",
			text.Nodes(int64(len(p.First))),
			text.Few(p.First)))
	}
	if len(p.Other) > 0 {
		notices = append(notices, notice(hold.OtherMarks, "The marks of %s are of another template than this one: %s. "+
			"That template is not known here, so theirs is empty until update replaces them. Remove the attachment "+
			"from the state, and import it again with their template in the import id, such as "+
			"{\"cluster\": \"web\", \"templates\": [{\"image\": \"the old image\"}]}: the hash in each mark shows "+
			"which node has which template.", text.Nodes(int64(len(p.Other))), text.Few(p.Other)))
	}
	return notices
}

// nameNotices are about listed names that belong to no node, and about names that new nodes do
// not get.
func (p *speech) nameNotices() (notices []roster.Notice) {
	say := func(names []string, title roster.Title, format string) {
		if len(names) > 0 {
			notices = append(notices, notice(title, format, text.Few(names)))
		}
	}
	var taken []string
	for _, f := range p.Named.Taken {
		taken = append(taken, f.Name)
	}
	say(p.NoSlots, hold.UnknownSlot, "There is no slot %s: an earlier apply released it, or it never existed. No new "+
		"slot gets a name that is listed. Remove it from release.")
	for _, name := range p.Named.Unknown {
		say([]string{name}, hold.UnknownCandidate, "No node has the name, or a server with the id, %q, so nothing is "+
			"removed for it. Remove it from the list of candidates, or correct it.")
	}
	say(taken, hold.CandidatesTaken, "An import does not know whether these candidates were already made again: %s. "+
		"They are not made again now. To make them again, remove them from candidates, apply, and name them once more.")
	say(p.ProtectsNobody(), hold.UnknownProtected, "deletion.protected lists entries that are neither the name of a "+
		"node nor the id of its server: %s. Correct them, or remove them from the list.")
	say(p.Passed, hold.NamesTaken, "Servers that this state does not know have names which new nodes would get: %s. "+
		"The new nodes get other names. If an older state was restored, restore the newest one before you apply. If "+
		"an apply was killed before it stored those servers, delete them. If they do not belong to this cluster, "+
		"choose another node_name_pattern, or a selector that leaves them out.")
	return notices
}

// heldNotices are about the holds of an update.
func (p *speech) heldNotices() (notices []roster.Notice) {
	for _, row := range hold.All {
		list := p.List.Held(row.Hold)
		untold := row.Title == hold.ProtectedOutdated && len(p.kept()) == 0 || row.Title == hold.PlacesClosed &&
			p.Taken > 0
		if row.Title != "" && len(list) > 0 && !untold {
			notices = append(notices, roster.Notice{Title: row.Title, Text: capital(p.fill(row.Notice, list...))})
		}
		if row.Hold == hold.HeldBegins && len(list) > 0 {
			return notices
		}
	}
	return slices.Concat(notices, p.notRemadeNotices(), p.waitNotices())
}

// notRemadeNotices are about servers that should have been made again.
func (p *speech) notRemadeNotices() (notices []roster.Notice) {
	if list := p.notRemade(); len(list) > 0 {
		notices = append(notices, notice(hold.NotFollowed, "The servers of %s should have been made again, but are "+
			"still the old ones: %s. Terraform does not know that the server depends on the generation of its node. "+
			"Give it replace_triggered_by = [terraform_data.generation[each.key]], with each.value.generation as "+
			"input, and apply; then name the nodes in candidates.", text.Nodes(int64(len(list))), text.Few(list)))
	}
	return notices
}

// waitNotices are about the nodes that the next batch waits for.
func (p *speech) waitNotices() (notices []roster.Notice) {
	if w := p.waits(p.Remaining); len(p.List.Held(hold.HeldWaits, hold.HeldBatch)) > 0 && len(w.names) > 0 &&
		p.Taken < p.Size {
		notices = append(notices, notice(hold.BatchWaits, "%s more should be replaced, at most %d at a time. This "+
			"batch waits for %s: %s. %s", text.Nodes(p.Remaining), p.Size, text.Nodes(int64(len(w.names))),
			text.Few(w.list()), w.advice(p.Policy)))
	}
	return notices
}

// leavingNotices are about the nodes that a shrink removes.
func (p *speech) leavingNotices() (notices []roster.Notice) {
	var unseen, closed []string
	for name, v := range p.Verdicts {
		if v.Want.What != decide.Surplus || v.Outcome != decide.Leaves {
			continue
		}
		if !v.Want.Looked {
			unseen = append(unseen, name)
		}
		if v.Want.Closed {
			closed = append(closed, name)
		}
	}
	if len(unseen) > 0 {
		notices = append(notices, notice(hold.UnseenChosen,
			"%s would be removed, although no refresh has looked for servers since the last apply made them: %s. "+
				"Refresh first, so that the choice is based on the servers that run.",
			text.Nodes(int64(len(unseen))), text.Few(p.All.ByIndex(unseen))))
	}
	if len(closed) > 0 {
		notices = append(notices, notice(hold.ClosedChosen,
			"No open place can lose a node, so nodes of closed places leave: %s. Nova must answer there to destroy "+
				"their servers. To keep these nodes, raise desired_capacity.",
			text.Few(p.All.Located(p.All.ByIndex(closed)))))
	}
	return notices
}

// belowMin returns notices about the places that a plan takes below their mins.
func belowMin(before, after placement.Counts, policy roster.Policy) (notices []roster.Notice) {
	had := map[placement.Row]int64{}
	key := func(r placement.Row) placement.Row { return placement.Row{Place: r.Place, IsZone: r.IsZone} }
	for _, row := range placement.NewBoard(policy.Regions, before).Rows() {
		had[key(row)] = row.Bin.Current
	}
	for _, row := range placement.NewBoard(policy.Regions, after).Rows() {
		if n := row.Bin.Current; n < row.Bin.Min && n < had[key(row)] {
			notices = append(notices, notice(hold.BelowMin, "%s keeps %s, below its min of %d: the nodes that leave "+
				"were not in service, or are named in candidates. New nodes are placed there first.",
				row.Place, text.Nodes(n), row.Bin.Min))
		}
	}
	return notices
}

// kept lists the protected outdated nodes, each with its reason, if the update cannot reach its
// target without them.
func (p *speech) kept() (names []string) {
	for _, name := range p.Left.Names() {
		if v := p.Verdicts[name]; v.Hold == hold.HeldProtected && v.Cause == roster.Outdated {
			names = append(names, name+" "+v.Want.Protected)
		}
	}
	if int64(len(names)) <= p.Policy.Capacity-min(p.Rollout.Target, p.Policy.Capacity) {
		return nil
	}
	return names
}

// notRemade names the nodes whose servers should have been made again, and were not.
func (p *speech) notRemade() (names []string) {
	for _, name := range p.Left.Names() {
		if v := p.Verdicts[name]; p.Left[name].NotRemade && v.Outcome != decide.Changes {
			names = append(names, name)
		}
	}
	return names
}

// fullNotices are about flavors and listed places that are full, or that are tried again because
// nodes find no other room.
func (p *speech) fullNotices() []roster.Notice {
	full, what := p.seen.FullSpots(p.Policy), "is placed or moved there, unless no other place has room"
	var spots []string
	for _, spot := range slices.SortedFunc(maps.Keys(full), roster.Spot.Compare) {
		if roster.Lists(p.Policy.Regions, spot.Place) {
			group := ""
			if len(p.seen.Apart[spot.Place]) > 0 {
				group = ", for a server group: only its nodes wait"
			}
			since := p.seen.Full[spot].UTC().Format("2006-01-02 15:04:05 UTC")
			spots = append(spots, fmt.Sprintf("%s (%s%s)", spot, since, group))
		}
	}
	if len(p.Policy.Flavors) > 0 {
		what = "gets such a flavor there, unless no other place or flavor has room"
	}
	const room = "Make room there, or raise the quotas or extend the aggregates that leave no room"
	switch {
	case p.Again:
		return []roster.Notice{notice(hold.FullTried, "Nova found no host a short time ago, and no other place has "+
			"room for all nodes that this plan adds. So full places count as open in this plan. %s, or list "+
			"another place.", room)}
	case len(spots) > 0:
		return []roster.Notice{notice(hold.FullPlaces, "Nova found no host for a server in these places: %s. For %s "+
			"from then on (retry_full_after) no node %s. %s; to try again at once set retry_full_after = \"0s\".",
			text.Few(spots), duration.Format(p.Policy.Update.RetryFullAfter), what, room)}
	}
	return nil
}

// slotsWait returns a notice about kept slots that stay unused although a plan makes new slots.
func (p *speech) slotsWait() []roster.Notice {
	if p.Policy.Stateful == nil || len(p.Fresh) == 0 {
		return nil
	}
	board := placement.NewBoard(p.Policy.Regions, p.Next.Counts())
	var wait []string
	for _, name := range p.Next.KeptSlots() {
		at, why := p.Next.Slots[name].Place, "the spread needs no node there"
		switch {
		case !roster.Lists(p.Policy.Regions, at):
			why = "it is not listed"
		case board.Closed(at):
			why = "it " + board.Why(at)
		case !board.Takes(at):
			why = "it takes no more nodes"
		}
		wait = append(wait, fmt.Sprintf("%s (%s: %s)", name, at, why))
	}
	if len(wait) == 0 {
		return nil
	}
	return []roster.Notice{notice(hold.SlotsWait, "The plan makes new slots (%s), although kept slots are unused: %s. "+
		"The next nodes in the places of the kept slots get them. Release a slot whose data is not needed any more.",
		text.Few(p.Fresh), text.Few(wait))}
}
