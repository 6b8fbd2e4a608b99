package examples_test

import (
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

// TestPlanLength: the plan of one image says as much of our resources for 40 nodes as for 6, in at most 60 lines.
func TestPlanLength(t *testing.T) {
	t.Parallel()
	ours := map[string]string{}
	for _, nodes := range []string{"6", "40"} {
		e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
		e.edit(t, "desired_capacity = 6", "desired_capacity = "+nodes+"\n  update = { max_batch_size = 1 }")
		e.edit(t, ", cap = 3", "")
		e.apply(t)
		e.edit(t, `"debian-12"`, `"debian-13"`)
		text := acctest.Must(t, e.Workspace, "plan", "-no-color", "-input=false")
		_, text, _ = strings.Cut(text, "Terraform will perform the following actions:\n")
		text, _, _ = strings.Cut(text, "\nPlan: ")
		var mine strings.Builder
		for block := range strings.SplitSeq(text, "\n\n  # ") {
			if strings.Contains(strings.SplitN(block, "\n", 2)[0], "stackpolicy_") {
				mine.WriteString("  # " + block + "\n")
			}
		}
		ours[nodes] = mine.String()
		t.Logf("%s nodes: %d of %d lines\n%s", nodes, strings.Count(ours[nodes], "\n"), strings.Count(text, "\n"), ours[nodes])
	}
	lines := strings.Count(ours["6"], "\n")
	assert.LessOrEqual(t, lines, 60)
	assert.Equal(t, lines, strings.Count(ours["40"], "\n"))
}
