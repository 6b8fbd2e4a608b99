package affinitytf_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What only Terraform can show of an affinity attachment: its life, and what happens to the
// servers that have its group in their scheduler hints. A first test: c.Workspace(t,
// grouped(c, ignoring, named("web"))) is two servers in a group; then apply, write another
// configuration, plan, and ask c.Servers(t) which are the same. All else is in
// attachment_resource_test.go, without Terraform.

const attachment = "stackpolicy_affinity_attachment.web"

func affinityAttachment(format string, args ...any) string {
	return "resource \"stackpolicy_affinity_attachment\" \"web\" {\n" + fmt.Sprintf(format, args...) + "\n}\n"
}

// serverGroup is the block servergroup, and hints the block scheduler_hints.
func serverGroup(arguments ...string) string {
	return "\n  servergroup {\n    " + strings.Join(arguments, "\n    ") + "\n  }"
}

func hints(group string) string {
	return fmt.Sprintf("\n  scheduler_hints {\n    group = %q\n  }", group)
}

func named(name string) string { return fmt.Sprintf("name = %q", name) }

func policies(policy string) string { return fmt.Sprintf("policies = %q", policy) }

func attachmentIs(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(attachment, tfjsonpath.New(attribute), check)
}

func empty() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
}

func action(want plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(attachment, want)},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
}

func TestAccAffinityAttachment_created(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	random := affinityAttachment("region = %q", region)
	zone := c.Zones(t, region)[0]
	id, unchanged, changed := tfjsonpath.New("servergroup_id"), statecheck.CompareValue(compare.ValuesSame()), statecheck.CompareValue(compare.ValuesDiffer())
	in := fmt.Sprintf("region = %q", region)
	group := c.Prefix + "g"
	c.Test(t,
		resource.TestStep{Config: random, ConfigPlanChecks: empty(), ConfigStateChecks: []statecheck.StateCheck{
			unchanged.AddStateValue(attachment, id),
			changed.AddStateValue(attachment, id),
			attachmentIs("servergroup_name", knownvalue.StringRegexp(regexp.MustCompile(`^server_group_[a-z0-9]{16,}$`))),
			attachmentIs("policy", knownvalue.StringExact("anti-affinity")),
			attachmentIs("inherited_group", knownvalue.Bool(false)),
			attachmentIs("members", knownvalue.ListSizeExact(0)),
			attachmentIs("zone", knownvalue.Null()),
			statecheck.ExpectKnownValue(attachment, tfjsonpath.New("binding").AtMapKey("AffinityPolicy").AtMapKey("version"), knownvalue.Int64Exact(1)),
			statecheck.ExpectKnownValue(attachment, tfjsonpath.New("binding").AtMapKey("AffinityPolicy").AtMapKey("data").AtMapKey("inherited_group"), knownvalue.Bool(false)),
			statecheck.CompareValuePairs(attachment, tfjsonpath.New("binding").AtMapKey("AffinityPolicy").AtMapKey("data").AtMapKey("servergroup_id"), attachment, tfjsonpath.New("servergroup_id"), compare.ValuesSame()),
		}},
		// The zone, a name, a policy, a rule: all change in place.
		resource.TestStep{Config: affinityAttachment(in+"\n availability_zone = %q", zone), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{attachmentIs("zone", knownvalue.StringExact(zone)), unchanged.AddStateValue(attachment, id)}},
		resource.TestStep{Config: affinityAttachment("%s", in+serverGroup(named(group), policies("soft-anti-affinity"))), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{
				attachmentIs("servergroup_name", knownvalue.StringExact(group)),
				attachmentIs("policy", knownvalue.StringExact("soft-anti-affinity")),
				attachmentIs("inherited_group", knownvalue.Bool(false)),
				changed.AddStateValue(attachment, id),
			}},
		// Imported as created, it is the same attachment; as inherited, it is not deleted.
		resource.TestStep{ResourceName: attachment, ImportState: true, ImportStateIdFunc: importID("/created"), ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"servergroup"}},
		resource.TestStep{ResourceName: attachment, ImportState: true, ImportStateIdFunc: importID(""), ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"servergroup", "inherited_group", "binding"}},
	)
	assert.Equal(t, 0, c.Groups(t, region), "groups are left")
}

// importID is the import id of the attachment in the state.
func importID(suffix string) func(*terraform.State) (string, error) {
	return func(s *terraform.State) (string, error) {
		return s.RootModule().Resources[attachment].Primary.ID + suffix, nil
	}
}

func TestAccAffinityAttachment_inherited(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	id := c.Group(t, region, "shared", "affinity")
	name := c.Prefix + "shared"
	server := fmt.Sprintf(`
resource "openstack_compute_instance_v2" "member" {
  name   = "%sm"
  region = %q
  %s
  scheduler_hints {
    group = stackpolicy_affinity_attachment.web.servergroup_id
  }
}`, c.Prefix, region, c.Bare())
	checks := []statecheck.StateCheck{
		attachmentIs("servergroup_id", knownvalue.StringExact(id)),
		attachmentIs("id", knownvalue.StringExact(region+"/"+id)),
		attachmentIs("inherited_group", knownvalue.Bool(true)),
		attachmentIs("policy", knownvalue.StringExact("affinity")),
	}
	in := fmt.Sprintf("region = %q", region)
	byName := affinityAttachment("%s", in+serverGroup(named(name), policies("affinity")))
	c.Test(t,
		resource.TestStep{Config: byName, ConfigStateChecks: checks, ConfigPlanChecks: empty()},
		// The same group through scheduler hints: nothing to replace.
		resource.TestStep{Config: affinityAttachment("%s", in+hints(name)), ConfigStateChecks: checks, ConfigPlanChecks: action(plancheck.ResourceActionUpdate)},
		resource.TestStep{Config: byName + server},
		resource.TestStep{RefreshState: true, RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		resource.TestStep{Config: byName + server, ConfigStateChecks: []statecheck.StateCheck{attachmentIs("members", knownvalue.ListSizeExact(1))}},
	)
	assert.Equal(t, 1, c.Groups(t, region), "the inherited group is left")
}

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
	require.NoError(t, err)
	shown, err := w.Run(t.Context(), "show", "-json", "now.tfplan")
	require.NoError(t, err)
	p := new(tfjson.Plan)
	require.NoError(t, p.UnmarshalJSON([]byte(shown)))
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
	require.NoError(t, err)
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
	require.NoError(t, w.Write(config))
}

// TestAccAffinityChange: another policy is taken up in place. Servers stay, and the plan has said what
// happens to them.
func TestAccAffinityChange(t *testing.T) {
	t.Parallel()
	lifecycle := ignoring + "\n    " + first
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	group := c.Prefix + "g"
	w := c.Workspace(t, grouped(c, lifecycle, named(group), policies("soft-anti-affinity")))
	apply(t, w)
	settled(t, w)
	before, old := c.Servers(t), c.GroupID(t, region, "g")

	write(t, w, grouped(c, lifecycle, named(group), policies("soft-affinity")))
	p, text := plan(t, w)
	assert.Equal(t, attachment+": update", actions(p), "planned")
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
		assert.Equal(t, s.ID, before[name].ID, "%s stays", name)
	}
	// It is as much its own as the one before.
	if _, err := w.Destroy(t.Context()); err != nil || c.Groups(t, region) != 0 {
		t.Errorf("destroyed: %v, %d groups", err, c.Groups(t, region))
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
