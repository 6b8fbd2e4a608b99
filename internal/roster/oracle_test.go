package roster

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// The slow oracle: a plain reading of the rules, one node at a time, that counts
// the whole cluster again for each of them. It shares nothing with the code but
// its types.

// slowBin is a region, with its zones if it lists any, or a zone.
type slowBin struct {
	name             string
	weight, cap, min int64
	count            int64
	closed           bool
	free             []string // the nodes that may leave, in their turn
	zones            []slowBin
}

type slowPlanner struct {
	policy  Policy
	seen    Seen
	nodes   map[string]Node // as it becomes; substitutes that have no name yet are "+1" and so on
	leaving map[string]Node
	settled Templates
	slots   map[string]Slot
	full    map[placement.Place]bool
	order   []string        // all nodes in their turn
	again   map[string]bool // candidates that are made again
	was     map[string]Node // before
	newest  bool            // whether those of another template leave their places first

	reverts bool // the given template failed, and the settled one is wanted
	holds   bool // it failed, and nothing is settled
}

type slowResult struct {
	nodes     map[string]Node
	slots     map[string]Slot
	replaced  []string // sorted
	free      int      // of those, the ones that never served
	remaining int64
	batch     int64
	retries   int   // of the new nodes, those that are second tries
	returned  int64 // leaving nodes that came back for one that never served
	blocked   bool

	reverts, holds bool
}

func slowPlan(now Roster, seen Seen, policy Policy) (result slowResult, ok bool) {
	s := &slowPlanner{policy: policy, seen: seen, nodes: maps.Clone(now.Nodes), leaving: maps.Clone(now.Leaving),
		settled: now.Settled, full: map[placement.Place]bool{}, again: map[string]bool{}}
	if policy.Update != nil && policy.Update.RetryFullAfter > 0 {
		for at := range seen.Full {
			s.full[at] = true
		}
	}
	s.judge(now)
	result.reverts, result.holds = s.reverts, s.holds
	for name, n := range s.nodes { // the first template is taken for what a node was made from
		if wanted := s.wanted(n.Place); n.Template == "" && wanted != "" {
			number, hash, hashed := strings.Cut(string(n.Mark), "-")
			if own := number + "-" + wanted.hash(); !hashed || hash == wanted.hash() {
				if n.Mark != Mark(own) {
					n.Served, n.Doubt = false, true
				}
				n.Template, n.Mark = wanted, Mark(own)
				s.nodes[name] = n
			}
		} else if wanted == "" && n.Template != "" {
			return result, false
		}
	}
	now.Nodes = maps.Clone(s.nodes)
	s.was = now.Nodes
	s.slots = maps.Clone(now.Slots)
	if policy.Stateful != nil {
		for name, n := range s.nodes {
			if _, there := s.slots[name]; !there {
				s.slots[name] = Slot{n.Index, n.Place}
			}
		}
		for _, name := range policy.Stateful.Release {
			if _, there := s.nodes[name]; !there {
				delete(s.slots, name)
			}
		}
	}
	s.line(now)
	outage, blind := s.outage(false), s.outage(true)

	var named []string
	for name := range now.Nodes {
		if !slices.Contains(policy.Candidates, name) && !slices.Contains(policy.Candidates, "id-"+name) {
			continue
		}
		if !slices.Contains(policy.Candidates, name) && seen.Servers[name].ID == "" {
			continue
		}
		if s.protected(name) {
			return result, false
		}
		named = append(named, name)
	}
	for _, candidate := range policy.Candidates {
		name := strings.TrimPrefix(candidate, "id-")
		if _, there := now.Nodes[name]; there && (name == candidate || seen.Servers[name].ID != "") || slices.Contains(now.Done, candidate) {
			continue
		}
		if len(now.Nodes)-len(named) > int(policy.Capacity) {
			return result, false // others would leave in its place
		}
	}
	slices.SortFunc(named, func(a, b string) int { return cmp.Compare(now.Nodes[b].Index, now.Nodes[a].Index) })
	surplus := len(now.Nodes) - int(policy.Capacity)
	for i, name := range named {
		if (s.keeps() || policy.Stateful != nil) && i >= surplus {
			if s.closed(now.Nodes[name].Place) {
				return result, false
			}
			s.again[name] = true
		} else {
			s.leave(name)
		}
	}
	gone := int64(0) // those in service that this plan takes from it
	for int64(len(s.nodes)) > policy.Capacity {
		useless := func(name string) bool {
			return s.looked(name) && !s.inService(name, s.nodes[name])
		}
		s.newest = policy.Update != nil && slices.Contains(policy.Update.Causes, Outdated) && s.current() <= s.target()
		name := ""
		for _, closed := range []bool{false, true} {
			here := func(name string) bool { return s.closed(s.nodes[name].Place) == closed }
			if name == "" {
				name = s.first(func(name string) bool { return here(name) && useless(name) }, false)
			}
			if name == "" {
				name = s.first(func(name string) bool { return here(name) && s.seen.Servers[name].Tainted }, true)
			}
			if name == "" {
				name = s.first(here, true)
			}
		}
		if name == "" {
			return result, false
		}
		if s.inService(name, s.nodes[name]) {
			gone++
		}
		delete(s.nodes, name)
	}
	waits := map[string]bool{}
	for name, n := range s.nodes {
		if n.Template == s.wanted(n.Place) && !s.inService(name, n) && !s.rests(n.Place) {
			waits[name] = true
		}
	}
	growth := policy.Capacity - int64(len(s.nodes))
	if !s.grows(growth) {
		s.full = map[placement.Place]bool{} // Nova is asked again
		if !s.grows(growth) {
			return result, false
		}
	}
	s.newest = false
	out := map[string]bool{}
	for name, n := range s.nodes {
		if !s.inService(name, n) || s.rests(placement.Place{Region: n.Region}) {
			out[name] = true
		}
	}

	u := policy.Update
	if u != nil {
		batch := u.BatchSize.number.Num().Int64()
		if u.BatchSize.percent {
			batch = batch * policy.Capacity / 100
		}
		result.batch = max(batch, 1)
	} else {
		result.batch = 1
	}
	if !policy.Begins {
		s.replace(now, &result, waits, growth, gone, out, outage, blind, named, result.batch)
	}
	growth += int64(len(result.replaced)) - result.returned
	for _, name := range result.replaced {
		if _, changed := s.nodes[name]; changed {
			growth--
		}
	}
	s.name(now, growth)
	for name, n := range s.nodes {
		_, was := now.Nodes[name]
		if left, there := now.Leaving[name]; !was && (!there || left.Generation != n.Generation) {
			n.Doubt = true
			s.nodes[name] = n
		}
	}
	{
		var rest slowResult
		later := s.copy()
		later.leaving, later.full = nil, map[placement.Place]bool{}
		if u != nil && u.RetryFullAfter > 0 {
			for at := range seen.Full {
				later.full[at] = true
			}
		}
		left := slices.DeleteFunc(slices.Clone(named), func(name string) bool { return slices.Contains(result.replaced, name) })
		waits := map[string]bool{}
		for name, n := range later.nodes {
			waits[name] = n.Template == s.wanted(n.Place) && !later.inService(name, n)
		}
		later.replace(now, &rest, waits, 0, 0, nil, later.outage(false), false, left, -1)
		result.remaining = int64(len(rest.replaced))
	}
	slices.Sort(result.replaced)
	for name, n := range s.nodes {
		n.Served, n.Doubt, n.Retried = false, false, false
		s.nodes[name] = n
	}
	result.nodes, result.slots = s.nodes, s.slots
	if st := policy.Stateful; st != nil {
		for name := range now.Nodes {
			if _, stays := s.nodes[name]; !stays && (!st.Retain || slices.Contains(st.Release, name)) {
				delete(s.slots, name)
			}
		}
		for _, name := range st.Release {
			if _, there := s.nodes[name]; there {
				return result, false
			}
		}
		for name, n := range s.nodes {
			if _, there := s.slots[name]; !there {
				s.slots[name] = Slot{n.Index, n.Place}
			}
		}
	}
	return result, true
}

// judge looks, place by place, whether the given template failed.
func (s *slowPlanner) judge(now Roster) {
	if s.policy.Update == nil || s.policy.Update.RevertAfter == 0 {
		return
	}
	var places []placement.Place
	for _, r := range s.policy.Regions {
		if len(r.Zones) == 0 {
			places = append(places, placement.Place{Region: r.Name})
		}
		for _, z := range r.Zones {
			places = append(places, placement.Place{Region: r.Name, Zone: z.Name})
		}
	}
	for _, n := range now.Nodes {
		places = append(places, n.Place)
	}
	failed := 0
	for _, at := range places {
		given, settled := special(s.policy.Templates, at), special(now.Settled, at)
		for _, f := range now.Failed {
			if f.Template == given.hash() && given != settled {
				failed++
				s.reverts = s.reverts || settled != ""
			}
		}
	}
	s.holds = failed > 0 && !s.reverts
	if !s.reverts {
		return
	}
	for _, n := range now.Leaving {
		places = append(places, n.Place)
	}
	wanted := Templates{}
	for _, at := range places {
		if wanted[at] = special(now.Settled, at); wanted[at] == "" {
			wanted[at] = special(s.policy.Templates, at)
		}
	}
	s.policy.Templates = wanted
}

// keeps reports whether nodes that are replaced keep their names.
func (s *slowPlanner) keeps() bool {
	return s.policy.Update != nil && (s.policy.Update.Method == InPlace || s.policy.Update.Method == Recreate)
}

// current counts the nodes of the wanted template.
func (s *slowPlanner) current() (count int64) {
	for _, n := range s.nodes {
		if n.Template == s.wanted(n.Place) {
			count++
		}
	}
	return count
}

func (s *slowPlanner) target() int64 {
	u := s.policy.Update
	if u == nil || s.reverts || maps.Equal(s.settled, s.policy.Templates) {
		return 1000
	}
	target := u.Target.number.Num().Int64()
	if u.Target.percent {
		target = (target*s.policy.Capacity + 99) / 100
	}
	return target
}

// goal is the template of the next node.
func (s *slowPlanner) goal(at placement.Place, current int64) Template {
	if settled := special(s.settled, at); current >= s.target() && settled != "" {
		return settled
	}
	return s.wanted(at)
}

// back is a leaving node that is what the next node should be.
func (s *slowPlanner) back(current int64, near placement.Place) string {
	var names []string
	for name, n := range s.leaving {
		candidate := slices.Contains(s.policy.Candidates, name) || slices.Contains(s.policy.Candidates, "id-"+name)
		fits := n.Template == s.goal(n.Place, current)
		if st := s.policy.Stateful; st != nil {
			fits = !slices.Contains(st.Release, name)
		}
		if s.inService(name, n) && !s.seen.Servers[name].Tainted && !candidate && fits && s.takes(n.Place) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		x, y := s.leaving[a], s.leaving[b]
		if (x.Place == near) != (y.Place == near) {
			if x.Place == near {
				return -1
			}
			return 1
		}
		return cmp.Compare(x.Index, y.Index)
	})
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// comeBack makes a leaving node one of the cluster again.
func (s *slowPlanner) comeBack(name string) {
	s.nodes[name] = s.leaving[name]
	delete(s.leaving, name)
	s.order = append(s.order, name)
}

// takes reports whether a place takes a node more.
func (s *slowPlanner) takes(at placement.Place) bool {
	open := s.copy()
	open.full = nil // it has a host
	for _, b := range open.bins(func(string) bool { return false }, true) {
		if b.name != at.Region || !canTake(b) {
			continue
		}
		if len(b.zones) == 0 {
			return true
		}
		return slices.ContainsFunc(b.zones, func(z slowBin) bool { return z.name == at.Zone && canTake(z) })
	}
	return false
}

// name brings nodes back, then adds nodes one by one, and names them place by place.
func (s *slowPlanner) name(now Roster, count int64) {
	current, wanted := s.current(), 0
	added := int64(0)
	for range count {
		if name := s.back(current, placement.Place{}); name != "" {
			s.comeBack(name)
			if n := s.nodes[name]; n.Template != s.wanted(n.Place) {
				continue
			}
		} else {
			added++
			if current < s.target() {
				wanted++
			}
		}
		if current < s.target() {
			current++
		}
	}
	trial := s.copy()
	trial.add(added)
	var places []placement.Place
	for name, n := range trial.nodes {
		if strings.HasPrefix(name, "+") {
			places = append(places, n.Place)
		}
	}
	slices.SortFunc(places, func(a, b placement.Place) int {
		return cmp.Or(strings.Compare(a.Region, b.Region), strings.Compare(a.Zone, b.Zone))
	})
	// The wanted template goes to the first node of each place, then to the second of each.
	ranks := make([]int, len(places))
	for i := range places {
		if i > 0 && places[i] == places[i-1] {
			ranks[i] = ranks[i-1] + 1
		}
	}
	gets := make([]bool, len(places))
	for rank := 0; rank <= len(places); rank++ {
		for i := range places {
			if ranks[i] == rank && wanted > 0 {
				gets[i] = true
				wanted--
			}
		}
	}
	for i, at := range places {
		template := s.wanted(at)
		if settled := special(s.settled, at); !gets[i] && settled != "" {
			template = settled
		}
		name, n := s.nameIn(now, at)
		n.Template, n.Generation = template, n.Generation+1
		n.Mark = markOf(n.Mark.number()+1, template)
		s.nodes[name] = n
		s.order = append(s.order, name)
		if s.policy.Stateful != nil && s.slots[name] == (Slot{}) {
			s.slots[name] = Slot{n.Index, n.Place}
		}
	}
}

// nameIn is the next node of a place: in the lowest slot that was kept there, or else
// of the lowest index that is free; without slots, that nobody ever had.
func (s *slowPlanner) nameIn(now Roster, at placement.Place) (string, Node) {
	best := ""
	for name, slot := range s.slots {
		zone := slot.Zone == at.Zone || slot.Zone == "" || at.Zone == ""
		_, had := now.Nodes[name]
		_, has := s.nodes[name]
		if zone && slot.Region == at.Region && !had && !has && (best == "" || slot.Index < s.slots[best].Index) {
			best = name
		}
	}
	if best != "" {
		n := Node{Index: s.slots[best].Index, Place: s.slots[best].Place, Generation: now.Leaving[best].Generation, Mark: now.Leaving[best].Mark}
		if n.Zone == "" {
			n.Zone = at.Zone
		}
		return best, n
	}
	next := now.Next
	if s.policy.Stateful != nil {
		next = 0
	}
	for ; ; next++ {
		name := s.policy.Name(next)
		_, leaves := now.Leaving[name]
		_, had := now.Nodes[name]
		_, has := s.nodes[name]
		_, slot := s.slots[name]
		if !leaves && !had && !has && !slot && (s.policy.Stateful == nil || !slices.Contains(s.policy.Stateful.Release, name)) {
			return name, Node{Index: next, Place: at}
		}
	}
}

// outage is whether so many nodes are unhealthy that none is replaced for it; with unknown,
// whether so many are or are not known to be well that nothing is taken from service.
func (s *slowPlanner) outage(unknown bool) bool {
	if s.policy.Update == nil {
		return false
	}
	unhealthy := 0
	for name, n := range s.nodes {
		if (s.unhealthy(name) || unknown && s.seen.Servers[name].HealthUnknown) && !s.rests(n.Place) {
			unhealthy++
		}
	}
	limit, _ := s.policy.Update.StopAbove.number.Float64()
	if s.policy.Update.StopAbove.percent {
		return float64(unhealthy)*100 > limit*float64(s.policy.Capacity)
	}
	return float64(unhealthy) > limit
}

// replace chooses the batch: at first, all that never served; then the nodes under
// way, then the others that are not in service, then those in service; of each the
// unhealthy, the misplaced, the outdated. A batch of -1 is all of them, wherever
// there is room.
func (s *slowPlanner) replace(now Roster, result *slowResult, waits map[string]bool, growth, gone int64, out map[string]bool, outage, blind bool, named []string, batch int64) {
	u := s.policy.Update
	if u == nil {
		u = &Update{}
	}
	back := maps.Equal(s.policy.Templates, s.settled)
	pending := growth
	waiting := int64(len(waits))
	leaving := int64(0)
	for _, n := range now.Leaving {
		if !s.rests(placement.Place{Region: n.Region}) {
			leaving++
		}
	}
	inPlace := map[string]bool{}
	blocked := map[string]bool{}
	decided := map[string]bool{}
	current := s.current()
	if slices.Contains(u.Causes, Outdated) && (!s.holds || batch < 0) {
		for _, name := range (Roster{Nodes: s.nodes}).Names() {
			n := s.nodes[name]
			old := n.Template != s.wanted(n.Place) && (current < s.target() || n.Template != special(s.settled, n.Place))
			free := s.never(name) && !s.protected(name) && !decided[name] && (batch < 0 || !s.rests(n.Place))
			if !old || !free || s.noHost(name) && !s.keeps() || s.goal(n.Place, current) == n.Template {
				continue
			}
			trial := s.copy()
			delete(trial.nodes, name)
			if back := trial.back(current, n.Place); back != "" && s.policy.Stateful == nil {
				delete(s.nodes, name)
				s.comeBack(back)
				decided[back] = true
				leaving--
				result.returned++
			} else {
				n.Template = s.goal(n.Place, current)
				n.Mark = markOf(n.Mark.number()+1, n.Template)
				if u.Method == Recreate {
					n.Generation++
				}
				s.nodes[name] = n
				inPlace[name] = true
				n.Doubt, n.Served = true, false
				s.nodes[name] = n
				if batch >= 0 && !waits[name] {
					waiting++
				}
			}
			decided[name] = true
			result.replaced = append(result.replaced, name)
			result.free++
			if current < s.target() {
				current++
			}
		}
	}
	for range growth {
		if current < s.target() {
			current++
		}
	}
	bakes := false
	for name, n := range s.nodes {
		_, known := now.Nodes[name]
		bakes = bakes || known && u.Pause > 0 && s.seen.Baking[name] && n == now.Nodes[name] && n.Template == s.wanted(n.Place) && s.inService(name, n)
	}
	taken := int64(0)
	for class := range 5 {
		of := func(name string) bool {
			n, there := s.nodes[name]
			if !there || s.protected(name) || decided[name] || blocked[name] || strings.HasPrefix(name, "+") {
				return false
			}
			if (s.rests(n.Place) || !s.looked(name)) && batch >= 0 {
				return false
			}
			switch class {
			case 0, 1:
				return waits[name] && s.idle(name) == (class == 0)
			case 2, 3:
				return !waits[name] && !s.inService(name, n) && s.idle(name) == (class == 2)
			}
			return s.inService(name, n)
		}
		for _, cause := range []Cause{"", Unhealthy, Misplaced, Outdated, TooOld} {
			if cause != "" && !slices.Contains(u.Causes, cause) || cause == Unhealthy && outage || cause == Outdated && s.holds && batch >= 0 {
				continue
			}
			clear(blocked)
			stays := (s.keeps() || s.policy.Stateful != nil) && cause != Misplaced
			for {
				there := s.copy()
				for name := range inPlace { // as if it left: the next is taken where more are
					delete(there.nodes, name)
				}
				victim := ""
				switch cause {
				case "":
					for _, name := range named {
						if victim == "" && s.again[name] && of(name) {
							victim = name
						}
					}
				case Unhealthy:
					victim = there.first(func(name string) bool {
						n := s.nodes[name]
						third := n.Retried && !s.served(name) && !s.noHost(name) && (n.Template == s.wanted(n.Place) || n.Template == s.goal(n.Place, current))
						return of(name) && s.unhealthy(name) && (batch < 0 || !third && !s.former(name))
					}, false)
				case Misplaced:
					trial := s.copy()
					trial.add(pending)
					victim = trial.move(func(name string) bool { return of(name) && !s.rests(s.nodes[name].Place) })
				case Outdated:
					if current >= s.target() {
						break
					}
					newest, found := Template(""), false
					for pass := range 2 {
						if pass == 1 && !found {
							break
						}
						old := func(name string) bool {
							n := s.nodes[name]
							waitsForPlace := batch >= 0 && !s.idle(name) && s.waitsAt(n.Place, Outdated)
							return of(name) && n.Template != s.wanted(n.Place) && !waitsForPlace && (pass == 0 || n.Template == newest)
						}
						if pass == 0 {
							for name, n := range s.nodes {
								if old(name) {
									if !found || later(now, n.Template, newest) {
										newest, found = n.Template, true
									}
								}
							}
							continue
						}
						victim = there.first(old, false)
					}
				case TooOld:
					for name, n := range s.nodes {
						aged, old := s.seen.Aged[name]
						waitsForPlace := batch >= 0 && (!s.idle(name) && s.waitsAt(n.Place, TooOld) || s.former(name))
						if !of(name) || !old || aged.Mark != n.Mark || waitsForPlace {
							continue
						}
						if first := s.seen.Aged[victim].Launched; victim == "" || aged.Launched.Before(first) ||
							aged.Launched.Equal(first) && n.Index < s.nodes[victim].Index {
							victim = name
						}
					}
				}
				if victim == "" {
					break
				}
				n := s.nodes[victim]
				idle := s.idle(victim)
				isOut := int64(len(out)) + growth + gone
				fits := taken < batch
				if out[victim] {
					isOut--
				}
				for name, n := range s.nodes { // those whose servers did not follow them, and run
					server, again := s.seen.Servers[name], s.former(name) && s.former(victim) && !inPlace[name] && name != victim
					if again && s.looked(name) && server.InService == string(n.Mark) && !server.Drained && server.Unwell == "" &&
						(server.Status == "ACTIVE" || server.Status == "MIGRATING") && !s.rests(placement.Place{Region: n.Region}) {
						isOut--
					}
				}
				switch {
				case waits[victim] && idle && !stays:
				case !idle && cause != "" && blind && !s.unhealthy(victim):
					fits = false
				case !idle && bakes && cause != "" && (cause != Outdated || !back):
					fits = false
				case stays:
					fits = fits && (idle || isOut < batch)
				case idle:
					fits = fits && taken+1+waiting <= batch
				case waits[victim]:
					fits = fits && taken+waiting+leaving <= batch
				default:
					fits = fits && taken+1+waiting+leaving <= batch
				}
				if batch >= 0 && !fits {
					if cause == "" {
						blocked[victim] = true
						continue
					}
					break
				}
				if batch >= 0 && stays && cause != "" && cause != Outdated && s.noHost(victim) && s.stuck(victim) {
					blocked[victim] = true
					continue
				}
				if !stays {
					if cause == Unhealthy && !s.served(victim) && !s.noHost(victim) {
						result.retries++
					}
					trial, there := s.copy(), s.copy()
					trial.leave(victim)
					delete(there.nodes, victim)
					switch {
					case batch < 0 || trial.add(pending+1):
						s.leave(victim)
					case s.noHost(victim) && !s.stuck(victim) && there.add(pending+1):
						delete(s.nodes, victim)
					default:
						if cause == Unhealthy && !s.served(victim) && !s.noHost(victim) {
							result.retries--
						}
						blocked[victim] = true
						result.blocked = true
						continue
					}
					pending++
				}
				if n.Template == s.wanted(n.Place) {
					current--
				}
				if stays {
					n.Template = s.goal(n.Place, current)
					n.Mark = markOf(n.Mark.number()+1, n.Template)
					if u.Method == Recreate || cause != Outdated {
						n.Generation++
					}
					try := cause == Unhealthy && !s.served(victim) && !s.noHost(victim) && s.was[victim].Template == n.Template
					n.Doubt, n.Served, n.Retried = true, false, try
					s.nodes[victim] = n
					inPlace[victim] = true
				}
				if current < s.target() {
					current++
				}
				decided[victim] = true
				taken++
				if waits[victim] {
					waiting--
				}
				if stays && out != nil {
					out[victim] = true
				}
				result.replaced = append(result.replaced, victim)
			}
		}
	}
}

// move is the node that a better spread would have in another place.
func (s *slowPlanner) move(may func(string) bool) string {
	bins := s.bins(may, true)
	if i := leaver(bins); i >= 0 {
		name, there := leaves(bins[i]), s.copy()
		delete(there.nodes, name)
		rest := there.bins(may, true)
		if k := taker(rest); k >= 0 && (first(bins[i]) < 2 || rest[k].name != bins[i].name && better(bins[i], rest[k])) {
			return name
		}
	}
	names := make([]string, 0, len(bins))
	for _, b := range bins {
		names = append(names, b.name)
	}
	slices.Sort(names)
	for _, name := range names {
		b := bins[slices.IndexFunc(bins, func(b slowBin) bool { return b.name == name })]
		zones := b.zones
		if b.closed || own(b) < 2 {
			continue // it would not take the node back
		}
		if i, j := leaver(zones), taker(zones); i >= 0 && j >= 0 && i != j && better(zones[i], zones[j]) {
			return zones[i].free[0]
		}
	}
	return ""
}

// first is the next node to leave of those that may; where mins are kept, places
// do not fall below theirs. "" if there is none.
func (s *slowPlanner) first(may func(string) bool, mins bool) string {
	bins := s.bins(func(name string) bool { return may(name) && !s.protected(name) }, mins)
	best := -1
	for i, b := range bins {
		if canLose(b) && (best < 0 || s.before(b, bins[best])) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	if len(bins[best].zones) == 0 {
		return bins[best].free[0]
	}
	return s.firstZone(bins[best].zones).free[0]
}

func (s *slowPlanner) firstZone(zones []slowBin) slowBin {
	best := -1
	for i, z := range zones {
		if canLose(z) && (best < 0 || s.before(z, zones[best])) {
			best = i
		}
	}
	return zones[best]
}

// before orders bins that nodes leave: ties go by the turns of their first nodes.
func (s *slowPlanner) before(a, b slowBin) bool {
	lead := func(b slowBin) int {
		if len(b.zones) > 0 {
			b = s.firstZone(b.zones)
		}
		return slices.Index(s.inOrder(), b.free[0])
	}
	if c := heavier(a, b); c != 0 {
		return c < 0
	}
	if lead(a) != lead(b) {
		return lead(a) < lead(b)
	}
	return a.name > b.name
}

// heavier orders bins by what a removal takes from first.
func heavier(a, b slowBin) int {
	if c := cmp.Compare(first(a), first(b)); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare((2*b.count-1)*max(a.weight, 1), (2*a.count-1)*max(b.weight, 1)),
		cmp.Compare(max(a.weight, 1), max(b.weight, 1)),
	)
}

// first is 0 for a bin that nobody lists, or with a node to lose in such a zone, 1
// for one above its cap, or with a node to lose above that of a zone, 2 for others.
func first(b slowBin) int {
	rank := own(b)
	for _, z := range b.zones {
		if canLose(z) {
			rank = min(rank, own(z))
		}
	}
	return rank
}

func own(b slowBin) int {
	switch {
	case b.weight == 0:
		return 0
	case b.cap >= 0 && b.count > b.cap:
		return 1
	}
	return 2
}

// canLose reports whether a node may leave the bin, or one of its zones.
func canLose(b slowBin) bool {
	if len(b.zones) > 0 {
		return b.count > b.min && slices.ContainsFunc(b.zones, canLose)
	}
	return len(b.free) > 0 && b.count > b.min
}

// leaver is the bin that a move takes from, taker the one that it fills; -1 if
// there is none.
func leaver(bins []slowBin) int {
	best := -1
	for i, b := range bins {
		if !canLose(b) || b.count <= needs(b) {
			continue
		}
		if best >= 0 {
			c := heavier(b, bins[best])
			if c > 0 || c == 0 && b.name < bins[best].name {
				continue
			}
		}
		best = i
	}
	return best
}

func leaves(b slowBin) string {
	if len(b.zones) > 0 {
		b = b.zones[leaver(b.zones)]
	}
	return b.free[0]
}

func taker(bins []slowBin) int {
	best := -1
	for i, b := range bins {
		if !canTake(b) {
			continue
		}
		if best >= 0 {
			a := bins[best]
			short, less := b.count < needs(b), (2*b.count+1)*a.weight-(2*a.count+1)*b.weight
			switch {
			case short != (a.count < needs(a)):
				if !short {
					continue
				}
			case less > 0, less == 0 && b.weight < a.weight, less == 0 && b.weight == a.weight && b.name > a.name:
				continue
			}
		}
		best = i
	}
	return best
}

func canTake(b slowBin) bool {
	if len(b.zones) > 0 && !slices.ContainsFunc(b.zones, canTake) {
		return false
	}
	return b.weight > 0 && !b.closed && (b.cap < 0 || b.count < b.cap)
}

// needs is the min of a bin, or of its zones as far as they can meet theirs.
func needs(b slowBin) int64 {
	var zones int64
	for _, z := range b.zones {
		n := min(z.min, z.count)
		for n < z.min && z.weight > 0 && !z.closed && (z.cap < 0 || n < z.cap) {
			n++
		}
		zones += n
	}
	return max(b.min, zones)
}

// better reports whether a move from a to b is.
func better(a, b slowBin) bool {
	return first(a) < 2 || b.count < needs(b) || (2*a.count-1)*b.weight > (2*b.count+1)*a.weight
}

// bins counts the cluster.
func (s *slowPlanner) bins(may func(string) bool, mins bool) []slowBin {
	var bins []slowBin
	listed := map[string]bool{}
	for _, r := range s.policy.Regions {
		listed[r.Name] = true
		b := slowBin{name: r.Name, weight: r.Weight, cap: r.Cap, min: r.Min, closed: r.Closed || r.Maintenance || s.full[placement.Place{Region: r.Name}]}
		zones := map[string]bool{}
		for _, z := range r.Zones {
			zones[z.Name] = true
			b.zones = append(b.zones, slowBin{name: z.Name, weight: z.Weight, cap: z.Cap, min: z.Min, closed: z.Closed || z.Maintenance || z.Name != "" && s.full[placement.Place{Region: r.Name, Zone: z.Name}]})
		}
		for _, n := range s.nodes {
			if n.Region == r.Name && len(r.Zones) > 0 && !zones[n.Zone] {
				zones[n.Zone] = true
				b.zones = append(b.zones, slowBin{name: n.Zone, cap: -1})
			}
		}
		bins = append(bins, b)
	}
	for _, n := range s.nodes {
		if !listed[n.Region] {
			listed[n.Region] = true
			bins = append(bins, slowBin{name: n.Region, cap: -1})
		}
	}
	fill := func(b *slowBin, here func(Node) bool) {
		if !mins {
			b.min = 0
		}
		for _, name := range s.inOrder() {
			if n, there := s.nodes[name]; there && here(n) {
				b.count++
				if may(name) {
					b.free = append(b.free, name)
				}
			}
		}
		for name, n := range s.nodes {
			if strings.HasPrefix(name, "+") && here(n) {
				b.count++
			}
		}
	}
	for i := range bins {
		b := &bins[i]
		fill(b, func(n Node) bool { return n.Region == b.name })
		for j := range b.zones {
			fill(&b.zones[j], func(n Node) bool { return n.Region == b.name && n.Zone == b.zones[j].name })
		}
	}
	return bins
}

// add places nodes one by one, and reports whether all found room.
func (s *slowPlanner) add(count int64) bool {
	for i := range count {
		bins := s.bins(func(string) bool { return false }, true)
		for k, b := range bins {
			for _, z := range b.zones {
				if z.count < z.min && canTake(z) { // a region with a zone below its min is below its own
					bins[k].min = max(bins[k].min, b.count+1)
				}
			}
		}
		at := taker(bins)
		if at < 0 {
			return false
		}
		place := placement.Place{Region: bins[at].name}
		if zones := bins[at].zones; len(zones) > 0 {
			place.Zone = zones[taker(zones)].name
		}
		s.nodes["+"+strings.Repeat("i", int(i)+1)] = Node{Place: place, Template: s.wanted(place)}
	}
	return true
}

// grows reports whether there is room for a growth: what comes back needs no host.
func (s *slowPlanner) grows(count int64) bool {
	trial, current, added := s.copy(), s.current(), int64(0)
	for range count {
		name := trial.back(current, placement.Place{})
		if name == "" {
			added++
		} else {
			trial.comeBack(name)
		}
		if n := trial.nodes[name]; (name == "" || n.Template == s.wanted(n.Place)) && current < s.target() {
			current++
		}
	}
	return trial.add(added)
}

func (s *slowPlanner) copy() *slowPlanner {
	c := *s
	c.nodes, c.full, c.leaving = maps.Clone(s.nodes), maps.Clone(s.full), maps.Clone(s.leaving)
	return &c
}

// inOrder are the nodes in their turn, and in a shrink those of another template first.
func (s *slowPlanner) inOrder() []string {
	order := slices.Clone(s.order)
	if s.newest {
		slices.SortStableFunc(order, func(a, b string) int {
			old := func(name string) bool { n, there := s.nodes[name]; return there && n.Template != s.wanted(n.Place) }
			switch {
			case old(a) == old(b):
				return 0
			case old(a):
				return -1
			}
			return 1
		})
	}
	return order
}

// leave removes a node, and closes its place if Nova found no host for it.
func (s *slowPlanner) leave(name string) {
	if s.noHost(name) {
		s.full[s.chosen(name)] = true
	}
	delete(s.nodes, name)
}

// chosen is the place that was asked for: without zones it is the region.
func (s *slowPlanner) chosen(name string) placement.Place {
	at := s.nodes[name].Place
	for _, r := range s.policy.Regions {
		if r.Name == at.Region && len(r.Zones) > 0 {
			return at
		}
	}
	return placement.Place{Region: at.Region}
}

// stuck reports whether the place of a node without a host is still full.
func (s *slowPlanner) stuck(name string) bool {
	_, full := s.seen.Full[s.chosen(name)]
	return full && s.policy.Update.RetryFullAfter > 0
}

// noHost reports whether Nova found no host for a node's server.
func (s *slowPlanner) noHost(name string) bool {
	server := s.seen.Servers[name]
	return s.looked(name) && server.Status == "ERROR" && (strings.Contains(server.Fault, "No valid host") || strings.Contains(server.Fault, "Exceeded maximum"))
}

// waitsAt reports whether a node in service is not replaced in a place now. A rebuild
// needs nothing of the place, and a server that is made again only that it is not closed.
func (s *slowPlanner) waitsAt(at placement.Place, cause Cause) bool {
	switch {
	case !s.keeps():
		return s.takesNone(at)
	case s.policy.Update.Method == InPlace && cause == Outdated:
		return false
	}
	open := *s
	open.full = nil
	return open.takesNone(at)
}

// takesNone reports whether a place is listed and closed, or full.
func (s *slowPlanner) takesNone(at placement.Place) bool {
	for _, r := range s.policy.Regions {
		if r.Name != at.Region {
			continue
		}
		if r.Closed || s.closed(at) || s.full[placement.Place{Region: r.Name}] || len(r.Zones) > 0 && s.full[at] {
			return true
		}
		for _, z := range r.Zones {
			if z.Name == at.Zone && z.Closed {
				return true
			}
		}
	}
	return false
}

// closed reports whether an operator closed a place, or its region.
func (s *slowPlanner) closed(at placement.Place) bool {
	for _, r := range s.policy.Regions {
		if r.Name == at.Region && r.Maintenance {
			return true
		}
		for _, z := range r.Zones {
			if r.Name == at.Region && z.Name == at.Zone && z.Maintenance {
				return true
			}
		}
	}
	return false
}

// rests reports whether no update touches the nodes of a place.
func (s *slowPlanner) rests(at placement.Place) bool {
	return s.closed(at) || s.policy.Opened[at.Region]
}

// line puts all nodes in the order in which they leave.
func (s *slowPlanner) line(now Roster) {
	type place struct {
		turn int
		key  int64
		id   string
	}
	at := map[string]place{}
	for name, n := range now.Nodes {
		server, there := s.seen.Servers[name]
		id, born, age := server.ID, server.CreatedAt, int64(0)
		if id == "" {
			id = name
		}
		if !there && !s.seen.Missing[name] || n.Doubt {
			born = time.Unix(1<<40+n.Index, 0)
		}
		if len(s.policy.Templates) > 0 {
			age = int64(1 + len(now.Order))
			if i := slices.Index(now.Order, n.Template); i >= 0 {
				age = int64(i + 1)
			} else if n.Template == "" {
				age = 0
			}
		}
		p := place{turn: 2, id: id}
		switch {
		case server.Tainted || server.Status == "ERROR" || server.Status == "UNKNOWN":
			p = place{turn: 0, key: n.Index}
		case born.IsZero() || server.Status == "BUILD":
			p.turn = 1
		}
		if p.turn > 0 {
			switch s.policy.Criteria {
			case deletion.OldestFirst:
				p.key = born.Unix()
			case deletion.YoungestFirst:
				p.key = -born.Unix()
			case deletion.HighestIndexFirst:
				p.key = -n.Index
			default:
				p.key = age
			}
		}
		at[name] = p
		s.order = append(s.order, name)
	}
	slices.SortFunc(s.order, func(a, b string) int {
		x, y := at[a], at[b]
		return cmp.Or(cmp.Compare(x.turn, y.turn), cmp.Compare(x.key, y.key), strings.Compare(x.id, y.id))
	})
}

func (s *slowPlanner) looked(name string) bool {
	_, there := s.seen.Servers[name]
	return (there || s.seen.Missing[name]) && !s.nodes[name].Doubt && !s.was[name].Doubt
}

// former: another server was asked for, and the old one is there.
func (s *slowPlanner) former(name string) bool {
	n, build := s.nodes[name], s.seen.Builds[name]
	return s.looked(name) && build.Of != "" && build.Mark != n.Mark && build.Generation < n.Generation
}

func (s *slowPlanner) inService(name string, n Node) bool {
	server, there := s.seen.Servers[name]
	build := s.seen.Builds[name]
	behind := build.Of != "" && build.Mark != n.Mark
	if !there || n.Doubt || server.Status != "ACTIVE" || server.Drained || behind && build.Generation < n.Generation {
		return false
	}
	if s.policy.RequireMarks {
		return server.InService == string(n.Mark)
	}
	return !behind
}

// served: it was in service since it was made or changed.
func (s *slowPlanner) served(name string) bool {
	n, server := s.nodes[name], s.seen.Servers[name]
	if n.Served || !s.looked(name) || s.former(name) {
		return n.Served
	}
	own := server.InService == string(n.Mark) && server.ID != ""
	return own || !s.policy.RequireMarks && server.Status == "ACTIVE" && (s.seen.Builds[name].Of == "" || s.seen.Builds[name].Mark == n.Mark)
}

// idle: it is proven that nobody misses it.
func (s *slowPlanner) idle(name string) bool {
	n, server := s.nodes[name], s.seen.Servers[name]
	switch {
	case !s.looked(name):
		return false
	case s.seen.Missing[name], server.Status != "ACTIVE" && server.Status != "UNKNOWN", server.Drained:
		return true
	}
	return !s.served(name) && server.NotInService == string(n.Mark)
}

// never: it is proven that it was never in service.
func (s *slowPlanner) never(name string) bool {
	server := s.seen.Servers[name]
	proof := s.seen.Missing[name] || server.Status == "ERROR" || server.NotInService == string(s.nodes[name].Mark)
	return s.idle(name) && !s.served(name) && proof
}

// wanted is the template of new nodes of a place: the most special there is. (The
// tests give templates of one value, so nothing is left to merge.)
func (s *slowPlanner) wanted(at placement.Place) Template { return special(s.policy.Templates, at) }

func special(templates Templates, at placement.Place) Template {
	for _, place := range []placement.Place{at, {Region: at.Region}, {}} {
		if t, there := templates[place]; there {
			return t
		}
	}
	return ""
}

// later reports whether a template came after another one.
func later(r Roster, a, b Template) bool {
	turn := func(t Template) int {
		i := slices.Index(r.Order, t)
		switch {
		case t == "":
			return -1
		case i < 0:
			return len(r.Order)
		}
		return i
	}
	if turn(a) != turn(b) {
		return turn(a) > turn(b)
	}
	return a > b
}

func (s *slowPlanner) unhealthy(name string) bool {
	server := s.seen.Servers[name]
	return s.looked(name) && (server.Status == "ERROR" || server.Tainted)
}

func (s *slowPlanner) protected(name string) bool {
	server := s.seen.Servers[name]
	return server.Locked || server.Protected || slices.Contains(s.policy.Protected, name) ||
		slices.ContainsFunc([]node.Node{server}, func(n node.Node) bool { return n.ID != "" && slices.Contains(s.policy.Protected, n.ID) })
}
