package roster

// Plan works out the next roster of a cluster, and what changes.
//
// Candidates are removed first. A cluster that is then too large shrinks. An update then
// chooses its batch; see [Update]. At last all new nodes, those of a growth and the
// substitutes, are placed together, each with the template of its place. Protected nodes are
// never removed or revised, and those of closed places only where nothing else is left to
// shrink by. Nodes of a region that lists zones only now are in the zones of their servers.
//
// Of the nodes that an update would replace, those not in service are taken first, then
// those of the causes in their order; within one, in the order in which placement takes from
// regions and zones, and for Outdated the newest of the outdated templates first.
//
// The errors are an [*ArgumentError] and a [*placement.InfeasibleError].
func Plan(now Roster, seen Seen, policy Policy) (Roster, Change, error) {
	p, err := decideAll(now, seen, policy)
	if err != nil {
		return now, Change{}, err
	}
	said := about(p, seen)
	return p.next, Change{Verdicts: p.list, Remaining: p.remaining, batch: p.size, Reverted: said.reverted,
		Notices: said.tell(), Status: said.status(true), Now: said.status(false), Awaits: awaits(said.absentees),
		Absent: absentNames(said.absentees)}, nil
}

// Change is what a plan decides: a verdict for each node, by index, and what follows from
// them.
type Change struct {
	Verdicts
	Remaining int64     // nodes that should still be replaced after this plan
	Reverted  *Reverted // what happens for a template that failed; nil: none did
	Notices   []Notice  // what a person should know
	Status    string    // what the cluster is once the plan is applied and has ended well: see [InStep]
	Now       string    // what the cluster is before
	Absent    []string  // nodes that are not in service, or leave and still run, and that the plan does not change
	Awaits    []string  // those that an apply which ends well brings into service, or removes

	batch int64 // maximum number of nodes that one plan replaces
}

// Moves says what the change does, for people: "batch 2 of 5: web-1 leaves; web-8 comes".
// Number is that of the batch that it takes; 0 for none.
func (c Change) Moves(number int64) string { return movesOf(c.Verdicts, number, c.Remaining, c.batch) }
