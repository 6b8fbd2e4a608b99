package gate

import (
	"errors"
	"slices"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/amount"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/cause"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stretchr/testify/assert"
)

type room struct {
	closed string
	full   error
}

func (r *room) Closed(placement.Place, bool) string { return r.closed }
func (r *room) Fits(verdict.Want) error             { return r.full }

// TestOrder takes away one reason after the other to hold a node, until it is granted: each hold is reached, in the order of the gate.
func TestOrder(t *testing.T) {
	one, _ := amount.Parse("1")
	r := &room{"is full", errors.New("no room")}
	f := &facts.Fact{Is: facts.Serving, Node: roster.Node{Retried: true}, Protected: "is locked", Later: true, MissingWire: "name", Untouched: "is closed",
		NotRemade: true, Outdated: true, StillFull: true}
	counts := Counts{Counts: verdict.Counts{Size: 1, Taken: 1, Sick: 2, Spent: true}, Baking: 1, Under: 1}
	v := View{Counts: counts, Reached: true, Room: r,
		Policy: roster.Policy{Capacity: 9, Begins: true, Update: &roster.Update{StopAbove: one}}}
	w := verdict.Want{Fact: f, What: verdict.Replaced, Cause: roster.Outdated}
	reached := map[*hold.Hold]bool{}
	for _, step := range []struct {
		*hold.Hold
		ends func()
	}{
		{hold.Protected, func() { f.Protected = "" }},
		{hold.Begins, func() { v.Policy.Begins = false }},
		{hold.Older, func() { f.Later = false }},
		{hold.Wiring, func() { f.MissingWire = "" }},
		{hold.Closed, func() { f.Untouched = "" }},
		{hold.Unseen, func() { f.Looked = true }},
		{hold.Outage, func() { v.Sick, w.Cause = 0, roster.TooOld }},
		{hold.NotRemade, func() { f.NotRemade, w.Cause = false, roster.Unhealthy }}, // never served, and tried twice
		{hold.Twice, func() { f.Retried, w.Cause = false, roster.Outdated }},
		{hold.Spent, func() { v.Spent = false }},
		{hold.Target, func() { v.Reached = false }},
		{hold.NoPlace, func() { r.closed = ""; w.Cause, v.Policy.Update.Method = roster.TooOld, roster.Recreate }},
		{hold.NoHost, func() { f.StillFull = false; w.Cause, v.Policy.Update.Method = roster.Outdated, roster.Substitute }},
		{hold.NoRoom, func() { r.full = nil }},
		{hold.Batch, func() { v.Taken = 0 }},
		{hold.Servers, func() { v.Free = 1 }},
		{hold.Bakes, func() { v.Baking = 0 }},
		{hold.Waits, func() { v.Under = 0 }}, // for the node under way
	} {
		assert.Same(t, step.Hold, v.Check(w).Hold, v.Check(w).Hold)
		reached[step.Hold] = true
		step.ends()
	}
	assert.Equal(t, verdict.Refusal{}, v.Check(w))
	for _, h := range hold.All {
		assert.True(t, reached[h], h.Why)
	}
	place := func(b bar) int { return slices.Index(hold.All, b.Hold) }
	assert.True(t, slices.IsSortedFunc(all, func(a, b bar) int { return place(a) - place(b) }), "the order of the bars")
}

// TestUnmade: a node whose server was never found waits for nobody, unless its region rests or a server may follow it.
func TestUnmade(t *testing.T) {
	v := View{Counts: Counts{Counts: verdict.Counts{Size: 1, Taken: 1}}}
	f := &facts.Fact{Is: facts.Unknown, Unfound: true, Server: node.Node{}}
	w := verdict.Want{Fact: f, What: verdict.Revised, Cause: roster.Outdated}
	assert.Equal(t, verdict.Refusal{}, v.Check(w))
	f.MissingWire = "name"
	assert.Same(t, hold.Batch, v.Check(w).Hold)
	f.RegionUntouched, f.Untouched = true, "cannot be reached"
	assert.Equal(t, verdict.Refusal{Hold: hold.Closed, Why: "cannot be reached"}, v.Check(w))
}

// TestCauses: each cause has a row of what its nodes wait for, what stops them, and whether a second failure is the last.
func TestCauses(t *testing.T) {
	rows := map[roster.Cause][]*hold.Hold{
		roster.Unhealthy: {hold.Outage, hold.Twice}, roster.Misplaced: {}, roster.Outdated: {hold.NoPlace}, roster.Newer: {},
		roster.LaterFlavor: {hold.NoPlace}, roster.TooOld: {hold.NoPlace},
	}
	for _, c := range cause.All {
		row, there := rows[c.Name]
		assert.True(t, there, "%s has no row", c.Name)
		for h, f := range map[*hold.Hold]*facts.Fact{
			hold.NoPlace: {Is: facts.Serving, Looked: true},
			hold.Outage:  {Is: facts.Broken, Looked: true},
			hold.Twice:   {Is: facts.Failing, Looked: true, Node: roster.Node{Retried: true}},
		} {
			v := View{Room: &room{closed: "is closed"}, Policy: roster.Policy{Update: &roster.Update{}}}
			if h == hold.Outage {
				v.Sick = 1
			}
			no := v.Check(verdict.Want{Fact: f, What: verdict.Replaced, Cause: c.Name})
			assert.Equal(t, slices.Contains(row, h), no.Hold == h, "%s: %s", c.Name, h.Why)
		}
	}
}
