package say

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Notice tells a person something about a plan.
type Notice struct {
	Title string // its first line
	Text  string // one or more sentences
}

func notice(title, format string, args ...any) []Notice {
	return []Notice{{title, fmt.Sprintf(format, args...)}}
}

// tell returns a notice about names, if there are any: {names} stands for them, and {count} for
// their number of nodes.
func tell(title, sentence string, names []string) []Notice {
	if len(names) == 0 {
		return nil
	}
	words := strings.NewReplacer("{names}", text.Few(names), "{count}", text.Nodes(int64(len(names))))
	return []Notice{{title, words.Replace(sentence)}}
}

// notices returns what a person should know about a plan.
func (p *speech) notices() []Notice {
	return slices.Concat(
		tell("The first template is taken for what all nodes were made from", "{count} had no template until now: "+
			"{names}. The template must be what they were made from: a server that differs does not count as "+
			"outdated, and keeps what it has.", p.First),
		tell("Nodes carry the mark of another template", "The marks of {count} are of another template than this one: "+
			"{names}. That template is not known here, so theirs is empty until update replaces them. Remove the "+
			"attachment from the state, and import it again with their template in the import id, such as "+
			"{\"cluster\": \"web\", \"templates\": [{\"image\": \"the old image\"}]}: the hash in each mark shows "+
			"which node has which template.", p.Other),
		tell("A slot to release is not there", "There is no slot {names}: an earlier apply released it, or it never "+
			"existed. No new slot gets a name that is listed. Remove it from release.", p.NoSlots),
		tell("A candidate is not there", "No node has the name, or a server with the id, {names}, so nothing is "+
			"removed for it. Remove it from the list of candidates, or correct it.", p.Strangers),
		tell("A protected node is not there", "deletion.protected lists entries that are neither the name of a node "+
			"nor the id of its server: {names}. Correct them, or remove them from the list.", p.Unprotected),
		tell("Servers have the names that come next", "Servers that this state does not know have names which new "+
			"nodes would get: {names}. The new nodes get other names. If an older state was restored, restore the "+
			"newest one before you apply. If an apply was killed before it stored those servers, delete them. If "+
			"they do not belong to this cluster, choose another node_name_pattern, or a selector that leaves them "+
			"out.", p.Passed),
		p.fullPlaces(),
		p.held(),
		p.slotsWait(),
	)
}

// held is about the holds of an update.
func (p *speech) held() (notices []Notice) {
	for _, h := range hold.All {
		list := p.Verdicts.Held(h)
		if h.Title != "" && len(list) > 0 {
			text := p.fill(h.Notice, list...)
			notices = append(notices, Notice{h.Title, strings.ToUpper(text[:1]) + text[1:]})
		}
	}
	return notices
}

// fullPlaces is about flavors and listed places that are full, or that are tried again because
// nodes find no other room.
func (p *speech) fullPlaces() []Notice {
	what := "is placed or moved there, unless no other place has room"
	var spots []string
	for _, spot := range slices.SortedFunc(maps.Keys(p.seen.Full), roster.Spot.Compare) {
		listed := slices.Contains(p.Policy.Flavors.At(spot.Place), spot.Flavor)
		if listed && placement.Lists(p.Policy.Regions, spot.Place) {
			until := p.seen.Full[spot].Add(roster.FullFor).UTC().Format(time.DateTime)
			spots = append(spots, fmt.Sprintf("%s (until %s UTC)", spot, until))
		}
	}
	if len(p.Policy.Flavors) > 0 {
		what = "gets such a flavor there, unless no other place or flavor has room"
	}
	if len(spots) > 0 && p.Total <= p.Policy.Capacity { // a shrink needs no place
		return notice("Places are full", "Nova found no host for a server in these places. They are tried again after "+
			"an hour: %s. Until then no node %s. Make room there, or raise the quotas or extend the aggregates that "+
			"leave no room, or list another place.", text.Few(spots), what)
	}
	return nil
}

// slotsWait returns a notice about kept slots that stay unused although a plan makes new slots.
func (p *speech) slotsWait() []Notice {
	if p.Policy.Stateful == nil || len(p.Fresh) == 0 {
		return nil
	}
	var wait []string
	for _, name := range p.Next.KeptSlots() {
		wait = append(wait, fmt.Sprintf("%s (%s)", name, p.Next.Slots[name].Place))
	}
	return tell("Kept slots wait for their places", "The plan makes new slots ("+text.Few(p.Fresh)+"), although kept "+
		"slots are unused: {names}. These places take no node now, or the spread needs none there; the next nodes "+
		"there get the slots. Release a slot whose data is not needed any more.", wait)
}

// Matched returns notices about several servers with the name of one node, about servers for which nobody waited, and
// about nodes whose earlier server is not found.
func Matched(found learn.Matches) []Notice {
	return slices.Concat(
		tell("Several servers have the name of one node", "Several servers of one region have the name of one node: "+
			"{names}. The node's own is the one of its generation, with its mark, or else the newest. An apply that "+
			"ends without an error destroys those that Terraform has replaced. Others come from an apply that was "+
			"killed, or a second state with the same cluster name: terraform state show, with the address of the "+
			"node's server, prints the id of the one that Terraform manages. Until only one is left, the node counts "+
			"as protected if one of them is, and as tainted only if all of them are.", found.Twice),
		tell("Servers belong to no node", "Servers have names of nodes, and nobody has ever waited for them: "+
			"{names}. An apply that ends without an error destroys those that Terraform knows. If one is still there "+
			"after it, the answer to its creation was lost. Nothing waits for such a server, and nothing removes it: "+
			"delete it (openstack server delete ID), or import it (terraform import 'ADDRESS[\"NODE\"]' ID) if its "+
			"node has no other.", found.Strays),
		tell("A node has lost its server", "The server of {count} is not found any more: {names}. If it was deleted, "+
			"Terraform makes it again, unless the plan replaces the node by another one. If it still runs, the "+
			"selector leaves it out, or it was renamed: correct that before you apply.", found.Lost))
}

// Warnings returns notices about the places of a cluster after a plan: places with nodes that are no longer listed,
// that have more nodes than their cap, or fewer than their min. Moves says whether an update moves nodes.
func Warnings(r roster.Roster, before, listed []placement.Region, moves bool) (notices []Notice) {
	remedy := "They stay until the cluster shrinks, and are then removed before all others"
	switch {
	case moves:
		remedy = "The update replaces them, batch by batch."
	case len(r.Slots) > 0: // nodes of slots do not move
		remedy += "."
	default:
		remedy += "; with PLACEMENT among the causes of update they are replaced, batch by batch."
	}
	remedy += " Protected nodes stay."
	closed := roster.Policy{Regions: listed}.Closed
	for _, row := range placement.NewBoard(listed, r.Counts()).Rows() {
		has := text.Nodes(row.Bin.Current)
		switch bin := row.Bin; {
		case closed(row.Place): // its nodes stay as they are
		case bin.Weight == 0 && !placement.Lists(before, row.Place):
		case bin.Weight == 0:
			notices = append(notices, notice("A place with nodes is no longer listed", "%s is no longer listed and "+
				"has %s. %s", row.Place, has, remedy)...)
		case bin.Cap != placement.Unlimited && bin.Current > bin.Cap:
			notices = append(notices, notice("More nodes than the cap", "%s has %s, above its cap of %d. %s", row.Place,
				has, bin.Cap, remedy)...)
		case bin.Current < bin.Min:
			notices = append(notices, notice("A place is below its min", "%s has %s, below its min of %d: the next "+
				"nodes come there. If all mins are more than the nodes, lower one.", row.Place, has, bin.Min)...)
		}
	}
	return notices
}
