package say

import (
	"fmt"
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

// Tell says what a person should know about a plan.
func (p *speech) Tell() []roster.Notice {
	return slices.Concat(
		p.tellFirstTemplate(),
		p.tellNames(),
		p.tellLeaving(),
		belowMin(p.All.Counts(), p.Next.Counts(), p.Policy),
		p.tellReverted(),
		p.tellFull(),
		p.tellHeld(),
		p.slotsWait(),
	)
}

// tellFirstTemplate says what the first template means for nodes that are there.
func (p *speech) tellFirstTemplate() (notices []roster.Notice) {
	if len(p.First) > 0 {
		notices = append(notices, notice(hold.FirstTemplate, "%s from before there was a template: %s. The template "+
			"must "+
			"say what they were made from. Where it differs, the servers of all of them change at once in this "+
			"apply, and none of them counts as in service before it was found so again.",
			text.Nodes(int64(len(p.First))),
			text.Few(p.First)))
	}
	if len(p.Other) > 0 {
		notices = append(notices, notice(hold.OtherMarks, "%s: %s. They were made from another template than this "+
			"one, "+
			"and what was in it is not known here: their template is empty until update replaces them. Remove the "+
			"attachment from the state, and import it again with their template in the import id, such as "+
			"{\"cluster\": \"web\", \"templates\": [{\"image\": \"the former image\"}]}: the hash in each mark says "+
			"which node has which.", text.Nodes(int64(len(p.Other))), text.Few(p.Other)))
	}
	return notices
}

// tellNames says which names that are given are no node's, and which are not given to nodes.
func (p *speech) tellNames() (notices []roster.Notice) {
	say := func(names []string, title roster.Title, format string) {
		if len(names) > 0 {
			notices = append(notices, notice(title, format, text.Few(names)))
		}
	}
	var taken []string
	for _, f := range p.Named.Taken {
		taken = append(taken, f.Name)
	}
	say(p.NoSlots, hold.UnknownSlot, "There is no slot %s: an earlier apply released it, or it never was there. "+
		"While a name is "+
		"listed no new slot gets it. Take it off release.")
	for _, name := range p.Named.Unknown {
		say([]string{name}, hold.UnknownCandidate, "No node has the name, or a server with the id, %q: nothing is "+
			"removed for "+
			"it. Remove it from the list of candidates, or correct it.")
	}
	say(taken, hold.CandidatesTaken, "An import does not know whether these were made again before: %s. They are not "+
		"made again "+
		"now. To have that done, take them out of candidates, apply, and name them once more.")
	say(p.ProtectsNobody(), hold.UnknownProtected, "deletion.protected has what is neither the name of a node nor "+
		"the id of a "+
		"server of one: %s. Correct it, or remove it from the list.")
	say(p.Passed, hold.NamesTaken, "Servers that this state does not know have names which new nodes would get: %s. "+
		"Those nodes "+
		"get other names. If an older state was restored, restore the newest before you apply; if an apply was killed "+
		"before it stored them, delete those servers; if they are not this cluster's, choose another "+
		"node_name_pattern, or "+
		"a selector that leaves them out.")
	return notices
}

// tellHeld says why an update does less than it could.
func (p *speech) tellHeld() (notices []roster.Notice) {
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
	if list := p.former(); len(list) > 0 {
		notices = append(notices, notice(hold.NotFollowed, "The servers of %s should have been made again, and are "+
			"still the "+
			"former ones: %s. Terraform does not know that the server depends on the generation of its node: give it "+
			"replace_triggered_by = [terraform_data.generation[each.key]], with each.value.generation as input, and "+
			"apply; then name the nodes in candidates.", text.Nodes(int64(len(list))), text.Few(list)))
	}
	if w := p.waits(p.Remaining); len(p.List.Held(hold.HeldWaits, hold.HeldBatch)) > 0 && len(w.names) > 0 &&
		p.Taken < p.Size {
		notices = append(notices, notice(hold.BatchWaits, "%s more should be replaced, at most %d at a time. This "+
			"batch waits "+
			"for %s: %s. %s", text.Nodes(p.Remaining), p.Size, text.Nodes(int64(len(w.names))), text.Few(w.list()),
			w.advice(p.Policy)))
	}
	return notices
}

// tellLeaving says what a person should know of the nodes that are too many.
func (p *speech) tellLeaving() (notices []roster.Notice) {
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
				"Refresh first, so that the choice is based on what runs.",
			text.Nodes(int64(len(unseen))), text.Few(p.All.ByIndex(unseen))))
	}
	if len(closed) > 0 {
		notices = append(notices, notice(hold.ClosedChosen,
			"No open place can lose a node, so the cluster shrinks where it is closed: %s. Nova has to answer "+
				"there to destroy their servers. To keep them ask for more nodes.",
			text.Few(p.All.Located(p.All.ByIndex(closed)))))
	}
	return notices
}

// belowMin names the places that a plan takes below their mins.
func belowMin(before, after placement.Counts, policy roster.Policy) (notices []roster.Notice) {
	had := map[placement.Row]int64{}
	key := func(r placement.Row) placement.Row { return placement.Row{Place: r.Place, IsZone: r.IsZone} }
	for _, row := range placement.NewBoard(policy.Regions, before).Rows() {
		had[key(row)] = row.Bin.Current
	}
	for _, row := range placement.NewBoard(policy.Regions, after).Rows() {
		if n := row.Bin.Current; n < row.Bin.Min && n < had[key(row)] {
			notices = append(notices, notice(hold.BelowMin, "%s keeps %s, and its min is %d: what leaves there was "+
				"not in "+
				"service, or is named in candidates. It is the first place to be filled again.",
				row.Place, text.Nodes(n), row.Bin.Min))
		}
	}
	return notices
}

// kept are the protected nodes of another template, where they keep the update from its
// target, each with why.
func (p *speech) kept() (names []string) {
	for _, name := range p.Left.Names() {
		if v := p.Verdicts[name]; v.Hold == hold.HeldProtected && v.Cause == roster.Outdated {
			names = append(names, name+" "+v.Want.Protected)
		}
	}
	if int64(len(names)) <= p.Policy.Capacity-min(p.Aim.Target, p.Policy.Capacity) {
		return nil
	}
	return names
}

// former names the nodes whose servers should have been made again, and were not.
func (p *speech) former() (names []string) {
	for _, name := range p.Left.Names() {
		if v := p.Verdicts[name]; p.Left[name].Former && v.Outcome != decide.Changes {
			names = append(names, name)
		}
	}
	return names
}

// tellFull says which listed places are full or, where nodes find no other room, tried
// again.
func (p *speech) tellFull() []roster.Notice {
	var places []string
	for _, at := range p.seen.FullPlaces(p.Policy) {
		if roster.Lists(p.Policy.Regions, at) {
			group := ""
			if len(p.seen.Apart[at]) > 0 {
				group = ", for a server group: only its nodes wait"
			}
			since := p.seen.Full[at].UTC().Format("2006-01-02 15:04:05 UTC")
			places = append(places, fmt.Sprintf("%s (%s%s)", at, since, group))
		}
	}
	const room = "Make room there, or raise the quotas or aggregates that leave it none"
	switch {
	case p.Again:
		return []roster.Notice{notice(hold.FullTried, "Nova found no host a short time ago, and no other place has "+
			"room for all "+
			"nodes that this plan adds. So full places count as open in this plan. %s, or list another place.", room)}
	case len(places) > 0:
		return []roster.Notice{notice(hold.FullPlaces, "Nova found no host for servers made there: %s. For %s from "+
			"then on "+
			"(retry_full_after) no node is placed there, and none is moved there, unless no other place has room. "+
			"%s; to try again at once set retry_full_after = \"0s\".",
			text.Few(places), duration.Format(p.Policy.Update.RetryFullAfter), room)}
	}
	return nil
}

// slotsWait says whose data waits where a plan made new slots although some are kept.
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
	return []roster.Notice{notice(hold.SlotsWait, "New slots were made (%s), and what is kept for others waits: %s. "+
		"The next "+
		"nodes in their places find it. Release a slot whose data is not needed any more.", text.Few(p.Fresh),
		text.Few(wait))}
}
