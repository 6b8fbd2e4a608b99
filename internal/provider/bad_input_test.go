package provider_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
)

// says matches a text however terraform breaks its lines.
func says(text string) *regexp.Regexp {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	return regexp.MustCompile(strings.Join(words, `\s+`))
}

// TestAccPlanBadInput: each fault is reported while planning, at the attribute.
func TestAccPlanBadInput(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	plan := func(regions, request string) string {
		return fmt.Sprintf("data \"stackpolicy_region_plan\" \"p\" {\n  nodes = %s\n  regions = %s\n  %s\n}\n", nodes("region", region, 1), regions, request)
	}
	listed := fmt.Sprintf("[{ name = %q }]", region)
	steps := []resource.TestStep{}
	for _, bad := range []struct{ config, want string }{
		{plan(fmt.Sprintf("[{ name = %q, weight = 0 }]", region), "scale_out {}"), "Attribute regions[0].weight value must be between 1 and"},
		{plan(fmt.Sprintf("[{ name = %q, weight = -3 }]", region), "scale_out {}"), "Attribute regions[0].weight value must be between 1 and"},
		{plan(fmt.Sprintf("[{ name = %q, cap = -2 }]", region), "scale_out {}"), "Attribute regions[0].cap value must be between -1 and"},
		{plan(fmt.Sprintf("[{ name = %q, min = -1 }]", region), "scale_out {}"), "Attribute regions[0].min value must be between 0 and"},
		{plan(fmt.Sprintf("[{ name = %q, cap = 2, min = 3 }]", region), "scale_out {}"), fmt.Sprintf("The min of the region %q (3) is larger than its cap (2).", region)},
		{plan(fmt.Sprintf("[{ name = %[1]q }, { name = %[1]q, weight = 5 }]", region), "scale_out {}"), fmt.Sprintf("%q is at the indices 0 and 1.", region)},
		{plan("[]", "scale_out {}"), "Attribute regions list must contain at least 1 elements"},
		{plan(fmt.Sprintf("[{ name = %q }, { name = \"Atlantis\" }]", region), "scale_out {}"), `Keystone does not know the region "Atlantis". It knows`},
		{plan(fmt.Sprintf("[{ name = %q, cap = 3 }]", region), "scale_out { count = 5 }"),
			fmt.Sprintf("5 nodes must be added, but there is room for 2: %s 2 of 3 (cap).", region)},
		{plan(fmt.Sprintf("[{ name = %q, min = 1 }]", region), "scale_in {}"),
			fmt.Sprintf("1 node must be removed, but only 0 can be: %s 0 of 1 (min 1). Lower a min, protect fewer nodes, or remove fewer.", region)},
		{plan(listed, "scale_out {}\n  scale_in {}"), "Two requests are made at once, scale_out and scale_in: make one."},
		{plan(listed, ""), "Nothing is requested"},
		{plan(listed, "scale_out { count = -1 }"), "Attribute scale_out.count value must be between 0 and"},
		{plan(listed, `resize { adjustment_type = "CHANGE_IN_PERCENTAGE" }`), "CHANGE_IN_PERCENTAGE needs a number."},
		{plan(listed, `resize {
    adjustment_type = "BY_HALF"
    number = 1
  }`), "Attribute resize.adjustment_type value must be one of"},
		{plan(listed, `resize { number = 1 }`), "A number needs an adjustment_type"},
		{plan(listed, `resize {
    min_size = 5
    max_size = 3
  }`), "The specified min_size (5) is greater than the specified max_size (3)."},
		{plan(listed, `resize {
    adjustment_type = "EXACT_CAPACITY"
    number = 9
    max_size = 3
    strict = true
  }`),
			"The target capacity (9) is greater than the specified max_size (3)."},
		{`data "stackpolicy_cluster" "c" {}`, "Nothing says which servers belong to the cluster."},
		{`data "stackpolicy_cluster" "c" { name_regex = "" }`, "Nothing says which servers belong to the cluster."},
		{`data "stackpolicy_cluster" "c" { name_regex = "web-(" }`, "missing closing ): `web-(`"},
		{`data "stackpolicy_cluster" "c" {
		    name_regex = "web"
		    regions    = ["Atlantis"]
		  }`, `region "Atlantis" has no compute endpoint in the catalogue of this user; there is one in`},
		{`data "stackpolicy_region_plan" "p" {
		    nodes     = [{ id = "a" }, { id = "a", region = "R" }]
		    regions   = [{ name = "R" }]
		    scale_out {}
		  }`, `The nodes 0 and 1 have the same id "a".`},
		{`data "stackpolicy_region_plan" "p" {
		    nodes     = [{ id = "a" }, null]
		    regions   = [{ name = "R" }]
		    scale_out {}
		  }`, "This attribute contains a null value."},
		{`data "stackpolicy_region_plan" "p" {
		    nodes     = [{ id = "a" }]
		    regions   = [{ name = "R" }]
		    scale_out {}
		  }`, `The node "a" has no region.`},
		{`data "stackpolicy_deletion_plan" "p" {
		    nodes    = [{ id = "a", created_at = "yesterday" }]
		    scale_in {}
		  }`, `"yesterday" is not a time as RFC 3339 writes it`},
		{fmt.Sprintf(`data "stackpolicy_zone_plan" "p" {
		    region    = %q
		    nodes     = []
		    zones     = [{ name = "cloud-nine" }]
		    scale_out {}
		  }`, region), fmt.Sprintf("Nova in region %q does not list the availability zone \"cloud-nine\". It lists", region)},
	} {
		steps = append(steps, resource.TestStep{Config: bad.config, PlanOnly: true, ExpectError: says(bad.want)})
	}
	c.Test(t, steps...)
}

// TestNothingUsable: no region or zone that is listed takes nodes.
func TestNothingUsable(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	c.Fake.AddRegion("Dark")
	c.Fake.SetZoneAvailable("RegionOne", "az-2", false)
	c.Test(t,
		resource.TestStep{PlanOnly: true, ExpectError: says("No region is found usable."), Config: `
data "stackpolicy_region_plan" "p" {
  nodes     = []
  regions   = [{ name = "Dark" }]
  scale_out {}
}`},
		resource.TestStep{PlanOnly: true, ExpectError: says("No availability zone found available."), Config: `
data "stackpolicy_zone_plan" "p" {
  nodes     = []
  zones     = [{ name = "az-2" }]
  scale_out {}
}`},
	)
}

// TestProviderBadInput: a provider block that cannot work says why, and shows
// no secret.
func TestProviderBadInput(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	read := "data \"stackpolicy_cluster\" \"c\" { name_regex = \"web\" }\n"
	url := c.Fake.AuthURL()
	block := func(format string, args ...any) string {
		return fmt.Sprintf("provider \"stackpolicy\" {\n"+format+"\n}\n", args...) + read
	}
	html := fakecloud.Start(t, fakecloud.Config{})
	html.Inject(fakecloud.Fault{Status: http.StatusOK, Times: fakecloud.Forever, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>Horizon</html>"})
	var steps []resource.TestStep
	for _, bad := range []struct{ config, want string }{
		{block(""), "This needs an OpenStack cloud, and no cloud is configured: set auth_url or cloud"},
		{block("swauth = true\n auth_url = %q", url), "Swift's own authentication is not supported"},
		{block("cloud = \"nowhere\""), "Cloud \"nowhere\": unable to load clouds.yaml: no clouds.yml file found"},
		{block("auth_url = %q", url), "No user is given to log in with: give user_name and password, a token, or an application credential."},
		{block("auth_url = %q\n user_name = \"ann\"\n domain_name = \"Default\"", url), "The user has no password"},
		{block("auth_url = %q\n user_name = \"ann\"\n user_id = \"7\"\n password = \"hidden\"", url), "The user is named twice"},
		{block("auth_url = %q\n application_credential_id = \"7\"", url), "An application credential needs its secret."},
		{block("auth_url = %q\n user_name = \"ann\"\n password = \"hidden\"\n endpoint_type = \"secret\"", url), `"secret" is not one of public, internal and admin.`},
		{block("auth_url = %q\n user_name = \"ann\"\n password = \"hidden\"\n max_retries = -1", url), "Attribute max_retries value must be between 0 and 1000"},
		{block("auth_url = %q\n user_name = \"ann\"\n password = \"hidden\"\n request_timeout = 9223372037", url), "request_timeout value must be between 1 and 86400"},
		{block("auth_url = %q\n user_name = \"ann\"\n password = \"hidden\"", strings.Replace(url, "//", "//ann:hidden@", 1)), "has no user name and no password in it"},
		{block("auth_url = %q\n user_name = \"ann\"\n password = \"hidden\"\n tenant_name = \"web\"\n cert = \"a.pem\"", url), "A client certificate needs both cert and key."},
		{block("auth_url = %q\n user_name = \"ann\"\n password = \"hidden\"\n tenant_name = \"web\"\n cacert_file = \"none.pem\"", url), "It is neither PEM text nor the path of a file that can be read: no such file or directory."},
		{block("auth_url = %q\n user_name = \"member\"\n password = \"hidden\"\n tenant_name = \"member\"\n region = \"RegionOne\"", url),
			"The request you have made requires authentication."},
		{block("auth_url = %q\n user_name = \"member\"\n password = \"secret\"\n tenant_name = \"member\"", url),
			"no region is configured, and the catalogue has 2 with a compute endpoint (RegionOne, RegionTwo): set region, or OS_REGION_NAME"},
		{block("auth_url = %q\n user_name = \"member\"\n password = \"hidden\"\n tenant_name = \"member\"\n region = \"RegionOne\"", html.AuthURL()),
			`with "text/html" in place of JSON: "<html>Horizon</html>"... Is this the address of an OpenStack API?`},
		{"resource \"terraform_data\" \"x\" {}\n" + block("auth_url = terraform_data.x.id"), "the provider block refers to values that are known only after apply."},
	} {
		steps = append(steps, resource.TestStep{Config: bad.config, PlanOnly: true, ExpectError: says(bad.want)})
	}
	c.Test(t, steps...)
}
