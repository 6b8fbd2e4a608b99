//go:build unix

package examples_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// events are what goes wrong for a configuration that has everything: what happens before an apply, with the arguments of the module
// from then on. For each module there are the servers in service that end by it, and then the numbers of servers, ports, volumes,
// addresses and members after each apply, until one has nothing to do. "." is one of all for each node, and "!" an apply that failed.
var events = []struct {
	what              string
	then              happenings
	cluster, stateful string
	rollouts          string // pattern of the exit codes of rollout, which is run after each happening
}{
	{"another image", happenings{1: byNumber(gives(other))}, "4: . .", "3: . . .", "0"},
	{"a bad image, and a good one", happenings{1: byNumber(gives(silent(1))), 3: byNumber(gives(other))},
		"4: 6/12/12/6/4! 6/12/12/6/4! . .", "3: 3/6/6/3/2! 3/6/6/3/2! . . .", "1 0"},
	{"a bad image, taken back", happenings{1: byNumber(gives(`image = "debian-broken"`)), 2: byNumber(gives(old))},
		"0: 6/12/12/6/4! .", "1: 3/6/6/3/2! .", "1 0"},
	{"a canary, taken back", happenings{1: byNumber(gives(other, `update = { target = "25%" }`)), 3: byNumber(gives(old))},
		"2: . . .", "2: . . .", "0 0"},
	{"a growth, and a shrink", happenings{1: byNumber(gives(five)), 2: byNumber(gives("desired_capacity = 3"))},
		"2: . .", "2: . 3/10/8/5/3", "0 0"},
	{"a place closes, and another image", happenings{
		1: does(func(w *whole) { w.edit(w.T, `"az-2"`, `"az-2", closed = true`) }, other),
		3: does(func(w *whole) { w.edit(w.T, `, closed = true`, "") }, other),
	}, "4: . . .", "3: . . .", "2 0"},
	{"all nodes answer 503, and another image", happenings{
		1: does(func(w *whole) { w.down.Store(true) }, other), 3: does(func(w *whole) { w.down.Store(false) }, other),
	}, "4: 6/12/12/6/4! 6/12/12/6/4! . .", "3: 3/6/6/3/2! 3/6/6/3/2! . . .", "1 0"},
	{"all marks are wiped, and another image", happenings{1: does((*whole).unmark, other)},
		"4: . . .", "3: . . . .", "0"},
	{"Nova lists no server, and another image", happenings{
		1: does((*whole).hide, other), 2: does(func(w *whole) { w.hidden.Remove() }, other),
	}, "4: 0/8/8/4/4! . .", "3: 0/6/6/3/3! . . .", "1 0"},
	{"a server ends in ERROR", happenings{1: byNumber(fails(1)), 2: byNumber(gives())},
		"4: 6/12/12/6/4! . .", "3: 3/6/6/3/2! . . .", "1 0"},
	{"all servers end in ERROR", happenings{1: byNumber(fails(1000)), 3: byNumber(heals(old))},
		"0: 6/12/12/6/4! 8/16/16/8/4! .", "1: 3/6/6/3/2! 3/6/6/3/2! .", "1 0"},
	{"creations are refused", happenings{1: byNumber(refuses(2, other)), 2: byNumber(gives())},
		"4: 4/12/8/6/4! . .", "3: 2/6/5/3/2! 2/6/5/3/2! . . .", "0 0|1 0"},
	{"a slow image", happenings{1: slow(true), 2: slow(false)}, "4: 6/12/12/6/4! . .", "3: 3/6/6/3/2! . . .", "1 0"},
	{"the answer of a server is lost", happenings{1: byNumber(loses(1, fakecloud.Compute, "/servers", other)), 3: strays},
		"4: 6/12/12/6/4! 6/12/12/6/4! . .", "3: 3/6/6/3/2! 3/6/6/3/2! . . .", "1 0"},
	{"the answer of a port is lost", happenings{1: byNumber(loses(1, fakecloud.Network, "/ports", five))},
		"0: 4/10/8/5/4! 5/11/10/5/5", "0: 3/10/8/5/3! 5/11/10/5/5", "0"},
	{"the answer of a volume is lost", happenings{1: byNumber(loses(1, fakecloud.BlockStorage, "/volumes", five))},
		"0: .", "0: 5/10/10/5/3! 5/10/11/5/5", "0"},
	{"the answer of an address is lost", happenings{1: byNumber(loses(1, fakecloud.Network, "/floatingips", five))},
		"0: 5/10/10/5/4! 5/10/10/6/5", "0: 5/10/10/5/3! 5/10/10/6/5", "0"},
	// A second member of an address is refused for the ten minutes for which terraform-provider-openstack asks again.
	{"the answer of a member is lost", happenings{1: member, 2: taken}, "0: .! .", "0: .! .", ""},
	{"a taint", happenings{
		1: byNumber(taints(func(c *fakecloud.Cloud) { c.SellOut("RegionOne", "az-1", "m1.small", true) })), 2: byNumber(untaints),
	}, "0: .! .", "1: 3/6/5/3/2! .", "1 0|2 0"},
	{"a full place", happenings{1: sold(true, five), 3: sold(false, five)},
		"0: . . .", "0: 5/10/9/5/3! 5/10/9/5/3! . .", "0 0|1 0"},
	{"a quota without room", happenings{1: byNumber(quota(2, other)), 3: byNumber(quota(10, other))},
		"4: 4/12/8/6/4! 4/12/8/6/4! . .", "3: . . .", "0 0|1 0"},
	{"a quota", happenings{1: byNumber(quota(2, five)), 3: byNumber(quota(10, five))},
		"0: 4/10/8/5/4! 4/10/8/5/4! .", "0: 4/10/9/5/3! 4/10/9/5/3! .", "1 0"},
	{"a network is renamed", happenings{
		1: does(func(w *whole) { w.c.RenameNetwork(w.T, "shared", "old") }, five),
		3: does(func(w *whole) { w.c.RenameNetwork(w.T, "old", "shared") }, five),
	}, "0: . . .", "0: . . .", "0 0"},
	{"a network is doubled", happenings{1: does(func(w *whole) { w.c.AddNetwork(w.T, "shared") }, five)},
		"0: .", "0: .", "0"},
	{"an image is renamed", happenings{
		1: does(func(w *whole) { w.c.RenameImage(w.T, "debian-12", "old") }, five), 3: byNumber(gives(`image = "old"`)),
	}, "0: . . .", "0: . . .", "0 0"},
	{"an image is doubled", happenings{1: does(func(w *whole) { w.c.AddImage(w.T, "debian-12") }, five)},
		"0: .", "0: .", "0"},
	{"a server is deleted", happenings{1: takes("server")}, "0: .", "0: .", "0"},
	{"a port is deleted", happenings{1: takes("port")}, "1: .", "1: .", "0"},
	{"a volume is deleted", happenings{1: takes("volume")}, "1: .", "1: .", "0"},
	{"a member is deleted", happenings{1: takes("member")}, "0: .", "0: .", "0"},
	{"an address is deleted", happenings{1: takes("address")}, "0: .", "0: .", "0"},
	{"a kill in a drain", happenings{1: killed(http.MethodPut, "/servers/*/metadata/stackpolicy_drained")},
		"4: . .", "3: . . .", "0"},
	{"a kill in a shutdown", happenings{1: killed(http.MethodPost, "/servers/*/action")}, "4: . .", "3: . . .", "0"},
	{"a kill in a detachment", happenings{1: killed(http.MethodDelete, "/servers/*/os-volume_attachments/*")},
		"", "3: . . .", "0"},
	{"a kill in a deletion", happenings{1: killed(http.MethodDelete, "/servers/*")}, "3: . .", "2: . . .", "0"},
	{"a kill in a creation", happenings{1: killed(http.MethodPost, "/servers"), 3: strays},
		"4: 6/12/12/6/4! 6/12/12/6/4! . .", "2: 3/6/6/3/2! 3/6/6/3/2! . . .", "1 0"},
	{"a kill in an attachment", happenings{1: killed(http.MethodPost, "/servers/*/os-volume_attachments"), 2: volumes},
		"", "2: 3/6/6/3/2! . . .", "1 0"},
	{"a kill in a mark", happenings{1: killed(http.MethodPut, "/servers/*/metadata/stackpolicy_in_service")},
		"4: . .", "2: . .", "0"},
}

type happenings = map[int]func(w *whole, said string) (arguments string)

const (
	five = "desired_capacity = 5"
	old  = `image = "debian-12"`
)

// whole is a cluster that has everything.
type whole struct {
	*testing.T
	*life
	pools   map[string]string // by region
	broken  string            // id of an image that never serves
	seen    *acctest.Watched
	serving []string    // ids of the servers that were in service at the last restart, on a real cloud
	slow    atomic.Bool // reports whether servers of debian-13 do not serve yet
	down    atomic.Bool // reports whether no server answers its check
	hidden  *fakecloud.Injected
}

// unmark takes the marks of all servers.
func (w *whole) unmark() {
	for _, region := range both {
		for _, s := range w.c.Fake.Servers(region) {
			w.c.Fake.UpdateServer(region, s.ID, unmarked)
		}
	}
}

// hide has Nova list no server.
func (w *whole) hide() {
	w.hidden = w.c.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Path: "/servers/detail", Status: http.StatusOK,
		Body: `{"servers": []}`, Times: fakecloud.Forever})
}

// number is a happening of [number].
func byNumber(happens func(example, string) string) func(*whole, string) string {
	return func(w *whole, said string) string { return happens(w.example, said) }
}

func slow(is bool) func(*whole, string) string {
	return func(w *whole, _ string) string {
		w.slow.Store(is)
		return other
	}
}

// strays deletes the servers that Terraform does not know.
func strays(w *whole, said string) string {
	state := read(w.T, filepath.Join(w.Dir, "terraform.tfstate"))
	for _, region := range both {
		for _, s := range w.c.Fake.Servers(region) {
			if !strings.Contains(state, `"id": "`+s.ID+`"`) {
				assert.Contains(w, said, s.ID, "named")
				w.c.Kill(w.T, region, s.ID)
			}
		}
	}
	return ""
}

// volumes imports the attachments of volumes that Terraform does not know.
func volumes(w *whole, said string) string {
	assert.Contains(w, said, "is already attached")
	plan, err := w.Plan(w.Context(), "next.tfplan")
	require.NoError(w, err)
	for _, r := range plan.ResourceChanges {
		if after, is := r.Change.After.(map[string]any); is && r.Type == "openstack_compute_volume_attach_v2" && r.Change.Actions.Create() {
			acctest.Must(w.T, w.Workspace, "import", "-input=false", "-no-color", r.Address, fmt.Sprintf("%s/%s", after["instance_id"], after["volume_id"]))
		}
	}
	return ""
}

// member lets the connection end before the answer to the next member.
func member(w *whole, _ string) string {
	w.c.Fake.Inject(fakecloud.Fault{Service: fakecloud.LoadBalancing, Method: http.MethodPost, Path: "/lbaas/pools/*/members",
		Effect: fakecloud.Reset, Acts: true})
	return five
}

// taken deletes the members that Terraform does not know.
func taken(w *whole, _ string) string {
	for region, pool := range w.pools {
		octavia := w.c.Octavia(w, region)
		for _, m := range w.c.Fake.Members(region, pool) {
			if !strings.Contains(read(w.T, filepath.Join(w.Dir, "terraform.tfstate")), m.ID) {
				require.Eventually(w, func() bool { // the pool takes no change before the last one is done
					return pools.DeleteMember(w.Context(), octavia, pool, m.ID).ExtractErr() == nil
				}, time.Minute, time.Millisecond)
			}
		}
	}
	return ""
}

func sold(is bool, arguments string) func(*whole, string) string {
	return func(w *whole, _ string) string {
		for _, flavor := range []string{"m1.small", "m1.tiny"} {
			w.c.Fake.SellOut("RegionTwo", "az-1", flavor, is)
		}
		return arguments
	}
}

func does(happens func(w *whole), arguments string) func(*whole, string) string {
	return func(w *whole, _ string) string {
		happens(w)
		return arguments
	}
}

// takes deletes something of the oldest server in RegionOne by hand: a new one that breaks soon is not made a third time.
func takes(what string) func(*whole, string) string {
	return func(w *whole, _ string) string {
		acctest.Apply(w.T, w.Workspace) // a plan looks at what is whole
		oldest := slices.MinFunc(w.c.In(w.T, "RegionOne"), func(a, b servers.Server) int { return a.Created.Compare(b.Created) })
		w.take(w.T, what, oldest.Name, w.pools["RegionOne"])
		return ""
	}
}

// killed kills an apply, and the providers with it, when the cloud has done what a request asks for.
func killed(method, path string) func(*whole, string) string {
	return func(w *whole, _ string) string {
		w.Attach = nil
		require.NoError(w.T, w.Init(w.Context()))
		w.give(other)
		at := fakecloud.Fault{Service: fakecloud.Compute, Method: method, Path: path, Effect: fakecloud.Hang, Acts: true}
		err := acctest.Signalled(w.T, w.Workspace, w.c.Fake.Inject(at), syscall.SIGKILL, 0,
			"apply", "-auto-approve", "-input=false", "-no-color", "-parallelism=1")
		require.Error(w.T, err)
		return ""
	}
}

var both = []string{"RegionOne", "RegionTwo"}

// startWhole makes the servers of a configuration of examples/whole.
func startWhole(t *testing.T, module string) *whole {
	t.Helper()
	w := &whole{T: t, pools: map[string]string{}, life: &life{example: startOn(t, acctest.New(t, fakecloud.Config{}), "whole/"+module)}}
	_, hook := acctest.StartConsumer(t, 0)
	health := httptest.NewServer(w)
	t.Cleanup(health.Close)
	for _, region := range both {
		w.pools[region] = w.c.Pool(t, region)
	}
	w.Env = append(w.Env, "TF_VAR_hook_url="+hook, "TF_VAR_health_url="+health.URL+"/{name}",
		fmt.Sprintf("TF_VAR_pool_ids={RegionOne=%q,RegionTwo=%q}", w.pools["RegionOne"], w.pools["RegionTwo"]))
	w.edit(t, `"30s"`, `"0s"`)
	if w.c.Fake != nil {
		w.broken = w.c.Named(t, "debian-broken")
		w.edit(t, `"10m"`, `"5s"`)
	} else {
		t.Cleanup(func() {
			_, err := w.Destroy(context.WithoutCancel(t.Context()))
			assert.NoError(t, err)
			assert.Equal(t, "0/0/0/0/0", w.numbers(), "what is left")
		})
	}
	w.seen = w.c.Watch(t, both[0], 4, both[1:]...)
	acctest.Apply(t, w.Workspace)
	return w
}

// ServeHTTP is the health check of the nodes. Servers that boot from volumes do not show their image, so it is the image that was asked
// for last.
func (w *whole) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	if w.c.Fake == nil {
		return // each image serves
	}
	asked := ""
	for _, request := range w.c.Fake.Requests() {
		body := string(request.Body)
		if request.Method == http.MethodPost && request.Path == "/servers" && strings.Contains(body, `"`+path.Base(r.URL.Path)+`"`) {
			asked = body
		}
	}
	if w.down.Load() || strings.Contains(asked, w.broken) || w.slow.Load() && strings.Contains(asked, w.c.Named(w.T, "debian-13")) {
		answer.WriteHeader(http.StatusServiceUnavailable)
	}
}

var capacity = regexp.MustCompile(`desired_capacity *= (\d+)`)

// numbers are the numbers of servers, ports, volumes, addresses and members, or "." for one of all for each node.
func (w *whole) numbers() string {
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(w.c.Numbers(w.T, w.pools)), " ", "/"), "[]")
	size, err := strconv.Atoi(capacity.FindStringSubmatch(read(w.T, filepath.Join(w.Dir, "main.tf")))[1])
	require.NoError(w.T, err)
	if text == fmt.Sprintf("%d/%d/%d/%d/%d", size, 2*size, 2*size, size, size) {
		return "."
	}
	return text
}

// give sets arguments of the module.
func (w *whole) give(arguments string) {
	for line := range strings.Lines(arguments) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		w.set(w.T, name, value)
	}
}

// restart returns what has happened to servers since the last restart. A real cloud shows only how many that were in service are gone.
func (w *whole) restart() (tally acctest.Tally) {
	if w.seen != nil {
		return w.seen.Restart()
	}
	there, serving := map[string]bool{}, []string{}
	for _, s := range w.c.AllServers(w.T) {
		if there[s.ID] = true; s.Metadata[openstack.MarkKey] != "" {
			serving = append(serving, s.ID)
		}
	}
	for _, id := range w.serving {
		if !there[id] {
			tally.Served++
		}
	}
	w.serving = serving
	return tally
}

// count returns how many servers in service have ended since the last count. They were drained, and no two were missing.
func (w *whole) count() (touched int) {
	tally := w.restart()
	assert.Zero(w, tally.Undrained+tally.Changed, "%+v", tally)
	assert.LessOrEqual(w, tally.Of-tally.Least, 1, "%+v", tally)
	return tally.Served
}

// applies applies until nothing is left to do, and lists the numbers.
func (w *whole) applies(then happenings) (counts string) {
	said, list, touched := "", []string{}, 0
	for i := 1; i < 10; i++ {
		if happens := then[i]; happens != nil {
			w.give(happens(w, said))
			w.restart()
		}
		text, err := w.Apply(w.Context())
		said = text
		n := w.count()
		assert.LessOrEqual(w, n, 2, "a batch")
		touched += n
		if i > slices.Max(slices.Collect(maps.Keys(then))) && strings.Contains(text, "No changes.") {
			break
		}
		numbers := w.numbers()
		if err != nil {
			numbers, said = numbers+"!", err.Error()
			w.Log(errorsOf(err))
		}
		list = append(list, numbers)
	}
	return fmt.Sprint(touched, ": ", strings.Join(list, " "))
}

// rollouts runs rollout after each happening. It returns the servers in service that ended, the numbers at the end, and the exit codes.
func (w *whole) rollouts(then happenings) (touched int, numbers, codes string) {
	program := filepath.Join(w.TempDir(), "rollout")
	require.NoError(w.T, workspace.Program(w.Context(), program, "./cmd/rollout"))
	said := ""
	for _, step := range slices.Sorted(maps.Keys(then)) {
		w.give(then[step](w, said))
		w.restart()
		env, end, err := w.Attached(w.Context())
		require.NoError(w.T, err)
		run := exec.CommandContext(w.Context(), program, "-dir", w.Dir, "-terraform", w.Terraform, "-poll", "1s", "-max-wait", "2s")
		run.Env = env
		text, err := run.CombinedOutput()
		end()
		if said = string(text); err != nil {
			w.Log(said)
		}
		touched += w.count()
		codes += fmt.Sprint(" ", run.ProcessState.ExitCode())
	}
	return touched, w.numbers(), codes[1:]
}

// happen runs an event, and fails unless it ends with the numbers of the table.
func (w *whole) happen(module, way string, i int) {
	event := events[i]
	want := map[string]string{"cluster": event.cluster, "stateful": event.stateful}[module]
	if way == "apply" {
		assert.Equal(w, want, w.applies(event.then))
	} else {
		touched, numbers, codes := w.rollouts(event.then)
		assert.Regexp(w, "^("+event.rollouts+")$", codes)
		assert.Equal(w, want[strings.LastIndex(want, " ")+1:], numbers)
		assert.LessOrEqual(w, strconv.Itoa(touched), want[:1], "servers in service that ended")
	}
	assert.Empty(w, w.planned(w.T), "the last plan")
}

// TestWhole: whatever happens to a configuration that has everything, it touches no more than it must, and no server undrained, nothing
// is left behind, and it ends, by "terraform apply" as by rollout.
func TestWhole(t *testing.T) {
	for i, event := range events {
		for j, module := range []string{"cluster", "stateful"} {
			for k, way := range []string{"apply", "rollout"} {
				if []string{event.cluster, event.stateful}[j] == "" || []string{"all", event.rollouts}[k] == "" {
					continue // the module has no such request
				}
				t.Run(module+"/"+way+"/"+event.what, func(t *testing.T) {
					runs.In(t, runs.Some(runs.Turn(i+j+k), runs.Sweep, runs.Night))
					t.Parallel()
					startWhole(t, module).happen(module, way, i)
				})
			}
		}
	}
}

// These have the events that need no fake cloud, on a real cloud as on the fake one. "make e2e BRIEF=1" has the first.

func TestAccWhole_image(t *testing.T) {
	runs.In(t, runs.Night)
	lives(t, "cluster", `^another image$`)
}

func TestAccWhole_cluster(t *testing.T) {
	runs.In(t, runs.Night)
	lives(t, "cluster", `is (renamed|doubled|deleted)$`)
}

func TestAccWhole_stateful(t *testing.T) {
	runs.In(t, runs.Night)
	lives(t, "stateful", `^another image$|is deleted$`)
}

// Slots outlive a growth, so it comes alone.
func TestAccWhole_slots(t *testing.T) {
	runs.In(t, runs.Night)
	lives(t, "stateful", `is (renamed|doubled)$`)
}

// lives takes one configuration through the events with names that match: the last one first, and another image by rollout.
func lives(t *testing.T, module, matches string) {
	t.Helper()
	sideBySide(t)
	w := startWhole(t, module)
	begin := read(t, filepath.Join(w.Dir, "main.tf"))
	for i, event := range slices.Backward(events) {
		if !regexp.MustCompile(matches).MatchString(event.what) {
			continue
		}
		w.file(t, "main.tf", begin)
		acctest.Finish(t, func() string { return acctest.Apply(t, w.Workspace) })
		t.Run(event.what, func(t *testing.T) {
			w.T = t
			w.happen(module, []string{"rollout", "apply"}[min(i, 1)], i)
		})
		w.T = t
	}
}
