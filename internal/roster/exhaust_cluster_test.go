package roster_test

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// truth is what is true of a node of which no more is known than a look says.
type truth string

const (
	serves  truth = "serves"
	out     truth = "is out of service"
	open    truth = "may serve"
	accused truth = "is accused" // a look of our own, a wait or a probe, says that it is out of service, and may be wrong
)

// look is what is seen and remembered of a node, in words that put reads. None of them is part of another.
type look struct {
	words string
	truth truth
}

// looks are all that there are. A server is ACTIVE where no word in capitals says something else. It carries its own mark,
// an earlier or a later one, or none; noted is the mark of a wait that ended without it. Remembered are served, retried
// (it is a second try) and doubt (no look followed since it changed).
var looks = []look{
	{"served own", serves},
	{"own", serves}, // nothing stored yet that it served
	{"new", open},   // it runs, and has no mark
	{"noted", accused},
	{"noted retried", accused},
	{"served", open}, // somebody removed its mark
	{"served noted", open},
	{"earlier", open},
	{"served earlier", open},
	{"served later", open}, // an older state was brought back
	{"ERROR", out},
	{"ERROR retried", out},
	{"ERROR served own", out},
	{"ERROR served own protected", out},
	{"BUILD", out},
	{"SHUTOFF served own", out},
	{"SHUTOFF", out},
	{"UNKNOWN served own", open},
	{"unwell served own", accused},
	{"unwell", accused},
	{"tainted served own", serves},
	{"unmeasured served own", serves}, // its probe had no answer that says anything
	{"protected served own", serves},
	{"missing served", open}, // the list left it out
	{"missing", open},
	{"doubt earlier", open}, // the last apply changed it, or made it
	{"doubt unlooked", open},
	{"drained served own", out},
	{"former served own", serves}, // its server should have been made again, and was not
	{"former earlier", open},
}

// kind is a node: a look at it, its place, and its template: "a" is settled, "b" wanted, and "?" is one that an import
// could not know.
type kind struct {
	look
	image string
	at    placement.Place
}

func (k kind) has(word string) bool { return strings.Contains(k.words, word) }

func (k kind) ill() bool { return k.has("ERROR") || k.has("tainted") || k.has("unwell") }

func (k kind) String() string {
	return strings.TrimSuffix(fmt.Sprintf("%s %s %s", k.image, k.words, strings.Trim(k.at.String(), "/")), " "+home.String())
}

var (
	home, closed = placement.Place{Region: "R"}, placement.Place{Region: "Q"}
	zones        = []placement.Place{{Region: "R", Zone: "z1"}, {Region: "R", Zone: "z2"}}
)

// kinds are all nodes of some looks, images and places.
func kinds(looks []look, images string, places ...placement.Place) (all []kind) {
	for _, l := range looks {
		for _, image := range images {
			for _, at := range places {
				all = append(all, kind{l, string(image), at})
			}
		}
	}
	return all
}

// question is a cluster, and the policy that a plan is asked for.
type question struct {
	nodes, leaving []kind // by age, the oldest first; those that leave are older still
	capacity       int64
	wanted         string // the image of the wanted template; "": "b"
	method         string // "stateful": RECREATE of a stateful cluster; "": there is no update
	causes         []roster.Cause
	batch          int64
	target, stop   string

	zoned    bool
	rests    string // what is up with region Q: "closed", "opened" or "unreachable"
	unmarked bool   // no marks are required
	begins   bool   // the plan is the first with this update
	blind    bool   // no refresh came before it
	failed   bool   // the wanted template failed, and none is settled
	settled  bool   // the wanted template is the settled one
	pauses   bool
	named    bool // the oldest node is a candidate
	met      bool // and an earlier plan has met it
}

const stateful = "stateful"

func (q question) wants() string { return cmp.Or(q.wanted, "b") }

// keeps reports whether a node that is replaced is out of service until it is back.
func (q question) keeps() bool { return q.method != roster.Substitute && q.method != "" }

func (q question) String() string {
	text := q.policyText() + ": " + listed(q.nodes)
	if len(q.leaving) > 0 {
		text += "; leaving: " + listed(q.leaving)
	}
	return text
}

func (q question) policyText() string {
	text := fmt.Sprintf("%s, batch %d, capacity %d, %v, target %s, stop_above %s", q.method, q.batch, q.capacity, q.causes, q.target, q.stop)
	say := func(is bool, what string) {
		if is {
			text += ", " + what
		}
	}
	say(q.rests != "", "region Q is "+q.rests)
	say(q.unmarked, "no marks required")
	say(q.begins, "it begins")
	say(q.blind, "no refresh")
	say(q.failed, "b failed and none is settled")
	say(q.settled, "b is settled")
	say(q.pauses, "pause")
	say(q.named, "candidate "+named(int64(len(q.leaving))))
	say(q.met, "which is met")
	return text
}

func listed(all []kind) string {
	texts := make([]string, len(all))
	for i, k := range all {
		texts[i] = k.String()
	}
	return strings.Join(texts, ", ")
}

// truthOf is what is true of a node that is seen like this in a cluster of this policy.
func (q question) truthOf(k kind) truth {
	switch {
	case k.at == closed, q.blind && k.truth != serves: // nobody looked
		return open
	case k.has("unwell") && !q.believes():
		return open
	case q.unmarked && !k.ill() && k.words == strings.ToLower(k.words) && !k.has("missing") && !k.has("doubt") && !k.has("drained") && !k.has("former"):
		return serves // it runs
	}
	return k.truth
}

// believes reports whether a user takes the word of probes: while no more than stop_above are ill or not known to be well.
func (q question) believes() bool {
	return q.within(q.stop, func(k kind) bool { return k.at != closed && (k.ill() || k.has("unmeasured")) })
}

// within reports whether no more nodes are of a kind than a percentage of the capacity.
func (q question) within(limit string, is func(kind) bool) bool {
	n := int64(0)
	for _, k := range q.nodes {
		if is(k) {
			n++
		}
	}
	return 100*n <= percent(limit)*q.capacity
}

func percent(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(text, "%"), 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// From here on words become what the planner takes.

var clock = time.Date(2026, 12, 25, 0, 0, 0, 0, time.UTC)

const month = 30 * 24 * time.Hour

func named(i int64) string { return "web-" + strconv.FormatInt(i, 10) }

func template(image string) roster.Template {
	if image == "?" {
		return ""
	}
	return roster.NewTemplate(map[string]string{"image": image})
}

func templates(image string) roster.Templates {
	return roster.Templates{placement.Place{}: template(image)}
}

var templateOf = map[string]roster.Template{"?": "", "a": template("a"), "b": template("b")} // made once

func amount(text string) roster.Amount {
	a, err := roster.ParseAmount(text)
	if err != nil {
		panic(err)
	}
	return a
}

// put puts a node into a cluster.
func (k kind) put(i int64, nodes map[string]roster.Node, seen roster.Seen) {
	name, own, born := named(i), roster.Mark("2"), clock.Add(time.Duration(i-100)*time.Hour)
	if k.image == "?" {
		own = "2-dead"
	}
	nodes[name] = roster.Node{Index: i, Place: k.at, Template: templateOf[k.image], Generation: 2, Mark: own, Served: k.has("served"), Doubt: k.has("doubt"),
		Retried: k.has("retried")}
	switch {
	case k.has("former"):
		seen.Builds[name] = roster.Build{Mark: "1", Generation: 1, Of: "build"}
	case k.has("aged"):
		born = born.Add(-2 * month)
		seen.Aged[name] = roster.Aged{Mark: own, Launched: born}
	case k.has("bakes"):
		seen.Baking[name] = true
	case k.has("unlooked"):
		return
	case k.has("missing"):
		seen.Missing[name] = true
		return
	}
	s := node.Node{ID: "id-" + name, Name: name, Region: k.at.Region, Zone: k.at.Zone, Status: "ACTIVE", CreatedAt: born, LaunchedAt: born, SeenAt: clock,
		Tainted: k.has("tainted"), Drained: k.has("drained"), Protected: k.has("protected"), HealthUnknown: k.has("unmeasured")}
	for _, status := range []string{"ERROR", "BUILD", "SHUTOFF", "UNKNOWN"} {
		if k.has(status) {
			s.Status = status
		}
	}
	for word, mark := range map[string]string{"own": string(own), "earlier": "1", "later": "3"} {
		if k.has(word) {
			s.InService = mark
		}
	}
	if k.has("noted") {
		s.NotInService, s.NotInServiceAt = string(own), clock
	}
	if k.has("unwell") {
		s.Unwell = "503"
	}
	seen.Servers[name] = s
}

func (q question) policy() roster.Policy {
	bin := func(name string) placement.Bin {
		return placement.Bin{Name: name, Weight: 100, Cap: placement.Unlimited}
	}
	p := roster.Policy{Name: named, Capacity: q.capacity, Regions: []placement.Region{{Bin: bin(home.Region)}}, Criteria: deletion.OldestFirst,
		Templates: templates(q.wants()), RequireMarks: !q.unmarked, Begins: q.begins}
	if q.zoned {
		p.Regions[0].Zones = []placement.Bin{bin(zones[0].Zone), bin(zones[1].Zone)}
	}
	if q.rests != "" {
		p.Regions = append(p.Regions, placement.Region{Bin: bin(closed.Region)})
		p.Regions[1].Maintenance = q.rests == "closed"
		at := map[string]bool{closed.Region: true}
		switch q.rests {
		case "opened":
			p.Opened = at
		case "unreachable":
			p.Unreachable = at
		}
	}
	if q.named {
		p.Candidates = []string{named(int64(len(q.leaving)))}
	}
	if q.method == stateful {
		p.Stateful = &roster.Stateful{Retain: true}
	}
	if q.method != "" {
		p.Update = &roster.Update{Causes: q.causes, BatchSize: amount(fmt.Sprint(q.batch)), Target: amount(q.target), StopAbove: amount(q.stop), Method: q.method,
			MaxAge: month}
		if q.method == stateful {
			p.Update.Method = roster.Recreate
		}
		if q.failed {
			p.Update.RevertAfter = time.Minute
		}
		if q.pauses {
			p.Update.Pause = time.Hour
		}
	}
	return told(p, q.blind)
}

// told says to a planner that can be told whether no refresh came before the plan.
func told(p roster.Policy, blind bool) roster.Policy {
	if field := reflect.ValueOf(&p).Elem().FieldByName("Blind"); field.IsValid() {
		field.SetBool(blind)
	}
	return p
}

// failure is that of a template, whose hash is in the mark of each node that is made from it.
func failure(image string) roster.Failure {
	p := question{method: roster.Substitute, capacity: 1, batch: 1, target: "100%", stop: "50%", wanted: image}.policy()
	r, _, err := roster.Plan(roster.Roster{}, roster.NewSeen(), p)
	if err != nil {
		panic(err)
	}
	_, hash, _ := strings.Cut(string(r.Nodes[named(0)].Mark), "-")
	return roster.Failure{Template: hash, Node: named(0), After: time.Hour}
}

var failedB = failure("b")

func (q question) cluster() (roster.Roster, roster.Seen) {
	r := roster.Roster{Nodes: map[string]roster.Node{}, Leaving: map[string]roster.Node{}, Settled: templates("a"),
		Order: []roster.Template{templateOf["a"], templateOf["b"]}, Next: int64(len(q.nodes) + len(q.leaving))}
	seen := roster.NewSeen()
	for i, k := range q.leaving {
		k.put(int64(i), r.Leaving, seen)
	}
	for i, k := range q.nodes {
		k.put(int64(len(q.leaving)+i), r.Nodes, seen)
	}
	switch {
	case q.failed:
		r.Settled, r.Failed = nil, []roster.Failure{failedB}
	case q.settled:
		r.Settled = templates("b")
	}
	if q.met {
		r.Done = []string{named(int64(len(q.leaving)))}
	}
	if q.method == stateful {
		r.Slots = map[string]roster.Slot{}
		for _, nodes := range []map[string]roster.Node{r.Nodes, r.Leaving} {
			for name, n := range nodes {
				r.Slots[name] = roster.Slot{Index: n.Index, Place: n.Place}
			}
		}
	}
	return r, seen
}
