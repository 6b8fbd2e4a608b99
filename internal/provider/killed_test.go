//go:build unix

package provider_test

import (
	"fmt"
	"slices"
	"syscall"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestAccKilled: terraform is killed in the middle of an apply, at one moment
// after another. The next apply ends where the first one would have.
//
// A server whose creation Terraform does not remember is made a second time, by
// the nature of Terraform. Such a twin is not to confuse the attachments.
func TestAccKilled(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	config := fmt.Sprintf(`
resource "stackpolicy_affinity_attachment" "web" {
  region = %q
  servergroup {
    name     = "%sg"
    policies = "soft-anti-affinity"
  }
}
`, region, c.Prefix) +
		acctest.Placement(c, 4, acctest.Places(region+": "+c.Zones(t, region)[0]), "") +
		acctest.Made(c, "scheduler_hints {\n    group = stackpolicy_affinity_attachment.web.servergroup_id\n  }") + `
resource "terraform_data" "last" { # so that the apply is never over before it is killed
  depends_on = [openstack_compute_instance_v2.web]
  provisioner "local-exec" {
    command = "sleep 2"
  }
}
`
	for _, moment := range []string{
		"stackpolicy_affinity_attachment.web: Creating...",
		"stackpolicy_affinity_attachment.web: Creation complete",
		"stackpolicy_placement_attachment.web: Creation complete",
		"openstack_compute_instance_v2.web[\"" + c.Prefix + "2\"]: Creating...",
		"openstack_compute_instance_v2.web[\"" + c.Prefix + "1\"]: Creation complete",
	} {
		t.Run(moment, func(t *testing.T) {
			l := acctest.Loop{Workspace: c.Installed(t, config), Cloud: c}
			apply, err := l.Start(t.Context(), "apply", "-auto-approve", "-input=false", "-no-color")
			if err != nil {
				t.Fatal(err)
			}
			if err := apply.Until(moment); err != nil {
				t.Fatal(err)
			}
			if err := apply.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if text, err := apply.Wait(); err == nil {
				t.Fatalf("not killed:\n%s", text)
			}
			_, err = l.Apply(t.Context())
			if err != nil && acctest.Says("Servers of this cluster are there already").MatchString(err.Error()) {
				// The state was never written. A new attachment does not build a second
				// cluster next to servers that nobody manages.
				for _, s := range c.AllServers(t) {
					c.Kill(t, region, s.ID)
				}
				_, err = l.Apply(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			l.Settled(t, "with twins")
			ours := l.ServerIDs(t)
			for _, s := range c.AllServers(t) {
				if !slices.Contains(ours, s.ID) {
					t.Logf("%s has a twin", s.Name)
					c.Kill(t, region, s.ID)
				}
			}
			l.Settled(t, "without twins")
			if n := c.Groups(t, region); n != 1 {
				t.Errorf("%d groups", n)
			}
			if got := acctest.Difference(l.IDs(t), nil); got != "0 1 2 3" || len(ours) != 4 {
				t.Errorf("servers %q, of which %v are ours", got, ours)
			}
			if _, err := l.Destroy(t.Context()); err != nil || len(c.Servers(t)) != 0 {
				t.Errorf("destroy: %v, servers %v", err, c.Servers(t))
			}
			c.DropGroups(t, region) // one that was found is not deleted
		})
	}
}
