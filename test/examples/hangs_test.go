package examples_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const hangs = "guides/what-hangs-on-a-cluster"

// changed lists what the cloud was asked to change, in the order of its clock.
func (e example) changed() (list []string) {
	requests := slices.Clone(e.c.Fake.Requests())
	slices.SortStableFunc(requests, func(a, b fakecloud.Request) int { return a.Time.Compare(b.Time) })
	things := regexp.MustCompile(`(recordsets|os-volume_attachments|floatingips|members|volumes|ports|servers)(/[^/]*)?$`)
	for _, r := range requests {
		thing := things.FindStringSubmatch(r.Path)
		switch {
		case r.Method == http.MethodGet || r.Status >= 400:
		case strings.HasSuffix(r.Path, openstack.MarkKey) && r.Method != http.MethodDelete:
			list = append(list, "in service")
		case strings.HasSuffix(r.Path, openstack.DrainedKey):
			list = append(list, "drained")
		case strings.Contains(string(r.Body), "os-stop"):
			list = append(list, "stop")
		case strings.Contains(string(r.Body), `"port_id":null`):
			list = append(list, "free")
		case thing != nil && r.Service != fakecloud.Identity:
			list = append(list, r.Method+" "+thing[1])
		}
	}
	return list
}

// follow fails unless each step comes, and after all of those before it.
func follow(t *testing.T, list []string, steps ...[]string) {
	t.Helper()
	last := -1
	for _, step := range steps {
		from, to := len(list), -1
		for i, what := range list {
			if slices.Contains(step, what) {
				from, to = min(from, i), max(to, i)
			}
		}
		assert.Greater(t, from, last, "%s in %q", step, list)
		assert.NotEqual(t, -1, to, "%s is not in %q", step, list)
		last = max(last, to)
	}
}

// TestHangsOnCluster: a new server has its disk and its address before it is asked, and is a member after. An old one is no member before its
// drain, and keeps its address and its disk until it is drained. An image that never serves moves nothing of an old node.
func TestHangsOnCluster(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), hangs+"/outside")
	_, drain := acctest.StartConsumer(t, 0)
	var bad atomic.Bool
	health := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if bad.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(health.Close)
	pool, own := e.c.Fake.AddPool("RegionOne"), e.c.Fake.AddPool("RegionOne")
	e.Env = append(e.Env, "TF_VAR_drain_url="+drain, "TF_VAR_health_url="+health.URL+"/{name}", "TF_VAR_pool_id="+pool, "TF_VAR_zone_id=1")
	e.edit(t, `"60s"`, `"1s"`)
	e.edit(t, "url = var.health_url", "url = var.health_url, timeout = \"5s\"")
	e.edit(t, "hangs_on ", `pools = { http = { region = "RegionOne", pool_id = "`+own+`", protocol_port = 80 } }`+"\n  hangs_on ")
	e.apply(t)
	for address, server := range e.c.Floating(t, "RegionOne") {
		assert.NotEmpty(t, server, "the server of %s", address)
	}

	bad.Store(true)
	before := e.servers(t)
	e.c.Fake.ResetRequests()
	_, err := e.Apply(t.Context(), "image=debian-13")
	require.ErrorContains(t, err, "Servers are not in service")
	for _, what := range e.changed() {
		assert.NotRegexp(t, "DELETE|PUT [^f]|free|stop|drained|members|recordsets", what, "an image that never serves")
	}
	for name, id := range before {
		assert.Equal(t, id, e.servers(t)[name])
	}

	bad.Store(false)
	e.c.Fake.ResetRequests()
	acctest.Apply(t, e.Workspace, "image=debian-13")
	follow(t, e.changed(), []string{"in service"}, []string{"POST members"}, []string{"DELETE members"}, []string{"drained"},
		[]string{"stop"}, []string{"DELETE floatingips", "DELETE os-volume_attachments"}, []string{"DELETE servers"}, []string{"DELETE ports"})
	follow(t, e.changed(), []string{"in service"}, []string{"PUT recordsets"})
	e.c.Fake.ResetRequests()
	acctest.Apply(t, e.Workspace, "image=debian-13")
	follow(t, e.changed(), []string{"POST ports"}, []string{"POST servers"}, []string{"PUT floatingips", "POST os-volume_attachments"},
		[]string{"in service"}, []string{"POST members"}, []string{"DELETE members"}, []string{"drained"})
	follow(t, e.changed(), []string{"in service"}, []string{"PUT members"})
	assert.Equal(t, 1, strings.Count(strings.Join(e.changed(), " "), "PUT members"), "changes of all members")
	var all []string
	for _, m := range e.c.Fake.Members("RegionOne", pool) {
		all = append(all, m.Address)
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(e.c.Floating(t, "RegionOne"))), all, "members")
}

// TestHangsOnSlots: agents name the addresses of servers that keep them. Each batch of the servers is drained, before its disks leave (the disks of
// others, too), and none of the agents changes.
func TestHangsOnSlots(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), hangs+"/agents")
	e.Env = append(e.Env, "TF_VAR_pool_id="+e.c.Fake.AddPool("RegionOne"))
	cache := regexp.MustCompile(`(?s)resource "openstack_blockstorage_volume_v3".*?\n}\n\nresource.*?\n}\n`).FindString(read(t, hangs+"/outside/main.tf"))
	e.file(t, "cache.tf", strings.ReplaceAll(cache, "module.web", "module.server"))
	e.edit(t, "pools ", "hangs_on = openstack_compute_volume_attach_v2.cache\n  pools ")
	e.apply(t)
	before, addresses := e.servers(t), e.c.Floating(t, "RegionOne")
	require.Len(t, addresses, 3)
	for left := 2; left >= 0; left-- {
		e.c.Fake.ResetRequests()
		acctest.Apply(t, e.Workspace, "image=debian-13")
		follow(t, e.changed(), []string{"DELETE members"}, []string{"drained"}, []string{"stop"}, []string{"DELETE os-volume_attachments"},
			[]string{"DELETE servers"}, []string{"POST servers"}, []string{"POST os-volume_attachments"}, []string{"in service"}, []string{"POST members"})
		assert.NotContains(t, strings.Join(e.changed(), " "), "floatingips")
	}
	assert.Empty(t, e.planned(t, "image=debian-13"))
	for name, id := range before {
		if now := e.servers(t)[name]; strings.Contains(name, "agent") {
			assert.Equal(t, id, now, name)
		} else {
			assert.NotEqual(t, id, now, name)
		}
	}
	for address, server := range e.c.Floating(t, "RegionOne") {
		assert.NotEqual(t, addresses[address], server, "the server of %s", address)
		assert.NotEmpty(t, server)
	}
}

// diskless gives the servers of clusters/first a flavor without a disk, and a volume to boot from.
func (e example) diskless(t *testing.T) {
	t.Helper()
	e.edit(t, `["m1.small"]`,
		`["`+e.c.Fake.AddFlavor(fakecloud.Flavor{ID: "zero", Name: "zero", VCPUs: 1, RAM: 64})+`"]`+"\n  disks = { root = { size = 20, boot = true } }")
}

// TestHangsOnNetworks: the networks of the page can be applied, with an id that is known only then, to servers that boot from volumes.
func TestHangsOnNetworks(t *testing.T) {
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
	block := regexp.MustCompile("(?s)```terraform\n(.*?)```").FindStringSubmatch(read(t, "../templates/guides/what-hangs-on-a-cluster.md.tmpl"))
	require.NotNil(t, block)
	// The fake cloud makes no networks.
	e.edit(t, `  networks         = ["shared"]`, strings.Replace(block[1], "openstack_networking_network_v2.backup.id", "terraform_data.backup.output", 1))
	e.file(t, "backup.tf", fmt.Sprintf("resource \"terraform_data\" \"backup\" {\n  input = %q\n}\n", fakecloud.NetworkID))
	e.diskless(t)
	e.apply(t)
	for name, id := range e.servers(t) {
		zone := e.c.Server(t, "RegionOne", id).AvailabilityZone
		assert.Len(t, e.c.PortsOf(t, "RegionOne", id), map[string]int{"az-1": 3, "az-2": 2}[zone], "%s in %s", name, zone)
	}
	assert.Len(t, e.c.Floating(t, "RegionOne"), 6)
}

// TestHangsOnLater: the first plan and apply work with values that are secret, and with ids that are known only after the apply.
func TestHangsOnLater(t *testing.T) {
	runs.In(t, runs.Sweep)
	for _, module := range []string{"cluster", "stateful"} {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
			e.edit(t, "modules/cluster", "modules/"+module)
			e.edit(t, `["shared"]`, `[{ id = sensitive(terraform_data.later["network"].output), port = true, floating_ip_pool = sensitive("public") }]
  pools           = { http = { region = "RegionOne", pool_id = sensitive(terraform_data.later["pool"].output), protocol_port = sensitive(80) } }
  disks           = { data = { size = sensitive(5) } }
  servergroup     = { ids = { RegionOne = terraform_data.later["group"].output } }
  health          = { pool_ids = [terraform_data.later["pool"].output] }
  drain           = { hook_url = sensitive(terraform_data.later["drain"].output), hook_timeout = "5s" }
  key_pair        = openstack_compute_keypair_v2.ops.id`)
			e.edit(t, "url = var.health_url", `url = sensitive(terraform_data.later["url"].output)`)
			_, drain := acctest.StartConsumer(t, 0)
			e.file(t, "later.tf", fmt.Sprintf(`resource "openstack_compute_keypair_v2" "ops" {
  name       = "ops"
  public_key = "ssh-ed25519 AAAA"
}

resource "terraform_data" "later" {
  for_each = { network = %q, pool = %q, group = %q, drain = %q, url = var.health_url }
  input    = each.value
}
`, fakecloud.NetworkID, e.c.Fake.AddPool("RegionOne"), e.c.Group(t, "RegionOne", "apart", "soft-anti-affinity"), drain))
			require.NoError(t, e.Init(t.Context()))
			e.apply(t)
			assert.Len(t, e.servers(t), 6)
			for name, id := range e.servers(t) {
				assert.Equal(t, "ops", e.c.Server(t, "RegionOne", id).KeyName, name)
			}
			assert.Empty(t, e.planned(t))
		})
	}
}

// TestHangsOnGiven: a node keeps its address of the list, in whatever order the list is given, and with a longer one. A substitute has the
// first free one: of the nodes that leave the later one's has the address of the first.
func TestHangsOnGiven(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/edge")
	_, drain := acctest.StartConsumer(t, 0)
	e.Env = append(e.Env, "TF_VAR_drain_url="+drain)
	e.edit(t, `  readiness = { url = "http://{address}/health" }`+"\n", "")
	e.edit(t, `"1m"`, `"0s"`)
	e.apply(t)
	before, free := e.c.Floating(t, "RegionOne"), []string{}
	const list = "openstack_networking_floatingip_v2.web[*].address"
	e.edit(t, list, "reverse("+list+")")
	_, err := e.Apply(t.Context())
	require.ErrorContains(t, err, "floating_ips of networks have another order")
	assert.Equal(t, before, e.c.Floating(t, "RegionOne"))
	e.edit(t, "reverse("+list+")", list)
	e.edit(t, "count = 6", "count = 7")
	for _, name := range []string{"web-0", "web-1"} {
		sick := e.servers(t)[name]
		before = e.c.Floating(t, "RegionOne")
		e.c.Fake.UpdateServer("RegionOne", sick, broken)
		e.apply(t)
		for address, server := range e.c.Floating(t, "RegionOne") {
			if was := before[address]; was == sick {
				assert.Empty(t, server, "the address of %s", name)
				free = append(free, address)
			} else if was != "" {
				assert.Equal(t, was, server, address)
			}
		}
	}
	assert.NotEmpty(t, e.c.Floating(t, "RegionOne")[free[0]], "the address of web-0")
}

// TestHangsOnTaken: a volume is made larger in place, and no smaller, and keeps its type. A volume and a network that are taken off the lists
// leave the server of each slot with the next one of its node, after its drain. The volume stays until it is released, and a slot without a
// node keeps both until it has one again.
func TestHangsOnTaken(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
	e.edit(t, "modules/cluster", "modules/stateful")
	require.NoError(t, e.Init(t.Context()))
	e.edit(t, "desired_capacity = 6", "desired_capacity = 4")
	const data, both = `data = { size = 1 } }`, `data = { size = 1 }, wal = { size = 4 } }`
	e.edit(t, `["shared"]`, `["shared", "storage"]`)
	e.diskless(t)
	e.edit(t, "boot = true } }", "boot = true }, "+strings.Replace(both, "4", "2", 1))
	e.apply(t)
	e.c.Fake.ResetRequests()
	e.edit(t, "size = 2 }", `size = 4, type = "fast" }`)
	e.apply(t)
	e.edit(t, `size = 4, type = "fast" }`, "size = 3 }")
	_, err := e.Apply(t.Context())
	require.ErrorContains(t, err, "A disk becomes smaller")
	assert.NotRegexp(t, "DELETE|POST|drained|stop", strings.Join(e.changed(), " "), "by other sizes")
	e.edit(t, "size = 3 }", "size = 4 }")
	e.edit(t, "desired_capacity = 4", "desired_capacity = 3")
	e.apply(t)
	e.edit(t, both, data)
	e.edit(t, `["shared", "storage"]`, `["shared"]`)
	for left := 3; left >= 1; left-- {
		e.c.Fake.ResetRequests()
		assert.Equal(t, left == 3, strings.Contains(acctest.Apply(t, e.Workspace), "Disks are kept"))
		list := e.changed()
		follow(t, list, []string{"drained"}, []string{"DELETE os-volume_attachments"}, []string{"DELETE servers"}, []string{"POST servers"},
			[]string{"in service"})
		assert.Len(t, e.c.Volumes(t, "RegionOne"), 8, "%q", list)
		assert.Len(t, e.c.Ports(t, "RegionOne"), 4+left)
	}
	assert.Empty(t, e.planned(t))
	e.edit(t, data, data+"\n  release = [\"wal\"]")
	e.apply(t)
	assert.Len(t, e.c.Volumes(t, "RegionOne"), 5)
	e.edit(t, "desired_capacity = 3", "desired_capacity = 4")
	e.apply(t)
	assert.Len(t, e.c.Volumes(t, "RegionOne"), 4)
	assert.Len(t, e.c.Ports(t, "RegionOne"), 4)
}

// TestKubernetesCluster: the control plane gets an image, one after the other and each at its address, and then the workers do. No server in
// service is lost undrained, and never more than one is out of service.
func TestKubernetesCluster(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/kubernetes")
	consumer, drain := acctest.StartConsumer(t, 0)
	health := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(health.Close)
	e.Env = append(e.Env, "TF_VAR_drain_url="+drain)
	e.edit(t, `  update      = { pause = "5m" }`+"\n", "")
	e.file(t, "main.tf", regexp.MustCompile(`"http://\{address\}.*"`).ReplaceAllString(read(t, filepath.Join(e.Dir, "main.tf")), `"`+health.URL+`/{name}"`))
	watched := e.c.Watch(t, "RegionOne", 7)
	e.apply(t)
	ports, created := e.c.Ports(t, "RegionOne"), e.servers(t)
	require.Len(t, ports, 3)
	watched.Restart()

	of := func() (old, fresh []string) {
		for name, id := range e.servers(t) {
			if created[name] == id {
				old = append(old, name)
			} else {
				fresh = append(fresh, name)
			}
		}
		return old, fresh
	}
	acctest.Finish(t, func() string {
		text := acctest.Apply(t, e.Workspace, "image=debian-13")
		old, fresh := of()
		if slices.ContainsFunc(old, func(name string) bool { return strings.Contains(name, "control") }) {
			assert.False(t, slices.ContainsFunc(fresh, func(name string) bool { return strings.Contains(name, "worker") }), "%s are old, and %s new", old,
				fresh)
		}
		return text
	})
	old, fresh := of()
	assert.Empty(t, old)
	assert.Len(t, fresh, 7)
	assert.Equal(t, ports, e.c.Ports(t, "RegionOne"), "the ports of the control plane")
	tally := watched.Restart()
	assert.Zero(t, tally.Undrained+tally.Changed, "%+v", tally)
	assert.LessOrEqual(t, tally.Of-tally.Least, 1, "%+v", tally)
	assert.Equal(t, 4, consumer.Posts, "workers that were drained")
	_, err := e.Destroy(t.Context(), "image=debian-13")
	require.NoError(t, err)
	assert.Empty(t, e.servers(t))
	assert.Empty(t, e.c.Volumes(t, "RegionOne"))
}
