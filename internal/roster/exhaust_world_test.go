package roster_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// machine is a server as it is.
type machine struct {
	image      string
	generation int64
	mark       string // of the node that it was made or changed for
	status     string
	own, noted string // its metadata: the marks with which a wait found it in service, and ended without it
	up         bool   // it serves, whatever anybody sees
	tainted    bool   // Terraform makes it again with the next apply
	born       int
	spare      int // servers of its name that Terraform made before it and has not destroyed
}

// lies are what an adversary does to a server before a look, or to what the look says of it. It reports whether the look
// finds the server.
var lies = []struct {
	name string
	tell func(m *machine, s *node.Node) bool
}{
	{"is left out", func(*machine, *node.Node) bool { return false }},
	{"does not answer its probe", func(_ *machine, s *node.Node) bool { s.Unwell = "503"; return true }},
	{"is UNKNOWN", func(_ *machine, s *node.Node) bool { s.Status = "UNKNOWN"; return true }},
	{"lost its mark", func(m *machine, s *node.Node) bool { m.own, s.InService = "", ""; return true }},
	{"got a foreign mark", func(m *machine, s *node.Node) bool { m.own, s.InService = "1-dead", "1-dead"; return true }},
	{"dies", func(m *machine, s *node.Node) bool { m.up, m.status, s.Status = false, "ERROR", "ERROR"; return true }},
}

// outcomes are what may become of a server that an apply makes or changes.
var outcomes = []string{"up", "never up", "ERROR", "not done"}

// ends are how an apply may end. Each wait notes the servers that it ended without.
var ends = []string{"is killed", "waits", "waits, and no server answers", "waits, and destroys what leaves"}

// world is a cluster: what is stored of it, what was seen, and what is true.
type world struct {
	question
	r        roster.Roster
	seen     roster.Seen
	machines map[string]machine
	clock    int
	story    string
}

// after is a copy of a world in which something happened.
func (w *world) after(format string, args ...any) *world {
	c := *w
	c.machines, c.story = maps.Clone(w.machines), w.story+fmt.Sprintf(format, args...)
	return &c
}

func (w *world) names() []string { return slices.Sorted(maps.Keys(w.machines)) }

func (w *world) policyOf(blind bool) roster.Policy {
	q := w.question
	q.blind = blind
	p := q.policy()
	p.Update.MaxAge = 0
	return p
}

// look refreshes. A lie is told of some servers; -1: none is.
func (w *world) look(lie int, of []string) {
	var servers []node.Node
	w.clock += 10
	now := func(seconds int) time.Time { return clock.Add(time.Duration(seconds) * time.Second) }
	for _, name := range w.names() {
		m := w.machines[name]
		s := node.Node{ID: fmt.Sprint("id-", name, m.born), Name: name, Region: home.Region, Status: m.status, Generation: m.generation, InService: m.own,
			NotInService: m.noted, Build: fmt.Sprint(name, m.image, m.born), CreatedAt: now(m.born), LaunchedAt: now(m.born), SeenAt: now(w.clock)}
		if m.noted != "" {
			s.NotInServiceAt = s.SeenAt
		}
		listed := true
		if slices.Contains(of, name) {
			listed = lies[lie].tell(&m, &s)
			w.machines[name] = m
		}
		if listed {
			servers = append(servers, s)
		}
	}
	never := func(string) bool { return false }
	policy := w.policyOf(false)
	w.r, w.seen, _ = roster.MatchOpen(w.r, servers, w.seen, never, never)
	w.seen.Tell(w.r, policy)
	w.r = w.r.Learn(w.seen, policy).Ordered()
}

// words say how a node was seen, as those of looks.
func (w *world) words(name string, n roster.Node) string {
	s, there := w.seen.Servers[name]
	var words []string
	say := func(is bool, word string) {
		if is {
			words = append(words, word)
		}
	}
	own := string(n.Mark)
	if n.Doubt { // nobody looked since it changed
		there, s = true, node.Node{Status: "ACTIVE", InService: own + "?"}
	}
	say(there && s.Status != "ACTIVE", s.Status)
	say(n.Served, "served")
	say(n.Doubt, "doubt")
	say(n.Retried, "retried")
	say(!there, "missing")
	say(there && s.InService == own, "own")
	say(s.InService != "" && s.InService != own, "earlier")
	say(there && s.NotInService == own, "noted")
	say(s.Unwell != "", "unwell")
	return strings.Join(words, " ")
}

// plan plans for a world, and says what is true of its nodes.
func (w *world) plan(blind bool) plan {
	policy := w.policyOf(blind)
	p := plan{question: w.question, before: w.r}
	p.blind, p.nodes, p.leaving = blind, nil, nil
	p.after, p.change, p.err = roster.Plan(w.r, w.seen, policy)
	p.status = p.change.Status(policy, 0)
	verdicts := map[string]roster.Verdict{}
	for _, v := range p.change.Verdicts {
		verdicts[v.Name] = v
	}
	member := func(name string, n roster.Node, leaving bool) {
		k := kind{look{words: w.words(name, n)}, n.Template.Values()["image"], home}
		v, m := verdicts[name], w.machines[name]
		one := member{kind: k, Verdict: v, leaving: leaving, truth: out, taken: v.Outcome == roster.Leaves && v.Cause != "" && p.keeps()}
		if after, stays := p.after.Nodes[name]; stays && v.Outcome == roster.Changes {
			one.taken = m.generation < after.Generation || m.image != after.Template.Values()["image"]
		}
		if m.up {
			one.truth = serves
			if k.has("noted") && !k.has("served") && !blind || k.has("unwell") {
				one.truth = accused
			}
		}
		p.members = append(p.members, one)
		if !leaving {
			p.nodes = append(p.nodes, k)
		}
	}
	for _, name := range w.r.Names() {
		member(name, w.r.Nodes[name], false)
	}
	for _, name := range w.r.LeavingNames() {
		member(name, w.r.Leaving[name], true)
	}
	for i, m := range p.members {
		if m.truth == accused && !m.has("noted") && (blind || !p.believes()) {
			p.members[i].truth = serves
		}
	}
	p.servers = int64(len(p.after.Nodes))
	p.had = int64(len(w.machines))
	for name := range w.machines {
		if !contains(p.after, name) {
			p.servers++
		}
	}
	return p
}

func contains(r roster.Roster, name string) bool { _, there := r.Nodes[name]; return there }

// due names the nodes of a plan that Terraform makes, changes or makes again.
func (w *world) due(r roster.Roster) (names []string) {
	for _, name := range r.Names() {
		if m, there := w.machines[name]; !there || m.tainted || m.mark != string(r.Nodes[name].Mark) {
			names = append(names, name)
		}
	}
	return names
}

// apply does what Terraform does for a plan, with an outcome for each node that is due. It reports whether the apply can end
// like that.
func (w *world) apply(r roster.Roster, outcome map[string]string, end string) bool {
	fine := true
	for _, name := range w.due(r) {
		n, m := r.Nodes[name], w.machines[name]
		image := n.Template.Values()["image"]
		switch {
		case m.mark != "" && !m.tainted && m.image == image && m.generation == n.Generation: // only the mark is new
			m.mark = string(n.Mark)
		case outcome[name] == "not done":
			fine = false
			if w.keeps() && m.generation < n.Generation {
				delete(w.machines, name) // it is destroyed first
			}
			continue
		default:
			again := m.generation < n.Generation || m.tainted
			next := machine{image: image, generation: n.Generation, mark: string(n.Mark), status: "ACTIVE", up: outcome[name] == "up"}
			if !again { // it is rebuilt, and keeps its metadata
				next.own, next.noted = m.own, m.noted
			}
			if outcome[name] == "ERROR" {
				next.status, next.tainted, fine = "ERROR", true, false
				if m.tainted && !w.keeps() {
					next.spare = 1 // the one before it is destroyed by an apply that ends well
				}
			}
			w.clock++
			next.born, m = w.clock, next
		}
		w.machines[name] = m
	}
	w.r = r
	if end == ends[0] {
		return true
	}
	all := true
	for _, name := range r.Names() {
		m := w.machines[name]
		switch {
		case m.own == m.mark && m.status == "ACTIVE":
		case m.status != "ACTIVE":
			all = false
		case m.up && end != ends[2]:
			m.own, m.noted = m.mark, ""
		default:
			m.noted, all = m.mark, false
		}
		w.machines[name] = m
	}
	if end == ends[3] {
		maps.DeleteFunc(w.machines, func(name string, _ machine) bool { return !contains(r, name) })
	}
	return fine && (all || end != ends[3])
}

// key is what matters of a world: two of one key behave alike.
func (w *world) key() string {
	var list []string
	same := func(mark string, n roster.Node) string {
		switch mark {
		case "":
			return "-"
		case string(n.Mark):
			return "="
		}
		return "x"
	}
	say := func(nodes map[string]roster.Node, leaving bool) {
		for name, n := range nodes {
			m, s, b := w.machines[name], w.seen.Servers[name], w.seen.Builds[name]
			list = append(list, fmt.Sprint(leaving, n.Template, w.words(name, n), m.image, m.generation == n.Generation, same(m.mark, n), m.status, same(m.own, n),
				same(m.noted, n), m.up, m.tainted, m.spare, w.seen.Missing[name], s.ID == fmt.Sprint("id-", name, m.born), same(string(b.Mark), n)))
		}
	}
	say(w.r.Nodes, false)
	say(w.r.Leaving, true)
	slices.Sort(list)
	return fmt.Sprint(w.wanted, w.r.Settled, w.r.Failed, len(w.machines), list)
}

// next calls yield with all worlds that may follow: each template, each lie, and each way in which an apply may go. Honest
// looks are all that there are in a calm world.
func (w *world) next(calm bool, t *tally, yield func(*world)) {
	images := []string{w.wanted, string(w.wanted[0] + 1)}
	if w.wanted == "d" || len(w.r.Nodes) == 0 {
		images = images[:1]
	}
	for _, image := range images {
		follow := func(lie int, of []string, blind bool, text string) {
			saw := w.after("\n            %s, wants %s", text, image)
			saw.wanted = image
			if !blind {
				saw.look(lie, of)
			}
			saw.applies(blind, t, yield)
			saw.r, saw.seen = w.r, w.seen // only planned: what somebody did to servers stays
			yield(saw)
		}
		follow(-1, nil, false, "all is seen")
		if calm {
			continue
		}
		follow(-1, nil, true, "no refresh")
		for set := 1; set < 1<<len(w.machines); set++ {
			var of []string
			for i, name := range w.names() {
				if set>>i&1 == 1 {
					of = append(of, name)
				}
			}
			for lie := range lies {
				follow(lie, of, false, strings.Join(of, " and ")+" "+lies[lie].name)
			}
		}
	}
}

// applies calls yield with all that may come of a plan.
func (w *world) applies(blind bool, t *tally, yield func(*world)) {
	p := w.plan(blind)
	t.judge(func() string { return "history, " + w.question.policyText() + ":" + w.story }, p)
	if p.err != nil {
		return
	}
	due := w.due(p.after)
	choose(due, outcomes, func(outcome map[string]string) {
		for _, end := range ends {
			a := w.after(" => %s; %v, and the apply %s", moves(p.change), outcome, end)
			if a.apply(p.after, outcome, end) {
				yield(a)
			}
		}
	})
	for _, name := range due { // nothing is stored before a server is destroyed
		if m, there := w.machines[name]; there && w.keeps() && m.generation < p.after.Nodes[name].Generation {
			a := w.after(" => %s; killed after %s is destroyed", moves(p.change), name)
			delete(a.machines, name)
			yield(a)
		}
	}
}

// choose calls do with all ways to give each name one of some values.
func choose(names, values []string, do func(map[string]string)) {
	choice := map[string]string{}
	var at func(i int)
	at = func(i int) {
		if i == len(names) {
			do(maps.Clone(choice))
			return
		}
		for _, v := range values {
			choice[names[i]] = v
			at(i + 1)
		}
	}
	at(0)
}

// goesOn are what servers of an image do from now on, while looks are honest and nobody kills anything, and what is
// promised of so many applies.
var goesOn = []struct {
	image    string
	sentence string
	outcome  string
	dies     bool // once they served
	broken   func(from, w *world, p plan, made int) string
}{
	{"good", "With honest looks and an image that works, a cluster comes to its end.", "up", false, func(_, w *world, p plan, _ int) string {
		for _, name := range p.after.Names() {
			if m := w.machines[name]; m.image != "good" || !m.up || m.own != m.mark {
				return "stands still: " + p.first(func(m member) bool { return m.Name == name })
			}
		}
		if !p.change.Empty() || len(w.machines) != len(p.after.Nodes) || p.change.Remaining > 0 {
			return "never ends"
		}
		return ""
	}},
	{"fails", "Servers that fail while they are made do not become more and more.", "ERROR", false, func(from, w *world, p plan, _ int) string {
		fails := func(name string) bool { return !from.machines[name].up } // or comes with a growth: Terraform's taint makes it again
		if w.keeps() || slices.ContainsFunc(from.r.Names(), fails) || len(from.r.Nodes) < int(w.capacity) {
			return ""
		}
		servers := int64(len(w.machines))
		for _, m := range w.machines {
			servers += int64(m.spare)
		}
		if servers > max(p.capacity+2*p.batch, int64(len(from.machines))) {
			return "too many"
		}
		return ""
	}},
	{"dies", "A node that served and died twice with a template is not made again and again.", "up", true, func(_, w *world, _ plan, made int) string {
		if int64(made) > 3*w.capacity+2*w.batch {
			return "made again"
		}
		return ""
	}},
}

// follow lets a world go on to its end.
func (w *world) follow(t *tally) {
	for _, way := range goesOn {
		at, made, last := w.after("\n            from now on %s", way.image), 0, plan{}
		at.wanted, at.stop = way.image, "100%"
		for range 8 + 4*w.capacity {
			at.look(-1, nil)
			last = at.plan(false)
			outcome := map[string]string{}
			for _, name := range at.due(last.after) {
				if outcome[name] = way.outcome; last.after.Nodes[name].Template != template(way.image) {
					outcome[name] = "never up"
				}
				made++
			}
			for _, end := range []string{ends[3], ends[1], ends[0]} { // the best that can be
				if ended := at.after(""); ended.apply(last.after, outcome, end) {
					at = ended
					break
				}
			}
			for name, m := range at.machines {
				if way.dies && m.image == way.image && m.own == m.mark {
					m.up, m.status = false, "ERROR"
					at.machines[name] = m
				}
			}
		}
		t.asked++
		if how := way.broken(w, at, last, made); how != "" {
			t.add(way.sentence, last.way()+how, "history, "+w.policyText()+":"+at.story+"\n            "+moves(last.change)+"; "+last.status)
		}
	}
}

// histories searches, breadth first, all histories of a cluster up to a depth. Where more worlds than a bound are of one
// depth it takes some of them, evenly.
func histories(t *testing.T, q question, depth, bound int, calm bool) *tally {
	total, known := newTally(), map[string]bool{}
	q.wanted = "a"
	level := []*world{{question: q, seen: roster.NewSeen(), machines: map[string]machine{}}}
	left := 0
	for d := 0; d <= depth; d++ {
		if extra := len(level) - bound; extra > 0 {
			left += extra
			for i := range bound {
				level[i] = level[i*len(level)/bound]
			}
			level = level[:bound]
		}
		var following []*world
		for i, w := range level {
			if i%8 == 0 && len(w.r.Nodes) > 0 {
				w.follow(total)
			}
			w.next(calm, total, func(n *world) {
				if key := n.key(); !known[key] {
					known[key] = true
					following = append(following, n)
				}
			})
		}
		level = following
	}
	t.Logf("%d worlds, of which %d were left out", len(known), left)
	return total
}
