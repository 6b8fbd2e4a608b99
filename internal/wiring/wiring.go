// Package wiring names the lines of a configuration by which servers follow their nodes, and
// which are missing: it compares the nodes that a placement attachment handed out with the
// servers that are there.
//
// A missing line costs nothing before the first change, and may then cost the whole cluster:
// servers that have other names than their nodes look like servers that are gone. So each
// kind of line is a wire, a row of one table, and a loose wire holds batches until it is
// repaired.
package wiring

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Node is a node as it was handed out, and what looks at the cloud found of it.
type Node struct {
	Name, Region, Zone string

	Server node.Node // of its name, in its region, that the selector selects; without an ID: none was found
	Search Search    // by its name, where none was found
	Had    bool      // an earlier look found a server
	Behind bool      // the server is the one of an earlier generation

	// Template is what the server was made from, as the node says, and Image and Flavor as Nova
	// shows it. All are empty where that is not known.
	Template      map[string]string
	Image, Flavor string
}

// Search is a search by exact name without the selector, in the node's region and in the
// other listed ones.
type Search struct {
	Known bool        // all regions gave a complete answer
	Found []node.Node // the servers of the name
}

// Wire is a line by which servers follow their nodes.
type Wire string

// The wires.
const (
	Names       Wire = "names"
	Regions     Wire = "regions"
	Selector    Wire = "selector"
	Zones       Wire = "zones"
	Templates   Wire = "templates"
	Generations Wire = "generations"
)

// Hold is what waits while a wire is loose.
type Hold int

// The holds.
const (
	Nothing Hold = iota // all goes on, a batch at a time
	Moves               // no node of the region moves: the cause PLACEMENT
	Batches             // no batch begins
)

// table has the wires in the order in which they are checked: the argument of the server, what
// waits, which nodes of a region show that the wire is loose, and what to do.
var table = []struct {
	wire   Wire
	line   string
	holds  Hold
	loose  func(nodes []Node) []string
	advice string
}{
	{Names, "name", Nothing, unnamed, "No server of the project has these names in any listed region. If the last " +
		"apply failed, apply again. Otherwise the servers have other names: write name = each.key"},
	{Regions, "region", Batches, each(elsewhere), "Write region = each.value.region"},
	{Selector, "selector", Batches, each(leftOut), "The selector leaves them out: correct selector, or give the " +
		"servers what it asks for"},
	{Zones, "availability_zone", Moves, each(inAnotherZone), "Write availability_zone = each.value.zone. Where the " +
		"cloud takes no zone, list none. No node of the region moves until a new server is in the zone of its node"},
	{Templates, "image or flavor", Batches, unlike, "Their servers have one image, or one flavor: write it as in " +
		"image_name = each.value.template.image. Two names of one image are written as one"},
	{Generations, "replace_triggered_by", Batches, each(former), "Write replace_triggered_by = " +
		"[terraform_data.generation[each.key]], with " +
		"each.value.generation as its input"},
}

// Finding is a loose wire in a region.
type Finding struct {
	Wire   Wire     `json:"wire"`
	Region string   `json:"region"`
	Nodes  []string `json:"nodes"` // that show it, each with what was seen, by name
}

// Check finds the loose wires, in the order of the table and by region. Before are the
// findings of the last check: servers are seen in a new zone only once, so that finding
// stays until a new server is where its node is.
func Check(nodes []Node, before []Finding) (found []Finding) {
	regions := map[string][]Node{}
	byName := func(a, b Node) int { return strings.Compare(a.Name, b.Name) }
	for _, n := range slices.SortedFunc(slices.Values(nodes), byName) {
		regions[n.Region] = append(regions[n.Region], n)
	}
	for _, row := range table {
		for _, region := range slices.Sorted(maps.Keys(regions)) {
			f := Finding{row.wire, region, row.loose(regions[region])}
			last := slices.IndexFunc(before, func(b Finding) bool { return b.Wire == f.Wire && b.Region == region })
			if row.wire == Zones && last >= 0 && len(f.Nodes) == 0 && !slices.ContainsFunc(regions[region], isNew) {
				f.Nodes = before[last].Nodes
			}
			if len(f.Nodes) > 0 {
				found = append(found, f)
			}
		}
	}
	return found
}

// Holds is what waits because of the finding.
func (f Finding) Holds() Hold { return table[f.row()].holds }

// Text says which nodes show it, and what to write.
func (f Finding) Text() string {
	return fmt.Sprintf("In %s: %s. %s.", f.Region, text.Few(f.Nodes), table[f.row()].advice)
}

func (f Finding) row() int {
	for i, row := range table {
		if row.wire == f.Wire {
			return i
		}
	}
	return 0
}

// Held says by region for which argument of the servers something waits: the first of the table.
func Held(findings []Finding, hold Hold) map[string]string {
	held := map[string]string{}
	for _, f := range slices.Backward(findings) {
		if f.Holds() == hold {
			held[f.Region] = table[f.row()].line
		}
	}
	return held
}

// each lists the nodes that show a loose wire, with what is said of the server.
func each(shows func(Node) (said string, loose bool)) func([]Node) []string {
	return func(nodes []Node) (list []string) {
		for _, n := range nodes {
			if said, loose := shows(n); loose {
				list = append(list, fmt.Sprintf("%s (its server %s)", n.Name, said))
			}
		}
		return list
	}
}

// unnamed are all nodes of a region, where none of them ever had a server. One alone may be
// a server that could not be made.
func unnamed(nodes []Node) (names []string) {
	for _, n := range nodes {
		if n.Server.ID != "" || n.Had || !n.Search.Known || len(n.Search.Found) > 0 {
			return nil
		}
		names = append(names, n.Name)
	}
	return names
}

func elsewhere(n Node) (said string, loose bool) {
	for _, s := range n.Search.Found {
		if s.Region != n.Region {
			return fmt.Sprintf("%s is in %s", s.ID, s.Region), true
		}
	}
	return "", false
}

func leftOut(n Node) (said string, loose bool) {
	for _, s := range n.Search.Found {
		if s.Region == n.Region {
			return s.ID + " is left out", true
		}
	}
	return "", false
}

// isNew reports whether a server is seen for the first time, where its zone is settled.
func isNew(n Node) bool {
	settled := n.Server.Status == "ACTIVE" || n.Server.Status == "SHUTOFF"
	return !n.Had && settled && n.Zone != "" && n.Server.Zone != ""
}

func inAnotherZone(n Node) (said string, loose bool) {
	return fmt.Sprintf("is in %s, not in %s", n.Server.Zone, n.Zone), isNew(n) && n.Server.Zone != n.Zone
}

func former(n Node) (said string, loose bool) { return "is still the former one", n.Behind }

// The keys of a template that name what Nova shows of a server, as its arguments are named. Any
// other key may be about something else, such as an image of a container.
var (
	imageKeys  = []string{"image", "image_id", "image_name"}
	flavorKeys = []string{"flavor", "flavor_id", "flavor_name"}
)

// unlike are nodes whose templates name different images, or flavors, and whose servers were
// made from one.
func unlike(nodes []Node) (list []string) {
	type made struct{ key, from string }
	by := map[made]map[string][]string{} // nodes, by what their servers are made from and their templates say
	for _, n := range nodes {
		for key, value := range n.Template {
			at := made{key: key}
			switch {
			case slices.Contains(imageKeys, key):
				at.from = n.Image
			case slices.Contains(flavorKeys, key):
				at.from = n.Flavor
			}
			if by[at] == nil {
				by[at] = map[string][]string{}
			}
			by[at][value] = append(by[at][value], fmt.Sprintf("%s (%s = %s)", n.Name, key, value))
		}
	}
	for at, values := range by {
		if at.from != "" && len(values) > 1 {
			list = slices.Concat(list, slices.Concat(slices.Collect(maps.Values(values))...))
		}
	}
	slices.Sort(list)
	return list
}
