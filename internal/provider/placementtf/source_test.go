package placementtf_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sourced is a cluster whose servers are made from the ids that its nodes say.
type sourced struct {
	attached
	ids map[string]string // short names of images and flavors, by id
}

// publishes uploads an image.
func (s *sourced) publishes(name, short string) {
	id := s.Fake.AddImage(fakecloud.Image{Name: name, Created: fakecloud.Epoch.Add(time.Duration(len(s.ids)) * time.Hour)})
	s.ids[id] = short
}

// id returns the id of a short name.
func (s *sourced) id(short string) string {
	for id, name := range s.ids {
		if name == short {
			return id
		}
	}
	panic("no " + short)
}

// made lists what the nodes of a state are made from, "" for a state with unknown nodes.
func (s *sourced) made(state tftypes.Value) string {
	nodes, all := protocol.Object(protocol.Object(state)["nodes"]), []string{}
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		fields := protocol.Object(nodes[name])
		image, flavor := protocol.Shown(fields["image_id"]), protocol.Shown(fields["flavor_id"])
		all = append(all, fmt.Sprintf("%s=%s/%s", strings.TrimPrefix(name, "web-"), cmp.Or(s.ids[image], image), cmp.Or(s.ids[flavor], flavor)))
	}
	return strings.Join(all, " ")
}

// loses deletes the server of a node.
func (s *sourced) loses(node string) {
	for _, server := range s.Fake.Servers("RegionOne") {
		if server.Name == node {
			s.Fake.RemoveServers("RegionOne", server.ID)
		}
	}
}

// serves makes the servers of all new nodes, and destroys the servers of removed nodes, as Terraform does.
func (s *sourced) serves() {
	nodes := protocol.Object(protocol.Object(s.I.State)["nodes"])
	there := map[string]bool{}
	for _, server := range s.Fake.Servers("RegionOne") {
		if there[server.Name] = true; nodes[server.Name].IsNull() {
			s.Fake.RemoveServers("RegionOne", server.ID)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		if fields := protocol.Object(nodes[name]); !there[name] {
			s.Fake.AddServers("RegionOne", fakecloud.Server{Name: name, Zone: protocol.Shown(fields["zone"]), ImageID: protocol.Shown(fields["image_id"]),
				Flavor: protocol.Shown(fields["flavor_id"])})
		}
	}
}

// step refreshes, plans and applies.
func (s *sourced) step(t *testing.T, config attributes) (made, at string) {
	t.Helper()
	s.Later(t)
	s.Look(t)
	before := s.I.State
	resp, err := s.Plan(t.Context(), s.Request(s.I, config))
	if err != nil {
		return "error", s.At()
	}
	made, at = s.made(s.Planned(resp)), s.At()
	if s.Planned(resp).Equal(before) {
		return "same", at
	}
	s.Must(t, config)
	s.serves()
	return made, at
}

// TestPlacementSources: a node keeps the ids of what its server is made from, whatever happens to the names. Each row is
// a cluster of two nodes of debian-12 (A) and the flavor web (tiny), an event, and the applies after it.
func TestPlacementSources(t *testing.T) {
	t.Parallel()
	const inStep = "0=A/tiny 1=A/tiny"
	update := func(causes ...any) attributes {
		return attributes{"update": attributes{"causes": append([]any{"TEMPLATE"}, causes...), "max_batch_size": "1", "require_in_service": false}}
	}
	image := func(name string) attributes { return attributes{"image": name} }
	again := func(s *sourced) { s.publishes("debian-12", "B") }
	deactivates := func(s *sourced) {
		s.Fake.UpdateImage(s.id("A"), func(i *fakecloud.Image) { i.Status = "deactivated" })
	}
	renamed := func(s *sourced) { s.Fake.UpdateImage(s.id("A"), func(i *fakecloud.Image) { i.Name = "old" }) }
	noFlavor := func(s *sourced) { s.Fake.RemoveFlavor(s.id("tiny")) }
	flavorAgain := func(s *sourced) {
		noFlavor(s)
		s.ids[s.Fake.AddFlavor(fakecloud.Flavor{Name: "web", VCPUs: 1, RAM: 64, Disk: 1})] = "again"
	}
	for name, c := range map[string]struct {
		rolls   string // image of a rollout that begins before
		happens func(*sourced)
		more    attributes // changes of the configuration
		applies string     // one after the other: nodes, "same" for a plan that changes nothing, or an error
		at      string     // diagnostics of the first
	}{
		"nothing":                     {applies: "same"},
		"an image is published again": {happens: again, applies: "same"},
		"and the newest is wanted":    {happens: again, more: update("IMAGE"), applies: "1=A/tiny 2=B/tiny, 2=B/tiny 3=B/tiny, same", at: unchecked},
		"and the cluster grows":       {happens: again, more: attributes{"desired_capacity": 3}, applies: "0=A/tiny 1=A/tiny 2=A/tiny, same"},
		"the image is deleted":        {happens: func(s *sourced) { s.Fake.RemoveImage(s.id("A")) }, applies: "same", at: ": The image is gone"},
		"it is deactivated":           {happens: deactivates, applies: "same", at: ": The image is gone"},
		"it is deactivated, and published": {happens: func(s *sourced) { deactivates(s); again(s) }, at: unchecked,
			applies: "1=A/tiny 2=B/tiny, 2=B/tiny 3=B/tiny, same"},
		"it is renamed":                {happens: renamed, applies: "same"},
		"it is renamed, and published": {happens: func(s *sourced) { renamed(s); again(s) }, applies: "same"},
		"it is deleted, and the cluster grows": {happens: func(s *sourced) { s.Fake.RemoveImage(s.id("A")) }, more: attributes{"desired_capacity": 3},
			applies: "error",
			at:      ": The image is gone\nimage: Unknown image"},
		"it is deleted, and the cluster shrinks": {happens: func(s *sourced) { s.Fake.RemoveImage(s.id("A")) }, more: attributes{"desired_capacity": 1},
			applies: "1=A/tiny, same", at: ": The image is gone"},
		"the image by its id": {more: attributes{"image": "A"}, applies: inStep + ", same"},
		"by its new name":     {happens: renamed, more: image("old"), applies: inStep + ", same"},
		"by its id, once it is deleted": {happens: func(s *sourced) { s.Fake.RemoveImage(s.id("A")) }, more: attributes{"image": "A"},
			applies: inStep + ", same", at: ": The image is gone"},
		"by its id, once it is deactivated": {happens: deactivates, more: attributes{"image": "A"}, applies: inStep + ", same", at: ": The image is gone"},
		"back to its id in a rollout":       {rolls: "debian-13", more: attributes{"image": "A"}, applies: "1=A/tiny 3=A/tiny, same", at: unchecked},
		"back to its new name in a rollout": {rolls: "debian-13", happens: renamed, more: image("old"), applies: "1=A/tiny 3=A/tiny, same", at: unchecked},
		"on by the id in a rollout":         {rolls: "debian-13", more: attributes{"image": "C"}, applies: "2=C/tiny 3=C/tiny, same", at: unchecked},
		"another image":                     {more: image("debian-13"), applies: "1=A/tiny 2=C/tiny, 2=C/tiny 3=C/tiny, same", at: unchecked},
		"another image, of an id": {happens: again, more: attributes{"image": "B"},
			applies: "1=A/tiny 2=B/tiny, 2=B/tiny 3=B/tiny, same", at: unchecked},
		"an unknown image": {more: image("debain-13"), applies: "error", at: "image: Unknown image"},
		"an unknown id":    {more: image("00000000-0000-4000-8000-000000000000"), applies: "error", at: "image: Unknown image"},
		"an image of other region": {happens: func(s *sourced) { s.Fake.UpdateImage(s.id("C"), func(i *fakecloud.Image) { i.Region = "RegionTwo" }) },
			more: image("debian-13"), applies: "error", at: "image: Unknown image"},
		"no Glance": {happens: func(s *sourced) {
			s.Fake.Inject(fakecloud.Fault{Service: fakecloud.Images, Status: http.StatusForbidden, Times: fakecloud.Forever})
		}, applies: "same", at: ": Unable to look up images and flavors"},
		"a flavor is deleted":                     {happens: noFlavor, applies: "same"},
		"and made again":                          {happens: flavorAgain, applies: "same"},
		"it is made again, and the cluster grows": {happens: flavorAgain, more: attributes{"desired_capacity": 3}, applies: "0=A/ 1=A/ 2=A/again, same"},
		"it is renamed, and the cluster grows": {happens: func(s *sourced) { s.Fake.RenameFlavor(s.id("tiny"), "old") },
			more:    attributes{"desired_capacity": 3},
			applies: "0=A/tiny 1=A/tiny 2=A/tiny, same"},
		"the flavor is deleted, and it grows": {happens: noFlavor, more: attributes{"desired_capacity": 3}, applies: "error", at: "flavors: Unknown flavor"},
		"it is deleted, with quotas":          {happens: noFlavor, more: attributes{"respect_quotas": true}, applies: "0=A/ 1=A/, same"},
		"it is renamed, with quotas": {happens: func(s *sourced) { s.Fake.RenameFlavor(s.id("tiny"), "old") }, more: attributes{"respect_quotas": true,
			"desired_capacity": 3}, applies: "0=A/tiny 1=A/tiny 2=A/tiny, same"},
		"a server is lost, and its image is deleted": {happens: func(s *sourced) { s.loses("web-1"); s.Fake.RemoveImage(s.id("A")) }, applies: "error",
			at: ": The image is gone\n: A node has lost its server\nimage: Unknown image"},
		"a server is lost, and its image is replaced": {happens: func(s *sourced) { s.loses("web-1"); deactivates(s); again(s) },
			at: ": A node has lost its server\n: A batch waits for the one before", applies: "0=A/tiny 1=B/tiny, 1=B/tiny 2=B/tiny, same"},
		"a server is lost, and its flavor is deleted": {happens: func(s *sourced) { s.loses("web-1"); noFlavor(s) }, applies: "error",
			at: ": A node has lost its server\nflavors: Unknown flavor"},
		"a server is lost, and its flavor made again": {happens: func(s *sourced) { s.loses("web-1"); flavorAgain(s) }, applies: "0=A/ 1=A/again, same",
			at: ": A node has lost its server"},
		"an unknown flavor": {more: attributes{"flavors": []any{"web", "m1.huge"}}, applies: "error", at: "flavors: Unknown flavor"},
		"a flavor by its new name": {happens: func(s *sourced) { s.Fake.RenameFlavor(s.id("tiny"), "old") }, more: attributes{"flavors": []any{"old"}},
			applies: inStep + ", same"},
		"more flavors, by id too": {more: with(update("FLAVOR"), attributes{"flavors": []any{"tiny", "m1.small"}}), applies: inStep + ", same"},
		"user data":               {more: attributes{"user_data": "b"}, applies: "1=A/tiny 2=A/tiny, 2=A/tiny 3=A/tiny, same", at: unchecked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := with(zonal(2, "az-1", update()), oldestFirst, image("debian-12"), attributes{"flavors": []any{"web"}})
			s := newSourced(t, config)
			require.Equal(t, inStep, s.made(s.I.State))
			if c.rolls != "" {
				made, _ := s.step(t, with(config, image(c.rolls)))
				require.Equal(t, "1=A/tiny 2=C/tiny", made)
			}
			if c.happens != nil {
				c.happens(s)
			}
			config = with(config, c.more)
			if id, _ := c.more["image"].(string); len(id) == 1 {
				config["image"] = s.id(id)
			}
			if list := config["flavors"].([]any); list[0] == "tiny" {
				config["flavors"] = []any{s.id("tiny"), list[1]}
			}
			for i, want := range strings.Split(c.applies, ", ") {
				s.Fake.ResetRequests()
				made, at := s.step(t, config)
				assert.Equal(t, want, made, "apply %d: %s", i, s.Said())
				if i == 0 {
					assert.Equal(t, c.at, at, s.Said())
				}
				if made == "same" && c.happens == nil {
					assert.Equal(t, 1, s.Fake.Count("GET image /images")+s.Fake.Count("GET image /images/"+config["image"].(string)),
						"requests to Glance for a cluster that is in step")
				}
			}
		})
	}
}

// newSourced is a cluster of two nodes, in step.
func newSourced(t *testing.T, config attributes) *sourced {
	t.Helper()
	s := &sourced{begin(t), map[string]string{"m1.small": "small"}}
	s.ids[s.Fake.AddFlavor(fakecloud.Flavor{Name: "web", VCPUs: 1, RAM: 64, Disk: 1})] = "tiny"
	s.publishes("debian-12", "A")
	s.publishes("debian-13", "C")
	s.Must(t, config)
	s.serves()
	made, at := s.step(t, config)
	require.Equal(t, "same", made, at)
	return s
}

// TestPlacementUserData: the texts that a node has, may go back to, or should have are remembered, and no others. In the
// middle of a rollout, going back finds the earlier text and the earlier image, although its name has a newer one.
func TestPlacementUserData(t *testing.T) {
	t.Parallel()
	config := func(size int, image, userData string) attributes {
		return with(zonal(size, "az-1", nil), oldestFirst, attributes{"image": image, "user_data": userData, "update": attributes{"causes": []any{"TEMPLATE"},
			"max_batch_size": "1", "require_in_service": false}})
	}
	texts := func(s *sourced) string {
		var all []string
		for _, text := range protocol.Object(protocol.Object(s.I.State)["user_data_texts"]) {
			all = append(all, protocol.Text(text))
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	s := newSourced(t, config(2, "debian-12", "a"))
	assert.Equal(t, "a", texts(s), "in step")
	for _, c := range []struct{ image, userData, made, texts string }{
		{"debian-13", "b", "1=A/ 2=C/", "a b"},
		{"debian-13", "c", "2=C/ 3=C/", "a b c"}, // with the oldest text first
		{"debian-12", "a", "3=C/ 4=A/", "a b c"},
		{"debian-12", "a", "4=A/ 5=A/", "a c"},
		{"debian-12", "a", "same", "a"},
	} {
		if c.image == "debian-12" && c.made != "same" {
			s.publishes("debian-12", "B")
		}
		made, at := s.step(t, config(2, c.image, c.userData))
		assert.Equal(t, c.made, made, "%v: %s", c, at)
		assert.Equal(t, c.texts, texts(s), "%v", c)
	}
	s.step(t, with(zonal(2, "az-1", nil), oldestFirst, attributes{"image": "debian-12", "template": attributes{"user_data": "version 1"}}))
	s.Look(t)
	assert.Equal(t, "a", texts(s), "nodes have it")
}

// TestPlacementUnknownSources: while an image or user data is not known, nothing changes. With another change, and in an
// attachment that had none, that is refused.
func TestPlacementUnknownSources(t *testing.T) {
	t.Parallel()
	anything := tftypes.UnknownValue
	base := attributes{"image": "debian-12", "user_data": "a", "update": attributes{"causes": []any{"TEMPLATE", "UNHEALTHY"}, "max_batch_size": "1"}}
	region := func(image any) attributes {
		return attributes{"regions": []any{attributes{"name": "RegionOne", "image": image}}}
	}
	for name, c := range map[string]struct {
		before, more attributes
		at           string
	}{
		"user data":            {more: attributes{"user_data": anything}, at: "user_data: The cluster waits for a value"},
		"an image":             {more: attributes{"image": anything}, at: "image: The cluster waits for a value"},
		"both":                 {more: attributes{"image": anything, "user_data": anything}, at: "image: The cluster waits for a value"},
		"a region's":           {before: region("debian-12"), more: region(anything), at: "image: The cluster waits for a value"},
		"and a growth":         {more: attributes{"user_data": anything, "desired_capacity": 3}, at: "user_data: Not known before the apply"},
		"and a shrink":         {more: attributes{"user_data": anything, "desired_capacity": 1}, at: "user_data: Not known before the apply"},
		"and another image":    {more: attributes{"user_data": anything, "image": "debian-13"}, at: "user_data: Not known before the apply"},
		"and an unknown size":  {more: attributes{"user_data": anything, "desired_capacity": anything}, at: "user_data: The cluster waits for a value"},
		"where there was none": {before: attributes{"user_data": nil}, more: attributes{"user_data": anything}, at: "user_data: Not known before the apply"},
		"in the middle of a way": {before: attributes{"image": "debian-12"}, more: attributes{"image": "debian-13", "user_data": anything},
			at: "user_data: Not known before the apply"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := with(zonal(2, "az-1", base), c.before)
			s := newSourced(t, before)
			resp, err := s.Plan(t.Context(), s.Request(s.I, with(before, c.more)))
			assert.Equal(t, c.at, s.At(), s.Said())
			assert.Contains(t, s.Said(), "timestamp() and uuid() are never known while planning")
			if strings.Contains(c.at, "waits") && assert.NoError(t, err) {
				assert.True(t, s.Planned(resp).Equal(s.I.State), "it plans a change")
			}
		})
	}
}

// TestPlacementAdoptsSources: an import takes the image and the flavor of each server, by id. The plan after it keeps
// them: the newest image of the name that servers have is the wanted one, and others are outdated.
func TestPlacementAdoptsSources(t *testing.T) {
	t.Parallel()
	s := &sourced{begin(t), map[string]string{"m1.small": "small", "m1.tiny": "tiny"}}
	for _, short := range []string{"A", "B", "C"} {
		s.publishes("debian-12", short)
	}
	for i, image := range []string{"A", "B", "B"} {
		s.Fake.AddServers("RegionOne", fakecloud.Server{Name: fmt.Sprint("web-", i), Zone: "az-1", ImageID: s.id(image),
			Flavor: []string{"m1.tiny", "m1.small"}[i%2]})
	}
	s.adopt(t, "web")
	assert.Equal(t, "0=A/tiny 1=B/small 2=B/tiny", s.made(s.I.State), "imported")
	config := across(3, "", attributes{"regions": []any{attributes{"name": "RegionOne", "zones": []any{attributes{"name": "az-1"}}}}, "image": "debian-12",
		"flavors": []any{"m1.tiny", "m1.small"}, "user_data": "a",
		"update": attributes{"causes": []any{"TEMPLATE"}, "max_batch_size": "1", "require_in_service": false}})
	for _, want := range []string{"0=A/tiny 1=B/small 2=B/tiny", "1=B/small 2=B/tiny 3=B/tiny", "same"} {
		made, at := s.step(t, config)
		assert.Equal(t, want, made, at)
	}
}
