package decide

import (
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// ledger has everything that a grant depends on: the room in the places, the budget of the batch,
// the health of the cluster, and the rollout. Only [ledger.decide] changes it.
type ledger struct {
	policy roster.Policy
	now    roster.Roster
	room
	budget
	health
	rollout rollout
	err     error // why the cluster cannot grow or shrink

	verdicts map[string]verdict.Verdict // verdicts about the nodes whose wants were granted or refused, by name
	// refusals for lack of room since the last change, by the place of the node to replace
	known map[placement.Place]verdict.Refusal
}

// budget says how many nodes a plan may replace, and what counts against that.
type budget struct {
	size    int64 // maximum number of nodes to replace
	taken   int64 // number of nodes that this plan replaces
	pending int64 // number of nodes to be added: the growth, and a substitute for each node that is replaced
	grown   int64 // number of pending nodes of the growth
	short   int64 // number of nodes that are not added, because only full places have room
	// number of pending substitutes with a method that takes nodes out of service first
	moved    int64
	heirs    int64                     // number of pending substitutes of nodes that stand in for stranded ones
	retries  map[roster.Template]int64 // numbers of pending second tries, by template
	under    set                       // nodes under way, including the ones that this plan revises
	leaving  []string                  // leaving nodes outside closed regions whose servers still exist
	destroys int64                     // number of servers of nodes that this plan removes
	unhosted int64                     // number of nodes that leave because Nova found no host for them
	// number of servers that were never in service, and that leave because leaving nodes come back
	unused int64
	baking int64  // number of nodes that must be in service for longer
	tried  int64  // number of nodes in whose place two servers of the wanted template ended in ERROR
	shut   string // until when the window is shut; "" if it is open
}

// health says which nodes are in service.
type health struct {
	out       set   // nodes that are not proven in service, including the ones that this plan takes out of it
	unchanged int64 // number of nodes whose servers did not follow them, were found in service since, and stay
	sick      int64 // number of unhealthy nodes
	unknown   int64 // number of nodes whose health was checked without a result
	unseen    int64 // number of nodes of which nothing is known
	total     int64 // number of all nodes
	first     bool  // whether no node was ever in service: then nothing can be taken out of it
}

// set is a set of names of nodes.
type set map[string]bool

// put adds a name to the set, or removes it.
func (s set) put(name string, in bool) {
	if in {
		s[name] = true
	} else {
		delete(s, name)
	}
}

func newLedger(now roster.Roster, all facts.Facts, seen roster.Seen, policy roster.Policy) *ledger {
	l := &ledger{
		policy:   policy,
		now:      now,
		room:     roomOf(now, all, seen, policy),
		budget:   budget{size: policy.Batch(), retries: map[roster.Template]int64{}, under: set{}, shut: seen.Shut(policy)},
		health:   health{out: set{}, total: int64(len(all)), first: first(now, all, seen, policy)},
		rollout:  rolloutOf(now, all, policy),
		verdicts: map[string]verdict.Verdict{},
		known:    map[placement.Place]verdict.Refusal{},
	}
	for _, name := range now.LeavingNames() {
		region := placement.Place{Region: now.Leaving[name].Region}
		if policy.Rests(region) == "" { // in a closed region Nova may not answer
			l.leaving = append(l.leaving, name)
		}
	}
	for _, f := range all {
		add(&l.tried, 1, f.Outdated && f.Refused)
		add(&l.baking, 1, f.Bakes)
		add(&l.unchanged, 1, standsUnchanged(f))
		switch {
		case f.Sick():
			l.sick++
		case f.Server.HealthUnknown && f.Rests == "":
			l.unknown++
		case f.Is == facts.Unknown:
			l.unseen++
		}
		l.enters(f)
	}
	return l
}

// add adds to a number, if something is so.
func add(n *int64, by int64, is bool) {
	if is {
		*n += by
	}
}

// standsUnchanged reports whether a server in an open region did not follow its node, and serves.
func standsUnchanged(f *facts.Fact) bool { return f.ServesUnchanged() && !f.Dark }

// enters counts a node: one that is not proven in service for the quorum, and one under way against
// the batch.
func (l *ledger) enters(f *facts.Fact) {
	l.out.put(f.Name, f.Out())
	l.under.put(f.Name, f.Occupies())
}

// first reports whether no node was ever in service, as far as the memory and all marks show.
func first(now roster.Roster, all facts.Facts, seen roster.Seen, policy roster.Policy) bool {
	served := func(f *facts.Fact) bool {
		return f.Served || f.Server.InService != "" || f.Is == facts.Unknown && !f.Unfound
	}
	if policy.Blind || now.Adopted || len(now.Settled) > 0 || all.Number(served) > 0 {
		return false
	}
	for name, n := range now.Leaving {
		if n.Served || seen.Servers[name].InService != "" {
			return false
		}
	}
	return true
}

// decide grants a want, or holds its node.
func (l *ledger) decide(w verdict.Want) {
	if no := l.gate(w); no.Hold != nil {
		l.hold(w, no)
	} else {
		clear(l.known)
		l.grant(w)
	}
}

// hold notes what holds a node. If it should be replaced for several causes, a hold that ends by
// itself comes before one that only a person ends, and the earlier cause comes first.
func (l *ledger) hold(w verdict.Want, no verdict.Refusal) {
	before, there := l.verdicts[w.Name]
	if there && (!before.Hold.Done || no.Hold.Done) {
		return
	}
	l.verdicts[w.Name] = verdict.Verdict{Want: w, Outcome: verdict.Held, Refusal: no}
}

// granted reports whether a want for a node was granted.
func (l *ledger) granted(name string) bool {
	v, there := l.verdicts[name]
	return there && v.Outcome != verdict.Held
}
