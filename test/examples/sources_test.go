//go:build unix

package examples_test

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// outside lists what happens to the sources of a module's servers, one event after the other: in the cloud, or to an argument. An
// apply after it makes one server again, or none: then no server is in the plan.
var outside = []struct {
	what     string
	happens  func(l *life, image, flavor string)
	argument string
	value    string
	batch    bool
}{
	{what: "the image is published again", happens: func(l *life, _, _ string) { l.c.Fake.AddImage(fakecloud.Image{ID: nextImage, Name: "debian-12"}) }},
	{what: "the image is renamed", happens: func(l *life, image, _ string) {
		l.c.Fake.UpdateImage(image, func(i *fakecloud.Image) { i.Name = "old" })
	}},
	{what: "the image by its new name", argument: "image", value: `"old"`},
	{what: "the image by its id", argument: "image", value: `"ID"`},
	{what: "the flavor is renamed", happens: func(l *life, _, flavor string) { l.c.Fake.RenameFlavor(flavor, "old") }},
	{what: "a server is evacuated", happens: func(l *life, _, _ string) {
		moved := l.c.Fake.Servers("RegionOne")[0]
		l.c.Fake.MoveServer("RegionOne", moved.ID, map[string]string{"az-1": "r1-cmp-3", "az-2": "r1-cmp-1", "az-3": "r1-cmp-1"}[moved.Zone])
	}},
	{what: "the flavor by its new name", argument: "flavors", value: `["old"]`},
	{what: "a config drive", argument: "config_drive", value: "true", batch: true},
	{what: "the next image of the name in the middle of it", argument: "image", value: `"debian-12"`, batch: true},
	{what: "the flavor by its first name in the middle of it", argument: "flavors", value: `["web"]`, batch: true, happens: func(l *life, _, flavor string) {
		l.c.Fake.RenameFlavor(flavor, "web")
	}},
	{what: "the flavor is made again in the middle of it", batch: true, happens: func(l *life, _, flavor string) {
		l.c.Fake.RemoveFlavor(flavor)
		l.c.Fake.AddFlavor(fakecloud.Flavor{Name: "web", VCPUs: 1, RAM: 64, Disk: 1})
	}},
	{what: "other user data in the middle of it", argument: "user_data", value: `"b"`, batch: true},
	{what: "the image is deactivated in the middle of it", batch: true, happens: func(l *life, image, _ string) {
		l.c.Fake.UpdateImage(image, func(i *fakecloud.Image) { i.Status = "deactivated" })
	}},
	{what: "a key pair in the middle of it", argument: "key_pair", value: `"k"`, batch: true},
	{what: "the image is deleted in the middle of it", batch: true, happens: func(l *life, image, _ string) { l.c.Fake.RemoveImage(image) }},
	{what: "the next one is deleted too, and published again", batch: true, happens: func(l *life, _, _ string) {
		l.c.Fake.RemoveImage(nextImage)
		l.c.Fake.AddImage(fakecloud.Image{Name: "debian-12"})
	}},
	{what: "no user data any more in the middle of it", argument: "user_data", value: "null", batch: true},
	{what: "other networks in the middle of it", argument: "networks", value: `[{ id = "` + fakecloud.NetworkID + `" }]`, batch: true},
}

// nextImage is the id of the second image of the name.
const nextImage = "00000000-0000-4000-8000-000000000002"

// TestModuleSources: whatever happens to the image, the flavor and the arguments of a module, an apply makes one batch again and
// drains it, or nothing.
func TestModuleSources(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{substitute, recreate} {
		t.Run(folder, func(t *testing.T) {
			runs.In(t, runs.Some(folder == recreate, runs.Sweep, runs.Night))
			t.Parallel()
			l := &life{example: startOn(t, acctest.NewFake(t, fakecloud.Config{}), folder), size: 3}
			health := httptest.NewServer(l)
			t.Cleanup(health.Close)
			l.c.Fake.AddKeyPairs("RegionOne", "k")
			flavor := l.c.Fake.AddFlavor(fakecloud.Flavor{Name: "web", VCPUs: 1, RAM: 64, Disk: 1})
			image := l.c.Named(t, "debian-12")
			text := strings.ReplaceAll(read(t, filepath.Join(l.Dir, "main.tf")), ", cap = 3", "")
			l.file(t, "main.tf", strings.ReplaceAll(text, ", zone = \"nova\"", ""))
			l.set(t, "readiness_port", "null", "readiness_url", `"`+health.URL+`/{name}"`, "flavors", `["web"]`, "desired_capacity", "3",
				"servergroup_policies", `"soft-anti-affinity"`, "user_data", `"a"`, "max_batch_size", "1")
			watched := l.c.Watch(t, "RegionOne", l.size)
			l.apply(t)
			require.NotEmpty(t, l.groups(t, "RegionOne"), "groups, none of which a plan after the evacuation destroys")
			watched.Restart()
			for _, event := range outside {
				if event.happens != nil {
					event.happens(l, image, flavor)
				}
				if event.argument != "" {
					l.set(t, event.argument, strings.Replace(event.value, `"ID"`, `"`+image+`"`, 1))
				}
				if !event.batch {
					before, want := l.ids(), map[bool]string{true: "Plan: 0 to add, 1 to change, 0 to destroy."}[event.argument != ""]
					plan := acctest.Apply(t, l.Workspace)
					assert.Equal(t, want, counts(plan), "%s: %s", event.what, plan)
					assert.ElementsMatch(t, before, l.ids(), event.what)
					continue
				}
				before := l.ids()
				acctest.Apply(t, l.Workspace)
				fresh := 0
				for _, id := range l.ids() {
					fresh += 1 - strings.Count(strings.Join(before, " "), id)
				}
				assert.Equal(t, 1, fresh, "%s: servers that the apply made", event.what)
			}
			acctest.Finish(t, func() string { return acctest.Apply(t, l.Workspace) })
			tally := watched.Restart()
			assert.Zero(t, tally.Undrained+tally.Changed, "%+v", tally)
			assert.GreaterOrEqual(t, tally.Least, map[string]int{substitute: 3, recreate: 2}[folder], "servers in service")
		})
	}
}
