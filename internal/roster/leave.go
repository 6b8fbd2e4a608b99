package roster

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// departure is a node that is removed, or changed in place, and why.
type departure struct {
	name     string
	cause    Cause    // of the update; "": none
	inPlace  bool     // whether it stays, and is changed
	template Template // that it gets then
	again    bool     // whether its server is made again then
	unused   bool     // whether it never served, so that the size of a batch does not bind it
	why      string   // why this node
	share    bool     // whether its place was chosen by placement
	beyond   string   // why its place comes first, "" where that is only its share
}

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

// candidates finds the nodes that are named as candidates. One that an earlier
// plan may have removed is not missed. Where nodes keep their names, those that the
// cluster has too many are removed, the highest index first, and the others are
// made again, once for each time that they are named.
func candidates(all facts, policy Policy) ([]departure, []Notice, error) {
	byID := map[string]string{}
	for name, f := range all {
		if f.server.ID != "" {
			byID[f.server.ID] = name
		}
	}
	var leaving []departure
	var notices []Notice
	for _, candidate := range policy.Candidates {
		f, there := all[candidate]
		if !there {
			f, there = all[byID[candidate]]
		}
		switch {
		case !there && slices.Contains(policy.Done, candidate):
		case !there:
			notices = append(
				notices,
				notice(
					UnknownCandidate,
					"No node has the name, or a server with the id, %q: nothing is removed for it. "+
						"Remove it from the list of candidates, or correct it.",
					candidate,
				),
			)
		// It is named twice, by its name and by its id.
		case slices.ContainsFunc(leaving, func(d departure) bool { return d.name == f.name }):
		case policy.remakes() && slices.Contains(policy.Done, candidate):
		case !f.free():
			return nil, nil, &CandidateError{f.name, f.protected}
		default:
			leaving = append(leaving, departure{name: f.name, why: "named in candidates"})
		}
	}
	if surplus := int64(len(all)) - policy.Capacity; policy.remakes() {
		slices.SortFunc(leaving, func(a, b departure) int { return cmp.Compare(all[b.name].Index, all[a.name].Index) })
		for i := range leaving {
			again := int64(i) >= surplus
			leaving[i].inPlace, leaving[i].again = again, again
			if f := all[leaving[i].name]; again && f.closed {
				return nil, nil, &ClosedError{f.name, f.Place}
			}
		}
	}
	return leaving, notices, nil
}

// shrink chooses the nodes that leave a cluster that is too large: first those
// that are not in service, then those marked as tainted, then as placement takes
// from regions and zones, in each by the criterion. Nodes of closed places leave in
// the same order after all others. Nodes of a region that cannot be reached stay:
// nothing can be deleted there.
//
// A min is about nodes that serve. One that does not is removed also at a min,
// because keeping it would cost a node that serves; no other is.
func shrink(
	all facts,
	count int64,
	days map[day]int,
	full []placement.Place,
	policy Policy,
) ([]departure, []Notice, error) {
	var leaving []departure
	var unseen []string
	open := func(may func(*fact) bool) func(*fact) bool {
		return func(f *fact) bool { return !f.closed && may(f) }
	}
	tainted := func(f *fact) bool { return f.server.Tainted }
	anyone := func(*fact) bool { return true }
	for _, turn := range []struct {
		may      func(*fact) bool
		keepMins bool
	}{
		{open((*fact).useless), false},
		{open(tainted), true},
		{open(anyone), true},
		{(*fact).useless, false},
		{tainted, true},
		{anyone, true},
	} {
		rest := all.without(leaving)
		q := queue(
			boardOf(rest, policy.Regions, full),
			rest,
			func(f *fact) bool { return f.free() && !policy.Unreachable[f.Region] && turn.may(f) },
		)
		if !turn.keepMins {
			q.DropMins()
		}
		for int64(len(leaving)) < count {
			f, ok := q.next()
			if !ok {
				break
			}
			if !f.looked {
				unseen = append(unseen, f.name)
			}
			leaving = append(
				leaving,
				departure{name: f.name, why: choice(f, days, policy), share: true, beyond: q.Beyond(f.Place)},
			)
			q.leave(f.Place, true)
		}
	}
	if int64(len(leaving)) < count {
		return nil, nil, tooFew(all, all.without(leaving), count, full, policy)
	}
	var notices []Notice
	if len(unseen) > 0 {
		notices = append(
			notices,
			notice(
				UnseenChosen,
				"%s would be removed, although no refresh has looked for servers since the last apply made them: %s. "+
					"Refresh first, so that the choice is based on what runs.",
				text.Nodes(int64(len(unseen))),
				text.Few(all.byIndex(unseen)),
			),
		)
	}
	var closed []string
	for _, d := range leaving {
		if all[d.name].closed {
			closed = append(closed, d.name)
		}
	}
	if len(closed) > 0 {
		notices = append(
			notices,
			notice(
				ClosedChosen,
				"No open place can lose a node, so the cluster shrinks where it is closed: %s. Nova has to answer "+
					"there to destroy their servers. To keep them ask for more nodes.",
				text.Few(all.located(all.byIndex(closed))),
			),
		)
	}
	return leaving, append(notices, belowMin(all, all.without(leaving), policy)...), nil
}

// belowMin names the places that a shrink leaves below their mins.
func belowMin(before, after facts, policy Policy) (notices []Notice) {
	had := map[placement.Row]int64{}
	key := func(r placement.Row) placement.Row { return placement.Row{Place: r.Place, IsZone: r.IsZone} }
	for _, row := range placement.NewBoard(policy.Regions, before.counts()).Rows() {
		had[key(row)] = row.Bin.Current
	}
	for _, row := range placement.NewBoard(policy.Regions, after.counts()).Rows() {
		if n := row.Bin.Current; n < row.Bin.Min && n < had[key(row)] {
			notices = append(
				notices,
				notice(BelowMin, "%s keeps %s, and its min is %d: what leaves there was not in service. "+
					"It is the first place to be filled again.", row.Place, text.Nodes(n), row.Bin.Min),
			)
		}
	}
	return notices
}

// tooFew says why count nodes cannot be removed, of all nodes, where no more can
// be than leave the rest. Mins are no reason for the nodes that were removed
// whatever the mins.
func tooFew(all, rest facts, count int64, full []placement.Place, policy Policy) error {
	kept := all.number(func(f *fact) bool { return !f.free() })
	removable := func(f *fact) bool { return f.free() && !policy.Unreachable[f.Region] }
	if others := int64(len(all)) - kept; count > others {
		var who []string
		for _, name := range all.names() {
			if why := all[name].protected; why != "" {
				who = append(who, name+" "+why)
			}
		}
		return &deletion.ProtectedError{Asked: count, Others: others, Protected: kept, Who: who}
	}
	board := queue(boardOf(all, policy.Regions, full), all, removable).Board
	for region, unreachable := range policy.Unreachable {
		if unreachable {
			board.HoldRegion(region)
		}
	}
	left := board.Clone()
	for at, n := range all.minus(rest).counts() {
		left.Add(at, -n)
	}
	board.LowerMins(left)
	_, err := board.Distribute(-count)
	return err
}
