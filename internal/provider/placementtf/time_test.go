package placementtf_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

// TestPlacementTimes: a refresh turns times into facts: a node has served for the pause,
// or is too old. The state changes only when a fact does, so a saved plan stays valid while
// time passes.
func TestPlacementTimes(t *testing.T) {
	t.Parallel()
	config := templated("a", "SUBSTITUTE", "AGE")
	config["update"] = with(config["update"].(attributes), attributes{"max_batch_size": "1", "max_age": "30d", "pause": "10m"})
	a := attach(t, zonal(2, "az-1", config))
	a.Look(t)
	for name, node := range protocol.Object(protocol.Object(a.I.State)["nodes"]) {
		mark := protocol.Shown(protocol.Object(node)["mark"])
		a.server(name, "az-1", 0, func(s *fakecloud.Server) {
			s.Created = time.Time{}
			s.Metadata = map[string]string{openstack.MarkKey: mark, openstack.InServiceAtKey: fakecloud.Epoch.UTC().Format(time.RFC3339)}
		})
	}
	a.Look(t)
	for _, step := range []struct {
		passes time.Duration
		flips  bool
		status string
	}{
		{time.Second, false, "in step"},
		{11 * time.Minute, true, "in step"}, // the pause is over
		{10 * 24 * time.Hour, false, "in step"},
		{21 * 24 * time.Hour, true, "behind: 2 of 2 nodes to replace"},
		{24 * time.Hour, false, "behind: 2 of 2 nodes to replace"},
	} {
		before := a.I
		a.Fake.Advance(step.passes)
		a.Look(t)
		flips := !a.I.State.Equal(before.State) || !bytes.Equal(a.I.Private, before.Private)
		assert.Equal(t, step.flips, flips, "after %s: changes\n%s\n%s", step.passes, before.Private, a.I.Private)
		assert.Equal(t, step.status, a.Shows("status"), "after %s", step.passes)
	}
}
