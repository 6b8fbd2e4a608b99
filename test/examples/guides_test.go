package examples_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// use replaces the configuration by the one in another folder of the examples.
func (e example) use(t *testing.T, folder string) {
	t.Helper()
	old, err := filepath.Glob(filepath.Join(e.Dir, "*.tf"))
	for _, file := range old {
		if filepath.Base(file) != "required.tf" {
			err = errors.Join(err, os.Remove(file))
		}
	}
	require.NoError(t, errors.Join(err, os.CopyFS(e.Dir, os.DirFS(folder))))
}

// TestAccExample_fromElement: the servers are the same before and after, also if their zones were hints.
func TestAccExample_fromElement(t *testing.T) {
	for name, ignored := range map[string]string{"zones": "", "hints": "lifecycle { ignore_changes = [availability_zone_hints] }"} {
		t.Run(name, func(t *testing.T) {
			e := start(t, "guides/from-element/before")
			if ignored != "" {
				e.edit(t, "availability_zone =", "availability_zone_hints =")
			}
			e.apply(t)
			before := e.servers(t)
			e.use(t, "guides/from-element/after")
			e.edit(t, "network {", ignored+"\nnetwork {")
			migrate := exec.CommandContext(t.Context(), "sh", "-eu", "migrate.sh")
			migrate.Dir = e.Dir
			output, err := migrate.CombinedOutput()
			require.NoError(t, err, string(output))
			quoted(t, "from-element", counts(e.apply(t))+"\n"+ignored)
			assert.Equal(t, before, e.servers(t), "the servers")
			require.NoError(t, os.Remove(filepath.Join(e.Dir, "migrate.tf")))
			assert.Empty(t, e.planned(t), "without migrate.tf")
		})
	}
}

// TestAccFault_regionDown: the nodes of a region that cannot be reached stay, and the cluster grows elsewhere.
func TestAccFault_regionDown(t *testing.T) {
	e := start(t, "guides/several-regions/one-login")
	e.apply(t)
	before := e.servers(t)
	restore := e.c.Break(t, acctest.Stopped, "RegionTwo")
	_, err := e.Run(t.Context(), "plan", "-no-color", "-var=size=8")
	assert.ErrorContains(t, err, "Unable to read the cluster", "with a region down")
	assert.ErrorContains(t, err, "RegionTwo", "with a region down")
	text := acctest.Must(t, e.Workspace, "apply", "-auto-approve", "-no-color", "-refresh=false", "-var=size=8", `-var=regions_down=["RegionTwo"]`)
	require.Contains(t, text, "2 added, 1 changed, 0 destroyed")
	restore()
	quoted(t, "several-regions", "terraform apply -var size=8")
	e.apply(t, "size=8")
	kept(t, before, e.servers(t), 8)
	assert.Len(t, e.c.In(t, "RegionTwo"), 3, "nodes of RegionTwo")
}

// TestAccExample_zones: a zone that is down stays in a list of zones of both states, and so do its nodes.
func TestAccExample_zones(t *testing.T) {
	sideBySide(t)
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "guides/several-regions/zones")
	e.apply(t)
	e.c.Fake.SetZoneAvailable("RegionOne", "az-2", false)
	assert.Empty(t, e.planned(t), "with both states")
	e.edit(t, `"available", "unavailable"`, `"available"`)
	assert.Contains(t, e.planned(t), "1 to change", "with the zones that are available alone")
}

// TestAccExample_twoClouds: the shares of two clouds grow with the size.
func TestAccExample_twoClouds(t *testing.T) {
	e := start(t, "guides/several-regions/two-clouds")
	e.apply(t)
	before := e.servers(t)
	e.apply(t, "size=15")
	after := e.servers(t)
	kept(t, before, after, 15)
	oslo := 0
	for name := range after {
		if strings.HasPrefix(name, "web-oslo-") {
			oslo++
		}
	}
	assert.Equal(t, 4, oslo, "nodes of oslo")
}

// TestAccExample_quotas: a quota that is reached sends nodes elsewhere; a quota that leaves no room is an error.
func TestAccExample_quotas(t *testing.T) {
	e := start(t, "guides/quotas")
	e.c.RoomOfCores(t, "RegionOne", 4)
	text := e.apply(t)
	assert.Len(t, e.c.In(t, "RegionOne"), 2, "nodes of RegionOne")
	assert.Contains(t, text, "A quota binds")
	const full = `The region "RegionOne" gets 2 nodes and is full then: 0 of 4 cores in use.`
	quoted(t, "your-cloud", full)
	assert.Contains(t, strings.Join(strings.Fields(strings.ReplaceAll(text, "│", "")), " "), full)
	e.c.Room(t, "RegionTwo", 1)
	_, err := e.Run(t.Context(), "plan", "-no-color", "-var=size=8")
	assert.ErrorContains(t, err, "There is no feasible plan to handle all nodes.", "beyond the quotas")
}

// TestAccExample_keepingNodes: the node leaves the cluster, drained or not, its server stays, and the cluster grows
// and gets another image without it.
func TestAccExample_keepingNodes(t *testing.T) {
	runs.In(t, runs.Sweep)
	page := read(t, "../templates/guides/draining-nodes.md.tmpl")
	_, text, _ := strings.Cut(page, "To leave it undrained:\n\n```terraform\n")
	undrained, _, _ := strings.Cut(text, "```")
	require.NotEmpty(t, undrained)
	for status, more := range map[string]string{"SHUTOFF": "", "ACTIVE": undrained} {
		t.Run(status, func(t *testing.T) {
			e := start(t, "guides/keeping-nodes/before")
			e.apply(t)
			before := e.servers(t)
			e.use(t, "guides/keeping-nodes/after")
			e.file(t, "keep.tf", read(t, filepath.Join(e.Dir, "keep.tf"))+more)
			text := e.apply(t)
			assert.Equal(t, before, e.servers(t), "the servers")
			assert.Equal(t, status, e.c.Servers(t)["1"].Status, "the server that is kept")
			if more != "" {
				e.bringBack(t, before)
				return
			}
			quoted(t, "draining-nodes", counts(text))
			require.NoError(t, os.Remove(filepath.Join(e.Dir, "keep.tf")))
			e.edit(t, `kept = ["web-1"]`, "")
			e.edit(t, "desired_capacity = 2", "desired_capacity = 3")
			assert.NotContains(t, acctest.Apply(t, e.Workspace), "Warning")
			after := e.servers(t)
			kept(t, before, after, 4)
			assert.Contains(t, after, "web-3")
			e.edit(t, "desired_capacity = 3",
				"desired_capacity = 3\n  template = { image = \"debian-12\" }\n  update {\n    causes = [\"TEMPLATE\"]\n    max_batch_size = 3\n    "+
					"require_in_service = false\n  }")
			e.edit(t, `= "debian-12"`+"\n  flavor", "= each.value.template.image\n  lifecycle { create_before_destroy = true }\n  flavor")
			e.apply(t)
			e.edit(t, `"debian-12"`, `"debian-13"`)
			text = e.apply(t)
			rolled := e.servers(t)
			assert.Contains(t, rolled, "web-6", text)
			assert.Equal(t, after["web-1"], rolled["web-1"])
			assert.Len(t, rolled, 4)
			assert.NotContains(t, text, "A batch waits")
		})
	}
}

// bringBack makes the kept server a node again: the guide From Senlin says how.
func (e example) bringBack(t *testing.T, before map[string]string) {
	require.NoError(t, os.Remove(filepath.Join(e.Dir, "keep.tf")))
	e.edit(t, `kept = ["web-1"]`, "")
	e.edit(t, "desired_capacity = 2", "desired_capacity = 3")
	acctest.Must(t, e.Workspace, "state", "rm", "stackpolicy_placement_attachment.web")
	e.file(t, "import.tf", fmt.Sprintf(`
import {
  to = stackpolicy_placement_attachment.web
  id = "web"
}

import {
  to = openstack_compute_instance_v2.web["web-1"]
  id = %q
}`, before["web-1"]))
	assert.Contains(t, e.apply(t), "0 destroyed")
	assert.Equal(t, before, e.servers(t), "the servers, all of them nodes")
}

const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwEXAMPLE="

// consume starts the consumer of the guide with a script, and returns its address once it listens there.
func consume(t *testing.T, script string, env ...string) (address string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "consumer")
	require.NoError(t, errors.Join(workspace.Program(t.Context(), binary, "./examples/guides/hooks/consumer"), workspace.Watch(script)))
	address = freePort(t)
	consumer := exec.CommandContext(t.Context(), binary, address, script, filepath.Join(t.TempDir(), "drained.log"))
	consumer.Env = append(append(os.Environ(), "WEBHOOK_SECRET="+webhookSecret), env...)
	consumer.Stderr = t.Output()
	require.NoError(t, consumer.Start())
	t.Cleanup(func() { _ = consumer.Wait() }) // the context of the test has ended by then, and the consumer with it
	for range 100 {
		connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err == nil {
			connection.Close()
			return address
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the consumer does not listen")
	return ""
}

// TestAccExample_draining: the consumer of the guide drains each node before its server is destroyed. If that fails
// the node stays, and the next apply tries again.
func TestAccExample_draining(t *testing.T) {
	dir := t.TempDir()
	log, script := filepath.Join(dir, "drained"), filepath.Join(dir, "drain.sh")
	once := "mkdir " + filepath.Join(dir, "failed") + " 2>/dev/null && exit 1\n"
	require.NoError(t, workspace.WriteProgram(script, []byte("#!/bin/sh\nsleep 1\n"+once+"echo $CLUSTER $NODE_NAME $REGION >>"+log+"\n")))
	address := consume(t, script)
	e := start(t, "guides/hooks/webhook")
	url := "drain_url=http://" + address + "/drain"
	e.Env = append(e.Env, "STACKPOLICY_WEBHOOK_SECRET="+webhookSecret)
	e.apply(t, url)
	e.fails(t, "A lifecycle hook did not complete", url, "size=1")
	assert.Len(t, e.servers(t), 3, "one is drained, one is not, so neither server goes")
	e.apply(t, url, "size=1")
	assert.Len(t, strings.Fields(read(t, log)), 6, "drained")
	assert.Len(t, e.servers(t), 1)
}

// TestAccExample_fromSenlin: a running cluster is imported, attachment and servers, into plain resources and into the
// modules over two regions. The servers of the second region are imported on the command line, as the page says.
func TestAccExample_fromSenlin(t *testing.T) {
	sideBySide(t)
	const own, ours = "stackpolicy_placement_attachment.web", "module.web.stackpolicy_placement_attachment.cluster"
	const server, node = "openstack_compute_instance_v2.web", "module.web.openstack_compute_instance_v2.node"
	quoted(t, "from-senlin", own+"\n"+server+"[each.key]\n"+ours+"\n"+node+
		"[each.key]\nterraform import "+own+" web\nOS_REGION_NAME=RegionTwo terraform import '"+server)
	for name, how := range map[string]struct {
		module, attachment, server string
		regions                    []string // of the servers
		commands                   bool     // whether everything is imported on the command line
	}{
		"own":              {"", own, server, []string{"RegionOne", "RegionOne", "RegionOne"}, false},
		"cluster":          {"cluster", ours, node, []string{"RegionTwo", "RegionOne"}, false},
		"cluster/command":  {"cluster", ours, node, []string{"RegionTwo", "RegionOne"}, true},
		"stateful/command": {"stateful", ours, node, []string{"RegionOne", "RegionTwo"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t, map[bool]string{true: "guides/keeping-nodes/before", false: "clusters/first"}[how.module == ""])
			if how.module != "" {
				e.with(t, how.module, "desired_capacity = 2\nregions = [{ name = \"RegionOne\" }, { name = \"RegionTwo\" }]\n"+
					"networks = [\"shared\"]\nservergroup = { policies = \"soft-anti-affinity\" }")
				e.Attach = nil // the commands have another environment
				require.NoError(t, e.Init(t.Context()))
			}
			fromSenlin(t, e, how.attachment, how.server, how.regions, how.commands)
		})
	}
}

func fromSenlin(t *testing.T, e example, attachment, server string, regions []string, commands bool) {
	t.Helper()
	e.c.Image, e.c.Flavor = e.c.Named(t, "debian-12"), "m1.small"
	type command []string
	first, later, ids := []command{{attachment, "web", "RegionOne"}}, []command{}, map[string]string{}
	for i, region := range regions {
		network, _ := e.c.Network(t, region)
		zone := fmt.Sprintf("az-%d", i+1)
		s := acctest.Server{Name: fmt.Sprint(i), Region: region, Zone: zone, Network: network,
			Group: e.c.Group(t, region, fmt.Sprint("senlin", i), "soft-anti-affinity")}
		id, name := e.c.Boot(t, s)[0], fmt.Sprintf("web-%d", i)
		if commands || region != "RegionOne" {
			later = append(later, command{fmt.Sprintf("%s[%q]", server, name), id, region})
		} else {
			ids[name] = id
		}
	}
	blocks := fmt.Sprintf("import {\n  for_each = local.servers\n  to = %s[each.key]\n  id = each.value\n}\n", server)
	if len(later) == 0 {
		first, blocks = nil, blocks+fmt.Sprintf("import {\n  to = %s\n  id = \"web\"\n}\n", attachment)
	}
	before := e.servers(t)
	for i, c := range append(first, later...) {
		if commands && i > 0 { // without this server
			_, err := e.Run(t.Context(), "plan", "-no-color")
			require.Error(t, err)
			assert.Regexp(t, acctest.Says("Servers are there that this plan makes again"), err.Error())
			if i == 1 || acctest.TerraformMinor(t) > 0 { // which also replaces the one before
				assert.Regexp(t, acctest.Says(fmt.Sprintf("OS_REGION_NAME=%s terraform import 'ADDRESS[\"web-%d\"]' %s", c[2], i-1, c[1])), err.Error())
			}
		}
		at := *e.Workspace
		at.Env = append(slices.Clone(e.Env), "OS_REGION_NAME="+c[2])
		acctest.Must(t, &at, "import", "-input=false", "-no-color", c[0], c[1])
	}
	if len(ids) > 0 {
		servers, err := json.Marshal(ids)
		require.NoError(t, err)
		e.file(t, "import.tf", fmt.Sprintf("%slocals {\n  servers = %s\n}\n", blocks, servers))
	}
	if len(first) > 0 {
		e.memorize(t, "module.web.")
	}
	plan := counts(e.apply(t))
	assert.Contains(t, plan, "0 to destroy")
	assert.Equal(t, before, e.servers(t), "the servers")
}

// freePort returns an address of this machine on which nobody listens. It is below the ports that the system gives
// out, because a fake cloud of another test could get one of those before the caller listens.
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(10000))
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err == nil {
			listener.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

// TestAccExample_loadBalancer: a node that is replaced loses its member, then its server, after the new node is in service
// and in the pool.
func TestAccExample_loadBalancer(t *testing.T) {
	e := start(t, "guides/behind-a-load-balancer")
	pool := e.c.Pool(t, "RegionOne")
	e.Env = append(e.Env, "TF_VAR_pool_id="+pool)
	e.edit(t, `grace_period = "1m"`, `grace_period = "1s"`)
	e.edit(t, `stable_for = "10s"`, `stable_for = "1s"`)
	members := func(want ...string) {
		t.Helper()
		assert.ElementsMatch(t, want, slices.Collect(maps.Keys(e.c.Members(t, "RegionOne", pool))), "members")
	}
	e.apply(t)
	members("web-0", "web-1", "web-2")
	before := e.servers(t)
	if e.c.Fake != nil {
		e.c.Fake.ResetRequests()
	}
	e.apply(t, `candidates=["web-1"]`)
	if e.c.Fake != nil {
		assert.Equal(t, []string{"POST server", "POST member", "DELETE member", "stop", "DELETE server"}, e.requested())
	}
	members("web-0", "web-2", "web-3")
	after := e.servers(t)
	kept(t, before, after, 3)
	assert.NotContains(t, after, "web-1")
}

// TestAccExample_testingAModule runs the tests of the guide's module, as its reader does: one after the other, the
// mocked one without a cloud.
func TestAccExample_testingAModule(t *testing.T) {
	needsOverride(t)
	e := start(t, "guides/testing-a-module")
	mocked := "tests/mocked.tftest.hcl"
	if acctest.TerraformMinor(t) == 0 {
		mocked = "tests/mocked.tofutest.hcl"
	}
	passes := func(file string) {
		t.Helper()
		text, err := e.Run(t.Context(), "test", "-no-color", "-filter="+file)
		assert.NoError(t, err)
		assert.Contains(t, text, "Success! 1 passed, 0 failed.")
	}
	passes("tests/planned.tftest.hcl")
	env := e.Env
	e.Env = append(e.Env, "OS_CLOUD=", "OS_AUTH_URL=http://127.0.0.1:1/", "OS_CLIENT_CONFIG_FILE=/nowhere")
	passes(mocked)
	e.Env = env // for the end of the test
}

// needsOverride skips a test of the guide's module with a Terraform that does not support override_during, and
// therefore cannot read the module.
func needsOverride(t *testing.T) {
	if minor := acctest.TerraformMinor(t); minor > 0 && minor < 11 {
		t.Skipf("needs Terraform 1.11 for override_during, this is 1.%d", minor)
	}
}

const memory = "guides/state-is-the-memory/"

// TestAccExample_restore: the drill of the guide. A backup restores the cluster into an empty state. Without a backup
// the import does, and no server changes.
func TestAccExample_restore(t *testing.T) {
	e := start(t, memory+"cluster")
	require.NoError(t, os.Remove(filepath.Join(e.Dir, "import.tf"))) // for the last section
	e.apply(t)
	before := e.servers(t)
	backup := acctest.Must(t, e.Workspace, "state", "pull")
	lost := filepath.Join(e.Dir, "terraform.tfstate")
	require.NoError(t, os.Remove(lost))
	e.file(t, "backup.tfstate", backup)
	_, err := e.Run(t.Context(), "plan", "-no-color")
	require.Error(t, err, "without its state")
	assert.Regexp(t, acctest.Says("Servers of this cluster are there already"), err.Error())
	acctest.Must(t, e.Workspace, "state", "push", "backup.tfstate")
	assert.Empty(t, e.planned(t), "with the backup")

	require.NoError(t, os.Remove(lost))
	e.use(t, memory+"cluster")
	e.file(t, "servers.auto.tfvars.json", map[string]any{"servers": before})
	got := counts(e.apply(t))
	quoted(t, "state-is-the-memory", got)
	assert.Contains(t, got, "5 to import, 0 to add")
	assert.Contains(t, got, "0 to destroy")
	assert.Equal(t, before, e.servers(t), "the servers")
}

// TestAccExample_leave: the servers of a cluster with deletion attachments stay when the provider leaves, and then
// nothing needs the provider any more.
func TestAccExample_leave(t *testing.T) {
	const output = "output \"nodes\" {\n  value = stackpolicy_placement_attachment.web.nodes\n}\n"
	e := start(t, memory+"leave")
	require.NoError(t, os.Remove(filepath.Join(e.Dir, "nodes.json")))
	leave, _, _ := strings.Cut(read(t, filepath.Join(e.Dir, "main.tf")), "# Terraform forgets")
	e.file(t, "main.tf", strings.Replace(leave, `jsondecode(file("${path.module}/nodes.json"))`, "stackpolicy_placement_attachment.web.nodes", 1)+`
resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 6
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]
}
`)
	e.file(t, "more.tf", output+`
resource "stackpolicy_deletion_attachment" "web" {
  for_each  = openstack_compute_instance_v2.web
  server_id = each.value.id
  region    = each.value.region
}
`)
	e.apply(t)
	before := e.servers(t)
	quoted(t, "state-is-the-memory", output)
	nodes := acctest.Must(t, e.Workspace, "output", "-json", "nodes")
	e.use(t, memory+"leave")
	e.file(t, "nodes.json", nodes)
	e.file(t, "more.tf", "removed {\n  from = stackpolicy_deletion_attachment.web\n  lifecycle {\n    destroy = false\n  }\n}\n")
	got := counts(e.apply(t))
	quoted(t, "state-is-the-memory", got)
	assert.Contains(t, got, "Plan: 0 to add, 0 to change, 0 to destroy", "leaving")
	require.NoError(t, os.Remove(filepath.Join(e.Dir, "nodes.json")))
	e.use(t, memory+"left")
	e.file(t, "nodes.json", nodes)
	assert.Empty(t, e.planned(t), "without the provider")
	text := acctest.Must(t, e.Workspace, "providers")
	assert.NotContains(t, text, "stackpolicy", "the provider is still there")
	assert.Equal(t, before, e.servers(t), "the servers")
}

// script runs a script of the guide on autoscaling.
func (e example) script(t *testing.T, name string, args ...string) {
	t.Helper()
	env, end, err := e.Attached(t.Context())
	require.NoError(t, err)
	defer end()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = e.Dir, slices.Concat(env, []string{"TERRAFORM=" + e.Terraform})
	output, err := cmd.CombinedOutput()
	assert.NoError(t, err, "%s %v:\n%s", name, args, output)
}

// TestExample_autoscaling: the size follows the load within its bounds, also when two runs of the script overlap, and
// stays when somebody else applies; nodes leave by name. It runs only on the fake cloud, because the cloud makes no difference.
func TestExample_autoscaling(t *testing.T) {
	runs.In(t, runs.Sweep)
	e := start(t, "guides/autoscaling")
	for _, c := range []struct{ load, size int }{{450, 5}, {0, 2}, {9999, 10}} {
		before := e.servers(t)
		e.script(t, "./scale.sh", strconv.Itoa(c.load))
		kept(t, before, e.servers(t), c.size)
		assert.Empty(t, e.planned(t), "without a size")
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { e.script(t, "./scale.sh", "380") })
	}
	both.Wait()
	before := e.servers(t)
	assert.Len(t, before, 4, "servers after two runs at once")
	names := slices.Sorted(maps.Keys(before))
	for range 2 { // the second run finds nothing to do
		e.script(t, "./leave.sh", names[1], names[0], "web-99")
		assert.Equal(t, names[2:], slices.Sorted(maps.Keys(e.servers(t))), "the nodes that were not named")
	}
	e.apply(t)
	assert.Equal(t, names[2:], slices.Sorted(maps.Keys(e.servers(t))), "when somebody else applies")
}

// TestExample_severalStates: the placement is in one state, and the servers in another. They are applied in this
// order when the cluster grows and shrinks. It runs only on the fake cloud.
func TestExample_severalStates(t *testing.T) {
	placement := start(t, "guides/several-states/placement")
	servers := example{placement.c.Example(t, "guides/several-states/servers"), placement.c}
	before := map[string]string{}
	for _, size := range []string{"4", "7", "3"} {
		acctest.Apply(t, placement.Workspace, "size="+size)
		servers.apply(t, "placement_state="+placement.Dir+"/terraform.tfstate")
		assert.Empty(t, placement.planned(t, "size="+size), "the plan of the placement afterwards")
		after := servers.servers(t)
		n, _ := strconv.Atoi(size)
		kept(t, before, after, n)
		before = after
	}
}
