package placementtf_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// attached is a placement attachment.
type attached struct{ *protocol.Attachment }

// attach returns an attachment that has been applied.
func attach(t *testing.T, config protocol.Attributes) attached {
	t.Helper()
	a := begin(t)
	a.Must(t, config)
	return a
}

// begin returns an attachment that does not exist yet.
func begin(t *testing.T) attached {
	t.Helper()
	return attached{protocol.Attach(t, "stackpolicy_placement_attachment")}
}

// adopt imports the attachment.
func (a attached) adopt(t *testing.T, id string) {
	t.Helper()
	var err error
	a.I, err = a.Adopt(t.Context(), a.I.Kind, id)
	require.NoError(t, err)
}

// plan returns the names of the nodes after a plan, and its state.
func (a attached) plan(t *testing.T, config protocol.Attributes) (names string, state tftypes.Value) {
	t.Helper()
	state = a.MustPlan(t, config)
	nodes := protocol.Object(state)["nodes"]
	if !nodes.IsKnown() {
		return "unknown", state
	}
	return strings.Join(slices.Sorted(maps.Keys(protocol.Object(nodes))), " "), state
}

// zonal returns a cluster of a size in zones, with more arguments.
func zonal(size int, zones string, more protocol.Attributes) protocol.Attributes {
	config := protocol.Attributes{"cluster": "web", "desired_capacity": size, "regions": protocol.Zones(protocol.Listing(zones))}
	maps.Copy(config, more)
	return config
}

var oldestFirst = protocol.Attributes{"deletion": protocol.Attributes{"criteria": "OLDEST_FIRST"}}

// server adds a server to RegionOne, made a number of hours ago.
func (a attached) server(name, zone string, age int, change func(*fakecloud.Server)) string {
	s := fakecloud.Server{Name: name, Zone: zone, Created: time.Now().Add(-time.Duration(age) * time.Hour), Metadata: map[string]string{}}
	if change != nil {
		change(&s)
	}
	return a.Fake.AddServers("RegionOne", s)[0]
}

// TestPlacementGroupGoneKeeps: if the server group of the selector is gone, no server
// is read, and the last refresh still counts: which servers are protected, locked or
// tainted.
func TestPlacementGroupGoneKeeps(t *testing.T) {
	t.Parallel()
	a := begin(t)
	c := a.Cloud
	group := c.Fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "web", Policy: "soft-anti-affinity"})
	config := func(size int) protocol.Attributes {
		return zonal(size, "az-1", protocol.Attributes{"selector": protocol.Attributes{"servergroup_id": group}, "deletion": oldestFirst["deletion"]})
	}
	a.Must(t, config(5))
	in := func(change func(*fakecloud.Server)) func(*fakecloud.Server) {
		return func(s *fakecloud.Server) {
			if s.Group = group; change != nil {
				change(s)
			}
		}
	}
	a.server("web-0", "az-1", 5, in(func(s *fakecloud.Server) { s.Metadata["stackpolicy_protected"] = "true" }))
	a.server("web-1", "az-1", 4, in(func(s *fakecloud.Server) { s.LockedBy = "owner" }))
	a.server("web-2", "az-1", 3, in(nil))
	a.server("web-3", "az-1", 2, in(nil))
	a.server("web-4", "az-1", 1, in(func(s *fakecloud.Server) { s.Metadata["stackpolicy_tainted"] = "true" }))
	a.Look(t)
	before := a.I
	c.DropGroups(t, "RegionOne")
	a.Look(t)
	assert.Contains(t, a.Said(), "The server group of the selector is gone", "the provider said")
	assert.Equal(t, string(before.Private), string(a.I.Private), "what was seen")
	assert.True(t, a.I.State.Equal(before.State), "the state is %s", a.I.State)
	for size, want := range map[int]string{4: "web-0 web-1 web-2 web-3", 3: "web-0 web-1 web-3", 2: "web-0 web-1"} {
		got, _ := a.plan(t, config(size))
		assert.Equal(t, want, got, "%d nodes: left", size)
	}
}

// TestPlacementCellDown: while a cell is down its servers are known from earlier
// refreshes, after any number of new ones, and are not in service.
func TestPlacementCellDown(t *testing.T) {
	t.Parallel()
	a := attach(t, zonal(4, "az-1 az-2", oldestFirst))
	a.server("web-0", "az-1", 4, nil)
	a.server("web-1", "az-2", 3, nil)
	a.server("web-2", "az-1", 2, nil)
	a.server("web-3", "az-2", 1, nil)
	a.Look(t)
	a.Fake.SetCellDown("RegionOne", true, "az-2")
	a.Look(t)
	state := a.I.State
	for range 2 {
		a.Look(t)
	}
	assert.True(t, a.I.State.Equal(state), "was %s\n is %s", state, a.I.State)
	names, planned := a.plan(t, zonal(3, "az-1 az-2", oldestFirst))
	assert.Equal(t, "web-0 web-2 web-3", names, "left")
	assert.Contains(t, protocol.Object(planned)["change"].String(), "its server is in UNKNOWN")
	a.Fake.SetCellDown("RegionOne", false, "az-2")
	a.Look(t)
	names, _ = a.plan(t, zonal(3, "az-1 az-2", oldestFirst))
	assert.Equal(t, "web-1 web-2 web-3", names, "the cell is back: left")
}

// TestPlacementRegionStays: a region without a name stays the one in the state. A provider block that names another region
// later moves nothing.
func TestPlacementRegionStays(t *testing.T) {
	t.Parallel()
	a := attach(t, zonal(2, "az-1 az-2", nil))
	a.Home = "RegionTwo"
	a.Later(t)
	a.Look(t)
	_, planned := a.plan(t, zonal(3, "az-1 az-2", nil))
	for name, node := range protocol.Object(protocol.Object(planned)["nodes"]) {
		assert.Equal(t, "RegionOne", protocol.Text(protocol.Object(node)["region"]), name)
	}
	named, _ := a.plan(t, across(2, "RegionOne:az-1,az-2", nil))
	assert.Equal(t, "web-0 web-1", named, "with the same name")
	resp, err := a.Plan(t.Context(), a.Request(a.I, zonal(2, "az-1 az-2", nil)))
	require.NoError(t, err)
	assert.True(t, a.Planned(resp).Equal(a.I.State), "nothing changed, and something is planned")
	_, planned = a.plan(t, across(3, "RegionTwo:az-1,az-2", nil))
	assert.Equal(t, "RegionTwo", protocol.Shown(protocol.Object(protocol.Elements(protocol.Object(planned)["regions"])[0])["name"]))
}

// TestPlacementBegins: the apply that brings update, or require_in_service, replaces
// nothing yet, whatever it finds. It does not count servers without a mark as out of
// service, because no server can have a mark then.
func TestPlacementBegins(t *testing.T) {
	t.Parallel()
	update := func(template string, required any) protocol.Attributes {
		return protocol.Attributes{"template": protocol.Attributes{"image": template},
			"update": protocol.Attributes{"causes": []any{"TEMPLATE"}, "max_batch_size": "1", "require_in_service": required}}
	}
	template := protocol.Attributes{"template": protocol.Attributes{"image": "a"}}
	for name, c := range map[string]struct{ before, first, second protocol.Attributes }{
		"the block":                  {template, update("b", false), update("b", false)},
		"the block, with marks":      {template, update("b", true), update("b", true)},
		"require_in_service":         {update("a", false), update("b", true), update("b", nil)},
		"require_in_service, in two": {update("a", false), update("b", true), update("b", false)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := attach(t, zonal(2, "az-1", c.before))
			a.server("web-0", "az-1", 2, nil)
			a.server("web-1", "az-1", 1, nil)
			a.Look(t)
			const both = "web-0 web-1"
			first, _ := a.plan(t, zonal(2, "az-1", c.first))
			assert.Equal(t, both, first, "the first apply leaves")
			_, planned := a.plan(t, zonal(1, "az-1", c.first))
			change := protocol.Object(planned)["change"].String()
			assert.NotContains(t, change, "not in service", "a shrink at first")
			assert.Contains(t, change, "loses 1 of 2", "a shrink at first")
			a.Must(t, zonal(2, "az-1", c.first))
			for _, s := range a.Fake.Servers("RegionOne") { // as a readiness attachment does
				a.Fake.UpdateServer("RegionOne", s.ID, func(s *fakecloud.Server) { s.Metadata[openstack.MarkKey] = ownMark(1, "a") })
			}
			a.Look(t)
			second, _ := a.plan(t, zonal(2, "az-1", c.second))
			assert.NotEqual(t, both, second, "the second apply leaves")
		})
	}
}
