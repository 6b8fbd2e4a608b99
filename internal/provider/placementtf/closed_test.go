package placementtf_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// TestPlacementClosedRegion: a region that does not answer is closed. No request goes to it any
// more, not by a growth, a shrink, a rollout, nor a refresh of the attachment, and its nodes
// stay. Opened it takes part again.
func TestPlacementClosedRegion(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	config := func(size int, closed bool, image string) string {
		regions := fmt.Sprintf(`[{ name = "RegionOne", zones = [{ name = "az-1" }] }, { name = "RegionTwo", closed = %t, zones = [{ name = "az-1" }, { name = "az-2" }] }]`, closed)
		return acctest.Attached(c, size, regions, `template = { image = "`+image+`" }
  respect_quotas = true
  update {
    causes         = ["UNHEALTHY", "PLACEMENT", "TEMPLATE", "AGE"]
    max_age        = "30d"
    max_batch_size = "1"
  }`) + `
resource "stackpolicy_readiness_attachment" "web" {
  cluster = "web"
  servers = { for name, node in stackpolicy_placement_attachment.web.nodes : name => {
    id     = openstack_compute_instance_v2.web[name].id
    region = node.region
    mark   = node.mark
  } if ` + fmt.Sprint(!closed) + ` || node.region != "RegionTwo" }
}`
	}
	l := acctest.Loop{Workspace: c.Workspace(t, config(4, false, "a")), Cloud: c}
	l.Step(t, "create", config(4, false, "a"), "0 1 2 3", "")
	kept := ids(c.Fake.Servers("RegionTwo"))
	require.Len(t, kept, 2, "RegionTwo has")
	down := c.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Region: "RegionTwo", Times: fakecloud.Forever, Status: 503})
	const remedy = "set closed = true for it in regions, and apply with -refresh=false"
	if _, err := l.Apply(t.Context()); err == nil || !acctest.Says(remedy).MatchString(err.Error()) {
		t.Errorf("got %v, want %q", err, remedy)
	}
	c.Fake.ResetRequests()
	for _, step := range []struct {
		what  string
		size  int
		image string
		here  int // servers in RegionOne
	}{{"a growth", 6, "a", 4}, {"a rollout", 6, "b", 4}, {"the next batch", 6, "b", 4}, {"a shrink", 4, "b", 2}} {
		require.NoError(t, l.Write(config(step.size, true, step.image)))
		// The attachment is looked at alone: the servers of the region would be asked for too.
		if text, err := l.Run(t.Context(), "apply", "-refresh-only", "-auto-approve", "-no-color", "-target=stackpolicy_placement_attachment.web"); err != nil && step.what != "a growth" {
			t.Fatalf("%s: %v\n%s", step.what, err, text)
		} else if err == nil && step.what == "a growth" {
			t.Error("the region was not looked at, and is not closed yet")
		}
		if step.what == "a growth" {
			c.Fake.ResetRequests()
		}
		if text, err := l.Run(t.Context(), "apply", "-refresh=false", "-auto-approve", "-no-color"); err != nil {
			t.Fatalf("%s: %v\n%s", step.what, err, text)
		}
		if n := len(c.Fake.Servers("RegionOne")); n != step.here {
			t.Errorf("%s: RegionOne has %d servers, want %d", step.what, n, step.here)
		}
	}
	for _, r := range c.Fake.Requests() {
		if r.Region == "RegionTwo" {
			t.Errorf("a request went to the closed region: %s", r)
		}
	}
	down.Remove()
	require.NoError(t, l.Write(config(4, false, "b")))
	for range 4 { // the first plan looks at the region, the others replace what has the former template
		if text, err := l.Apply(t.Context()); err != nil {
			t.Fatalf("opened: %v\n%s", err, text)
		}
	}
	l.Settled(t, "opened")
	for _, id := range ids(c.Fake.Servers("RegionTwo")) {
		if slices.Contains(kept, id) {
			t.Errorf("%s was not replaced", id)
		}
	}
	if n := len(c.Fake.Servers("RegionTwo")); n != 2 {
		t.Errorf("RegionTwo has %d servers", n)
	}
}

func ids(servers []fakecloud.Server) (list []string) {
	for _, s := range servers {
		list = append(list, s.ID)
	}
	return list
}
