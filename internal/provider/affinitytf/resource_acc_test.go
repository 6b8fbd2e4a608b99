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
	"github.com/stretchr/testify/assert"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// The tests in this file need Terraform: the life of an affinity attachment. TestAccInstance has what happens to the servers that
// have its group in their scheduler hints. All other tests are in resource_test.go.

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
