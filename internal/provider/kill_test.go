//go:build unix

package provider_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var killAll = flag.Bool("kill-all", false, "kill terraform at every request, not only at those that change something")

// TestKilled kills terraform and its providers after the cloud has carried out a
// request, and before it answers. The next apply ends where the killed apply would
// have ended: with one server group, and a server for each node. At most one server is
// left behind, whose creation was not answered: only terraform-provider-openstack could
// know it, and it has a node's name.
func TestKilled(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	l := acctest.Loop{Workspace: c.Installed(t, guarded(c, 2)), Cloud: c}
	for _, change := range []struct {
		name, before, config string
		size, left           int // servers at the end, and maximum number of servers left behind
	}{
		{"create", "", guarded(c, 2), 2, 1},
		{"shrink", guarded(c, 2), guarded(c, 1), 1, 0},
	} {
		k := killing{l, change.before, change.config}
		k.each(t, change.name, func(name string) {
			k.apply(t)
			l.Settled(t, name)
			assert.Equal(t, 1, c.Groups(t, "RegionOne"), "%s: server groups", name)
			assert.Len(t, c.Servers(t), change.size, "%s: names", name)
			assert.LessOrEqual(t, len(c.Fake.Servers("RegionOne")), change.size+change.left, "%s: servers", name)
		})
	}
}

// spared reports whether terraform is not killed at a request.
func spared(r fakecloud.Request) bool {
	return !*killAll && (r.Method == "GET" || r.Path == "/auth/tokens")
}

// killing is a change of a configuration whose apply will be killed.
type killing struct {
	acctest.Loop
	before, config string
}

// prepare makes the cluster before the change, in an empty cloud.
func (k killing) prepare(t *testing.T) {
	t.Helper()
	for _, s := range k.Cloud.Fake.Servers("RegionOne") {
		k.Cloud.Fake.RemoveServers("RegionOne", s.ID)
	}
	k.Cloud.DropGroups(t, "RegionOne")
	for _, file := range []string{"terraform.tfstate", "terraform.tfstate.backup"} {
		require.NoError(t, os.RemoveAll(filepath.Join(k.Dir, file)))
	}
	if k.before != "" {
		require.NoError(t, k.Write(k.before))
		k.apply(t)
	}
	require.NoError(t, k.Write(k.config))
	k.Cloud.Fake.ResetRequests()
}

// each kills the change at each of its requests, and checks what happens then.
func (k killing) each(t *testing.T, what string, then func(name string)) {
	t.Helper()
	k.prepare(t)
	k.apply(t)
	targets, killed := k.Cloud.Fake.Requests(), 0
	for n, r := range targets {
		if spared(r) {
			continue
		}
		killed++
		k.prepare(t)
		k.kill(t, n+1)
		then(fmt.Sprintf("%s, killed at request %d, %s", what, n+1, r))
	}
	t.Logf("%s: killed at %d of %d requests", what, killed, len(targets))
}

// orderly makes terraform do one thing after the other, so that requests come in the
// same order each time.
var orderly = []string{"apply", "-auto-approve", "-input=false", "-no-color", "-parallelism=1"}

func (k killing) apply(t *testing.T) {
	t.Helper()
	_, err := k.Run(t.Context(), orderly...)
	assert.NoError(t, err)
}

// kill kills an apply at its nth request.
func (k killing) kill(t *testing.T, nth int) {
	t.Helper()
	hang := k.Cloud.Fake.Inject(fakecloud.Fault{Nth: nth, Effect: fakecloud.Hang, Acts: true})
	assert.Error(t, acctest.Signalled(t, k.Workspace, hang, syscall.SIGKILL, 0, orderly...), "killed at request %d", nth)
}

// rolled returns a cluster of three nodes whose version is replaced one by one: each
// new server is marked as in service before the old one is removed.
func rolled(c *acctest.Cloud, version string) string {
	return acctest.Placement(c, 3, acctest.Places("RegionOne: az-1 az-2 az-3"), fmt.Sprintf(`template          = { version = %q }
  update {
    causes             = ["UNHEALTHY", "TEMPLATE"]
    max_batch_size     = 1
    require_in_service = true
  }`, version)) + acctest.Generations + acctest.Made(c, `metadata = { version = each.value.template.version }
  lifecycle {
    create_before_destroy = true
    ignore_changes        = [metadata]
    `+acctest.Again+"\n  }") +
		acctest.Drained(acctest.First) + acctest.Awaited(c, "timeout = 30")
}

// TestKilledRollout kills terraform at each request of a batch. The following applies
// end the rollout, and no apply takes more than one node.
func TestKilledRollout(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	l := acctest.Loop{Workspace: c.Installed(t, rolled(c, "a")), Cloud: c}
	k := killing{l, rolled(c, "a"), rolled(c, "b")}
	k.each(t, "rollout", func(name string) {
		for applies := 1; ; applies++ {
			// Each apply ends one batch, and the killed apply began one.
			old, there := serversOf(c, "a")
			if old < 3-applies || there < 3 {
				t.Errorf("%s: before apply %d there are %d servers, %d of the old version", name, applies, there, old)
			}
			if old == 0 || applies > 4 {
				break
			}
			k.apply(t)
		}
		l.Settled(t, name)
		if got, _ := serversOf(c, "b"); got < 3 || len(c.Servers(t)) != 3 {
			t.Errorf("%s: %d servers of the new version, of %d names", name, got, len(c.Servers(t)))
		}
	})
}

// serversOf counts the servers of a version, and all servers.
func serversOf(c *acctest.Cloud, version string) (of, all int) {
	for _, s := range c.Fake.Servers("RegionOne") {
		if all++; s.Metadata["version"] == version {
			of++
		}
	}
	return of, all
}
