//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/rollout"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// config is a cluster of four nodes, replaced two with each apply, whose version is the variable image. Its output
// changes with each plan. The servers do not ignore user data, which the variable changes for the first node, or for
// all of them.
func config(c *acctest.Cloud, update, readiness string) string {
	return "variable \"image\" { default = \"a\" }\nvariable \"user_data\" { default = \"\" }\noutput \"now\" { value = timestamp() }\n" +
		acctest.Placement(c, 4, acctest.Places("RegionOne: az-1 az-2"), fmt.Sprintf(`template          = { version = var.image }
  update {
    causes         = ["TEMPLATE"]
    max_batch_size = 2
    %s
  }`, update)) + acctest.Servers(fmt.Sprintf(`
  image_id     = each.value.template.version == "misspelled" ? "none" : %q
  user_data    = var.user_data == "all" || endswith(each.key, "0") ? var.user_data : ""
  flavor_id    = %q
  network_mode = "none"
  metadata     = { version = each.value.template.version }
  lifecycle {
    create_before_destroy = true
    ignore_changes        = [image_id, metadata]
    %s
  }`, c.Image, c.Flavor, acctest.Again)) + acctest.Generations + acctest.Drained(acctest.First) + acctest.Awaited(c, readiness)
}

var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "rollout-test")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "rollout")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", file, ".")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, said)
	}
	return file, nil
})

// TestAccept: the volumes that a changed variable gives up must be accepted, by their address. TestWhole in test/examples has what a
// rollout does to all that hangs on nodes.
func TestAccept(t *testing.T) {
	t.Parallel()
	file, err := program()
	require.NoError(t, err)
	c := acctest.NewFake(t, fakecloud.Config{Now: time.Now})
	c.Fake.Furnish()
	w := c.Example(t, "clusters/first")
	require.NoError(t, errors.Join(w.Write(`
variable "wal" { default = true }

module "db" {
  source           = "../../modules/stateful"
  cluster          = "db"
  desired_capacity = 2
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]
  image            = "debian-12"
  flavors          = ["m1.small"]
  networks         = ["shared"]
  disks            = merge({ data = { size = 1 } }, var.wal ? { wal = { size = 1 } } : {})
  release          = var.wal ? [] : ["wal"]
}
`), w.Init(t.Context())))
	acctest.Apply(t, w)
	attached, end, err := w.Attached(t.Context())
	require.NoError(t, err)
	defer end()
	rollout := func(args ...string) (int, string) {
		cmd := exec.Command(file, append([]string{"-dir", w.Dir, "-terraform", w.Terraform, "-poll", "1s", "-var", "wal=false"}, args...)...)
		cmd.Env = append(os.Environ(), attached...)
		return code(t, cmd)
	}
	const gone = "module.db.openstack_blockstorage_volume_v3.slot"
	got, said := rollout("-accept", "openstack_blockstorage_volume_v3", "-accept", gone+`["db-0/wal"]`)
	assert.Equal(t, 2, got, said)
	assert.Contains(t, said, "the plan changes 1 resource although no node change asks for it. Apply it by hand, or allow it with -accept '"+
		gone+`["db-1/wal"]`)
	got, said = rollout("-accept", gone)
	require.Zero(t, got, said)
}

// start makes a cluster of four nodes of version a, and returns the command for a rollout of version b, two nodes
// with each apply.
func start(t *testing.T, update, readiness string) (*acctest.Cloud, func(args ...string) *exec.Cmd) {
	t.Helper()
	file, err := program()
	require.NoError(t, err)
	c := acctest.NewFake(t, fakecloud.Config{Now: time.Now})
	w := c.Installed(t, config(c, update, readiness))
	for range 2 { // once all nodes have a mark, marks are required
		acctest.Apply(t, w)
	}
	return c, func(args ...string) *exec.Cmd {
		cmd := exec.Command(file, append([]string{"-dir", w.Dir, "-terraform", w.Terraform, "-var", "image=b", "-poll", "1s"}, args...)...)
		cmd.Env = append(os.Environ(), w.Env...)
		return cmd
	}
}

// code runs a command and returns its exit code and its output.
func code(t *testing.T, cmd *exec.Cmd) (int, string) {
	t.Helper()
	said, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(said)
}

// TestRollout: all nodes are replaced, two with each apply; a policy sees each plan; the limits hold; and the next
// run continues.
func TestRollout(t *testing.T) {
	t.Parallel()
	c, command := start(t, "", `timeout = "30s"`)
	got, said := code(t, command("-max-applies", "1"))
	require.Equal(t, 2, got, said)
	require.Equal(t, "a:2 b:2", c.Versions(t), said)
	assert.Contains(t, said, "held: -max-applies 1 is reached (1 apply")
	assert.Contains(t, said, "\nPlacement of "+c.Prefix)
	summary := filepath.Join(t.TempDir(), "summary.md")
	rest := command("-json", "-summary", summary)
	rest.Args = append(rest.Args, "-policy", // a saved plan has secrets in it
		fmt.Sprintf(`grep -q '"planned_values"' && find %q -name '*.tfplan' -perm 600 | grep -q .`, filepath.Join(rest.Args[2], ".terraform")))
	got, said = code(t, rest)
	require.Zero(t, got, said)
	require.Equal(t, "b:4", c.Versions(t), said)
	var kinds []string
	for line := range strings.Lines(said) {
		var e rollout.Event
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		if e.Kind != "progress" {
			kinds = append(kinds, e.Kind)
		}
	}
	assert.Equal(t, "plan apply applied plan end", strings.Join(kinds, " "), "the events")
	written, err := os.ReadFile(summary)
	require.NoError(t, err)
	assert.Regexp(t, "(?s)^## Apply 1\n.*### Placement of "+c.Prefix+`.*\*\*done\*\*: nothing is left to replace \(1 apply`, string(written))
}

// TestEnds: a rollout ends when a plan makes a change that no node change needs. TestRollout has the other ends.
func TestEnds(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	health := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/bad/") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(health.Close)
	c, command := start(t, "", "timeout = \"3s\"\n  http { url = \""+health.URL+"/${var.image}/{name}\" }")
	for _, end := range []struct {
		args     []string
		code     int
		said     string
		versions string
	}{
		{[]string{"-var", "image=a", "-var", "user_data=all"}, 1, "Servers change outside of the batch", "a:4"},
		{[]string{"-var", "image=a", "-var", "user_data=one"}, 2, "held: the plan changes 2 resources although no node change asks for it. " +
			"Apply it by hand, or allow it with -accept 'openstack_compute_instance_v2.web[\"" + c.Prefix + "0\"]' " +
			"-accept 'stackpolicy_deletion_attachment.web[\"" + c.Prefix + "0\"]'", "a:4"},
	} {
		c.Fake.ResetRequests()
		got, said := code(t, command(end.args...))
		assert.Equal(t, end.code, got, "%s:\n%s", end.args, said)
		assert.Contains(t, said, end.said)
		assert.Equal(t, end.versions, c.Versions(t), end.args)
		assert.False(t, strings.Contains(fmt.Sprint(end.args), "user_data") && c.Fake.Count("POST compute /servers") != 0, "%s: servers were made", end.args)
	}
}

// TestStopped: an interrupted run ends after its apply, the apply of a killed run ends without it, and the next run
// continues.
func TestStopped(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			c, command := start(t, "", `timeout = "30s"`)
			cmd := command("-json")
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			var said bytes.Buffer
			var once sync.Once
			for lines := bufio.NewScanner(out); lines.Scan(); {
				said.WriteString(lines.Text() + "\n")
				if strings.Contains(lines.Text(), `"event":"progress"`) && strings.Contains(lines.Text(), "openstack_compute_instance_v2") {
					once.Do(func() { _ = cmd.Process.Signal(signal) })
				}
			}
			_ = cmd.Wait()
			if signal == syscall.SIGINT &&
				(cmd.ProcessState.ExitCode() != 2 || c.Versions(t) != "a:2 b:2" || !strings.Contains(said.String(), `"interrupted (1 apply`)) {
				t.Errorf("exit code %d, %s\n%s", cmd.ProcessState.ExitCode(), c.Versions(t), said.String())
			}
			// The apply of a killed run continues, and holds the lock of the state.
			if got, said := code(t, command("-lock-timeout", "10m")); got != 0 || strings.Contains(c.Versions(t), "a:") || len(c.Servers(t)) != 4 {
				t.Errorf("the next run: exit code %d, %s\n%s", got, c.Versions(t), said)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
		said string
	}{
		{[]string{"-h"}, 0, "Usage: rollout"},
		{[]string{"-version"}, 0, "rollout "},
		{[]string{"apply"}, exitUsage, `"apply" is no flag`},
		{[]string{"-colour"}, exitUsage, "flag provided but not defined: -colour"},
		{[]string{"-max-time", "soon"}, exitUsage, `A duration from 1s to 106751d is needed`},
		{[]string{"-max-applies", "-1"}, exitUsage, "at least 1"},
		{[]string{"-terraform", "/does/not/exist"}, 1, "no such file"},
		{[]string{"-dir", "/does/not/exist", "-terraform", "sh"}, 1, "/does/not/exist"},
	} {
		var stdout, stderr bytes.Buffer
		if got := run(c.args, &stdout, &stderr); got != c.code || !strings.Contains(stdout.String()+stderr.String(), c.said) {
			t.Errorf("%q: exit code %d\n%s%s", c.args, got, stdout.String(), stderr.String())
		}
	}
}
