package wiring

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Value is an attribute in a plan. Terraform may know it only at apply.
type Value struct {
	Text    string // "" for null
	Unknown bool
}

// known reports whether there is a value, and Terraform knows it.
func (v Value) known() bool { return !v.Unknown && v.Text != "" }

// differs reports whether two values are known and differ.
func (v Value) differs(other Value) bool { return v.known() && other.known() && v.Text != other.Text }

// Made is what a server is made from, and where.
type Made struct{ ID, Name, Region, Zone, Image, ImageName, Flavor, FlavorName Value }

// Planned is a node with its server, as a plan leaves them.
type Planned struct {
	Name         string
	Node, Server bool              // whether the node is there, and whether the server is
	Wants, Has   Made              // as the node says, and as the planned server says
	Was          Made              // the server as it was found before the plan; without an ID if there was none
	Template     map[string]string // template of the node
	Rises        bool              // whether the plan raises the generation of the node
	Serves       string            // id of its server if the plan leaves the node as it is, and it serves
	Diskless     bool              // whether it boots from no volume, and the flavor of its node has no disk
	Known        bool              // whether Terraform has that server, so that it is replaced if the plan makes one
	Port         string            // port that the server has, and that the one which the plan makes gets
}

// Plan is what Terraform does to the servers of a cluster.
type Plan struct {
	Nodes      []Planned
	InPlace    bool     // whether the method of the update is IN_PLACE
	MakesFirst bool     // whether the new server of a node is made before the old one ends
	Batch      int      // number of nodes that the plan may still replace; negative if that is not known
	Begins     bool     // whether a batch of TEMPLATE begins
	Unseen     []string // nodes of the cluster that are not handed over
}

// Fault is a mistake that a plan shows.
type Fault struct {
	Node   string // node at whose server it shows first
	Title  string
	Text   string
	Passes bool // whether the plan may be applied
}

// Unchecked is what a plan says that begins a batch while nothing asks the servers.
const Unchecked = "This plan begins a batch, and a server that is ACTIVE counts as in service, whether or not its " +
	"image works: a bad one costs this batch, and the next with the next apply, until no old server is left. Let " +
	"stackpolicy_readiness_attachment ask the servers, with http, tcp or hook."

// mistakes has, in the order in which they are looked for, each line that may be missing: which nodes show it, each
// with what was seen, and what to write. A server is compared with its node only where the plan makes it: a server that
// is there may have been moved, renamed or resized by somebody else.
var mistakes = []struct {
	Title  string
	lines  []line
	passes bool
}{
	{Title: "Nodes and servers do not match", lines: []line{{nodesThat(unpaired), "Write for_each = " +
		"stackpolicy_placement_attachment.NAME.nodes at the servers, and hand over nodes of the same attachment " +
		"here, and all of the servers"}}},
	{Title: "The servers do not follow their nodes", lines: []line{
		{nodesThat(misnamed), "Write name = each.key"},
		{misplaced, "Write region = each.value.region"},
		{nodesThat(zoned), "Write availability_zone = each.value.zone"},
		{otherImage, "Write image_id = each.value.image_id"},
		{nodesThat(otherFlavor), "Write flavor_id = each.value.flavor_id"},
		{alike, "Nodes with different templates get one image or flavor: write it as in image_name = " +
			"each.value.template.image. If an image has two names, write one of them"},
		{nodesThat(again), "Write replace_triggered_by = [terraform_data.generation[each.key]] in the lifecycle of " +
			"the servers, with each.value.generation as its input"},
	}},
	{Title: "A port is still in use", lines: []line{{portInUse, "Terraform makes the new server before the old one " +
		"ends, and Nova refuses it: Port is still in use. It is tainted, or -replace names it: run terraform " +
		"untaint, or leave -replace out, and name the node in candidates, whose substitute gets a port of its own. " +
		"Or replace the port too, with -replace"}}},
	{Title: "Nova may refuse servers", passes: true, lines: []line{{nodesThat(diskless), "Nova makes no server of a " +
		"flavor without a disk, unless it boots from a volume: give it one (block_device, or boot_volume of a module," +
		" which also says it in template). After an apply that fails so, the nodes get the next of flavors"}}},
}

// line is a line that may be missing.
type line struct {
	shows  func(Plan) []sign
	advice string
}

// Judge lists the mistakes that a plan shows. Each of them is refused before it costs a server.
func Judge(p Plan) (faults []Fault) {
	slices.SortFunc(p.Nodes, func(a, b Planned) int { return strings.Compare(a.Name, b.Name) })
	for _, m := range mistakes {
		for _, line := range m.lines {
			if list := line.shows(p); len(list) > 0 {
				faults = append(faults, Fault{Node: list[0].node, Title: m.Title, Passes: m.passes,
					Text: few(list) + ". " + line.advice + "."})
			}
		}
	}
	if len(p.Unseen) > 0 {
		slices.Sort(p.Unseen)
		faults = append(faults, Fault{
			Node: p.Unseen[0], Title: "Nodes are not waited for", Passes: !p.Begins,
			Text: fmt.Sprintf("The cluster has nodes that are not handed over to the readiness attachment: %s. Nobody "+
				"waits for their servers or marks them, so no batch may begin. Hand over nodes = "+
				"stackpolicy_placement_attachment.NAME.nodes, without a filter, and all of the servers.",
				text.Few(p.Unseen)),
		})
	}
	if beside := nodesThat(changed)(p); len(beside) > 0 && p.Batch >= 0 {
		faults = append(faults, Fault{
			Node: beside[0].node, Title: "Servers change outside of the batch", Passes: len(beside) <= p.Batch,
			Text: fmt.Sprintf("Terraform replaces or changes %s, which serve, although no node asks for it: %s. This "+
				"plan may replace %s more. %s", text.Count(int64(len(beside)), "server"), few(beside),
				text.Nodes(int64(p.Batch)), besideAdvice(slices.ContainsFunc(p.Nodes, Planned.madeAgain))),
		})
	}
	return faults
}

// besideAdvice says how servers that change outside of the batch get into it, or do not change.
func besideAdvice(again bool) (advice string) {
	if again {
		advice = "A server that is tainted, or that -replace names, is made again: to have it replaced by this plan, " +
			"name its node in candidates; else run terraform untaint, or leave -replace out. "
	}
	return advice + "If an argument of the servers changed, or what the cloud says of it, the plan shows which: let " +
		"the servers ignore it (ignore_changes), or hand it to them by the template."
}

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

func diskless(n Planned) string {
	if n.made() && n.Diskless && n.Has.Image.known() {
		return fmt.Sprintf("(flavor %s)", n.Wants.FlavorName.Text)
	}
	return ""
}

// portInUse lists servers that Terraform replaces by servers with the same port, and makes first.
func portInUse(p Plan) []sign {
	return nodesThat(func(n Planned) string {
		if n.made() && n.Known && n.Port != "" && p.MakesFirst {
			return fmt.Sprintf("(server %s has port %s)", n.Serves, n.Port)
		}
		return ""
	})(p)
}

func misnamed(n Planned) string {
	if n.paired() && n.Has.Name.known() && n.Has.Name.Text != n.Name {
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
		case n.made() && n.Has.Region.Unknown && n.Wants.Region.known() && len(regions) > 1:
			return "(its server has no region)"
		}
		return ""
	})(p)
}

func zoned(n Planned) string {
	zone, _, _ := strings.Cut(n.Has.Zone.Text, ":") // it may name a host too
	switch {
	case !n.made() || !n.Wants.Zone.known():
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
		case n.made() && n.Has.Image.Unknown && n.Has.ImageName.known() && n.Wants.Image.known():
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
	if !n.paired() || wants.known() {
		return nil, false, false
	}
	if n.renames(name, named, key) {
		id = Value{Unknown: true} // Terraform plans the old one
	}
	if id.known() {
		all = append(all, source{key, id.Text, false})
	}
	if name.known() {
		all = append(all, source{key, name.Text, true})
	}
	return all, n.made() || id.differs(was) || name.differs(named), !id.known()
}

// renames reports whether the plan gives a server the image or the flavor of a name in place.
func (n Planned) renames(name, was Value, key string) bool {
	return name.differs(was) && name.Text == n.Template[key]
}

func again(n Planned) string {
	if n.Rises && n.paired() && n.Was.ID.known() && n.Has.ID == n.Was.ID {
		return "(its server is not made again)"
	}
	return ""
}

// held reports whether the plan leaves a node as it is whose server serves, and Terraform has that server. A node that
// does not serve is free: Terraform taints a server that failed, and makes one that was deleted by hand.
func (n Planned) held() bool {
	was := n.Was.ID.Text
	return n.paired() && n.Serves != "" && (was == n.Serves || was == "" && n.Known)
}

// madeAgain reports whether Terraform replaces the server of such a node.
func (n Planned) madeAgain() bool { return n.held() && n.Has.ID.Text != n.Serves }

// changed shows a server that Terraform replaces, rebuilds or resizes although the plan leaves its node as it is. Names
// may be new ones of the same image or flavor; a flavor that is made again has another id, and its node none.
func changed(n Planned) string {
	switch {
	case !n.held():
	case n.madeAgain():
		return fmt.Sprintf("(server %s is made again)", n.Serves)
	case n.Has.Image.differs(n.Was.Image):
		return fmt.Sprintf("(it gets image %s)", n.Has.Image.Text)
	case n.Wants.Flavor.known() && n.Has.Flavor.differs(n.Was.Flavor):
		return fmt.Sprintf("(it gets flavor %s)", n.Has.Flavor.Text)
	}
	return ""
}
