package say

import (
	"fmt"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// The titles of what a look at the cloud finds.
const (
	Namesakes  roster.Title = "Several servers have the name of one node"
	ServerLost roster.Title = "A node has lost its server"
)

// The titles of what an import leaves open, and of marks from the future.
const (
	GenerationsGuessed roster.Title = "Generations are guesses"
	TimesAhead         roster.Title = "Marks are from the future"
)

// Matched says which names several servers have, and which nodes had a server that is not found.
func Matched(found learn.Matches) (notices []roster.Notice) {
	twice, lost := found.Twice, found.Lost
	if len(twice) > 0 {
		notices = append(notices, notice(Namesakes, "Servers of one region share the name of a node: %s. Which of "+
			"them Terraform manages cannot be seen in the cloud. terraform state show, with the address of the "+
			"node's server, prints the id of the one that it does; the other comes from an apply that was killed, "+
			"from a request that timed out, or from a second state with the same cluster name. Until one is left the "+
			"node counts as protected if one of them is, and as unhealthy only if all of them are.", text.Few(twice)))
	}
	if len(lost) > 0 {
		notices = append(notices, notice(ServerLost, "No server was found for %s, which had one: %s. If it was "+
			"deleted, Terraform makes it again, unless the plan replaces the node by another one. If it still runs, "+
			"the selector leaves it out, or it was renamed: correct that before you apply.",
			text.Nodes(int64(len(lost))), text.Few(lost)))
	}
	return notices
}

// Guessed says which generations an import did not know, where that matters to the policy: a
// wrong one makes the server again.
func Guessed(guesses []string, policy roster.Policy) []roster.Notice {
	if len(guesses) == 0 || !policy.Keeps(roster.Unhealthy) {
		return nil
	}
	return []roster.Notice{notice(GenerationsGuessed, "An import found no number of the generation at the servers of "+
		"%s: %s. Where that is wrong Terraform makes the servers again. Check that this plan replaces no server; "+
		"where it does, import again with the right numbers in the id, as \"generations\". With metadata = { %s = "+
		"each.value.generation } at the servers the next import knows them.", text.Nodes(int64(len(guesses))),
		text.Few(guesses), "stackpolicy_generation")}
}

// Ahead says whose marks have a time that lies ahead of the cloud's clock, where pause would
// count from it. Clocks of one cloud may differ by a minute.
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
	return []roster.Notice{notice(TimesAhead, "By stackpolicy_in_service_at these nodes are in service since a time "+
		"that lies ahead of the cloud's clock: %s. It is not known for how long they are, so no batch waits for that "+
		"(pause). If the clock was not set back, somebody else wrote that time: correct or remove it.",
		text.Few(names))}
}
