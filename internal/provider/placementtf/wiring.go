package placementtf

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// tellLeaving says to the deletion attachments of this plan which servers leave, and for which
// of them it makes substitutes that a readiness attachment waits for: the marked ones have one.
func (p *attachmentPlanner) tellLeaving(next roster.Roster, change roster.Change, policy roster.Policy) {
	walk := p.backend.Walk()
	for name := range next.Leaving {
		walk.Leaving(p.memory.Seen.Servers[name].ID, "")
	}
	for _, v := range append(change.Of(roster.Leaves), change.Of(roster.Changes)...) {
		cluster := ""
		if v.Outcome == roster.Leaves && len(change.Of(roster.Comes)) > 0 && policy.RequireMarks &&
			p.memory.Seen.Servers[v.Name].InService != "" {
			cluster = p.plan.Cluster.ValueString()
		}
		walk.Leaving(v.ID, cluster)
	}
}

// warnKept says what a plan cannot see: whether Terraform still has the servers that somebody
// keeps of nodes that leave.
func (p *attachmentPlanner) warnKept(change roster.Change, kept []string) {
	var names []string
	for _, v := range change.Of(roster.Leaves) {
		if slices.Contains(kept, v.Name) || slices.Contains(kept, v.ID) {
			names = append(names, v.Name)
		}
	}
	if len(names) > 0 {
		p.diags.AddAttributeWarning(path.Root("deletion").AtName("kept"), "Kept servers must leave the state", fmt.Sprintf(
			"%s: the node leaves, and Terraform destroys its server unless this plan forgets it, with a moved and a "+
				"removed block (destroy = false). Apply only if no kept server is listed as destroyed.", text.Few(names)))
	}
}

// tellMarks says to the readiness attachment of this plan the marks of the nodes.
func (p *attachmentPlanner) tellMarks() {
	for name, element := range p.plan.Nodes.Elements() {
		mark := element.(types.Object).Attributes()["mark"].(types.String)
		p.backend.Walk().Marks(p.plan.Cluster.ValueString(), name, mark.ValueString())
	}
}

// refuseTwins refuses a new attachment that gives the same names as another new one: each
// would take the servers of the other for its own.
func (p *attachmentPlanner) refuseTwins(next roster.Roster) {
	if p.state != nil {
		return
	}
	var twice []string
	for _, name := range next.Names() {
		if p.backend.Walk().Give(next.Nodes[name].Region, name) {
			twice = append(twice, name)
		}
	}
	if len(twice) > 0 {
		p.diags.AddAttributeError(path.Root("cluster"), "Two attachments give the same names", fmt.Sprintf(
			"Another new placement attachment gives the same names in the same regions: %s. Each would take the "+
				"servers of the other for its own. Give one of them another cluster or node_name_pattern.",
			text.Few(twice)))
	}
}
