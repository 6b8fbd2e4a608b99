package planview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Action is what a plan does to a resource.
type Action int

// The actions, in the order in which they are shown: changes that cannot be undone come first.
const (
	Delete Action = iota
	Replace
	Create
	Update
	Forget
	Keep
)

// actions are the actions by Terraform's words for them.
var actions = map[string]Action{
	"no-op": Keep, "read": Keep, "create": Create, "update": Update, "delete": Delete, "forget": Forget,
	"delete create": Replace, "create delete": Replace, "create forget": Replace,
}

// Fate is what a plan does to a node.
type Fate int

// The fates, in the order in which they are shown.
const (
	Leaves Fate = iota
	Comes
	Returns // left in an earlier plan, and its server is still there
	Changes
	Remade // keeps its name and place, and its server is destroyed and made again
	Stays
)

// fates are the words for each fate of a node that changes, in order.
var fates = [Stays]string{"removed", "added", "returned", "changed in place", "made again"}

// Plan is the part of a Terraform plan that is shown.
type Plan struct {
	Attachments []Attachment // by address
	Totals      Totals
	Servers     []Server // changes of servers without a node, and destroyed resources without a node
	Changes     []string // address and actions of each resource that the plan changes, sorted
}

// Attachment is a placement attachment as a plan changes it.
type Attachment struct {
	Address  string
	Cluster  string
	Action   Action
	Imported bool

	Before, After int64     // number of nodes
	Nodes         []Node    // by fate and index
	Remaining     int64     // nodes that the update still has to replace after this plan
	Phase         string    // phase after the apply
	Status        string    // the same for people
	Summary       string    // table of the places after the plan; "" if the attachment is destroyed
	Pause         string    // argument of the update
	Why           []string  // why it changes them, by reason
	Held          []string  // what holds nodes that should be replaced, by reason
	Warnings      []Warning // warnings of the log of the plan
	Servers       []Server  // changes of servers that no node change explains
	Undone        []Server  // missing resources that are created, and destroyed ones of an earlier apply
	Slots         []Slot    // slots that are given up, by index

	module string
	taken  int64                  // number of servers that are destroyed because their nodes leave
	slots  []string               // names of all slots before the plan
	had    func(name string) bool // reports whether the attachment has ever given the name to a node
	hidden bool                   // whether values of templates are sensitive: reasons may name them
	names  map[string]*named      // nodes and slots by their names, which resources may have as their key
}

// Node is a node before or after the plan.
type Node struct {
	Name   string
	Index  int64
	Place  string // region and zone
	Fate   Fate
	Reason string   // from where to where it moves
	With   []string // addresses of resources that are destroyed with its server
}

// Slot is a slot that is given up: the resources that are kept by its name are destroyed.
type Slot struct {
	Name  string
	Index int64
	Place string
	With  []string // addresses of destroyed resources
}

// Warning is something that a person should know about a plan.
type Warning struct{ Title, Text string }

// with lists the nodes of a fate by their indices.
func (a *Attachment) with(fate Fate) (list []Node) {
	for _, n := range a.Nodes {
		if n.Fate == fate {
			list = append(list, n)
		}
	}
	return list
}

// Totals are all changes of a plan.
type Totals struct {
	Types []Total // by name
	All   Total

	Everything bool // reports whether everything that the plan knows is destroyed
}

// Total is the number of changes of a type of resources.
type Total struct {
	Type   string
	Counts [Keep]int64 // by action
}

// String returns the numbers.
func (t Total) String() string {
	words := [...]string{"destroyed", "replaced", "created", "changed", "forgotten"}
	var parts []string
	for i, n := range t.Counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words[i]))
		}
	}
	return strings.Join(parts, ", ")
}

// totals counts the changes by type.
func totals(changes []change) Totals {
	t := Totals{Everything: true}
	for _, c := range changes {
		i, there := slices.BinarySearchFunc(t.Types, c.Type, func(t Total, name string) int {
			return cmp.Compare(t.Type, name)
		})
		if !there {
			t.Types = slices.Insert(t.Types, i, Total{Type: c.Type})
		}
		action, known := c.action()
		if known && action < Keep {
			t.Types[i].Counts[action]++
			t.All.Counts[action]++
		}
		t.Everything = t.Everything && known && action == Delete
	}
	t.Types = slices.DeleteFunc(t.Types, func(t Total) bool { return t.String() == "" })
	return t
}

// whole reports all changes of the plan, above the attachments.
func (p Plan) whole(limit int) report {
	r := report{title: "The whole plan", lead: "Resources: " + p.Totals.All.String() + "."}
	switch {
	case len(p.Totals.Types) == 0:
		r.lead = "No resource changes."
	case p.Totals.Everything:
		r.lead = "Everything is destroyed: " + text.Count(p.Totals.All.Counts[Delete], "resource") + "."
	}
	var types []item
	for _, t := range p.Totals.Types {
		types = append(types, item{t.Type, t.String()})
	}
	r.sections = slices.Concat(listServers("They belong to no node", p.Servers, limit), list("By type", types, limit))
	return r
}
