package placementtf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// web is an attachment without servers.
func web(c *acctest.Cloud, lines ...string) string {
	return fmt.Sprintf("resource \"stackpolicy_placement_attachment\" \"web\" {\n  cluster = %q\n  %s\n}\n", c.Prefix+"web", strings.Join(lines, "\n  "))
}

// TestPlacementInvalid: what is wrong is reported while planning, with what to do about it.
func TestPlacementInvalid(t *testing.T) {
	t.Parallel()
	update := func(more attributes) attributes {
		return attributes{"update": with(attributes{"causes": []any{"TEMPLATE"}, "max_batch_size": "1"}, more)}
	}
	removing := func(more attributes) attributes { return attributes{"deletion": more} }
	watching := func(more attributes) attributes { return attributes{"health": more} }
	regions := protocol.Listing("RegionOne")
	zone := func(more attributes) attributes {
		return attributes{"zones": []any{with(attributes{"name": "az-1"}, more)}}
	}
	a := begin(t)
	for _, bad := range []struct {
		more attributes
		want string
	}{
		{attributes{"min_size": 6, "desired_capacity": 5}, "The desired_capacity (5) is less than the min_size (6)."},
		{attributes{"max_size": 4, "desired_capacity": 5}, "The desired_capacity (5) is greater than the max_size (4)."},
		{attributes{"min_size": 6, "max_size": 4}, "The min_size (6) is greater than the max_size (4)."},
		{attributes{"desired_capacity": -1}, "Attribute desired_capacity value must be at least 0"},
		{attributes{"desired_capacity": 100001}, "must be at most 100000"},
		{attributes{"desired_capacity": 3.7}, "is not an integer"},
		{attributes{"zones": nil}, "Nothing says where nodes may go. Give regions, or the zones of one region."},
		{attributes{"zones": nil, "region": "RegionOne"}, `Give regions, or the zones of one region: regions = [{ name = "RegionOne" }].`},
		{attributes{"zones": []any{}}, "Nothing says where nodes may go. Give regions, or the zones of one region."},
		{attributes{"regions": regions}, "Give either regions, which may have zones each, or the zones of one region."},
		{attributes{"zones": nil, "regions": regions, "region": "RegionOne"}, "The argument region belongs to zones. Leave it out where regions are listed."},
		{attributes{"zones": protocol.Listing("az-1 az-1")}, `"az-1" is at the indices 0 and 1.`},
		{attributes{"zones": nil, "regions": protocol.Listing("RegionOne:az-1,az-1")}, `"az-1" is at the indices 0 and 1.`},
		{zone(attributes{"weight": 0}), "Attribute zones[0].weight value must be at least 1"},
		{zone(attributes{"cap": 1, "min": 2}), "(2) is larger than its cap (1)."},
		{attributes{"zones": protocol.Listing("az-1", 2), "desired_capacity": 3}, "3 nodes must be added, but there is room for 2"},
		{attributes{"zones": protocol.Listing("cloud-nine")}, `does not list the availability zone "cloud-nine".`},
		{attributes{"zones": nil, "regions": protocol.Listing("Atlantis")}, `Keystone does not know the region "Atlantis".`},
		{attributes{"region": ""}, "region string length must be at least 1"},
		{attributes{"node_name_pattern": "{cluster}"}, `"{cluster}" would give all nodes one name: it needs {index} in it.`},
		{attributes{"node_name_pattern": "{cluster}-{index}-{number}"}, "has braces around something else than cluster and index."},
		{attributes{"node_name_pattern": " {cluster}{index}"}, "Nova refuses names with blanks at an end."},
		{attributes{"node_name_pattern": strings.Repeat("x", 250) + "{index}"}, "Nova takes 255."},
		{attributes{"selector": attributes{"name_regex": "web-("}}, "missing closing ): `web-(`"},
		{attributes{"template": attributes{}}, "at least 1 elements"},
		{attributes{"template": attributes{"image": nil}}, "Null element"},
		{removing(attributes{"criteria": "NEWEST_FIRST"}), "Attribute deletion.criteria value must be one of"},
		{removing(attributes{"candidates": []any{nil}}), "Null element"},
		{removing(attributes{"candidates": []any{"a", "a"}}), "duplicate values"},
		{removing(attributes{"protected": []any{""}}), "string length must be at least 1"},
		{watching(attributes{}), "The block health needs one of http, tcp and octavia."},
		{watching(attributes{"http": attributes{"url": "ftp://x"}}), "An address begins with http:// or https://"},
		{watching(attributes{"http": attributes{"url": "http://{address}/", "status": "ok"}}), "is neither a status between 100 and 599"},
		{watching(attributes{"http": attributes{"url": "http://{address}/"}, "tcp": attributes{"port": 80}}), "cannot be specified when"},
		{update(attributes{"max_batch_size": nil}), `Attribute "update.max_batch_size" must be specified when "update" is specified`},
		{update(attributes{"causes": nil}), `Attribute "update.causes" must be specified when "update" is specified`},
		{update(attributes{"causes": []any{"OLD"}}), "value must be one of"},
		{update(attributes{"max_batch_size": "a few"}), `"a few" is neither a whole number of nodes`},
		{update(attributes{"max_batch_size": "120%"}), "120% is more than all nodes"},
		{update(attributes{"max_batch_size": "0"}), "A batch of 0 replaces nothing"},
		{update(attributes{"max_batch_size": "0%"}), "A batch of 0% replaces nothing"},
		{update(attributes{"max_batch_size": "2.5"}), `"2.5" is neither a whole number of nodes`},
	} {
		a.Later(t)
		config := with(zonal(1, "az-1", nil), bad.more)
		err := a.Validate(t.Context(), a.I.Kind, config)
		if err == nil {
			_, err = a.Plan(t.Context(), a.Request(a.I, config))
		}
		if err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%v: %v, want %s", bad.more, err, bad.want)
		}
	}
}

// TestAccPlacementRefusesToShrink: what is protected bounds how far a cluster
// shrinks, and the error counts it.
func TestAccPlacementRefusesToShrink(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	zones := fmt.Sprintf("zones = [{ name = %q }]", c.Zones(t, c.Regions(t)[0])[0])
	keep := func(names ...string) string {
		return fmt.Sprintf("deletion { protected = [%s] }", `"`+c.Prefix+"web-"+strings.Join(names, `", "`+c.Prefix+"web-")+`"`)
	}
	c.Test(t,
		resource.TestStep{Config: web(c, "desired_capacity = 4", zones)},
		resource.TestStep{Config: web(c, "desired_capacity = 1", zones, keep("0", "1")), PlanOnly: true,
			ExpectError: acctest.Says("Remove fewer nodes, or protect fewer:")},
		resource.TestStep{Config: web(c, "desired_capacity = 3", zones, fmt.Sprintf("deletion {\n protected = [%[1]q]\n candidates = [%[1]q]\n }", c.Prefix+"web-0")), PlanOnly: true,
			ExpectError: acctest.Says(fmt.Sprintf("The node %q is a candidate for removal and is listed as protected.", c.Prefix+"web-0"))},
		resource.TestStep{Config: web(c, "desired_capacity = 2", zones, keep("0", "1"))},
	)
}

// TestAccPlacementUnknownSize: what is not known yet makes the nodes unknown,
// and never a wrong answer.
func TestAccPlacementUnknownSize(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	config := "resource \"terraform_data\" \"size\" { input = 3 }\n" +
		web(c, "desired_capacity = terraform_data.size.output", fmt.Sprintf("zones = [{ name = %q }]", c.Zones(t, c.Regions(t)[0])[0]))
	const address = "stackpolicy_placement_attachment.web"
	c.Test(t, resource.TestStep{Config: config,
		ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply:             []plancheck.PlanCheck{plancheck.ExpectUnknownValue(address, tfjsonpath.New("nodes")), plancheck.ExpectUnknownValue(address, tfjsonpath.New("change"))},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		},
		Check: resource.TestCheckResourceAttr(address, "nodes.%", "3"),
	})
}

// TestAccPlacementLowerCap: a cap below what is there moves nobody, and a
// warning says so.
func TestAccPlacementLowerCap(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	zone := c.Zones(t, c.Regions(t)[0])[0]
	low := web(c, "desired_capacity = 3", fmt.Sprintf("zones = [{ name = %q, cap = 1 }]", zone))
	w := c.Workspace(t, web(c, "desired_capacity = 3", fmt.Sprintf("zones = [{ name = %q }]", zone)))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(low); err != nil {
		t.Fatal(err)
	}
	text, err := w.Apply(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := acctest.Says("has 3 nodes, above its cap of 1."); !want.MatchString(text) {
		t.Errorf("no warning in:\n%s", text)
	}
	if err := w.Write(web(c, "desired_capacity = 2", fmt.Sprintf("zones = [{ name = %q, cap = 1 }]", zone))); err != nil {
		t.Fatal(err)
	}
	if text, err := w.Apply(t.Context()); err != nil {
		t.Errorf("shrinking towards the cap: %v\n%s", err, text)
	}
}

// TestPlacementQuota: with respect_quotas a region takes what the project's
// quota still allows, and the rest goes elsewhere.
func TestPlacementQuota(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	c.Fake.SetQuota("RegionOne", fakecloud.MemberProjectID, "instances", 2)
	const address = "stackpolicy_placement_attachment.web"
	both := `regions = [{ name = "RegionOne" }, { name = "RegionTwo" }]`
	regionCount := func(region string, n int64) plancheck.PlanCheck {
		return plancheck.ExpectKnownValue(address, tfjsonpath.New("distribution").AtMapKey(region).AtMapKey(""), knownvalue.Int64Exact(n))
	}
	c.Test(t,
		resource.TestStep{Config: web(c, "desired_capacity = 8", both, "respect_quotas = true"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{regionCount("RegionOne", 2), regionCount("RegionTwo", 6)}}},
		resource.TestStep{Config: web(c, "desired_capacity = 9", `regions = [{ name = "RegionOne" }]`, "respect_quotas = true"), PlanOnly: true,
			ExpectError: acctest.Says("RegionOne 0 (quota: 0 of 2 instances in use)")},
	)
}

// TestPlacementQuotaRoom: a batch whose new servers do not fit next to the old
// ones is warned of, because Nova would refuse them.
func TestPlacementQuotaRoom(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	c.Fake.SetQuota("RegionOne", fakecloud.MemberProjectID, "instances", 5)
	config := func(version string, batch int) string {
		return web(c, "desired_capacity = 4", `zones = [{ name = "az-1" }]`, "respect_quotas = true", fmt.Sprintf("template = { version = %q }", version),
			fmt.Sprintf("update {\n causes = [\"TEMPLATE\"]\n max_batch_size = %d\n }", batch))
	}
	w := c.Workspace(t, config("a", 2))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		c.Fake.AddServers("RegionOne", fakecloud.Server{Name: fmt.Sprintf("%sweb-%d", c.Prefix, i), Zone: "az-1"})
	}
	for batch, warned := range map[int]bool{2: true, 1: false} {
		if err := w.Write(config("b", batch)); err != nil {
			t.Fatal(err)
		}
		text, err := w.Run(t.Context(), "plan", "-input=false", "-no-color")
		if err != nil || acctest.Says("this plan needs servers for 2 nodes, and the quota has room for 1 more: 4 of 5 instances in use").MatchString(text) != warned {
			t.Errorf("a batch of %d: %v, want a warning: %t\n%s", batch, err, warned, text)
		}
	}
}
