package say

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// reasoned returns the verdicts with a sentence about each node that leaves, changes or is held, such as
// "RegionOne/az-1 loses 1 of 3; oldest unprotected, created 2026-03-01; web-0 is locked".
func (p *speech) reasoned() verdict.List {
	list, losses, days := slices.Clone(p.Verdicts), lossesOf(p.Before()), daysOf(p.Before(), p.Policy)
	for i, decided := range list {
		if decided.Outcome != verdict.Held && decided.Outcome != verdict.Leaves && decided.Outcome != verdict.Changes {
			continue
		}
		v := *decided
		switch list[i] = &v; {
		case v.Outcome == verdict.Held:
			v.Reason = p.sentence(&v)
		case v.Cause != "":
			v.Reason = fmt.Sprintf("replaced (%s) in %s: %s", v.Cause, v.Place, p.reasonOf(v.Want))
		case v.What == verdict.Surplus:
			v.Reason = strings.Join(losses[v.Place].with(v.Want, turnOf(v.Fact, days, p.Policy)), "; ")
		default:
			v.Reason = fmt.Sprintf("in %s: %s", v.Place, p.reasonOf(v.Want))
		}
	}
	return list
}

// loss is the number of nodes that a place had, and the number that it loses without a substitute.
type loss struct {
	had, lost int
	kept      []string // protected nodes, each with its reason
}

func lossesOf(before verdict.List) map[placement.Place]*loss {
	losses := map[placement.Place]*loss{}
	for _, f := range before {
		if losses[f.Place] == nil {
			losses[f.Place] = &loss{}
		}
		l := losses[f.Place]
		l.had++
		if !f.Free() {
			l.kept = append(l.kept, f.Name+" "+f.Protected)
		}
		if f.What == verdict.Surplus && f.Outcome == verdict.Leaves {
			l.lost++
		}
	}
	return losses
}

// with says that a place loses a node, why it is the first there, and which nodes are protected.
func (l loss) with(w verdict.Want, why string) []string {
	text := fmt.Sprintf("%s loses %d of %d", w.Place, l.lost, l.had)
	if w.WhyLoses != "" {
		text += ": " + w.WhyLoses
	}
	if w.First {
		why = "outdated, so that the update would replace it: " + why
	}
	if more := len(l.kept) - 3; more > 0 {
		l.kept = append(l.kept[:3:3], fmt.Sprintf("%d more are protected", more))
	}
	return append([]string{text, why}, l.kept...)
}

// turnOf returns why a node leaves before the others of its place.
func turnOf(f *facts.Fact, days map[day]int, policy roster.Policy) string {
	switch {
	case !f.Looked:
		return "made by the last apply and not looked at since"
	case f.Is != facts.Serving:
		return "not in service: " + Why(f)
	case f.Server.Tainted:
		return "marked as tainted"
	}
	switch policy.Criteria {
	case deletion.OldestFirst:
		return "oldest unprotected, created " + moment(f, days, policy, "at an unknown time")
	case deletion.YoungestFirst:
		return "youngest unprotected, created " + moment(f, days, policy, "at an unknown time")
	case deletion.OldestProfileFirst:
		if len(policy.Templates) > 0 {
			return "made from the oldest template"
		}
		return "oldest profile, of " + moment(f, days, policy, "an unknown age")
	case deletion.HighestIndexFirst:
		return fmt.Sprintf("highest index of the unprotected, %d", f.Index)
	}
	return "drawn by lot from the unprotected (RANDOM)"
}

// day is a day on which nodes of a place were made.
type day struct {
	at   placement.Place
	date string
}

// madeAt returns the time by which the criterion orders a node.
func madeAt(f *facts.Fact, policy roster.Policy) time.Time {
	if policy.Criteria == deletion.OldestProfileFirst {
		return f.Server.ProfileCreatedAt.UTC()
	}
	return f.Server.CreatedAt.UTC()
}

// daysOf counts how many nodes of each place were made on a day.
func daysOf(before verdict.List, policy roster.Policy) map[day]int {
	days := map[day]int{}
	for _, f := range before {
		days[day{f.Place, madeAt(f.Fact, policy).Format(time.DateOnly)}]++
	}
	return days
}

// moment returns when a node was made: the day and, if another node of its place was made on the
// same day, the time.
func moment(f *facts.Fact, days map[day]int, policy roster.Policy, unknown string) string {
	made := madeAt(f, policy)
	if made.IsZero() {
		return unknown
	}
	if date := made.Format(time.DateOnly); days[day{f.Place, date}] == 1 {
		return date
	}
	return made.Format("2006-01-02 at 15:04:05 UTC")
}
