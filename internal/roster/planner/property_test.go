package planner

import (
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/plans"
	"pgregory.net/rapid"
)

var (
	genCriteria = rapid.SampledFrom([]deletion.Criteria{deletion.OldestFirst, deletion.YoungestFirst, deletion.OldestProfileFirst, deletion.HighestIndexFirst})
	genBatch    = rapid.SampledFrom([]string{"2", "3", "50%", "1", "25%"})
	genMethod   = rapid.SampledFrom([]string{"", roster.Substitute, roster.Substitute, roster.InPlace, roster.Recreate})
	genCauses   = rapid.Map(rapid.IntRange(0, 15), func(bits int) []roster.Cause { // small numbers come more often
		var list []roster.Cause
		for i, c := range []roster.Cause{roster.Outdated, roster.Unhealthy, roster.Misplaced, roster.TooOld} {
			if bits>>i&1 == 0 {
				list = append(list, c)
			}
		}
		return list
	})
)

// draws checks a property of a number of cases, unless the command line sets the number.
func draws(t *testing.T, cases int, property func(*rapid.T)) {
	t.Helper()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set(strconv.Itoa(cases)); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = checks.Value.Set(checks.DefValue) }()
	}
	rapid.Check(t, property)
}

func sometimes(t *rapid.T, one int, label string) bool {
	return rapid.IntRange(1, one).Draw(t, label) == one
}

// genBounds draws a weight, and sometimes a cap, a min and a closed place.
func genBounds(t *rapid.T, name string) placement.Bin {
	b := bin(name, rapid.SampledFrom([]int64{1, 1, 1, 2, 3}).Draw(t, "weight"))
	if sometimes(t, 4, "capped") {
		b.Cap = rapid.Int64Range(0, 5).Draw(t, "cap")
	}
	if sometimes(t, 5, "with a min") {
		b.Min = rapid.Int64Range(1, 2).Draw(t, "min")
		if b.Cap >= 0 {
			b.Min = min(b.Min, b.Cap)
		}
	}
	b.Closed = sometimes(t, 8, "closed")
	b.Maintenance = sometimes(t, 8, "in maintenance")
	return b
}

func genRegions(t *rapid.T) []placement.Region {
	var regions []placement.Region
	for i := range rapid.IntRange(1, 3).Draw(t, "regions") {
		r := placement.Region{Bin: genBounds(t, fmt.Sprintf("R%d", i+1))}
		for j := range rapid.IntRange(0, 3).Draw(t, "zones") {
			r.Zones = append(r.Zones, genBounds(t, fmt.Sprintf("z%d", j+1)))
		}
		regions = append(regions, r)
	}
	return regions
}

// genServer draws the look at a node's server: most servers are well, and in a calm cluster, every second one, all of
// them.
func genServer(t *rapid.T, name string, n roster.Node, seen roster.Seen, calm bool) {
	switch {
	case !calm && sometimes(t, 10, "never looked at"):
		return
	case !calm && sometimes(t, 10, "missing"):
		seen.Missing[name] = true
		return
	}
	s := node.Node{ID: "id-" + name, Name: name, Region: n.Region, Zone: n.Zone, Status: "ACTIVE", InService: string(n.Mark),
		CreatedAt: time.Date(2026, 11, 1, 0, 0, rapid.IntRange(1, 6).Draw(t, "created"), 0, time.UTC)}
	if !calm && sometimes(t, 3, "unhealthy") {
		s.Status = rapid.SampledFrom([]string{"ACTIVE", "ACTIVE", "SHUTOFF", "BUILD", "ERROR", "ERROR", "UNKNOWN"}).Draw(t, "status")
		s.InService = rapid.SampledFrom([]string{string(n.Mark), "", "1"}).Draw(t, "mark")
		s.NotInService = rapid.SampledFrom([]string{string(n.Mark), "", "1"}).Draw(t, "noted")
		s.HealthUnknown = sometimes(t, 4, "health unknown")
		s.Drained, s.Tainted = sometimes(t, 4, "drained"), sometimes(t, 3, "tainted")
		s.Protected, s.Locked = sometimes(t, 6, "protected"), sometimes(t, 8, "locked")
	}
	if s.Status == "ERROR" && sometimes(t, 2, "no host") {
		s.Fault = rapid.SampledFrom([]string{noHost, noRetry, "broken"}).Draw(t, "fault")
	}
	seen.Servers[name] = s
	if sometimes(t, 5, "too old") {
		launched := time.Date(2026, 10, rapid.IntRange(1, 3).Draw(t, "launched"), 0, 0, 0, 0, time.UTC)
		seen.Aged[name] = roster.Aged{Mark: rapid.SampledFrom([]roster.Mark{n.Mark, n.Mark, n.Mark, "1"}).Draw(t, "mark then"), Launched: launched}
	}
	if !calm && sometimes(t, 8, "not followed") {
		seen.Builds[name] = roster.Build{Mark: "0", Generation: rapid.Int64Range(0, 1).Draw(t, "generation then"), Of: "build"}
	}
	seen.Baking[name] = sometimes(t, 20, "baking")
}

// genUpdate draws an update, or none.
func genUpdate(t *rapid.T) *roster.Update {
	if sometimes(t, 5, "no update") {
		return nil
	}
	return &roster.Update{
		Causes:    genCauses.Draw(t, "causes"),
		BatchSize: amount(genBatch.Draw(t, "batch")),
		Target:    amount(rapid.SampledFrom([]string{"100%", "100%", "30%", "0", "2", "50%"}).Draw(t, "target")),
		StopAbove: amount(rapid.SampledFrom([]string{"50%", "100%", "2"}).Draw(t, "stop above")),
		Method:    genMethod.Draw(t, "method"),

		Pause: rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "pause"),
	}
}

// genState draws a cluster in any state, and any policy for it.
func genState(t *rapid.T) (roster.Roster, roster.Seen, roster.Policy) {
	size := 9 - rapid.Int64Range(0, 9).Draw(t, "nodes")
	leaving := max(0, rapid.Int64Range(-5, 3).Draw(t, "leaving"))
	r := roster.Roster{Nodes: map[string]roster.Node{}, Leaving: map[string]roster.Node{}, Next: size + leaving}
	seen := roster.NewSeen()
	policy := roster.Policy{Name: web, Regions: genRegions(t), Criteria: genCriteria.Draw(t, "criteria"), Update: genUpdate(t)}
	policy.Capacity = max(0, size+rapid.SampledFrom([]int64{0, 0, 0, 1, 3, -1, -2, -5}).Draw(t, "change"))
	policy.RequireMarks = sometimes(t, 2, "marks")
	policy.Begins = sometimes(t, 8, "begins")
	genTemplate := rapid.Just(roster.Template(""))
	if !sometimes(t, 4, "no templates") {
		for i := range 4 {
			r.Order = append(r.Order, image(fmt.Sprint(i)))
		}
		r.Order = rapid.Permutation(r.Order).Draw(t, "order")[:rapid.IntRange(0, 4).Draw(t, "known")]
		genTemplate = rapid.Map(rapid.SampledFrom([]int{0, 1, 0, 1, 2, 3, 4, -1}), func(i int) roster.Template {
			if i < 0 {
				return ""
			}
			return image(fmt.Sprint(i))
		})
		policy.Templates = images(fmt.Sprint(rapid.IntRange(0, 4).Draw(t, "image")))
		if sometimes(t, 3, "of a place") {
			at := placement.Place{Region: "R1", Zone: rapid.SampledFrom([]string{"", "z1"}).Draw(t, "zone")}
			policy.Templates[at] = image(fmt.Sprint(rapid.IntRange(0, 4).Draw(t, "image of the place")))
		}
	}
	if sometimes(t, 2, "settled") {
		r.Settled = policy.Templates
		if len(r.Settled) > 0 && sometimes(t, 2, "another") {
			r.Settled = images(fmt.Sprint(rapid.IntRange(0, 4).Draw(t, "settled image")))
		}
	}
	for _, at := range []placement.Place{{Region: "R1"}, {Region: "R2"}, {Region: "R1", Zone: "z1"}, {Region: "R2", Zone: "z1"}, {Region: "R2", Zone: "z2"},
		{Region: "R3", Zone: "old"}} {
		if sometimes(t, 6, "full") {
			seen.Full[roster.Spot{Place: at}] = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		}
	}
	calm := sometimes(t, 2, "calm")
	for i := range size + leaving {
		n := roster.Node{Index: i, Template: genTemplate.Draw(t, "template"), Generation: 1}
		n.Served, n.Doubt, n.Retried = !sometimes(t, 3, "never served"), !calm && sometimes(t, 10, "in doubt"), sometimes(t, 10, "made twice")
		n.Mark = roster.MarkOf(rapid.Int64Range(1, 3).Draw(t, "number"), n.Template)
		n.Region = rapid.SampledFrom([]string{"R1", "R1", "R2", "R2", "R3", "R4"}).Draw(t, "region")
		n.Zone = rapid.SampledFrom([]string{"z1", "z2", "z3", "old", ""}).Draw(t, "zone")
		genServer(t, web(i), n, seen, calm)
		if i < size {
			r.Nodes[web(i)] = n
		} else {
			r.Leaving[web(i)] = n
		}
		if sometimes(t, 15, "candidate") {
			policy.Candidates = append(policy.Candidates, rapid.SampledFrom([]string{"", "id-"}).Draw(t, "by")+web(i))
			if sometimes(t, 3, "met") {
				r.Done = append(r.Done, policy.Candidates[len(policy.Candidates)-1])
			}
		}
		if sometimes(t, 15, "listed as protected") {
			policy.Protected = append(policy.Protected, rapid.SampledFrom([]string{"", "id-"}).Draw(t, "by")+web(i))
		}
	}
	genSlots(t, &r, &policy, size+leaving)
	if sometimes(t, 10, "opened") {
		policy.Opened = map[string]bool{"R1": true}
	}
	return r, seen, policy
}

// genSlots sometimes makes a cluster stateful: some nodes already have slots, and some slots are kept, also of leaving
// nodes.
func genSlots(t *rapid.T, r *roster.Roster, policy *roster.Policy, next int64) {
	if !sometimes(t, 4, "stateful") {
		return
	}
	if u := policy.Update; u != nil {
		u.Method = rapid.SampledFrom([]string{roster.InPlace, roster.Recreate}).Draw(t, "method of slots")
		u.Causes = slices.DeleteFunc(u.Causes, func(c roster.Cause) bool { return c == roster.Misplaced })
	}
	policy.Stateful = &roster.Stateful{Retain: sometimes(t, 2, "retain")}
	r.Slots = map[string]roster.Slot{}
	add := func(index int64, at placement.Place) {
		if sometimes(t, 2, "slot") {
			r.Slots[web(index)] = roster.Slot{Index: index, Place: at}
		}
		if sometimes(t, 12, "release") {
			policy.Stateful.Release = append(policy.Stateful.Release, web(index))
		}
	}
	for _, nodes := range []map[string]roster.Node{r.Nodes, r.Leaving} {
		for _, name := range roster.ByIndex(nodes) {
			add(nodes[name].Index, nodes[name].Place)
		}
	}
	for index := next; index < next+rapid.Int64Range(0, 4).Draw(t, "kept"); index++ {
		add(index, placement.Place{Region: rapid.SampledFrom([]string{"R1", "R2", "R4"}).Draw(t, "region of a slot"),
			Zone: rapid.SampledFrom([]string{"z1", "z2", "old", ""}).Draw(t, "zone of a slot")})
	}
	r.Next = next + 4
}

// TestChanges: for any state of a cluster and any policy, a plan leaves the roster that was given as it is, lists what it
// changes, and doubts each node that it changes.
func TestChanges(t *testing.T) {
	draws(t, 2000, func(t *rapid.T) {
		r, seen, policy := genState(t)
		before := r.Clone()
		next, change, err := Plan(r, seen, policy)
		if !reflect.DeepEqual(before, r.Clone()) {
			t.Fatal("the roster that was given has changed")
		}
		if err != nil {
			return
		}
		for name, n := range next.Nodes {
			changed := n.Mark.Number() != r.Nodes[name].Mark.Number()
			if changed && !n.Doubt && !slices.Contains(change.With(verdict.Returns).Names(), name) {
				t.Fatalf("%s was changed, and is not in doubt:%s", name, decided(change))
			}
		}
		for _, v := range change.With(verdict.Stays, verdict.Held, verdict.Changes, verdict.Leaves) {
			before.Nodes[v.Name] = v.Node // a first template is no change of a node
		}
		checkChange(t, before, next, change)
	})
}

// TestOrderDoesNotMatter: a plan does not depend on the order of regions, zones, causes, candidates or protected nodes,
// and asking twice gives the same plan.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, seen, policy := genState(t)
		if sometimes(t, 3, "random") {
			policy.Criteria = deletion.Random
		}
		next, change, err := Plan(r, seen, policy)
		again, sameChange, sameErr := Plan(r, seen, policy)
		if !reflect.DeepEqual(next, again) || !reflect.DeepEqual(change, sameChange) || fmt.Sprint(err) != fmt.Sprint(sameErr) {
			t.Fatalf("twice: %s and %s\n%+v\n%+v\n%v, %v", layout(next), layout(again), change, sameChange, err, sameErr)
		}
		policy.Regions = cloneRegions(policy.Regions)
		slices.Reverse(policy.Regions)
		for i := range policy.Regions {
			slices.Reverse(policy.Regions[i].Zones)
		}
		slices.Reverse(policy.Candidates)
		slices.Reverse(policy.Protected)
		if policy.Update != nil {
			u := *policy.Update
			u.Causes = slices.Clone(u.Causes)
			slices.Reverse(u.Causes)
			policy.Update = &u
		}
		again, sameChange, sameErr = Plan(r, seen, policy)
		if (err == nil) != (sameErr == nil) {
			t.Fatalf("%v, in another order %v", err, sameErr)
		}
		for _, c := range []*Change{&change, &sameChange} { // some texts list places as the policy does
			c.Notices = nil
			for _, list := range []verdict.List{c.List, c.Blocked} {
				for i := range list {
					if list[i].Hold == hold.NoRoom {
						list[i].Err, list[i].Reason = nil, ""
					}
				}
			}
		}
		if !reflect.DeepEqual(next, again) || !reflect.DeepEqual(change, sameChange) {
			t.Fatalf("%s, in another order %s\n%+v\n%+v", layout(next), layout(again), change, sameChange)
		}
	})
}

// checkChange checks that the lists of a change are the difference of two rosters.
func checkChange(t *rapid.T, r, next roster.Roster, change Change) {
	for _, says := range []string{change.Status.Text, change.Now.Text} {
		if utf8.RuneCountInString(says) > status.Limit {
			t.Fatalf("a status has %d characters: %s", utf8.RuneCountInString(says), says)
		}
	}
	if change.Now.Phase == status.InStep && len(change.Blocked) > 0 {
		t.Fatalf("it is %q, and held are %s", change.Now.Text, listed(change.Blocked))
	}
	var created, returned, departed, revised []string
	for _, name := range next.Names() {
		_, before := r.Nodes[name]
		old, left := r.Leaving[name]
		switch {
		case left && next.Nodes[name].Generation > old.Generation: // a new node in its slot
			created = append(created, name)
		case left:
			returned = append(returned, name)
			now := next.Nodes[name] // a look sets Served
			old.Served, old.StandsIn = now.Served, now.StandsIn
			if old != next.Nodes[name] {
				t.Fatalf("%s was %+v and comes back as %+v", name, old, next.Nodes[name])
			}
		case !before:
			created = append(created, name)
		}
	}
	for _, name := range r.Names() {
		was, after := r.Nodes[name], next.Nodes[name]
		_, stays := next.Nodes[name]
		was.Served = after.Served // a look sets it; what changes has another mark, too
		switch {
		case !stays:
			departed = append(departed, name)
		case after != was:
			revised = append(revised, name)
		}
	}
	if !slices.Equal(created, change.With(verdict.Comes).Names()) || !slices.Equal(returned, change.With(verdict.Returns).Names()) ||
		fmt.Sprint(departed) != "["+listed(change.With(verdict.Leaves))+
			"]" || fmt.Sprint(revised) != "["+listed(change.With(verdict.Changes))+"]" {
		t.Fatalf("the change is %v, -%v, ~%v, not %+v", created, departed, revised, change)
	}
}

// The tests of the whole and of the rooms share these.
var (
	bin, web, images, image, amount             = plans.Bin, plans.Web, plans.Images, plans.Image, plans.Amount
	twoRegions, threeZones, policy              = plans.TwoRegions, plans.ThreeZones, plans.Policy
	update, gone                                = plans.Update, plans.Gone
	running, changeSeen, changeRoster, loseSeen = plans.Running, plans.ChangeSeen, plans.ChangeRoster, plans.LoseSeen
	layout, moves, listed, titles               = plans.Layout, plans.Moves, plans.Listed, plans.Titles
	noHost, noRetry                             = plans.NoHost, plans.NoRetry
)

// TestLargeTemplate: a plan reads a template of 1,000 keys a few times, and not for each of 1,000 nodes, which would
// take 6,000,000 allocations. The next plan, in which each other node waits for the batch, lists the batch once.
func TestLargeTemplate(t *testing.T) {
	r, seen, p := largeRollout(t, 1_000, largeTemplates()["keys=1000"])
	if n := testing.AllocsPerRun(1, func() {
		next, change, err := Plan(learn.Learn(r, seen, p), seen, p)
		if err != nil || change.Replaced() == 0 {
			t.Error(change.Replaced(), err)
		}
		if _, change, err = Plan(next, seen, p); err != nil || change.Replaced() > 0 {
			t.Error(change.Replaced(), err)
		}
	}); n > 350_000 { // four plans: each is followed by the one that its status is from
		t.Errorf("%.0f allocations", n)
	}
}
