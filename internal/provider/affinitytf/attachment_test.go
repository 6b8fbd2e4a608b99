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
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

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

func perHost(n int) string { return fmt.Sprintf("max_server_per_host = %d", n) }

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
		resource.TestStep{Config: affinityAttachment("%s", in+serverGroup(named(group), perHost(2))), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{attachmentIs("policy", knownvalue.StringExact("anti-affinity")), attachmentIs("inherited_group", knownvalue.Bool(false)), changed.AddStateValue(attachment, id)}},
		resource.TestStep{Config: affinityAttachment("%s", in+serverGroup(named(group), perHost(3))), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{changed.AddStateValue(attachment, id)}},
		// Imported as created, it is the same attachment; as inherited, it is not deleted.
		resource.TestStep{ResourceName: attachment, ImportState: true, ImportStateIdFunc: importID("/created"), ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"servergroup"}},
		resource.TestStep{ResourceName: attachment, ImportState: true, ImportStateIdFunc: importID(""), ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"servergroup", "inherited_group", "binding"}},
	)
	if n := c.Groups(t, region); n != 0 {
		t.Errorf("%d groups are left", n)
	}
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
	c.Group(t, region, "twin", "affinity")
	c.Group(t, region, "twin", "anti-affinity")
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
		// The same group by its id, and through scheduler hints: nothing to replace.
		resource.TestStep{Config: affinityAttachment("%s", in+serverGroup(named(id), policies("affinity"))), ConfigStateChecks: checks, ConfigPlanChecks: action(plancheck.ResourceActionUpdate)},
		resource.TestStep{Config: affinityAttachment("%s", in+serverGroup(policies("affinity"))+hints(name)), ConfigStateChecks: checks, ConfigPlanChecks: action(plancheck.ResourceActionUpdate)},
		// Hints alone accept the policy that the group has.
		resource.TestStep{Config: affinityAttachment("%s", in+hints(name)), ConfigStateChecks: checks, ConfigPlanChecks: action(plancheck.ResourceActionUpdate)},
		resource.TestStep{Config: affinityAttachment("%s", in+serverGroup(policies("affinity"))+hints(id)), ConfigStateChecks: checks, ConfigPlanChecks: action(plancheck.ResourceActionUpdate)},
		// An empty block asks for the default policy, which this group does not have.
		resource.TestStep{Config: affinityAttachment("%s", in+serverGroup()+hints(id)), PlanOnly: true,
			ExpectError: acctest.Says("has the policy affinity, and the attachment asks for anti-affinity")},
		resource.TestStep{Config: byName + server},
		resource.TestStep{RefreshState: true, RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		resource.TestStep{Config: byName + server, ConfigStateChecks: []statecheck.StateCheck{attachmentIs("members", knownvalue.ListSizeExact(1))}},
		resource.TestStep{Config: byName},
		resource.TestStep{Config: affinityAttachment("%s", in+serverGroup(named(name))),
			ExpectError: acctest.Says(fmt.Sprintf("The server group %q (%s) has the policy affinity, and the attachment asks for anti-affinity.", name, id))},
		resource.TestStep{Config: affinityAttachment("%s", in+serverGroup(named(c.Prefix+"twin"), policies("affinity"))),
			ExpectError: acctest.Says(fmt.Sprintf(`2 server groups are named "%stwin" (`, c.Prefix))},
		resource.TestStep{Config: affinityAttachment("%s", in+hints(c.Prefix+"nowhere")),
			ExpectError: acctest.Says(fmt.Sprintf(`No server group has the name or id "%snowhere", which the scheduler hints give.`, c.Prefix))},
	)
	if n := c.Groups(t, region); n != 3 {
		t.Errorf("%d groups are left, and 3 were inherited or another's", n)
	}
}

// TestAccAffinityAttachment_olderNova: groups are made, read, inherited and
// deleted with whatever microversion there is, and what that lacks is said.
func TestAccAffinityAttachment_olderNova(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region, err := c.API.Region(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	config := func(newest int, arguments ...string) string {
		return c.ProviderBlock("stackpolicy", fmt.Sprintf("endpoint_overrides = { compute = %q }", c.OlderNova(t, region, newest))) + affinityAttachment("%s", serverGroup(arguments...))
	}
	theirs := c.Group(t, region, "theirs", "affinity")
	var steps []resource.TestStep
	for _, old := range []struct {
		newest  int
		soft    string // what is said of a soft policy; empty: it is taken
		perHost string // and of max_server_per_host
	}{
		{1, "The policy soft-affinity needs Nova's microversion 2.15, and region " + region + " offers 2.1", "The rule max_server_per_host needs"},
		{14, "The policy soft-affinity needs Nova's microversion 2.15, and region " + region + " offers 2.14", "The rule max_server_per_host needs"},
		{15, "", "The rule max_server_per_host needs Nova's microversion 2.64, and region " + region + " offers 2.15"},
		{63, "", "The rule max_server_per_host needs Nova's microversion 2.64, and region " + region + " offers 2.63"},
		{64, "", ""},
	} {
		expect := func(config, refusal string) resource.TestStep {
			step := resource.TestStep{Config: config}
			if refusal == "" {
				step.ConfigPlanChecks = empty()
			} else {
				step.PlanOnly, step.ExpectError = true, acctest.Says(refusal)
			}
			return step
		}
		n := old.newest
		own := named(fmt.Sprintf("%s%d", c.Prefix, n))
		steps = append(steps,
			expect(config(n, own, policies("anti-affinity")), ""),
			expect(config(n, named(theirs), policies("affinity")), ""),
			resource.TestStep{Config: config(n, named(theirs)), PlanOnly: true, ExpectError: acctest.Says("has the policy affinity")},
			expect(config(n, own, policies("soft-affinity")), old.soft),
			expect(config(n, own, perHost(2)), old.perHost))
	}
	c.Test(t, steps...)
	if n := c.Groups(t, region); n != 1 {
		t.Errorf("%d groups are left, of which one is not the attachments'", n)
	}
}

func TestAccAffinityAttachment_drift(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	config := affinityAttachment("region = %q%s", region, serverGroup(named(c.Prefix+"g")))
	c.Test(t,
		resource.TestStep{Config: config},
		// Deleted outside: it is made again.
		resource.TestStep{PreConfig: func() { c.DropGroups(t, region) }, Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(attachment, plancheck.ResourceActionCreate)}}},
		resource.TestStep{Config: "locals {}\n"},
	)
	if n := c.Groups(t, region); n != 0 {
		t.Errorf("%d groups are left", n)
	}
}

// TestAccAffinityAttachment_destroy: a plan that deletes a group names its
// members. A group that is deleted meanwhile is no reason to fail.
func TestAccAffinityAttachment_destroy(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	config := affinityAttachment("region = %q%s", region, serverGroup(named(c.Prefix+"g")))
	w := c.Workspace(t, config)
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	ids := c.Boot(t, acctest.Server{Name: "left", Region: region, Group: c.GroupID(t, region, "g")})
	plan, err := w.Run(t.Context(), "plan", "-destroy", "-no-color")
	if want := acctest.Says(fmt.Sprintf(`Destroying the attachment deletes the server group "%[1]sg" (%[2]s), which it created, and 1 server is in it now: %[1]sleft (%[3]s). `+
		`Those that are not destroyed by the same apply keep running without a group.`, c.Prefix, c.GroupID(t, region, "g"), ids[0])); err != nil || !want.MatchString(plan) {
		t.Errorf("got %v\n%s", err, plan)
	}
	if _, err := w.Destroy(t.Context()); err != nil {
		t.Error(err)
	}
	if n := c.Groups(t, region); n != 0 {
		t.Errorf("%d groups are left", n)
	}
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.DropGroups(t, region)
	if _, err := w.Run(t.Context(), "destroy", "-auto-approve", "-no-color", "-refresh=false"); err != nil {
		t.Errorf("destroying a group that is gone: %v", err)
	}
}

func TestAccAffinityAttachment_badInput(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	var steps []resource.TestStep
	for config, want := range map[string]string{
		serverGroup(policies("aversion")):                          "Attribute servergroup.policies value must be one of",
		serverGroup(policies("affinity"), perHost(2)):              "Only a group of the policy anti-affinity has a max_server_per_host",
		serverGroup(perHost(0)):                                    "Attribute servergroup.max_server_per_host value must be between 1 and",
		serverGroup("max_server_per_host = 2.5"):                   "A whole number is needed, not 2.5.",
		serverGroup(named("")):                                     "Attribute servergroup.name string length must be at least 1",
		serverGroup(`polices = "affinity"`):                        `An argument named "polices" is not expected here. Did you mean "policies"?`,
		`servergroup = { name = "web" }`:                           `An argument named "servergroup" is not expected here. Did you mean to define a block of type "servergroup"?`,
		"scheduler_hints {}":                                       `Attribute "scheduler_hints.group" must be specified when "scheduler_hints" is specified`,
		hints(""):                                                  "Attribute scheduler_hints.group string length must be at least 1",
		serverGroup(named("1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63")): `No server group with the id "1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63" is visible to the project, and an id is no name for a new one.`,
		`region = ""`:                                              "Attribute region string length must be at least 1",
		`availability_zone = ""`:                                   "Attribute availability_zone string length must be at least 1",
		`availability_zone = "cloud-nine"`:                         `does not list the availability zone "cloud-nine". It lists`,
		"region = \"Atlantis\"":                                    `region "Atlantis" has no compute endpoint in the catalogue of this user`,
	} {
		steps = append(steps, resource.TestStep{Config: affinityAttachment("%s", config), PlanOnly: true, ExpectError: acctest.Says(want)})
	}
	steps = append(steps, resource.TestStep{Config: affinityAttachment("region = %q", c.Regions(t)[0])})
	for id, want := range map[string]string{
		"just-an-id": "is neither <region>/<server group id>",
		"/x":         "is neither <region>/<server group id>",
		"RegionOne/": "is neither <region>/<server group id>",
		c.Regions(t)[0] + "/00000000-0000-0000-0000-000000000000": "Cannot import non-existent remote object",
	} {
		steps = append(steps, resource.TestStep{ResourceName: attachment, ImportState: true, ImportStateId: id, ExpectError: acctest.Says(want)})
	}
	c.Test(t, steps...)
}

// TestAccAffinityAttachment_identity imports by identity, where the command line
// knows it.
func TestAccAffinityAttachment_identity(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	acctest.Terraform(t)
	config := affinityAttachment("region = %q%s", region, serverGroup(named(c.Prefix+"g")))
	resource.Test(t, resource.TestCase{IsUnitTest: true, ProtoV6ProviderFactories: acctest.Factories(),
		TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		Steps: []resource.TestStep{
			{Config: c.ProviderBlock("stackpolicy") + config, ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectIdentity(attachment, map[string]knownvalue.Check{
				"region": knownvalue.StringExact(region), "servergroup_id": knownvalue.NotNull(), "created": knownvalue.Bool(true)})}},
			{ResourceName: attachment, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			// The identity follows a group that is taken in place.
			{Config: c.ProviderBlock("stackpolicy") + affinityAttachment("region = %q%s", region, serverGroup(named(c.Prefix+"g"), policies("affinity"))), ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectIdentityValueMatchesState(attachment, tfjsonpath.New("servergroup_id"))}},
		}})
}
