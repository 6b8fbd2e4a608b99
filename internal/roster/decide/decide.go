// Package decide makes a plan. Wants say which nodes should change and why; the ledger has the room, the budget and
// the health of the cluster; the gate grants a want or returns its hold. Nothing changes without passing the gate.
package decide

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Plan makes a plan: it works out the facts, passes each want through the gate, and collects the verdicts.
func Plan(now roster.Roster, seen roster.Seen, policy roster.Policy) (verdict.Plan, error) {
	l, err := newLedger(now, seen, policy)
	if err == nil {
		err = l.wants()
	}
	if err != nil {
		return verdict.Plan{}, err
	}
	return l.finish(seen)
}

// excess returns how many nodes are too many. Nodes that stand in for stranded ones stay, although there are enough.
func (l *ledger) excess() int64 {
	standIns := l.staying.Number(func(f *facts.Fact) bool { return f.StandsIn })
	return max(0, int64(len(l.staying))-l.Policy.Capacity-min(standIns, l.staying.Number(l.stranded)))
}

// finish adds the new nodes, makes the next roster, and collects the verdicts about all nodes.
func (l *ledger) finish(seen roster.Seen) (plan verdict.Plan, err error) {
	come, err := l.arrive()
	if err != nil {
		return plan, err
	}
	for _, f := range come.returned {
		l.decide(verdict.Want{Fact: f, What: verdict.Returned})
	}
	if name := l.outlived(); name != "" && len(l.dead) > 0 {
		return plan, crowdedOut.with(name, text.Count(l.beyond(0), "server"), text.Few(l.dead))
	}
	l.rollout.promised = come.wanted // nodes that come back keep their own templates
	namer := l.name(come, seen.Taken)
	l.comers = namer.made
	next := l.now.Clone()
	l.apply(&next, seen)
	if l.Policy.Ordinals {
		next.Number(l.now)
	}
	next.Done, next.Adopted = l.met(), false
	if l.Crowded > 0 && l.failed > 0 {
		next.Cleaned = append(slices.Clone(next.Cleaned[max(0, len(next.Cleaned)-1):]), l.Policy.Templates)
	}
	remaining := l.settle(next, seen)
	if err := finishSlots(&next, l.verdicts, l.Policy); err != nil {
		return plan, err
	}
	giveUp(next, seen, l.Policy)
	plan = verdict.Plan{
		Verdicts: l.list(), Next: next, Policy: l.Policy, Names: l.names,
	}
	plan.Passed, plan.Fresh, plan.Unprotected = namer.passed, namer.fresh, l.protectsNobody()
	plan.Strangers = l.named.strange
	back := func(name string) bool { return l.verdicts[name].Outcome == verdict.Returns }
	plan.Leaving, plan.Strays = slices.DeleteFunc(l.leaving, back), strays(l.now, seen, l.Policy)
	plan.Counts = l.Counts.Counts
	comes := int64(len(l.comers))
	plan.Remaining, plan.Beyond = remaining+l.Crowded, l.beyond(comes)
	plan.Free, plan.Cleans, plan.Failed = max(0, l.free(comes)), l.cleans, l.dead
	return plan, misspelled(plan)
}

// outlived names a node that serves, whose newer server failed, and that leaves or is named to leave without a
// substitute, or "".
func (l *ledger) outlived() string {
	for _, f := range slices.Concat(l.others, l.All.ByIndex((*facts.Fact).Free)) {
		_, stays := l.All[f.Name]
		if f.Outlived && (!stays && l.Crowded > 0 || l.verdicts[f.Name].Hold == hold.Servers) {
			return f.Name
		}
	}
	return ""
}

// failed lists the servers with the name of a node, each with its id, that are in ERROR, or that were never in service
// and that leave, or are one of several and were waited for. A server that a node which served had before may serve.
func failed(now roster.Roster, seen roster.Seen) (list []string) {
	for name := range seen.Servers {
		n, node := now.Known(name)
		_, leaves := now.Leaving[name]
		for i, s := range seen.There(name) {
			never := s.InService == "" && (!n.Served || i > 0 && s.NotInService != "")
			silent := never && (leaves || s.NotInService != "" && len(seen.Others[name]) > 0)
			if node && (s.Status == "ERROR" || silent) {
				list = append(list, fmt.Sprintf("%s (%s)", name, s.ID))
			}
		}
	}
	slices.Sort(list)
	return list
}

// list lists the verdicts about all nodes, by index.
func (l *ledger) list() verdict.List {
	list := make(verdict.List, 0, len(l.All)+len(l.comers))
	add := func(v verdict.Verdict) { list = append(list, &v) }
	for _, f := range l.All {
		add(l.verdictOn(f))
	}
	for _, v := range l.verdicts {
		if v.Outcome == verdict.Returns {
			add(v)
		}
	}
	for _, f := range l.comers {
		add(verdict.Verdict{Want: verdict.Want{Fact: f}, Outcome: verdict.Comes})
	}
	slices.SortFunc(list, func(a, b *verdict.Verdict) int { return a.Compare(b.Fact) })
	return list
}

// misspelled refuses a plan that changes a node if the list of protected nodes seems to misspell its name.
func misspelled(plan verdict.Plan) error {
	for _, written := range plan.Unprotected {
		for _, v := range append(plan.Verdicts.With(verdict.Leaves), plan.Verdicts.With(verdict.Changes)...) {
			if deletion.Misspelled(written, v.Name) {
				return misspelledProtection.with(written, v.Name)
			}
		}
	}
	return nil
}

// protectsNobody lists the protected names and ids that belong to no node.
func (l *ledger) protectsNobody() []string {
	return slices.DeleteFunc(slices.Clone(l.Policy.Protected), func(written string) bool {
		is := func(f *facts.Fact) bool { return f.Name == written || f.Server.ID == written }
		return l.All.Number(is) > 0 || slices.ContainsFunc(l.comers, is)
	})
}

// apply changes a roster as the verdicts say. A removed node becomes a leaving one, unless the
// last look found no server for it.
func (l *ledger) apply(r *roster.Roster, seen roster.Seen) {
	for name, v := range l.verdicts {
		switch v.Outcome {
		case verdict.Changes:
			_, undone := r.Before[name]
			switch unseen := l.Policy.InPlace() && v.After.Generation == v.Generation; {
			case v.What == verdict.TakenBack:
				delete(r.Before, name)
			case unseen && !undone:
				r.Before[name] = v.Node
			}
			r.Nodes[name] = v.After
		case verdict.Leaves:
			delete(r.Before, name)
			n := r.Nodes[name]
			n.StandsIn, n.Named, n.Tried = v.What == verdict.Replaced, v.Candidate(), v.Outlived
			delete(r.Nodes, name)
			if !seen.Missing[name] {
				r.Leaving[name] = n
			}
		case verdict.Returns:
			r.Nodes[name] = v.Node
			delete(r.Leaving, name)
		}
	}
	for _, n := range l.comers {
		r.Nodes[n.Name] = n.Node
		delete(r.Leaving, n.Name)
		r.Next = max(r.Next, n.Index+1)
	}
}

// firstTemplate gives nodes without a template the template of their place, because nobody knows
// what they were made from. If the mark of a node has the hash of another template, the node was
// made from that one, which is not known here; it stays without a template. An import knows the image.
func (l *ledger) firstTemplate(now roster.Roster) error {
	bare := map[string]roster.Node{}
	for name, n := range now.Nodes {
		switch wanted := l.Policy.Templates.At(n.Place); {
		case wanted == "" && n.Template != "":
			return templateRemoved.with()
		case wanted != "" && n.Template == "":
			bare[name] = n
		}
	}
	for _, name := range roster.ByIndex(bare) {
		n := bare[name]
		template := l.Policy.Templates.At(n.Place).WithImage(n.Image)
		if !n.Mark.Matches(template) {
			l.names.Other = append(l.names.Other, fmt.Sprintf("%s (%s)", name, n.Mark))
			continue
		}
		l.names.First = append(l.names.First, name)
		if mark := n.Mark.With(template); mark != n.Mark { // its server may change, so it must serve again
			n.Mark, n.Served, n.Doubt = mark, false, true
		}
		n.Template, n.Image = template, ""
		now.Nodes[name] = n
	}
	return nil
}

// zonesFrom gives nodes without a zone the zones of their servers if their regions list zones now.
func zonesFrom(r roster.Roster, seen roster.Seen, regions []placement.Region) roster.Roster {
	r = r.Clone()
	for _, nodes := range []map[string]roster.Node{r.Nodes, r.Leaving} {
		for name, n := range nodes {
			if n.Zone == "" && placement.Zoned(regions, n.Region) {
				n.Zone = seen.Servers[name].Zone
				nodes[name] = n
			}
		}
	}
	return r
}

// giveUp forgets the leaving nodes whose servers somebody keeps: nothing waits until these servers
// are gone, and the nodes cannot come back.
func giveUp(r roster.Roster, seen roster.Seen, policy roster.Policy) {
	maps.DeleteFunc(r.Leaving, func(name string, _ roster.Node) bool {
		return policy.KeepsServer(name, seen.Servers[name].ID)
	})
}

// strays lists the servers that no node has, and that no apply removes.
func strays(now roster.Roster, seen roster.Seen, policy roster.Policy) (list []verdict.Stray) {
	if policy.Blind { // the last apply may have found out whose they are
		return nil
	}
	for _, name := range now.LeavingNames() {
		id := seen.Servers[name].ID
		if stray(name, now.Leaving[name], seen, policy) && !slices.Contains(seen.Strays[name], id) {
			list = append(list, verdict.Stray{Name: name, ID: id, Region: now.Leaving[name].Region})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seen.Strays)) {
		for _, id := range seen.Strays[name] {
			n, there := now.Known(name)
			if there && policy.RequireMarks && policy.Untouched(placement.Place{Region: n.Region}) == "" {
				list = append(list, verdict.Stray{Name: name, ID: id, Region: n.Region})
			}
		}
	}
	return list
}

// ArgumentError is an argument that makes a plan impossible.
type ArgumentError struct {
	Argument []string // path of the argument, such as deletion, candidates
	Title    string
	Text     string // sentences about what is wrong, and what to do next
}

func (e *ArgumentError) Error() string { return e.Title + ": " + e.Text }

// with returns the error with words in place of the verbs of its text.
func (e ArgumentError) with(words ...any) error {
	e.Text = fmt.Sprintf(e.Text, words...)
	return &e
}

var (
	candidatesArgument = []string{"deletion", "candidates"}

	invalidCandidate = ArgumentError{candidatesArgument, "Invalid candidate", "The node %q cannot be a candidate, " +
		"because %s. Remove it from candidates and kept, or change that first."}
	unknownCandidates = ArgumentError{candidatesArgument, "Invalid candidate", "No node has the name, or a server " +
		"with the id, %s, so other nodes would be removed instead. Correct the name, or remove it from the list."}
	misspelledProtection = ArgumentError{[]string{"deletion", "protected"}, "A protected node is not there", "No " +
		"node has the protected name %q, and %q would be removed or replaced. Correct it, or remove it from the list."}
	crowdedOut = ArgumentError{[]string{"desired_capacity"}, "No substitute can be made now", "The node %q " +
		"serves, its new server failed, and no substitute may be made: there are %s beyond the cluster, and at most " +
		"two batches are allowed. Delete what failed (openstack server delete ID), and apply again: %s."}
	slotsInUse = ArgumentError{[]string{"stateful", "release"}, "A slot to release is in use", "Nodes still use " +
		"the slots %s. A slot can be released once its node is removed: shrink first, or remove the name from " +
		"release."}
	templateRemoved = ArgumentError{[]string{"template"}, "The template is gone", "The nodes are made from a " +
		"template, so it cannot be removed (template, image, user_data): new nodes would have none. Give it again, " +
		"for every place that has nodes; to start over, remove the attachment from the state and import the cluster."}
	tooManyProtected = ArgumentError{[]string{"desired_capacity"}, "Too few nodes can be removed", "%s must be " +
		"removed from the cluster, but only %d of its nodes can be (protected: %d). Remove fewer nodes, or " +
		"protect fewer: %s. To destroy the whole cluster, use terraform destroy -refresh=false: it plans no " +
		"shrink, and desired_capacity can stay as it is."}
)
