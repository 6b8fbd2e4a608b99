//go:build unix

package deletiontf_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rolling is a cluster that one apply rolls in place, some nodes at once.
type rolling struct {
	*workspace.Workspace
	c            *acctest.Cloud
	size, atOnce int
	stateful     bool
	batches      bool         // whether each apply changes a batch, without turns
	url          string       // consumer and health check
	refuse       atomic.Bool  // whether the consumer refuses the next message
	drains       atomic.Int64 // messages that the consumer has accepted
	watched      *acctest.Watched
	rebuilt      *rebuilt
	images       map[string]string
}

func (r *rolling) config(t *testing.T, image string) string {
	region := r.c.Regions(t)[0]
	more, volume, network := "", "", `network_mode = "none"`
	batch, turns := "100%", fmt.Sprintf("at_once = %d\n    nodes = stackpolicy_placement_attachment.web.nodes", r.atOnce)
	if r.batches {
		batch, turns = strconv.Itoa(r.atOnce), ""
	}
	if r.stateful {
		id, _ := r.c.Network(t, region)
		more = "stateful {\n    on_removal = \"RETAIN\"\n  }\n"
		network = "network {\n    port = openstack_networking_port_v2.web[each.key].id\n  }"
		volume = fmt.Sprintf(`
resource "openstack_blockstorage_volume_v3" "web" {
  for_each = stackpolicy_placement_attachment.web.slots
  name     = each.key
  size     = 1
}
resource "openstack_networking_port_v2" "web" {
  for_each   = stackpolicy_placement_attachment.web.slots
  name       = each.key
  network_id = %q
}
resource "openstack_compute_volume_attach_v2" "web" {
  for_each    = openstack_compute_instance_v2.web
  instance_id = each.value.id
  volume_id   = openstack_blockstorage_volume_v3.web[each.key].id
}
`, id)
	}
	return acctest.Placement(r.c, r.size, acctest.Places(region+": "+strings.Join(r.c.Zones(t, region), " ")), fmt.Sprintf(`%s
  template = { image = %q }
  update {
    causes         = ["TEMPLATE"]
    method         = "IN_PLACE"
    max_batch_size = %q
  }`, more, r.images[image], batch)) + acctest.Servers(fmt.Sprintf(`image_id  = each.value.template.image
  flavor_id = %q
  %s
  lifecycle {
    action_trigger {
      events  = [before_update]
      actions = [action.stackpolicy_drain.web]
    }
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.stackpolicy_ready.web]
    }
  }`, r.c.Flavor, network)) + volume + fmt.Sprintf(`
action "stackpolicy_drain" "web" {
  config {
    server_id       = caller.id
    region          = caller.region
    node_name       = caller.name
    cluster         = %[1]q
    %[2]s
    only_in_service = true
    hook {
      type           = "webhook"
      url            = "%[3]s/drain"
      default_result = "ABANDON"
    }
  }
}
action "stackpolicy_ready" "web" {
  config {
    server_id = caller.id
    region    = caller.region
    node_name = caller.name
    cluster   = %[1]q
    mark      = stackpolicy_placement_attachment.web.nodes[caller.name].mark
    metadata  = caller.all_metadata
    timeout   = "5s"
    http {
      url = "%[3]s/{name}"
    }
  }
}
resource "stackpolicy_readiness_attachment" "web" {
  cluster = %[1]q
  timeout = "5s"
  nodes   = stackpolicy_placement_attachment.web.nodes
  servers = openstack_compute_instance_v2.web
  http {
    url = "%[3]s/{name}"
  }
}
`, r.c.Prefix, turns, r.url)
}

func startRolling(t *testing.T, size, atOnce int, stateful, batches, installed bool) *rolling {
	t.Helper()
	r := &rolling{c: acctest.NewFake(t, fakecloud.Config{}), size: size, atOnce: atOnce, stateful: stateful, batches: batches,
		rebuilt: &rebuilt{images: map[string]string{}}}
	r.images = map[string]string{"first": r.c.Image}
	for _, name := range []string{"second", "third", "bad"} {
		r.images[name] = r.c.Fake.AddImage(fakecloud.Image{Name: name})
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/drain" {
			if r.refuse.Swap(false) {
				w.WriteHeader(http.StatusForbidden)
			} else {
				r.drains.Add(1)
			}
			return
		}
		for _, s := range r.c.Fake.Servers(r.c.Regions(t)[0]) {
			if "/"+s.Name == req.URL.Path && (s.ImageID == r.images["bad"] || s.Status != "ACTIVE") {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	region := r.c.Regions(t)[0]
	r.watched = r.c.Watch(t, region, size)
	r.c.Fake.Watch(region, r.rebuilt.see)
	if installed {
		r.Workspace = r.c.Installed(t, r.config(t, "first"))
	} else {
		r.Workspace = r.c.Workspace(t, r.config(t, "first"))
	}
	acctest.Apply(t, r.Workspace)
	r.watched.Restart()
	return r
}

// rebuilt counts the servers that get another image, and how many of them were not drained.
type rebuilt struct {
	images           map[string]string
	count, undrained int
}

func (r *rebuilt) see(list []fakecloud.Server) {
	for _, s := range list {
		if was := r.images[s.ID]; was != "" && was != s.ImageID {
			r.count++
			if s.Metadata[openstack.DrainedKey] == "" || s.Metadata[openstack.MarkKey] != "" {
				r.undrained++
			}
		}
		r.images[s.ID] = s.ImageID
	}
}

// step is an apply of an image.
type step struct {
	image  string
	grow   int                     // number of nodes to add
	most   int                     // maximum number of servers that it rebuilds
	says   string                  // its error; "" if it succeeds
	before func(r *rolling) func() // makes something go wrong, and returns how to end that
	signal syscall.Signal          // ends the apply when its fault hits
	at     fakecloud.Fault
	drain  bool // drains a server by hand, before the apply
	few    bool // brings the nodes into service that an earlier apply left out, and changes no other
}

// take takes a step. Never more nodes are out of service than may be, and no server is rebuilt undrained.
func (r *rolling) take(t *testing.T, s step, args ...string) {
	t.Helper()
	r.size += s.grow
	require.NoError(t, r.Write(r.config(t, s.image)))
	for name := range r.c.Servers(t) {
		if !s.drain || name != "0" {
			continue
		}
		acctest.Must(t, r.Workspace, "apply", "-auto-approve", "-input=false", "-no-color", "-invoke=action.stackpolicy_drain.web",
			fmt.Sprintf("-target=openstack_compute_instance_v2.web[%q]", r.c.Prefix+name))
		now := r.c.Servers(t)[name].Metadata
		assert.True(t, now[openstack.MarkKey] == "" && now[openstack.DrainedKey] != "", "drained by hand: %v", now)
	}
	if s.before != nil {
		defer s.before(r)()
	}
	args = append([]string{"apply", "-auto-approve", "-input=false", "-no-color"}, args...)
	count := r.rebuilt.count
	var err error
	if s.signal == 0 {
		_, err = r.Run(t.Context(), args...)
	} else {
		s.at.Service, s.at.Effect, s.at.Nth = fakecloud.Compute, fakecloud.Hang, 2
		const pause = 300 * time.Millisecond // Terraform writes its state, which a kill would tear
		err = acctest.Signalled(t, r.Workspace, r.c.Fake.Inject(s.at), s.signal, pause, args...)
	}
	if s.says == "" {
		require.NoError(t, err)
	} else if err == nil || !acctest.Says(s.says).MatchString(err.Error()) {
		t.Errorf("%s: it does not say %q: %v", s.image, s.says, err)
	}
	tally, count := r.watched.Restart(), r.rebuilt.count-count
	if tally.Of-tally.Least > r.atOnce || tally.Destroyed > 0 || r.rebuilt.undrained > 0 || count > s.most || s.says == "" && count < s.most {
		t.Errorf("%s: %d rebuilt, %d of all undrained, %+v", s.image, count, r.rebuilt.undrained, tally)
	}
}

// TestDrainActionInPlace: one apply rolls a cluster in place, some nodes at once. A failure stops it, and the next apply goes
// on, or says what to do first.
func TestDrainActionInPlace(t *testing.T) {
	t.Parallel()
	if minor := acctest.TerraformMinor(t); minor < 16 {
		t.Skipf("needs Terraform 1.16 for before_update, this is 1.%d", minor)
	}
	const rest = 12
	fails := func(f fakecloud.Fault) func(r *rolling) func() {
		return func(r *rolling) func() { return r.c.Fake.Inject(f).Remove }
	}
	drained, marked := "/servers/*/metadata/"+openstack.DrainedKey, "/servers/*/metadata/"+openstack.MarkKey
	for _, c := range []struct {
		name         string
		size, atOnce int
		stateful     bool
		args         []string
		steps        []step
	}{
		{"4 in batches of 2, and a drain by hand", 4, 2, false, nil, []step{{image: "second", most: 2}, {image: "second", most: 2},
			{image: "second", drain: true}}},
		{"12 by 2", 12, 2, false, nil, []step{{image: "second", most: 12}}},
		{"12 by 2, one at a time", 12, 2, false, []string{"-parallelism=1"}, []step{{image: "second", most: 12}}},
		{"12 by 3, two at a time", 12, 3, false, []string{"-parallelism=2"}, []step{{image: "second", most: 12}}},
		{"12 by 2, and two more", 12, 2, false, nil, []step{{image: "second", grow: 2, most: 12}}},
		{"60 by 3", 60, 3, false, nil, []step{{image: "second", most: 60}}},
		{"3 by 1, with volumes", 3, 1, true, nil, []step{{image: "second", most: 3}}},
		{"an image that never serves, and back", 12, 2, false, nil, []step{{image: "bad", most: 2, says: "Servers are not in service"},
			{image: "bad", says: "Servers are not in service"}, {image: "first", most: 2}}},
		{"an image that never serves, and another", 12, 2, false, nil, []step{{image: "bad", most: 2, says: "failed in its turn"},
			{image: "second", few: true, most: 2}, {image: "second", most: 10}}},
		{"a drain that fails", 12, 2, false, nil, []step{{image: "second", most: rest - 1, says: "A lifecycle hook did not complete",
			before: func(r *rolling) func() { r.refuse.Store(true); return func() {} }}, {image: "second", few: true, most: 1}, {image: "second"}}},
		{"an update that fails", 12, 2, false, nil, []step{{image: "second", most: rest - 1, says: "The update of the server failed",
			before: fails(fakecloud.Fault{Method: "POST", Path: "/servers/*/action", Status: 403})}, {image: "second", few: true, most: 1}, {image: "second"}}},
		{"Ctrl-C in a drain", 6, 1, false, nil, []step{{image: "second", most: 1, says: "Terraform was interrupted", signal: syscall.SIGINT,
			at: fakecloud.Fault{Method: "PUT", Path: drained, Acts: true}}, {image: "second", few: true, most: 1}, {image: "second"}}},
		{"Ctrl-C in a rebuild", 6, 1, false, nil, []step{{image: "second", most: 2, says: "Terraform was interrupted", signal: syscall.SIGINT,
			at: fakecloud.Fault{Method: "POST", Path: "/servers/*/action", Acts: true}}, {image: "second", few: true}, {image: "second"}}},
		{"Ctrl-C before a mark", 6, 1, false, nil, []step{{image: "second", most: 2, says: "Terraform was interrupted", signal: syscall.SIGINT,
			at: fakecloud.Fault{Method: "PUT", Path: marked}}, {image: "second", few: true}, {image: "second"}}},
		{"killed in a drain", 6, 1, false, nil, []step{{image: "second", most: 1, says: "killed", signal: syscall.SIGKILL,
			at: fakecloud.Fault{Method: "PUT", Path: drained, Acts: true}}, {image: "second", few: true, most: 1}, {image: "second"}}},
		{"killed in a rebuild", 6, 1, false, nil, []step{{image: "second", most: 2, says: "killed", signal: syscall.SIGKILL,
			at: fakecloud.Fault{Method: "POST", Path: "/servers/*/action", Acts: true}}, {image: "second", few: true}, {image: "second"}}},
		{"killed before a mark, with room for another node", 6, 2, false, nil, []step{{image: "second", most: 6, says: "killed", signal: syscall.SIGKILL,
			at: fakecloud.Fault{Method: "PUT", Path: marked}}, {image: "second"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := startRolling(t, c.size, c.atOnce, c.stateful, strings.Contains(c.name, "batches"), c.steps[0].signal != 0)
			for _, s := range c.steps {
				if s.most == 0 && s.says == "" && !s.few {
					s.most = c.size - r.rebuilt.count
				}
				r.take(t, s, c.args...)
			}
			text, err := r.Run(t.Context(), "plan", "-input=false", "-no-color", "-detailed-exitcode")
			require.NoError(t, err, "something is left:\n%s", text)
			assert.GreaterOrEqual(t, int(r.drains.Load()), r.rebuilt.count, "drains")
			for name, server := range r.c.Servers(t) {
				assert.True(t, server.Metadata[openstack.MarkKey] != "" && server.Metadata[openstack.DrainedKey] == "", "%s is out of service", name)
			}
		})
	}
}

// TestDrainActionMethods: turns of servers that are made again are refused while planning, and so are changes without turns.
func TestDrainActionMethods(t *testing.T) {
	t.Parallel()
	if minor := acctest.TerraformMinor(t); minor < 16 {
		t.Skipf("needs Terraform 1.16 for before_update, this is 1.%d", minor)
	}
	r := startRolling(t, 2, 1, false, false, false)
	for _, method := range []string{"RECREATE", "SUBSTITUTE"} {
		require.NoError(t, r.Write(strings.Replace(r.config(t, "second"), `"IN_PLACE"`, strconv.Quote(method), 1)))
		_, _ = r.Run(t.Context(), "apply", "-auto-approve", "-input=false", "-no-color") // the update begins with the next one
		_, err := r.Run(t.Context(), "plan", "-input=false", "-no-color")
		require.ErrorContains(t, err, "Turns of servers that are made again", method)
	}
	require.NoError(t, r.Write(regexp.MustCompile(`at_once = .*`).ReplaceAllString(r.config(t, "second"), "")))
	_, _ = r.Run(t.Context(), "apply", "-auto-approve", "-input=false", "-no-color")
	_, err := r.Run(t.Context(), "plan", "-input=false", "-no-color")
	require.ErrorContains(t, err, "Write at_once in stackpolicy_drain")
	assert.Zero(t, r.rebuilt.count)
	assert.Len(t, r.c.Servers(t), 2)
}
