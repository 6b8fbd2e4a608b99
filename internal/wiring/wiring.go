// Package wiring checks the lines of a configuration that make servers follow their nodes, and names the missing
// ones. [Judge] compares the nodes of a placement attachment with the servers of a plan, before anything happens.
// [Check] compares them with the servers in the cloud, for what no plan shows.
//
// A missing line has no effect before the first change, and may then cost the whole cluster: servers whose names
// differ from the names of their nodes look like servers that are gone. So each kind of line is a wire, a row of one
// table, and a loose wire holds batches until it is repaired.
package wiring

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Node is a node of the attachment, with what was found of it in the cloud.
type Node struct {
	Name, Region, Zone string

	Server node.Node // server with its name, in its region, that the selector selects; without an ID if none was found
	Search Search    // search by its name, if no server was found
	Had    bool      // reports whether an earlier look found a server
}

// Search is a search by exact name without the selector, in the node's region and in the other listed ones.
type Search struct {
	Complete bool        // reports whether all regions gave a complete answer
	Found    []node.Node // servers with the name
}

// Wire is a line that makes servers follow their nodes.
type Wire string

// The wires.
const (
	Names    Wire = "names"
	Regions  Wire = "regions"
	Selector Wire = "selector"
	Zones    Wire = "zones"
)

// Hold is what has to wait while a wire is loose.
type Hold int

// The holds.
const (
	Moves   Hold = iota // no node of the region moves: the cause PLACEMENT
	Batches             // no batch begins
	Unmade              // no node moves; no batch begins either, unless a readiness attachment compares the names
)

// table has the wires in the order in which they are checked: the argument of the server, what has to wait, which
// nodes of a region show that the wire is loose, and what to do.
var table = []struct {
	wire   Wire
	line   string
	holds  Hold
	loose  func(nodes []Node) []string
	advice string
}{
	{Names, "name", Unmade, unnamed, "No server of the project has these names in any listed region. If the last " +
		"apply failed, apply again. Otherwise the servers have other names: write name = each.key"},
	{Regions, "region", Batches, each(elsewhere), "Write region = each.value.region"},
	{Selector, "selector", Batches, each(leftOut), "The selector leaves them out: correct selector, or give the " +
		"servers what it asks for"},
	{Zones, "availability_zone", Moves, inOtherZones, "Write availability_zone = each.value.zone. If it is there, " +
		"either the zone has another name now, so list that name, or the cloud ignores zones, so list none. No node " +
		"of the region moves until a new server is in the zone of its node"},
}

// Finding is a loose wire in a region.
type Finding struct {
	Wire   Wire     `json:"wire"`
	Region string   `json:"region"`
	Nodes  []string `json:"nodes"` // nodes that show it, each with what was seen, by name
}

// Check finds the loose wires, in the order of the table and by region. The argument before has the findings of the
// last check. Servers are seen in a new zone only once, so a finding about zones stays until a new server is in the
// zone of its node.
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

// Holds returns what has to wait because of the finding.
func (f Finding) Holds() Hold { return table[f.row()].holds }

// Text says which nodes show the loose wire, and what to write.
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

// Held returns, by region, the argument of the servers because of which something has to wait: the first one in the
// table.
func Held(findings []Finding, holds ...Hold) map[string]string {
	held := map[string]string{}
	for _, f := range slices.Backward(findings) {
		if slices.Contains(holds, f.Holds()) {
			held[f.Region] = table[f.row()].line
		}
	}
	return held
}

// each lists the nodes that show a loose wire, with a text about the server.
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

// unnamed returns all nodes of a region if none of them ever had a server. A single node does not count, because its
// server may have failed.
func unnamed(nodes []Node) (names []string) {
	for _, n := range nodes {
		if n.Server.ID != "" || n.Had || !n.Search.Complete || len(n.Search.Found) > 0 {
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

// isNew reports whether a server is seen for the first time, and its zone is settled.
func isNew(n Node) bool {
	settled := n.Server.Status == "ACTIVE" || n.Server.Status == "SHUTOFF"
	return !n.Had && settled && n.Zone != "" && n.Server.Zone != ""
}

// inOtherZones returns the new servers that are not in the zones of their nodes, if half of the new ones are not. A
// single server may have been migrated before the first look at it.
func inOtherZones(nodes []Node) []string {
	fresh := 0
	list := each(func(n Node) (said string, loose bool) {
		if isNew(n) {
			fresh++
		}
		return fmt.Sprintf("is in %s, not in %s", n.Server.Zone, n.Zone), isNew(n) && n.Server.Zone != n.Zone
	})(nodes)
	if len(list) < 2 || 2*len(list) < fresh {
		return nil
	}
	return list
}
