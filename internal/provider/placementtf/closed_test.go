package placementtf_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// closable lists the zones of RegionOne, those with an exclamation mark closed.
func closable(zones string) string {
	var list []string
	for zone := range strings.FieldsSeq(zones) {
		name, closed := strings.CutSuffix(zone, "!")
		list = append(list, fmt.Sprintf("{ name = %q, closed = %t }", name, closed))
	}
	return `[{ name = "RegionOne", zones = [` + strings.Join(list, ", ") + `] }]`
}

// TestPlacementClosedZone: a closed zone takes no node and gives none up: not in a growth, not
// for PLACEMENT, TEMPLATE or UNHEALTHY, not where Nova does not list it any more, and in a
// shrink only where nothing else is left. Opened it takes part again.
func TestPlacementClosedZone(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	config := func(size int, zones, image string) string {
		return acctest.Attached(c, size, closable(zones), `template = { image = "`+image+`" }
  deletion {
    criteria = "HIGHEST_INDEX_FIRST"
  }
  update {
    causes         = ["UNHEALTHY", "PLACEMENT", "TEMPLATE"]
    max_batch_size = "1"
  }`)
	}
	l := acctest.Loop{Workspace: c.Workspace(t, config(4, "az-1 az-2", "a")), Cloud: c}
	l.Step(t, "create", config(4, "az-1 az-2", "a"), "0 1 2 3", "") // az-1: 0 1, az-2: 2 3
	l.Step(t, "a growth fills the other, and PLACEMENT moves none", config(8, "az-1! az-2", "a"), "4 5 6 7", "")
	c.Fake.SetZoneAvailable("RegionOne", "az-1", false)
	for name, s := range c.Servers(t) {
		if name == "0" {
			c.Fake.UpdateServer("RegionOne", s.ID, func(s *fakecloud.Server) { s.Status = "ERROR" })
		}
	}
	l.Step(t, "what is broken there stays", config(8, "az-1! az-2", "a"), "", "")
	l.Step(t, "a shrink takes from the other", config(6, "az-1! az-2", "a"), "", "6 7")
	for _, batch := range [][2]string{{"8", "5"}, {"9", "4"}, {"10", "3"}, {"11", "2"}} {
		l.Batch(t, "a rollout replaces those of the other", config(6, "az-1! az-2", "b"), batch[0], batch[1])
	}
	text, err := l.Run(t.Context(), "plan", "-input=false", "-no-color")
	const waits = "2 nodes should be replaced, and their places take no nodes now"
	if err != nil || !acctest.Says(waits).MatchString(text) || !strings.Contains(text, "No changes.") {
		t.Errorf("%v, want %q in\n%s", err, waits, text)
	}
	c.Fake.RemoveZone("RegionOne", "az-1")
	l.Settled(t, "a closed zone that Nova does not list any more")
	c.Fake.AddZone("RegionOne", fakecloud.Zone{Name: "az-1", Hosts: []string{"host-1"}})
	if err := l.Write(config(1, "az-1! az-2", "b")); err != nil {
		t.Fatal(err)
	}
	if text, err = l.Apply(t.Context()); err != nil || !acctest.Says("No open place can lose a node").MatchString(text) || len(c.Servers(t)) != 1 {
		t.Errorf("%v, %d servers\n%s", err, len(c.Servers(t)), text)
	}
	l.Batch(t, "opened it is filled, and its node is replaced", config(3, "az-1 az-2", "b"), "12 13 14", "1")
}

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
	if len(kept) != 2 {
		t.Fatalf("RegionTwo has %v", kept)
	}
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
		if err := l.Write(config(step.size, true, step.image)); err != nil {
			t.Fatal(err)
		}
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
	if err := l.Write(config(4, false, "b")); err != nil {
		t.Fatal(err)
	}
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

// TestPlacementAllClosed: where every place is closed a growth is an error at the list, and
// what needs no room is none.
func TestPlacementAllClosed(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	config := func(size int, places string) string {
		return web(c, fmt.Sprintf("desired_capacity = %d", size), places)
	}
	const (
		zones   = `zones = [{ name = "az-1", closed = true }, { name = "az-2", closed = true }]`
		regions = `regions = [{ name = "RegionOne", closed = true }, { name = "RegionTwo", zones = [{ name = "az-1", closed = true }] }]`
		closed  = "All places are closed"
	)
	c.Test(t,
		resource.TestStep{Config: config(2, `zones = [{ name = "az-1", closed = "sometimes" }]`), PlanOnly: true, ExpectError: acctest.Says(`a bool is required`)},
		resource.TestStep{Config: config(1, zones), PlanOnly: true, ExpectError: acctest.Says(closed)},
		resource.TestStep{Config: config(1, regions), PlanOnly: true, ExpectError: acctest.Says(closed)},
		resource.TestStep{Config: config(2, twoZones)},
		resource.TestStep{Config: config(3, zones), PlanOnly: true, ExpectError: acctest.Says(closed)},
		resource.TestStep{Config: config(2, zones)},
		resource.TestStep{Config: config(1, zones)},
		resource.TestStep{Config: config(2, twoZones)},
		resource.TestStep{Config: config(2, `zones = [{ name = "az-1" }, { name = "az-9", closed = true }]`), PlanOnly: true,
			ExpectError: acctest.Says(`does not list the availability zone "az-9"`)},
	)
}

// TestPlacementClosedCandidate: with a method that keeps names a candidate of a closed
// place is an error at candidates.
func TestPlacementClosedCandidate(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	config := func(zones, candidates string) string {
		return web(c, "desired_capacity = 2", zones, "deletion {\n    candidates = ["+candidates+"]\n  }", `update {
    causes         = ["TEMPLATE"]
    max_batch_size = "1"
    method         = "RECREATE"
  }`)
	}
	name := c.Prefix + "web-0"
	c.Test(t,
		resource.TestStep{Config: config(twoZones, "")},
		resource.TestStep{Config: config(`zones = [{ name = "az-1", closed = true }, { name = "az-2" }]`, fmt.Sprintf("%q", name)), PlanOnly: true,
			ExpectError: acctest.Says(fmt.Sprintf(`The node %q is a candidate to be made again in its place, and RegionOne/az-1 is closed.`, name))},
	)
}

// TestPlansClosed: the plans of regions and zones leave alone what is closed, too.
func TestPlansClosed(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	region := func(change string) string {
		return `data "stackpolicy_region_plan" "web" {
  nodes   = [for i in range(6) : { id = "n${i}", region = i < 3 ? "RegionOne" : "RegionTwo" }]
  regions = [{ name = "RegionOne", closed = true }, { name = "RegionTwo" }]
  ` + change + `
}
output "change" {
  value = jsonencode(merge(try(data.stackpolicy_region_plan.web.creation.regions, {}), try(data.stackpolicy_region_plan.web.deletion.regions, {})))
}
`
	}
	step := func(change, want string) resource.TestStep {
		return resource.TestStep{Config: region(change), Check: resource.TestCheckOutput("change", want)}
	}
	c.Fake.ResetRequests()
	c.Test(t,
		step("scale_out {\n    count = 2\n  }", `{"RegionTwo":2}`),
		step("scale_in {\n    count = 2\n  }", `{"RegionTwo":2}`),
		step("scale_in {\n    count = 4\n  }", `{"RegionOne":1,"RegionTwo":3}`),
	)
	for _, r := range c.Fake.Requests() {
		if r.Region == "RegionOne" {
			t.Errorf("a request went to the closed region: %s", r)
		}
	}
}
