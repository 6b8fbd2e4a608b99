package planner_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/adopt"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// machine is the true state of a server.
type machine struct {
	image, status string
	region        string
	generation    int64
	asked         int64  // generation for which Terraform last made a server: if that was refused, it makes no other for it
	mark          string // mark of the node for which it was made or changed
	own, noted    string // metadata: marks with which a wait found it in service, and ended without it
	up            bool   // whether it really serves
	found         bool   // whether a look ever found it
	unfound       bool   // whether Terraform still has to change it as its node says, and no look found it before that changed
	tainted       bool   // whether Terraform makes it again with the next apply
	locked, named bool   // whether somebody locked it, or protects its node by name, so that the node stays as it is
	unmade        bool   // whether it failed as it was made
	born, marked  int    // when it was made or changed, and when it got its mark
}

// id is the id of a server.
func (m machine) id(name string) string { return fmt.Sprint("id-", name, m.born) }

// lies are changes of an adversary to a server, or to the look at it. Tell reports whether the look finds the server.
var lies = []struct {
	name string
	tell func(m *machine, s *node.Node) (found bool)
}{
	{"is left out", func(*machine, *node.Node) bool { return false }},
	{"does not answer", func(_ *machine, s *node.Node) bool { s.Unwell = "503"; return true }},
	{"is UNKNOWN", func(_ *machine, s *node.Node) bool { s.Status = "UNKNOWN"; return true }},
	{"lost its mark", func(m *machine, s *node.Node) bool { m.own, s.InService = "", ""; return true }},
	{"got a foreign mark", func(m *machine, s *node.Node) bool { m.own, s.InService = "1-dead", "1-dead"; return true }},
	{"is tainted by hand", func(m *machine, _ *node.Node) bool { m.tainted = true; return true }},
	{"is protected by name", func(m *machine, _ *node.Node) bool { m.named = true; return true }},
	{"is locked", func(m *machine, s *node.Node) bool { m.locked, s.Locked = true, true; return true }},
	{"dies", func(m *machine, s *node.Node) bool { m.up, m.status, s.Status = false, "ERROR", "ERROR"; return true }},
}

// outcomes are the fates of a server that an apply makes or changes, and ends the ends of an apply: a wait notes the
// servers that it ended without.
var (
	outcomes = []string{"up", "never up", "ERROR", "not done"}
	ends     = []string{"destroys what leaves", "waits", "waits while none answers", "is killed"}
)

// world is a cluster: the stored state, the last look, and the truth.
type world struct {
	question
	r        roster.Roster
	seen     roster.Seen
	machines map[string]machine
	deposed  map[string][]machine // servers that Terraform made again and has not destroyed yet, because what depends on the new ones failed
	strays   map[string][]machine // servers that Nova made, and of which Terraform got no answer
	misnamed bool                 // whether its servers have other names than their nodes
	time     int
	peak     int    // number of servers that ever were there in a way
	limit    string // "ports": each node has a port, which one server can have; "quota": there is room for one batch
	story    string
}

func (w *world) and(format string, args ...any) *world {
	c := *w
	c.strays = maps.Clone(w.strays)
	c.machines, c.deposed, c.story = maps.Clone(w.machines), maps.Clone(w.deposed), w.story+fmt.Sprintf(format, args...)
	return &c
}

func (w *world) String() string { return w.question.String() + w.story }

// look refreshes. A lie concerns some servers. Imports says that nothing is remembered, because the state was lost.
func (w *world) look(lie int, of []string, imports bool) {
	var servers []node.Node
	w.time += 10
	now := func(seconds int) time.Time { return clock.Add(time.Duration(seconds) * time.Second) }
	view := func(name string, m machine) node.Node {
		s := node.Node{ID: m.id(name), Name: name, Region: m.region, Status: m.status, Generation: m.generation, InService: m.own,
			NotInService: m.noted, Unmade: m.unmade, Locked: m.locked, Build: fmt.Sprint(m.image, m.born),
			CreatedAt: now(m.born), LaunchedAt: now(m.born), SeenAt: now(w.time)}
		if m.own != "" {
			s.InServiceAt = now(m.marked)
		}
		if m.noted != "" {
			s.NotInServiceAt = s.SeenAt
		}
		return s
	}
	for _, name := range slices.Sorted(maps.Keys(w.machines)) {
		m := w.machines[name]
		s := view(name, m)
		found := !w.misnamed && (!slices.Contains(of, name) || lies[lie].tell(&m, &s))
		m.found = m.found || found
		w.bare = w.bare && (!found || s.InService == "" || s.InService != string(w.r.Nodes[name].Mark))
		if w.machines[name] = m; found {
			servers = append(servers, s)
		}
	}
	names := append(slices.Sorted(maps.Keys(w.deposed)), slices.Sorted(maps.Keys(w.strays))...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		for _, m := range w.others(name) {
			if !w.misnamed {
				servers = append(servers, view(name, m))
			}
		}
	}
	if imports {
		order := []roster.Template{template("a"), template("b"), template("c"), template("d")}
		w.r, _ = adopt.Cluster("web", naming.Default, roster.Roster{Order: order}, servers)
		w.r.Slots, w.seen = nil, roster.NewSeen()
	}
	never := func(string) bool { return false }
	shut := func(region string) bool { return w.is("closed") && region == closed.Region }
	w.protected = nil
	for name, m := range w.machines {
		if m.named {
			w.protected = append(w.protected, name)
		}
	}
	policy := w.policy()
	w.r, w.seen, _ = learn.Match(w.r, servers, w.seen, shut, never)
	learn.NoteTimes(&w.seen, w.r, policy, now(w.time))
	w.r = learn.Learn(w.r, w.seen, policy).Ordered()
}

// kindOf returns the look at a node, in the words of looks, and its truth.
func (w *world) kindOf(n roster.Node) kind {
	name, own := named(n.Index), string(n.Mark)
	s, there := w.seen.Servers[name]
	words := ""
	say := func(is bool, word string) {
		if is {
			words += " " + word
		}
	}
	say(n.Served, "served")
	say(n.Retried, "retried")
	say(n.Tried, "tried")
	say(n.Doubt, "doubt")
	say(s.Locked, "locked")
	say(w.machines[name].named, "protected")
	if !n.Doubt {
		say(s.Unmade, "unmade")
		say(!there, "missing")
		say(there && s.Status != "ACTIVE", s.Status)
		say(s.InService == own, "own")
		say(s.InService != "" && s.InService != own, "earlier")
		say(s.NotInService == own, "noted")
		say(s.Unwell != "", "unwell")
	}
	k := kind{look: look{words: strings.TrimSpace(words), truth: out}, image: n.Template.Values()["image"], at: home}
	if n.Region == closed.Region && !w.is("both") {
		k.at = closed
	}
	its := func(m machine) bool { return m.up && m.id(name) == s.ID } // an older one may serve
	// A blind plan does not know what broke since the last look.
	if w.machines[name].up || slices.ContainsFunc(w.deposed[name], its) || w.is("blind") && k.has("own") {
		lost := s.Unclaimed() && slices.Contains(w.awaited(), name) // or it was killed twice before it waited
		if k.truth = serves; k.has("unwell") || (k.has("noted") || k.has("missing") || lost) && !k.has("served") {
			k.truth = accused
		}
	}
	return k
}

// plan plans for a world. A change that leaves a server as it is takes nothing out of service, and a change of an earlier
// plan that was not carried out does, because Terraform carries it out now. If no look found the server before that plan,
// nobody knows whether it followed.
func (w *world) plan() plan {
	p := w.ask(w.r, w.seen, w.kindOf)
	p.serving = nil
	for name := range w.machines {
		for _, m := range append(w.deposed[name], w.machines[name]) {
			if m.up && m.status == "ACTIVE" && m.own == m.mark {
				p.serving = append(p.serving, m.id(name))
			}
		}
	}
	for i, m := range p.members {
		server, there := w.machines[m.name]
		n, stays := p.after.Nodes[m.name]
		late := m.stays() && there && !server.tainted && !server.unfound && !w.is("blind")
		if stays && (m.Outcome == verdict.Changes || late) {
			p.members[i].taken = w.keeps() && w.follows(server, n)
		}
	}
	return p
}

// follows reports whether Terraform changes a server, or makes it again, to follow a node. A server ignores what its node
// says, and follows the generation; with IN_PLACE it has the image of its node.
func (w *world) follows(m machine, n roster.Node) bool {
	return m.asked < n.Generation || w.method == roster.InPlace && m.image != n.Template.Values()["image"]
}

// does reports whether Terraform changes a server, or makes it again. A taint is Terraform's or a person's, and no plan
// sees it.
func (w *world) does(m machine, n roster.Node) bool { return m.tainted || w.follows(m, n) }

// due names the nodes for which Terraform makes or changes a server.
func (w *world) due(r roster.Roster) (names []string) {
	for _, name := range r.Names() {
		if m, there := w.machines[name]; !there || w.does(m, r.Nodes[name]) {
			names = append(names, name)
		}
	}
	return names
}

// beside names the nodes that a plan leaves as they are, whose servers serve as far as the last look says, and which
// Terraform makes again nevertheless, because they are tainted.
func (w *world) beside(p plan) (names []string) {
	for _, m := range p.members {
		if server := w.machines[m.name]; m.stays() && server.tainted {
			if s := w.seen.Servers[m.name]; s.Status == "ACTIVE" && s.InService == string(m.Mark) && s.ID == server.id(m.name) {
				names = append(names, m.name)
			}
		}
	}
	return names
}

// limited reports whether Nova makes no server for a node: its port is in use, or the quota is.
func (w *world) limited(name string) bool {
	_, there := w.machines[name]
	inUse := !w.keeps() && there || len(w.others(name)) > 0
	return w.limit == "ports" && inUse || w.limit == "quota" && int64(w.servers()) >= w.capacity+w.batch
}

// again names the nodes that a plan leaves as they are, or takes back, and for which Terraform makes a server although
// one is there: it is tainted or deposed, or Terraform never heard of it.
func (w *world) again(p plan) (names []string) {
	for _, m := range p.members {
		server, there := w.machines[m.name]
		_, keeps := p.after.Nodes[m.name]
		if (m.stays() || m.leaving && keeps) && (server.tainted || !there && !w.misnamed && len(w.others(m.name)) > 0) {
			names = append(names, m.name)
		}
	}
	return names
}

// refused reports whether the readiness attachment refuses a plan, because more servers change outside of the batch than
// it has room for, or are made beside others of their names: see Judge in package wiring; or because a port is in use, and no
// plan will give its node up. The way out is to untaint them, or to delete the servers that Terraform does not know.
func (w *world) refused(p plan) bool {
	beside, again, free := int64(len(w.beside(p))), int64(len(w.again(p))), p.change.Free
	if w.is("blind") {
		free = 0 // the last apply may have made some
	}
	first := !w.keeps() // the new server is made while the old one has the port
	crowded := w.limit == "ports" && first || beside > min(w.batch-p.change.Replaced(), free)
	inUse := w.bare && w.limit == "ports" && slices.ContainsFunc(w.again(p), func(name string) bool {
		return first && w.machines[name].status == "ACTIVE" || len(w.strays[name]) > 0
	})
	return beside > 0 && crowded || first && again > free || inUse
}

// await notes what an apply of a plan should do: see setStatus in package placementtf.
func (w *world) await(p plan) {
	still := slices.DeleteFunc(slices.Clone(w.awaits.nodes), func(name string) bool { return !slices.Contains(p.change.Absent, name) })
	w.awaits = awaits{append(still, p.change.Awaits...), w.wanted}
	if !p.change.Empty() {
		w.awaits.nodes = nil
	}
}

// bury deletes the servers that a text names.
func (w *world) bury(text string) {
	named := func(name string) func(machine) bool {
		return func(m machine) bool { return strings.Contains(text, m.id(name)+")") }
	}
	maps.DeleteFunc(w.machines, func(name string, m machine) bool { return named(name)(m) })
	for _, all := range []map[string][]machine{w.deposed, w.strays} {
		for name, list := range all {
			all[name] = slices.DeleteFunc(slices.Clone(list), named(name))
		}
	}
}

// outlived names the nodes that stay, and whose newer server failed while the old one serves: the readiness attachment
// refuses a plan that makes one more. The way out is to name them in candidates.
func (w *world) outlived(p plan) (names []string) {
	for _, m := range p.members {
		if m.stays() && w.seen.Outlived(m.name) && w.machines[m.name].tainted {
			names = append(names, m.name)
		}
	}
	return names
}

// apply does what Terraform does, and reports whether an apply with these outcomes can end in that way.
func (w *world) apply(r roster.Roster, outcome map[string]string, end string) bool {
	fine := true
	for _, name := range r.Names() {
		n, m := r.Nodes[name], w.machines[name]
		_, there := w.machines[name]
		fate, again := outcome[name], m.tainted || m.asked < n.Generation
		creates := again || !there // Nova makes no server for a change in place
		switch {
		case !w.does(m, n):
			m.mark = string(n.Mark)
			w.machines[name] = m
		case fate == "not done" || fate == "lost" || creates && w.limited(name):
			fine = false
			refused := w.keeps() && len(w.strays[name]) > 1 || w.limited(name) // by the readiness attachment, or by Nova
			if fate == "lost" && creates && !refused {
				w.time++
				w.strays[name] = append(slices.Clip(w.strays[name]), machine{image: n.Template.Values()["image"], region: n.Region, status: "ACTIVE",
					generation: n.Generation, born: w.time})
			}
			if _, there := w.machines[name]; again && w.keeps() {
				delete(w.machines, name) // the old server was destroyed first
			} else if there {
				m.asked, m.unfound = n.Generation, m.unfound || !m.found // the trigger of a new server is stored, and no change any more
				w.machines[name] = m
			}
		default:
			w.time++
			made := machine{image: n.Template.Values()["image"], region: n.Region, status: "ACTIVE", generation: n.Generation, asked: n.Generation,
				mark: string(n.Mark), up: fate == "up", born: w.time, named: m.named}
			if !again {
				made.own, made.noted, made.marked = m.own, m.noted, m.marked
			}
			if fate == "ERROR" {
				made.status, made.unmade, made.tainted, fine = "ERROR", true, true, false
			}
			if again && there && !w.keeps() {
				w.deposed[name] = append(slices.Clip(w.deposed[name]), m)
			}
			w.machines[name] = made
		}
	}
	if w.r = r; end == "is killed" {
		return true
	}
	waits := func(m machine) bool { return m.status == "ACTIVE" && m.own != m.mark }
	fresh := slices.ContainsFunc(r.Names(), func(name string) bool { m := w.machines[name]; return waits(m) && m.noted != m.mark })
	for _, name := range r.Names() {
		m := w.machines[name]
		switch {
		case m.status == "ACTIVE" && m.own == m.mark:
		case fresh && waits(m) && m.noted == m.mark && !m.up: // an apply with new servers does not wait for it again
		case m.status == "ACTIVE" && m.up && end != "waits while none answers":
			w.time++
			m.own, m.noted, m.marked = m.mark, "", w.time
		case end == "destroys what leaves": // impossible, because the wait fails
			return false
		case m.status == "ACTIVE":
			m.noted = m.mark
		}
		w.machines[name] = m
	}
	if end == "destroys what leaves" {
		clear(w.deposed)
		maps.DeleteFunc(w.machines, func(name string, _ machine) bool { _, stays := r.Nodes[name]; return !stays })
	}
	return fine
}

// key describes a world: two worlds with the same key behave alike.
func (w *world) key() string {
	var list []string
	for i, nodes := range []map[string]roster.Node{w.r.Nodes, w.r.Leaving} {
		for name, n := range nodes {
			m, s := w.machines[name], w.seen.Servers[name]
			same := []bool{m.mark == string(n.Mark), m.own == string(n.Mark), m.noted == string(n.Mark), w.seen.Builds[name].Mark == n.Mark,
				m.generation == n.Generation, m.asked == n.Generation, m.own == "", s.InService == ""}
			list = append(list, fmt.Sprint(i, n.Template, w.kindOf(n), same, m.image, m.status, m.up, m.tainted, m.unmade, m.locked, m.named))
		}
	}
	slices.Sort(list)
	list = append(list, slices.Sorted(maps.Keys(w.r.Before))...)
	for _, name := range slices.Sorted(maps.Keys(w.strays)) {
		list = append(list, fmt.Sprint(name, len(w.strays[name])))
	}
	for _, name := range slices.Sorted(maps.Keys(w.deposed)) {
		for _, m := range w.deposed[name][:min(2, len(w.deposed[name]))] {
			list = append(list, fmt.Sprint(name, m.image, m.status, m.own == w.machines[name].mark, m.noted == "", w.seen.Servers[name].ID == m.id(name)))
		}
	}
	return fmt.Sprint(w.wanted, w.awaits, w.r.Settled, len(w.machines), list)
}

// next yields all worlds that may follow: with each template, look and lie, and each result of the plan. In a calm
// world looks are honest.
func (w *world) next(calm bool, t *tally, yield func(*world)) {
	images := []string{w.wanted, string(w.wanted[0] + 1)}
	if w.wanted == "d" || len(w.r.Nodes) == 0 {
		images = images[:1]
	}
	names := slices.Sorted(maps.Keys(w.machines))
	for _, image := range images {
		saw := func(what, moment string, lie int, of []string) {
			c := w.and("\n        %s, template %s", what, image)
			if c.wanted, c.moment = image, moment; moment != "blind" {
				c.look(lie, of, moment == "begins")
			}
			c.applies(t, yield)
			c.r, c.seen, c.moment = w.r, w.seen, "" // only planned, so the changes to servers stay
			yield(c)
		}
		if saw("an honest look", "", 0, nil); calm {
			continue
		}
		saw("no look", "blind", 0, nil)
		if len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { m := w.machines[name]; return m.own != m.mark || m.status != "ACTIVE" }) {
			saw("an import", "begins", 0, nil)
		}
		for set := 1; set < 1<<len(names); set++ {
			var of []string
			for i, name := range names {
				if set>>i&1 == 1 {
					of = append(of, name)
				}
			}
			for i, lie := range lies {
				saw(fmt.Sprint(of, " ", lie.name), "", i, of)
			}
		}
	}
}

// applies yields all results of a plan.
func (w *world) applies(t *tally, yield func(*world)) {
	p := w.plan()
	if t.judge(w.String, p); p.err != nil || w.refused(p) || len(w.outlived(p)) > 0 {
		return
	}
	due := w.due(p.after)
	for number := range pow(len(outcomes), len(due)) {
		outcome := map[string]string{}
		for _, name := range due {
			outcome[name] = outcomes[number%len(outcomes)]
			number /= len(outcomes)
		}
		for _, end := range ends {
			a := w.and(" => %v, %v, %s", p.did(), outcome, end)
			a.await(p)
			if a.moment = ""; a.apply(p.after, outcome, end) {
				yield(a)
			}
		}
	}
	for _, name := range due { // nothing is stored before the first server is destroyed
		if m, there := w.machines[name]; there && w.keeps() && m.generation < p.after.Nodes[name].Generation {
			a := w.and(" => %v, is killed once %s is destroyed", p.did(), name)
			a.moment = ""
			delete(a.machines, name)
			yield(a)
		}
	}
}

func pow(a, b int) int {
	if b == 0 {
		return 1
	}
	return a * pow(a, b-1)
}

// ways are the fates of servers of an image from some moment on, while looks are honest and Terraform is not killed,
// and the promise after a number of applies, about the first world, the last plan, the world after it, and the numbers
// of servers that the applies made.
var ways = []struct {
	image, outcome string
	dies           bool // whether it fails after it was found in service
	sentence       string
	broken         func(was *world, p plan, is *world, made []int) string
}{
	{"good", "up", false, "A cluster comes to its end where looks are honest and servers work.", func(_ *world, p plan, is *world, _ []int) string {
		return is.restless(p)
	}},
	{"bad", "ERROR", false, "Servers that fail as they are made do not become more.", piles},
	{"dull", "never up", false, "Servers that never get into service do not become more.", piles},
	{"lost", "lost", false, "Nor do servers of which Terraform never hears.", piles},
	{"mortal", "up", true, "A node that served and died twice with a template is not made again.", func(_ *world, p plan, _ *world, made []int) string {
		return said(sum(made) > int(3*p.capacity+2*p.batch), "it is")
	}},
}

// piles says that there ever were more servers than there may be.
func piles(was *world, p plan, is *world, _ []int) string {
	most := max(p.capacity+2*p.batch, int64(was.counted()))
	if was.first() {
		most = max(most, 2*p.capacity)
	}
	return said(int64(is.peak) > most, fmt.Sprint("there are ", int64(is.peak)-most, " too many"))
}

func sum(list []int) (all int) {
	for _, n := range list {
		all += n
	}
	return all
}

// others are servers of a name beside the one that Terraform has.
func (w *world) others(name string) []machine { return slices.Concat(w.deposed[name], w.strays[name]) }

// servers counts the servers that Nova has, and counted those with the name of a node that is or leaves.
func (w *world) servers() int { return w.number(func(string) bool { return true }) }

func (w *world) counted() int {
	return w.number(func(name string) bool { _, known := w.r.Known(name); return known })
}

func (w *world) number(counts func(name string) bool) (n int) {
	for name := range w.machines {
		if counts(name) {
			n++
		}
	}
	for _, all := range []map[string][]machine{w.deposed, w.strays} {
		for name, list := range all {
			if counts(name) {
				n += len(list)
			}
		}
	}
	return n
}

// restless says what is not yet as it should be after a plan for good servers, or "".
func (w *world) restless(p plan) string {
	for _, m := range w.machines {
		if m.image != "good" || m.own != m.mark {
			return "it stands still"
		}
	}
	return said(!p.change.Empty() || len(w.machines) != len(p.after.Nodes) || p.change.Remaining > 0, "it never ends")
}

// unlock unlocks all servers, and protects no node, as the status says. In a cluster without any mark the quota is raised, as Nova's error says: no
// plan gives up there what fills it.
func (w *world) unlock() {
	if w.bare && w.limit == "quota" {
		w.limit = ""
	}
	for name, m := range w.machines {
		m.locked, m.named = false, false
		w.machines[name] = m
	}
	for _, all := range []map[string][]machine{w.deposed, w.strays} {
		for name, list := range all {
			all[name] = slices.Clone(list)
			for i := range all[name] {
				all[name][i].locked = false
			}
		}
	}
}

// follow continues a world in each way.
func (w *world) follow(t *tally) {
	for _, way := range ways {
		at, made, last := w.and("\n        from now on %s servers", way.image), []int(nil), plan{}
		if at.wanted, at.stop = way.image, 100; way.image == "good" {
			at.unlock()
		}
		for range 10 + 4*w.capacity {
			before, number := at.time, 0
			last, _, at = at.step(way.image, way.outcome, "")
			for _, m := range at.machines {
				if m.born > before {
					number++
				}
			}
			made = append(made, number)
			at.peak = max(at.peak, at.counted())
			for name, m := range at.machines {
				if way.dies && m.image == way.image && m.own == m.mark {
					m.up, m.status = false, "ERROR"
					at.machines[name] = m
				}
			}
		}
		t.asked++
		t.note(way.sentence, way.broken(w, last, at, made), at.String, last)
	}
}

// heeds looks and plans, and does what each refusal says, until a plan passes. It reports whether one does.
func (w *world) heeds() (p plan, passes bool) {
	for range 5 {
		w.look(0, nil, false)
		p = w.plan()
		outlived := w.outlived(p)
		switch {
		case p.full():
			w.bury(p.err.Error())
		case len(outlived) > 0:
			w.named = append(slices.Clip(w.named), outlived...)
		case w.refused(p):
			w.yields(p)
		default:
			return p, true
		}
	}
	return p, false
}

// yields does what the readiness attachment says when it refuses a plan.
func (w *world) yields(p plan) {
	again := w.again(p) // before what failed is deleted
	w.bury(strings.Join(p.change.Failed, " "))
	for _, name := range again {
		m, there := w.machines[name]
		switch strays := len(w.strays[name]); {
		case there:
			m.tainted = false
			w.machines[name] = m
		case strays > 0:
			delete(w.strays, name)
		default:
			w.named = append(slices.Clip(w.named), name)
		}
	}
}

// step looks, plans and applies; servers of other images never serve. It returns the plan and the names of the servers
// that Terraform made. Without an end, the apply ends as well as it can.
func (w *world) step(image, outcome, end string) (plan, []string, *world) {
	p, passes := w.heeds()
	if !passes {
		return p, nil, w
	}
	due, fates := w.due(p.after), map[string]string{}
	for i, name := range due {
		if fates[name] = "never up"; p.after.Nodes[name].Template == template(image) {
			fates[name] = outcome
		}
		if outcome == "some refused" {
			fates[name] = []string{"not done", "up"}[i%2]
		}
	}
	for _, end := range []string{end, ends[0], ends[1], ends[3]} {
		ended := w.and("")
		if ended.await(p); end != "" && ended.apply(p.after, fates, end) {
			return p, due, ended
		}
	}
	return p, due, w
}

// mistakes are made in two applies, the first of which may grow the cluster, and then corrected. A wrong check finds no
// server in service. A place closes after the first apply, and opens after the correction.
var mistakes = []struct {
	what, image, outcome, end string
	grows                     int64
	closes                    bool
}{
	{"an image that Nova refuses", "wrong", "not done", "", 0, false},
	{"an image that Nova refuses in a growth", "wrong", "not done", "", 2, false},
	{"a quota that ends in a growth", "good", "some refused", "", 2, false},
	{"an image that Nova refuses for some", "wrong", "some refused", "", 0, false},
	{"an image that fails", "wrong", "ERROR", "", 0, false},
	{"an image that answers nothing", "wrong", "never up", "", 0, false},
	{"a wait that is interrupted", "wrong", "never up", "is killed", 0, false},
	{"a wrong check", "good", "up", "waits while none answers", 0, false},
	{"a wrong hook", "good", "up", "waits", 0, false},
	{"an image whose answers are lost", "wrong", "lost", "", 0, false},
	{"an image that answers nothing, and a place that closes", "wrong", "never up", "", 0, true},
	{"an image that Nova refuses, and a place that closes", "wrong", "not done", "", 1, true},
}

// errs makes each mistake, with each size of batch, and corrects it.
func (w *world) errs(t *tally) {
	for i := range mistakes {
		for batch := int64(1); batch <= 2; batch++ {
			w.err(t, i, batch)
		}
	}
}

// renews gives another image for each apply.
func (w *world) renews(t *tally) {
	at := w.and("\n        another image for each apply")
	at.stop, at.batch = 100, 1
	for range at.capacity + 3 {
		at.wanted = "good"
		_, _, at = at.step("good", "up", "")
	}
	var last plan
	for i := range at.capacity {
		at.wanted = fmt.Sprint("new", i)
		last, _, at = at.step(at.wanted, "up", "")
		t.judge(at.String, last)
	}
	old := slices.ContainsFunc(slices.Collect(maps.Values(at.r.Nodes)), func(n roster.Node) bool { return n.Template == template("good") })
	t.note("With another image for each apply every node is new after as many applies as batches.", said(old, "one is old"), at.String, last)
}

// misname gives the servers other names than their nodes, so that no look finds one, and changes the template.
func (w *world) misname(t *tally, batch int64) {
	at := w.and("\n        servers with other names")
	at.batch, at.misnamed = batch, true
	for i, image := range []string{"a", "a", "b", "b", "a", "b"} {
		var last plan
		before := maps.Clone(at.machines)
		at.wanted = image
		last, _, at = at.step(image, "up", "")
		t.judge(at.String, last)
		lost := int64(0)
		for name, m := range before {
			if m.up && at.machines[name].born != m.born {
				lost++
			}
		}
		t.note("A server with another name than its node stays; in place, a batch changes.",
			said(i > 0 && lost > 0 && (w.method != roster.InPlace || lost > batch), fmt.Sprint(lost, " change")), at.String, last)
	}
}

// err makes a mistake, and corrects it. The cluster then has to be as it should be after the batches that it needs, and
// two more plans; and servers that never served after one apply.
func (w *world) err(t *tally, number int, batch int64) {
	mistake := mistakes[number]
	at := w.and("\n        %s, two times, then corrected", mistake.what)
	at.stop, at.batch = 100, batch
	at.capacity += mistake.grows
	steps := func(image, outcome, end string, moments ...string) (last plan) {
		for _, moment := range moments {
			if at.wanted = image; mistake.closes {
				at.moment = moment
			}
			last, _, at = at.step(image, outcome, end)
			t.judge(at.String, last)
		}
		return last
	}
	if steps(mistake.image, mistake.outcome, mistake.end, "both", "closed"); mistake.closes {
		steps("good", "up", "", "closed", "opened")
	}
	at.wanted = "good"
	at.unlock()
	at.look(0, nil, false)
	all := at.first()
	never := at.never(all)
	// Without a mark, or a note at the node, no plan knows that there is a readiness attachment.
	never = slices.DeleteFunc(never, func(name string) bool { return at.bare && at.machines[name].noted == "" })
	last := steps("good", "up", "", "both")
	if at.keeps() { // else another node may come after the next one
		t.note("What never served serves after one apply.", at.without(never, all), at.String, last)
	}
	for more := at.capacity + 3; more > 0 && at.restless(last) != ""; more-- {
		at.deletes(last)
		last = steps("good", "up", "", "both")
	}
	t.asked++
	t.note("Every mistake, once corrected, ends.", at.restless(last), at.String, last)
}

// deletes deletes the servers that a plan says nobody has, if they hold it.
func (w *world) deletes(p plan) {
	for name, list := range w.strays {
		w.strays[name] = slices.DeleteFunc(slices.Clone(list), func(m machine) bool {
			return slices.ContainsFunc(p.change.Blocked, func(v *verdict.Verdict) bool { return strings.Contains(v.Name, m.id(name)) })
		})
	}
}

// never names the nodes that never served and do not serve now. While others serve, a node for which no wait ended is
// not among them: it may serve by now.
func (w *world) never(first bool) (names []string) {
	for name, n := range w.r.Nodes {
		m := w.machines[name]
		if starts := m.status == "ACTIVE" && m.noted != m.mark; !n.Served && !m.up && (first || !starts) {
			names = append(names, name)
		}
	}
	return names
}

// first reports whether no node was ever in service, as far as the memory and all marks show.
func (w *world) first() bool {
	for _, name := range slices.Concat(w.r.Names(), w.r.LeavingNames()) {
		if n, _ := w.r.Known(name); n.Served || w.seen.Servers[name].InService != "" {
			return false
		}
	}
	return len(w.r.Settled) == 0
}

// without names a node that never served and does not serve now. While others serve, a method that takes servers first
// takes what a wait accuses a batch at a time, and IN_PLACE what was never found, which may have another name.
func (w *world) without(never []string, first bool) string {
	for _, name := range never {
		m, n := w.machines[name], w.r.Nodes[name]
		if w.method == roster.InPlace && n.Template != template("good") {
			continue
		}
		if _, stays := w.r.Nodes[name]; stays && w.seen.Servers[name].InService == "" && m.own != string(n.Mark) &&
			(first || !w.keeps() || m.status != "ACTIVE") {
			return "it does not"
		}
	}
	return ""
}

// histories searches all histories of a cluster up to a depth, breadth first. If a depth has more worlds than a bound,
// it takes an even sample.
func histories(q question, depth, bound int, calm bool, limit string) *tally {
	total, known := &tally{held: map[*hold.Hold]bool{}}, map[string]bool{}
	q.bare = true
	worlds := []*world{{question: q, seen: roster.NewSeen(), machines: map[string]machine{}, deposed: map[string][]machine{}, strays: map[string][]machine{},
		limit: limit}}
	worlds[0].errs(total)
	worlds[0].renews(total)
	worlds[0].misname(total, 1)
	worlds[0].misname(total, 2)
	for range depth + 1 {
		var more []*world
		for i := range min(len(worlds), bound) {
			w := worlds[i*max(len(worlds), bound)/bound]
			if i%8 == 0 && len(w.r.Nodes) > 0 {
				w.follow(total)
				w.errs(total)
			}
			w.next(calm, total, func(n *world) {
				if key := n.key(); !known[key] {
					known[key] = true
					more = append(more, n)
				}
			})
		}
		worlds = more
	}
	return total
}
