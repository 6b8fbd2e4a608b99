package affinitytf_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// grouped is two servers of terraform-provider-openstack in a server group, and
// what else the servers' lifecycle says.
func grouped(c *acctest.Cloud, lifecycle string, arguments ...string) string {
	return affinityAttachment("%s", serverGroup(arguments...)) + fmt.Sprintf(`
resource "openstack_compute_instance_v2" "web" {
  count     = 2
  name      = "%sweb-${count.index}"
  image_id  = %q
  flavor_id = %q

  scheduler_hints {
    group = stackpolicy_affinity_attachment.web.servergroup_id
  }

  lifecycle {
    %s
  }
}
`, c.Prefix, c.Image, c.Flavor, lifecycle)
}

const (
	ignoring = "ignore_changes = [scheduler_hints]"
	first    = "create_before_destroy = true"
)

// plan returns the plan of a configuration, and what terraform prints of it.
func plan(t *testing.T, w *workspace.Workspace) (*tfjson.Plan, string) {
	t.Helper()
	text, err := w.Run(t.Context(), "plan", "-no-color", "-out=now.tfplan")
	if err != nil {
		t.Fatal(err)
	}
	shown, err := w.Run(t.Context(), "show", "-json", "now.tfplan")
	if err != nil {
		t.Fatal(err)
	}
	p := new(tfjson.Plan)
	if err := p.UnmarshalJSON([]byte(shown)); err != nil {
		t.Fatal(err)
	}
	return p, text
}

// actions are those of a plan, without what stays as it is.
func actions(p *tfjson.Plan) string {
	var list []string
	for _, c := range p.ResourceChanges {
		if !c.Change.Actions.NoOp() {
			list = append(list, c.Address+": "+strings.Trim(fmt.Sprint(c.Change.Actions), "[]"))
		}
	}
	return strings.Join(list, ", ")
}

func apply(t *testing.T, w *workspace.Workspace, args ...string) string {
	t.Helper()
	text, err := w.Run(t.Context(), append([]string{"apply", "-auto-approve", "-no-color"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// settled fails unless the next plan is empty.
func settled(t *testing.T, w *workspace.Workspace) {
	t.Helper()
	if p, _ := plan(t, w); actions(p) != "" {
		t.Errorf("the next plan is not empty: %s", actions(p))
	}
}

func write(t *testing.T, w *workspace.Workspace, config string) {
	t.Helper()
	if err := w.Write(config); err != nil {
		t.Fatal(err)
	}
}

// TestAccAffinityChange: another policy is taken up in place, with and without
// create_before_destroy on the servers. These stay, and the plan has said what
// happens to them.
func TestAccAffinityChange(t *testing.T) {
	t.Parallel()
	for name, lifecycle := range map[string]string{"in place": ignoring, "create_before_destroy": ignoring + "\n    " + first} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := acctest.New(t, fakecloud.Config{})
			region := c.Regions(t)[0]
			group := c.Prefix + "g"
			w := c.Workspace(t, grouped(c, lifecycle, named(group), policies("soft-anti-affinity")))
			apply(t, w)
			settled(t, w)
			before, old := c.Servers(t), c.GroupID(t, region, "g")

			write(t, w, grouped(c, lifecycle, named(group), policies("soft-affinity")))
			p, text := plan(t, w)
			if got := actions(p); got != attachment+": update" {
				t.Errorf("planned is %s", got)
			}
			for _, want := range []string{
				fmt.Sprintf("The attachment leaves the server group %q (%s), because its policy changes from soft-anti-affinity to soft-affinity: servergroup_id changes.", group, old),
				"unless they have lifecycle { ignore_changes = [scheduler_hints] }: then they keep running with the id of the old group, and only new servers join the new one.",
				fmt.Sprintf("Leaving the attachment deletes the server group %q (%s), which it created, and 2 servers are in it now:", group, old),
				fmt.Sprintf("%sweb-0 (%s)", c.Prefix, before["web-0"].ID),
			} {
				if !acctest.Says(want).MatchString(text) {
					t.Errorf("the plan does not say %q:\n%s", want, text)
				}
			}
			if _, err := w.Run(t.Context(), "apply", "-no-color", "now.tfplan"); err != nil {
				t.Fatal(err)
			}
			settled(t, w)
			if now := c.GroupID(t, region, "g"); now == old || c.Groups(t, region) != 1 {
				t.Errorf("the group is %s, before %s, of %d", now, old, c.Groups(t, region))
			}
			for name, s := range c.Servers(t) {
				if before[name].ID != s.ID {
					t.Errorf("%s was replaced", name)
				}
			}
			// It is as much its own as the one before.
			if _, err := w.Destroy(t.Context()); err != nil || c.Groups(t, region) != 0 {
				t.Errorf("destroyed: %v, %d groups", err, c.Groups(t, region))
			}
		})
	}
}

// TestAccAffinityChangeReplacesServers: what the warning says of servers that do
// not ignore changes of their hints.
func TestAccAffinityChangeReplacesServers(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	w := c.Workspace(t, grouped(c, first, named(c.Prefix+"g"), policies("soft-anti-affinity")))
	apply(t, w)
	before := c.Servers(t)
	write(t, w, grouped(c, first, named(c.Prefix+"g"), policies("soft-affinity")))
	apply(t, w)
	settled(t, w)
	for name, s := range c.Servers(t) {
		if before[name].ID == s.ID {
			t.Errorf("%s stays: the warning is wrong", name)
		}
	}
}

// TestAccAffinityReplaced: with -replace and create_before_destroy the new
// attachment inherits the group that the old one would delete a moment later.
// Without it the group is deleted and made again.
func TestAccAffinityReplaced(t *testing.T) {
	t.Parallel()
	for lifecycle, kept := range map[string]bool{ignoring + "\n    " + first: true, ignoring: false} {
		c := acctest.New(t, fakecloud.Config{})
		region := c.Regions(t)[0]
		w := c.Workspace(t, grouped(c, lifecycle, named(c.Prefix+"g")))
		apply(t, w)
		old := c.GroupID(t, region, "g")
		text := apply(t, w, "-replace="+attachment)
		if stays := acctest.Says("The server group " + old + " of region " + region + " is not deleted: another attachment inherited it during this apply.").MatchString(text); stays != kept {
			t.Errorf("%s:\n%s", lifecycle, text)
		}
		if now := c.GroupID(t, region, "g"); (now == old) != kept || c.Groups(t, region) != 1 {
			t.Errorf("%s: the group is %s, before %s, of %d", lifecycle, now, old, c.Groups(t, region))
		}
		settled(t, w)
		if _, err := w.Destroy(t.Context()); err != nil {
			t.Error(err)
		}
		c.DropGroups(t, region) // what was inherited is not deleted
	}
}

// TestAccAffinityGone: somebody deleted the group. The plan says what the new id
// means for servers, and servers that ignore changes of their hints stay.
func TestAccAffinityGone(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	w := c.Workspace(t, grouped(c, ignoring, named(c.Prefix+"g")))
	apply(t, w)
	before, old := c.Servers(t), c.GroupID(t, region, "g")
	c.DropGroups(t, region)
	p, text := plan(t, w)
	want := fmt.Sprintf("Nova in region %s has no server group %q (%s) any more: somebody deleted it. The attachment gets a group with another id. "+
		"Servers that have its id in their scheduler_hints are all replaced by that, unless they have lifecycle { ignore_changes = [scheduler_hints] }.", region, c.Prefix+"g", old)
	if !acctest.Says(want).MatchString(text) || actions(p) != attachment+": create" {
		t.Errorf("planned is %s:\n%s", actions(p), text)
	}
	apply(t, w)
	settled(t, w)
	for name, s := range c.Servers(t) {
		if before[name].ID != s.ID {
			t.Errorf("%s was replaced", name)
		}
	}
}

// TestAccAffinityTwins: two attachments of one name in one apply get one group.
// Where there are two groups of one name, attachments that have them are planned,
// changed and destroyed as ever.
func TestAccAffinityTwins(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	twins := func(policy string) string {
		return fmt.Sprintf(`
resource "stackpolicy_affinity_attachment" "twin" {
  count  = 2
  region = %q
  servergroup {
    name     = "%sg"
    policies = %q
  }
}
`, region, c.Prefix, policy)
	}
	w := c.Workspace(t, twins("affinity"))
	apply(t, w)
	if n := c.Groups(t, region); n != 1 {
		t.Errorf("%d groups of one name", n)
	}
	settled(t, w)
	if _, err := w.Destroy(t.Context()); err != nil || c.Groups(t, region) != 0 {
		t.Errorf("destroyed: %v, %d groups", err, c.Groups(t, region))
	}

	config := func(policy string) string {
		return affinityAttachment("region = %q%s", region, serverGroup(named(c.Prefix+"g"), policies(policy)))
	}
	write(t, w, config("affinity"))
	apply(t, w)
	theirs := c.Group(t, region, "g", "anti-affinity")
	settled(t, w)
	write(t, w, config("soft-affinity"))
	if _, err := w.Run(t.Context(), "plan", "-no-color"); err == nil || !acctest.Says(fmt.Sprintf("(%s) has the policy anti-affinity, and the attachment asks for soft-affinity", theirs)).MatchString(err.Error()) {
		t.Errorf("the other group of that name is in the way: %v", err)
	}
	write(t, w, config("anti-affinity"))
	apply(t, w)
	settled(t, w)
	if now := c.GroupID(t, region, "g"); now != theirs || c.Groups(t, region) != 1 {
		t.Errorf("the group is %s of %d, want %s, which is inherited", now, c.Groups(t, region), theirs)
	}
	if _, err := w.Destroy(t.Context()); err != nil || c.Groups(t, region) != 1 {
		t.Errorf("destroyed: %v, %d groups", err, c.Groups(t, region))
	}
}

// TestAffinityTwinsDestroyed: an attachment whose group has a twin is destroyed
// with the group that it created, and with no other.
func TestAccAffinityTwinsDestroyed(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	w := c.Workspace(t, affinityAttachment("region = %q%s", region, serverGroup(named(c.Prefix+"g"))))
	apply(t, w)
	theirs := c.Group(t, region, "g", "anti-affinity")
	if _, err := w.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.GroupID(t, region, "g") != theirs || c.Groups(t, region) != 1 {
		t.Errorf("left are %d groups", c.Groups(t, region))
	}
}

// TestAffinityLeftover: the old group could not be deleted. The state has the new
// one, and the next apply deletes what is left.
func TestAffinityLeftover(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	config := func(policy string) string {
		return affinityAttachment("%s", serverGroup(policies(policy)))
	}
	w := c.Workspace(t, config("affinity"))
	apply(t, w)
	old := c.Fake.ServerGroups("RegionOne")[0].ID
	write(t, w, config("anti-affinity"))
	down := c.Fake.Inject(fakecloud.Fault{Method: http.MethodDelete, Path: "/os-server-groups/*", Status: http.StatusServiceUnavailable, Times: fakecloud.Forever})
	if _, err := w.Apply(t.Context()); err == nil || !acctest.Says("Unable to delete the server group").MatchString(err.Error()) {
		t.Fatalf("got %v", err)
	}
	p, text := plan(t, w)
	if want := acctest.Says("This apply tries again to delete the server group " + old + " of region RegionOne"); actions(p) != attachment+": update" || !want.MatchString(text) {
		t.Errorf("planned is %s:\n%s", actions(p), text)
	}
	if _, err := w.Apply(t.Context()); err == nil {
		t.Error("it cannot be deleted yet")
	}
	down.Remove()
	apply(t, w)
	settled(t, w)
	if groups := c.Fake.ServerGroups("RegionOne"); len(groups) != 1 || groups[0].Policy != "anti-affinity" {
		t.Errorf("left are %v", groups)
	}
	// Destroying deletes what is left too.
	write(t, w, config("soft-affinity"))
	down = c.Fake.Inject(fakecloud.Fault{Method: http.MethodDelete, Path: "/os-server-groups/*", Status: http.StatusServiceUnavailable})
	if _, err := w.Apply(t.Context()); err == nil {
		t.Error("the fault hit nothing")
	}
	down.Remove()
	if _, err := w.Destroy(t.Context()); err != nil || len(c.Fake.ServerGroups("RegionOne")) != 0 {
		t.Errorf("got %v, groups %v", err, c.Fake.ServerGroups("RegionOne"))
	}
}
