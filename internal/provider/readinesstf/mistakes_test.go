package readinesstf_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the table of mistakes")

// behind is a cluster of six nodes behind a readiness attachment: a new template comes in batches of two, each of which must be
// in service before the next begins. Servers of a version that begins with "bad" never get into service.
type behind struct {
	*testing.T
	acctest.Loop
	url     string
	size    int
	target  string                 // "": all nodes
	batch   string                 // maximum number of nodes in a batch; "": 2
	flavor  string                 // flavor in the template; "": the template has no flavor
	more    string                 // more arguments of the update block
	ignore  string                 // ignore_changes of the servers
	sick    atomic.Pointer[string] // name of a node that never gets into service
	zones   []string
	watched *acctest.Watched
	applies int
}

func (b *behind) config(version string) string {
	region, timeout, template, update := b.Cloud.Regions(b.T)[0], "", "", ""
	switch {
	case strings.HasPrefix(version, "bad"):
		timeout = "timeout = 2" // seconds: no checked server gets ready
	case b.sick.Load() != nil:
		timeout = givenUp()
	}
	if version != "" {
		template = fmt.Sprintf("version = %q", version)
		update = fmt.Sprintf(`update {
    causes             = ["TEMPLATE", "UNHEALTHY"]
    max_batch_size     = %s
    require_in_service = true
    target             = %q
    %s
  }`, cmp.Or(b.batch, "2"), cmp.Or(b.target, "100%"), b.more)
	}
	if b.flavor != "" {
		template += fmt.Sprintf(", flavor = %q", b.flavor)
	}
	if template != "" {
		template = "template = { " + template + " }"
	}
	return acctest.Placement(b.Cloud, b.size, acctest.Places(region+": "+strings.Join(b.zones, " ")), template+"\n  "+update) + acctest.Servers(fmt.Sprintf(`
  image_id     = %q
  flavor_id    = lookup(each.value.template, "flavor", %q)
  network_mode = "none"
  metadata     = { version = lookup(each.value.template, "version", "a") } # an imported node may have none
  lifecycle {
    create_before_destroy = true
    %s
  }`, b.Cloud.Image, b.Cloud.Flavor, b.lifecycle())) + acctest.Generations + acctest.Drained("shutdown = true\n  "+acctest.First) +
		acctest.Awaited(b.Cloud, fmt.Sprintf("%s\n  http {\n    url = \"%s/{name}\"\n  }", timeout, b.url))
}

// lifecycle returns what servers ignore: all changes, unless they are changed in place.
func (b *behind) lifecycle() string {
	ignored := b.ignore
	if !strings.Contains(b.more, "IN_PLACE") {
		ignored = strings.Trim("metadata, flavor_id, "+b.ignore, ", ")
	}
	return acctest.Again + "\n    ignore_changes = [" + ignored + "]"
}

// givenUp is the timeout of an apply in which some servers get ready and others
// never do. It is the only timeout that a busy machine could reach, so it is long
// enough for a real Nova.
func givenUp() string {
	if acctest.Live() {
		return "\n  timeout = 30\n"
	}
	return "\n  timeout = 10\n"
}

// start makes the cluster with a version; "" is no template.
func (b *behind) start(t *testing.T, c *acctest.Cloud, version string) {
	t.Helper()
	b.prepare(t, c, version)
	b.must(version)
	b.holds("a:6/6")
	b.applies = 0
	if b.watched != nil {
		b.watched.Restart()
	}
}

// prepare writes the configuration of a cluster.
func (b *behind) prepare(t *testing.T, c *acctest.Cloud, version string) {
	t.Helper()
	b.T = t
	health := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		// A server that never served runs until the new one of its name is in service: here it has the same address.
		well := slices.ContainsFunc(c.AllServers(t), func(s servers.Server) bool {
			return s.Name == name && !strings.HasPrefix(s.Metadata["version"], "bad")
		})
		if sick := b.sick.Load(); !well || sick != nil && c.Prefix+*sick == name {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(health.Close)
	region := c.Regions(t)[0]
	b.Cloud, b.url, b.size, b.zones = c, health.URL, 6, c.Zones(t, region)
	b.watched, b.Workspace = c.Watch(t, region, b.size), c.Workspace(t, b.config(version))
}

// write writes the configuration with a version.
func (b *behind) write(version string) {
	b.Helper()
	require.NoError(b, b.Write(b.config(version)))
	if b.watched != nil {
		b.watched.Resize(b.size)
	}
}

// run runs terraform, which must not fail.
func (b *behind) run(args ...string) string {
	b.Helper()
	return acctest.Must(b.T, b.Workspace, args...)
}

// plan returns the output of a plan of a version.
func (b *behind) plan(version string) string {
	b.Helper()
	b.write(version)
	return b.run("plan", "-input=false", "-no-color")
}

// apply applies the written configuration.
func (b *behind) apply(args ...string) (string, error) {
	b.Helper()
	b.applies++
	return b.Workspace.Run(b.Context(), append([]string{"apply", "-auto-approve", "-input=false", "-no-color"}, args...)...)
}

// must applies a version with arguments, which must not fail.
func (b *behind) must(version string, args ...string) {
	b.Helper()
	b.write(version)
	_, err := b.apply(args...)
	require.NoError(b, err)
}

// tries applies a version with which a number of servers do not get into service, "2 of 2".
func (b *behind) tries(version, fails string) {
	b.Helper()
	b.write(version)
	_, err := b.apply()
	require.Error(b, err)
	require.Regexp(b, acctest.Says(fails+" servers that this apply checked are not in service"), err.Error())
}

// refused applies with arguments; the apply must fail with a text and touch no server.
func (b *behind) refused(says string, args ...string) {
	b.Helper()
	before := b.IDs(b.T)
	_, err := b.apply(args...)
	assert.Regexp(b, acctest.Says(says), fmt.Sprint(err))
	assert.ElementsMatch(b, before, b.IDs(b.T), "servers")
}

// finish applies a version until the plan is empty, and returns all output.
func (b *behind) finish(version string) (all string) {
	b.Helper()
	return acctest.Finish(b.T, func() string {
		text := b.plan(version)
		if !strings.Contains(text, "No changes.") {
			b.must(version)
		}
		return text
	})
}

// holds fails unless all servers run, with the number of servers of each version and how many are in service: "a:6/6 bad:2/0".
func (b *behind) holds(want string) {
	b.Helper()
	all, marked := map[string]int{}, map[string]int{}
	for _, s := range b.Cloud.Servers(b.T) {
		all[s.Metadata["version"]]++
		if s.Metadata[openstack.MarkKey] != "" {
			marked[s.Metadata["version"]]++
		}
		assert.Equal(b, "ACTIVE", s.Status, s.Name)
	}
	var list []string
	for _, version := range slices.Sorted(maps.Keys(all)) {
		list = append(list, fmt.Sprintf("%s:%d/%d", version, all[version], marked[version]))
	}
	assert.Equal(b, want, strings.Join(list, " "), "the servers, and those in service")
}

// power stops or starts the servers of a version outside Terraform.
func (b *behind) power(version, action, status string) {
	b.Helper()
	for _, s := range b.Cloud.Servers(b.T) {
		if s.Metadata["version"] == version {
			b.Cloud.Act(b.T, b.Cloud.Regions(b.T)[0], s.ID, fmt.Sprintf(`{%q: null}`, action), status)
		}
	}
}

// counted ends a sequence: nothing is left to do, no server that served was destroyed
// without a drain, and the row of the sequence in the guide has the counts.
func (b *behind) counted(what string) {
	b.Helper()
	b.Settled(b.T, what)
	applies := b.applies
	if b.applies = 0; b.watched == nil {
		return
	}
	n := b.watched.Restart()
	assert.Equal(b, 0, n.Undrained, "%s: servers that had served and were destroyed undrained", what)
	n.Row(b.T, "Somebody makes a mistake", what, applies, *update)
}

const placement = "stackpolicy_placement_attachment.web"

// mistakes lists what somebody does to the cluster, until nothing is left to do. The row of the guide says how many servers
// served and were destroyed meanwhile.
var mistakes = []struct {
	what    string
	unlike  func(b *behind) // change of the cluster before it is made
	version string          // version of the new cluster
	then    func(b *behind)
	end     string // servers by version at the end
	run     runs.Run
}{
	{"a bad image five times, a worse one, a good one, a bad one in the middle of it, the good one again", nil, "a", func(b *behind) {
		for range 5 {
			b.tries("bad1", "2 of 2")
			b.holds("a:6/6 bad1:2/0")
		}
		b.tries("bad2", "2 of 2")
		b.must("b") // destroys what never served: there are ten servers
		b.holds("a:6/6")
		b.must("b")
		b.must("b")
		b.tries("bad3", "2 of 2")
		b.holds("a:2/2 b:4/4 bad3:2/0")
		b.finish("b")
	}, "b:6/6", runs.Sweep},
	{"growth from 6 to 14 with a bad image, then a good one", nil, "a", func(b *behind) {
		b.size = 14
		b.tries("bad1", "10 of 10")
		b.must("b") // others are made as far as there is room beside those that never served
		b.holds("a:6/6 b:2/2")
		b.finish("b")
	}, "b:14/14", runs.Sweep},
	{"a canary of a third, growth from 6 to 12, then the old image with the same target", func(b *behind) { b.target = "34%" }, "a", func(b *behind) {
		b.must("b")
		b.must("b")
		b.holds("a:3/3 b:3/3") // 34% of six, rounded up
		b.size = 12
		b.must("b")
		b.holds("a:7/7 b:5/5")
		b.finish("a")
	}, "a:12/12", runs.Sweep},
	{"the attachment leaves the state in the middle of a rollout, and is imported", nil, "a", func(b *behind) {
		b.must("b")
		b.run("state", "rm", placement)
		b.run("import", "-input=false", "-no-color", placement, b.Cloud.Prefix+"/{cluster}{index}")
		b.must("b")
		b.holds("a:4/4 b:2/2") // their marks say which have the new template
		b.finish("b")
	}, "b:6/6", runs.Sweep},
	{"a first template with a bad image, despite the warning, then with what the nodes have", nil, "", func(b *behind) {
		assert.Regexp(b, acctest.Says("6 nodes"), b.plan("bad1"))
		b.must("bad1")
		b.holds("a:6/6") // servers are made again with a generation, and a first template raises none
		b.finish("a")
	}, "a:6/6", runs.Night},
	{"half of a batch gets into service, then the old image", nil, "a", func(b *behind) {
		b.sick.Store(new("7"))
		b.tries("b", "1 of 2")
		b.sick.Store(nil)
		b.finish("a")
	}, "a:6/6", runs.Night},
	{"half of a growth gets into service, then the old size", nil, "a", func(b *behind) {
		b.size = 8
		b.sick.Store(new("7"))
		b.tries("a", "1 of 2")
		b.sick.Store(nil)
		b.size = 6
		b.finish("a")
	}, "a:6/6", runs.Night},
	{"a server of the batch is locked after the plan, and unlocked after the apply", nil, "a", func(b *behind) {
		b.write("b")
		plan, err := b.Plan(b.Context(), "step.tfplan")
		require.NoError(b, err)
		locked := ""
		for _, r := range plan.ResourceChanges {
			if r.Type == "openstack_compute_instance_v2" && r.Change.Actions.Delete() {
				locked = r.Change.Before.(map[string]any)["id"].(string)
			}
		}
		region := b.Cloud.Regions(b.T)[0]
		b.Cloud.Act(b.T, region, locked, `{"lock": null}`, "ACTIVE")
		b.applies++
		_, err = b.Workspace.Run(b.Context(), "apply", "-input=false", "-no-color", "step.tfplan")
		assert.ErrorContains(b, err, "The server is locked")
		s := b.Cloud.Server(b.T, region, locked)
		assert.Equal(b, "ACTIVE", s.Status)
		assert.NotEmpty(b, s.Metadata[openstack.MarkKey], "it is still in service")
		b.Cloud.Act(b.T, region, locked, `{"unlock": null}`, "ACTIVE")
		b.finish("b")
	}, "b:6/6", runs.Sweep},
	{"both new servers of a batch are stopped by hand, three applies, then they are started",
		func(b *behind) { b.ignore = "power_state" }, "a", func(b *behind) {
			b.must("b")
			b.power("b", "os-stop", "SHUTOFF")
			for range 3 {
				b.must("b")
			}
			b.power("b", "os-start", "ACTIVE")
			b.holds("a:4/4 b:2/2")
			b.finish("b")
		}, "b:6/6", runs.Night},
	{"three applies of an image with `-refresh=false`", nil, "a", func(b *behind) {
		for range 3 {
			b.must("b", "-refresh=false")
		}
		b.holds("a:6/6") // nothing is known of the nodes
		b.finish("b")
	}, "b:6/6", runs.Night},
	{"the readiness attachment is removed while a bad batch is open, despite the warning, and comes back with the old image", nil, "a", func(b *behind) {
		b.tries("bad1", "2 of 2")
		without, _, _ := strings.Cut(b.config("bad1"), `resource "stackpolicy_readiness`)
		require.NoError(b, b.Write(without))
		assert.Regexp(b, acctest.Says("Servers are no longer waited for"), b.run("plan", "-input=false", "-no-color"))
		_, err := b.apply()
		require.ErrorContains(b, err, "A drain would begin too early")
		b.finish("a")
	}, "a:6/6", runs.Sweep},
}

// TestAccMistakes: a mistake costs no more than the guide says.
func TestAccMistakes(t *testing.T) {
	for _, c := range mistakes {
		t.Run(c.what, func(t *testing.T) {
			runs.In(t, c.run)
			t.Parallel()
			b := &behind{}
			if c.unlike != nil {
				c.unlike(b)
			}
			b.start(t, acctest.New(t, fakecloud.Config{TokenTTL: 365 * 24 * time.Hour}), c.version)
			c.then(b)
			b.holds(c.end)
			b.counted(c.what)
		})
	}
}

// TestAccMistakesRefused: the plan refuses a mistake that would lose servers, with any
// other change in the same plan, and nothing is left to do once it is taken back.
func TestAccMistakesRefused(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	b := &behind{}
	b.start(t, acctest.New(t, fakecloud.Config{}), "a")
	const there = "Servers of this cluster are there already"
	state := filepath.Join(b.Dir, "terraform.tfstate")

	b.run("taint", placement)
	b.write("bad1")
	b.refused(there)
	b.run("untaint", placement)
	b.finish("a")
	b.counted("the placement attachment is tainted, together with a bad image")

	b.write("bad1")
	b.refused(there, "-replace="+placement)
	b.finish("a")
	b.counted("the same with `-replace`")

	renamed := strings.ReplaceAll(strings.ReplaceAll(b.config("bad1"), `attachment" "web"`, `attachment" "other"`), "attachment.web", "attachment.other")
	require.NoError(t, b.Write(renamed))
	b.refused(there)
	b.finish("a")
	b.counted("the same with a new name for the attachments, without `moved`")

	require.NoError(t, os.Rename(state, state+".lost"))
	b.write("bad1")
	b.refused(there)
	require.NoError(t, os.Rename(state+".lost", state))
	b.finish("a")
	b.counted("the same with a lost state, until it is found")

	own := b.Workspace
	b.Workspace = b.Cloud.Workspace(t, b.config("a"))
	b.refused(there)
	b.Workspace = own
	b.counted("a second state with the name of the cluster")

	b.batch = "0"
	b.write("b")
	b.refused("A batch of 0 replaces nothing")
	b.batch = ""
	b.finish("a")
	b.counted("`max_batch_size = 0`")
}

// TestMistakesZoneDown: a zone is down in the middle of a rollout, which goes on in other zones, and ends when the zone is back.
func TestMistakesZoneDown(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	b := &behind{}
	b.start(t, acctest.NewFake(t, fakecloud.Config{}), "a")
	b.must("b")
	down := "" // the zone from which the first batch took no node; it depends on the order of creation
	olds := map[string]int{}
	for _, s := range b.Cloud.Servers(t) {
		if s.Metadata["version"] == "a" {
			if olds[s.AvailabilityZone]++; olds[s.AvailabilityZone] == 2 {
				down = s.AvailabilityZone
			}
		}
	}
	b.Cloud.Fake.SetZoneAvailable("RegionOne", down, false)
	b.finish("b")
	b.Cloud.Fake.SetZoneAvailable("RegionOne", down, true)
	b.finish("b")
	b.holds("b:6/6")
	b.counted("a zone is down in the middle of a rollout, and up again")
}

// TestAccReadinessRollback: giving the old template again after a bad batch brings back
// the nodes that were leaving. No server is made, which the quota would refuse, because
// it has room for the cluster and one batch; and no server that served is destroyed.
func TestAccReadinessRollback(t *testing.T) { // not in parallel: servers of other tests would need the same room
	b := &behind{}
	b.start(t, acctest.New(t, fakecloud.Config{TokenTTL: 365 * 24 * time.Hour}), "a")
	first := b.IDs(t)
	b.Cloud.Room(t, b.Cloud.Regions(t)[0], 2)
	b.tries("bad1", "2 of 2")
	b.holds("a:6/6 bad1:2/0")
	text := b.plan("a")
	assert.Regexp(t, acctest.Says("0 to add, 2 to change, 6 to destroy"), text)
	assert.Contains(t, text, " come back")
	b.must("a")
	b.holds("a:6/6")
	assert.ElementsMatch(t, first, b.IDs(t), "servers")
	b.counted("a bad image with a quota for the cluster and one batch, then the old image")
}

// TestAccMistakesResize: a resize that a full quota refuses changes no other node, and
// goes on when there is room.
func TestAccMistakesResize(t *testing.T) { // not in parallel, for the same reason
	runs.In(t, runs.Sweep)
	c := acctest.New(t, fakecloud.Config{})
	flavors := c.TwoFlavors(t)
	b := &behind{flavor: flavors[0][0], more: `method = "IN_PLACE"`}
	b.start(t, c, "a")
	raise := c.RoomOfCores(t, c.Regions(t)[0], 0)
	b.flavor = flavors[1][0]
	b.write("a")
	for range 3 {
		b.refused("Quota exceeded for cores")
	}
	raise()
	b.finish("a")
	b.counted("`IN_PLACE` with a larger flavor, which the quota refuses three times")
}

// TestMistakesInPlace: with IN_PLACE, too, a mistake ends with its correction. Nodes that never served take it at once,
// and a batch at a time if no look ever found their servers, which may have other names.
func TestMistakesInPlace(t *testing.T) {
	runs.In(t, runs.Sweep)
	flavors := acctest.NewFake(t, fakecloud.Config{}).TwoFlavors(t)
	for _, m := range []struct {
		what string
		then func(b *behind)
	}{
		{"a creation with a bad image, twice", func(b *behind) {
			b.tries("bad1", "6 of 6")
			b.tries("bad1", "6 of 6")
			b.must("b")
		}},
		{"a creation with a flavor that Nova refuses, twice", func(b *behind) {
			b.flavor = "none-such"
			b.write("b")
			b.refused("none-such")
			b.refused("none-such")
			b.flavor = flavors[0][0]
			b.write("b")
			for range 2 { // a batch each
				_, err := b.apply()
				require.Error(b, err)
			}
			b.must("b")
		}},
		{"a creation that a quota refuses in part", func(b *behind) {
			b.Cloud.Fake.SetQuota("RegionOne", fakecloud.MemberProjectID, "instances", 4)
			b.write("b")
			_, err := b.apply()
			require.ErrorContains(b, err, "Quota exceeded")
			b.Cloud.Fake.SetQuota("RegionOne", fakecloud.MemberProjectID, "instances", 6)
			b.must("b")
		}},
		{"a growth with a bad image", func(b *behind) {
			b.must("b")
			b.size = 8
			b.tries("bad1", "2 of 2")
			b.must("b")
			b.holds("b:8/8")
			b.size = 6
			b.must("b")
		}},
		{"a rollout with a bad image, twice", func(b *behind) {
			b.must("a")
			b.tries("bad1", "2 of 2")
			b.tries("bad1", "2 of 2")
			b.holds("a:4/4 bad1:2/2")
			b.must("b")
			b.holds("a:4/4 b:2/2")
			b.finish("b")
		}},
	} {
		t.Run(m.what, func(t *testing.T) {
			t.Parallel()
			b := &behind{flavor: flavors[0][0], more: `method = "IN_PLACE"`}
			b.prepare(t, acctest.NewFake(t, fakecloud.Config{}), "b")
			m.then(b)
			b.holds("b:6/6")
			b.Settled(t, m.what)
			assert.Zero(t, b.watched.Restart().Undrained)
		})
	}
}
