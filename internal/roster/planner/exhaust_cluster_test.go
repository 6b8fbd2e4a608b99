package planner_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
)

// truth is the strongest statement about a node that a look allows.
type truth string

const (
	serves  truth = "serves"
	out     truth = "is out of service"
	open    truth = "may serve"
	accused truth = "is accused" // a wait or a probe says that it is out of service, and may be wrong
)

// look is a look at a node and the memory of it, in words that put reads. No word is part of another.
type look struct {
	words string
	truth truth
}

// looks has all looks. A server is ACTIVE unless a word in capitals says something else, and carries its own mark, an
// earlier one, a later one (an older state was restored) or none; noted is the mark of a wait that ended without it.
// The memory has served, retried (the node is a second try) and doubt (nobody looked since it changed). A former server
// should have been made again, and was not seen to be. A node without any of these words is new.
var looks = slices.Concat(
	looksAt(serves, "served own", "own", "tainted served own", "unmeasured served own", "protected served own", "former served own"),
	looksAt(open, "new", "served", "served noted", "earlier", "served earlier", "served later", "UNKNOWN served own", "missing served",
		"doubt earlier", "doubt unlooked", "former earlier"),
	looksAt(accused, "noted", "noted retried", "unwell served own", "unwell", "missing"),
	looksAt(out, "ERROR", "ERROR unmade", "ERROR unmade retried", "ERROR retried", "ERROR served own", "ERROR served own protected",
		"BUILD", "SHUTOFF", "SHUTOFF served own", "drained served own"),
)

func looksAt(t truth, words ...string) (all []look) {
	for _, w := range words {
		all = append(all, look{words: w, truth: t})
	}
	return all
}

// kind is a node: a look at it, its place, and the image of its template: "a" is settled, "b" is wanted, and with "?"
// an import did not know the template.
type kind struct {
	look
	image string
	at    placement.Place
}

func (k kind) has(word string) bool { return strings.Contains(k.words, word) }
func (k kind) ill() bool            { return k.has("ERROR") || k.has("tainted") || k.has("unwell") }
func (k kind) String() string {
	return fmt.Sprintf("(%s %s %s%s)", k.image, k.words, k.at.Region, k.at.Zone)
}

var (
	home, closed = placement.Place{Region: "R"}, placement.Place{Region: "Q"}
	unlisted     = placement.Place{Region: "P"}
	zones        = []placement.Place{{Region: "R", Zone: "1"}, {Region: "R", Zone: "2"}}
)

// kinds returns all nodes with some looks, images and places.
func kinds(looks []look, images string, places ...placement.Place) (all []kind) {
	for _, l := range looks {
		for _, image := range images {
			for _, at := range places {
				all = append(all, kind{look: l, image: string(image), at: at})
			}
		}
	}
	return all
}

// question is a cluster, and the policy of its plan.
type question struct {
	nodes, leaving []kind // from the oldest to the newest; leaving nodes are older than all others
	capacity       int64
	method         string // "stateful" is RECREATE with a stateful cluster, "none" no update
	causes         []roster.Cause
	batch          int64
	target, stop   int64  // percentages
	wanted         string // image of the given template; "" for "b"

	// moment has words for special conditions: begins; blind (no refresh came before the plan); unmarked (no marks are
	// required); pauses; full (Nova found no host in R); capped (R takes no more); loose (a wire is); flavors (the first one is full in a
	// zone); named (the oldest node is a candidate), and met by an earlier plan;
	// spent (two clean-ups followed on the given template); settled (the given template is settled); zones;
	// closed, opened or unreachable (region Q), or both (Q is open).
	moment string
	named  []string // candidates
	// nodes that are protected by name
	protected []string
	awaits    awaits
	bare      bool // whether no server ever carried a mark
}

// awaits are the nodes that an apply which changed nothing should have brought into service, or removed, and the image that
// was wanted then.
type awaits struct {
	nodes []string
	image string
}

const (
	stateful = "stateful"
	none     = "none"
)

func (q question) is(word string) bool { return strings.Contains(q.moment, word) }

// keeps reports whether a node that is replaced is out of service until it is back.
func (q question) keeps() bool { return q.method != roster.Substitute && q.method != none }

// wants returns the image that nodes should have.
func (q question) wants() string {
	return cmp.Or(q.wanted, "b")
}

func (q question) String() string {
	return fmt.Sprintf("%s, batch %d, %v, target %d%%, stop_above %d%%, %s: %d of %v, leaving %v", q.method, q.batch, q.causes, q.target, q.stop, q.moment,
		q.capacity, q.nodes, q.leaving)
}

// The functions from here on translate words for the planner.

const month = 30 * 24 * time.Hour

var clock = time.Date(2026, 12, 25, 0, 0, 0, 0, time.UTC)

func named(i int64) string { return fmt.Sprint("web-", i) }

func template(image string) roster.Template {
	if image == "?" {
		return ""
	}
	return roster.NewTemplate(map[string]string{"image": image})
}

func templates(image string) roster.Templates {
	return roster.Templates{placement.Place{}: template(image)}
}

// put puts a node into a cluster.
func (k kind) put(i int64, nodes map[string]roster.Node, seen roster.Seen) {
	name, own, born := named(i), roster.Mark("2"), clock.Add(time.Duration(i-100)*time.Hour)
	if k.image == "?" {
		own = "2-dead" // hash of a template that nobody knows
	}
	nodes[name] = roster.Node{Index: i, Place: k.at, Template: template(k.image), Generation: 2, Mark: own, Served: k.has("served"), Doubt: k.has("doubt"),
		Retried: k.has("retried")}
	switch {
	case k.has("unlooked"):
		return
	case k.has("missing"):
		seen.Missing[name] = true
		return
	case k.has("former"):
		seen.Builds[name] = roster.Build{Mark: "1", Generation: 1, Of: "build"}
	case k.has("aged"):
		born = born.Add(-2 * month)
		seen.Aged[name] = roster.Aged{Mark: own, Launched: born}
	case k.has("bakes"):
		seen.Baking[name] = true
	}
	s := node.Node{ID: "id-" + name, Name: name, Region: k.at.Region, Zone: k.at.Zone, Status: "ACTIVE", CreatedAt: born, LaunchedAt: born, SeenAt: clock,
		Tainted: k.has("tainted"), Drained: k.has("drained"), Protected: k.has("protected"), HealthUnknown: k.has("unmeasured")}
	for _, status := range []string{"ERROR", "BUILD", "SHUTOFF", "UNKNOWN"} {
		if k.has(status) {
			s.Status = status
		}
	}
	for _, mark := range [][2]string{{"own", string(own)}, {"earlier", "1"}, {"later", "3"}} {
		if k.has(mark[0]) {
			s.InService = mark[1]
		}
	}
	s.Unmade = k.has("unmade")
	if k.has("noted") {
		s.NotInService, s.NotInServiceAt = string(own), clock
	}
	if k.has("nohost") {
		s.Fault = "No valid host was found."
	}
	if k.has("unwell") {
		s.Unwell = "503"
	}
	seen.Servers[name] = s
}

// cluster returns the memory and the look that the planner gets.
func (q question) cluster() (roster.Roster, roster.Seen) {
	r := roster.Roster{Nodes: map[string]roster.Node{}, Leaving: map[string]roster.Node{}, Settled: templates("a"),
		Order: []roster.Template{template("a"), template("b")}, Next: int64(len(q.nodes) + len(q.leaving))}
	seen := roster.NewSeen()
	if q.is("flavors") {
		seen.Full[roster.Spot{Place: zones[0], Flavor: "big"}] = clock
	}
	if q.is("full") {
		seen.Full[roster.Spot{Place: home}] = clock
	}
	for i, k := range q.leaving {
		k.put(int64(i), r.Leaving, seen)
		n := r.Leaving[named(int64(i))]
		n.StandsIn = true
		r.Leaving[named(int64(i))] = n
	}
	for i, k := range q.nodes {
		k.put(int64(len(q.leaving)+i), r.Nodes, seen)
	}
	switch {
	case q.is("settled"):
		r.Settled = templates("b")
	case q.is("spent"):
		r.Cleaned = []roster.Templates{templates(q.wants()), templates(q.wants())}
	case q.is("met"):
		r.Done = []string{named(int64(len(q.leaving)))}
	}
	return r, seen
}

// awaited names the nodes that an apply should have brought into service, or removed, if the next one does nothing else.
func (q question) awaited() []string {
	if q.awaits.image != q.wanted {
		return nil
	}
	return q.awaits.nodes
}

func (q question) policy() roster.Policy {
	bin := func(name string) placement.Bin {
		return placement.Bin{Name: name, Weight: 100, Cap: placement.Unlimited}
	}
	p := roster.Policy{Name: named, Capacity: q.capacity, Regions: []placement.Region{{Bin: bin(home.Region)}}, Criteria: deletion.OldestFirst,
		Templates: templates(cmp.Or(q.wanted, "b")), RequireMarks: !q.is("unmarked"), Begins: q.is("begins"),
		Opened: map[string]bool{closed.Region: q.is("opened")}, Unreachable: map[string]bool{closed.Region: q.is("unreachable")}}
	p.Unmarked = q.bare && p.RequireMarks
	switch {
	case q.is("zones"):
		p.Regions[0].Zones = []placement.Bin{bin(zones[0].Zone), bin(zones[1].Zone)}
	case q.is("closed"), q.is("opened"), q.is("unreachable"), q.is("both"):
		p.Regions = append(p.Regions, placement.Region{Bin: bin(closed.Region)})
		p.Regions[1].Maintenance = q.is("closed")
	case q.is("capped"):
		p.Regions[0].Cap = q.capacity - 1
	case q.is("loose"):
		p.MissingWire = map[string]string{home.Region: "name"}
	case q.is("named"):
		p.Candidates = []string{named(int64(len(q.leaving)))}
	}
	if q.is("awaited") {
		for i := range q.leaving {
			p.Awaited = append(p.Awaited, named(int64(i)))
		}
	}
	p.Awaited = append(p.Awaited, q.awaited()...)
	p.Blind, p.Candidates = q.is("blind"), append(p.Candidates, q.named...)
	p.Protected = q.protected
	if q.method == none {
		return p
	}
	p.Update = &roster.Update{Causes: q.causes, BatchSize: plans.Amount(fmt.Sprint(q.batch)), Target: plans.Amount(fmt.Sprint(q.target, "%")),
		StopAbove: plans.Amount(fmt.Sprint(q.stop, "%")), Method: q.method,
		MaxAge: month}
	if q.method == stateful {
		p.Stateful, p.Update.Method = &roster.Stateful{Retain: true}, roster.Recreate
	}
	if q.is("pauses") {
		p.Update.Pause = time.Hour
	}
	if q.is("flavors") {
		p.Flavors = roster.Flavors{{}: {"big", "small"}}
	}
	return p
}
