package decide

import (
	"cmp"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// candidates are the nodes that are named to be removed: those that leave and, where nodes
// keep their names, those that are made again. Those taken count as met, those unknown are
// no nodes.
type candidates struct {
	leave, again, Taken []*facts.Fact
	Unknown             []string
}

// findCandidates finds the nodes that are named as candidates. One that an earlier plan has
// met is not missed. Where nodes keep their names, those that the cluster has too many are
// removed, the highest index first, and the others are made again, once for each time that
// they are named.
func findCandidates(now roster.Roster, all facts.Facts, policy roster.Policy) (candidates, error) {
	named, found := resolve(now, all, policy)
	if len(named.Unknown) > 0 && int64(len(all)-len(found)) > policy.Capacity {
		return named, unknownCandidates(named.Unknown)
	}
	if err := mayLeave(found, policy); err != nil {
		return named, err
	}
	remakes := policy.Keeps(roster.Unhealthy)
	if !remakes && !policy.Begins {
		named.leave = found
		return named, nil
	}
	slices.SortFunc(found, func(a, b *facts.Fact) int { return cmp.Compare(b.Index, a.Index) })
	surplus := int(max(0, min(int64(len(all))-policy.Capacity, int64(len(found)))))
	named.leave, named.again = found[:surplus], found[surplus:]
	if remakes && now.Adopted { // an import: whether they were made again before is not known
		named.Taken, named.again = named.again, nil
	}
	if remakes {
		return named, canRemake(named.again, policy)
	}
	return named, nil
}

// resolve finds the nodes that are named by their names or the ids of their servers, each once,
// and what is no node's. One that an earlier plan has met is not looked for.
func resolve(now roster.Roster, all facts.Facts, policy roster.Policy) (named candidates, found []*facts.Fact) {
	byID := map[string]string{}
	for _, name := range all.Names() {
		byID[all[name].Server.ID] = name
	}
	delete(byID, "")
	for _, candidate := range policy.Candidates {
		f := cmp.Or(all[candidate], all[byID[candidate]])
		switch {
		case slices.Contains(now.Done, candidate):
		case f == nil:
			named.Unknown = append(named.Unknown, candidate)
		case !slices.Contains(found, f): // one may be named twice, by its name and by its id
			found = append(found, f)
		}
	}
	return named, found
}

// mayLeave says which of the nodes that are named as candidates cannot be taken.
func mayLeave(found []*facts.Fact, policy roster.Policy) error {
	for _, f := range found {
		switch {
		case !f.Free():
			return invalidCandidate(f.Name, f.Protected)
		case policy.Unreachable[f.Region] && !f.Closed:
			return invalidCandidate(f.Name, "its region cannot be reached")
		}
	}
	return nil
}

// canRemake says which of the nodes that are named as candidates cannot be made again.
func canRemake(again []*facts.Fact, policy roster.Policy) error {
	for _, f := range again {
		switch {
		case policy.KeepsServer(f.Name, f.Server.ID):
			return invalidCandidate(f.Name, "would be made again under its name, which its server keeps")
		case f.Closed:
			return closedCandidate(f)
		}
	}
	return nil
}

// met are the candidates that this plan or an earlier one has met, of those that are listed.
func (p *Planning) met() (done []string) {
	ids := Set{}
	for _, f := range p.Named.Taken {
		ids[f.Name], ids[f.Server.ID] = true, true
	}
	for _, v := range p.Verdicts {
		if granted := v.Outcome == Leaves || v.Outcome == Changes; granted && v.Want.named() {
			ids[v.Name], ids[v.ID] = true, true
		}
	}
	for _, candidate := range p.Policy.Candidates {
		if ids[candidate] || slices.Contains(p.now.Done, candidate) {
			done = append(done, candidate)
		}
	}
	slices.Sort(done)
	return done
}

// tooFew says why not as many nodes can be removed as should be, so that some are still too
// many. Mins are no reason for the nodes that were removed whatever the mins.
func (l *Ledger) tooFew(asked, still int64, before *placement.Board) error {
	kept := l.Left.Number(func(f *facts.Fact) bool { return !f.Free() })
	if free := int64(len(l.Left)) - kept; still > free {
		var who []string
		for _, name := range l.Left.Names() {
			if why := l.Left[name].Protected; why != "" {
				who = append(who, name+" "+why)
			}
		}
		return tooManyProtected(asked, asked-still+free, kept, who)
	}
	for region, unreachable := range l.Policy.Unreachable {
		if unreachable {
			before.HoldRegion(region)
		}
	}
	before.LowerMins(l.space)
	_, err := before.Distribute(-asked)
	return err
}
