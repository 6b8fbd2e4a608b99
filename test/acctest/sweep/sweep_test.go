package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

// TestSweep: servers, groups, volumes and ports in all regions are removed only if they have the name of a
// test and are old.
func TestSweep(t *testing.T) {
	c := acctest.NewFake(t, fakecloud.Config{PageLimit: 2})
	for _, name := range []string{c.Prefix + "x", "acc-x", "acc-zzzaaaaaaaa-x", "acc-000aaaaaaa1-x", "accounts", "web", "my" + c.Prefix + "x"} {
		for _, region := range []string{"RegionOne", "RegionTwo"} {
			c.Fake.AddServers(region, fakecloud.Server{Name: name})
			c.Volume(t, region, name)
			c.Fake.AddServerGroup(region, fakecloud.ServerGroup{Name: name, Policy: "affinity"})
		}
	}
	all := clients{c.API, c.Provider(t)}
	before := c.Fake.Count("DELETE * **")
	var out strings.Builder
	if err := sweep(t.Context(), all, 2*time.Hour, time.Now(), &out); err != nil || out.Len() > 0 || c.Fake.Count("DELETE * **") != before {
		t.Errorf("too young to go: %v\n%s", err, &out)
	}
	assert.NoError(t, sweep(t.Context(), all, 2*time.Hour, time.Now().Add(4*time.Hour), &out))
	if got := strings.Count(out.String(), "removed the "); got != 2+2+2+2 || got != strings.Count(out.String(), c.Prefix) {
		t.Errorf("removed %d:\n%s", got, &out)
	}
	assert.Equal(t, 2+2+2+2, c.Fake.Count("DELETE * **")-before, "deletions")
	out.Reset()
	if err := sweep(t.Context(), all, 0, time.Now(), &out); err != nil || out.Len() > 0 {
		t.Errorf("nothing is left: %v\n%s", err, &out)
	}

	// A failure is reported, and the rest is still removed.
	c.Fake.AddServers("RegionTwo", fakecloud.Server{Name: c.Prefix + "late"})
	c.Fake.Inject(fakecloud.Fault{Region: "RegionOne", Service: fakecloud.Compute, Path: "/servers/detail", Status: 500, Times: fakecloud.Forever})
	assert.ErrorContains(t, sweep(t.Context(), all, 0, time.Now(), &out), "RegionOne: ")
	assert.Contains(t, out.String(), "RegionTwo: removed the server "+c.Prefix+"late")
}
