package placementtf

import (
	"context"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// publish tells the other attachments of the cluster what the plan does: what the nodes are, how many servers may still
// be replaced, and which servers the nodes have.
func (p *attachmentPlanner) publish(ctx context.Context, d decision) {
	p.publishLeaving(d)
	walk, cluster := p.backend.Walk(), p.plan.Cluster.ValueString()
	told := backend.Cluster{Batch: -1, Nodes: map[string]backend.Node{}}
	before := map[string]shownNode{}
	if p.state != nil && !p.diags.HasError() {
		before = elements[shownNode](p.state.Nodes.ValueString(), p.diags)
		told.Batch = max(d.policy.Batch()-d.change.Replaced(), 0)
	}
	required := p.memory.Marked
	if value.GivenBlock(p.plan.Update) {
		told.Method, required = p.plan.method(ctx, p.diags), p.plan.requiresMarks(ctx, p.diags)
		told.Begins = d.beginsBatch() && (required || p.memory.Marked)
	}
	for name, n := range elements[shownNode](p.plan.Nodes.ValueString(), p.diags) {
		s := p.memory.Seen.Servers[name]
		walk.InUse.Note(s.ID, true)
		was, there := before[name]
		node := backend.Node{Mark: n.Mark.ValueString(), MadeAgain: there && n.Generation > was.Generation}
		serves := s.Status == active && (s.InService == node.Mark || !required)
		if there && !node.MadeAgain && serves && n.Mark.Equal(was.Mark.String) {
			node.Serves = s.ID
		}
		told.Nodes[name] = node
	}
	walk.Publish(cluster, told)
}

// publishLeaving tells deletion attachments which servers leave, and with the cluster's name that this apply makes
// substitutes for them, which a readiness attachment waits for. That is so if the server of the node has a mark.
func (p *attachmentPlanner) publishLeaving(d decision) {
	walk, seen, cluster := p.backend.Walk(), p.memory.Seen.Servers, p.plan.Cluster.ValueString()
	note := func(name, server string, substituted bool) {
		if substituted && d.policy.RequireMarks && seen[name].InService != "" {
			walk.Leaving.Note(server, cluster)
		} else {
			walk.Leaving.Note(server, "")
		}
	}
	waits := p.memory.lacksMarks(d.next, closedRegions(p.plan.listedRegions()))
	for name := range d.next.Leaving {
		note(name, seen[name].ID, waits)
	}
	comes := len(d.change.With(verdict.Comes)) > 0
	for _, v := range d.change.With(verdict.Leaves, verdict.Changes) {
		note(v.Name, v.Server.ID, comes && v.Outcome == verdict.Leaves)
	}
}

// lacksMarks reports whether a node has no mark, so that a readiness attachment waits for its server in this apply.
func (m memory) lacksMarks(next roster.Roster, closed func(region string) bool) bool {
	for name, n := range next.Nodes {
		if s := m.Seen.Servers[name]; s.InService != string(n.Mark) && !closed(n.Region) {
			return true
		}
	}
	return false
}
