package provider_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// TestLoginRefused: a wrong password, project or domain is said in the same words
// wherever it shows first, and once for each block.
func TestLoginRefused(t *testing.T) {
	t.Parallel()
	const literal = `nodes = [{ id = "1", name = "web-0", region = "RegionOne" }]`
	blocks := map[string]string{
		`data "stackpolicy_zones"`:                    ``,
		`data "stackpolicy_cluster"`:                  `name_regex = "web"`,
		`data "stackpolicy_region_plan"`:              literal + "\n  scale_out {\n    count = 1\n  }\n  regions = [{ name = \"RegionOne\" }]",
		`data "stackpolicy_zone_plan"`:                literal + "\n  scale_out {\n    count = 1\n  }\n  zones = [{ name = \"az-1\" }]",
		`data "stackpolicy_affinity_plan"`:            "servergroup_id = \"1\"\n  region = \"RegionOne\"\n  scale_out {\n    count = 1\n  }",
		`resource "stackpolicy_placement_attachment"`: "cluster = \"web\"\n  desired_capacity = 1\n  zones = [{ name = \"az-1\" }]",
		`resource "stackpolicy_affinity_attachment"`:  "servergroup {\n    name = \"web\"\n  }",
		`resource "stackpolicy_deletion_attachment"`:  `server_id = "1"`,
		`resource "stackpolicy_readiness_attachment"`: "cluster = \"web\"\n  servers = { web-0 = { id = \"1\", region = \"RegionOne\", mark = \"1\", address = \"192.0.2.1\" } }\n  tcp {\n    port = 22\n  }",
	}
	summary := regexp.MustCompile(`Error: [^\n]*`)
	for head, arguments := range blocks {
		block := head + " \"x\" {\n  " + arguments + "\n}\n"
		t.Run(head, func(t *testing.T) {
			t.Parallel()
			c := acctest.NewFake(t, fakecloud.Config{})
			wrong := func(password, project string) string {
				return fmt.Sprintf("provider \"stackpolicy\" {\n  auth_url = %q\n  user_name = \"member\"\n  password = %q\n  tenant_name = %q\n  region = \"RegionOne\"\n}\n",
					c.Fake.AuthURL(), password, project)
			}
			w := c.Workspace(t, wrong("hidden-password", "member")+block)
			for _, config := range []string{wrong("hidden-password", "member"), wrong(fakecloud.Password, "another-project")} {
				require.NoError(t, w.Write(config+block))
				_, err := w.Run(t.Context(), "apply", "-auto-approve", "-input=false", "-no-color")
				if err == nil {
					t.Fatal("it was applied")
				}
				got := strings.Join(strings.Fields(strings.NewReplacer("│", "", "╷", "", "╵", "").Replace(err.Error())), " ")
				if found := summary.FindAllString(err.Error(), -1); len(found) != 1 || found[0] != "Error: Unable to log in" {
					t.Errorf("the errors are %q:\n%s", found, err)
				}
				if !strings.Contains(got, "401 Unauthorized") || !strings.Contains(got, "Check the user, the password and the project") ||
					strings.Contains(got, "Expected HTTP") || strings.Contains(got, "hidden-password") {
					t.Error(got)
				}
			}
		})
	}
}
