package placementtf

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// resolve looks up what is new in the plan, and refuses names that nothing has.
func (p *attachmentPlanner) resolve(ctx context.Context, now roster.Roster) (resolved sources) {
	resolved.Region = p.plan.sources.Region
	closed := closedRegions(p.plan.listedRegions())
	l, shown := p.plan.looker(now), shownParts{}
	if p.state != nil {
		shown = p.state.partsShown()
	}
	for _, listed := range p.plan.regionsOf(now) {
		region := listed.Name
		images, flavors := map[string]image{}, map[string]string{}
		if name := ownOf(l.images, region); name != "" {
			found, remembered := p.memory.Sources.Images[region][name]
			if !remembered && !closed(region) {
				found, remembered = p.newImage(ctx, l, region, name)
			}
			if remembered {
				images[name] = found
			}
		}
		for _, name := range l.flavorsIn(listed) {
			id, remembered := p.memory.Sources.Flavors[region][name]
			if !remembered && !closed(region) {
				id, remembered = p.newFlavor(ctx, l, region, name)
			}
			if remembered {
				flavors[name] = id
			}
		}
		resolved.put(region, images, flavors)
		p.resolveNetworks(ctx, now, region, closed(region), &resolved)
		if p.state != nil && p.plan.partsKnown() {
			resolved.putPools(region, p.poolText(now, shown, region))
		}
	}
	if u := value.Object[updateModel](ctx, p.plan.Update, p.diags); u != nil &&
		slices.Contains(texts(u.Causes), string(roster.Newer)) {
		resolved.follow()
	}
	resolved.alias(l.words)
	return resolved
}

// newImage looks up an image that is new in the plan. A region without a Glance has none, which matters once a node
// needs it.
func (p *attachmentPlanner) newImage(ctx context.Context, l looker, region, name string) (found image, ok bool) {
	if l.cloud = p.backend.Get(ctx, p.diags); l.cloud == nil {
		return found, false
	}
	found, err := l.image(ctx, region, name, "")
	at := p.plan.path(placement.Place{Region: region}, "image")
	if !p.lookedUp(at, err) {
		return found, false
	}
	_, has := l.words[region][cmp.Or(found.ID, name)]
	if found.ID == "" && has {
		found = image{ID: name, Gone: true}
	}
	if found.ID == "" || found.Gone && !has {
		p.diags.AddAttributeError(at, "Unknown image", noImage(region, name, found.Gone))
	}
	return found, true
}

// lookedUp reports whether a look-up was possible. That a region has no such service is not an error yet.
func (p *attachmentPlanner) lookedUp(at path.Path, err error) bool {
	if err != nil && !value.Is[*openstack.NoEndpointError](err) {
		p.diags.AddAttributeError(at, "Unable to look up images and flavors", text.Sentence(err))
	}
	return err == nil
}

// newFlavor looks up a flavor that is new in the plan.
func (p *attachmentPlanner) newFlavor(ctx context.Context, l looker, region, name string) (id string, ok bool) {
	if l.cloud = p.backend.Get(ctx, p.diags); l.cloud == nil {
		return "", false
	}
	id, err := l.flavor(ctx, region, name)
	at := p.plan.flavorPath(region, name)
	if !p.lookedUp(at, err) {
		return "", false
	}
	if id == "" {
		p.diags.AddAttributeError(at, "Unknown flavor", noFlavor(region, name))
	}
	return id, true
}

func noImage(region, name string, inactive bool) string {
	if inactive {
		return fmt.Sprintf("The image %q in region %q is not active, so no server can be made from it. Name another "+
			"one.", name, region)
	}
	return fmt.Sprintf("Glance in region %q shows no active image with the name or id %q to this project. Correct "+
		"it, or publish the image there: each region has images of its own.", region, name)
}

func noFlavor(region, name string) string {
	return fmt.Sprintf("Nova in region %q shows no flavor with the name or id %q to this project. Correct it: each "+
		"region has flavors of its own.", region, name)
}

// flavorPath is where a flavor of a region is written.
func (m attachmentModel) flavorPath(region, name string) path.Path {
	all := m.flavors()
	for _, at := range slices.SortedFunc(maps.Keys(all), placement.Place.Compare) {
		if at.Region == region && slices.Contains(all[at], name) {
			return m.path(at, "flavors")
		}
	}
	return path.Root("flavors")
}
