package planner

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/adopt"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"pgregory.net/rapid"
)

// world is a cluster as Terraform and Nova make it: the stored roster, the last look, and the servers. Servers of a bad
// image never get into service.
type world struct {
	t       *rapid.T
	roster  roster.Roster
	seen    roster.Seen
	stored  roster.Policy // policy of the last apply
	servers map[string]*machine
	spares  map[string]*machine     // servers that are made again, until the new ones are in service or the next apply
	bad     map[string]bool         // images whose servers never get into service
	quota   int                     // maximum number of servers
	rooms   map[placement.Place]int // maximum number of servers by place; nil for no limit
	calm    bool                    // whether nothing fails
	clock   int64                   // time by the clock of the cloud's API, which jumps now and then, in seconds
	real    int64                   // real time in seconds
	jumped  bool                    // whether the clock ever jumped
	made    int                     // number of servers that the last apply created
	ended   bool                    // whether the last apply ended well
	ours    map[string]bool         // nodes that an apply took out of service to change them, and that are not in service again
	volumes map[string]roster.Slot  // volumes of a stateful cluster, one for each slot, by its name
	late    int64                   // time in seconds that servers of a late image need to get into service
	wait    int64                   // time in seconds that an apply waits for servers
	images  map[string]string       // images that an apply was given, by the hashes of their templates
	errs    map[string]bool         // images whose servers end in ERROR
	blind   bool                    // whether the next plan does not refresh
	loose   bool                    // whether Terraform does not know that a server depends on its generation
	fresh   bool                    // whether the attachment was just imported
	unwell  bool                    // whether a server ever was unwell, so that a wait may end without a server of a good image
}

// machine is a server: its state in Nova, and the node that it was made or changed for.
type machine struct {
	node.Node
	image      string
	mark       roster.Mark
	generation int64
	born       int64       // real time of its launch
	serves     roster.Mark // mark with which it was found in service, whatever its metadata says now
}

func newWorld(t *rapid.T) *world {
	return &world{t: t, seen: roster.NewSeen(), servers: map[string]*machine{}, spares: map[string]*machine{}, quota: math.MaxInt, ours: map[string]bool{},
		volumes: map[string]roster.Slot{},
		bad:     map[string]bool{"bad": true, "worse": true}, errs: map[string]bool{"errs": true}, images: map[string]string{},
		rooms: map[placement.Place]int{}, wait: 5}
}

// pass lets a time pass.
func (w *world) pass(seconds int64) {
	w.clock += seconds
	w.real += seconds
}

// ready reports whether a look finds a server in service.
func (w *world) ready(s *machine) bool {
	return !w.bad[s.image] && s.Unwell == "" && (!strings.HasPrefix(s.image, "late") || w.real-s.born >= w.late)
}

// fails draws whether something fails, on average once in a number of times.
func (w *world) fails(once int, what string) bool { return !w.calm && sometimes(w.t, once, what) }

// refresh looks at the servers as Read does.
func (w *world) refresh() {
	var servers []node.Node
	for _, name := range slices.Sorted(maps.Keys(w.servers)) {
		s := w.servers[name].Node
		s.SeenAt, s.Generation = w.now(), w.servers[name].generation
		servers = append(servers, s)
	}
	if w.fresh = w.fresh && !slices.ContainsFunc(servers, func(s node.Node) bool { return s.InService != string(w.servers[s.Name].mark) }); w.fresh {
		w.imports(servers) // without marks an import takes the given template for the one of the servers, and says so
	}
	w.roster, w.seen, _ = learn.Match(w.roster, servers, w.seen, func(region string) bool { return closedRegionPolicy(w.stored, region) },
		func(string) bool { return true })
	learn.NoteTimes(&w.seen, w.roster, w.stored, w.now())
	w.roster = learn.Learn(w.roster, w.seen, w.stored).Ordered()
}

// imports makes the roster of an import, which knows the servers, and the earlier templates and kept slots in its id.
func (w *world) imports(servers []node.Node) {
	given := roster.Roster{Slots: w.roster.Slots}
	for _, image := range slices.Sorted(maps.Values(w.images)) {
		given.Order = append(given.Order, images(image).At(placement.Place{}))
	}
	r, err := adopt.Cluster("web", naming.Default, given, servers)
	if err != nil {
		w.fresh = false // no server to import
		return
	}
	if w.stored.Stateful == nil {
		r.Slots = nil
	}
	w.roster, w.seen, w.ours = r, roster.NewSeen(), map[string]bool{}
}

// apply makes the servers as the next roster says. As Terraform does, it drains and destroys the servers that are made
// again, stores the roster, makes new servers and changes others, waits until all are in service, and then destroys the
// servers that are no longer on the roster. A crash ends it after a number of steps.
func (w *world) apply(next roster.Roster, policy roster.Policy, crash int) (stored bool) {
	w.made, w.ended = 0, false
	clear(w.spares)
	step := func() bool { crash--; return crash >= 0 }
	for _, name := range next.Names() {
		s, there := w.servers[name]
		if there && s.generation < next.Nodes[name].Generation && !w.loose && policy.TakesFirst() {
			if !step() || w.fails(20, "the drain is refused") {
				return false // Terraform stores the new generation only after all destroys
			}
			delete(w.servers, name)
		}
	}
	w.roster, w.stored = next, policy
	for _, t := range policy.Templates {
		w.images[t.Hash()] = t.Values()["image"]
	}
	w.store(next, policy)
	for name, n := range next.Nodes { // users notice no change of servers that are made from the same
		s, there := w.servers[name]
		if there && s.image == n.Template.Values()["image"] && (w.loose || s.generation == n.Generation) {
			if s.serves == s.mark {
				s.serves = n.Mark
			}
			s.mark = n.Mark
		}
	}
	failed := false
	for _, name := range next.Names() {
		n := next.Nodes[name]
		s, there := w.servers[name]
		if there && s.mark == n.Mark {
			continue
		}
		if !step() {
			return true
		}
		if there && w.fails(30, "the change is refused") || !there && len(w.servers) >= w.quota {
			failed = true
			continue
		}
		w.pass(1)
		if again := there && s.generation < n.Generation && !w.loose; again { // its substitute is made first
			w.spares[name] = s
			s = &machine{Node: node.Node{ID: fmt.Sprintf("id-%s-%d", name, w.clock), Name: name, Region: n.Region, Zone: n.Zone,
				Status: "ACTIVE", CreatedAt: w.now()}}
			w.servers[name] = s
		}
		if !there {
			s = &machine{Node: node.Node{ID: fmt.Sprintf("id-%s-%d", name, w.clock), Name: name, Region: n.Region, Zone: n.Zone,
				Status: "ACTIVE", CreatedAt: w.now()}}
			w.servers[name] = s
			w.made++
		}
		s.image, s.mark, s.generation = n.Template.Values()["image"], n.Mark, n.Generation
		s.LaunchedAt, s.born = w.now(), w.real
		s.Fault, s.Unwell, s.serves = "", "", ""
		if room, bounded := w.rooms[n.Place]; bounded && w.inPlace(n.Place) > room {
			s.Status, s.Fault, s.LaunchedAt, failed = "ERROR", noHost, time.Time{}, true
			continue
		}
		s.Build = fmt.Sprintf("%s %s %d", s.ID, s.image, w.clock)
		switch {
		case w.errs[s.image] || w.fails(30, "the server fails"):
			s.Status, failed = "ERROR", true
		case s.Status == "ERROR":
			s.Status = "ACTIVE"
		}
	}
	if failed {
		return true // the readiness attachment depends on all servers
	}
	if !w.await(next, step) {
		return true // and servers of nodes that leave are destroyed after it
	}
	clear(w.spares)
	for _, name := range slices.Sorted(maps.Keys(w.servers)) {
		if _, ours := next.Nodes[name]; !ours {
			if !step() {
				return true
			}
			delete(w.servers, name)
		}
	}
	w.ended = true
	return true
}

// await is the readiness attachment: it marks the servers that are in service, and waits for the others. At the end of
// the wait it notes at running servers that they are not in service. It reports whether all are in service.
func (w *world) await(next roster.Roster, step func() bool) bool {
	for last := range 2 {
		waits := false
		for _, name := range next.Names() {
			s := w.servers[name]
			switch {
			case s.Status == "ACTIVE" && (s.InService == string(s.mark) || !w.ready(s)):
				waits = waits || s.InService != string(s.mark)
				if s.InService != string(s.mark) && last == 1 && !w.fails(10, "the note is refused") {
					s.NotInService, s.NotInServiceAt = string(s.mark), w.now()
					s.serves = "" // a wait found it out of service, so nobody counts on it until it is marked
				}
			case s.Status != "ACTIVE":
				waits = true
			case !step():
				return false
			default:
				s.InService, s.InServiceAt, s.NotInService, s.NotInServiceAt = string(s.mark), w.now(), "", time.Time{}
				s.serves = s.mark
			}
		}
		if !waits {
			return true
		}
		if last == 0 {
			if w.fails(10, "the wait is interrupted") {
				return false
			}
			w.pass(w.wait)
		}
	}
	return false
}

// inPlace counts the servers in a place that have a host.
func (w *world) inPlace(at placement.Place) (n int) {
	for _, s := range w.servers {
		if s.Region == at.Region && s.Zone == at.Zone && s.Fault != noHost {
			n++
		}
	}
	return n
}

// store makes and destroys the volumes of the slots. If slots are kept, it destroys only the volume of a released slot.
// A volume changes its place only with the name of the place.
func (w *world) store(next roster.Roster, policy roster.Policy) {
	for name, slot := range w.volumes {
		now, there := next.Slots[name]
		switch {
		case there && (now.Index != slot.Index || now.Place != slot.Place && placement.Lists(policy.Regions, slot.Place)):
			w.t.Fatalf("the slot %s was %+v and is %+v", name, slot, now)
		case !there && policy.Stateful.Retain && !slices.Contains(policy.Stateful.Release, name):
			w.t.Fatalf("the slot %s is gone: %+v", name, next.Slots)
		case !there:
			delete(w.volumes, name)
		}
	}
	maps.Copy(w.volumes, next.Slots)
	for name, n := range next.Nodes {
		if slot, there := next.Slots[name]; policy.Stateful != nil && (!there || slot.Index != n.Index || slot.Region != n.Region) {
			w.t.Fatalf("%s is %+v in the slot %+v", name, n, slot)
		}
	}
}

// now returns the time by the clock of the cloud.
func (w *world) now() time.Time { return time.Unix(1<<30+w.clock, 0) }

// serves reports whether a node is in service.
func (w *world) serves(name string, n roster.Node) bool {
	s, there := w.servers[name]
	return there && s.Status == "ACTIVE" && s.Unwell == "" && s.serves == n.Mark
}

// unmarked reports whether somebody took the mark of a server.
func (w *world) unmarked(name string) bool {
	s, there := w.servers[name]
	return there && s.InService != string(s.mark)
}

// serving counts the servers in service, including servers of leaving nodes.
func (w *world) serving() (count int64) {
	for _, nodes := range []map[string]roster.Node{w.roster.Nodes, w.roster.Leaving} {
		for name, n := range nodes {
			if spare := w.spares[name]; w.serves(name, n) || spare != nil && spare.Status == "ACTIVE" && spare.Unwell == "" && spare.serves == spare.mark {
				count++
			}
		}
	}
	return count
}

// change draws what happens to a cluster between two applies.
func (w *world) change(policy *roster.Policy) {
	t := w.t
	names := slices.Sorted(maps.Keys(w.servers))
	if policy.Stateful != nil {
		policy.Stateful = &roster.Stateful{Retain: !sometimes(t, 8, "delete"), Release: w.roster.KeptSlots()}
		policy.Stateful.Release = policy.Stateful.Release[:min(len(policy.Stateful.Release), max(0, rapid.IntRange(-4, 1).Draw(t, "release")))]
	}
	switch rapid.IntRange(0, 30).Draw(t, "event") {
	case 0, 1, 2:
		policy.Templates = images(rapid.SampledFrom([]string{"a", "b", "c", "bad", "worse", "late", "errs"}).Draw(t, "image"))
	case 3:
		if len(w.roster.Settled) > 0 {
			policy.Templates = w.roster.Settled
		}
	case 4:
		policy.Capacity = rapid.Int64Range(0, 12).Draw(t, "capacity")
	case 5:
		policy.Update.Target = amount(rapid.SampledFrom([]string{"100%", "30%", "2", "0"}).Draw(t, "target"))
	case 6, 7: // a server fails, is tainted, vanishes, or an operator stops it
		if len(names) == 0 {
			break
		}
		name := rapid.SampledFrom(names).Draw(t, "victim")
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			w.servers[name].Status = "ERROR"
		case 1:
			w.servers[name].Tainted = true
		case 2:
			w.servers[name].Status = "SHUTOFF"
		default:
			delete(w.servers, name)
		}
	case 8:
		w.start()
	case 9:
		policy.Protected = nil
		if names := w.roster.Names(); len(names) > 0 && sometimes(t, 2, "protect") {
			policy.Protected = []string{rapid.SampledFrom(names).Draw(t, "protected")}
		}
	case 10:
		policy.Candidates = nil
		policy.Regions = twoRegions()
		policy.Regions[0].Zones = policy.Regions[0].Zones[:rapid.IntRange(1, 3).Draw(t, "zones")]
	case 16, 17: // an operator closes a place, or opens it
		policy.Candidates = nil
		policy.Regions = cloneRegions(policy.Regions)
		region := &policy.Regions[rapid.IntRange(0, 1).Draw(t, "region")]
		place := &region.Bin
		if at := rapid.IntRange(-1, len(region.Zones)-1).Draw(t, "zone"); at >= 0 {
			place = &region.Zones[at]
		}
		place.Maintenance = !place.Maintenance
	case 11:
		policy.Regions[1].Weight = rapid.Int64Range(50, 200).Draw(t, "weight")
	case 12:
		w.quota = len(w.servers) + rapid.IntRange(0, int(policy.Batch())).Draw(t, "room")
	case 13:
		w.quota = math.MaxInt
	case 14:
		w.pass(rapid.Int64Range(1, 200).Draw(t, "time"))
	case 15: // the clock of the API jumps back an hour, or ahead a day
		w.clock += rapid.SampledFrom([]int64{-3600, 86400}).Draw(t, "jump")
		w.jumped = true
	case 18: // hosts run out in a place
		at := placement.Place{Region: "RegionOne", Zone: rapid.SampledFrom([]string{"az-1", "az-2"}).Draw(t, "zone")}
		w.rooms[at] = w.inPlace(at) + rapid.IntRange(0, 1).Draw(t, "hosts left")
	case 19:
		clear(w.rooms)
	case 20, 21: // the check of health finds some nodes unwell
		for _, name := range names {
			if s := w.servers[name]; s.Status == "ACTIVE" && sometimes(t, 2, "unwell") {
				s.Unwell, w.unwell = "503", true
			}
		}
	case 22:
		w.start()
	case 23, 24:
		w.blind = true
	case 25, 26: // somebody writes metadata: no mark, another mark, or a note of a wait that did not happen
		stays := len(w.roster.Settled) == 0 // one mark, which shows that there were others
		for _, name := range names {
			if stays && w.servers[name].InService != "" {
				stays = false
				continue
			}
			switch s := w.servers[name]; rapid.IntRange(0, 3).Draw(t, "tampers") {
			case 0:
				s.InService = ""
			case 1:
				s.InService = "7-deadbeef"
			case 2:
				s.NotInService, s.NotInServiceAt = "7-deadbeef", s.LaunchedAt.Add(time.Hour)
			}
		}
	case 27:
		policy.Candidates = nil
		for _, name := range w.roster.Names() {
			if !policy.Closed(w.roster.Nodes[name].Place) && !slices.Contains(policy.Protected, name) && sometimes(t, 3, "candidate") {
				policy.Candidates = append(policy.Candidates, name)
			}
		}
	case 28: // the configuration has another update
		u := *policy.Update
		methods := []string{roster.Substitute, roster.InPlace, roster.Recreate}
		if policy.Stateful == nil && sometimes(t, 3, "stateful") {
			policy.Stateful, u.Causes = &roster.Stateful{Retain: true}, []roster.Cause{roster.Unhealthy, roster.Outdated}
		}
		if policy.Stateful != nil {
			methods = methods[1:]
		}
		u.Method = rapid.SampledFrom(methods).Draw(t, "another method")
		policy.Update = &u
	case 29:
		w.fresh, policy.Candidates = w.stored.Update != nil, nil // the import does not know earlier candidates
	case 30:
		w.tie(!w.loose)
	}
}

// tie says whether Terraform knows that a server depends on the generation of its node. When it begins to know that, it
// makes no server again for the current generation.
func (w *world) tie(loose bool) {
	w.loose = loose
	for name, s := range w.servers {
		if n, there := w.roster.Known(name); there {
			s.generation = n.Generation
		}
	}
}

func cloneRegions(regions []placement.Region) []placement.Region {
	regions = slices.Clone(regions)
	for i := range regions {
		regions[i].Zones = slices.Clone(regions[i].Zones)
	}
	return regions
}

// closedRegionPolicy reports whether the whole of a region is closed.
func closedRegionPolicy(p roster.Policy, name string) bool {
	return p.Closed(placement.Place{Region: name})
}

// start starts all stopped servers, and makes all servers well.
func (w *world) start() {
	for _, s := range w.servers {
		s.Unwell = ""
		if s.Status == "SHUTOFF" {
			s.Status = "ACTIVE"
		}
	}
}

// TestHistories goes through failures, crashes, full quotas, stopped and deleted servers, bad and fixed templates,
// resizes, rollbacks, canaries, protected and unhealthy nodes, servers that are unwell or do not follow, wiped and
// foreign marks, other methods, imports, applies without a refresh, and refreshes that are not stored. No plan takes
// more nodes out of service, or makes more servers, than it may; nodes that stay do not change; and once the template
// is good the update finishes.
func TestHistories(t *testing.T) {
	runs.In(t, runs.Sweep)
	for _, method := range []string{roster.Substitute, roster.InPlace, roster.Recreate} {
		t.Run(method, func(t *testing.T) {
			draws(t, 500, func(t *rapid.T) { history(t, method, false) })
		})
	}
	t.Run("stateful", func(t *testing.T) {
		draws(t, 500, func(t *rapid.T) {
			history(t, rapid.SampledFrom([]string{roster.InPlace, roster.Recreate}).Draw(t, "method"), true)
		})
	})
}

func history(t *rapid.T, method string, stateful bool) {
	w := newWorld(t)
	policy := roster.Policy{Name: web, Capacity: rapid.Int64Range(1, 9).Draw(t, "capacity"), Regions: twoRegions(),
		Criteria: genCriteria.Draw(t, "criteria"), Templates: images("a"), RequireMarks: true}
	policy.Update = update(genBatch.Draw(t, "batch"), roster.Unhealthy, roster.Misplaced, roster.Outdated, roster.TooOld)
	policy.Update.MaxAge = rapid.SampledFrom([]time.Duration{0, 50 * time.Second, 500 * time.Second}).Draw(t, "max age")
	policy.Update.Pause = rapid.SampledFrom([]time.Duration{0, 10 * time.Second, 100 * time.Second}).Draw(t, "pause")
	policy.Update.StopAbove = amount(rapid.SampledFrom([]string{"100%", "50%"}).Draw(t, "stop above"))
	policy.Update.Method = method
	w.late, w.wait = rapid.Int64Range(1, 19).Draw(t, "late"), rapid.Int64Range(1, 60).Draw(t, "wait")
	if stateful {
		policy.Stateful = &roster.Stateful{Retain: true}
		policy.Update.Causes = []roster.Cause{roster.Unhealthy, roster.Outdated}
	}
	for range rapid.IntRange(1, 25).Draw(t, "events") {
		w.change(&policy)
		_ = w.round(policy, rapid.SampledFrom([]int{1000, 1000, 0, 1, 2, 3, 5, 8}).Draw(t, "crash")) // too many nodes may be protected
	}
	// The template is good now, and nothing fails any more.
	w.calm, w.quota = true, math.MaxInt
	clear(w.rooms)
	w.blind, policy.Candidates = false, nil
	w.tie(false)
	u := *policy.Update // an earlier policy may still have the old template
	u.MaxAge, u.StopAbove = 0, amount("100%")
	policy.Update = &u
	policy.Templates, policy.Protected, policy.Update.Target = images("good"), nil, amount("100%")
	policy.Regions = cloneRegions(policy.Regions)
	for i := range policy.Regions {
		policy.Regions[i].Maintenance = false
		for j := range policy.Regions[i].Zones {
			policy.Regions[i].Zones[j].Maintenance = false
		}
	}
	if policy.Stateful != nil {
		policy.Stateful = &roster.Stateful{Retain: true}
	}
	batch := policy.Batch()
	limit := 2*(policy.Capacity+batch-1)/batch + 6
	var change *Change
	for range limit {
		w.start()
		w.pass(4000) // the clock may have jumped back
		if change = w.round(policy, 1000); change != nil {
			policy.Candidates = change.Held(hold.NotRemade, hold.Older).Names() // as the plan says
		}
		if change == nil {
			_, _, err := Plan(w.roster, w.seen, policy)
			t.Fatalf("no plan: %v", err)
		}
		if change.Empty() && w.all("good") && int64(len(w.roster.Nodes)) >= policy.Capacity {
			if change.Remaining != 0 {
				t.Fatalf("at rest: %+v", change)
			}
			return
		}
	}
	t.Fatalf("after %d applies of %d nodes in batches of %d: %s", limit, policy.Capacity, batch, decided(*change))
}

// all reports whether all nodes have an image and are in service, and no other servers run.
func (w *world) all(image string) bool {
	for name, n := range w.roster.Nodes {
		s, there := w.servers[name]
		if !there || !w.serves(name, n) || s.Tainted || s.image != image {
			return false
		}
	}
	return len(w.servers) == len(w.roster.Nodes)
}

// round refreshes, plans and applies, and checks every promise about a plan. It returns nil if there is no plan.
func (w *world) round(policy roster.Policy, crash int) *Change {
	t := w.t
	stored, seen, blind := w.roster, w.seen, w.blind
	if w.blind = false; !blind || w.fresh {
		w.refresh()
	}
	before := w.roster
	policy.Begins = w.fresh || w.stored.Update != nil &&
		(w.stored.Update.Method != policy.Update.Method || (w.stored.Stateful == nil) != (policy.Stateful == nil))
	policy.Opened = map[string]bool{}
	for _, r := range policy.Regions {
		policy.Opened[r.Name] = closedRegionPolicy(w.stored, r.Name) && !r.Maintenance
	}
	next, change, err := Plan(before, w.seen, policy)
	if err != nil {
		w.roster, w.seen = stored, seen // nothing stores what the refresh saw
		return nil
	}
	w.check(policy, next, change)
	serving, useless := w.serving(), int64(0) // useless: protected nodes that do not serve, or nodes in a closed place, which block others
	for name, n := range next.Nodes {
		s, there := w.servers[name]
		sick := there && s.Unwell != "" && s.InService == string(n.Mark) // no apply waits for a marked node
		if (slices.Contains(policy.Protected, name) || policy.Closed(n.Place) || sick) && !w.serves(name, n) {
			useless++
		}
	}
	hidden := int64(0) // number of nodes that serve without any sign of it
	for name, n := range before.Nodes {
		if w.serves(name, n) && (blind || w.unmarked(name)) {
			hidden++
		}
	}
	for _, name := range change.With(verdict.Comes).Names() {
		if w.serves(name, before.Leaving[name]) { // the new node of its slot has its server made again
			serving--
		}
	}
	for _, v := range slices.Concat(change.With(verdict.Changes), change.With(verdict.Leaves)) {
		if !v.Served && w.serves(v.Name, before.Nodes[v.Name]) && (blind || w.unmarked(v.Name)) {
			serving-- // it had not served at the last look, and has got into service since, or somebody took its mark first
		}
	}
	for name, n := range before.Leaving {
		unseen := !n.Served && w.unmarked(name) || policy.Opened[n.Region]
		if _, back := next.Nodes[name]; !back && unseen && w.serves(name, n) {
			serving-- // nobody has seen it in service, or since its region was closed
		}
	}
	out := len(w.ours)
	missing := max(0, policy.Capacity-int64(len(before.Nodes)))
	for name, n := range next.Nodes {
		if _, there := before.Nodes[name]; there {
			if s, machine := w.servers[name]; !machine || s.generation < n.Generation {
				missing++
			}
		}
		if old, there := before.Nodes[name]; there && old.Mark != n.Mark && w.serves(name, old) && (!blind || old.Served) &&
			policy.TakesFirst() {
			w.ours[name] = true
		}
	}
	batch := policy.Batch()
	if !w.apply(next, policy, crash) {
		w.roster, w.seen = stored, seen
	} else {
		w.fresh = false
	}
	if !blind {
		w.true(change, policy)
	}
	missing += int64(len(policy.Candidates))
	for _, v := range change.With(verdict.Leaves) {
		if v.What == verdict.GivenUp {
			missing++ // another one comes
		}
	}
	if int64(w.made) > missing+batch {
		t.Fatalf("%d servers were made; %d were missing, and a batch is %d: %s", w.made, missing, batch, decided(change))
	}
	for name := range w.ours {
		n, there := w.roster.Nodes[name]
		if _, stays := next.Nodes[name]; !there || !stays || w.serves(name, n) {
			delete(w.ours, name)
		}
	}
	if len(w.ours) > out && int64(len(w.ours)) > batch && !blind { // an earlier batch may have been larger
		t.Fatalf("%d nodes are out of service by our doing, in batches of %d: %v", len(w.ours), batch, w.ours)
	}
	least := min(serving, policy.Capacity-useless)
	if surplus := int64(len(before.Nodes)) - policy.Capacity; surplus > 0 { // a shrink removes nodes that do not seem to serve
		least -= min(surplus, hidden)
	}
	if policy.TakesFirst() { // quorum: the plan takes a node only while less than a batch is out of service
		least = min(least, max(serving-batch, policy.Capacity-batch))
	}
	if blind && policy.TakesFirst() {
		least = min(least, serving-batch) // a node that broke since the last look counts as in service
	}
	if now := w.serving(); now < least {
		t.Fatalf("%d nodes are in service, before they were %d of %d, in batches of %d: %s", now, serving, policy.Capacity, batch, decided(change))
	}
	return &change
}

// true checks what a plan said about the cluster: after an apply that ended well, the next look says the same. Not known is
// how old servers are then, whether a pause or the time of a full place ends in the apply, what became of closed places,
// that Terraform does not know on which generation a server depends, and that it makes a failed server of a held node
// again, which it holds for tainted.
func (w *world) true(plan Change, policy roster.Policy) {
	unknown := func(v *verdict.Verdict) bool {
		fails := v.Is != facts.Serving && (v.Untouched != "" || v.Outcome == verdict.Held)
		return w.loose || v.NotRemade || fails || policy.Opened[v.Region]
	}
	if !w.ended || slices.ContainsFunc(plan.List, unknown) {
		return
	}
	then := *w
	then.refresh()
	for _, n := range then.roster.Leaving {
		if policy.Untouched(placement.Place{Region: n.Region}) != "" {
			return // nobody knows that its server is gone
		}
	}
	then.seen.Aged = w.seen.Aged
	maps.Copy(then.seen.Full, w.seen.Full)
	policy.Begins, policy.Opened = false, nil
	_, next, err := Plan(then.roster, then.seen, policy)
	said, is := plan.Status.Phase, next.Now.Phase
	if err == nil && said != is && (said != status.Paused || is != status.Behind) {
		w.t.Fatalf("the plan said %q, and after the apply it is %q.\nThe plan:%s\nThe next plan:%s", plan.Status.Text, next.Now.Text, decided(plan),
			decided(next))
	}
}

// decided lists the decisions of a plan about each node.
func decided(change Change) string {
	var text strings.Builder
	for _, v := range change.List {
		fmt.Fprintf(&text, "\n%s %s in %s of %s, served %v, in doubt %v: %s", v.Name, v.Outcome, v.Place, v.Template, v.Served, v.Doubt, v.Reason)
	}
	return text.String()
}

// check looks at a plan before it is applied.
func (w *world) check(policy roster.Policy, next roster.Roster, change Change) {
	t, before, batch := w.t, w.roster, policy.Batch()
	checkChange(t, before, next, change)
	var replaced int64
	for _, d := range slices.Concat(change.With(verdict.Leaves), change.With(verdict.Changes)) {
		if n := before.Nodes[d.Name]; n.Served && d.Reason[:len("replaced")] == "replaced" {
			replaced++
		}
	}
	if replaced > batch {
		t.Fatalf("%d nodes that served are replaced, more than the batch of %d", replaced, batch)
	}
	for name, n := range next.Nodes {
		was, stays := before.Nodes[name]
		if !stays {
			continue
		}
		same := was
		same.Template, same.Mark, same.Generation = n.Template, n.Mark, n.Generation
		same.Served, same.Doubt, same.Retried = n.Served, n.Doubt, n.Retried
		inPlace := policy.TakesFirst() || !was.Served
		if same != n || was.Mark != n.Mark && !inPlace || was.Mark == n.Mark && was != n {
			t.Fatalf("%s was %+v and is %+v", name, was, n)
		}
	}
	for _, name := range change.With(verdict.Comes).Names() {
		at := next.Nodes[name].Place
		if since, full := w.seen.Full[roster.Spot{Place: at}]; full && policy.Stateful == nil {
			t.Fatalf("%s comes to %s, where Nova found no host at %s: %v", name, at, since, change.Notices)
		}
	}
	says := len(change.HeldByReason()) > 0 || change.Now.Phase == status.Held || strings.HasSuffix(change.Now.Text, "; apply again")
	if change.Empty() && change.Remaining > 0 && !says {
		t.Fatalf("nothing is done, %d remain, and nothing says why: %s", change.Remaining, layout(before))
	}
	// A node without a server makes way for what this plan removes, until a refresh does not see that any more.
	_, more, err := Plan(next, w.seen, policy)
	if err != nil || change.Remaining == 0 && len(change.Absent) == 0 && !more.Empty() {
		t.Fatalf("after this plan nothing is left to do:%s\nbut the next plan is%s, %v", decided(change), decided(more), err)
	}
}

// TestRollback rolls out a bad template at a full quota, which takes one batch. The settled template, given again or
// because the bad one failed, brings back the first servers and makes none. A third template works at the full quota
// too, as does a rollout that interrupts another one.
func TestRollback(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.calm = true
		policy := roster.Policy{Name: web, Capacity: rapid.Int64Range(2, 12).Draw(t, "capacity"), Regions: twoRegions(), Templates: images("a"),
			RequireMarks: true}
		policy.Update = update(fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "batch")), roster.Outdated)
		size := int(policy.Capacity)
		rest := func() (applies int) {
			for !w.round(policy, 1000).Empty() {
				if applies++; applies > size+5 {
					t.Fatalf("it does not end: %s", layout(w.roster))
				}
			}
			return applies
		}
		rest()
		first := w.ids()
		w.quota = size + int(policy.Batch())
		policy.Templates = images("bad")
		for range 3 {
			w.round(policy, 1000)
		}
		if len(w.servers) > w.quota || w.serving() < policy.Capacity {
			t.Fatalf("%d servers, %d in service", len(w.servers), w.serving())
		}
		policy.Templates = images("a")
		if w.round(policy, 1000); w.made != 0 {
			t.Fatalf("the rollback made %d servers", w.made)
		}
		w.pass(10)
		if !maps.Equal(w.ids(), first) {
			t.Fatalf("after the rollback %v, at first %v", w.ids(), first)
		}
		rest()
		for _, image := range []string{"b", "bad", "b"} { // a bad image in the middle of a rollout
			policy.Templates = images(image)
			w.round(policy, 1000)
		}
		rest()
		policy.Templates = images("worse")
		w.round(policy, 1000)
		policy.Templates = images("good")
		rest()
		if !w.all("good") {
			c := w.round(policy, 1000)
			t.Fatalf("not all are good: %s%s\n%v\n%d servers", layout(w.roster), decided(*c), c.Notices, len(w.servers))
		}
	})
}

func (w *world) ids() map[string]string {
	ids := map[string]string{}
	for name, s := range w.servers {
		ids[name] = s.ID
	}
	return ids
}
