package wiring

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Value is an attribute in a plan. Terraform may know it only at apply.
type Value struct {
	Text    string // "" for null
	Unknown bool
}

// given reports whether there is a value, and Terraform knows it.
func (v Value) given() bool { return !v.Unknown && v.Text != "" }

// differs reports whether two values are known and differ.
func (v Value) differs(other Value) bool { return v.given() && other.given() && v.Text != other.Text }

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
	Revised      bool              // whether it gives the node another template, as a node without a server
	Serves       string            // id of its server if the plan leaves the node as it is, and it serves
	Taken        bool              // whether a server of its name is there, as far as is known
	Dead         []string          // ids of those in ERROR
	Managed      bool              // whether Terraform has that server, so that it is replaced if the plan makes one
	Port         string            // port that the server has, and that the one which the plan makes gets
}

// Plan is what Terraform does to the servers of a cluster.
type Plan struct {
	Nodes      []Planned
	InPlace    bool     // whether the method of the update is IN_PLACE
	MakesFirst bool     // whether the new server of a node is made before the old one ends
	Batch      int      // number of nodes that the plan may still replace; negative if that is not known
	Free       int      // number of servers that Terraform may make beside those that nodes ask for
	Failed     []string // servers of the cluster that failed, each with its id
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
	Title string
	lines []line
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
		{nodesThat(keepsServer), "Write replace_triggered_by = [terraform_data.generation[each.key]] in the " +
			"lifecycle of the servers, with each.value.generation as its input"},
	}},
	{Title: "A look did not find servers", lines: []line{{nodesThat(hidden), "Terraform has these servers, and the " +
		"look at the cloud before this plan did not find them, so the plan gives their nodes another template and " +
		"makes no other server. Plan again, without -refresh=false. If they are never found, correct the selector " +
		"or the names of the servers"}}},
	{Title: "A port is still in use", lines: []line{{portInUse, "Terraform makes the new server before the old one " +
		"ends, and Nova refuses it: Port is still in use. It is tainted, or -replace names it: run terraform " +
		"untaint, or leave -replace out, and name the node in candidates, whose substitute gets a port of its own. " +
		"Or replace the port too, with -replace"}}},
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
				faults = append(faults, Fault{Node: list[0].node, Title: m.Title,
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
	if again := nodesThat(remade)(p); len(again) > p.Free {
		advice := "Name their nodes in candidates"
		if len(p.Failed) > 0 {
			advice = "Delete what failed (openstack server delete ID): " + text.Few(p.Failed) + "; or name their " +
				"nodes in candidates"
		}
		faults = append(faults, Fault{
			Node: again[0].node, Title: "Too many servers would be made",
			Text: fmt.Sprintf("Terraform makes servers again whose names others have: %s. %d more may be made, "+
				"because there are at most two batches beyond the cluster, and an apply destroys none before the new "+
				"ones are there. %s. What is not known is seen without -refresh=false.", few(again), p.Free, advice),
		})
	}
	if beside := nodesThat(changed)(p); len(beside) > 0 && p.Batch >= 0 {
		faults = append(faults, Fault{
			Node: beside[0].node, Title: "Servers change outside of the batch", Passes: len(beside) <= p.Batch,
			Text: fmt.Sprintf("Terraform replaces or changes %s, which serve, although no node asks for it: %s. This "+
				"plan may replace %s more. %s", text.Count(int64(len(beside)), "server"), few(beside),
				text.Nodes(int64(p.Batch)), besideAdvice(p.Nodes)),
		})
	}
	return faults
}

// besideAdvice says how servers that change outside of the batch get into it, or do not change. Terraform untaints its
// own server, which is not the one that serves if it failed.
func besideAdvice(nodes []Planned) (advice string) {
	if slices.ContainsFunc(nodes, Planned.outlived) {
		advice = "Where a new server failed, name the node in candidates, or delete what failed (openstack server " +
			"delete ID): to untaint it does not help. "
	}
	if slices.ContainsFunc(nodes, func(n Planned) bool { return n.madeAgain() && !n.outlived() }) {
		advice += "A server that is tainted, or that -replace names, is made again: to have it replaced by this " +
			"plan, name its node in candidates; else run terraform untaint, or leave -replace out. "
	}
	return advice + "If an argument of the servers changed, or what the cloud says of it, the plan shows which: let " +
		"the servers ignore it (ignore_changes), or hand it to them by the template."
}
