package decide

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// candidates are the nodes that a person names to be removed.
type candidates struct {
	leave   []*facts.Fact // nodes that leave
	again   []*facts.Fact // nodes that keep their names, and are made again
	met     []*facts.Fact // nodes that an import takes as already made again
	strange []string      // names and ids that belong to no node
}

// findCandidates finds the nodes that are named as candidates. If nodes keep their names, a
// cluster that is too large loses the candidates with the highest indices, and the other
// candidates are made again, once for each time that they are named.
func findCandidates(now roster.Roster, all facts.Facts, policy roster.Policy) (candidates, error) {
	named, found := resolve(now, all, policy)
	if len(named.strange) > 0 && int64(len(all)-len(found)) > policy.Capacity {
		return named, unknownCandidates.with(strings.Join(named.strange, ", "))
	}
	if err := refuse(found, policy, false); err != nil {
		return named, err
	}
	remakes := policy.TakesFirst()
	if !remakes && !policy.Begins {
		named.leave = found
		return named, nil
	}
	slices.SortFunc(found, func(a, b *facts.Fact) int { return cmp.Compare(b.Index, a.Index) })
	surplus := int(max(0, min(int64(len(all))-policy.Capacity, int64(len(found)))))
	named.leave, named.again = found[:surplus], found[surplus:]
	if remakes && now.Adopted { // an import does not know whether they were already made again
		named.met, named.again = named.again, nil
	}
	if remakes {
		return named, refuse(named.again, policy, true)
	}
	return named, nil
}

// resolve finds the nodes that are named by their names or the ids of their servers, each once, and the candidates
// that are no nodes. It skips candidates that an earlier plan already removed or made again.
func resolve(now roster.Roster, all facts.Facts, policy roster.Policy) (named candidates, found []*facts.Fact) {
	byID := map[string]*facts.Fact{}
	if len(policy.Candidates) > 0 {
		for _, f := range all.ByIndex(func(f *facts.Fact) bool { return f.Server.ID != "" }) {
			byID[f.Server.ID] = f
		}
	}
	for _, candidate := range policy.Candidates {
		f := cmp.Or(all[candidate], byID[candidate])
		switch {
		case slices.Contains(now.Done, candidate):
		case f == nil:
			named.strange = append(named.strange, candidate)
		case !slices.Contains(found, f): // a node may be named by its name and by the id of its server
			found = append(found, f)
		}
	}
	return named, found
}

// refuse returns an error if a candidate cannot leave or, if again is true, cannot be made again.
func refuse(found []*facts.Fact, policy roster.Policy, again bool) error {
	for _, f := range found {
		var why string
		switch {
		case !f.Free():
			why = "it " + f.Protected
		case policy.Unreachable[f.Region] && !f.Closed:
			why = "its region cannot be reached"
		case again && policy.KeepsServer(f.Name, f.Server.ID):
			why = "it would be made again under its name, which its kept server has"
		case again && f.Closed:
			why = "it would be made again in " + f.String() + ", which is closed"
		default:
			continue
		}
		return invalidCandidate.with(f.Name, why)
	}
	return nil
}

// met returns the listed candidates that this plan or an earlier one removed or made again.
func (l *ledger) met() (done []string) {
	ids := map[string]bool{}
	for _, f := range l.named.met {
		ids[f.Name], ids[f.Server.ID] = true, true
	}
	for _, v := range l.verdicts {
		if granted := v.Outcome == verdict.Leaves || v.Outcome == verdict.Changes; granted && v.Candidate() {
			ids[v.Name], ids[v.Server.ID] = true, true
		}
	}
	for _, candidate := range l.Policy.Candidates {
		if ids[candidate] || slices.Contains(l.now.Done, candidate) {
			done = append(done, candidate)
		}
	}
	slices.Sort(done)
	return done
}

// tooFew returns the error of a shrink that can remove too few nodes, with the number of nodes
// that are still too many. Mins do not count where nodes were removed despite them.
func (l *ledger) tooFew(asked, still int64, before *placement.Board) error {
	var kept []string
	for _, f := range l.staying.ByIndex(func(f *facts.Fact) bool { return !f.Free() }) {
		kept = append(kept, f.Name+" "+f.Protected)
	}
	if free := int64(len(l.staying) - len(kept)); still > free {
		return tooManyProtected.with(text.Nodes(asked), asked-still+free, len(kept), text.Few(kept))
	}
	for region, unreachable := range l.Policy.Unreachable {
		if unreachable {
			before.HoldRegion(region)
		}
	}
	before.LowerMins(l.board)
	_, err := before.Distribute(-asked)
	return err
}
