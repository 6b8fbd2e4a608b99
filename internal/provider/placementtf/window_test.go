package placementtf_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// windowed are steps of a cluster whose new template waits for the window: how much later a command runs, and what it says.
// With RECREATE an apply has destroyed a server before it could be refused. "together" gives window and template in one
// apply, before a refresh knows whether that window is open; "open" gives another window, which is open.
var windowed = map[string][]struct {
	later time.Duration
	args  []string
	says  string
}{
	"SUBSTITUTE": {
		{0, []string{"plan", "-out=in-time"}, "batch 1 of 2"},
		{0, []string{"plan", "-refresh=false"}, "batch 1 of 2"},
		{24 * time.Hour, []string{"plan", "-refresh=false"}, "Now 1 of them should wait until Thu 00:00 UTC. Plan again, with a refresh."},
		{0, []string{"apply", "in-time"}, "The window has shut since the last refresh"},
		{0, []string{"plan"}, "shut until Thu 00:00 UTC"},
		{6 * 24 * time.Hour, []string{"plan", "-out=in-time"}, "batch 1 of 2"},
		{0, []string{"apply", "in-time"}, "1 added, 1 changed, 1 destroyed"},
	},
	"together": {
		{3 * 24 * time.Hour, []string{"apply", "-auto-approve"}, "shut until a refresh in Thu 00:00-24:00 UTC"},
		{0, []string{"plan", "-detailed-exitcode"}, "No changes"},
		{0, []string{"plan"}, "no batch begins until Thu 00:00 UTC"},
		{0, []string{"open"}, ""},
		{0, []string{"apply", "-auto-approve"}, "shut until a refresh in Sun 00:00-24:00 UTC"},
		{0, []string{"plan"}, "batch 1 of 2"},
	},
	"RECREATE": {
		{0, []string{"apply", "-auto-approve"}, "1 added, 2 changed, 1 destroyed"},
		{0, []string{"plan", "-refresh=false"}, "no batch begins until a refresh in Thu 00:00-24:00 UTC"},
	},
}

// TestAccPlacementWindow: no batch begins after the window has shut, not even in a plan without a refresh, or when a plan is
// applied late.
func TestAccPlacementWindow(t *testing.T) {
	t.Parallel()
	for method := range windowed {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			testWindow(t, method)
		})
	}
}

func testWindow(t *testing.T, method string) {
	c := acctest.NewFake(t, fakecloud.Config{})
	servers := acctest.Made(c, acctest.First)
	if method == "RECREATE" {
		servers = acctest.Made(c, "lifecycle {\n    "+acctest.Again+"\n  }") + acctest.Generations
	}
	config := func(version string) string {
		windowed := acctest.Placement(c, 2, acctest.Places("RegionOne: az-1"), `template = { version = "`+version+`" }
  update {
    causes         = ["TEMPLATE"]
    max_batch_size = 1
    require_in_service = false
    method         = "`+method+`"
    window         = ["Thu 00:00-24:00 UTC"]
  }`) + servers
		if method == "together" {
			windowed = strings.Replace(windowed, "together", "SUBSTITUTE", 1)
			if version == "a" {
				return regexp.MustCompile(`window += .*`).ReplaceAllString(windowed, "")
			}
		}
		return windowed
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
	for _, step := range windowed[method] {
		if c.Fake.Advance(step.later); step.args[0] == "open" {
			require.NoError(t, w.Write(strings.Replace(config("b"), "Thu", "Sun", 1)))
			continue
		}
		assert.Regexp(t, acctest.Says(step.says), run(step.args[0], step.args[1:]...), "%v", step.args)
	}
}
