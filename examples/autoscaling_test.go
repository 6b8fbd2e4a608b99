package examples_test

import (
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scale runs the script of the guide on autoscaling.
func (e example) scale(t *testing.T, load int) {
	env, end, err := e.Attached(t.Context())
	require.NoError(t, err)
	defer end()
	run := func() (string, error) {
		cmd := exec.CommandContext(t.Context(), "./scale.sh", strconv.Itoa(load))
		cmd.Dir = e.Dir
		cmd.Env = slices.Concat(env, []string{"TERRAFORM=" + e.Terraform})
		output, err := cmd.CombinedOutput()
		return string(output), err
	}
	output, err := run()
	if strings.Contains(output, "lock.info: no such file or directory") {
		// Terraform's lock of a local state does not wait where the other run
		// ends in the moment between its two looks at the lock.
		output, err = run()
	}
	assert.NoError(t, err, "load %d:\n%s", load, output)
}

// TestExample_autoscaling, on the fake cloud alone because no cloud makes a
// difference to it: the size follows the load within its bounds, also
// when two runs of the script overlap.
func TestExample_autoscaling(t *testing.T) {
	e := start(t, "guides/autoscaling")
	for _, c := range []struct{ load, size int }{{450, 5}, {0, 2}} {
		before := e.servers(t)
		e.scale(t, c.load)
		kept(t, before, e.servers(t), c.size)
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { e.scale(t, 380) })
	}
	both.Wait()
	assert.Len(t, e.servers(t), 4, "servers after two runs at once")
}

// TestExample_severalStates, on the fake cloud alone too: the placement in one state, the servers in
// another. They are applied in this order when the cluster grows and shrinks.
func TestExample_severalStates(t *testing.T) {
	placement := start(t, "guides/several-states/placement")
	servers := example{placement.c.Example(t, "guides/several-states/servers"), placement.c}
	before := map[string]string{}
	for _, size := range []string{"4", "7", "3"} {
		_, err := placement.Apply(t.Context(), "size="+size)
		require.NoError(t, err)
		servers.apply(t, "placement_state="+placement.Dir+"/terraform.tfstate")
		assert.Empty(t, placement.planned(t, "size="+size), "the plan of the placement afterwards")
		after := servers.servers(t)
		n, _ := strconv.Atoi(size)
		kept(t, before, after, n)
		before = after
	}
}
