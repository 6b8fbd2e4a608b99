package planner_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
)

// promises are the promises to users about each plan. A function returns how a plan breaks one, or "".
var promises = []struct {
	sentence string
	broken   func(plan) string
}{
	{"A plan fails only where what is asked for cannot be.", plan.fails},
	{"No sentence names a server that serves as one to delete.", plan.deletes},
	{"What may serve is taken only while, without it, capacity - batch nodes are proven in service; with substitutes, capacity.", plan.takes},
	{"A note, a probe or a list that lies costs no more than a batch.", plan.believes},
	{"A plan changes no more than a batch of what may serve, and makes no more than a batch of substitutes.", plan.hurries},
	{"There are no more servers than capacity + 2 batches; before any served, than twice the capacity.", plan.crowds},
	{"A shrink takes what is out of service, then the accused, then what is not proven in service, then the tainted.", func(p plan) string {
		return p.shrinks(func(gone, kept member) bool {
			unclear := kept.has("unwell") || kept.has("doubt") || gone.has("former")
			return gone.grade() > kept.grade() && (kept.truth == out || !unclear)
		})
	}},
	{"A shrink goes by the criterion, and not by the template, where that failed and nothing replaces it.", func(p plan) string {
		return p.shrinks(func(gone, kept member) bool {
			return p.is("failed") && min(gone.grade(), kept.grade()) == 4 && gone.Index > kept.Index
		})
	}},
	{"A node comes back only in place of one that it is better than.", plan.swaps},
	{"A move makes the spread better.", plan.moves},
	{"What is protected, and what is where nobody looks, stays as it is.", func(p plan) string {
		return p.first(func(m member) bool {
			return m.replaced() && m.What != verdict.TakenBack && (m.has("protected") || m.at == closed) // that leaves a server as it is
		})
	}},
	{"A place that closes in an open batch costs no server: what leaves and serves comes back, if needed, but no tried name.", func(p plan) string {
		kept := p.count(func(m member) bool {
			_, stays := p.after.Nodes[m.name]
			return stays && (m.at != closed || m.has("served") || m.has("own"))
		}) + int64(len(p.change.With(verdict.Comes)))
		if p.count(func(m member) bool { return m.has("doubt") && m.at != closed }) > 0 {
			return "" // a look comes first
		}
		return p.first(func(m member) bool {
			_, stays := p.after.Nodes[m.name]
			proven := m.truth == serves && m.has("own") && !m.has("tried")
			return p.is("closed") && m.leaving && m.at != closed && proven && !stays && kept < p.capacity
		})
	}},
	{"A substitute waits for no node of a closed region.", func(p plan) string {
		busy := p.count(func(m member) bool {
			underWay := m.leaving || m.truth != serves || m.has("former") // its server should have been made again
			return m.at != closed && (underWay || m.Outcome != verdict.Held && m.Outcome != verdict.Stays)
		})
		return p.first(func(m member) bool {
			return p.is("closed") && !p.keeps() && busy == 0 && m.at != closed && m.Hold == hold.Waits
		})
	}},
	{"A node that carries a later mark than its own stays as it is, and the plan names it.", func(p plan) string {
		return p.first(func(m member) bool {
			return m.has("later") && m.at != closed && !m.leaving && (m.replaced() && m.Cause != "" || !p.names(m))
		})
	}},
	{"A node that never served, nor did the one before it, is not made a third time for that.", func(p plan) string {
		return p.first(func(m member) bool {
			here := p.change.With(verdict.Comes).Filter(func(v *verdict.Verdict) bool { return v.Place == m.at })
			others := p.change.With(verdict.Leaves).Filter(func(v *verdict.Verdict) bool { return v.Name != m.name && v.Cause != "" })
			givenUp := m.Outcome == verdict.Leaves && int64(len(here)) <= p.asked()+int64(len(others))
			return p.keeps() && m.replaced() && !givenUp && m.Cause == roster.Unhealthy && m.has("retried") && !m.has("served") && m.image == p.wants()
		})
	}},
	{"A plan that begins replaces nothing, and removes no candidate.", func(p plan) string {
		return p.first(func(m member) bool {
			made := m.Outcome == verdict.Changes && m.has("missing") // it has no server
			return p.is("begins") && p.missing() >= 0 && (m.replaced() && !made || m.removed())
		})
	}},
	{"A candidate that was met stays met.", func(p plan) string {
		return p.first(func(m member) bool {
			return p.is("met") && p.missing() >= 0 && m.Cause == "" && (m.replaced() || m.removed())
		})
	}},
	{"While more than stop_above are ill, no node is replaced for that, unless Nova has no host for it, or it fails twice.", func(p plan) string {
		return p.first(func(m member) bool {
			return m.replaced() && m.Cause == roster.Unhealthy && !p.is("blind") && !p.within(p.stop, kind.ill) && !m.has("nohost") &&
				m.What != verdict.GivenUp
		})
	}},
	{"While nodes have to serve for longer, others that serve stay, but for repair and for going back.", func(p plan) string {
		waits := p.is("pauses") && p.count(func(m member) bool { return m.has("bakes") && m.image == p.wants() }) > 0
		return p.first(func(m member) bool { return waits && m.replaced() && m.truth == serves && m.Cause != roster.Unhealthy })
	}},
	{"No more nodes than target get the wanted template, but for going back.", func(p plan) string {
		had, has := numberOf(p.before, p.wants()), numberOf(p.after, p.wants())
		back := p.is("settled")
		return said(!back && has > had && 100*(has-1) >= p.target*p.capacity, "more get it")
	}},
	{"A new node gets the first flavor that is not full where it comes.", func(p plan) string {
		for _, v := range p.change.With(verdict.Comes) {
			if want := map[bool]string{true: "small", false: "big"}[v.Place == zones[0]]; p.is("flavors") && v.Flavor != want {
				return "it gets " + v.Flavor
			}
		}
		return ""
	}},
	{"A plan says of each node that should be replaced why it is not.", func(p plan) string {
		return p.first(func(m member) bool {
			sick := p.has(roster.Unhealthy) && m.ill() && !p.is("blind") && (p.keeps() || !m.has("unmade")) // Terraform makes it again
			should := sick || p.has(roster.Outdated) && m.image != p.wants() || p.has(roster.TooOld) && m.has("aged") || p.has(roster.LaterFlavor)
			return should && m.stays() && !m.has("later") && (m.Outcome != verdict.Held || m.Reason == "")
		})
	}},
	{"A cluster is in step only where all serve, nothing is held but by target or protection, and nothing remains.", plan.flatters},
}

// plan is the plan for a question.
type plan struct {
	question
	members       []member
	before, after roster.Roster
	change        planner.Change
	there         looked
	serving       []string // ids of servers that serve
	first_        bool     // whether no node was ever in service
	status        string
	err           error
}

// member is a node of the cluster before the plan, with its verdict.
type member struct {
	kind
	verdict.Verdict
	name    string
	leaving bool // whether an earlier plan removed it
	taken   bool // whether the plan takes it out of service before its substitute is in service
}

// ask plans for a cluster; tell returns the look at a node and its truth, to which the policy and the moment may add.
func (q question) ask(before roster.Roster, seen roster.Seen, tell func(n roster.Node) kind) plan {
	p, policy := plan{question: q, before: before, there: looked{}}, q.policy()
	for name := range seen.Servers {
		p.there[name] = seen.Number(name)
	}
	p.after, p.change, p.err = planner.Plan(before, seen, policy)
	p.status = p.change.Now.Text
	verdicts := map[string]verdict.Verdict{}
	for _, v := range p.change.List {
		verdicts[v.Name] = *v
	}
	for _, name := range slices.Concat(before.LeavingNames(), before.Names()) {
		n, leaving := before.Leaving[name]
		if !leaving {
			n = before.Nodes[name]
		}
		m := member{kind: tell(n), Verdict: verdicts[name], name: name, leaving: leaving}
		m.taken = m.replaced() && q.keeps() && (m.Outcome != verdict.Changes || !q.ignores(m.name, before, p.after))
		p.members = append(p.members, m)
	}
	served := func(m member) bool {
		return slices.ContainsFunc([]string{"served", "own", "earlier", "later", "doubt"}, m.has) || m.has("UNKNOWN") && !m.leaving
	}
	for _, m := range p.members {
		if m.truth == serves {
			p.serving = append(p.serving, seen.Servers[m.name].ID)
		}
	}
	first := len(before.Settled) == 0 && !q.is("blind") && p.count(served) == 0
	p.first_ = first
	sick := func(k kind) bool { return k.ill() || k.has("unmeasured") }
	for i, m := range p.members {
		switch {
		case m.at == closed, q.is("blind") && m.truth != serves: // nobody looked
			p.members[i].truth = open
		case first: // nobody ever found one in service, so nobody uses them
			p.members[i].truth = out
		case m.truth == accused && m.has("unwell") && !m.has("noted") && !p.within(q.stop, sick): // then a user does not believe a probe
			p.members[i].truth = open
		case q.is("unmarked") && m.runs():
			p.members[i].truth = serves
		}
	}
	return p
}

// ignores reports whether a server stays as it is although its node changes: it only follows the generation.
func (q question) ignores(name string, before, after roster.Roster) bool {
	return q.method != roster.InPlace && before.Nodes[name].Generation == after.Nodes[name].Generation
}

// runs reports whether a server was seen to run, and to be as it should be.
func (k kind) runs() bool {
	no := slices.ContainsFunc([]string{"missing", "doubt", "drained", "former", "unwell"}, k.has)
	return !no && k.words == strings.ToLower(k.words)
}

// replaced reports whether a node is changed, or removed for a cause.
func (m member) replaced() bool {
	return m.Outcome == verdict.Changes || m.Outcome == verdict.Leaves && m.Cause != ""
}

// removed reports whether a node leaves without a cause: for a shrink, or as a candidate.
func (m member) removed() bool { return m.Outcome == verdict.Leaves && m.Cause == "" }

func (m member) stays() bool {
	return !m.leaving && (m.Outcome == verdict.Stays || m.Outcome == verdict.Held)
}
func (m member) mayServe() bool { return m.truth == serves || m.truth == open }

// missing returns the number of nodes that a growth adds, or minus the number that a shrink removes.
func (p plan) missing() int64 { return p.capacity - int64(len(p.before.Nodes)) }

func (p plan) has(cause roster.Cause) bool {
	return p.method != none && slices.Contains(p.causes, cause)
}

func (p plan) count(is func(member) bool) (n int64) {
	for _, m := range p.members {
		if is(m) {
			n++
		}
	}
	return n
}

// within reports whether the nodes of a kind are at most a percentage of the capacity.
func (p plan) within(percent int64, is func(kind) bool) bool {
	n := p.count(func(m member) bool { return !m.leaving && m.at != closed && is(m.kind) })
	return 100*n <= percent*p.capacity
}

func said(is bool, what string) string {
	if is {
		return what
	}
	return ""
}

// first returns the look at the first node of a kind and why it is replaced, or "".
func (p plan) first(is func(member) bool) string {
	for _, m := range p.members {
		if is(m) {
			return strings.TrimSpace(fmt.Sprintf("%s %s", m.words, m.Cause))
		}
	}
	return ""
}

// numberOf counts the nodes with an image.
func numberOf(r roster.Roster, image string) (n int64) {
	for _, node := range r.Nodes {
		if node.Template.Values()["image"] == image {
			n++
		}
	}
	return n
}

// names reports whether a plan decides something about a node.
func (p plan) names(m member) bool {
	told := func(n say.Notice) bool { return strings.Contains(n.Text, m.name) }
	return m.Reason != "" || strings.Contains(p.status, m.name) || slices.ContainsFunc(p.change.Notices, told)
}

// deletes finds a sentence about deleting that names a server that serves.
func (p plan) deletes() string {
	texts := []string{p.change.Now.Text, p.change.Status.Text, fmt.Sprint(p.err)}
	for _, n := range p.change.Notices {
		texts = append(texts, n.Text)
	}
	for _, v := range p.change.Blocked {
		texts = append(texts, v.Name+" "+v.Reason)
	}
	for _, text := range texts {
		for _, id := range p.serving {
			if strings.Contains(text, "elete") && strings.Contains(text+" ", id+" ") || strings.Contains(text, id+")") && strings.Contains(text, "elete") {
				return "a server that serves"
			}
		}
	}
	return ""
}

func (p plan) fails() string {
	_, argument := errors.AsType[*decide.ArgumentError](p.err)
	bound := p.count(func(m member) bool { return m.has("protected") || m.has("locked") || m.at == closed }) > 0
	return said(p.err != nil && !p.full() && (!bound || !argument), fmt.Sprintf("%T", p.err))
}

// full reports whether the plan is refused because two batches of servers are beyond the cluster. The error says which to delete.
func (p plan) full() bool {
	return p.err != nil && strings.Contains(p.err.Error(), "No substitute can be made now") && !strings.HasSuffix(p.err.Error(), ": .")
}

// proven counts the nodes that are proven in service before the plan.
func (p plan) proven() int64 {
	return p.count(func(m member) bool {
		return m.truth == serves && !m.taken && !m.removed() && (!m.leaving || m.Outcome == verdict.Returns)
	})
}

func (p plan) takes() string {
	least := p.capacity
	if p.keeps() {
		least -= p.batch
	}
	return p.first(func(m member) bool { return m.taken && m.mayServe() && p.proven() < least })
}

func (p plan) believes() string {
	lies := func(m member) bool { return m.taken && m.truth == accused }
	return said(p.count(lies) > p.batch && p.proven() < p.capacity-p.batch, p.first(lies))
}

// asked returns the number of nodes that come because a person asked for them: by a growth, or with a candidate.
func (p plan) asked() int64 { return max(0, p.missing()+p.count(member.removed)) }

func (p plan) hurries() string {
	changed := func(m member) bool {
		return !m.leaving && m.mayServe() && (m.taken || m.replaced() && m.Outcome == verdict.Leaves)
	}
	made := int64(len(p.change.With(verdict.Comes).Names())) - p.asked() - p.givenUp()
	return said(p.count(changed) > p.batch, "changes "+p.first(changed)) + said(made > p.batch, "makes one for "+p.first(member.replaced))
}

// givenUp counts the nodes that never served and leave, so that others come.
func (p plan) givenUp() int64 {
	return p.count(func(m member) bool { return m.Outcome == verdict.Leaves && m.What == verdict.GivenUp })
}

// crowds counts servers: those that are there, and those that are made. With a method that takes servers first nodes are
// counted.
func (p plan) crowds() string {
	if p.keeps() || p.method == none {
		size := func(r roster.Roster) int64 { return int64(len(r.Nodes) + len(r.Leaving)) }
		bound := max(p.capacity+2*p.batch, size(p.before)+p.asked())
		return said(size(p.after) > bound, cmp.Or(p.first(member.replaced), "nothing is replaced"))
	}
	comes, there := int64(len(p.change.With(verdict.Comes))), int64(0)
	for name := range p.there {
		there += p.there.of(name)
	}
	missing := p.count(func(m member) bool { return m.stays() && p.there.of(m.name) == 0 })
	return said(comes > 0 && there+missing+comes > p.most(), cmp.Or(p.first(member.replaced), "nothing is replaced"))
}

// most is how many servers there may be.
func (p plan) most() int64 {
	if p.first_ {
		return max(2*p.capacity, p.capacity)
	}
	return p.capacity + 2*p.batch
}

// looked counts the servers by name.
type looked map[string]int64

func (l looked) of(name string) int64 { return l[name] }

// grade returns the position of a node in a shrink.
func (m member) grade() int {
	if m.truth == serves && !m.has("tainted") {
		return 4
	}
	return slices.Index([]truth{out, accused, open, serves}, m.truth)
}

// shrinks finds a node that a shrink removes although it keeps one that should leave first.
func (p plan) shrinks(wrong func(gone, kept member) bool) string {
	if p.missing() >= 0 || p.is("named") {
		return ""
	}
	for _, gone := range p.members {
		for _, kept := range p.members {
			if gone.removed() && kept.stays() && !kept.has("protected") && kept.at != closed && gone.at != closed && wrong(gone, kept) {
				return fmt.Sprintf("a node that %s leaves, and one that %s stays", gone.truth, kept.truth)
			}
		}
	}
	return ""
}

// swaps finds a node that comes back while one that is no worse leaves. A node that changes under its own name makes no
// room for another.
func (p plan) swaps() string {
	stranded := p.count(func(m member) bool { return m.at == closed && !m.has("served") })
	grown := int64(len(p.change.With(verdict.Returns))) <= max(p.missing(), 0)+stranded
	for _, back := range p.members {
		for _, gone := range p.members {
			same := gone.kind == back.kind || gone.Cause == roster.TooOld && back.has("aged") || gone.Cause == roster.Misplaced && back.at == gone.at
			leaves := gone.replaced() && gone.Outcome == verdict.Leaves
			if back.Outcome == verdict.Returns && leaves && same && !grown {
				return fmt.Sprintf("%s for %s %s", back.words, gone.words, gone.Cause)
			}
		}
	}
	return ""
}

func (p plan) moves() string {
	uneven := func(r roster.Roster) int64 {
		counts := r.Counts()
		return max(counts[zones[0]], counts[zones[1]]) - min(counts[zones[0]], counts[zones[1]])
	}
	no := p.is("zones") && p.missing() == 0 && uneven(p.after) >= uneven(p.before)
	return p.first(func(m member) bool { return no && m.replaced() && m.Cause == roster.Misplaced })
}

func (p plan) flatters() string {
	says := p.method != none && !p.is("blind") && p.change.Now.Phase == status.InStep
	return said(says && p.change.Remaining > 0, "more remains") + p.first(func(m member) bool {
		held := m.Outcome == verdict.Held && m.Hold != hold.Target && m.Hold != hold.Protected
		return says && (held || p.change.Empty() && m.stays() && m.truth == out)
	})
}
