package roster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// giveReasons gives their sentences to the nodes that are removed or revised, such as
// "RegionOne/az-1 loses 1 of 3; oldest unprotected, created 2026-03-01; web-0 is
// locked".
func (p *speech) giveReasons() {
	losses, days := lossesOf(p.all, p.verdicts), daysOf(p.all, p.policy)
	for i := range p.list {
		v := &p.list[i]
		switch w := v.want; {
		case v.Outcome == Held:
			v.Reason = p.sentence(*v)
		case v.Outcome != Leaves && v.Outcome != Changes:
		case v.Cause != "":
			v.Reason = fmt.Sprintf("replaced (%s) in %s: %s", v.Cause, v.Place, p.reasonOf(w))
		case w.what == surplus:
			l := losses[v.Place]
			loss := fmt.Sprintf("%s loses %d of %d", v.Place, l.lost, l.had)
			if w.beyond != "" {
				loss += ": " + w.beyond
			}
			v.Reason = strings.Join(slices.Concat([]string{loss, choice(w, days, p.policy)}, l.someKept()), "; ")
		default:
			v.Reason = p.reasonOf(w)
		}
	}
}

// loss is what a place loses without a substitute, of the nodes that it had.
type loss struct {
	had, lost int
	kept      []string // its protected nodes, and why
}

func lossesOf(all facts, verdicts map[string]Verdict) map[placement.Place]*loss {
	losses := map[placement.Place]*loss{}
	for _, name := range all.names() {
		f := all[name]
		if losses[f.Place] == nil {
			losses[f.Place] = &loss{}
		}
		l := losses[f.Place]
		l.had++
		if f.protected != "" {
			l.kept = append(l.kept, name+" "+f.protected)
		}
	}
	for _, v := range verdicts {
		if v.want.what == surplus && v.Outcome == Leaves {
			losses[v.Place].lost++
		}
	}
	return losses
}

// someKept names the first few protected nodes.
func (l loss) someKept() []string {
	if len(l.kept) <= 3 {
		return l.kept
	}
	return append(slices.Clone(l.kept[:3]), fmt.Sprintf("%d more are protected", len(l.kept)-3))
}

// choice says why a node is the first to leave its place.
func choice(w want, days map[day]int, policy Policy) string {
	why := turnOf(w.fact, days, policy)
	if w.first {
		return "of the outdated ones, which the update would replace: " + why
	}
	return why
}

// turnOf says why it is the turn of a node.
func turnOf(f *fact, days map[day]int, policy Policy) string {
	switch {
	case !f.looked:
		return "made by the last apply and not looked at since"
	case f.is != Serving:
		return "not in service: " + why(f)
	case f.server.Tainted:
		return "marked as tainted"
	}
	switch policy.Criteria {
	case deletion.OldestFirst:
		return "oldest unprotected, created " + moment(f, days, policy, "at an unknown time")
	case deletion.YoungestFirst:
		return "youngest unprotected, created " + moment(f, days, policy, "at an unknown time")
	case deletion.OldestProfileFirst:
		if len(policy.Templates) > 0 {
			return "of the oldest template"
		}
		return "oldest profile, of " + moment(f, days, policy, "an unknown age")
	case deletion.HighestIndexFirst:
		return fmt.Sprintf("highest index of the unprotected, %d", f.Index)
	}
	return "drawn by lot from the unprotected (RANDOM)"
}

// day is one on which nodes of a place were made.
type day struct {
	at   placement.Place
	date string
}

// madeAt is the time by which a node's turn is decided.
func madeAt(f *fact, policy Policy) time.Time {
	if policy.Criteria == deletion.OldestProfileFirst {
		return f.server.ProfileCreatedAt.UTC()
	}
	return f.server.CreatedAt.UTC()
}

// daysOf counts how many nodes of each place were made on a day.
func daysOf(all facts, policy Policy) map[day]int {
	days := map[day]int{}
	for _, f := range all {
		days[day{f.Place, madeAt(f, policy).Format(time.DateOnly)}]++
	}
	return days
}

// moment is when a node was made: the day and, where that is the day of another
// node of its place too, the time.
func moment(f *fact, days map[day]int, policy Policy, unknown string) string {
	made := madeAt(f, policy)
	if made.IsZero() {
		return unknown
	}
	if date := made.Format(time.DateOnly); days[day{f.Place, date}] == 1 {
		return date
	}
	return made.Format("2006-01-02 at 15:04:05 UTC")
}
