package placementtf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// moved has placeholders, because a provider does not know the addresses of its resources.
const moved = `

  moved {
    from = module.OLD_NAME # or stackpolicy_placement_attachment.OLD_NAME
    to   = module.NEW_NAME
  }

`

// refuseServers refuses a new attachment if servers already have names that it would
// give: it would know neither where they belong nor what they were made from.
func (p *attachmentPlanner) refuseServers(ctx context.Context, open []placement.Region) {
	if !value.Known(ctx, p.plan.Cluster, p.plan.NodeNamePattern, p.plan.Selector) {
		return // the plan at apply looks for servers
	}
	cloud := p.backend.Get(ctx, p.diags)
	if cloud == nil {
		return
	}
	name, pattern := p.plan.Cluster.ValueString(), naming.Pattern(p.plan.NodeNamePattern.ValueString())
	query := cluster.Query{NoProfiles: true}
	if selector := value.Object[nodes.Selector](ctx, p.plan.Selector, p.diags); selector != nil {
		query.Selector = selector.Selector(ctx, p.diags)
	}
	if query.NameRegex == "" {
		query.NameRegex = pattern.Regexp(name).String()
	}
	for _, region := range open {
		if !region.Closed && !region.Maintenance {
			query.Regions = append(query.Regions, region.Name)
		}
	}
	if len(query.Regions) == 0 || p.diags.HasError() {
		return
	}
	servers, err := cluster.Read(ctx, cloud, query)
	if value.Is[*cluster.GroupGoneError](err) {
		return // a missing group has no server
	}
	if err != nil {
		reportRead(err, p.diags)
		return
	}
	var found []string
	for _, s := range servers {
		if pattern.Regexp(name).MatchString(s.Name) {
			found = append(found, s.Name)
		}
	}
	if len(found) == 0 {
		return
	}
	slices.Sort(found)
	verb := "have names"
	if len(found) == 1 {
		verb = "has a name"
	}
	p.diags.AddAttributeError(path.Root("cluster"), "Servers of this cluster are there already", fmt.Sprintf(
		"In %s %s %s that this cluster would give: %s. A new attachment knows neither where they belong nor what "+
			"they were made from, so it would build a second cluster, or rebuild this one. If it or its module was "+
			"renamed, add:%sIf the attachment was tainted or replaced: terraform untaint ADDRESS. If the state was "+
			"lost, take them over: terraform import ADDRESS %s. If they do not belong to this cluster, choose another "+
			"cluster or node_name_pattern, or a selector that leaves them out. To destroy the servers that Terraform "+
			"still knows: terraform destroy -refresh=false.",
		strings.Join(query.Regions, " and "), text.Count(int64(len(found)), "server"), verb, text.Few(found), moved,
		name,
	))
}

// refusePools refuses a pool that no region has, in the plan that first names it. Other
// faults of Octavia may be over at the next refresh. A closed region is not asked, and may
// have the pool.
func (p *attachmentPlanner) refusePools(ctx context.Context, regions []placement.Region) {
	check, _ := p.plan.health(ctx, p.diags)
	closed := func(r placement.Region) bool { return r.Closed || r.Maintenance }
	asked := p.state != nil && p.state.Health.Equal(p.plan.Health)
	if check == nil || len(check.Pools) == 0 || asked || slices.ContainsFunc(regions, closed) {
		return
	}
	cloud := p.backend.Get(ctx, p.diags)
	if cloud == nil {
		return
	}
	for i, pool := range check.Pools {
		mayHave := func(r placement.Region) bool {
			_, err := cloud.Members(ctx, r.Name, pool)
			return !value.Is[*openstack.NoEndpointError](err) && !gophercloud.ResponseCodeIs(err, http.StatusNotFound)
		}
		if !slices.ContainsFunc(regions, mayHave) {
			at := path.Root("health").AtName("octavia").AtName("pool_ids").AtListIndex(i)
			p.diags.AddAttributeError(at, "Unknown pool",
				fmt.Sprintf("No region of the cluster has the pool %q, so it would say nothing about any node. "+
					"Correct the id, or remove it from the list.", pool))
		}
	}
}

// refuseTwice refuses a new attachment that gives the same names as another new one.
func (p *attachmentPlanner) refuseTwice(next roster.Roster) {
	if p.state != nil {
		return
	}
	var twice []string
	for _, name := range next.Names() {
		if p.backend.Walk().Names.Note(backend.Member{In: next.Nodes[name].Region, Name: name}, true) {
			twice = append(twice, name)
		}
	}
	if len(twice) > 0 {
		p.diags.AddAttributeError(path.Root("cluster"), "Two attachments give the same names", fmt.Sprintf(
			"Another new placement attachment gives the same names in the same regions: %s. Each would take the "+
				"other's servers for its own. Give one of the two another cluster or node_name_pattern.",
			text.Few(twice)))
	}
}

// refuseGone refuses a plan that makes a server from an image or a flavor that is gone, or that nobody could look up.
func (p *attachmentPlanner) refuseGone(change planner.Change) {
	images, flavors, checked := p.plan.images(), p.plan.flavors(), map[roster.Node]bool{}
	for _, v := range change.With(verdict.Comes, verdict.Changes, verdict.Stays, verdict.Held) {
		n, made := v.Node, true
		switch {
		case v.Outcome == verdict.Changes:
			n, made = v.After, v.After.Generation != v.Generation || v.After.Flavor != v.Flavor
		case v.Outcome != verdict.Comes && !p.memory.Seen.Missing[v.Name]:
			continue // it has a server
		}
		like := roster.Node{Place: n.Place, Template: n.Template, Flavor: n.Flavor, FlavorID: n.FlavorID, Served: made}
		if checked[like] {
			continue
		}
		checked[like] = true
		values, written := n.Template.Values(), ownOf(images, n.Region)
		i, id := p.plan.sources.Images[n.Region][written], values[roster.KeyImageID]
		said := written != "" && values[roster.KeyImage] == cmp.Or(i.Word, written)
		if said && (id == "" || i.Gone && i.ID == id) {
			p.diags.AddAttributeError(p.plan.path(n.Place, "image"), "Unknown image",
				fmt.Sprintf("%s %s needs it.", noImage(n.Region, written, false), v.Name))
			return
		}
		if made && n.Flavor != "" && n.FlavorID == "" && len(flavors) > 0 {
			p.diags.AddAttributeError(p.plan.flavorPath(n.Region, n.Flavor), "Unknown flavor",
				fmt.Sprintf("%s %s needs it.", noFlavor(n.Region, n.Flavor), v.Name))
			return
		}
	}
}

// refuse reports why there is no plan, at the argument that causes it.
func (p *attachmentPlanner) refuse(err error) {
	argument, ok := errors.AsType[*decide.ArgumentError](err)
	if !ok {
		places.Listed{}.ReportPlan(err, p.diags)
		return
	}
	at := path.Empty()
	for _, name := range argument.Argument {
		at = at.AtName(name)
	}
	p.diags.AddAttributeError(at, argument.Title, argument.Text)
}
