package say

import (
	"fmt"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
)

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

// Guessed returns a notice about the generations that an import guessed, if the policy uses them:
// a wrong one makes the server again.
func Guessed(guesses []string, policy roster.Policy) []Notice {
	if !policy.Keeps(roster.Unhealthy) {
		return nil
	}
	return tell("Generations are guesses", "The servers of {count} have no generation in their metadata, so the "+
		"import guessed it: {names}. If a guess is wrong, Terraform makes the server again. Check that this plan "+
		"replaces no server; if it does, import again with the right numbers as \"generations\" in the id. With "+
		"metadata = { stackpolicy_generation = each.value.generation } the next import reads them from the servers.",
		guesses)
}

// Ahead returns a notice about marks with a time that is ahead of the cloud's clock, if pause
// counts from it. Clocks of one cloud may differ by a minute.
func Ahead(s roster.Seen, r roster.Roster, policy roster.Policy) []Notice {
	if !policy.Pauses() || !policy.RequireMarks {
		return nil
	}
	var names []string
	for _, name := range r.Names() {
		if server := s.Servers[name]; !server.SeenAt.IsZero() && server.InServiceAt.Sub(server.SeenAt) > time.Minute {
			names = append(names, fmt.Sprintf("%s (%s)", name, server.InServiceAt.UTC().Format(time.RFC3339)))
		}
	}
	return tell("Marks are from the future", "The time in stackpolicy_in_service_at is ahead of the cloud's clock for "+
		"these nodes: {names}. So it is not known how long they have been in service, and pause does not count for "+
		"them. If the clock was not set back, somebody else wrote that time: correct or remove it.", names)
}
