// Package instance_test has what terraform-provider-openstack does to servers: the facts that the guides and the planner
// rest on.
package instance_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// bench is a cloud with one region, and the ingredients of servers there.
type bench struct {
	*acctest.Cloud
	t       *testing.T
	region  string
	zones   []string
	images  [2][2]string // id, name
	flavors [2][2]string
	net     [2]string
	group   string

	settings string // more of the provider's block
}

func newBench(t *testing.T, config fakecloud.Config) *bench {
	t.Helper()
	return benchOn(t, acctest.New(t, config))
}

func benchOn(t *testing.T, c *acctest.Cloud) *bench {
	t.Helper()
	b := &bench{Cloud: c, t: t, region: c.Regions(t)[0], images: c.TwoImages(t), flavors: c.TwoFlavors(t)}
	if b.zones = c.Zones(t, b.region); len(b.zones) < 2 {
		t.Skipf("needs two zones, and %s has %v", b.region, b.zones)
	}
	b.net[0], b.net[1] = c.Network(t, b.region)
	return b
}

// expand puts the names of the cloud into arguments.
func (b *bench) expand(arguments string) string {
	return strings.NewReplacer("$prefix", b.Prefix, "$image1", b.images[0][0], "$image2", b.images[1][0], "$imagename1", b.images[0][1],
		"$imagename2", b.images[1][1],
		"$flavor1", b.flavors[0][0], "$flavor2", b.flavors[1][0], "$flavorname1", b.flavors[0][1], "$flavorname2", b.flavors[1][1],
		"$zone1", b.zones[0], "$zone2", b.zones[1], "$netid", b.net[0], "$netname", b.net[1], "$group", b.group).Replace(arguments)
}

// given has the arguments that every server needs, and a pattern that finds them in a row.
var given = []struct {
	pattern  *regexp.Regexp
	argument string
}{
	{regexp.MustCompile(`(^|; )name `), `name = "$prefix$row"`},
	{regexp.MustCompile(`(^|; )image_`), `image_id = "$image1"`},
	{regexp.MustCompile(`(^|; )flavor_`), `flavor_id = "$flavor1"`},
	{regexp.MustCompile(`(^|; )network`), `network_mode = "none"`},
}

// resource is a server with arguments, which semicolons separate.
func (b *bench) resource(i int, arguments string) string {
	for _, g := range given {
		if !g.pattern.MatchString(arguments) {
			arguments += "; " + strings.Replace(g.argument, "$row", fmt.Sprint(i), 1)
		}
	}
	lines := regexp.MustCompile(`; |\{ | \}`).ReplaceAllStringFunc(strings.TrimPrefix(arguments, "; "), func(s string) string {
		return map[string]string{"; ": "\n", "{ ": "{\n", " }": "\n}"}[s]
	})
	return b.expand(fmt.Sprintf("resource \"openstack_compute_instance_v2\" \"row%d\" {\n%s\n}\n", i, lines))
}

// row is a row of the table: an argument, how it changes, and what that does.
type row struct {
	argument      string                                // argument that changes; "" if the row is about something else
	before, after string                                // the arguments
	hand          func(b *bench, id string)             // change of the server outside Terraform in between
	want          string                                // "nothing", "in place" or "replaced"
	is            func(s *servers.Server, b *bench) any // value to check afterwards
	equals        string                                // expected value
	planned       bool                                  // planned, and not applied
}

func image(s *servers.Server, b *bench) any { return named(b, s.Image["id"]) }

func flavor(s *servers.Server, b *bench) any { return named(b, s.Flavor["original_name"]) }

func name(s *servers.Server, b *bench) any { return strings.TrimPrefix(s.Name, b.Prefix) }

func named(b *bench, v any) any {
	for word, list := range map[string][2][2]string{"image": b.images, "flavor": b.flavors} {
		for i, pair := range list {
			if v == pair[0] || v == pair[1] {
				return fmt.Sprint(word, i+1)
			}
		}
	}
	return v
}

func zone(s *servers.Server, _ *bench) any     { return s.AvailabilityZone }
func status(s *servers.Server, _ *bench) any   { return s.Status }
func metadata(s *servers.Server, _ *bench) any { return s.Metadata }
func tags(s *servers.Server, _ *bench) any     { return *s.Tags }

func act(body, status string) func(*bench, string) {
	return func(b *bench, id string) { b.Act(b.t, b.region, id, b.expand(body), status) }
}

var changes = []row{
	{before: ``, after: ``, want: "nothing"},
	{argument: "name", before: ``, after: `name = "$prefixnew"`, want: "in place", is: name, equals: "new"},
	{argument: "image_id", before: `image_id = "$image1"`, after: `image_id = "$image2"`, want: "in place", is: image, equals: "image2"},
	{argument: "image_name", before: `image_name = "$imagename1"`, after: `image_name = "$imagename2"`, want: "in place", is: image, equals: "image2"},
	{before: `image_id = "$image1"`, after: `image_name = "$imagename1"`, want: "nothing"},
	{argument: "flavor_id", before: `flavor_id = "$flavor1"`, after: `flavor_id = "$flavor2"`, want: "in place", is: flavor, equals: "flavor2"},
	{argument: "flavor_name", before: `flavor_name = "$flavorname1"`, after: `flavor_name = "$flavorname2"`, want: "in place", is: flavor, equals: "flavor2"},
	{argument: "availability_zone", before: `availability_zone = "$zone1"`, after: `availability_zone = "$zone2"`, want: "replaced",
		is: zone, equals: "$zone2"},
	{argument: "availability_zone", before: `availability_zone = "$zone1"`, after: ``, want: "nothing"},
	{argument: "availability_zone", before: `availability_zone = "$zone1"`, after: `availability_zone = "$zone1:host"`, want: "nothing"},
	{argument: "availability_zone", before: `availability_zone = "$zone1"`, after: `availability_zone = "nova:host"`, want: "replaced", planned: true},
	{argument: "availability_zone_hints", before: ``, after: `availability_zone_hints = "$zone1"`, want: "replaced"},
	{argument: "scheduler_hints", before: ``, after: `scheduler_hints { group = "$group" }`, want: "replaced"},
	{argument: "scheduler_hints", before: `scheduler_hints { group = "$group" }`, after: ``, want: "replaced"},
	{argument: "scheduler_hints", before: `scheduler_hints { group = "$group" }`, after: `scheduler_hints { group = "00000000-0000-0000-0000-000000000000" }`,
		want: "replaced", planned: true},
	{before: ``, after: `scheduler_hints { group = "$group" }; lifecycle { ignore_changes = [scheduler_hints] }`, want: "nothing"},
	{argument: "network", before: `network { name = "$netname" }`, after: `network { name = "other" }`, want: "replaced", planned: true},
	{argument: "network", before: `network { name = "$netname" }`, after: `network { uuid = "$netid" }`, want: "nothing"},
	{before: `network { name = "$netname" }`, after: `security_groups = ["default"]; network { name = "$netname" }`, want: "nothing"},
	{argument: "network", before: `network { name = "$netname" }`, after: `network { name = "$netname"; access_network = true }`, want: "in place"},
	{argument: "network_mode", before: ``, after: `network_mode = "auto"`, want: "replaced", planned: true},
	{argument: "region", before: ``, after: `region = "Elsewhere"`, want: "replaced", planned: true},
	{argument: "user_data", before: ``, after: `user_data = "#!/bin/sh"`, want: "replaced"},
	{argument: "user_data", before: `user_data = "#!/bin/sh"`, after: `user_data = "#!/bin/bash"`, want: "replaced", planned: true},
	{argument: "key_pair", before: ``, after: `key_pair = "mine"`, want: "replaced", planned: true},
	{argument: "config_drive", before: ``, after: `config_drive = true`, want: "replaced", planned: true},
	{argument: "admin_pass", before: ``, after: `admin_pass = "secret"`, want: "in place", planned: true},
	{argument: "metadata", before: ``, after: `metadata = { a = "1" }`, want: "in place", is: metadata, equals: "map[a:1]"},
	{argument: "metadata", before: `metadata = { a = "1", b = "1" }`, after: `metadata = { a = "2" }`, want: "in place", is: metadata, equals: "map[a:2]"},
	{argument: "metadata", before: `metadata = { a = "1" }`, after: ``, want: "in place", is: metadata, equals: "map[]"},
	{argument: "tags", before: ``, after: `tags = ["one"]`, want: "in place", is: tags, equals: "[one]"},
	{argument: "tags", before: `tags = ["one"]`, after: `tags = ["two"]`, want: "in place", is: tags, equals: "[two]"},
	{argument: "power_state", before: ``, after: `power_state = "shutoff"`, want: "in place", is: status, equals: "SHUTOFF"},
	{argument: "stop_before_destroy", before: ``, after: `stop_before_destroy = true`, want: "in place"},
	{argument: "force_delete", before: ``, after: `force_delete = true`, want: "in place", planned: true},
	{argument: "vendor_options", before: ``, after: `vendor_options { ignore_resize_confirmation = true }`, want: "in place", planned: true},
	{argument: "security_groups", before: ``, after: `security_groups = ["other"]`, want: "in place", planned: true},
	{argument: "personality", before: ``, after: `personality { file = "/etc/motd"; content = "hello" }`, want: "in place", planned: true},
	{argument: "block_device", before: ``, after: `block_device { source_type = "image"; uuid = "$image1"; destination_type = "local"; boot_index = 0 }`,
		want: "replaced", planned: true},
	{argument: "hypervisor_hostname", before: ``, after: `hypervisor_hostname = "other"`, want: "replaced", planned: true},

	// Changes outside Terraform. TestAccWhatHappens_byHand has more of them.
	{hand: func(b *bench, id string) { b.Mark(b.t, b.region, id, "other", "x") }, before: `metadata = { a = "1" }`, after: `metadata = { a = "1" }`,
		want: "nothing", is: metadata, equals: "map[a:1 other:x]"},
	{hand: func(b *bench, id string) { b.Mark(b.t, b.region, id, "other", "x") }, before: `metadata = { a = "1" }`, after: `metadata = { a = "2" }`,
		want: "in place", is: metadata, equals: "map[a:2 other:x]"},
	{hand: func(b *bench, id string) { b.Mark(b.t, b.region, id, "a", "x") }, before: `metadata = { a = "1" }`, after: `metadata = { a = "1" }`,
		want: "nothing", is: metadata, equals: "map[a:x]"},
	{hand: act(`{"shelve": null}`, "SHELVED_OFFLOADED"), before: `availability_zone = "$zone1"`, after: `availability_zone = "$zone1"`, want: "replaced"},
	{hand: act(`{"rebuild": {"imageRef": "$image2"}}`, "ACTIVE"), before: ``, after: ``, want: "in place", is: image, equals: "image1"},
}

// TestAccInstance: the effect of each argument, as a table.
func TestAccInstance(t *testing.T) {
	t.Parallel()
	b := newBench(t, fakecloud.Config{})
	b.group = b.Group(t, b.region, "group", "soft-anti-affinity")
	known := arguments(instances(t, b.Workspace(t, "provider \"openstack\" {}\n")))
	b.table(slices.DeleteFunc(slices.Clone(changes), func(r row) bool { return since[r.argument] != "" && !slices.Contains(known, r.argument) }))
}

// table compares rows with what terraform plans and does, all at once.
func (b *bench) table(rows []row) {
	t := b.t
	t.Helper()
	var first, changed, applied, want, nothing []string
	for _, r := range rows {
		first, changed, want, nothing = append(first, r.before), append(changed, r.after), append(want, r.want), append(nothing, "nothing")
		if r.planned {
			applied = append(applied, r.before)
		} else {
			applied = append(applied, r.after)
		}
	}
	w := b.run(first...)
	w.apply("")
	before := ids(t, w.Workspace)
	for i, r := range rows {
		if r.hand != nil {
			r.hand(b, before[fmt.Sprint("row", i)])
		}
	}
	w.change(changed...)
	w.plan(want...)
	w.change(applied...)
	w.apply("")
	after := ids(t, w.Workspace)
	for i, r := range rows {
		name := fmt.Sprint("row", i)
		if stays := before[name] == after[name]; !r.planned && stays != (r.want == "nothing" || r.want == "in place") {
			t.Errorf("%s -> %s: %s, and the server stays: %t", r.before, r.after, r.want, stays)
		}
		if r.is != nil {
			server := b.Server(t, b.region, after[name])
			assert.Equal(t, b.expand(r.equals), fmt.Sprint(r.is(&server, b)), "%s -> %s: the server has", r.before, r.after)
		}
	}
	w.plan(nothing...)
}

// answer returns what a plan does.
func answer(c *tfjson.Change) string {
	switch {
	case c.Actions.NoOp():
		return "nothing"
	case c.Actions.Update():
		return "in place"
	case c.Actions.Replace():
		return "replaced"
	case c.Actions.Create():
		return "created"
	}
	return fmt.Sprint(c.Actions)
}

// ids returns the ids of the servers in the state, by the names of their resources.
func ids(t *testing.T, w *workspace.Workspace) map[string]string {
	t.Helper()
	state, err := w.State(t.Context())
	require.NoError(t, err)
	found := map[string]string{}
	for _, r := range state.Values.RootModule.Resources {
		found[r.Name] = r.AttributeValues["id"].(string)
	}
	return found
}
