package placementtf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// The name of an image or a flavor belongs to somebody else, who gives it to another one. So a name is looked up once,
// and its id remembered: each node keeps the ids that its server was made from, and an image that is active stays the
// wanted one whatever its name becomes. A refresh looks again at what is remembered, so that the plan and the apply
// after it know the same; a plan looks up only the names that are new in it.

// anID matches the ids of images.
var anID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// ownOf is what an argument says for a region: what it has itself, or all have.
func ownOf(argument map[placement.Place]string, region string) string {
	return cmp.Or(argument[placement.Place{Region: region}], argument[placement.Place{}])
}

// looker looks up images and flavors in the regions of a cluster.
type looker struct {
	cloud   *openstack.Cloud
	images  map[placement.Place]string
	flavors roster.Flavors
	words   map[string]map[string]string // images that nodes have, see [imageWords]
	said    sources                      // ids that nodes have of a name: no refresh may have stored them
}

// renew looks up again in a region what is remembered. An error leaves it as it was.
func (l looker) renew(ctx context.Context, listed placement.Region, before sources, after *sources) error {
	region, images, flavors := listed.Name, map[string]image{}, map[string]string{}
	if name := ownOf(l.images, region); name != "" {
		was := cmp.Or(before.Images[region][name].ID, l.said.Images[region][name].ID)
		found, err := l.image(ctx, region, name, was)
		if err != nil {
			return err
		}
		images[name] = found
		if found.ID == "" {
			images[name] = image{ID: was, Gone: true}
		}
	}
	for _, name := range l.flavorsIn(listed) {
		id, err := l.flavor(ctx, region, name)
		was := cmp.Or(before.Flavors[region][name], l.said.Flavors[region][name])
		if err == nil && id == "" && was != "" && was != name {
			id, err = l.flavor(ctx, region, was) // it may have another name now
		}
		if err != nil {
			return err
		}
		flavors[name] = id
	}
	after.put(region, images, flavors)
	return nil
}

// put notes what was found in a region.
func (s *sources) put(region string, images map[string]image, flavors map[string]string) {
	if s.Images == nil {
		s.Images, s.Flavors = map[string]map[string]image{}, roster.FlavorIDs{}
	}
	if len(images) > 0 {
		s.Images[region] = images
	}
	if len(flavors) > 0 {
		s.Flavors[region] = flavors
	}
}

// image looks up an image, and returns none if the name has no active one. The remembered image stays as long as it is
// active. A name that is new gives the newest image that nodes have, else the newest one.
func (l looker) image(ctx context.Context, region, name, remembered string) (found image, err error) {
	if anID.MatchString(name) {
		got, err := l.cloud.Image(ctx, region, name)
		if err != nil || got.ID != "" {
			return image{ID: string(got.ID), Gone: got.ID != "" && !got.Active()}, err
		}
	}
	list, err := l.cloud.ImagesNamed(ctx, region, name)
	if err != nil {
		return found, err
	}
	pinned := func(i openstack.Image) bool {
		_, has := l.words[region][string(i.ID)]
		return string(i.ID) == remembered || remembered == "" && has
	}
	if len(list) > 0 {
		found.Newest = string(list[0].ID)
	}
	found.ID = found.Newest
	if i := slices.IndexFunc(list, pinned); i >= 0 {
		found.ID = string(list[i].ID)
	} else if remembered != "" {
		got, err := l.cloud.Image(ctx, region, remembered) // it may have another name now
		if err != nil {
			return found, err
		}
		if got.Active() {
			found.ID = remembered
		}
	}
	if found.Newest == found.ID {
		found.Newest = ""
	}
	return found, nil
}

// flavor returns the id of a flavor, or "" if Nova does not know it.
func (l looker) flavor(ctx context.Context, region, name string) (string, error) {
	flavor, err := l.cloud.Flavor(ctx, region, name)
	if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		return "", nil
	}
	return flavor.ID, err
}

func (l looker) flavorsIn(region placement.Region) []string {
	return slices.DeleteFunc(l.flavors.In(region), func(flavor string) bool { return flavor == "" })
}

func (m attachmentModel) looker(r roster.Roster) looker {
	return looker{images: m.images(), flavors: m.flavors(), words: imageWords(r), said: saidBy(r)}
}

// regionsOf are the regions that are listed or have nodes.
func (m attachmentModel) regionsOf(r roster.Roster) []placement.Region {
	regions, known := m.listedRegions(), map[string]bool{}
	for _, region := range regions {
		known[region.Name] = true
	}
	for _, at := range r.Counts().Places() {
		if !known[at.Region] {
			known[at.Region] = true
			regions = append(regions, placement.Region{Bin: placement.Bin{Name: at.Region}})
		}
	}
	return regions
}

// alias calls each image as the nodes of its region do that have it: the name, a new name and the id of an image make
// one template.
func (s sources) alias(words map[string]map[string]string) {
	for region, before := range s.Images {
		s.Images[region] = maps.Clone(before)
		for written, i := range before {
			i.Word = words[region][i.ID]
			s.Images[region][written] = i
		}
	}
}

// word is the text of an image in the templates of a region.
func (s sources) word(region, written string) string {
	return cmp.Or(s.Images[region][written].Word, written)
}

// follow makes the newest image of each name the wanted one.
func (s sources) follow() {
	for _, images := range s.Images {
		for name, i := range images {
			images[name] = image{ID: cmp.Or(i.Newest, i.ID), Gone: i.Gone}
		}
	}
}

// lookAgain looks up the images and flavors of a state again, as a refresh does. A region in which it fails, or that
// is closed, keeps what is remembered. It returns the cluster without what no server can be made from any more: settled
// templates, and flavors that are gone. The provider of the servers loses the flavor of those too, and would replace
// them for any id.
func (m *attachmentModel) lookAgain(
	ctx context.Context, cloud *openstack.Cloud, r roster.Roster, before sources, lost map[string]bool,
	closed func(string) bool, diags *diag.Diagnostics,
) (roster.Roster, sources) {
	l, after := m.looker(r), sources{}
	l.cloud = cloud
	for _, listed := range m.regionsOf(r) {
		region, err := listed.Name, error(nil)
		if !closed(region) {
			err = l.renew(ctx, listed, before, &after)
		}
		if closed(region) || err != nil {
			after.put(region, before.Images[region], before.Flavors[region])
		}
		networks, failed := before.Networks[region], error(nil)
		if !closed(region) {
			networks, failed = m.renewNetworks(ctx, cloud, r, region, networks)
			err = cmp.Or(err, failed)
		}
		if failed != nil {
			networks = before.Networks[region]
		}
		after.putNetworks(region, networks)
		if _, none := errors.AsType[*openstack.NoEndpointError](err); err != nil && !none {
			diags.AddWarning("Unable to look up images and flavors",
				text.Sentence(err)+" What the refresh before found still counts.")
		}
	}
	after.alias(l.words)
	after.Pools, after.Region = before.Pools, m.sources.Region
	m.sources = after
	warnOfGone(after, diags)
	for name, n := range r.Nodes {
		if closed(n.Region) {
			continue
		}
		if n.FlavorID != "" {
			if _, err := cloud.Flavor(ctx, n.Region, n.FlavorID); gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
				n.FlavorID = ""
			}
		}
		if lost[name] {
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
					"publish it again there, or apply with another image.", region, name))
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
