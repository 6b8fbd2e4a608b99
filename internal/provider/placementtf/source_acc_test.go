package placementtf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAccRefusedZone: Nova refuses a server of a flavor without a disk. While one zone's servers are refused, Terraform
// skips the readiness attachment, so the others have no mark: nodes of the zone that
// are named as candidates while it is closed come elsewhere, and all serve.
func TestAccRefusedZone(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	c.Fake.AddFlavor(fakecloud.Flavor{Name: "p1", VCPUs: 1, RAM: 64})
	config := func(closed, more string) string {
		zones := `[{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2", flavors = ["p1"]` + closed + ` }] }]`
		servers := acctest.Servers("flavor_id = each.value.flavor_id\n network_mode = \"none\"\n image_id = each.value.image_id")
		return strings.ReplaceAll(acctest.Placement(c, 4, zones, fmt.Sprintf("image = %q\n flavors = [\"m1.tiny\"]\n %s", c.Image, more))+
			servers+acctest.Drained("")+acctest.Awaited(c, ""), c.Prefix, "web-")
	}
	w := c.Workspace(t, config("", ""))
	_, err := w.Apply(t.Context())
	require.ErrorContains(t, err, "Only volume-backed servers are allowed")
	require.NoError(t, w.Write(config(", closed = true", "deletion {\n candidates = [\"web-2\", \"web-3\"]\n }")))
	acctest.Apply(t, w)
	marked := 0
	for _, s := range c.Fake.Servers("RegionOne") {
		if s.Zone == "az-1" && s.Metadata[openstack.MarkKey] != "" {
			marked++
		}
	}
	assert.Equal(t, 4, marked)
}
