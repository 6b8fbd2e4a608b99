package placementtf

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wiring"
)

// wires has what a refresh knows about the wires between the nodes and their servers.
type wires struct {
	handed  map[string]roster.Node // nodes that the servers were given
	now     roster.Roster          // roster with the nodes in the places of their servers
	before  memory
	seen    roster.Seen
	sources map[string]cluster.Source // images and flavors by the ids of servers
	listed  []placement.Region
	closed  func(region string) bool
}

// checkWires warns of loose wires. It searches by name for servers that were not found,
// and sends no request if all were found.
func checkWires(ctx context.Context, cloud *openstack.Cloud, w wires, diags *diag.Diagnostics) []wiring.Finding {
	var nodes []wiring.Node
	search := w.search(ctx, cloud)
	for name, n := range w.now.Nodes {
		if w.closed(n.Region) {
			continue
		}
		build, there := w.seen.Builds[name]
		node := wiring.Node{
			Name:   name,
			Region: n.Region,
			Zone:   w.handed[name].Zone,
			Server: w.seen.Servers[name],
			Search: search[name],
			Had:    w.before.Seen.Servers[name].ID != "",
		}
		// A server in ERROR, or that has not the mark of its node, may be older than the template, which its node got
		// unseen.
		judged := node.Server.InService == string(n.Mark) || node.Server.NotInService == string(n.Mark)
		other := !judged && (node.Server.InService != "" || w.before.Marked)
		older := other || node.Server.Status == "ERROR"
		if source, asked := w.sources[node.Server.ID]; asked && there && build.Mark == n.Mark && !older {
			node.Template, node.Image, node.Flavor = n.Template.Values(), source.Image, source.Flavor
		}
		nodes = append(nodes, node)
	}
	findings := wiring.Check(nodes, w.before.Wires)
	for _, f := range findings {
		diags.AddWarning(fmt.Sprintf("The servers do not follow the %s of their nodes", f.Wire), f.Text())
	}
	return findings
}

// search looks for the servers that were not found, by name in all open regions. The
// results are not known if a region gives no complete answer.
func (w wires) search(ctx context.Context, cloud *openstack.Cloud) map[string]wiring.Search {
	q := cluster.Query{NoProfiles: true}
	for name := range w.seen.Missing {
		if region := w.now.Nodes[name].Region; !w.closed(region) {
			q.Names, q.Regions = append(q.Names, name), append(q.Regions, region)
		}
	}
	for _, r := range w.listed {
		q.Regions = append(q.Regions, r.Name)
	}
	q.Regions = slices.DeleteFunc(q.Regions, w.closed)
	if len(q.Names) == 0 {
		return nil
	}
	servers, err := cluster.Read(ctx, cloud, q)
	found := map[string]wiring.Search{}
	for _, name := range q.Names {
		found[name] = wiring.Search{Known: err == nil}
	}
	for _, s := range servers {
		found[s.Name] = wiring.Search{Known: true, Found: append(found[s.Name].Found, s)}
	}
	return found
}

// tellNodes notes for the deletion attachments of this plan which servers leave, and whether the
// plan makes substitutes that a readiness attachment waits for, which is so if a node has a mark.
// It refuses a new attachment that gives the same names as another new one, and warns of kept
// servers, because no plan sees whether Terraform still has them.
func (p *attachmentPlanner) tellNodes(next roster.Roster, change planner.Change, policy roster.Policy) {
	walk, seen := p.backend.Walk(), p.memory.Seen.Servers
	var kept, twice []string
	waits := policy.RequireMarks && p.memory.unmarked(next, closedRegions(p.plan.listedRegions()))
	for name := range next.Leaving {
		cluster := ""
		if waits && seen[name].InService != "" {
			cluster = p.plan.Cluster.ValueString()
		}
		walk.Leaving.Note(seen[name].ID, cluster)
	}
	for _, v := range append(change.With(verdict.Leaves), change.With(verdict.Changes)...) {
		cluster := ""
		marked := policy.RequireMarks && seen[v.Name].InService != ""
		if marked && v.Outcome == verdict.Leaves && len(change.With(verdict.Comes)) > 0 {
			cluster = p.plan.Cluster.ValueString()
		}
		walk.Leaving.Note(v.Server.ID, cluster)
		if slices.Contains(policy.Kept, v.Name) || slices.Contains(policy.Kept, v.Server.ID) {
			kept = append(kept, v.Name)
		}
	}
	for _, name := range next.Names() {
		if p.state == nil && walk.Names.Note(backend.Member{In: next.Nodes[name].Region, Name: name}, true) {
			twice = append(twice, name)
		}
	}
	if len(twice) > 0 {
		p.diags.AddAttributeError(path.Root("cluster"), "Two attachments give the same names", fmt.Sprintf(
			"Another new placement attachment gives the same names in the same regions: %s. Each would take the "+
				"other's servers for its own. Give one of the two another cluster or node_name_pattern.",
			text.Few(twice)))
	}
	if len(kept) > 0 {
		at := path.Root("deletion").AtName("kept")
		p.diags.AddAttributeWarning(at, "Kept servers leave the cluster", fmt.Sprintf(
			"%s: the node leaves. If the plan lists its server as destroyed, do not apply: let Terraform forget "+
				"it, with a moved and a removed block (destroy = false).",
			text.Few(kept)))
	}
}

// unmarked reports whether a node has no mark, so that a readiness attachment waits for its server in this apply.
func (m memory) unmarked(next roster.Roster, closed func(region string) bool) bool {
	for name, n := range next.Nodes {
		if s := m.Seen.Servers[name]; s.InService != string(n.Mark) && !closed(n.Region) {
			return true
		}
	}
	return false
}

// refuseLoose refuses other templates in a region whose servers are known not to take theirs: all nodes would get them
// at once, or none. Sources are what the last refresh knew.
func (p *attachmentPlanner) refuseLoose(now roster.Roster, sources sources) {
	if p.state == nil {
		return
	}
	was := *p.state
	was.sources = sources
	wants, had := p.plan.templates(), was.templates()
	for _, f := range p.memory.Wires {
		for _, place := range now.Counts().Places() {
			if f.Wire != wiring.Templates || f.Region != place.Region || wants.At(place) == had.At(place) {
				continue
			}
			argument := "template"
			if ownOf(p.plan.images(), place.Region) != ownOf(was.images(), place.Region) {
				argument = "image"
			}
			p.diags.AddAttributeError(p.plan.path(place, argument),
				"The servers do not follow the templates of their nodes", f.Text()+" Apply that with the template as "+
					"it was, name servers that were made from another one in candidates, and change the template then.")
			return
		}
	}
}

// publish tells the other attachments of the cluster what the plan does: what the nodes are, how many servers may still
// be replaced, and which servers the nodes have.
func (p *attachmentPlanner) publish(ctx context.Context, d decision) {
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
		told.Begins = p.begins(required, d.change)
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

// begins reports whether a plan begins a batch of TEMPLATE, and warns of it if no readiness attachment marks servers.
func (p *attachmentPlanner) begins(required bool, change planner.Change) bool {
	begins := slices.ContainsFunc(change.With(verdict.Leaves, verdict.Changes),
		func(v *verdict.Verdict) bool { return v.Row().Updates })
	if !begins || p.plan.Nodes.IsUnknown() || p.diags.HasError() {
		return false
	}
	if !required && !p.memory.Marked {
		p.diags.AddAttributeWarning(path.Root("update").AtName("require_in_service"), "ACTIVE is taken for service",
			"No readiness attachment marks the servers. "+wiring.Unchecked)
	}
	return required || p.memory.Marked
}
