package readinesstf_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the table of mistakes")

// counted ends a sequence: nothing is left to do, no server that served was destroyed
// without a drain, and the row of the sequence in the guide says what was counted.
func (b *behindReadiness) counted(t *testing.T, what string) {
	t.Helper()
	b.Settled(t, what)
	applies := b.applies
	if b.applies = 0; b.watched == nil {
		return
	}
	n := b.watched.Restart()
	if n.Undrained > 0 {
		t.Errorf("%s: %d servers that had served were destroyed undrained", what, n.Undrained)
	}
	n.Row(t, "Somebody makes a mistake", what, applies, *update)
}

// refused applies with arguments, which fails with a text, and touches no server.
func (b *behindReadiness) refused(t *testing.T, step, says string, args ...string) {
	t.Helper()
	before := slices.Sorted(slices.Values(b.IDs(t)))
	b.applies++
	text, err := b.Run(t.Context(), append([]string{"apply", "-auto-approve", "-input=false", "-no-color"}, args...)...)
	if err == nil || !acctest.Says(says).MatchString(err.Error()) {
		t.Errorf("%s: %v\n%s", step, err, text)
	}
	if after := slices.Sorted(slices.Values(b.IDs(t))); !slices.Equal(before, after) {
		t.Errorf("%s: the servers were %v and are %v", step, before, after)
	}
}

// finish applies a version until the plan is empty, and returns all that was printed.
func (b *behindReadiness) finish(t *testing.T, step, version string, args ...string) (all string) {
	t.Helper()
	for range 12 {
		text, err := b.plan(t, version)
		require.NoError(t, err, step)
		if all += text; strings.Contains(text, "No changes.") {
			return all
		}
		b.applies++
		if _, err := b.Run(t.Context(), append([]string{"apply", "-auto-approve", "-input=false", "-no-color"}, args...)...); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
	}
	t.Fatalf("%s: something is left:\n%s", step, all)
	return ""
}

// TestAccMistakesRefused: what would lose servers is refused while planning, whatever
// comes with it, and once it is taken back nothing is left.
func TestAccMistakesRefused(t *testing.T) {
	t.Parallel()
	b := behind(t)
	const address = "stackpolicy_placement_attachment.web"
	const there = "Servers of this cluster are there already"
	run := func(args ...string) {
		t.Helper()
		if _, err := b.Run(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	state := filepath.Join(b.Dir, "terraform.tfstate")

	run("taint", address)
	b.write(t, "bad1")
	b.refused(t, "tainted", there)
	run("untaint", address)
	b.finish(t, "untainted", "a")
	b.counted(t, "the placement attachment is tainted, together with a bad image")

	b.write(t, "bad1")
	b.refused(t, "replaced", there, "-replace="+address)
	b.finish(t, "not replaced", "a")
	b.counted(t, "the same with `-replace`")

	renamed := strings.ReplaceAll(strings.ReplaceAll(b.config(t, "bad1"), `attachment" "web"`, `attachment" "other"`), "attachment.web", "attachment.other")
	require.NoError(t, b.Write(renamed))
	b.refused(t, "renamed", there)
	b.finish(t, "renamed back", "a")
	b.counted(t, "the same with a new name for the attachments, without `moved`")

	require.NoError(t, os.Rename(state, state+".lost"))
	b.write(t, "bad1")
	b.refused(t, "lost", there)
	require.NoError(t, os.Rename(state+".lost", state))
	b.finish(t, "found", "a")
	b.counted(t, "the same with a lost state, until it is found")

	own := b.Workspace
	b.Workspace = b.Cloud.Workspace(t, b.config(t, "a"))
	b.refused(t, "a second state", there)
	b.Workspace = own
	b.counted(t, "a second state with the name of the cluster")

	b.batch = "0"
	b.write(t, "b")
	b.refused(t, "a batch of none", "A batch of 0 replaces nothing")
	b.batch = ""
	b.finish(t, "a batch of two", "a")
	b.counted(t, "`max_batch_size = 0`")
}

// TestAccMistakesFirstTemplate: a first template that says something else than what
// the nodes have changes them all, which the plan says first. What was changed does
// not count as in service until it was checked again.
func TestAccMistakesFirstTemplate(t *testing.T) {
	t.Parallel()
	b := &behindReadiness{}
	b.start(t, acctest.New(t, fakecloud.Config{}), "")
	text, err := b.plan(t, "bad1")
	if err != nil || !acctest.Says("6 nodes").MatchString(text) {
		t.Errorf("%v\n%s", err, text)
	}
	b.apply(t, "a wrong one", "bad1", "bad1:6/6", "6 of 6")
	b.finish(t, "what they had", "a")
	b.counted(t, "a first template with a bad image, despite the warning, then with what the nodes have")
}

// TestAccMistakesHalf: half of a batch gets into service, and the batch is taken back;
// of a growth one node does, and the old size is given. What serves is drained.
func TestAccMistakesHalf(t *testing.T) {
	t.Parallel()
	b := behind(t)
	b.sick.Store("7", true)
	b.apply(t, "half a batch", "b", "a:6/6 b:2/1", "1 of 2")
	b.sick.Delete("7")
	b.apply(t, "taken back", "a", "a:6/6", "")
	b.counted(t, "half of a batch gets into service, then the old image")

	b.size = 8
	b.sick.Store("9", true)
	b.apply(t, "half a growth", "a", "a:8/7", "1 of 2")
	b.sick.Delete("9")
	b.size = 6
	b.apply(t, "the old size", "a", "a:6/6", "")
	b.counted(t, "half of a growth gets into service, then the old size")
}

// TestAccMistakesLocked: a server that is locked after the plan stays in service
// until it is unlocked, and another one is not taken for it.
func TestAccMistakesLocked(t *testing.T) {
	t.Parallel()
	b := behind(t)
	b.write(t, "b")
	plan, err := b.Plan(t.Context(), "step.tfplan")
	require.NoError(t, err)
	locked := ""
	for _, r := range plan.ResourceChanges {
		if r.Type == "openstack_compute_instance_v2" && r.Change.Actions.Delete() {
			locked = r.Change.Before.(map[string]any)["id"].(string)
		}
	}
	region := b.Cloud.Regions(t)[0]
	b.Cloud.Act(t, region, locked, `{"lock": null}`, "ACTIVE")
	b.applies++
	if _, err := b.Run(t.Context(), "apply", "-input=false", "-no-color", "step.tfplan"); err == nil || !acctest.Says("The server is locked").MatchString(err.Error()) {
		t.Errorf("got %v", err)
	}
	if s := b.Cloud.Server(t, region, locked); s.Status != "ACTIVE" || s.Metadata[openstack.MarkKey] == "" {
		t.Errorf("the server that is locked is %s, with %v", s.Status, s.Metadata)
	}
	b.Cloud.Act(t, region, locked, `{"unlock": null}`, "ACTIVE")
	b.finish(t, "unlocked", "b")
	b.counted(t, "a server of the batch is locked after the plan, and unlocked after the apply")
}

// TestAccMistakesStopped: new servers that are stopped after they were in service hold
// the rollout, however often it is applied.
func TestAccMistakesStopped(t *testing.T) {
	t.Parallel()
	b := &behindReadiness{ignore: "power_state"}
	b.start(t, acctest.New(t, fakecloud.Config{}), "a")
	b.apply(t, "the first batch", "b", "a:4/4 b:2/2", "")
	region := b.Cloud.Regions(t)[0]
	power := func(action, status string) {
		t.Helper()
		for _, s := range b.Cloud.Servers(t) {
			if s.Metadata["version"] == "b" {
				b.Cloud.Act(t, region, s.ID, fmt.Sprintf(`{%q: null}`, action), status)
			}
		}
	}
	power("os-stop", "SHUTOFF")
	before := slices.Sorted(slices.Values(b.IDs(t)))
	for range 3 {
		b.applies++
		if text, err := b.Apply(t.Context()); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	if after := slices.Sorted(slices.Values(b.IDs(t))); !slices.Equal(before, after) {
		t.Errorf("the servers were %v and are %v", before, after)
	}
	power("os-start", "ACTIVE")
	b.finish(t, "started", "b")
	b.counted(t, "both new servers of a batch are stopped by hand, three applies, then they are started")
}

// TestAccMistakesResize: a resize that a full quota refuses takes no other node, and
// goes on when there is room.
func TestAccMistakesResize(t *testing.T) {
	c := acctest.New(t, fakecloud.Config{}) // not in parallel: servers of other tests would need the same room
	flavors := c.TwoFlavors(t)
	b := &behindReadiness{flavor: flavors[0][0], more: `method = "IN_PLACE"`}
	b.start(t, c, "a")
	raise := c.RoomOfCores(t, c.Regions(t)[0], 0)
	b.flavor = flavors[1][0]
	b.write(t, "a")
	for range 3 {
		b.refused(t, "a full quota", "Quota exceeded for cores")
	}
	raise()
	b.finish(t, "there is room", "a")
	b.counted(t, "`IN_PLACE` with a larger flavor, which the quota refuses three times")
}

// TestMistakesZoneDown: a zone is down in the middle of a rollout, which goes on
// where it can, says what it waits for, and ends when the zone is back.
func TestMistakesZoneDown(t *testing.T) {
	t.Parallel()
	b := &behindReadiness{}
	b.start(t, acctest.NewFake(t, fakecloud.Config{}), "a")
	b.apply(t, "the first batch", "b", "a:4/4 b:2/2", "")
	down := "" // the zone from which the first batch took no node: which that is, the order of creation says
	olds := map[string]int{}
	for _, s := range b.Cloud.Servers(t) {
		if s.Metadata["version"] == "a" {
			if olds[s.AvailabilityZone]++; olds[s.AvailabilityZone] == 2 {
				down = s.AvailabilityZone
			}
		}
	}
	b.Cloud.Fake.SetZoneAvailable("RegionOne", down, false)
	b.finish(t, "without the zone", "b")
	b.Cloud.Fake.SetZoneAvailable("RegionOne", down, true)
	b.finish(t, "with it", "b")
	b.counted(t, "a zone is down in the middle of a rollout, and up again")
}

// TestAccMistakesNoRefresh: with -refresh=false nothing is known of the nodes, so no batch
// begins.
func TestAccMistakesNoRefresh(t *testing.T) {
	t.Parallel()
	b := behind(t)
	b.write(t, "b")
	for range 3 {
		b.applies++
		if text, err := b.Run(t.Context(), "apply", "-auto-approve", "-input=false", "-no-color", "-refresh=false"); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	b.holds(t, "not refreshed", "a:6/6")
	b.finish(t, "refreshed", "b")
	b.counted(t, "three applies of an image with `-refresh=false`")
}

// TestAccMistakesNotWaited: the readiness attachment leaves while a batch is open. Its
// plan warns, what leaves is drained, and the old image brings the cluster back.
func TestAccMistakesNotWaited(t *testing.T) {
	t.Parallel()
	b := behind(t)
	b.apply(t, "a bad template", "bad1", "a:6/6 bad1:2/0", "2 of 2")
	without, _, _ := strings.Cut(b.config(t, "bad1"), `resource "stackpolicy_readiness`)
	require.NoError(t, b.Write(without))
	if text, err := b.Run(t.Context(), "plan", "-input=false", "-no-color"); err != nil || !acctest.Says("Servers are no longer waited for").MatchString(text) {
		t.Errorf("%v\n%s", err, text)
	}
	b.applies++
	if text, err := b.Apply(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	b.finish(t, "the old template", "a")
	b.counted(t, "the readiness attachment is removed while a bad batch is open, despite the warning, and comes back with the old image")
}
