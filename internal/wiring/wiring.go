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
	Template           map[string]string

	Server node.Node // of its name, in its region, that the selector selects; without an ID: none was found
	Image  string    // that the server is made from; "": Nova does not show it
	Flavor string
	Search Search // by its name, where none was found
	Had    bool   // an earlier look found a server
	Made   bool   // the server was made, or changed, after the node got its template
	Behind bool   // the server is the one of an earlier generation
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

// row is a wire: which nodes show that it is loose, each as it is said, and what to do.
type row struct {
	wire   Wire
	holds  Hold
	loose  func(nodes []Node) []string // of one region
	advice string
}

var table = []row{
	{Names, Nothing, unnamed, "No server of a project has these names in any listed region. If the last apply failed, " +
		"apply again. Otherwise the servers have other names: write name = each.key"},
	{Regions, Batches, each(inAnotherRegion), "The servers are in another region than their nodes: write " +
		"region = each.value.region"},
	{Selector, Batches, each(leftOut), "The servers are there, and the selector leaves them out: correct selector, or " +
		"give the servers what it asks for"},
	{Zones, Moves, each(inAnotherZone), "The servers were made in another zone than their nodes: write " +
		"availability_zone = each.value.zone. Where the cloud takes no zone, list none. No node of the region moves " +
		"until a new server is in the zone of its node"},
	{Templates, Batches, unlike, "The servers have one image, or one flavor, and their templates have different ones: " +
		"take it from the node, as in image_name = each.value.template.image. Two names of one image are written as one"},
	{Generations, Batches, each(func(n Node) string { return sayIf(n.Behind, n.Name) }),
		"The servers should have been made again, and are still the former ones: write " +
			"replace_triggered_by = [terraform_data.generation[each.key]], with each.value.generation as its input"},
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
			if row.wire == Zones && len(f.Nodes) == 0 && !slices.ContainsFunc(regions[region], inItsZone) {
				f.Nodes = last(before, f)
			}
			if len(f.Nodes) > 0 {
				found = append(found, f)
			}
		}
	}
	return found
}

// last are the nodes of an earlier finding of the same wire and region.
func last(before []Finding, f Finding) []string {
	for _, b := range before {
		if b.Wire == f.Wire && b.Region == f.Region {
			return b.Nodes
		}
	}
	return nil
}

func (f Finding) row() row {
	return table[slices.IndexFunc(table, func(r row) bool { return r.wire == f.Wire })]
}

// Holds is what waits because of the finding.
func (f Finding) Holds() Hold { return f.row().holds }

// Held says by region for which wire something waits: the first of the table.
func Held(findings []Finding, hold Hold) map[string]Wire {
	held := map[string]Wire{}
	for _, f := range slices.Backward(findings) {
		if f.Holds() == hold {
			held[f.Region] = f.Wire
		}
	}
	return held
}

// Text says which nodes show it, and what to write.
func (f Finding) Text() string {
	return fmt.Sprintf("In %s: %s. %s.", f.Region, text.Few(f.Nodes), f.row().advice)
}

// each says of single nodes that they show a loose wire; "": they do not.
func each(say func(Node) string) func([]Node) []string {
	return func(nodes []Node) (said []string) {
		for _, n := range nodes {
			if text := say(n); text != "" {
				said = append(said, text)
			}
		}
		return said
	}
}

func sayIf(is bool, said string) string {
	if is {
		return said
	}
	return ""
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

// found is a server of the node's name that the selector did not select, in its region or
// in another one.
func (n Node) found(here bool) (server node.Node, there bool) {
	i := slices.IndexFunc(n.Search.Found, func(s node.Node) bool { return (s.Region == n.Region) == here })
	if i < 0 || n.Server.ID != "" {
		return node.Node{}, false
	}
	return n.Search.Found[i], true
}

func inAnotherRegion(n Node) string {
	server, there := n.found(false)
	return sayIf(there, fmt.Sprintf("%s (server %s, in %s)", n.Name, server.ID, server.Region))
}

func leftOut(n Node) string {
	server, there := n.found(true)
	return sayIf(there, fmt.Sprintf("%s (server %s)", n.Name, server.ID))
}

// isNew reports whether a server is seen for the first time, where its zone is settled.
func isNew(n Node) bool {
	return !n.Had && (n.Server.Status == "ACTIVE" || n.Server.Status == "SHUTOFF") && n.Zone != "" && n.Server.Zone != ""
}

func inItsZone(n Node) bool { return isNew(n) && n.Server.Zone == n.Zone }

func inAnotherZone(n Node) string {
	return sayIf(isNew(n) && !inItsZone(n), fmt.Sprintf("%s (%s, its server in %s)", n.Name, n.Zone, n.Server.Zone))
}

// unlike are nodes whose templates name different images, or flavors, and whose servers were
// made from one.
func unlike(nodes []Node) (said []string) {
	for word, of := range map[string]func(Node) string{
		"image":  func(n Node) string { return n.Image },
		"flavor": func(n Node) string { return n.Flavor },
	} {
		type made struct{ key, from string }
		by := map[made]map[string][]string{} // names of nodes, by what their servers are made from and their templates say
		for _, n := range nodes {
			for key, value := range n.Template {
				from := of(n)
				if !n.Made || from == "" || !strings.Contains(key, word) {
					continue
				}
				at := made{key, from}
				if by[at] == nil {
					by[at] = map[string][]string{}
				}
				by[at][value] = append(by[at][value], fmt.Sprintf("%s (%s = %s)", n.Name, key, value))
			}
		}
		for _, values := range by {
			if len(values) > 1 {
				said = slices.Concat(said, slices.Concat(slices.Collect(maps.Values(values))...))
			}
		}
	}
	slices.Sort(said)
	return said
}
