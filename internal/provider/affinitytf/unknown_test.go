package affinitytf_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestAccAffinityUnknownRegion: a region that is known only after apply. The plan
// leaves open which group there will be, and the apply follows the region, or
// keeps the group where it turns out to be the same.
func TestAccAffinityUnknownRegion(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, two := c.TwoRegions(t)
	config := func(region, note string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"region\" {\n  input = %q\n  triggers_replace = %q\n}\n", region, note) +
			affinityAttachment("region = terraform_data.region.output%s", serverGroup(named(c.Prefix+"g")))
	}
	w := c.Workspace(t, config(one, "a"))
	apply(t, w)
	settled(t, w)
	old := c.GroupID(t, one, "g")

	write(t, w, config(one, "b"))
	p, text := plan(t, w)
	for _, change := range p.ResourceChanges {
		after, _ := change.Change.AfterUnknown.(map[string]any)
		if change.Address == attachment && (after["region"] != true || after["servergroup_id"] != true || after["id"] != true) {
			t.Errorf("the plan knows too much: %v", after)
		}
	}
	if want := fmt.Sprintf("The attachment has the server group %q (%s), and some of its arguments are known only after apply. If they ask for another group, servergroup_id changes.", c.Prefix+"g", old); !acctest.Says(want).MatchString(text) {
		t.Errorf("the plan does not say %q:\n%s", want, text)
	}
	apply(t, w)
	settled(t, w)
	if now := c.GroupID(t, one, "g"); now != old {
		t.Errorf("the region is the same, and the group is %s, before %s", now, old)
	}

	write(t, w, config(two, "c"))
	apply(t, w)
	settled(t, w)
	if c.Groups(t, one) != 0 || c.Groups(t, two) != 1 {
		t.Errorf("%d groups in %s, %d in %s", c.Groups(t, one), one, c.Groups(t, two), two)
	}
}

// TestAccAffinityUnknownGroup: the same for what says which group is asked for,
// also in a dynamic block.
func TestAccAffinityUnknownGroup(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	theirs := c.Group(t, region, "theirs", "affinity")
	config := func(policy, block string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"group\" {\n  triggers_replace = %q\n  input = {\n    policy = %q\n    theirs = [%q]\n  }\n}\n", policy+block, policy, theirs) +
			affinityAttachment("region = %q\n%s", region, block)
	}
	w := c.Workspace(t, config("affinity", serverGroup(named(c.Prefix+"g"), "policies = terraform_data.group.output.policy")))
	apply(t, w)
	old := c.GroupID(t, region, "g")
	write(t, w, config("soft-affinity", serverGroup(named(c.Prefix+"g"), "policies = terraform_data.group.output.policy")))
	if p, _ := plan(t, w); actions(p) != attachment+": update, terraform_data.group: delete create" {
		t.Errorf("planned is %s", actions(p))
	}
	apply(t, w)
	settled(t, w)
	if now := c.GroupID(t, region, "g"); now == old || c.Groups(t, region) != 2 {
		t.Errorf("the group is %s, before %s, of %d", now, old, c.Groups(t, region))
	}
	write(t, w, config("affinity", `dynamic "scheduler_hints" {
    for_each = terraform_data.group.output.theirs
    content {
      group = scheduler_hints.value
    }
  }`))
	apply(t, w)
	settled(t, w)
	if c.Groups(t, region) != 1 {
		t.Errorf("%d groups", c.Groups(t, region))
	}
}

// TestAffinityForeignImport: a group of another project, which an admin sees, is
// imported as inherited only.
func TestAffinityForeignImport(t *testing.T) {
	t.Parallel()
	c := acctest.NewAdmin(t, fakecloud.Config{})
	if c.Fake == nil {
		t.Skip("needs the fake cloud: a real one has no group of another project")
	}
	theirs := c.Fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "theirs", Policy: "affinity", ProjectID: fakecloud.MemberProjectID})
	ours := c.Fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "ours", Policy: "affinity", ProjectID: fakecloud.AdminProjectID})
	config := affinityAttachment("%s", serverGroup(named("ours"), policies("affinity")))
	steps := []resource.TestStep{{Config: config}}
	for id, want := range map[string]string{
		theirs + "/created": fmt.Sprintf("The server group %s of region RegionOne does not belong to the project that the provider logs in to", theirs),
		theirs:              "",
		ours + "/created":   "",
	} {
		step := resource.TestStep{ResourceName: attachment, ImportState: true, ImportStateId: "RegionOne/" + id}
		if want != "" {
			step.ExpectError = acctest.Says(want)
		}
		steps = append(steps, step)
	}
	c.Test(t, steps...)
}

// TestAffinityDRSZoneHidden: where Nova shows hypervisors, and not the zones of
// their hosts, the zone is the one that the policy's document names, or the one
// that is asked for.
func TestAffinityDRSZoneHidden(t *testing.T) {
	t.Parallel()
	c := acctest.NewAdmin(t, fakecloud.Config{})
	if c.Fake == nil {
		t.Skip("needs the fake cloud: the policies of a real one are left alone")
	}
	c.Fake.Inject(fakecloud.Fault{Method: http.MethodGet, Path: "/os-availability-zone/detail", Status: http.StatusForbidden, Times: fakecloud.Forever})
	group := c.Group(t, "RegionTwo", "g", "affinity")
	for zone, want := range map[string]string{"": "nova:vsphere_drs_1", "az-1": "az-1:vsphere_drs_1"} {
		more := "scale_out {}\n  enable_drs_extension = true"
		if zone != "" {
			more += fmt.Sprintf("\n  availability_zone = %q", zone)
		}
		c.Test(t, resource.TestStep{Config: affinityPlan("RegionTwo", group, more), ConfigStateChecks: []statecheck.StateCheck{affinityPlanIs("placement", placements(1, group, want))}})
	}
}

// TestAffinityPlanRoom: only hosts that can be used count as room: those in the
// zone that is asked for, and with DRS the one host.
func TestAffinityPlanRoom(t *testing.T) {
	t.Parallel()
	c := acctest.NewAdmin(t, fakecloud.Config{})
	if c.Fake == nil {
		t.Skip("needs the fake cloud: it knows which hosts there are")
	}
	group := c.Group(t, "RegionTwo", "g", "anti-affinity")
	c.Boot(t, acctest.Server{Name: "a", Region: "RegionTwo", Zone: "az-1", Group: group})
	w := c.Workspace(t, "")
	for _, asked := range []struct{ more, warns string }{
		{"scale_out { count = 2 }", ""},
		{"scale_out { count = 3 }", "would have 4 members in region RegionTwo, and its rule (1 a host) places 3 on the hosts there that are up and enabled."},
		{"scale_out { count = 1 }\n  availability_zone = \"az-1\"", ""},
		{"scale_out { count = 2 }\n  availability_zone = \"az-1\"", `would have 3 members in "az-1" in region RegionTwo, and its rule (1 a host) places 2 on the hosts there that are up and enabled.`},
		{"scale_out { count = 1 }\n  availability_zone = \"az-2\"", ""},
		{"scale_out { count = 2 }\n  enable_drs_extension = true", `would have 2 members in "az-2:vsphere_drs_1" in region RegionTwo, and its rule (1 a host) places 1 on the hosts there that are up and enabled.`},
	} {
		write(t, w, affinityPlan("RegionTwo", group, asked.more))
		text, err := w.Run(t.Context(), "plan", "-no-color")
		if warned := acctest.Says("Too few hosts for the group").MatchString(text); err != nil || warned != (asked.warns != "") || !acctest.Says(asked.warns).MatchString(text) {
			t.Errorf("%s: %v\n%s", asked.more, err, text)
		}
	}
}
