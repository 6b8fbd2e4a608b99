package placementtf_test

import (
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAccPlacementWindow: no batch begins after the window has shut, not even in a plan without a refresh, or when a plan is
// applied late.
func TestAccPlacementWindow(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	config := func(image string) string {
		return acctest.Placement(c, 2, acctest.Places("RegionOne: az-1"), `template = { image = "`+image+`" }
  update {
    causes         = ["TEMPLATE"]
    max_batch_size = 1
    window         = ["Thu 00:00-24:00 UTC"]
  }`) + acctest.Made(c, acctest.First)
	}
	w := c.Workspace(t, config("a"))
	run := func(command string, args ...string) string {
		said, err := w.Run(t.Context(), append([]string{command, "-input=false", "-no-color"}, args...)...)
		if err != nil {
			return err.Error()
		}
		return said
	}
	for range 2 {
		run("apply", "-auto-approve")
	}
	require.NoError(t, w.Write(config("b")))
	for _, step := range []struct {
		later time.Duration
		args  []string
		says  string
	}{
		{0, []string{"plan", "-out=in-time"}, "batch 1 of 2"},
		{0, []string{"plan", "-refresh=false"}, "batch 1 of 2"},
		{24 * time.Hour, []string{"plan", "-refresh=false"}, "Now 1 of them should wait until Thu 00:00 UTC. Plan again, with a refresh."},
		{0, []string{"apply", "in-time"}, "The window has shut since the last refresh"},
		{0, []string{"plan"}, "held: until Thu 00:00 UTC"},
		{6 * 24 * time.Hour, []string{"apply", "in-time"}, "1 added, 1 changed, 1 destroyed"},
	} {
		c.Fake.Advance(step.later)
		assert.Regexp(t, acctest.Says(step.says), run(step.args[0], step.args[1:]...), "%v", step.args)
	}
}
