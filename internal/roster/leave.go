package roster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// CandidateError names a candidate that must not be removed.
type CandidateError struct {
	Name string
	Why  string // it is protected
}

func (e *CandidateError) Error() string {
	return fmt.Sprintf("The node %q is a candidate for removal and %s.", e.Name, e.Why)
}

// ClosedError names a candidate that cannot be made again, because its place is closed.
type ClosedError struct {
	Name string
	placement.Place
}

func (e *ClosedError) Error() string {
	return fmt.Sprintf("The node %q is a candidate to be made again in its place, and %s is closed.", e.Name, e.Place)
}

// candidates are the nodes that are named to be removed: those that leave and, where nodes
// keep their names, those that are made again.
type candidates struct{ leave, again []*fact }

// findCandidates finds the nodes that are named as candidates. One that an earlier plan has
// met is not missed. Where nodes keep their names, those that the cluster has too many are
// removed, the highest index first, and the others are made again, once for each time that
// they are named.
func findCandidates(now Roster, all facts, policy Policy) (named candidates, notices []Notice, err error) {
	remakes := policy.keeps(Unhealthy)
	byID := map[string]string{}
	for name, f := range all {
		if f.server.ID != "" {
			byID[f.server.ID] = name
		}
	}
	var found []*fact
	var unknown []string
	for _, candidate := range policy.Candidates {
		f, there := all[candidate]
		if !there {
			f, there = all[byID[candidate]]
		}
		met := slices.Contains(now.Done, candidate)
		switch {
		case met && (remakes || !there):
		case !there:
			unknown = append(unknown, candidate)
			notices = append(notices, notice(UnknownCandidate,
				"No node has the name, or a server with the id, %q: nothing is removed for it. "+
					"Remove it from the list of candidates, or correct it.", candidate))
		case slices.Contains(found, f): // it is named twice, by its name and by its id
		case !f.free():
			return named, nil, &CandidateError{f.name, f.protected}
		case policy.Unreachable[f.Region] && !f.closed:
			return named, nil, &CandidateError{f.name, "its region cannot be reached"}
		default:
			found = append(found, f)
		}
	}
	if len(unknown) > 0 && int64(len(all)-len(found)) > policy.Capacity {
		return named, nil, &UnknownCandidateError{unknown}
	}
	if !remakes {
		return candidates{leave: found}, notices, nil
	}
	slices.SortFunc(found, func(a, b *fact) int { return cmp.Compare(b.Index, a.Index) })
	surplus := int(max(0, min(int64(len(all))-policy.Capacity, int64(len(found)))))
	named.leave, named.again = found[:surplus], found[surplus:]
	for _, f := range named.again {
		if policy.keepsServer(f.name, f.server.ID) {
			return named, nil, &CandidateError{f.name, "would be made again under its name, which its server keeps"}
		}
		if f.closed {
			return named, nil, &ClosedError{f.name, f.Place}
		}
	}
	return named, notices, nil
}

// met are the candidates that this plan or an earlier one has met, of those that are listed.
func (l *ledger) met() (done []string) {
	ids := set{}
	for _, v := range l.verdicts {
		if granted := v.Outcome == Leaves || v.Outcome == Changes; granted && v.want.why == isNamed {
			ids[v.Name], ids[v.ID] = true, true
		}
	}
	for _, candidate := range l.policy.Candidates {
		if ids[candidate] || slices.Contains(l.now.Done, candidate) {
			done = append(done, candidate)
		}
	}
	slices.Sort(done)
	return done
}

// tellLeaving says what a person should know of the nodes that are too many.
func (l *ledger) tellLeaving(all facts) (notices []Notice) {
	var unseen, closed []string
	for name, v := range l.verdicts {
		if v.want.what != surplus || v.Outcome != Leaves {
			continue
		}
		if !v.want.looked {
			unseen = append(unseen, name)
		}
		if v.want.closed {
			closed = append(closed, name)
		}
	}
	if len(unseen) > 0 {
		notices = append(notices, notice(UnseenChosen,
			"%s would be removed, although no refresh has looked for servers since the last apply made them: %s. "+
				"Refresh first, so that the choice is based on what runs.",
			text.Nodes(int64(len(unseen))), text.Few(all.byIndex(unseen))))
	}
	if len(closed) > 0 {
		notices = append(notices, notice(ClosedChosen,
			"No open place can lose a node, so the cluster shrinks where it is closed: %s. Nova has to answer "+
				"there to destroy their servers. To keep them ask for more nodes.",
			text.Few(all.located(all.byIndex(closed)))))
	}
	return notices
}

// belowMin names the places that a plan takes below their mins.
func belowMin(before, after facts, policy Policy) (notices []Notice) {
	had := map[placement.Row]int64{}
	key := func(r placement.Row) placement.Row { return placement.Row{Place: r.Place, IsZone: r.IsZone} }
	for _, row := range placement.NewBoard(policy.Regions, before.counts()).Rows() {
		had[key(row)] = row.Bin.Current
	}
	for _, row := range placement.NewBoard(policy.Regions, after.counts()).Rows() {
		if n := row.Bin.Current; n < row.Bin.Min && n < had[key(row)] {
			notices = append(notices, notice(BelowMin, "%s keeps %s, and its min is %d: what leaves there was not in "+
				"service, or is named in candidates. It is the first place to be filled again.",
				row.Place, text.Nodes(n), row.Bin.Min))
		}
	}
	return notices
}

// tooFew says why as many nodes as are too many cannot be removed; nil where they are. Mins are
// no reason for the nodes that were removed whatever the mins.
func (p *planning) tooFew() error {
	all, left := maps.Clone(p.all), maps.Clone(p.all)
	for name, v := range p.verdicts {
		if v.Outcome == Leaves && v.want.what == removed {
			delete(all, name)
			delete(left, name)
		}
		if v.Outcome == Leaves && v.want.what == surplus {
			delete(left, name)
		}
	}
	if int64(len(all)-len(left)) >= p.surplus {
		return nil
	}
	kept := all.number(func(f *fact) bool { return !f.free() })
	if others := int64(len(all)) - kept; p.surplus > others {
		var who []string
		for _, name := range all.names() {
			if why := all[name].protected; why != "" {
				who = append(who, name+" "+why)
			}
		}
		return &deletion.ProtectedError{Asked: p.surplus, Others: others, Protected: kept, Who: who}
	}
	board := queue(boardOf(all, p.policy.Regions, p.full), all, p.removable, byTurn).Board
	for region, unreachable := range p.policy.Unreachable {
		if unreachable {
			board.HoldRegion(region)
		}
	}
	lower := board.Clone()
	for at, n := range all.minus(left).counts() {
		lower.Add(at, -n)
	}
	board.LowerMins(lower)
	_, err := board.Distribute(-p.surplus)
	return err
}
