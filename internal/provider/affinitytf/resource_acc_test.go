package affinitytf_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// The tests in this file need Terraform: the life of an affinity attachment, and what happens to
// the servers that have its group in their scheduler hints: grouped(c, ignoring, named("web"))
// is two servers in a group. All other tests are in resource_test.go.

const attachment = "stackpolicy_affinity_attachment.web"

func affinityAttachment(arguments string) string {
	return "resource \"stackpolicy_affinity_attachment\" \"web\" {\n" + arguments + "\n}\n"
}

// serverGroup returns the block servergroup, and hints the block scheduler_hints.
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

func action(want plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(attachment, want)},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
}

// TestAccAffinityAttachment_lifecycle: the zone changes in place; another name and policy replace the attachment. An import finds the
// same attachment, created or inherited. Destroying it deletes a created group, and leaves an inherited one.
func TestAccAffinityAttachment_lifecycle(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	zone := c.Zones(t, region)[0]
	in, own, shared := fmt.Sprintf("region = %q", region), c.Prefix+"g", c.Group(t, region, "shared", "affinity")
	id, unchanged, changed := tfjsonpath.New("servergroup_id"), statecheck.CompareValue(compare.ValuesSame()), statecheck.CompareValue(compare.ValuesDiffer())
	inherited := affinityAttachment(in+hints(c.Prefix+"shared")) + fmt.Sprintf(`
resource "openstack_compute_instance_v2" "member" {
  name   = "%sm"
  region = %q
  %s
  scheduler_hints {
    group = stackpolicy_affinity_attachment.web.servergroup_id
  }
}`, c.Prefix, region, c.Bare())
	c.Test(t,
		resource.TestStep{Config: affinityAttachment(in), ConfigPlanChecks: action(plancheck.ResourceActionCreate), ConfigStateChecks: []statecheck.StateCheck{
			unchanged.AddStateValue(attachment, id),
			changed.AddStateValue(attachment, id),
			attachmentIs("servergroup_name", knownvalue.StringRegexp(regexp.MustCompile(`^server_group_[a-z0-9]{16,}$`))),
			attachmentIs("policy", knownvalue.StringExact("anti-affinity")),
			statecheck.ExpectKnownValue(attachment, tfjsonpath.New("binding").AtMapKey("AffinityPolicy").AtMapKey("version"), knownvalue.Int64Exact(1)),
		}},
		resource.TestStep{Config: affinityAttachment(in + fmt.Sprintf("\n availability_zone = %q", zone)),
			ConfigPlanChecks:  action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{attachmentIs("zone", knownvalue.StringExact(zone)), unchanged.AddStateValue(attachment, id)}},
		resource.TestStep{Config: affinityAttachment(in + serverGroup(named(own), policies("soft-anti-affinity"))),
			ConfigPlanChecks: action(plancheck.ResourceActionReplace),
			ConfigStateChecks: []statecheck.StateCheck{
				attachmentIs("servergroup_name", knownvalue.StringExact(own)),
				attachmentIs("policy", knownvalue.StringExact("soft-anti-affinity")),
				attachmentIs("inherited_group", knownvalue.Bool(false)),
				changed.AddStateValue(attachment, id),
			}},
		resource.TestStep{ResourceName: attachment, ImportState: true, ImportStateIdFunc: importID("/created"), ImportStateVerify: true,
			ImportStateVerifyIdentifierAttribute: "servergroup_id", ImportStateVerifyIgnore: []string{"servergroup"}},
		resource.TestStep{Config: inherited, ConfigStateChecks: []statecheck.StateCheck{
			attachmentIs("servergroup_id", knownvalue.StringExact(shared)),
			attachmentIs("inherited_group", knownvalue.Bool(true)),
			attachmentIs("policy", knownvalue.StringExact("affinity")),
		}},
		resource.TestStep{RefreshState: true, RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		resource.TestStep{Config: inherited, ConfigStateChecks: []statecheck.StateCheck{attachmentIs("members", knownvalue.ListSizeExact(1))}},
		resource.TestStep{ResourceName: attachment, ImportState: true, ImportStateIdFunc: importID(""), ImportStateVerify: true,
			ImportStateVerifyIdentifierAttribute: "servergroup_id", ImportStateVerifyIgnore: []string{"servergroup", "scheduler_hints"}},
	)
	assert.Equal(t, c.GroupID(t, region, "shared"), shared, "the inherited group is left")
	assert.Equal(t, 1, c.Groups(t, region), "groups are left")
}

// importID returns the import id of the attachment in the state.
func importID(suffix string) func(*terraform.State) (string, error) {
	return func(s *terraform.State) (string, error) {
		attributes := s.RootModule().Resources[attachment].Primary.Attributes
		return attributes["region"] + "/" + attributes["servergroup_id"] + suffix, nil
	}
}

// grouped returns two servers of terraform-provider-openstack in a server group, with
// more lines for the servers' lifecycle.
func grouped(c *acctest.Cloud, lifecycle string, arguments ...string) string {
	return affinityAttachment(serverGroup(arguments...)) + fmt.Sprintf(`
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

// TestAccAffinityChange: another policy replaces the attachment, and servers do what the warning says: they stay if they ignore
// changes of their hints, and are replaced otherwise. Where the new attachment comes first, the group needs another name, as the
// error says. With -replace it inherits the group that the old one would delete a moment later.
func TestAccAffinityChange(t *testing.T) {
	t.Parallel()
	const ignoring, first = "ignore_changes = [scheduler_hints]\n    ", "create_before_destroy = true"
	for name, change := range map[string]struct {
		lifecycle, group, policy string
		servers                  string // servers that are made again
		inherited                bool   // whether the new attachment inherits the group
		fails                    string // what an apply says that changes the policy alone
	}{
		"another policy":                {ignoring, "g", "soft-affinity", "", false, ""},
		"another policy, first":         {ignoring + first, "h", "soft-affinity", "", false, "With create_before_destroy a new group needs another name too"},
		"another policy, of the hints":  {first, "h", "soft-affinity", "web-0 web-1", false, ""},
		"made again, the new one first": {ignoring + first, "g", "soft-anti-affinity", "", true, ""},
		"made again":                    {ignoring, "g", "soft-anti-affinity", "", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			runs.In(t, runs.Some(name == "another policy, first", runs.Short, runs.Night))
			t.Parallel()
			c := acctest.New(t, fakecloud.Config{})
			region := c.Regions(t)[0]
			config := grouped(c, change.lifecycle, named(c.Prefix+"g"), policies("soft-anti-affinity"))
			l := acctest.Loop{Workspace: c.Workspace(t, config), Cloud: c}
			l.Step(t, "made", config, "web-0 web-1", "")
			before, old := l.IDs(t), c.GroupID(t, region, "g")
			apply := []string{"apply", "-auto-approve", "-no-color"}
			if change.fails != "" {
				require.NoError(t, l.Write(grouped(c, change.lifecycle, named(c.Prefix+"g"), policies(change.policy))))
				_, err := l.Run(t.Context(), apply...)
				require.Error(t, err)
				assert.Regexp(t, acctest.Says(change.fails), err.Error())
			}
			require.NoError(t, l.Write(grouped(c, change.lifecycle, named(c.Prefix+change.group), policies(change.policy))))
			if change.policy == "soft-anti-affinity" {
				apply = append(apply, "-replace="+attachment)
			}
			text := acctest.Must(t, l.Workspace, apply...)
			stays := acctest.Says("The server group " + old + " of region " + region + " is not deleted: another attachment inherited it during this apply.")
			assert.Equal(t, change.inherited, stays.MatchString(text), text)
			assert.Equal(t, change.inherited, c.GroupID(t, region, change.group) == old, "the group stays")
			assert.Equal(t, 1, c.Groups(t, region), "groups")
			assert.Equal(t, change.servers, acctest.Difference(l.IDs(t), before), "servers that are new")
			l.Settled(t, name)
			_, err := l.Destroy(t.Context())
			require.NoError(t, err)
			assert.Equal(t, change.inherited, c.Groups(t, region) == 1, "what was inherited is not deleted, and what is its own is")
			c.DropGroups(t, region)
		})
	}
}
