//go:build unix

package readinesstf_test

import (
	"slices"
	"syscall"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
)

// TestMistakesKilled: terraform is killed after Nova has made a server of a batch, and
// before the server is in the state. The rollout goes on: the next plan has the id of the server, and the plan after it has
// both ids.
func TestMistakesKilled(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	b := &behind{installed: true}
	b.start(t, acctest.NewFake(t, fakecloud.Config{}), "a")
	b.write("b")
	hang := b.Cloud.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: "POST", Path: "/servers", Effect: fakecloud.Hang, Acts: true})
	err := acctest.Signalled(t, b.Workspace, hang, syscall.SIGKILL, 0, "apply", "-auto-approve", "-input=false", "-no-color", "-parallelism=1")
	assert.Error(t, err)
	b.applies++
	text := b.finish("b")
	known := b.ServerIDs(t)
	for _, s := range b.Cloud.AllServers(t) {
		if slices.Contains(known, s.ID) {
			continue
		}
		for _, said := range []string{"Servers are there that this plan makes again", "Servers belong to no node", s.ID} {
			assert.Regexp(t, acctest.Says(said), text)
		}
		b.Cloud.Kill(t, "RegionOne", s.ID)
	}
	b.counted("`kill -9` after Nova made a server, which is not in the state; in the end it is deleted by hand")
}
