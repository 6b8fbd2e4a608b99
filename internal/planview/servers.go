package planview

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Server is a server, or another resource of a node, that a plan changes although no node change needs it.
type Server struct {
	Address string
	Effect  Effect
	Text    string // change and its reason
	Type    string
	Advice  string // what to change in the configuration, where it is to blame; otherwise ""

	isServer bool
	idle     bool // reports whether it has no node, and is left over by an earlier apply, or of this provider
}

// The fates of names without a node:
//
//   - kept: the slot stays.
//   - released: the slot is given up.
//   - gone: an earlier plan removed the node.
const (
	kept Fate = iota + Stays + 1
	released
	gone
)

// named is a node or a slot by its name. A node that moves to another place has two fates.
type named struct {
	fates []Fate
	with  []string // resources that are destroyed with it
	slot  bool     // reports whether it has a slot, and keeps it
	lost  bool     // reports whether its server is gone, and made again
}

// explain divides the changes of resources between the attachments of their nodes and slots, and the plan as a whole.
func (p *Plan) explain(changes []change) {
	for i := range p.Attachments {
		p.Attachments[i].name()
	}
	for _, c := range changes {
		if s, does := c.server(); does && c.isServer() && s.Effect == Created {
			if _, n := p.owner(c); n != nil {
				n.lost = true
			}
		}
	}
	for _, c := range changes {
		s, does := c.server()
		if !does || c.Type == resourceType {
			continue
		}
		a, n := p.owner(c)
		switch {
		case n != nil:
			a.give(n, s, c)
		case c.isServer() || s.Effect <= Destroyed:
			// Only servers are known by their type to belong to a node. Any other resource without a node is listed if
			// it is lost.
			s.idle = c.DeposedKey != "" || c.ours()
			p.Servers = append(p.Servers, s)
		}
	}
	for i := range p.Attachments {
		a := &p.Attachments[i]
		a.note()
		sortServers(a.Servers)
		sortServers(a.Undone)
	}
	sortServers(p.Servers)
}

// name fills in the nodes and slots by their names.
func (a *Attachment) name() {
	a.names = map[string]*named{}
	for _, n := range a.Nodes {
		if a.names[n.Name] == nil {
			a.names[n.Name] = &named{}
		}
		a.names[n.Name].fates = append(a.names[n.Name].fates, n.Fate)
	}
	fate := map[string]Fate{}
	for _, name := range a.slots {
		fate[name] = kept
	}
	for _, s := range a.Slots {
		fate[s.Name] = released
	}
	for name, fate := range fate {
		if a.names[name] == nil {
			a.names[name] = &named{fates: []Fate{fate}}
		}
		a.names[name].slot = fate == kept
	}
}

// owner returns the node to which a changed resource belongs, with its attachment, or nil. The attachment in the
// nearest module comes first, because two clusters in two modules may have nodes with the same names; then the longest
// name; then what exists before a node of an earlier plan.
func (p *Plan) owner(c change) (owner *Attachment, found *named) {
	var best []int
	for _, key := range keys(c.Address) {
		for i := range p.Attachments {
			a := &p.Attachments[i]
			name, n := a.named(key)
			if n == nil {
				continue
			}
			rank := []int{common(a.module, c.ModuleAddress), len(name), -int(n.fates[0])}
			if slices.Compare(rank, best) > 0 {
				owner, found, best = a, n, rank
			}
		}
		if found != nil {
			break
		}
	}
	return owner, found
}

// named returns the longest name of a node or slot that a key is, or with which it begins, followed by "/" or "-". A
// name that the attachment once gave to a node counts too.
func (a *Attachment) named(key string) (name string, n *named) {
	for end := len(key); end > 0; end = strings.LastIndexAny(key[:end], "/-") {
		name := key[:end]
		if a.names[name] == nil && a.had(name) {
			a.names[name] = &named{fates: []Fate{gone}}
		}
		if n := a.names[name]; n != nil {
			return name, n
		}
	}
	return "", nil
}

// give notes a change at a node or a slot.
func (a *Attachment) give(n *named, s Server, c change) {
	verdict := a.judge(n, s, c)
	switch {
	case verdict == undone:
		a.Undone = append(a.Undone, s)
	case verdict == unasked:
		if n.early(s, c) {
			s.Advice = "Nova refuses the second server of a port or a volume. Remove create_before_destroy from the " +
				"servers, and from all that refers to them."
			s.Text += ". " + s.Advice
		}
		a.Servers = append(a.Servers, s)
	case s.Effect == Destroyed && c.isServer():
		a.taken++
	case s.Effect == Destroyed && !c.ours():
		n.with = append(n.with, s.Address)
	}
}

// judgement is whether a node change asked for a change of a resource.
type judgement int

const (
	asked   judgement = iota // a node or a slot asked for it
	undone                   // the resource is missing, or left over
	unasked                  // nothing asked for it
)

// judge decides whether an effect on a resource follows from the change of its node or slot.
func (a *Attachment) judge(n *named, s Server, c change) judgement {
	is := func(fate Fate) bool { return slices.Contains(n.fates, fate) }
	yes := func(follows bool) judgement {
		if follows {
			return asked
		}
		return unasked
	}
	e := s.Effect
	switch {
	case n.early(s, c):
		return unasked
	case c.DeposedKey != "" || c.Reason == tainted: // an earlier apply did not end
		return undone
	case a.Action == Delete:
		return yes(e == Destroyed || e == Forgotten)
	case is(Comes) && is(Leaves): // the node moves to another place
		return asked
	case is(Comes):
		return yes(e == Created)
	case is(Leaves) || is(released):
		return yes(e == Destroyed && (!n.slot || !strings.HasPrefix(c.Type, "openstack_blockstorage_")))
	case e == Created || (e == Destroyed && (is(gone) || (is(kept) && c.ofServer()))):
		return undone
	case is(Remade):
		return yes(e == Replaced || e == ChangedInPlace || e == Destroyed && c.ofServer() && !c.isServer())
	case n.lost && e == Replaced && !c.keeps():
		return undone
	}
	return yes(is(Changes) && (e == Rebuilt || e == Resized || e == ChangedInPlace))
}

// early reports whether the server of a node that keeps its name, or its slot, is made before the old one is destroyed.
func (n *named) early(s Server, c change) bool {
	return c.isServer() && s.Effect == Replaced && c.Change.Actions[0] == "create" &&
		(n.slot || slices.Contains(n.fates, Remade))
}

// note adds what is destroyed to slots, or otherwise to the nodes that leave.
func (a *Attachment) note() {
	for i, s := range a.Slots {
		a.Slots[i].With = a.names[s.Name].with
		a.names[s.Name].with = nil
	}
	for i, n := range a.Nodes {
		if n.Fate == Leaves {
			a.Nodes[i].With = a.names[n.Name].with
		}
	}
}

// sortServers sorts resources that are known to be servers first.
func sortServers(list []Server) {
	slices.SortFunc(list, func(a, b Server) int {
		if a.isServer != b.isServer && a.isServer {
			return -1
		}
		if a.isServer != b.isServer {
			return 1
		}
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Effect, b.Effect), cmp.Compare(a.Address, b.Address),
			cmp.Compare(a.Text, b.Text))
	})
}

// common returns how many modules two addresses have in common.
func common(a, b string) (n int) {
	path, other := step.FindAllString(a, -1), step.FindAllString(b, -1)
	for n < min(len(path), len(other)) && path[n] == other[n] {
		n++
	}
	return n
}

// step matches a module in an address: its name, and its key if it has one.
var step = regexp.MustCompile(`module\.[^.\[]+(?:\[(?:[0-9]+|"(?:[^"\\]|\\.)*")\])?`)

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

// Resource returns the address of a resource without the key or the number of the instance.
func Resource(address string) string { return instance.ReplaceAllString(address, "") }

// instance matches the key or the number of an instance at the end of its address.
var instance = regexp.MustCompile(`\[(?:[0-9]+|"(?:[^"\\]|\\.)*")\]$`)

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

// listServers lists at most limit servers under a title.
func listServers(title string, servers []Server, limit int) []section {
	items := make([]item, len(servers))
	for i, s := range servers {
		items[i] = item{s.Address, s.Text}
	}
	return list(title+": "+count(servers), items, limit)
}

// Unasked lists the resources that a plan destroys, replaces, stops, rebuilds or resizes although no node change
// needs it. It leaves out objects that an earlier apply left over, and resources of this provider without a node,
// which hold no data.
func (p Plan) Unasked() []Server {
	var list []Server
	add := func(servers []Server) {
		for _, s := range servers {
			if s.Effect <= Resized && s.Effect != Forgotten && !s.idle {
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
