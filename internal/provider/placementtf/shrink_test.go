package placementtf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shrunk is a cluster of four nodes with their servers, two in each of two places.
func shrunk(t *testing.T, places string) (c *acctest.Cloud, w *workspace.Workspace, config func(size int, places string) string) {
	t.Helper()
	c = acctest.NewFake(t, fakecloud.Config{})
	config = func(size int, places string) string {
		return web(c, fmt.Sprintf("desired_capacity = %d", size), places) + acctest.Made(c, "") + `
output "spread" { value = stackpolicy_placement_attachment.web.distribution }
`
	}
	w = c.Workspace(t, config(4, places))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c, w, config
}

const (
	twoZones   = `zones = [{ name = "az-1" }, { name = "az-2" }]`
	twoRegions = `regions = [{ name = "RegionOne" }, { name = "RegionTwo" }]`
)

// TestPlacementShrinkRefused: a shrink validates its places as growth does: names
// that do not exist, and a list in which none is usable, are errors, and no node
// leaves.
func TestPlacementShrinkRefused(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]struct {
		before, after string
		happens       func(*fakecloud.Cloud)
		want          string
	}{
		"a misspelled zone": {twoZones, `zones = [{ name = "az-1" }, { name = "az-tow" }]`, nil, `does not list the availability zone "az-tow"`},
		"a zone that Nova lists no more": {twoZones, twoZones, func(f *fakecloud.Cloud) { f.RemoveZone("RegionOne", "az-2") },
			`does not list the availability zone "az-2"`},
		"the only zone is down": {twoZones, `zones = [{ name = "az-2" }]`, func(f *fakecloud.Cloud) { f.SetZoneAvailable("RegionOne", "az-2", false) },
			`No availability zone found available.`},
		"a region that nobody knows":      {twoRegions, `regions = [{ name = "RegionOne" }, { name = "RegionTow" }]`, nil, `Keystone does not know the region "RegionTow"`},
		"the only region has no endpoint": {`regions = [{ name = "RegionOne" }]`, `regions = [{ name = "Dark" }]`, func(f *fakecloud.Cloud) { f.AddRegion("Dark") }, "No region is found usable."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, w, config := shrunk(t, s.before)
			if s.happens != nil {
				s.happens(c.Fake)
			}
			require.NoError(t, w.Write(config(3, s.after)))
			if _, err := w.Apply(t.Context()); err == nil || !acctest.Says(s.want).MatchString(err.Error()) {
				t.Errorf("got %v, want %q", err, s.want)
			}
			assert.Len(t, c.Servers(t), 4, "servers are left")
		})
	}
}

// TestPlacementShrinkUnreachable: where a region with nodes lost its endpoint, a
// plan that looks at the nodes fails and names it, so that none leaves anywhere.
// One that looks at none keeps the nodes of that region, because nothing can be
// deleted there, and the others give up theirs.
func TestPlacementShrinkUnreachable(t *testing.T) {
	t.Parallel()
	c, w, config := shrunk(t, twoRegions)
	c.Fake.HideEndpoint(fakecloud.Compute, "RegionTwo", true)
	require.NoError(t, w.Write(config(2, twoRegions)))
	const missing = `region "RegionTwo" has no compute endpoint in the catalogue of this user`
	if _, err := w.Apply(t.Context()); err == nil || !acctest.Says(missing).MatchString(err.Error()) {
		t.Errorf("got %v, want %q", err, missing)
	}
	text, err := w.Run(t.Context(), "apply", "-auto-approve", "-no-color", "-refresh=false")
	const kept = `The region "RegionTwo" has no compute endpoint for this user. It keeps the nodes that it has: nothing could be deleted there.`
	if err != nil || !acctest.Says(kept).MatchString(text) {
		t.Errorf("%v, want %q in\n%s", err, kept, text)
	}
	var spread map[string]map[string]int
	if err := w.Output(t.Context(), "spread", &spread); err != nil || spread["RegionOne"][""] != 0 || spread["RegionTwo"][""] != 2 {
		t.Errorf("the nodes are spread %v, %v", spread, err)
	}
	require.NoError(t, w.Write(config(1, twoRegions)))
	if _, err := w.Run(t.Context(), "apply", "-auto-approve", "-no-color", "-refresh=false"); err == nil || !acctest.Says("There is no feasible plan").MatchString(err.Error()) {
		t.Errorf("only nodes that cannot be removed are left: %v", err)
	}
	c.Fake.HideEndpoint(fakecloud.Compute, "RegionTwo", false)
	if _, err := w.Apply(t.Context()); err != nil || len(c.Servers(t)) != 1 {
		t.Errorf("the region is back: %v, %d servers", err, len(c.Servers(t)))
	}
}

// TestPlacementShrinkUnseen: without a refresh a plan goes by what the last one saw. A region whose endpoint is gone since
// keeps its nodes, in a shrink and in an update, and a candidate there is refused.
func TestPlacementShrinkUnseen(t *testing.T) {
	t.Parallel()
	c, w, config := shrunk(t, twoRegions)
	if _, err := w.Apply(t.Context()); err != nil { // a refresh that finds both regions
		t.Fatal(err)
	}
	c.Fake.HideEndpoint(fakecloud.Compute, "RegionTwo", true)
	unrefreshed := func(config string) string {
		t.Helper()
		require.NoError(t, w.Write(config))
		text, err := w.Run(t.Context(), "apply", "-auto-approve", "-no-color", "-refresh=false")
		if err != nil {
			text += err.Error()
		}
		return text
	}
	candidate := twoRegions + "\n  deletion { candidates = [%q] }"
	if text := unrefreshed(config(3, fmt.Sprintf(candidate, c.Fake.Servers("RegionTwo")[0].Name))); !acctest.Says("its region cannot be reached").MatchString(text) {
		t.Error(text)
	}
	text := unrefreshed(config(2, twoRegions))
	if !acctest.Says(`Region "RegionTwo" has no compute endpoint in the catalogue of this user; there is one in RegionOne. It keeps the nodes that it has`).MatchString(text) || !strings.Contains(text, "Apply complete!") {
		t.Error(text)
	}
	if one, two := len(c.Fake.Servers("RegionOne")), len(c.Fake.Servers("RegionTwo")); one != 0 || two != 2 {
		t.Errorf("RegionOne has %d servers, and RegionTwo %d", one, two)
	}
	assert.Contains(t, unrefreshed(config(1, twoRegions)), "There is no feasible plan", "only nodes that cannot be removed are left")
}

// TestPlacementShrinkAtMin: a shrink takes no place below its min, also not for a
// node that is tainted. One in ERROR leaves anyway, and a warning says which
// place is filled first.
func TestPlacementShrinkAtMin(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]struct {
		happens func(*fakecloud.Server)
		left    int // in az-1
		warns   bool
	}{
		"tainted":  {func(s *fakecloud.Server) { s.Metadata = map[string]string{"stackpolicy_tainted": "true"} }, 1, false},
		"in ERROR": {func(s *fakecloud.Server) { s.Status = "ERROR" }, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const zones = `zones = [{ name = "az-1", min = 1, cap = 1 }, { name = "az-2" }]`
			c, w, config := shrunk(t, zones)
			for _, server := range c.Fake.Servers("RegionOne") {
				if server.Zone == "az-1" {
					c.Fake.UpdateServer("RegionOne", server.ID, s.happens)
				}
			}
			require.NoError(t, w.Write(config(3, zones)))
			text, err := w.Apply(t.Context())
			require.NoError(t, err)
			var spread map[string]map[string]int
			if err := w.Output(t.Context(), "spread", &spread); err != nil || spread["RegionOne"]["az-1"] != s.left || spread["RegionOne"]["az-2"] != 3-s.left {
				t.Errorf("the nodes are spread %v, %v", spread, err)
			}
			if acctest.Says("It is the first place to be filled again.").MatchString(text) != s.warns {
				t.Errorf("warns: %t, want %t\n%s", !s.warns, s.warns, text)
			}
		})
	}
}
