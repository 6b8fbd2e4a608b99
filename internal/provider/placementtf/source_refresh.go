package placementtf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// lookAgain looks up the images and flavors of a state again, as a refresh does. A region in which it fails, or that
// is closed, keeps what is remembered. It returns the cluster without what no server can be made from any more: settled
// templates, and flavors that are gone. The provider of the servers loses the flavor of those too, and would replace
// them for any id.
func (m *attachmentModel) lookAgain(
	ctx context.Context, cloud *openstack.Cloud, walk *backend.Walk, r roster.Roster, before sources,
	lost map[string]bool, closed func(string) bool, diags *diag.Diagnostics,
) (roster.Roster, sources) {
	l, after := m.looker(walk, r), sources{}
	l.cloud = cloud
	for _, listed := range m.regionsOf(r) {
		region, err := listed.Name, error(nil)
		if !closed(region) {
			err = l.again(ctx, listed, before, &after)
		}
		if closed(region) || err != nil {
			after.put(region, before.Images[region], before.Flavors[region])
		}
		if _, none := errors.AsType[*openstack.NoEndpointError](err); err != nil && !none {
			diags.AddWarning("Unable to look up images and flavors",
				text.Sentence(err)+" What the refresh before found still counts.")
		}
	}
	after.alias(l.words)
	m.sources = after
	warnOfGone(after, diags)
	for name, n := range r.Nodes {
		if n.FlavorID != "" && !closed(n.Region) && l.flavorGone(ctx, n.Region, n.FlavorID) {
			n.FlavorID = ""
		}
		if lost[name] && !closed(n.Region) {
			n = l.remade(ctx, n, after)
		}
		r.Nodes[name] = n
	}
	r.Settled = maps.Clone(r.Settled)
	maps.DeleteFunc(r.Settled, func(at placement.Place, t roster.Template) bool {
		return !closed(at.Region) && l.withdrawn(ctx, at.Region, t, after)
	})
	return r, after
}

// warnOfGone warns of images that no further server can be made from.
func warnOfGone(s sources, diags *diag.Diagnostics) {
	for _, region := range slices.Sorted(maps.Keys(s.Images)) {
		for _, name := range slices.Sorted(maps.Keys(s.Images[region])) {
			if s.Images[region][name].Gone {
				diags.AddWarning("The image is gone", fmt.Sprintf("Glance in region %q shows no active image with "+
					"the name or id %q any more. Its nodes stay as they are, and no node can be made from it: "+
					"publish it again there, or name another one.", region, name))
			}
		}
	}
}

// withdrawn reports whether no server can be made from the image of a template any more.
func (l looker) withdrawn(ctx context.Context, region string, t roster.Template, now sources) bool {
	values := t.Values()
	id := values[roster.KeyImageID]
	if id == "" || region == "" {
		return false
	}
	for _, i := range now.Images[region] {
		if i.ID == id {
			return false
		}
	}
	got, err := l.cloud.Image(ctx, region, id)
	return err == nil && !got.Active()
}

// remade returns a node whose server is lost, so that Terraform makes one: from the flavor that has the name now if the
// flavor is gone, and from the wanted image if its own is.
func (l looker) remade(ctx context.Context, n roster.Node, now sources) roster.Node {
	if n.FlavorID == "" {
		n.FlavorID = now.Flavors[n.Region][n.Flavor]
	}
	values := maps.Clone(n.Template.Values())
	written := ownOf(l.images, n.Region)
	if i := now.Images[n.Region][written]; i.ID != "" && !i.Gone && l.withdrawn(ctx, n.Region, n.Template, now) {
		values[roster.KeyImage], values[roster.KeyImageID] = cmp.Or(i.Word, written), i.ID
		n.Template = roster.NewTemplate(values)
	}
	return n
}
