package roster

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"pgregory.net/rapid"
)

// world is a cluster as Terraform and Nova make it: the roster, and the servers
// that run. Servers of a bad template never get into service.
type world struct {
	t       *rapid.T
	roster  Roster
	servers map[string]*runs
	bad     map[string]bool // images that never get into service
	calm    bool            // no server fails
	clock   int64
}

// runs is a server: what Nova reports, and what it was made from.
type runs struct {
	node.Node
	image string
	mark  Mark // of the node that it was made for
}

// look is what a refresh sees.
func (w *world) look() Seen {
	seen := Seen{Servers: map[string]node.Node{}, Missing: map[string]bool{}}
	for name := range w.roster.Nodes {
		if s, there := w.servers[name]; there {
			seen.Servers[name] = s.Node
		} else {
			seen.Missing[name] = true
		}
	}
	return seen
}

// apply makes the servers what the roster says. Like Terraform it makes new
// servers first, waits until they are in service, and only then deletes those
// that are not on the roster any more. A crash ends it after so many steps.
func (w *world) apply(crash int) {
	fails := false
	step := func() bool { crash--; return crash >= 0 }
	for _, name := range w.roster.Names() {
		n := w.roster.Nodes[name]
		s, there := w.servers[name]
		if there && s.mark == n.Mark {
			continue
		}
		if !step() {
			return
		}
		image := n.Template.Values()["image"]
		if !there {
			w.clock++
			s = &runs{Node: node.Node{ID: fmt.Sprintf("id-%s-%d", name, w.clock), Name: name, Region: n.Region, Zone: n.Zone, CreatedAt: time.Unix(w.clock, 0)}}
			w.servers[name] = s
		}
		s.Status, s.Fault, s.InService, s.image, s.mark = "ACTIVE", "", "", image, n.Mark
		if !w.calm && sometimes(w.t, 30, "the server fails") {
			s.Status, fails = "ERROR", true
		}
	}
	for _, name := range w.roster.Names() { // the readiness attachment
		s := w.servers[name]
		if s.Status != "ACTIVE" || w.bad[s.image] {
			fails = true
			continue
		}
		if s.InService != string(s.mark) && !step() {
			return
		}
		s.InService = string(s.mark)
	}
	if fails {
		return // nothing that depends on the new servers is deleted
	}
	for _, name := range slices.Sorted(maps.Keys(w.servers)) {
		if _, ours := w.roster.Nodes[name]; !ours {
			if !step() {
				return
			}
			delete(w.servers, name)
		}
	}
}

// serving counts the nodes of the roster that are in service.
func (w *world) serving() (n int64) {
	for name, node := range w.roster.Nodes {
		if s, there := w.servers[name]; there && s.Status == "ACTIVE" && s.InService == string(node.Mark) {
			n++
		}
	}
	return n
}

// TestHistories: through failures, crashes, bad and fixed templates, resizes,
// rollbacks, canaries, protected and unhealthy nodes there is never more than one
// batch under way, a plan never takes more than a batch from service, survivors
// stay what they are, and once the template is good the update comes to its end.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{t: t, servers: map[string]*runs{}, bad: map[string]bool{}}
		policy := Policy{Name: web, Capacity: rapid.Int64Range(1, 9).Draw(t, "capacity"), Regions: twoRegions(),
			Criteria: genCriteria.Draw(t, "criteria"), Templates: images("a")}
		policy.Update = update(genBatch.Draw(t, "batch"), Unhealthy, Misplaced, Outdated)
		policy.RequireMarks = true
		policy.Update.StopAbove = amount("100%")
		policy.Update.InPlace = sometimes(t, 3, "in place")
		choice := []string{"a", "b", "c", "bad", "worse"}
		w.bad["bad"], w.bad["worse"] = true, true
		for range rapid.IntRange(1, 12).Draw(t, "events") {
			switch rapid.IntRange(0, 9).Draw(t, "event") {
			case 0, 1, 2:
				policy.Templates = images(rapid.SampledFrom(choice).Draw(t, "image"))
			case 3:
				policy.Capacity = rapid.Int64Range(0, 12).Draw(t, "capacity")
			case 4:
				policy.Update.Target = amount(rapid.SampledFrom([]string{"100%", "30%", "2", "0"}).Draw(t, "target"))
			case 5: // a server fails, is tainted, or vanishes
				names := slices.Sorted(maps.Keys(w.servers))
				if len(names) == 0 {
					break
				}
				name := rapid.SampledFrom(names).Draw(t, "victim")
				switch rapid.IntRange(0, 2).Draw(t, "how") {
				case 0:
					w.servers[name].Status = "ERROR"
				case 1:
					w.servers[name].Tainted = true
				default:
					delete(w.servers, name)
				}
			case 6:
				policy.Protected = nil
				if names := w.roster.Names(); len(names) > 0 && sometimes(t, 2, "protect") {
					policy.Protected = []string{rapid.SampledFrom(names).Draw(t, "protected")}
				}
			case 7:
				policy.Regions = twoRegions()
				policy.Regions[0].Zones = policy.Regions[0].Zones[:rapid.IntRange(1, 3).Draw(t, "zones")]
			case 8:
				policy.Regions[1].Weight = rapid.Int64Range(50, 200).Draw(t, "weight")
			}
			if err := w.round(policy, rapid.SampledFrom([]int{1000, 1000, 0, 1, 2, 3, 5}).Draw(t, "crash")); err != nil {
				continue // too many are protected
			}
		}
		// The template is good now, and nothing fails any more.
		policy.Templates = images("good")
		policy.Protected = nil
		policy.Update.Target = amount("100%")
		w.calm = true
		batch := policy.Update.size(policy.Capacity)
		limit := (policy.Capacity+batch-1)/batch + 1
		for applies := int64(0); !w.good(); applies++ {
			if applies == limit {
				t.Fatalf("after %d applies of %d nodes in batches of %d: %s", applies, policy.Capacity, batch, layout(w.roster))
			}
			if err := w.round(policy, 1000); err != nil {
				t.Fatal(err)
			}
		}
		for range limit { // moves may be left
			_, change, err := Plan(w.roster, w.look(), policy)
			if err != nil || change.Empty() != (change.Remaining == 0 && int64(len(w.roster.Nodes)) == policy.Capacity) {
				t.Fatalf("at rest: %+v, %v", change, err)
			}
			if change.Empty() {
				return
			}
			if err := w.round(policy, 1000); err != nil {
				t.Fatal(err)
			}
		}
		t.Fatalf("it does not come to rest: %s", layout(w.roster))
	})
}

// good reports whether all nodes are in service, and made from the good template.
func (w *world) good() bool {
	for name, n := range w.roster.Nodes {
		s, there := w.servers[name]
		if !there || s.Status != "ACTIVE" || s.Tainted || s.image != "good" || s.InService != string(n.Mark) {
			return false
		}
	}
	return true
}

// round plans and applies, and checks what must hold for every plan.
func (w *world) round(policy Policy, crash int) error {
	t, seen, before, serving := w.t, w.look(), w.roster, w.serving()
	next, change, err := Plan(before, seen, policy)
	if err != nil {
		return err
	}
	batch := policy.Update.size(policy.Capacity)
	if change.Replaced > batch {
		t.Fatalf("%d nodes are replaced, more than the batch of %d", change.Replaced, batch)
	}
	checkChange(t, before, next, change)
	wanted := policy.Templates[placement.Place{}]
	waits := func(r Roster) (n int64) {
		for name, node := range r.Nodes {
			if s, there := seen.Servers[name]; node.Template == wanted && (!there || s.Status != "ACTIVE" || s.InService != string(node.Mark)) {
				n++
			}
		}
		return n
	}
	growth := max(0, policy.Capacity-int64(len(before.Nodes)))
	if now, then := waits(before), waits(next)-growth; then > max(now, batch) {
		t.Fatalf("%d nodes are under way after a plan, %d before, in batches of %d", then, now, batch)
	}
	for name, n := range next.Nodes {
		old, stays := before.Nodes[name]
		old.Template, old.Mark = n.Template, n.Mark
		if was := before.Nodes[name]; stays && (old != n || was.Template != n.Template && !policy.Update.InPlace || was.Template == n.Template && was.Mark != n.Mark) {
			t.Fatalf("%s was %+v and is %+v", name, before.Nodes[name], n)
		}
	}
	again, sameChange, _ := Plan(before, seen, policy)
	if !reflect.DeepEqual(again, next) || !reflect.DeepEqual(sameChange, change) {
		t.Fatalf("planned twice: %s and %s", layout(next), layout(again))
	}
	after, more, err := Plan(next, seen, policy)
	if err != nil || change.Remaining == 0 && !more.Empty() {
		t.Fatalf("nothing is left to do, but the next plan is %+v, %v", more, err)
	}
	if now, then := waits(next), waits(after); then > max(now, batch) {
		t.Fatalf("%d nodes are under way after the next plan, %d before, in batches of %d", then, now, batch)
	}
	w.roster = next.Ordered()
	var useless int64 // protected, and so in the way of others
	for _, name := range policy.Protected {
		if s, there := w.servers[name]; !there || s.Status != "ACTIVE" || s.InService != string(next.Nodes[name].Mark) {
			useless++
		}
	}
	if now := w.serving(); now < min(serving, policy.Capacity-useless)-batch {
		t.Fatalf("%d nodes are in service, before they were %d of %d, in batches of %d", now, serving, policy.Capacity, batch)
	}
	w.apply(crash)
	return nil
}
