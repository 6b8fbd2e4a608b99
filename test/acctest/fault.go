package acctest

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// Fault is a fault of the Nova of a region.
type Fault struct {
	begin, end string // arguments of the script
	effect     fakecloud.Effect
}

var (
	// Stopped refuses connections; the fake cloud resets them.
	Stopped = Fault{"stop", "start", fakecloud.Reset}
	// Hanging accepts connections, and does not answer.
	Hanging = Fault{"hang", "resume", fakecloud.Hang}
)

// Break breaks a region's Nova until the test restores it, or ends. On a real cloud the script in STACKPOLICY_FAULT
// does that; without a script the test is skipped.
func (c *Cloud) Break(t testing.TB, f Fault, region string) (restore func()) {
	t.Helper()
	if c.Fake != nil {
		fault := fakecloud.Fault{Service: fakecloud.Compute, Region: region, Effect: f.effect, Times: fakecloud.Forever}
		restore = c.Fake.Inject(fault).Remove
		t.Cleanup(restore)
		return restore
	}
	script := os.Getenv("STACKPOLICY_FAULT")
	if script == "" {
		t.Skip("needs STACKPOLICY_FAULT, the script that breaks the cloud's services")
	}
	run := func(what string) {
		if output, err := exec.CommandContext(context.WithoutCancel(t.Context()), script, what, region).
			CombinedOutput(); err != nil {
			t.Errorf("%s %s %s: %v\n%s", script, what, region, err, output)
		}
	}
	run(f.begin)
	restore = sync.OnceFunc(func() { run(f.end) })
	t.Cleanup(restore)
	return restore
}
