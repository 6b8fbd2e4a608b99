package placementtf_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

// TestPlacementBatches: the moves of a plan count the batches of one configuration: each apply
// takes the next batch. Another configuration, or the first batch after the last one, starts again
// from 1. The status says what is left to do. A plan with nothing left to do is empty. Once a refresh
// sees that a server recovered, nothing remains, so that a loop that waits for 0 ends.
func TestPlacementBatches(t *testing.T) {
	t.Parallel()
	d := drive(t, "SUBSTITUTE", 6, 2)
	all := func(status string) func() {
		return func() {
			for _, s := range d.Fake.Servers("RegionOne")[:3] {
				d.Fake.UpdateServer("RegionOne", s.ID, func(s *fakecloud.Server) { s.Status = status })
			}
		}
	}
	for i, step := range []struct {
		image   string
		happens func()
		found   string // status and remaining nodes after the refresh
		planned string // status and remaining nodes after the plan
		stays   bool   // whether nothing is left to do
	}{
		{image: "a", found: "in step, 0", planned: "in step, 0", stays: true},
		{image: "b", found: "in step, 0", planned: "behind, 4"},
		{image: "b", found: "behind, 4", planned: "behind, 2"},
		{image: "b", found: "behind, 2", planned: "in step, 0"},
		{image: "b", found: "in step, 0", planned: "in step, 0", stays: true},
		{image: "b", happens: all("ERROR"), found: "behind, 0", planned: "behind, 1"},
		{image: "b", happens: all("ACTIVE"), found: "in step, 0", planned: "in step, 0", stays: true},
		{image: "c", found: "in step, 0", planned: "behind, 4"},
		{image: "d", found: "behind, 4", planned: "behind, 4"},
		{image: "d", found: "behind, 4", planned: "behind, 2"},
	} {
		if step.happens != nil {
			step.happens()
		}
		left := func() string {
			status, _, _ := strings.Cut(d.Shows("status"), ":")
			return status + ", " + d.Shows("remaining")
		}
		d.Later(t)
		d.Look(t)
		assert.Equal(t, step.found, left(), "step %d: found", i)
		before := d.I.State
		d.image = step.image
		d.apply(false)
		assert.Equal(t, step.planned, left(), "step %d: planned", i)
		if step.stays {
			assert.True(t, d.I.State.Equal(before), "step %d: a plan with nothing to do changes %s\nto %s", i, before, d.I.State)
		}
	}
}

// TestPlacementAwaits: a plan expects once that an apply makes a missing server. If the apply does not, for example because
// the selector leaves the server out, the next plans are empty until the server is found again.
func TestPlacementAwaits(t *testing.T) {
	t.Parallel()
	config := zonal(2, "az-1", nil)
	a := attach(t, config)
	boots(t, a)
	for i, step := range []struct {
		happens      func(*testing.T, attached)
		found, plans string // status of the refresh, and of the plan
	}{
		{nil, "in step", "in step"},
		{loses("web-1"), "waits: web-1 (no server of its name was found)", "in step"},
		{nil, "waits: web-1 (no server of its name was found)", "waits: web-1 (no server of its name was found)"},
		{another("web-1"), "in step", "in step"},
		{loses("web-1"), "waits: web-1 (no server of its name was found)", "in step"},
	} {
		if step.happens != nil {
			step.happens(t, a)
		}
		a.Later(t)
		a.Look(t)
		assert.Equal(t, step.found, a.Shows("status"), "step %d: found", i)
		a.Must(t, config)
		assert.Equal(t, step.plans, a.Shows("status"), "step %d: planned", i)
	}
}

// TestPlacementNamesOnce: a new node gets no name that one had under another pattern.
func TestPlacementNamesOnce(t *testing.T) {
	t.Parallel()
	pattern := func(size int, pattern string) attributes {
		return zonal(size, "az-1", with(oldestFirst, attributes{"node_name_pattern": pattern}))
	}
	a := attach(t, pattern(4, "{cluster}-1{index}"))
	a.Must(t, pattern(1, "{cluster}-1{index}"))
	a.Look(t) // which finds no server of web-10 and so on
	a.Must(t, pattern(3, "{cluster}-{index}"))
	a.Must(t, pattern(10, "{cluster}-{index}"))
	names := slices.Sorted(maps.Keys(protocol.Object(protocol.Object(a.I.State)["nodes"])))
	assert.Equal(t, []string{"web-13", "web-16", "web-17", "web-18", "web-4", "web-5", "web-6", "web-7", "web-8", "web-9"}, names)
}

// TestPlacementComesBack: a node that a shrink removed is remembered, with what was seen of it: it comes back
// while its server runs. A plan that brings nodes back places them, so it reports the places
// that take no nodes.
func TestPlacementComesBack(t *testing.T) {
	t.Parallel()
	shrinks := func(size int, more func(*testing.T, attached)) func(*testing.T, attached) {
		return func(t *testing.T, a attached) {
			t.Helper()
			a.boot(t, nil)
			becomes(zonal(size, "az-1 az-2", oldestFirst))(t, a)
			if more != nil {
				more(t, a)
			}
		}
	}
	for name, c := range map[string]plannedCase{
		"all": {happens: shrinks(2, nil), nodes: "RegionOne/az-1: web-0 web-1; RegionOne/az-2: web-2 web-3", change: "<web-0 <web-2"},
		"where their zone is up": {happens: shrinks(2, down("az-2")), nodes: "RegionOne/az-1: web-0 web-1 web-4; RegionOne/az-2: web-3",
			change: "<web-0", at: "regions[0]: Availability zone skipped"},
		"where another zone is down": {happens: shrinks(3, down("az-1")), nodes: "RegionOne/az-1: web-0 web-1; RegionOne/az-2: web-2 web-3",
			change: "<web-2", at: "regions[0]: Availability zone skipped"},
		"without a refresh": {happens: shrinks(2, nil), unseen: true, nodes: "RegionOne/az-1: web-0 web-1; RegionOne/az-2: web-2 web-3",
			change: "<web-0 <web-2"},
	} {
		c.before, c.config = zonal(4, "az-1 az-2", nil), zonal(4, "az-1 az-2", nil)
		c.plan(t, name)
	}
}

// TestPlacementOpens: the plan that opens a region updates nothing there, because what was seen of
// its nodes is old. It fills the region like any other.
func TestPlacementOpens(t *testing.T) {
	t.Parallel()
	const both, closed = "RegionOne:az-1 RegionTwo:az-1", "RegionOne!:az-1 RegionTwo:az-1"
	const looks = "RegionOne/os-availability-zone" // no refresh looked it up
	old, wanted := templated("a", "SUBSTITUTE", "TEMPLATE"), templated("b", "SUBSTITUTE", "TEMPLATE")
	closes := func(t *testing.T, a attached) {
		t.Helper()
		a.boot(t, nil)
		becomes(across(4, closed, old))(t, a)
	}
	for name, c := range map[string]plannedCase{
		"opened": {config: across(4, both, wanted), nodes: "RegionOne/az-1: web-0 web-1; RegionTwo/az-1: web-4 web-5", change: "-web-2 -web-3",
			at: unchecked, asks: looks},
		"opened, and it grows": {config: across(6, both, old), nodes: "RegionOne/az-1: web-0 web-1 web-4; RegionTwo/az-1: web-2 web-3 web-5", asks: looks},
		"closed still": {config: across(4, closed, wanted), nodes: "RegionOne/az-1: web-0 web-1; RegionTwo/az-1: web-4 web-5",
			change: "-web-2 -web-3", at: unchecked},
	} {
		c.before, c.happens = across(4, both, old), closes
		c.plan(t, name)
	}
}

// TestPlacementDestroyed: destroying the attachment forgets it, and sends no request.
func TestPlacementDestroyed(t *testing.T) {
	t.Parallel()
	a := attach(t, zonal(2, "az-1", nil))
	a.Later(t)
	a.Fake.ResetRequests()
	a.Must(t, nil)
	assert.True(t, a.I.State.IsNull())
	assert.Empty(t, a.Fake.Requests())
}
