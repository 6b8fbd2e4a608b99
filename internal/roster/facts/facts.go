package facts

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// Fact is what a plan knows about a node. It is worked out once.
type Fact struct {
	Name string
	roster.Node
	Server node.Node
	Is     *Condition

	Looked  bool // whether a look at the cloud followed since the node was made or changed
	Missing bool // whether that look did not find its server
	// whether it is missing and was never in service: its creation was refused, or its server has another name
	Unfound         bool
	Protected       string          // why it must stay as it is, such as "is locked"; "" for a free node
	Closed          bool            // whether its place is closed for maintenance
	RegionUntouched bool            // whether its region is not looked at, or was not until now
	Untouched       string          // why no update touches it, such as "is closed"; "" if an update may
	MissingWire     string          // wire because of which no batch begins, or ""
	MissingLine     string          // line because of which no node of its region moves, or ""
	Later           bool            // whether its server carries a later mark or generation than the node has
	Outdated        bool            // whether it has another template, or a flavor that is not listed any more
	Settled         bool            // whether it has the settled template of its place
	Asked           placement.Place // place that Nova was asked for: the region if that lists no zones
	NoHost          bool            // whether Nova found no host for its server there
	Lost            bool            // whether it never served, and Terraform does not seem to know its server
	Outlived        bool            // whether a newer server of it failed, while its own serves: its name was tried
	StillFull       bool            // whether that place is still full
	Other           bool            // whether it may have a host for another flavor
	PassedOver      bool            // whether it never had a server, its flavor is full, and another is left
	Earlier         string          // earlier flavor that is not full in its place; "" if there is none
	Aged            time.Time       // launch of its server if that is too old, else zero
	Early           bool            // whether it broke soon after it got into service
	Bakes           bool            // whether it has the wanted template, and must be in service for longer
	Lags            bool            // whether it needs no mark, and its server was not seen to change with the node
	NotRemade       bool            // whether its server should have been made again, and was not
	Undone          *Fact           // node before a change in place that was not carried out; nil if that did not serve
	Turn            int             // position in the order in which nodes leave, from 0
}

// UnderWay reports whether the node has the wanted template, and is not in service yet.
func (f *Fact) UnderWay() bool { return !f.Outdated && f.Is != Serving }

// Occupies reports whether the node is under way where an update may touch it, so that it counts against the batch.
func (f *Fact) Occupies() bool { return f.UnderWay() && f.Untouched == "" }

// Out reports whether the node counts as out of service: it is not proven in service, or nobody looks at its region.
func (f *Fact) Out() bool { return !f.Is.Proven || f.RegionUntouched }

// StandsUnchanged reports whether a server that is looked at did not follow its node, and was in service since.
func (f *Fact) StandsUnchanged() bool { return f.Is == Unchanged && f.Own() && !f.RegionUntouched }

// Free reports whether the node may be changed or removed.
func (f *Fact) Free() bool { return f.Protected == "" }

// Unhealthy reports whether the server of the node should be replaced because it does not work.
func (f *Fact) Unhealthy() bool {
	unwell := f.Is == Unwell || f.Is == Late && (f.Server.Unwell != "" || f.Server.Lacks())
	return f.Is == Failing || f.Is == Broken || unwell || f.Looked && f.Server.Tainted
}

// Sick reports whether the node counts as unhealthy. A node in a closed place does not count,
// because an operator knows about it.
func (f *Fact) Sick() bool { return f.Unhealthy() && f.Untouched == "" }

// Facts has a fact for each node, by name.
type Facts map[string]*Fact

// Assess works out the facts of all nodes, and the order in which they leave.
func Assess(now roster.Roster, seen roster.Seen, policy roster.Policy) Facts {
	all, names := make(Facts, len(now.Nodes)), now.Names()
	order := make([]node.Node, len(names))
	for i, name := range names {
		all[name] = FactOf(name, now.Nodes[name], now, seen, policy)
		order[i] = all[name].candidate(now, policy)
	}
	for i, at := range deletion.Order(order, policy.Criteria) {
		all[names[at]].Turn = i
	}
	return all
}

// FactOf works out what is known about a node.
func FactOf(name string, n roster.Node, now roster.Roster, seen roster.Seen, policy roster.Policy) *Fact {
	f := &Fact{}
	f.Set(name, n, now, seen, policy)
	return f
}

// Set works out what is known about a node, in place of another one: a large cluster is assessed without garbage.
func (f *Fact) Set(name string, n roster.Node, now roster.Roster, seen roster.Seen, policy roster.Policy) {
	*f = Fact{Name: name, Node: n, Server: seen.Servers[name]}
	f.Protected = protection(name, f.Server, policy)
	f.Closed, f.Untouched = policy.Closed(n.Place), policy.Untouched(n.Place)
	f.RegionUntouched = policy.Untouched(placement.Place{Region: n.Region}) != ""
	f.MissingWire, f.MissingLine = policy.MissingWire[n.Region], policy.MissingLine[n.Region]
	f.Outdated = policy.Outdated(n)
	f.Settled = len(now.Settled) > 0 && n.Template == now.Settled.At(n.Place)
	f.Asked = placement.Choice(policy.Regions, now.Home(name, n))
	f.Earlier = policy.EarlierFlavor(f.Asked, n, seen)
	f.look(seen, policy)
	if aged := seen.Aged[name]; aged.Mark == n.Mark {
		f.Aged = aged.Launched
	}
	f.Early, f.Outlived = seen.Early[name], seen.Outlived(name) && f.Looked && !policy.Blind && !policy.TakesFirst()
	f.Bakes = seen.Baking[f.Name] && policy.Pauses() && !f.Outdated && f.Is == Serving
	f.Undone = f.before(now, seen, policy)
}

// before returns what the node was before a change in place that was not carried out, or nil. Without a look after the
// last apply the change may be done, and a note of a wait for the node as it is now shows that it is.
func (f *Fact) before(now roster.Roster, seen roster.Seen, policy roster.Policy) *Fact {
	was, changes := now.Before[f.Name]
	unseen := policy.Blind || f.RegionUntouched || !f.Looked || f.Missing
	if !changes || unseen || f.Is == Serving || f.Noted() {
		return nil
	}
	now.Before = nil
	if before := FactOf(f.Name, was, now, seen, policy); before.Is.MayServe {
		return before
	}
	return nil
}

// look adds what a look at the cloud showed about the node.
func (f *Fact) look(seen roster.Seen, policy roster.Policy) {
	name, n := f.Name, f.Node
	f.Looked, f.Missing = seen.Looked(name) && !n.Doubt, seen.Missing[name] && !n.Doubt
	f.serve(seen, policy)
	f.Unfound = f.Missing && !f.Served && !policy.Blind
	if policy.Unmarked && f.Looked && !f.Missing && f.Is.MayServe && !f.Is.Fresh {
		f.MissingWire = cmp.Or(f.MissingWire, "no readiness attachment marks the servers: apply again, or add one")
	}
	for _, s := range seen.There(name) {
		f.Later = f.Later || roster.Mark(s.InService).Number() > n.Mark.Number() || s.Generation > n.Generation
	}
	f.hosts(seen, policy)
}

// hosts adds whether Nova found a host for the node, and whether Terraform knows its server.
func (f *Fact) hosts(seen roster.Seen, policy roster.Policy) {
	f.NoHost = f.Looked && NoHost(f.Server)
	f.Lost = f.Looked && !f.Served && !policy.Blind && policy.RequireMarks && f.Server.Unclaimed() &&
		(len(seen.Strays[f.Name]) > 0 || slices.Contains(policy.Awaited, f.Name))
	if f.NoHost || f.Unfound {
		f.flavors(seen, policy)
	}
}

// flavors adds whether its place has a host for another flavor.
func (f *Fact) flavors(seen roster.Seen, policy roster.Policy) {
	own := roster.Spot{Place: f.Asked, Flavor: f.Flavor}
	_, left := policy.FlavorOf(f.Asked, seen.Full)
	_, is := seen.Full[own]
	f.StillFull, f.PassedOver = f.NoHost && !left, f.Unfound && left && is
	full := map[roster.Spot]time.Time{own: {}}
	maps.Copy(full, seen.Full)
	_, other := policy.FlavorOf(f.Asked, full)
	f.Other = f.NoHost && other
}

// candidate returns the node as the deletion policy orders it.
func (f *Fact) candidate(now roster.Roster, policy roster.Policy) node.Node {
	n := f.Server
	n.Name, n.Index = f.Name, f.Index
	n.ID = cmp.Or(n.ID, f.Name)
	if !f.Looked {
		n.CreatedAt = time.Unix(1<<40, f.Index) // made by the apply before this plan: nothing is younger
	}
	if len(policy.Templates) > 0 {
		n.ProfileCreatedAt = time.UnixMilli(1 + now.Age(f.Template))
	}
	return n
}

// protection returns why a node must stay, or "".
func protection(name string, server node.Node, policy roster.Policy) string {
	id := cmp.Or(server.ID, name)
	switch {
	case slices.Contains(policy.Protected, name), slices.Contains(policy.Protected, id):
		return "is listed as protected"
	case server.Locked:
		return "is locked"
	case server.Protected:
		return "is marked as protected"
	}
	return ""
}

// NoHost reports whether Nova's scheduler found no host for a server, at once (NoValidHost) or after
// it tried the hosts that it had chosen (MaxRetriesExceeded, the result of a group's policy when two
// servers are created at the same moment).
func NoHost(server node.Node) bool {
	fault := strings.ToLower(server.Fault)
	return server.Status == "ERROR" && (strings.Contains(fault, "no valid host") ||
		strings.Contains(fault, "exceeded maximum number of retries"))
}

// Dead reports whether the node never served and never will: its server failed, or Terraform does not know it.
func (f *Fact) Dead() bool { return f.Is == Failing || f.Lost }

// ByIndex lists the facts about the nodes of a kind, by the indices of the nodes.
func (all Facts) ByIndex(is func(*Fact) bool) (list []*Fact) {
	for _, f := range all {
		if is(f) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, (*Fact).Compare)
	return list
}

// Compare orders nodes by index, then by name.
func (f *Fact) Compare(g *Fact) int {
	return cmp.Or(cmp.Compare(f.Index, g.Index), strings.Compare(f.Name, g.Name))
}

// Number counts the nodes of a kind.
func (all Facts) Number(is func(*Fact) bool) (n int64) {
	for _, f := range all {
		if is(f) {
			n++
		}
	}
	return n
}

// TrueFirst orders true before false.
func TrueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
