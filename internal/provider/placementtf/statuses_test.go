package placementtf_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// told is a cluster of two nodes, in az-1 and az-2, that is applied twice and then planned. Its servers carry their marks.
// Last, what the warning or the handbook says is done, and planned.
type told struct {
	lines  [3]string               // of the attachment; "" for those before
	server func(*fakecloud.Server) // what is unlike with a server
	blind  bool                    // whether the plan is made without a refresh
	stays  bool                    // whether servers of nodes that left are there
	status string                  // of the plan
	held   map[string]string       // parts of the reasons, by node
	advice string                  // the lines then
	named  string                  // what is then in the block deletion
	cure   func(*fakecloud.Server) // what is then done to the servers
	then   string                  // the status then
}

// at are the lines at a step.
func (w told) at(step int) string {
	for w.lines[step] == "" {
		step--
	}
	return w.lines[step]
}

// ends is a change of the servers whose names end so.
func ends(name string, change func(*fakecloud.Server)) func(*fakecloud.Server) {
	return func(s *fakecloud.Server) {
		if strings.HasSuffix(s.Name, name) {
			change(s)
		}
	}
}

// TestStatuses has each status and each kind of held, as they stand in Terraform's plan, and what follows the advice where
// no guide can meet it (those are in examples: TestAdvice). All clusters are in one configuration.
func TestStatuses(t *testing.T) {
	t.Parallel()
	const (
		places = "zones = [{ name = \"az-1\" }, { name = \"az-2\" }]\n"
		a, b   = "template = { image = \"a\" }\n" + places, "template = { image = \"b\" }\n" + places
		noHost = "No valid host was found. There are not enough hosts available."
	)
	update := func(cause string, more ...string) string {
		return updates(append([]string{fmt.Sprintf("causes = [%q]", cause), "max_batch_size = 1"}, more...)...)
	}
	template, timed := update("TEMPLATE"), update("TEMPLATE", `pause = "30d"`, `revert_after = "10m"`)
	inPlace := update("TEMPLATE", `method = "IN_PLACE"`)
	failed := func(s *fakecloud.Server) { s.Status, s.Metadata = "ERROR", nil }
	full := ends("-1", func(s *fakecloud.Server) { s.Status, s.Fault = "ERROR", noHost })
	late := func(s *fakecloud.Server) { // a wait of the readiness attachment ended without it
		s.Metadata = map[string]string{openstack.NotInServiceAtKey: s.Metadata[openstack.MarkKey] + " " + s.Created.Add(time.Hour).Format(time.RFC3339)}
	}
	table := map[string]told{
		"instep": {lines: [3]string{a + template}, status: "in step"},
		"protected": {lines: [3]string{a + template, "", b + template}, server: func(s *fakecloud.Server) { s.LockedBy = "owner" },
			status: "in step except for protected nodes: protected-0 is locked, protected-1 is locked",
			held:   map[string]string{"protected-0": "it is locked", "protected-1": "it is locked"},
			cure:   func(s *fakecloud.Server) { s.LockedBy = "" }, then: "batch 1 of 2: protected-0 leaves; protected-2 comes"},
		"leaving": {lines: [3]string{a + template, b + template}, stays: true, status: "waits: leaving-0 (it leaves, and its server is still there)",
			held:  map[string]string{"leaving-1": "the batch waits for leaving-0 (it leaves"},
			named: `kept = ["leaving-0"]`, then: "batch 1 of 1: leaving-1 leaves; leaving-3 comes"},
		"down": {lines: [3]string{strings.ReplaceAll(a, "az-2", "az-3") + template, "", strings.ReplaceAll(b, "az-2", "az-3") + template},
			status: "batch 1 of 2: down-0 leaves; down-2 comes", held: map[string]string{"down-1": "RegionOne/az-3 is not available"},
			then: "batch 1 of 2: down-0 leaves; down-2 comes"},
		"sick": {lines: [3]string{a + template}, server: ends("-1", func(s *fakecloud.Server) { s.Status = "ERROR" }),
			status: "waits: sick-1 (its server is in ERROR)",
			named:  `candidates = ["sick-1"]`, then: "waits: not in service yet: sick-2"},
		"behind": {lines: [3]string{a + template, "", b},
			status: "behind: 2 nodes of another template, and no cause replaces them",
			advice: b + template, then: "batch 1 of 2: behind-0 leaves; behind-2 comes"},
		"begins": {lines: [3]string{a + template, "", b + update("TEMPLATE", `method = "RECREATE"`)}, status: "behind: 2 nodes to replace",
			held: map[string]string{"begins-0": "the update begins with the next apply", "begins-1": "the update begins with the next apply"}},
		"batch": {lines: [3]string{a + template, "", b + template}, status: "batch 1 of 2: batch-0 leaves; batch-2 comes",
			held: map[string]string{"batch-1": "the batch is full (1 at a time)"}},
		"waits": {lines: [3]string{a + template, b + template}, server: ends("-2", func(s *fakecloud.Server) { s.Status = "BUILD" }),
			status: "waits: waits-2 (its server is in BUILD)", held: map[string]string{"waits-1": "the batch waits for waits-2 (its server is in BUILD)"}},
		"bakes": {lines: [3]string{a + timed, b + timed}, status: "bakes: bakes-2 must be in service for longer",
			held: map[string]string{"bakes-1": "the batch before it has to serve for longer: bakes-2"}},
		"target": {lines: [3]string{a + template, b + update("TEMPLATE", `target = "50%"`)}, status: "in step, as target says: 1 node of another template",
			held:   map[string]string{"target-1": "as many nodes have the wanted template as target (50%) says"},
			advice: b + template, then: "batch 1 of 1: target-1 leaves; target-3 comes"},
		"closed": {lines: [3]string{a + template, "", strings.ReplaceAll(b, "\" }, ", "\", closed = true }, ") + template},
			status: "batch 1 of 2: closed-1 leaves; closed-2 comes", held: map[string]string{"closed-0": "RegionOne/az-1 is closed"},
			advice: b + template, then: "batch 1 of 2: closed-0 leaves; closed-2 comes"},
		"outage": {lines: [3]string{a + update("UNHEALTHY")}, server: failed, status: "held: 2 of 2 nodes are unhealthy, more than stop_above (50%) allows",
			held: map[string]string{"outage-0": "2 of 2 nodes are unhealthy", "outage-1": "2 of 2 nodes are unhealthy"}},
		"nohost": {lines: [3]string{a + update("UNHEALTHY", `method = "RECREATE"`, `retry_full_after = "1d"`)}, server: full,
			status: "held: Nova found no host for nohost-1 (RegionOne/az-2)", held: map[string]string{"nohost-1": "Nova found no host for it in RegionOne/az-2"},
			advice: a + update("UNHEALTHY", `method = "RECREATE"`, `retry_full_after = "0s"`), then: "batch 1 of 1: nohost-1 changes"},
		"noroom": {lines: [3]string{strings.ReplaceAll(a, "-1\" }", "-1\", cap = 1 }") + update("UNHEALTHY", `retry_full_after = "1d"`)}, server: full,
			status: "held: no room for the substitutes of noroom-1", held: map[string]string{"noroom-1": "az-1"}},
		"twice": {lines: [3]string{a + update("UNHEALTHY")}, server: func(s *fakecloud.Server) { ends("-1", failed)(s); ends("-2", failed)(s) },
			status: "held: twice-2 never served, nor did what they replaced", held: map[string]string{"twice-2": "it never served, nor did the one before it"}},
		"former": {lines: [3]string{a + update("UNHEALTHY", `method = "RECREATE"`)}, server: ends("-1", failed),
			status: "held: the servers of former-1 did not follow their nodes", held: map[string]string{"former-1": "former"}},
		"reverted": {lines: [3]string{a + timed, b + timed}, server: ends("-2", late), status: "reverted: the template of reverted-2 failed, 1 node goes back",
			advice: "template = { image = \"c\" }\n" + places + timed, then: "batch 1 of 2: reverted-2 changes"},
		"failed": {lines: [3]string{a + timed, b + timed}, server: func(s *fakecloud.Server) {
			s.Status = "SHUTOFF" // so its template is not settled
			ends("-2", func(s *fakecloud.Server) { s.Status = "ACTIVE"; late(s) })(s)
		}, status: "held: the template of failed-2 failed, and none is settled to go back to",
			held:   map[string]string{"failed-1": "the template that it should get failed, and none is settled"},
			advice: "template = { image = \"c\" }\n" + places + timed, then: "batch 1 of 2: failed-2 changes"},
		"unseen": {lines: [3]string{a + inPlace, b + inPlace, a + inPlace},
			blind: true, status: "waits: unseen-0 (it was not looked at yet)", held: map[string]string{"unseen-0": "no refresh has looked at it since it changed"},
			advice: a + inPlace, then: "batch 1 of 1: unseen-0 changes"},
	}

	c := acctest.NewFake(t, fakecloud.Config{TokenTTL: 365 * 24 * time.Hour})
	w := c.Workspace(t, "")
	write := func(lines, deletion func(told) string) {
		t.Helper()
		var text strings.Builder
		for _, name := range slices.Sorted(maps.Keys(table)) {
			const form = "resource \"stackpolicy_placement_attachment\" %[1]q {\n  cluster = %[1]q\n  desired_capacity = 2\n  %[2]s\n" +
				"  deletion {\n    criteria = \"OLDEST_FIRST\"\n    %[3]s\n  }\n}\n"
			fmt.Fprintf(&text, form, name, lines(table[name]), deletion(table[name]))
		}
		require.NoError(t, w.Write(text.String()))
	}
	none := func(told) string { return "" }
	ids := map[string]string{}
	for step := range 2 {
		write(func(w told) string { return w.at(step) }, none)
		if _, err := w.Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
		state, err := w.State(t.Context())
		require.NoError(t, err)
		there := map[string]bool{}
		for _, r := range state.Values.RootModule.Resources {
			var nodes map[string]struct{ Zone, Mark string }
			into(t, r.AttributeValues["nodes"], &nodes)
			for _, name := range slices.Sorted(maps.Keys(nodes)) {
				n := nodes[name]
				if there[name] = true; ids[name] != "" {
					continue
				}
				id := c.Fake.AddServers("RegionOne", fakecloud.Server{Name: name, Zone: n.Zone})[0]
				c.Fake.UpdateServer("RegionOne", id, func(s *fakecloud.Server) {
					s.Metadata = map[string]string{openstack.MarkKey: n.Mark, openstack.InServiceAtKey: s.Created.Format(time.RFC3339)}
					if change := table[r.Name].server; change != nil {
						change(s)
					}
				})
				ids[name] = id
			}
		}
		for name, id := range ids {
			if !there[name] && !table[name[:strings.LastIndex(name, "-")]].stays {
				c.Fake.RemoveServers("RegionOne", id)
				delete(ids, name)
			}
		}
		c.Fake.Advance(2 * time.Hour)
	}
	c.Fake.SetZoneAvailable("RegionOne", "az-3", false)
	write(func(w told) string { return w.at(2) }, none)
	planned := func(args ...string) []*tfjson.StateResource {
		t.Helper()
		if _, err := w.Run(t.Context(), append([]string{"plan", "-out=a.tfplan"}, args...)...); err != nil {
			t.Fatal(err)
		}
		text, err := w.Run(t.Context(), "show", "-json", "a.tfplan")
		var plan tfjson.Plan
		if err == nil {
			err = plan.UnmarshalJSON([]byte(text))
		}
		require.NoError(t, err)
		return plan.PlannedValues.RootModule.Resources
	}
	seen, unseen := planned(), planned("-refresh=false")
	for i, r := range seen {
		if row := table[r.Name]; row.blind {
			row.check(t, unseen[i])
		} else {
			row.check(t, r)
		}
	}
	c.Fake.SetZoneAvailable("RegionOne", "az-3", true)
	for name, id := range ids {
		if cure := table[name[:strings.LastIndex(name, "-")]].cure; cure != nil {
			c.Fake.UpdateServer("RegionOne", id, cure)
		}
	}
	write(func(w told) string { return cmp.Or(w.advice, w.at(2)) }, func(w told) string { return w.named })
	for _, r := range planned() {
		if row := table[r.Name]; row.then != "" && r.AttributeValues["status"] != row.then {
			t.Errorf("%s: after the advice the status is %q, want %q", r.Name, r.AttributeValues["status"], row.then)
		}
	}
}

// into decodes a value of a plan.
func into(t *testing.T, value, to any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	require.NoError(t, err)
}

// check holds an attachment of a plan to what it should say.
func (w told) check(t *testing.T, r *tfjson.StateResource) {
	t.Helper()
	if got := r.AttributeValues["status"]; got != w.status {
		t.Errorf("%s: the status is %q, want %q", r.Name, got, w.status)
	}
	var change []struct {
		Held struct{ Nodes map[string]string }
	}
	if into(t, r.AttributeValues["change"], &change); len(change) != 1 {
		t.Fatalf("%s: the change is %v", r.Name, change)
	}
	got := change[0].Held.Nodes
	if len(got) != len(w.held) {
		t.Errorf("%s: held are %q, want %q", r.Name, got, w.held)
	}
	for name, part := range w.held {
		if !strings.Contains(got[name], part) {
			t.Errorf("%s: %s is held because %q, want %q", r.Name, name, got[name], part)
		}
	}
}
