package planview

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Server is a server, or another resource of a node, that a plan changes although no node change needs it.
type Server struct {
	Address string
	Effect  Effect
	Text    string // change and its reason
	Type    string

	isServer bool
	index    int64 // index of its node
	leftOver bool  // reports whether it has no node, and an earlier apply left it over
	ours     bool  // reports whether it has no node, and is of this provider
}

// serverType is the default type of servers. Other resources of a node are recognized by the name of the node in
// their addresses.
const serverType = "openstack_compute_instance_v2"

// The fates of names without a node:
//
//   - kept: the slot stays.
//   - released: the slot is given up.
//   - gone: an earlier plan removed the node.
const (
	kept Fate = iota + Leaves + 1
	released
	gone
)

// explain divides the changes of resources between the attachments of their nodes and slots, and the plan as a whole.
func (p *Plan) explain(changes []change) {
	d := divide(p.Attachments)
	for _, c := range changes {
		s, does := c.server()
		if !does || c.Type == resourceType || d.take(s, c) {
			continue
		}
		// Only servers are known by their type to belong to a node. Any other resource without a node is listed if it
		// is lost.
		if c.isServer || s.Effect <= Destroyed {
			s.leftOver, s.ours = c.DeposedKey != "", c.ours()
			p.Servers = append(p.Servers, s)
		}
	}
	for i := range d.list {
		d.list[i].note(d.struck[i], d.with[i])
		sortServers(d.list[i].Servers)
		sortServers(d.list[i].Undone)
	}
	sortServers(p.Servers)
}

// division has what is known of each attachment of a list, at its position, and of the names of their nodes and slots.
type division struct {
	list    []Attachment
	owners  map[string][]int // attachments that have a name
	fates   []map[string][]Fate
	indices []map[string]int64
	struck  []map[string]string   // changes of servers, by node
	with    []map[string][]string // resources that are destroyed with them, by node or slot
}

func divide(list []Attachment) division {
	d := division{list: list, owners: map[string][]int{}}
	for i := range list {
		fates, indices := list[i].fates()
		for name := range fates {
			d.owners[name] = append(d.owners[name], i)
		}
		d.fates, d.indices = append(d.fates, fates), append(d.indices, indices)
		d.struck, d.with = append(d.struck, map[string]string{}), append(d.with, map[string][]string{})
	}
	return d
}

// take gives a change to the attachment of its node. It reports false if no attachment has a node of such a name.
func (d division) take(s Server, c change) bool {
	for _, name := range keys(c.Address) {
		if d.owners[name] == nil {
			d.owners[name] = formerOwners(d.list, d.fates, name)
		}
		nearest := nearest(d.list, d.owners[name], c.ModuleAddress)
		if len(nearest) == 0 {
			continue
		}
		verdict := asked
		for _, i := range nearest {
			verdict = max(verdict, d.list[i].judge(d.fates[i][name], s, c))
		}
		s.index = d.indices[nearest[0]][name]
		d.give(nearest[0], name, verdict, s, c)
		return true
	}
	return false
}

// give notes a change at an attachment.
func (d division) give(i int, name string, verdict judgement, s Server, c change) {
	a := &d.list[i]
	switch {
	case verdict == undone:
		a.Undone = append(a.Undone, s)
	case verdict == unasked:
		a.Servers = append(a.Servers, s)
	case s.Effect == Destroyed && c.isServer:
		a.taken++
	case s.Effect == Destroyed && !c.ours():
		d.with[i][name] = append(d.with[i][name], s.Address)
	}
	if verdict != asked && s.Effect <= Resized {
		d.struck[i][name] = cmp.Or(d.struck[i][name], s.Address+" "+s.Text)
	}
}

// fates returns the fates of all names that resources may have as their key, and the indices of the nodes.
func (a *Attachment) fates() (map[string][]Fate, map[string]int64) {
	fates, indices := map[string][]Fate{}, map[string]int64{}
	for _, p := range a.bins() {
		for _, n := range p.Nodes {
			fates[n.Name] = append(fates[n.Name], n.Fate)
			indices[n.Name] = n.Index
		}
	}
	other := func(name string, fate Fate) {
		if len(fates[name]) == 0 {
			fates[name] = []Fate{fate}
		}
	}
	for _, s := range a.Slots {
		other(s.Name, released)
		indices[s.Name] = s.Index
	}
	for _, name := range a.slots {
		other(name, kept)
	}
	return fates, indices
}

// formerOwners returns the attachments that once gave a name to a node and do not have the node any more. It adds the
// name to their fates.
func formerOwners(list []Attachment, fates []map[string][]Fate, name string) (owners []int) {
	for i := range list {
		if list[i].had(name) {
			fates[i][name] = []Fate{gone}
			owners = append(owners, i)
		}
	}
	return owners
}

// judgement is whether a node change asked for a change of a resource.
type judgement int

const (
	asked   judgement = iota // a node or a slot asked for it
	undone                   // the resource is missing, or left over
	unasked                  // nothing asked for it
)

// judge decides whether an effect on a resource with a name follows from the change of the node or slot with that
// name.
func (a *Attachment) judge(fates []Fate, s Server, c change) judgement {
	is := func(fate Fate) bool { return slices.Contains(fates, fate) }
	yes := func(follows bool) judgement {
		if follows {
			return asked
		}
		return unasked
	}
	e := s.Effect
	switch {
	case c.DeposedKey != "" || c.Reason == tainted: // an earlier apply did not end
		return undone
	case a.Action == Delete:
		return yes(e == Destroyed || e == Forgotten)
	case is(Comes) && is(Leaves): // the node moves to another place
		return asked
	case is(Comes):
		return yes(e == Created)
	case is(Leaves) || is(released):
		return yes(e == Destroyed)
	case e == Created || (e == Destroyed && (is(gone) || (is(kept) && c.ofServer()))):
		return undone
	case is(Remade):
		return yes(e == Replaced || e == ChangedInPlace)
	}
	return yes(is(Changes) && (e == Rebuilt || e == Resized || e == ChangedInPlace))
}

// note adds what happens to servers to the nodes that stay or change, and what is destroyed to the nodes that leave
// and to slots.
func (a *Attachment) note(struck map[string]string, with map[string][]string) {
	for i, s := range a.Slots {
		a.Slots[i].With = with[s.Name]
		delete(with, s.Name)
	}
	for _, p := range a.bins() {
		for i, n := range p.Nodes {
			switch n.Fate {
			case Leaves:
				p.Nodes[i].With = with[n.Name]
			case Stays, Changes, Remade, Returns:
				p.Nodes[i].Server = struck[n.Name]
			}
		}
	}
}

// sortServers sorts resources that are known to be servers first.
func sortServers(list []Server) {
	slices.SortFunc(list, func(a, b Server) int {
		if a.isServer != b.isServer {
			if a.isServer {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Effect, b.Effect), cmp.Compare(a.index, b.index),
			cmp.Compare(a.Address, b.Address), cmp.Compare(a.Text, b.Text))
	})
}

// nearest returns the attachments of a list whose modules have most in common with a module: two clusters in two
// modules may have nodes with the same names.
func nearest(list []Attachment, from []int, module string) (best []int) {
	most := -1
	path := steps(module)
	for _, i := range from {
		common, other := 0, steps(list[i].module)
		for common < min(len(path), len(other)) && path[common] == other[common] {
			common++
		}
		if common > most {
			most, best = common, nil
		}
		if common == most {
			best = append(best, i)
		}
	}
	return best
}

// step matches a module in an address: its name, and its key if it has one.
var step = regexp.MustCompile(`module\.[^.\[]+(?:\[(?:[0-9]+|"(?:[^"\\]|\\.)*")\])?`)

func steps(module string) []string { return step.FindAllString(module, -1) }

// keyed matches an instance of for_each in an address.
var keyed = regexp.MustCompile(`\["(?:[^"\\]|\\.)*"\]`)

// keys lists the keys in an address, the last one first.
func keys(address string) (list []string) {
	for _, part := range keyed.FindAllString(address, -1) {
		if key, err := strconv.Unquote(part[1 : len(part)-1]); err == nil {
			list = append(list, key)
		}
	}
	slices.Reverse(list)
	return list
}

// count says how many servers, and other resources of nodes, are changed and how, in the order of the list, or
// returns "".
func count(list []Server) string {
	type kind struct {
		noun   string
		effect Effect
	}
	counts := map[kind]int64{}
	var kinds []kind
	for _, s := range list {
		k := kind{"server", s.Effect}
		if !s.isServer {
			k.noun = s.Type + " resource"
		}
		if counts[k]++; counts[k] == 1 {
			kinds = append(kinds, k)
		}
	}
	parts := make([]string, len(kinds))
	for i, k := range kinds {
		verb := "are"
		if counts[k] == 1 {
			verb = "is"
		}
		parts[i] = fmt.Sprintf("%s %s %s", text.Count(counts[k], k.noun), verb, effects[k.effect])
	}
	return text.And(parts)
}

// listServers lists at most limit servers under a title. It returns nothing for an empty list.
func listServers(title string, list []Server, limit int) []section {
	if len(list) == 0 {
		return nil
	}
	s := section{title: title + ": " + count(list), warns: true}
	for _, server := range list {
		s.items = append(s.items, item{server.Address, server.Text})
	}
	return []section{s.most(limit)}
}

// Unasked lists the resources that a plan destroys, replaces, stops, rebuilds or resizes although no node change
// needs it. It leaves out objects that an earlier apply left over, and resources of this provider without a node,
// which hold no data.
func (p Plan) Unasked() []Server {
	var list []Server
	add := func(servers []Server) {
		for _, s := range servers {
			if s.Effect <= Resized && s.Effect != Forgotten && !s.leftOver && !s.ours {
				list = append(list, s)
			}
		}
	}
	add(p.Servers)
	for _, a := range p.Attachments {
		if a.Action == Delete || a.Action == Replace {
			forgets := "forgets its " + text.Nodes(a.Before)
			list = append(list, Server{Address: a.Address, Type: resourceType, Text: forgets})
		}
		add(a.Servers)
	}
	return list
}
