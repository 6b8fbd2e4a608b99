package roster

import (
	"cmp"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// candidates are the nodes that are named to be removed: those that leave and, where nodes
// keep their names, those that are made again. Those taken count as met, those unknown are
// no nodes.
type candidates struct {
	leave, again, taken []*fact
	unknown             []string
}

// findCandidates finds the nodes that are named as candidates. One that an earlier plan has
// met is not missed. Where nodes keep their names, those that the cluster has too many are
// removed, the highest index first, and the others are made again, once for each time that
// they are named.
func findCandidates(now Roster, all facts, policy Policy) (named candidates, err error) {
	remakes := policy.keeps(Unhealthy)
	byID := map[string]string{}
	for name, f := range all {
		if f.server.ID != "" {
			byID[f.server.ID] = name
		}
	}
	var found []*fact
	for _, candidate := range policy.Candidates {
		f, there := all[candidate]
		if !there {
			f, there = all[byID[candidate]]
		}
		switch {
		case slices.Contains(now.Done, candidate):
		case !there:
			named.unknown = append(named.unknown, candidate)
		case slices.Contains(found, f): // it is named twice, by its name and by its id
		case !f.free():
			return named, invalidCandidate(f.name, f.protected)
		case policy.Unreachable[f.Region] && !f.closed:
			return named, invalidCandidate(f.name, "its region cannot be reached")
		default:
			found = append(found, f)
		}
	}
	if len(named.unknown) > 0 && int64(len(all)-len(found)) > policy.Capacity {
		return named, unknownCandidates(named.unknown)
	}
	if !remakes && !policy.Begins {
		named.leave = found
		return named, nil
	}
	slices.SortFunc(found, func(a, b *fact) int { return cmp.Compare(b.Index, a.Index) })
	surplus := int(max(0, min(int64(len(all))-policy.Capacity, int64(len(found)))))
	named.leave, named.again = found[:surplus], found[surplus:]
	if !remakes {
		return named, nil
	}
	if now.Adopted { // an import: whether they were made again before is not known
		named.taken, named.again = named.again, nil
	}
	for _, f := range named.again {
		if policy.keepsServer(f.name, f.server.ID) {
			return named, invalidCandidate(f.name, "would be made again under its name, which its server keeps")
		}
		if f.closed {
			return named, closedCandidate(f)
		}
	}
	return named, nil
}

// met are the candidates that this plan or an earlier one has met, of those that are listed.
func (p *planning) met() (done []string) {
	ids := set{}
	for _, f := range p.named.taken {
		ids[f.name], ids[f.server.ID] = true, true
	}
	for _, v := range p.verdicts {
		if granted := v.Outcome == Leaves || v.Outcome == Changes; granted && v.want.named() {
			ids[v.Name], ids[v.ID] = true, true
		}
	}
	for _, candidate := range p.policy.Candidates {
		if ids[candidate] || slices.Contains(p.now.Done, candidate) {
			done = append(done, candidate)
		}
	}
	slices.Sort(done)
	return done
}

// tooFew says why not as many nodes can be removed as should be, so that some are still too
// many. Mins are no reason for the nodes that were removed whatever the mins.
func (l *ledger) tooFew(asked, still int64, before *placement.Board) error {
	kept := l.left.number(func(f *fact) bool { return !f.free() })
	if free := int64(len(l.left)) - kept; still > free {
		var who []string
		for _, name := range l.left.names() {
			if why := l.left[name].protected; why != "" {
				who = append(who, name+" "+why)
			}
		}
		return tooManyProtected(asked, asked-still+free, kept, who)
	}
	for region, unreachable := range l.policy.Unreachable {
		if unreachable {
			before.HoldRegion(region)
		}
	}
	before.LowerMins(l.space)
	_, err := before.Distribute(-asked)
	return err
}
