package planner

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// slowPlanner is a slow oracle: a plain reading of the rules, one node at a time, which counts the whole cluster again
// for each node. It takes from the planner the types, what is known of each node, and the number of nodes that a plan
// replaces, because TestExhaust checks both against the truth; and the boards of placement, which have their own oracle.
// The oracle checks the order in which nodes are replaced, the places of nodes that leave and come, their templates, and
// their names.
type slowPlanner struct {
	now     roster.Roster // roster in which a first template counts as the template of its nodes
	seen    roster.Seen
	policy  roster.Policy
	facts   facts.Facts            // nodes, with what is known of them, and the leaving ones
	nodes   map[string]roster.Node // nodes after the plan; substitutes without a name are "+i", "+ii" and so on
	leaving map[string]roster.Node
	slots   map[string]roster.Slot
	full    map[placement.Place]bool
	order   []string // all nodes in the order in which they leave
	again   []string // candidates that are made again
	newest  bool     // whether outdated nodes leave their places first
	current int64    // number of nodes that have the wanted template, or will get it

	plan             map[string]verdict.Verdict // verdicts of the plan by name
	waits            map[string]bool            // nodes under way
	unhosted         bool                       // whether a node leaves because Nova found no host for it
	pending          int64                      // number of nodes to be added
	inPlace, decided map[string]bool
	replaced         []string
	retries          map[roster.Template]int // numbers of second tries among the new nodes, by template
}

// slowPlan returns the plan, and whether there is one.
func slowPlan(now roster.Roster, seen roster.Seen, policy roster.Policy, change Change) (s *slowPlanner, ok bool) {
	s = &slowPlanner{now: now, seen: seen, policy: policy, nodes: maps.Clone(now.Nodes), leaving: maps.Clone(now.Leaving),
		slots: maps.Clone(now.Slots), plan: map[string]verdict.Verdict{}, waits: map[string]bool{}, inPlace: map[string]bool{},
		decided: map[string]bool{}, retries: map[roster.Template]int{}, full: map[placement.Place]bool{}}
	for _, v := range change.List {
		s.plan[v.Name] = *v
	}
	p, err := decide.Know(now, seen, policy)
	if err != nil {
		return s, false
	}
	s.policy, s.facts = p.Policy, maps.Clone(p.All)
	for name, f := range p.All {
		s.nodes[name] = f.Node
	}
	for name, n := range now.Leaving {
		s.facts[name] = facts.FactOf(name, n, now, seen, p.Policy)
	}
	for _, at := range seen.FullPlaces(policy) {
		s.full[at] = true
	}
	s.now.Nodes = maps.Clone(s.nodes)
	s.prepareSlots()
	s.order = slices.SortedFunc(maps.Keys(s.nodes), func(a, b string) int { return s.facts[a].Turn - s.facts[b].Turn })
	if !s.candidates() || !s.shrink() {
		return s, false
	}
	for name, n := range s.nodes {
		s.waits[name] = n.Template == s.wanted(n.Place) && s.facts[name].Is != facts.Serving && s.facts[name].Untouched == ""
	}
	s.recount()
	s.neverServed()
	s.pending = max(0, policy.Capacity-int64(len(s.nodes)))
	if !s.grows() {
		open := s.copy()
		if open.full = nil; !s.unhosted && (len(s.full) == 0 || !open.grows()) {
			return s, false
		}
		for s.pending > 0 && !s.grows() {
			s.pending--
		}
	}
	s.replace()
	s.comes(s.pending)
	for name, n := range s.nodes {
		n.Served, n.Doubt = false, false
		s.nodes[name] = n
	}
	return s, s.finishSlots()
}

func (s *slowPlanner) copy() *slowPlanner {
	c := *s
	c.nodes, c.full, c.leaving, c.decided = maps.Clone(s.nodes), maps.Clone(s.full), maps.Clone(s.leaving), maps.Clone(s.decided)
	return &c
}

// prepareSlots gives a slot to each node, and removes the released slots.
func (s *slowPlanner) prepareSlots() {
	if s.policy.Stateful == nil {
		return
	}
	s.fillSlots()
	for _, name := range s.policy.Stateful.Release {
		if _, there := s.nodes[name]; !there {
			delete(s.slots, name)
		}
	}
}

func (s *slowPlanner) fillSlots() {
	for name, n := range s.nodes {
		at := n.Place
		if slot, there := s.slots[name]; there {
			at = slot.Place
		}
		s.slots[name] = roster.Slot{Index: n.Index, Place: at, Template: n.Template}
	}
}

// finishSlots removes the slots of the nodes that have left, unless they are kept. It reports whether no released slot
// has a node.
func (s *slowPlanner) finishSlots() bool {
	if s.policy.Stateful == nil {
		return true
	}
	for name := range s.now.Nodes {
		if _, stays := s.nodes[name]; !stays && (!s.policy.Stateful.Retain || slices.Contains(s.policy.Stateful.Release, name)) {
			delete(s.slots, name)
		}
	}
	s.fillSlots()
	return !slices.ContainsFunc(s.policy.Stateful.Release, func(name string) bool { _, there := s.nodes[name]; return there })
}

// candidates removes the candidates, or remembers that they are made again. It reports whether both are possible.
func (s *slowPlanner) candidates() bool {
	var named []string
	unmet := slices.DeleteFunc(slices.Clone(s.policy.Candidates), func(c string) bool { return slices.Contains(s.now.Done, c) })
	for name := range s.nodes {
		if s.isIn(unmet, name) {
			named = append(named, name)
		}
	}
	slices.SortFunc(named, func(a, b string) int { return cmp.Compare(s.nodes[b].Index, s.nodes[a].Index) })
	if slices.ContainsFunc(named, func(name string) bool { return !s.facts[name].Free() }) {
		return false
	}
	for _, candidate := range unmet {
		known := slices.ContainsFunc(named, func(name string) bool { return s.isIn([]string{candidate}, name) })
		if !known && int64(len(s.nodes)-len(named)) > s.policy.Capacity {
			return false // other nodes would leave instead
		}
	}
	surplus := len(s.nodes) - int(s.policy.Capacity)
	for i, name := range named {
		switch {
		case i < surplus || !s.keeps() && s.policy.Stateful == nil && !s.policy.Begins:
			s.leave(name)
		case !s.keeps() && s.policy.Stateful == nil: // the candidate waits for the next plan
		case s.facts[name].Closed:
			return false
		default:
			s.again = append(s.again, name)
		}
	}
	return true
}

// better reports whether nodes move to a place, or whether no node moves.
func (s *slowPlanner) better(at placement.Place) bool {
	counted, _ := s.board().Counted(at)
	moves, better := false, false
	for _, v := range s.plan {
		if v.Outcome == verdict.Leaves && v.Cause == roster.Misplaced {
			moves, better = true, better || v.MoveTo == counted
		}
	}
	return !moves || better
}

// shrink removes the nodes that are too many, in this order: nodes that are proven out of service, nodes that a wait
// accuses or that nobody ever found, other nodes that are not in service, tainted nodes, the rest; first in open
// places, then in closed ones. Mins protect the last two kinds. It reports whether enough nodes can leave.
func (s *slowPlanner) shrink() bool {
	classes := []func(string) bool{
		func(name string) bool { return !s.facts[name].Is.MayServe },
		func(name string) bool {
			return s.facts[name].Is.Accused || s.facts[name].Looked && s.seen.Missing[name] && !s.facts[name].Served
		},
		func(name string) bool { return s.facts[name].Is != facts.Serving && !s.facts[name].ServesUnchanged() },
		func(name string) bool { return s.seen.Servers[name].Tainted },
		func(string) bool { return true },
	}
	for int64(len(s.nodes)) > s.policy.Capacity {
		s.recount()
		s.newest = s.has(roster.Outdated) && s.current <= s.target()
		name := ""
		for _, closed := range []bool{false, true} {
			for i, class := range classes {
				name = cmp.Or(name, s.first(func(name string) bool { return s.facts[name].Closed == closed && class(name) }, i > 2))
			}
		}
		if name == "" {
			return false
		}
		delete(s.nodes, name)
	}
	s.newest = false
	return true
}

// grows reports whether there is room for a growth. Nodes that come back need no host.
func (s *slowPlanner) grows() bool {
	trial, added := s.copy(), int64(0)
	trial.recount()
	for range s.pending {
		if trial.comeBack(placement.Place{}, trial.suits) == "" {
			added++
			trial.promise()
		}
	}
	return trial.add(added)
}

// comes brings nodes back, then adds nodes one by one, and names them place by place.
func (s *slowPlanner) comes(count int64) {
	s.recount()
	added, wanted := int64(0), 0
	for range count {
		if s.comeBack(placement.Place{}, s.suits) != "" {
			continue
		}
		added++
		if s.promise() {
			wanted++
		}
	}
	trial, counts, gets := s.copy(), placement.Counts{}, map[placement.Place]int64{}
	trial.add(added)
	for name, n := range trial.nodes {
		if strings.HasPrefix(name, "+") {
			counts[n.Place]++
		}
	}
	for rank := range added { // the wanted template goes to the first of each place, then to the second
		for _, at := range counts.Places() {
			if wanted > 0 && rank < counts[at] {
				gets[at]++
				wanted--
			}
		}
	}
	for _, at := range counts.Places() {
		for rank := range counts[at] {
			name, n := s.nameIn(at)
			n.Template = s.wanted(at)
			if rank >= gets[at] {
				n.Template = cmp.Or(s.now.Settled.At(at), n.Template)
			}
			n.Generation++
			n.Mark = roster.MarkOf(n.Mark.Number()+1, n.Template)
			n.Retried = s.retries[n.Template] > 0
			s.retries[n.Template]--
			s.nodes[name] = n
			s.order = append(s.order, name)
			if s.policy.Stateful != nil && s.slots[name] == (roster.Slot{}) {
				s.slots[name] = roster.Slot{Index: n.Index, Place: n.Place, Template: n.Template}
			}
		}
	}
}

// nameIn returns the next node of a place: in its kept slot with the lowest index, or else in a new slot with the
// lowest free index. Without slots the index was never used before.
func (s *slowPlanner) nameIn(at placement.Place) (string, roster.Node) {
	taken := func(name string) bool {
		_, had := s.now.Nodes[name]
		_, has := s.nodes[name]
		return had || has
	}
	best := ""
	for name, slot := range s.slots {
		fits := slot.Region == at.Region && (slot.Zone == at.Zone || slot.Zone == "" || at.Zone == "")
		if fits && !taken(name) && (best == "" || slot.Index < s.slots[best].Index) {
			best = name
		}
	}
	if slot, left := s.slots[best], s.now.Leaving[best]; best != "" {
		at.Zone = cmp.Or(slot.Zone, at.Zone)
		return best, roster.Node{Index: slot.Index, Place: at, Generation: left.Generation, Mark: left.Mark}
	}
	next, released := s.now.Next, []string(nil)
	if s.policy.Stateful != nil {
		next, released = 0, s.policy.Stateful.Release
	}
	for ; ; next++ {
		name := s.policy.Name(next)
		_, leaves := s.now.Leaving[name]
		_, slot := s.slots[name]
		if !leaves && !slot && !taken(name) && !slices.Contains(released, name) {
			return name, roster.Node{Index: next, Place: at}
		}
	}
}

// replace chooses the batch: nodes whose old servers may serve, nodes under way, then other nodes that are not in
// service, then nodes in service. In each class come unhealthy, misplaced, outdated and old nodes.
func (s *slowPlanner) replace() {
	for range s.pending {
		s.promise()
	}
	for _, name := range (roster.Roster{Nodes: s.nodes}).Names() {
		if f := s.facts[name]; f.StillOld() && !f.Outdated && s.may(name) && s.granted(name, roster.Outdated) {
			s.take(name, roster.Outdated)
		}
	}
	for class := range 5 {
		for _, cause := range []roster.Cause{"", roster.Unhealthy, roster.Misplaced, roster.Outdated, roster.TooOld} {
			if cause != "" && !s.has(cause) {
				continue
			}
			refused := map[string]bool{}
			for {
				victim := s.victim(cause, func(name string) bool { return !refused[name] && s.may(name) && s.class(name) == class })
				v := s.plan[victim]
				if victim == "" || cause != "" && v.Outcome == verdict.Held && v.Cause == cause && v.Hold == hold.Batch {
					break // so does every other node of the class for this cause
				}
				if granted := s.granted(victim, cause) || v.Cause == cause && v.Hold == hold.NoRoom; !granted || !s.take(victim, cause) {
					refused[victim] = true
				}
			}
		}
	}
}

// neverServed changes outdated nodes that were never in service: under their names, or a leaving node comes back for them. Any
// running leaving node comes back for a node that failed twice.
func (s *slowPlanner) neverServed() {
	for _, name := range (roster.Roster{Nodes: s.nodes}).Names() {
		n, suits := s.nodes[name], s.suits
		outdated := n.Template != s.wanted(n.Place)
		switch {
		case s.facts[name].Is == facts.Failing && s.facts[name].NoHost && !s.keeps() && s.policy.Stateful == nil:
			if s.granted(name, roster.Unhealthy) { // it leaves, and a node comes elsewhere if there is room
				if !outdated {
					s.current--
				}
				s.decided[name], s.unhosted = true, true
				s.replaced = append(s.replaced, name)
				s.leave(name)
			}
			continue
		case !s.facts[name].Is.Fresh && s.plan[name].What != verdict.Revised:
			continue
		case n.Retried && !outdated && !s.facts[name].Is.Accused && s.granted(name, roster.Unhealthy) && s.plan[name].Outcome == verdict.Leaves:
			s.current--
			suits = func(back string) bool { return s.facts[back].Runs() && !s.facts[back].Is.Accused } // the leaving node may serve
		case s.plan[name].What == verdict.Revised && !outdated && s.plan[name].Outcome == verdict.Changes: // another server or flavor
			s.current--
			suits = func(string) bool { return false }
		case !outdated || n.Template == s.goal(n.Place) || !s.granted(name, roster.Outdated):
			continue
		}
		s.decided[name] = true
		s.replaced = append(s.replaced, name)
		delete(s.nodes, name)
		back := ""
		if s.policy.Stateful == nil {
			back = s.comeBack(n.Place, suits)
		}
		switch {
		case back == "":
			s.revise(name, n, !s.facts[name].Unfound && (s.policy.Update == nil || s.policy.Update.Method != roster.InPlace), false)
		case !outdated:
			returned := s.nodes[back]
			returned.Tried = n.Template.Hash()
			s.nodes[back] = returned
		}
	}
}

// granted reports whether the plan replaces a node for a cause.
func (s *slowPlanner) granted(name string, cause roster.Cause) bool {
	v := s.plan[name]
	return v.Cause == cause && (v.Outcome == verdict.Changes || v.Outcome == verdict.Leaves)
}

// may reports whether a node may be replaced at all.
func (s *slowPlanner) may(name string) bool {
	_, there := s.nodes[name]
	f := s.facts[name]
	return there && !strings.HasPrefix(name, "+") && f.Free() && !s.decided[name] && f.Untouched == "" && f.Looked
}

// class returns the class of a node: under way, not in service, in service; in each, nodes that are proven out of
// service come first.
func (s *slowPlanner) class(name string) (class int) {
	if s.facts[name].Is == facts.Serving {
		return 4
	}
	if !s.waits[name] {
		class = 2
	}
	if s.facts[name].Is.MayServe {
		class++
	}
	return class
}

// victim returns the next node to replace for a cause, or "".
func (s *slowPlanner) victim(cause roster.Cause, of func(string) bool) string {
	there := s.copy()
	for name := range s.inPlace { // these count as if they had left, so the next node comes from a place with more nodes
		delete(there.nodes, name)
	}
	closed := func(name string) bool { return s.facts[name].Is.MayServe && s.waitsAt(s.nodes[name].Place, cause) }
	line, may := s.again, of
	switch cause {
	case roster.Unhealthy:
		return there.first(func(name string) bool { return of(name) && s.facts[name].Unhealthy() && !s.facts[name].Again }, false)
	case roster.Misplaced:
		there = s.copy()
		there.add(s.pending)
		return there.move(func(name string) bool { return of(name) && s.facts[name].Untouched == "" })
	case roster.Outdated:
		old := func(name string) bool {
			n := s.nodes[name]
			return s.current < s.target() && of(name) && n.Template != s.wanted(n.Place) && !closed(name)
		}
		first, least := roster.Template(""), int64(0) // the oldest of nodes that serve, or else the newest
		for name, n := range s.nodes {
			age := 1 + s.now.Age(n.Template)
			if s.facts[name].Is != facts.Serving {
				age = -age
			}
			if old(name) && (least == 0 || age < least || age == least && n.Template > first) {
				first, least = n.Template, age
			}
		}
		return there.first(func(name string) bool { return old(name) && s.nodes[name].Template == first }, false)
	case roster.TooOld:
		line = slices.SortedFunc(maps.Keys(s.nodes), func(a, b string) int {
			return cmp.Or(s.seen.Aged[a].Launched.Compare(s.seen.Aged[b].Launched), cmp.Compare(s.nodes[a].Index, s.nodes[b].Index))
		})
		may = func(name string) bool {
			return of(name) && s.seen.Aged[name].Mark == s.nodes[name].Mark && !closed(name)
		}
	}
	if i := slices.IndexFunc(line, may); i >= 0 {
		return line[i]
	}
	return ""
}

// take replaces a node. It reports whether its substitute finds room.
func (s *slowPlanner) take(victim string, cause roster.Cause) bool {
	n := s.nodes[victim]
	retry := cause == roster.Unhealthy && !s.facts[victim].Served && !s.facts[victim].NoHost
	if !s.stays(cause) {
		elsewhere, here := s.copy(), s.copy()
		elsewhere.leave(victim)
		delete(here.nodes, victim)
		switch {
		case elsewhere.add(s.pending + 1):
			s.leave(victim)
		case s.facts[victim].NoHost && !s.facts[victim].StillFull && here.add(s.pending+1):
			delete(s.nodes, victim)
		default:
			return false
		}
		if retry {
			s.retries[n.Template]++
		}
		s.pending++
	}
	if n.Template == s.wanted(n.Place) {
		s.current--
	}
	if s.stays(cause) {
		s.revise(victim, n, s.policy.Update != nil && s.policy.Update.Method == roster.Recreate || cause != roster.Outdated, retry)
	} else {
		s.promise()
	}
	s.decided[victim] = true
	s.replaced = append(s.replaced, victim)
	return true
}

// revise gives a node the right template, and maybe another server, maybe as a second try of its template.
func (s *slowPlanner) revise(name string, n roster.Node, again, retry bool) {
	n.Doubt, n.Served, n.Retried = true, false, retry && n.Template == s.goal(n.Place)
	n.Template = s.goal(n.Place)
	n.Mark = roster.MarkOf(n.Mark.Number()+1, n.Template)
	if again {
		n.Generation++
	}
	if n.Template == s.wanted(n.Place) {
		s.current++
	}
	s.nodes[name] = n
	s.inPlace[name] = true
}

// comeBack makes a leaving node that suits part of the cluster again, and returns its name, if there is one: the first
// node of the place near, or else the first of all.
func (s *slowPlanner) comeBack(near placement.Place, suits func(string) bool) (best string) {
	open := s.copy()
	open.full = nil // the node has a host
	board := open.board()
	for _, name := range (roster.Roster{Nodes: s.leaving}).Names() {
		n := s.leaving[name]
		again := s.has(roster.TooOld) && s.seen.Aged[name].Mark == n.Mark || s.seen.Servers[name].Tainted || s.isIn(s.policy.Candidates, name)
		worse := near == (placement.Place{}) && !s.better(n.Place)
		first := best == "" || n.Place == near && s.leaving[best].Place != near
		if first && !again && !worse && suits(name) && board.Takes(n.Place) {
			best = name
		}
	}
	if best == "" {
		return ""
	}
	s.nodes[best], s.decided[best] = s.leaving[best], true
	delete(s.leaving, best)
	s.order = append(s.order, best)
	if n := s.nodes[best]; n.Template == s.wanted(n.Place) {
		s.current++
	}
	return best
}

// suits reports whether a leaving node has what the next node should have.
func (s *slowPlanner) suits(name string) bool {
	if st := s.policy.Stateful; st != nil {
		return s.facts[name].Is == facts.Serving && !slices.Contains(st.Release, name)
	}
	return s.facts[name].Is == facts.Serving && s.node(name).Template == s.goal(s.node(name).Place)
}

// recount counts the nodes of the wanted template.
func (s *slowPlanner) recount() {
	s.current = 0
	for _, n := range s.nodes {
		if n.Template == s.wanted(n.Place) {
			s.current++
		}
	}
}

// promise counts a node if it gets the wanted template.
func (s *slowPlanner) promise() bool {
	if s.current >= s.target() {
		return false
	}
	s.current++
	return true
}

// target returns how many nodes get the wanted template: all of them if it is the settled one.
func (s *slowPlanner) target() int64 {
	u := s.policy.Update
	if u == nil || maps.Equal(s.now.Settled, s.policy.Templates) {
		return 1000
	}
	return u.Target.Up(s.policy.Capacity)
}

// goal returns the template of the next node.
func (s *slowPlanner) goal(at placement.Place) roster.Template {
	if settled := s.now.Settled.At(at); s.current >= s.target() && settled != "" {
		return settled
	}
	return s.wanted(at)
}

func (s *slowPlanner) wanted(at placement.Place) roster.Template { return s.policy.Templates.At(at) }

// has reports whether the update has a cause.
func (s *slowPlanner) has(cause roster.Cause) bool {
	return s.policy.Update != nil && slices.Contains(s.policy.Update.Causes, cause)
}

// keeps reports whether replaced nodes keep their names, and stays whether nodes that are replaced for a cause do.
func (s *slowPlanner) keeps() bool {
	return s.policy.Update != nil && (s.policy.Update.Method == roster.InPlace || s.policy.Update.Method == roster.Recreate)
}

func (s *slowPlanner) stays(cause roster.Cause) bool {
	return (s.keeps() || s.policy.Stateful != nil) && cause != roster.Misplaced
}

// board returns a board of the cluster. Only nodes that may leave can be removed from it.
func (s *slowPlanner) board(free ...string) *placement.Board {
	board := placement.NewBoard(s.policy.Regions, roster.Roster{Nodes: s.nodes}.Counts())
	for at := range s.full {
		board.Close(at)
	}
	for name, n := range s.nodes {
		if !slices.Contains(free, name) {
			board.Keep(n.Place, 1)
		}
	}
	return board
}

// first returns the next node to leave, or "". If mins are kept, no place falls below its min.
func (s *slowPlanner) first(may func(string) bool, mins bool) string {
	free := s.inOrder(func(name string) bool { return may(name) && s.facts[name].Free() })
	board := s.board(free...)
	if !mins {
		board.DropMins()
	}
	lead := func(at placement.Place) int {
		return slices.IndexFunc(free, func(name string) bool { return s.chosen(name) == at })
	}
	if at, ok := board.First(func(p, q placement.Place) int { return cmp.Compare(uint(lead(p)), uint(lead(q))) }); ok {
		return free[lead(at)]
	}
	return ""
}

// move returns the node that a better spread would have in another place.
func (s *slowPlanner) move(may func(string) bool) string {
	free := s.inOrder(may)
	from, _, ok := s.board(free...).Move()
	i := slices.IndexFunc(free, func(name string) bool { return s.chosen(name) == from })
	if !ok || i < 0 {
		return ""
	}
	return free[i]
}

// add places nodes one by one, and reports whether all found room.
func (s *slowPlanner) add(count int64) bool {
	for i := range int(count) {
		counts, err := s.board().Distribute(1)
		if err != nil {
			return false
		}
		at := counts.Places()[0]
		s.nodes["+"+strings.Repeat("i", i+1)] = roster.Node{Place: at, Template: s.wanted(at)}
	}
	return true
}

// leave removes a node, and closes its place if Nova found no host for it.
func (s *slowPlanner) leave(name string) {
	if s.facts[name].NoHost {
		s.full[s.chosen(name)] = true
	}
	delete(s.nodes, name)
}

// chosen returns the place that Nova was asked for: the region if it lists no zones.
func (s *slowPlanner) chosen(name string) placement.Place {
	at, _ := s.board().Counted(s.nodes[name].Place)
	return at
}

// waitsAt reports whether a node in service is not replaced in a place now. A rebuild depends on nothing in the place,
// and a server that is made again only needs the place to be open.
func (s *slowPlanner) waitsAt(at placement.Place, cause roster.Cause) bool {
	open := s.copy()
	if s.keeps() {
		open.full = nil
	}
	return open.board().Closed(at) && (!s.keeps() || s.policy.Update.Method != roster.InPlace || cause != roster.Outdated)
}

// inOrder returns the nodes that may leave in order; in a shrink outdated nodes come first.
func (s *slowPlanner) inOrder(may func(string) bool) (old []string) {
	var rest []string
	for _, name := range s.order {
		n, there := s.nodes[name]
		switch {
		case !there || !may(name):
		case s.newest && n.Template != s.wanted(n.Place):
			old = append(old, name)
		default:
			rest = append(rest, name)
		}
	}
	return append(old, rest...)
}

// node returns a node, or a leaving node.
func (s *slowPlanner) node(name string) roster.Node {
	for _, nodes := range []map[string]roster.Node{s.nodes, s.now.Nodes} {
		if n, there := nodes[name]; there {
			return n
		}
	}
	return s.now.Leaving[name]
}

// isIn reports whether a list has a node, by its name or by the id of its server.
func (s *slowPlanner) isIn(list []string, name string) bool {
	id := s.seen.Servers[name].ID
	return slices.Contains(list, name) || id != "" && slices.Contains(list, id)
}
