//go:build unix

package provider_test

import (
	"fmt"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// rolled is a cluster of three nodes whose version is replaced one by one, each
// new server marked as in service before the old one goes.
func rolled(c *acctest.Cloud, version string) string {
	return acctest.Placement(c, 3, acctest.Places("RegionOne: az-1 az-2 az-3"), fmt.Sprintf(`template          = { version = %q }
  update {
    causes             = ["UNHEALTHY", "TEMPLATE"]
    max_batch_size     = 1
    require_in_service = true
  }`, version)) + acctest.Made(c, "metadata = { version = each.value.template.version }\n  "+acctest.First) +
		acctest.Drained("shutdown = true\n  "+acctest.First) + acctest.Awaited(c, "timeout = 30")
}

// TestKilledRollout kills terraform at each request of a batch. The applies that
// follow end the rollout, and none ever takes more than its one node.
func TestKilledRollout(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	l := acctest.Loop{Workspace: c.Installed(t, rolled(c, "a")), Cloud: c}
	k := killing{l, rolled(c, "a"), rolled(c, "b")}
	k.prepare(t)
	k.apply(t)
	targets, killed := c.Fake.Requests(), 0
	for n, r := range targets {
		if spared(r) || testing.Short() && killed == 2 { // "make faults" kills at all
			continue
		}
		killed++
		name := fmt.Sprintf("killed at request %d, %s", n+1, r)
		k.prepare(t)
		k.kill(t, n+1)
		for applies := 1; ; applies++ {
			// An apply ends one batch, and the one that was killed began one.
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
	}
	t.Logf("killed at %d of %d requests", killed, len(targets))
}

// serversOf counts the servers of a version, and all.
func serversOf(c *acctest.Cloud, version string) (of, all int) {
	for _, s := range c.Fake.Servers("RegionOne") {
		if all++; s.Metadata["version"] == version {
			of++
		}
	}
	return of, all
}
