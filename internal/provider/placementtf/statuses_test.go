package placementtf_test

import (
	"cmp"
	"flag"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

var update = flag.Bool("update", false, "rewrite the table of the guide")

// told is a cluster of two nodes, in az-1 and az-2, that is applied twice and then planned. Its servers carry their marks.
// Then the advice of the warning or of the handbook is followed, and planned.
type told struct {
	steps  [3]attributes           // arguments of the attachment; nil for the arguments of the step before
	server func(*fakecloud.Server) // change of the servers
	blind  bool                    // whether the plan is made without a refresh
	stays  bool                    // whether the servers of leaving nodes stay
	hour   bool                    // whether the advice is to wait for an hour; then no time passes before
	status string                  // status of the plan
	moves  string                  // moves of the plan; "" for none
	held   map[string]string       // parts of the reasons for holding, by node
	advice attributes              // advised arguments
	named  attributes              // advised arguments of the block deletion
	cure   func(*fakecloud.Server) // advised change of the servers
	then   string                  // moves after the advice is followed or, without moves, the status
}

// at returns the arguments at a step, of a cluster with a name.
func (w told) at(step int, name string, named attributes) attributes {
	for w.steps[step] == nil {
		step--
	}
	return with(w.steps[step], attributes{"cluster": name, "desired_capacity": 2, "deletion": with(attributes{"criteria": "OLDEST_FIRST"}, named)})
}

// ends changes the servers whose names have a suffix.
func ends(name string, change func(*fakecloud.Server)) func(*fakecloud.Server) {
	return func(s *fakecloud.Server) {
		if strings.HasSuffix(s.Name, name) {
			change(s)
		}
	}
}

// TestStatuses has each status and each kind of held nodes in a plan, and follows the advice that no guide can
// follow (TestAdvice in test/examples has the rest). With -update it writes their table in the handbook.
func TestStatuses(t *testing.T) {
	t.Parallel()
	const noHost = "No valid host was found. There are not enough hosts available."
	rewrite := *update
	update := func(cause string, more attributes) attributes {
		return attributes{"update": with(attributes{"causes": []any{cause}, "max_batch_size": "1", "require_in_service": false}, more)}
	}
	template, timed := update("TEMPLATE", nil), update("TEMPLATE", attributes{"pause": "30d", "require_in_service": nil})
	inPlace, recreate := update("TEMPLATE", attributes{"method": "IN_PLACE"}), attributes{"method": "RECREATE"}
	of := func(image, zones string, more attributes) attributes {
		return with(attributes{"template": attributes{"image": image}, "regions": protocol.Zones(protocol.Listing(zones))}, more)
	}
	a := func(more attributes) attributes { return of("a", "az-1 az-2", more) }
	b := func(more attributes) attributes { return of("b", "az-1 az-2", more) }
	listed := func(flavors ...any) attributes { return with(a(template), attributes{"flavors": flavors}) }
	full := ends("-1", func(s *fakecloud.Server) { s.Status, s.Fault = "ERROR", noHost })
	broke := func(s *fakecloud.Server) { s.Status = "ERROR" }
	failed := func(s *fakecloud.Server) { s.Status, s.Metadata = "ERROR", nil }
	var lock sync.Mutex
	var said []string // statuses, and reasons that they do not say
	all := map[string]told{
		"instep": {steps: [3]attributes{a(template)}, status: "in step"},
		"protected": {steps: [3]attributes{a(template), nil, b(template)}, server: func(s *fakecloud.Server) { s.LockedBy = "owner" },
			status: "held: protected-0 is locked, protected-1 is locked",
			held:   map[string]string{"protected-0": "it is locked", "protected-1": "it is locked"},
			cure:   func(s *fakecloud.Server) { s.LockedBy = "" }, then: "protected-0 leaves"},
		"locked": {steps: [3]attributes{a(template), nil, b(template)}, server: ends("-1", func(s *fakecloud.Server) {
			s.Status, s.LockedBy = "ERROR",
				"owner"
		}),
			status: "held: locked-1 is locked", moves: "locked-0 leaves",
			held: map[string]string{"locked-1": "it is locked"}},
		"leaving": {steps: [3]attributes{a(template), b(template)}, stays: true, status: "behind: 1 of 2 nodes to replace",
			held:  map[string]string{"leaving-1": "the batch waits for leaving-0 (it leaves"},
			named: attributes{"kept": []any{"leaving-0"}}, then: "leaving-1 leaves"},
		"down": {steps: [3]attributes{of("a", "az-1 az-3", template), nil, of("b", "az-1 az-3", template)},
			status: "held: down-1 (RegionOne/az-3 is not available)", moves: "down-0 leaves",
			held: map[string]string{"down-1": "RegionOne/az-3 is not available"},
			then: "down-0 leaves"},
		"sick": {steps: [3]attributes{a(template)}, server: ends("-1", func(s *fakecloud.Server) { s.Status = "ERROR" }),
			status: "held: sick-1: in ERROR, which no cause replaces: name it in candidates",
			held:   map[string]string{"sick-1": "in ERROR, which no cause replaces: name it in candidates"},
			named:  attributes{"candidates": []any{"sick-1"}}, then: "sick-1 leaves"},
		"behind": {steps: [3]attributes{a(template), nil, b(nil)},
			status: "outdated: 2 nodes of another template or flavor, and no cause replaces them",
			advice: b(template), then: "behind-0 leaves"},
		"unlisted": {steps: [3]attributes{listed("m1.small"), nil, listed("m1.tiny")}, status: "behind: 1 of 2 nodes to replace",
			moves: "unlisted-0 leaves"},
		"later": {steps: [3]attributes{listed("m1.tiny"), nil, listed("m1.small", "m1.tiny")},
			status: "outdated: 2 nodes of another template or flavor, and no cause replaces them"},
		"older": {steps: [3]attributes{a(template), nil, b(template)}, server: func(s *fakecloud.Server) { s.Metadata[openstack.MarkKey] = "9-1a2b3c4d" },
			status: "held: this state is older than the servers of older-0, older-1",
			held:   map[string]string{"older-0": "its server carries the later mark 9-1a2b3c4d", "older-1": "this state is older than the cluster"},
			cure:   func(s *fakecloud.Server) { s.Metadata[openstack.MarkKey] = ownMark(1, "a") }, // as with the newest state
			then:   "older-0 leaves"},
		"begins": {steps: [3]attributes{a(template), nil, b(update("TEMPLATE", recreate))}, status: "behind: 2 of 2 nodes to replace",
			held: map[string]string{"begins-0": "the update begins with the next apply", "begins-1": "the update begins with the next apply"}},
		"batch": {steps: [3]attributes{a(template), nil, b(template)}, status: "behind: 1 of 2 nodes to replace", moves: "batch-0 leaves"},
		"waits": {steps: [3]attributes{a(template), b(template)}, server: ends("-2", func(s *fakecloud.Server) { s.Status = "BUILD" }),
			status: "waits: waits-2 (its server is in BUILD)", held: map[string]string{"waits-1": "the batch waits for waits-2 (its server is in BUILD)"}},
		"bakes": {steps: [3]attributes{a(timed), b(timed)}, status: "paused: bakes-2 must be in service for longer",
			held: map[string]string{"bakes-1": "the previous batch must be in service for longer: bakes-2"}},
		"target": {steps: [3]attributes{a(template), b(update("TEMPLATE", attributes{"target": "50%"}))},
			status: "in step, as target says: 1 node of another template",
			advice: b(template), then: "target-1 leaves"},
		"closed": {steps: [3]attributes{a(template), nil, of("b", "az-1! az-2", template)},
			status: "held: closed-0 (RegionOne/az-1 is closed)", moves: "closed-1 leaves",
			held:   map[string]string{"closed-0": "RegionOne/az-1 is closed"},
			advice: b(template), then: "closed-0 leaves"},
		"outage": {steps: [3]attributes{a(update("UNHEALTHY", nil))}, server: broke,
			status: "held: 2 of 2 nodes are unhealthy, more than stop_above (50%) allows",
			held:   map[string]string{"outage-0": "2 of 2 nodes are unhealthy", "outage-1": "2 of 2 nodes are unhealthy"}},
		"nohost": {steps: [3]attributes{a(update("UNHEALTHY", recreate))}, server: full,
			status: "held: Nova found no host for nohost-1 (RegionOne/az-2)",
			held:   map[string]string{"nohost-1": "Nova found no host for it in RegionOne/az-2"}, hour: true,
			then: "nohost-1 changes"},
		"noroom": {steps: [3]attributes{with(a(update("UNHEALTHY", nil)),
			attributes{"regions": protocol.Zones([]any{attributes{"name": "az-1", "cap": 1}, attributes{"name": "az-2"}})})}, server: full,
			status: "held: no room for the substitutes of noroom-1", held: map[string]string{"noroom-1": "az-1"}, hour: true},
		"twice": {steps: [3]attributes{a(update("UNHEALTHY", nil))}, server: func(s *fakecloud.Server) { ends("-1", broke)(s); ends("-2", broke)(s) },
			hour:   true,
			status: "held: two servers of image a failed for twice-2", held: map[string]string{"twice-2": "two servers of image a failed"}},
		"former": {steps: [3]attributes{a(update("UNHEALTHY", recreate))}, server: ends("-1", failed),
			status: "held: the servers of former-1 were not made again", held: map[string]string{"former-1": "is still the old one"}},
		"unseen": {steps: [3]attributes{a(inPlace), b(inPlace), a(inPlace)},
			blind: true, status: "behind: 1 of 2 nodes to replace",
			held:   map[string]string{"unseen-0": "no refresh has looked at it since it changed"},
			advice: a(inPlace), then: "unseen-0 changes"},
	}
	t.Run("each", func(t *testing.T) {
		for name, w := range all {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				now, why := w.follow(t, name)
				lock.Lock()
				defer lock.Unlock()
				if now = "`" + now + "`"; strings.HasPrefix(now[1:], status.Behind.Words()) && why != "" {
					now += ", and `held`: " + why
				}
				said = append(said, strings.ReplaceAll(now, name+"-", "web-"))
			})
		}
	})
	acctest.Table(t, "../../../templates/guides/operating-a-cluster.md.tmpl", "\n|status|what to do|\n|---|---|\n", rewrite,
		func(map[string]string) []string {
			example := strings.NewReplacer("{nodes}", "web-1", "{loose}", "the lifecycle", "{beyond}", "3 servers", "{template}", "image a")
			for _, h := range hold.All {
				parts := regexp.MustCompile(`\{[^}]*\}`).Split(h.Status, -1)
				there := func(row string) bool {
					return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(row, part) })
				}
				if !slices.ContainsFunc(said, there) { // no cluster above has it
					said = append(said, example.Replace("`held: "+h.Status+"`"))
				}
			}
			slices.SortFunc(said, func(a, b string) int {
				word := func(row string) (at int) {
					for at < len(status.All) && !strings.HasPrefix(row[1:], status.All[at].Words()) {
						at++
					}
					return at
				}
				return cmp.Or(cmp.Compare(word(a), word(b)), strings.Compare(strings.Trim(a, "`"), strings.Trim(b, "`")))
			})
			return slices.Compact(said)
		})
}

// follow applies the first two steps, plans the third, follows the advice, and plans again. It returns the status of the
// third, and what holds a node.
func (w told) follow(t *testing.T, name string) (says, why string) {
	t.Helper()
	a := begin(t)
	ids, images := map[string]string{}, map[string]string{}
	for step := range 2 {
		if step > 0 {
			a.Look(t)
		}
		a.Must(t, w.at(step, name, nil))
		nodes := protocol.Object(protocol.Object(a.I.State)["nodes"])
		for _, node := range slices.Sorted(maps.Keys(nodes)) {
			if ids[node] != "" {
				continue
			}
			n := protocol.Object(nodes[node])
			image := protocol.Text(protocol.Object(n["template"])["image"])
			if images[image] == "" {
				images[image] = a.Fake.AddImage(fakecloud.Image{Name: image})
			}
			ids[node] = a.Fake.AddServers("RegionOne", fakecloud.Server{Name: node, Zone: protocol.Text(n["zone"]), ImageID: images[image]})[0]
			a.Fake.UpdateServer("RegionOne", ids[node], func(s *fakecloud.Server) {
				s.Metadata = map[string]string{openstack.MarkKey: protocol.Text(n["mark"]), openstack.InServiceAtKey: s.Created.Format(time.RFC3339)}
				if w.server != nil {
					w.server(s)
				}
			})
		}
		for node, id := range ids {
			if _, there := nodes[node]; !there && !w.stays {
				a.Fake.RemoveServers("RegionOne", id)
				delete(ids, node)
			}
		}
		if !w.hour {
			a.Fake.Advance(2 * time.Hour)
		}
		a.Later(t)
	}
	// plan returns the status, the moves of the plan, and why nodes are held.
	plan := func(config attributes) (now, moves string, held map[string]string) {
		t.Helper()
		state := protocol.Object(a.MustPlan(t, config))
		held = byNode(state["held"])
		if was := protocol.Object(a.I.State); !state["change"].Equal(was["change"]) { // else of the last plan
			moves = movesOf(state)
		}
		return protocol.Text(state["status"]), moves, held
	}
	a.Fake.SetZoneAvailable("RegionOne", "az-3", false)
	if !w.blind {
		a.Look(t)
	}
	says, moves, held := plan(w.at(2, name, nil))
	assert.Equal(t, w.status, says)
	assert.Equal(t, w.moves, moves)
	assert.Len(t, held, len(w.held), "held are %q", held)
	for node, part := range w.held {
		assert.Contains(t, held[node], part, node)
		why = held[node][strings.LastIndex(held[node], "; ")+1:]
	}
	if w.then == "" {
		return says, strings.TrimSpace(why)
	}
	a.Fake.SetZoneAvailable("RegionOne", "az-3", true)
	if w.hour {
		a.Fake.Advance(time.Hour)
	}
	for _, id := range ids {
		if w.cure != nil {
			a.Fake.UpdateServer("RegionOne", id, w.cure)
		}
	}
	if w.advice != nil {
		w.steps[2] = w.advice
	}
	a.Later(t)
	a.Look(t)
	now, moves, _ := plan(w.at(2, name, w.named))
	assert.Equal(t, w.then, cmp.Or(moves, now), "after the advice")
	return says, strings.TrimSpace(why)
}
