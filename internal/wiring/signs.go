package wiring

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// sign is a node that shows a mistake, and what was seen.
type sign struct{ node, seen string }

func few(signs []sign) string {
	var list []string
	for _, s := range signs {
		list = append(list, strings.TrimSpace(s.node+" "+s.seen))
	}
	return text.Few(list)
}

// nodesThat lists the nodes that show a mistake.
func nodesThat(shows func(Planned) (seen string)) func(Plan) []sign {
	return func(p Plan) (list []sign) {
		for _, n := range p.Nodes {
			if seen := shows(n); seen != "" {
				list = append(list, sign{n.Name, seen})
			}
		}
		return list
	}
}

func unpaired(n Planned) string {
	switch {
	case !n.Server:
		return "(has no server)"
	case !n.Node:
		return "(is no node)"
	}
	return ""
}

// paired reports whether there are a node and its server.
func (n Planned) paired() bool { return n.Node && n.Server }

// made reports whether the plan makes the server.
func (n Planned) made() bool { return n.paired() && n.Has.ID.Unknown }

// hidden is a server that stays although its node gets another template, as one that never had a server.
func hidden(n Planned) string {
	if n.Revised && n.paired() && n.Has.ID.given() && n.Has.ID == n.Was.ID {
		return fmt.Sprintf("(server %s)", n.Has.ID.Text)
	}
	return ""
}

// portInUse lists servers that Terraform replaces by servers with the same port, and makes first.
func portInUse(p Plan) []sign {
	return nodesThat(func(n Planned) string {
		if n.made() && n.Managed && n.Port != "" && p.MakesFirst {
			return fmt.Sprintf("(server %s has port %s)", cmp.Or(n.Serves, n.Was.ID.Text), n.Port)
		}
		return ""
	})(p)
}

func misnamed(n Planned) string {
	if n.paired() && n.Has.Name.given() && n.Has.Name.Text != n.Name {
		return fmt.Sprintf("(its server is named %s)", n.Has.Name.Text)
	}
	return ""
}

// misplaced lists servers of another region than their node's. Without the argument Terraform does not know the
// region, which is no mistake where all nodes are in one.
func misplaced(p Plan) []sign {
	regions := map[string]bool{}
	for _, n := range p.Nodes {
		regions[n.Wants.Region.Text] = true
	}
	return nodesThat(func(n Planned) string {
		switch {
		case n.paired() && n.Has.Region.differs(n.Wants.Region):
			return fmt.Sprintf("(its server is in %s, not in %s)", n.Has.Region.Text, n.Wants.Region.Text)
		case n.made() && n.Has.Region.Unknown && n.Wants.Region.given() && len(regions) > 1:
			return "(its server has no region)"
		}
		return ""
	})(p)
}

func zoned(n Planned) string {
	zone, _, _ := strings.Cut(n.Has.Zone.Text, ":") // it may name a host too
	switch {
	case !n.made() || !n.Wants.Zone.given():
	case n.Has.Zone.Unknown:
		return "(its server has no zone)"
	case zone != "" && zone != n.Wants.Zone.Text:
		return fmt.Sprintf("(its server is in %s, not in %s)", zone, n.Wants.Zone.Text)
	}
	return ""
}

// otherImage lists servers that are not made from the image of their node, or from a name, which another image may get.
// With IN_PLACE servers take over the image by reference, so there a change of a server counts too.
func otherImage(p Plan) []sign {
	return nodesThat(func(n Planned) string {
		byName := n.renames(n.Has.ImageName, n.Was.ImageName, "image")
		changes := n.paired() && p.InPlace && n.Has.Image.differs(n.Was.Image) && !byName
		switch {
		case (n.made() || changes) && n.Has.Image.differs(n.Wants.Image):
			return fmt.Sprintf("(its server gets image %s, not %s)", n.Has.Image.Text, n.Wants.Image.Text)
		case n.made() && n.Has.Image.Unknown && n.Has.ImageName.given() && n.Wants.Image.given():
			return fmt.Sprintf("(its server gets an image by its name, %s)", n.Has.ImageName.Text)
		}
		return ""
	})(p)
}

func otherFlavor(n Planned) string {
	name := n.Has.FlavorName
	switch {
	case !n.made():
	case n.Has.Flavor.differs(n.Wants.Flavor):
		return fmt.Sprintf("(its server gets flavor %s, not %s)", n.Has.Flavor.Text, n.Wants.Flavor.Text)
	case name.differs(n.Wants.FlavorName) && name.Text != n.Wants.Flavor.Text:
		return fmt.Sprintf("(its server gets flavor %s, not %s)", name.Text, n.Wants.FlavorName.Text)
	}
	return ""
}

// alike lists nodes whose templates name different images, or flavors, and whose servers get the same one by this plan.
// Two ids show whether it is the same one. A name shows it only where an id is not known: Glance has one name for many
// images, and the provider of the servers "Image not found" for all that are gone.
func alike(p Plan) (list []sign) {
	type group struct {
		signs        map[string][]sign // nodes, by what their templates say
		moves, blind bool              // whether the plan makes or changes a server; whether an id is not known
	}
	by := map[source]*group{}
	for _, n := range p.Nodes {
		for key, value := range n.Template {
			sources, moves, blind := n.sources(key)
			for _, at := range sources {
				if by[at] == nil {
					by[at] = &group{signs: map[string][]sign{}}
				}
				g := by[at]
				g.signs[value] = append(g.signs[value], sign{n.Name, fmt.Sprintf("(%s = %s)", key, value)})
				g.moves, g.blind = g.moves || moves, g.blind || blind
			}
		}
	}
	for at, g := range by {
		if g.moves && len(g.signs) > 1 && (g.blind || !at.named) {
			list = slices.Concat(list, slices.Concat(slices.Collect(maps.Values(g.signs))...))
		}
	}
	slices.SortFunc(list, func(a, b sign) int {
		return cmp.Or(strings.Compare(a.node, b.node), strings.Compare(a.seen, b.seen))
	})
	return slices.Compact(list)
}

// source is an image or a flavor: an id, or a name.
type source struct {
	key, text string // key of the template that is about it
	named     bool
}

// Keys of a template that have the names of a server's arguments, and whose values Nova shows. Any other key may be
// about something else, such as an image of a container.
var (
	imageKeys  = []string{"image", "image_id", "image_name"}
	flavorKeys = []string{"flavor", "flavor_id", "flavor_name"}
)

// sources returns the image, or the flavor, that a server gets, by id and by name as far as Terraform knows them;
// whether the plan makes the server or changes it; and whether the id is not known. It returns none where the node says
// an id, which is compared with the server's, or where the key is about something else.
func (n Planned) sources(key string) (all []source, moves, blind bool) {
	wants, id, was, name, named := n.Wants.Image, n.Has.Image, n.Was.Image, n.Has.ImageName, n.Was.ImageName
	if slices.Contains(flavorKeys, key) {
		wants, id, was, name, named = n.Wants.Flavor, n.Has.Flavor, n.Was.Flavor, n.Has.FlavorName, n.Was.FlavorName
	} else if !slices.Contains(imageKeys, key) {
		return nil, false, false
	}
	if !n.paired() || wants.given() {
		return nil, false, false
	}
	if n.renames(name, named, key) {
		id = Value{Unknown: true} // Terraform plans the old one
	}
	if id.given() {
		all = append(all, source{key, id.Text, false})
	}
	if name.given() {
		all = append(all, source{key, name.Text, true})
	}
	return all, n.made() || id.differs(was) || name.differs(named), !id.given()
}

// renames reports whether the plan gives a server the image or the flavor of a name in place.
func (n Planned) renames(name, was Value, key string) bool {
	return name.differs(was) && name.Text == n.Template[key]
}

func keepsServer(n Planned) string {
	if n.Rises && n.paired() && n.Was.ID.given() && n.Has.ID == n.Was.ID {
		return "(its server is not made again)"
	}
	return ""
}

// held reports whether the plan leaves a node as it is whose server serves, and Terraform has that server. A node that
// does not serve is free: Terraform taints a server that failed, and makes one that was deleted by hand.
func (n Planned) held() bool {
	was := n.Was.ID.Text
	return n.paired() && n.Serves != "" && (was == n.Serves || was == "" && n.Managed)
}

// madeAgain reports whether Terraform replaces the server of such a node.
func (n Planned) madeAgain() bool { return n.held() && n.Has.ID.Text != n.Serves }

// remade shows a server that Terraform makes although one of its name is there.
func remade(n Planned) string {
	switch {
	case !n.paired() || !n.Has.ID.Unknown || !n.Taken:
		return ""
	case len(n.Dead) > 0:
		return fmt.Sprintf("(dead: %s)", strings.Join(n.Dead, ", "))
	case n.Serves != "":
		return fmt.Sprintf("(%s serves)", n.Serves)
	}
	return "(not known)"
}

// outlived reports whether Terraform has a newer server of such a node, which failed.
func (n Planned) outlived() bool { return n.madeAgain() && len(n.Dead) > 0 }

// changed shows a server that Terraform replaces, rebuilds or resizes although the plan leaves its node as it is. Names
// may be new ones of the same image or flavor; a flavor that is made again has another id, and its node none.
func changed(n Planned) string {
	switch {
	case !n.held():
	case n.outlived():
		return fmt.Sprintf("(its new server failed: %s; %s serves)", strings.Join(n.Dead, ", "), n.Serves)
	case n.madeAgain():
		return fmt.Sprintf("(server %s is made again)", n.Serves)
	case n.Has.Image.differs(n.Was.Image):
		return fmt.Sprintf("(it gets image %s)", n.Has.Image.Text)
	case n.Wants.Flavor.given() && n.Has.Flavor.differs(n.Was.Flavor):
		return fmt.Sprintf("(it gets flavor %s)", n.Has.Flavor.Text)
	}
	return ""
}
