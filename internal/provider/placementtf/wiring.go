package placementtf

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wiring"
)

// wires is what a refresh knows of the wires between the nodes and their servers.
type wires struct {
	handed  map[string]roster.Node // out to the servers
	now     roster.Roster          // with the nodes where their servers are
	before  memory
	seen    roster.Seen
	sources map[string]cluster.Source // by the ids of servers
	listed  []placement.Region
	closed  func(region string) bool
}

// checkWires warns of loose wires. Servers that were not found are searched for by their
// names, and no request is sent where all were.
func checkWires(ctx context.Context, cloud *openstack.Cloud, w wires, diags *diag.Diagnostics) []wiring.Finding {
	var nodes []wiring.Node
	var missing []string
	templates := map[roster.Template]map[string]string{}
	for name, n := range w.now.Nodes {
		if w.closed(n.Region) {
			continue
		}
		if w.seen.Missing[name] {
			missing = append(missing, name)
		}
		if templates[n.Template] == nil {
			templates[n.Template] = n.Template.Values()
		}
		build, there := w.seen.Builds[name]
		source := w.sources[w.seen.Servers[name].ID]
		nodes = append(nodes, wiring.Node{
			Name:     name,
			Region:   n.Region,
			Zone:     w.handed[name].Zone,
			Template: templates[n.Template],
			Server:   w.seen.Servers[name],
			Image:    source.Image,
			Flavor:   source.Flavor,
			Had:      w.before.Seen.Servers[name].ID != "",
			Made:     there && build.Mark == n.Mark,
			Behind:   there && build.Mark != n.Mark && build.Generation < n.Generation,
		})
	}
	found, known := w.search(ctx, cloud, missing)
	for i, n := range nodes {
		nodes[i].Search = wiring.Search{Known: known, Found: found[n.Name]}
	}
	findings := wiring.Check(nodes, w.before.Wires)
	for _, f := range findings {
		if f.Wire != wiring.Generations { // the plan says it
			diags.AddWarning(fmt.Sprintf("The servers do not follow the %s of their nodes", f.Wire), f.Text())
		}
	}
	return findings
}

// search looks for servers by name in all regions that are open. It knows nothing where one
// of them gives no complete answer.
func (w wires) search(
	ctx context.Context, cloud *openstack.Cloud, names []string,
) (found map[string][]node.Node, known bool) {
	if len(names) == 0 {
		return nil, false
	}
	regions := map[string]bool{}
	for _, r := range w.listed {
		regions[r.Name] = !w.closed(r.Name)
	}
	for _, name := range names {
		regions[w.now.Nodes[name].Region] = true
	}
	maps.DeleteFunc(regions, func(_ string, open bool) bool { return !open })
	servers, err := cluster.Read(ctx, cloud, cluster.Query{
		Regions: slices.Collect(maps.Keys(regions)), Selector: cluster.Selector{Names: names}, NoProfiles: true})
	if err != nil {
		return nil, false
	}
	found = map[string][]node.Node{}
	for _, s := range servers {
		found[s.Name] = append(found[s.Name], s)
	}
	return found, true
}

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
