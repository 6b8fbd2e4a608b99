package placementtf_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlacementSizeLeftOut is the life of an attachment whose size somebody else owns. A step without nodes is only planned.
func TestPlacementSizeLeftOut(t *testing.T) {
	t.Parallel()
	const grows, shrinks = "min_size: A bound changes the size", "max_size: A bound changes the size"
	anything := tftypes.UnknownValue
	a := begin(t)
	for _, step := range []struct {
		what        string
		more        attributes
		size, nodes string
		at          string
	}{
		{"with no size at all", nil, "", "", "desired_capacity: Nothing says how many nodes there are"},
		{"with max_size alone", attributes{"max_size": 3}, "", "", "desired_capacity: Nothing says how many nodes there are"},
		{"begins with a min_size that is unknown", attributes{"min_size": anything}, "", "", "desired_capacity: Not known before the apply"},
		{"begins with min_size", attributes{"min_size": 2}, "2", "web-0 web-1", ""},
		{"is given a size", attributes{"min_size": 2, "desired_capacity": 3}, "3", "web-0 web-1 web-2", ""},
		{"keeps it", attributes{"min_size": 2}, "3", "web-0 web-1 web-2", ""},
		{"keeps it within other bounds", attributes{"min_size": 3, "max_size": 3}, "3", "web-0 web-1 web-2", ""},
		{"keeps it without bounds", nil, "3", "web-0 web-1 web-2", ""},
		{"keeps it where there is no limit", attributes{"max_size": -1}, "3", "web-0 web-1 web-2", ""},
		{"is given a size that is unknown", attributes{"desired_capacity": anything}, "", "", "desired_capacity: Not known before the apply"},
		{"has a bound that is unknown", attributes{"max_size": anything}, "", "", "desired_capacity: Not known before the apply"},
		{"grows to min_size", attributes{"min_size": 4}, "4", "web-0 web-1 web-2 web-3", grows},
		{"has grown", attributes{"min_size": 4}, "4", "web-0 web-1 web-2 web-3", ""},
		{"shrinks to max_size", with(oldestFirst, attributes{"max_size": 1}), "1", "web-3", shrinks},
		{"has shrunk", nil, "1", "web-3", ""},
		{"shrinks to nothing", attributes{"max_size": 0}, "0", "", shrinks},
		{"is nothing", nil, "0", "", ""},
	} {
		config := zonal(0, "az-1", step.more)
		if _, given := step.more["desired_capacity"]; !given {
			delete(config, "desired_capacity")
		}
		a.Later(t)
		resp, err := a.Plan(t.Context(), a.Request(a.I, config))
		assert.Equal(t, step.at, a.At(), "%s: said %s", step.what, a.Said())
		assert.Contains(t, a.Said(), map[string]string{grows: "in the state, 3, but min_size is 4: the cluster grows to 4.",
			shrinks: "size is " + step.size + ": the cluster shrinks to " + step.size + "."}[step.at], step.what)
		if step.size == "" {
			assert.Error(t, err, step.what)
			continue
		}
		require.NoError(t, err, step.what)
		assert.Equal(t, step.size, protocol.Shown(protocol.Object(a.Planned(resp))["desired_capacity"]), step.what)
		a.Later(t)
		names, _ := a.plan(t, config)
		assert.Equal(t, step.nodes, names, step.what)
		a.Later(t)
		a.Must(t, config)
		a.Look(t)
		assert.Equal(t, step.size, a.Shows("desired_capacity"), "%s, in the state", step.what)
	}
}
