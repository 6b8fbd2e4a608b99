package roster_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// plan is what was planned for a cluster, and what is true of its nodes.
type plan struct {
	question
	members       []member // the nodes, then those that leave
	before, after roster.Roster
	change        roster.Change
	err           error
	status        string
	had, servers  int64 // servers before, and once all that comes is made and nothing that leaves is destroyed
}

// member is a node, and what the plan does with it.
type member struct {
	kind
	roster.Verdict
	truth   truth
	leaving bool // it leaves since an earlier plan
	taken   bool // it is out of service before anything that comes for it is in service
	met     bool // it is a candidate that an earlier plan has met
}

// replaced reports whether a node is changed, or removed for a substitute.
func (m member) replaced() bool {
	return m.Outcome == roster.Changes || m.Outcome == roster.Leaves && m.Cause != ""
}

// removed reports whether a node leaves, and nothing replaces it.
func (m member) removed() bool { return m.Outcome == roster.Leaves && m.Cause == "" }

// stays reports whether a node of the cluster is one afterwards, and as it was.
func (m member) stays() bool {
	return !m.leaving && (m.Outcome == roster.Stays || m.Outcome == roster.Held)
}

func (p plan) has(cause roster.Cause) bool { return p.method != "" && slices.Contains(p.causes, cause) }

func (p plan) count(is func(member) bool) (n int64) {
	for _, m := range p.members {
		if is(m) {
			n++
		}
	}
	return n
}

// first names the first node of a kind, by its look and the cause; "": there is none.
func (p plan) first(is func(member) bool) string {
	best := ""
	for _, m := range p.members {
		if text := strings.TrimSpace(fmt.Sprintf("%s %s", m.words, m.Cause)); is(m) && (best == "" || text < best) {
			best = text
		}
	}
	return best
}

// any says what happens to the first node of a kind; "": there is none.
func (p plan) any(is func(member) bool) string {
	for _, m := range p.members {
		if is(m) {
			return strings.TrimSpace(fmt.Sprintf("it %s %s", m.Outcome, m.Cause))
		}
	}
	return ""
}

// promises are what a user was promised of each plan. A function says what breaks the promise; "": nothing does.
var promises = []struct {
	sentence string
	broken   func(plan) string
}{
	{"A plan fails only where what is asked for cannot be.", plan.fails},
	{"What may serve is taken only while, without it, capacity - batch nodes are proven in service (with substitutes, capacity).", plan.takesService},
	{"A note or a probe that lies costs no more than a batch.", plan.believesLies},
	{"One plan changes no more than a batch of what may serve, and makes no more than a batch of substitutes.", plan.exceedsBatch},
	{"There are never more servers than capacity + 2 batches; for nodes that served and broke, up to another batch.", plan.exceedsServers},
	{"A shrink takes what is out of service, then the accused, then what is not proven in service, then the tainted.", plan.shrinksBadly},
	{"A shrink under a failed template that nothing replaces goes by the criterion, not by the template.", plan.shrinksToFailed},
	{"What comes back is better than what it replaces, and under no cause itself.", plan.returnsBadly},
	{"A protected node, and one of a region where nobody looks, stays as it is.", func(p plan) string {
		return p.first(func(m member) bool { return (m.has("protected") || m.at == closed) && m.replaced() })
	}},
	{"A node that carries a later mark than its own stays as it is, and the plan names it.", func(p plan) string {
		return p.first(func(m member) bool {
			return m.has("later") && !m.leaving && m.at != closed && (m.replaced() || !p.names(m))
		})
	}},
	{"A node that never served, nor did the one before it, is not made a third time.", func(p plan) string {
		return p.first(func(m member) bool {
			never := m.has("retried") && !m.has("served") && m.image == p.wants()
			return never && m.replaced() && m.Cause == roster.Unhealthy
		})
	}},
	{"A plan that begins replaces nothing and removes no candidate.", func(p plan) string {
		return p.any(func(m member) bool {
			return p.begins && int64(len(p.nodes)) <= p.capacity && (m.replaced() || m.removed())
		})
	}},
	{"A candidate that was met stays met.", func(p plan) string {
		return p.any(func(m member) bool {
			return m.met && m.Cause == "" && (m.replaced() || m.removed()) && int64(len(p.nodes)) <= p.capacity
		})
	}},
	{"While more than stop_above are ill, none is replaced for that.", func(p plan) string {
		ill := func(k kind) bool { return k.ill() && k.at != closed }
		return p.first(func(m member) bool { return m.replaced() && m.Cause == roster.Unhealthy && !p.blind && !p.within(p.stop, ill) })
	}},
	{"While nodes have to serve for longer, no other that serves is replaced, but for repair.", func(p plan) string {
		bakes := p.pauses && !p.settled && slices.ContainsFunc(p.nodes, func(k kind) bool { return k.has("bakes") && k.image == p.wants() })
		return p.first(func(m member) bool {
			return bakes && m.replaced() && m.truth == serves && m.Cause != "" && m.Cause != roster.Unhealthy
		})
	}},
	{"No more nodes than target get the wanted template.", func(p plan) string {
		had, has := count(p.before, p.wants()), count(p.after, p.wants())
		if p.settled || p.failed || has <= had || 100*has < percent(p.target)*p.capacity+100 {
			return ""
		}
		return fmt.Sprintf("%d have it", has)
	}},
	{"A template that failed, with none settled, is given to no node that has another.", func(p plan) string {
		return p.first(func(m member) bool { return p.failed && m.Cause == roster.Outdated && m.replaced() })
	}},
	{"A plan says of each node that should be replaced why it is not.", plan.isSilent},
	{"A cluster is in step only where all serve, nothing is held but by target or protection, and nothing remains.", plan.isNotInStep},
}

func (p plan) fails() string {
	_, protected := errors.AsType[*deletion.ProtectedError](p.err)
	_, candidate := errors.AsType[*roster.CandidateError](p.err)
	_, shut := errors.AsType[*roster.ClosedError](p.err)
	free := !slices.ContainsFunc(p.nodes, func(k kind) bool { return k.has("protected") || k.at == closed })
	if p.err == nil || !free && (protected || candidate || shut) {
		return ""
	}
	return fmt.Sprintf("%T", p.err)
}

// provenLeft counts the nodes that are proven in service, whatever the plan takes.
func (p plan) provenLeft() int64 {
	return p.count(func(m member) bool {
		return m.truth == serves && !m.taken && !m.removed() && (!m.leaving || m.Outcome == roster.Returns)
	})
}

func (p plan) takesService() string {
	least := p.capacity
	if p.keeps() {
		least -= p.batch
	}
	if p.provenLeft() >= least {
		return ""
	}
	return p.first(func(m member) bool { return m.taken && (m.truth == serves || m.truth == open) })
}

func (p plan) believesLies() string {
	lies := func(m member) bool { return m.taken && m.truth == accused }
	if p.count(lies) <= p.batch || p.provenLeft() >= p.capacity-p.batch {
		return ""
	}
	return p.first(lies)
}

func (p plan) exceedsBatch() string {
	changed := func(m member) bool {
		return !m.leaving && (m.truth == serves || m.truth == open) && (m.taken || m.replaced() && m.Outcome == roster.Leaves)
	}
	asked := max(0, p.capacity-int64(len(p.nodes))+p.count(member.removed)) // for a growth and for candidates
	switch made := int64(len(p.change.Names(roster.Comes))) - asked; {
	case p.count(changed) > p.batch:
		return "changes " + p.first(changed)
	case made > p.batch:
		return "makes substitutes for " + p.first(member.replaced)
	}
	return ""
}

func (p plan) exceedsServers() string {
	broke := p.count(func(m member) bool { return !m.leaving && m.has("served") && m.truth == out })
	asked := max(0, p.capacity-int64(len(p.nodes))) + p.count(member.removed)
	if p.servers <= max(p.capacity+2*p.batch+min(broke, p.batch), p.had+asked) {
		return ""
	}
	return cmp.Or(p.first(member.replaced), "nothing is replaced")
}

// grade is when it is a node's turn in a shrink: before those of higher grades.
func (m member) grade() int {
	switch {
	case m.truth == out:
		return 0
	case m.truth == accused:
		return 1
	case m.truth == open:
		return 2
	case m.has("tainted"):
		return 3
	}
	return 4
}

// shrinks finds two nodes of which a shrink should not have taken the first one and kept the second one.
func (p plan) shrinks(wrong func(gone, kept member) bool) string {
	for _, gone := range p.members {
		for _, kept := range p.members {
			if shrink := gone.removed() && !gone.leaving && kept.stays() && p.capacity < int64(len(p.nodes)); !shrink || kept.has("protected") || p.named {
				continue
			}
			if kept.at != closed && gone.at != closed && wrong(gone, kept) {
				return fmt.Sprintf("a node that %s leaves, and one that %s stays", gone.truth, kept.truth)
			}
		}
	}
	return ""
}

func (p plan) shrinksBadly() string {
	return p.shrinks(func(gone, kept member) bool {
		unclear := kept.has("unwell") || kept.has("doubt") || gone.has("former")
		return gone.grade() > kept.grade() && (kept.truth == out || !unclear)
	})
}

func (p plan) shrinksToFailed() string {
	return p.shrinks(func(gone, kept member) bool {
		return p.failed && gone.grade() == 4 && kept.grade() == 4 && gone.Index > kept.Index
	})
}

func (p plan) returnsBadly() string {
	if int64(len(p.change.Names(roster.Returns))) <= p.capacity-int64(len(p.nodes)) {
		return p.movesBadly() // they come for a growth
	}
	for _, back := range p.members {
		for _, gone := range p.members {
			switch under := back.has("aged") && gone.Cause == roster.TooOld; {
			case back.Outcome != roster.Returns || !gone.replaced():
			case under, gone.kind == back.kind, gone.Cause == roster.Misplaced && gone.at == back.at:
				return fmt.Sprintf("%s for %s %s", back.words, gone.words, gone.Cause)
			}
		}
	}
	return p.movesBadly()
}

func (p plan) movesBadly() string {
	moves := func(m member) bool { return m.Outcome == roster.Leaves && m.Cause == roster.Misplaced }
	if p.zoned && len(p.before.Nodes) == len(p.after.Nodes) && p.count(moves) > 0 && uneven(p.after) >= uneven(p.before) {
		return "a move that does not make the spread better"
	}
	return ""
}

// uneven is by how many nodes one zone has more than the other.
func uneven(r roster.Roster) int64 {
	counts := r.Counts()
	return max(counts[zones[0]], counts[zones[1]]) - min(counts[zones[0]], counts[zones[1]])
}

// count counts the nodes of a template.
func count(r roster.Roster, image string) (n int64) {
	for _, node := range r.Nodes {
		if node.Template.Values()["image"] == image {
			n++
		}
	}
	return n
}

// names reports whether a plan says something of a node.
func (p plan) names(m member) bool {
	return m.Reason != "" || strings.Contains(p.status, m.Name) || slices.ContainsFunc(p.change.Notices, func(n roster.Notice) bool { return strings.Contains(n.Text, m.Name) })
}

func (p plan) isSilent() string {
	return p.first(func(m member) bool {
		should := p.has(roster.Unhealthy) && m.ill() && !p.blind || p.has(roster.Outdated) && m.image != p.wants() || p.has(roster.TooOld) && m.has("aged")
		return should && m.stays() && !m.has("later") && (m.Outcome != roster.Held || m.Reason == "")
	})
}

func (p plan) isNotInStep() string {
	if p.method == "" || p.blind || !strings.HasPrefix(p.status, roster.InStep) {
		return ""
	}
	if p.change.Remaining > 0 {
		return "more remains"
	}
	return p.first(func(m member) bool {
		held := m.Outcome == roster.Held && m.Hold != roster.HeldTarget && m.Hold != roster.HeldProtected
		return held || m.stays() && m.truth == out && p.change.Empty()
	})
}
