package placementtf

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/adopt"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// adopt takes over the servers of a running cluster: the servers in all regions whose
// names the pattern makes. It lists the regions and zones that the servers are in, so
// nothing moves. Given has the slots, templates and generations of the import id.
func (m *attachmentModel) adopt(
	ctx context.Context, b *backend.Backend, given roster.Roster, diags *diag.Diagnostics,
) (roster.Roster, memory, bool) {
	var found memory
	cloud := b.Get(ctx, diags)
	if cloud == nil {
		return roster.Roster{}, found, false
	}
	name, pattern := m.Cluster.ValueString(), naming.Pattern(m.NodeNamePattern.ValueString())
	regions, err := cloud.ComputeRegions(ctx)
	var servers []node.Node
	if err == nil {
		servers, err = cluster.Read(ctx, cloud, cluster.Query{Regions: regions,
			Selector: cluster.Selector{NameRegex: pattern.Regexp(name).String()}})
	}
	if err != nil {
		reportRead(err, diags)
		return roster.Roster{}, found, false
	}
	r, err := adopt.Cluster(name, pattern, given, servers)
	if err != nil {
		diags.AddAttributeError(path.Root("cluster"), "Unable to adopt the cluster",
			fmt.Sprintf("In the regions %s %s.", strings.Join(regions, ", "), err))
		return r, found, false
	}
	if err := adoptSources(ctx, cloud, r, servers); err != nil {
		reportRead(err, diags)
		return r, found, false
	}
	m.DesiredCapacity = types.Int64Value(int64(len(r.Nodes)))
	m.Regions = places.Value(r.Counts().Regions())
	m.Remaining = types.Int64Value(0)
	m.record(planner.Change{})
	nowhere := func(string) bool { return false }
	r, seen, _ := learn.Match(r, servers, roster.Seen{}, nowhere, nowhere)
	found.see(r, seen)
	m.noteFound(b, r, seen)
	warnOfMetadata(r, seen, diags)
	warnOfGuesses(adopt.Guesses(r, given, servers), diags)
	return learn.Learn(r, seen, roster.Policy{}), found, true
}

// warnOfMetadata warns that an import of servers removes what only their metadata says.
func warnOfMetadata(r roster.Roster, seen roster.Seen, diags *diag.Diagnostics) {
	var lost []string
	for what, has := range map[string]func(node.Node) bool{
		"in service": func(n node.Node) bool { return n.InService != "" },
		"protected":  func(n node.Node) bool { return n.Protected },
		"tainted":    func(n node.Node) bool { return n.Tainted },
	} {
		var names []string
		for name := range r.Nodes {
			if has(seen.Servers[name]) {
				names = append(names, name)
			}
		}
		if slices.Sort(names); len(names) > 0 {
			lost = append(lost, what+": "+text.Few(names))
		}
	}
	if slices.Sort(lost); len(lost) > 0 {
		diags.AddWarning("An import of servers removes their metadata", fmt.Sprintf("Metadata says which nodes are "+
			"%s. If the servers are imported too, an apply removes all metadata that their configuration does not "+
			"name. With ignore_changes = [metadata] in their lifecycle until it is done, they keep it. Without that, "+
			"apply until the readiness attachment has marked them again, and protect and taint them again.",
			strings.Join(lost, "; ")))
	}
}

// warnOfGuesses warns of generations that nothing says.
func warnOfGuesses(guessed []string, diags *diag.Diagnostics) {
	if len(guessed) > 0 {
		diags.AddWarning("Generations are guesses", fmt.Sprintf("The servers of %s have no generation in their "+
			"metadata, so the import guessed it by their marks: %s. If a guess is wrong, Terraform makes the server "+
			"again. Check that the next plan replaces no server; if it does, import again with the right numbers as "+
			"\"generations\" in the id. With metadata = { stackpolicy_generation = each.value.generation } the next "+
			"import reads them from the servers.", text.Nodes(int64(len(guessed))), text.Few(guessed)))
	}
}

// adoptSources gives each node the image and the flavor of its server, by id, so that an import changes nothing. Nova
// shows a flavor by its name: if that is another flavor now, or none, its id cannot be known.
func adoptSources(ctx context.Context, cloud *openstack.Cloud, r roster.Roster, servers []node.Node) error {
	for _, s := range servers {
		n, there := r.Nodes[s.Name]
		if !there || n.Region != s.Region {
			continue
		}
		if n.Template == "" {
			n.Image = s.Profile
		}
		if n.Flavor = s.Flavor; n.Flavor != "" {
			flavor, err := cloud.Flavor(ctx, s.Region, n.Flavor)
			if err != nil && !gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
				return err
			}
			n.FlavorID = flavor.ID
		}
		r.Nodes[s.Name] = n
	}
	return nil
}
