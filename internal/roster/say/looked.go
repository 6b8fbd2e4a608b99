package say

import (
	"fmt"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// The titles of notices after a look at the cloud.
const (
	Namesakes  roster.Title = "Several servers have the name of one node"
	ServerLost roster.Title = "A node has lost its server"
)

// The titles of notices after an import, and about marks from the future.
const (
	GenerationsGuessed roster.Title = "Generations are guesses"
	TimesAhead         roster.Title = "Marks are from the future"
)

// Matched returns notices about several servers with the name of one node, and about nodes whose
// earlier server is not found.
func Matched(found learn.Matches) (notices []roster.Notice) {
	twice, lost := found.Twice, found.Lost
	if len(twice) > 0 {
		notices = append(notices, notice(Namesakes, "Several servers of one region have the name of one node: %s. The "+
			"cloud does not show which of them Terraform manages, but terraform state show, with the address of the "+
			"node's server, prints its id. The others come from an apply that was killed, a request that timed out, "+
			"or a second state with the same cluster name. Until only one is left, the node counts as protected if "+
			"one of them is, and as unhealthy only if all of them are.", text.Few(twice)))
	}
	if len(lost) > 0 {
		notices = append(notices, notice(ServerLost, "The server of %s is not found any more: %s. If it was deleted, "+
			"Terraform makes it again, unless the plan replaces the node by another one. If it still runs, the "+
			"selector leaves it out, or it was renamed: correct that before you apply.",
			text.Nodes(int64(len(lost))), text.Few(lost)))
	}
	return notices
}

// Guessed returns a notice about the generations that an import guessed, if the policy uses them:
// a wrong one makes the server again.
func Guessed(guesses []string, policy roster.Policy) []roster.Notice {
	if len(guesses) == 0 || !policy.Keeps(roster.Unhealthy) {
		return nil
	}
	return []roster.Notice{notice(GenerationsGuessed, "The servers of %s have no generation in their metadata, so the "+
		"import guessed it: %s. If a guess is wrong, Terraform makes the server again. Check that this plan replaces "+
		"no server; if it does, import again with the right numbers as \"generations\" in the id. With metadata = { "+
		"%s = each.value.generation } the next import reads them from the servers.", text.Nodes(int64(len(guesses))),
		text.Few(guesses), "stackpolicy_generation")}
}

// Ahead returns a notice about marks with a time that is ahead of the cloud's clock, if pause
// counts from it. Clocks of one cloud may differ by a minute.
func Ahead(s roster.Seen, r roster.Roster, policy roster.Policy) []roster.Notice {
	if policy.Update == nil || policy.Update.Pause <= 0 || !policy.RequireMarks {
		return nil
	}
	var names []string
	for _, name := range r.Names() {
		if server := s.Servers[name]; !server.SeenAt.IsZero() && server.InServiceAt.Sub(server.SeenAt) > time.Minute {
			names = append(names, fmt.Sprintf("%s (%s)", name, server.InServiceAt.UTC().Format(time.RFC3339)))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []roster.Notice{notice(TimesAhead, "The time in stackpolicy_in_service_at is ahead of the cloud's clock "+
		"for these nodes: %s. So it is not known how long they have been in service, and pause does not count for "+
		"them. If the clock was not set back, somebody else wrote that time: correct or remove it.",
		text.Few(names))}
}
