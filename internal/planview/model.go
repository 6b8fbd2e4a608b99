package planview

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// Action is what a plan does to an attachment.
type Action int

// The actions.
const (
	Keep Action = iota
	Create
	Update
	Replace
	Delete
)

// Fate is what a plan does to a node.
type Fate int

// The fates, in the order in which they are drawn.
const (
	Stays Fate = iota
	Changes
	Remade // keeps its name and place, and its server is destroyed and made again
	Comes
	Leaves
)

// Plan is what is drawn of a Terraform plan.
type Plan struct {
	Attachments []Attachment // by address
	Totals      *Totals      // nil: what is drawn is not all of a plan
	Servers     []Server     // what it does to servers of no node, and what else of no node it destroys
}

// Attachment is a placement attachment as a plan changes it.
type Attachment struct {
	Address  string
	Cluster  string
	Action   Action
	Imported bool
	Unknown  bool // whether the nodes become known during the apply only

	Before, After int64 // number of nodes
	Regions       []Region
	Templates     []Template // in use before or after, by number
	Remaining     int64      // nodes that the update still has to replace after this plan
	Updates       bool       // whether there is an update
	Warnings      []Warning
	Servers       []Server // what the plan does to servers that no node change explains
	Undone        []Server // what nodes lack is created, and what an earlier apply left over is destroyed
	Slots         []Slot   // those that are given up, by index

	module    string
	heldMore  int64                   // number of nodes that are held, and of which the plan does not say why
	taken     int64                   // number of servers that are destroyed because their nodes leave
	slots     []string                // all names that have one before the plan
	had       func(name string) bool  // whether it has given the name to a node
	templates map[roster.Template]int // their numbers
}

// Region is a region with its zones; without any it has the nodes itself.
type Region struct {
	Bin
	Zones []Bin
}

// Bin is a region or a zone.
type Bin struct {
	Name          string
	Before, After int64
	Ideal         string // share of the cluster after the plan, "" where the place is not listed
	Weight        int64  // 0: not listed
	Min, Cap      int64  // Cap: [placement.Unlimited] for none
	Note          string // what binds after the plan
	Nodes         []Node // by fate and index; in a region with zones they are in the zones
}

// Node is a node in a place.
type Node struct {
	Name     string
	Index    int64
	Place    string // region and zone
	Fate     Fate
	Template int      // its number, after the plan or of a node that leaves; 0: none
	Old      int      // of a node that changes or is made again: the template before
	Reason   string   // why that happens; of a node that stays: what keeps it from being replaced
	Server   string   // what happens to its server though the node does not ask for it
	With     []string // addresses of what is destroyed with its server
}

// Slot is a slot that is given up: what is kept by its name is destroyed.
type Slot struct {
	Name  string
	Index int64
	Place string
	With  []string // addresses of what is destroyed
}

// Template is what nodes are made from.
type Template struct {
	Number        int               // given by the drawing, from 1
	Values        map[string]string // nil: not shown
	Hidden        bool              // because it is sensitive
	Before, After int64             // number of nodes
}

// Warning is something that a person should know about a plan.
type Warning struct{ Title, Text string }

// bins are the regions, each followed by its zones.
func (a *Attachment) bins() (list []*Bin) {
	for i := range a.Regions {
		r := &a.Regions[i]
		list = append(list, &r.Bin)
		for j := range r.Zones {
			list = append(list, &r.Zones[j])
		}
	}
	return list
}

// with lists the nodes of a fate by their indices.
func (a *Attachment) with(fate Fate) (list []Node) {
	for _, p := range a.bins() {
		for _, n := range p.Nodes {
			if n.Fate == fate {
				list = append(list, n)
			}
		}
	}
	slices.SortFunc(list, byIndex)
	return list
}

// byIndex orders nodes by fate, then by index.
func byIndex(a, b Node) int {
	return cmp.Or(cmp.Compare(a.Fate, b.Fate), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Name, b.Name))
}

// title is the name of the place for people.
func (p Bin) title() string { return cmp.Or(p.Name, "(no zone)") }

// template says which template a node has or, where it gets another one, both. Some says
// whether nodes have templates at all.
func (n Node) template(some bool) string {
	switch {
	case n.Old != n.Template && (n.Fate == Changes || n.Fate == Remade):
		return fmt.Sprintf(", template %d to %d", n.Old, n.Template)
	case some:
		return fmt.Sprintf(", template %d", n.Template)
	}
	return ""
}
