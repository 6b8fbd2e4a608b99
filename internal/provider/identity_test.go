package provider_test

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

// TestImportOfNothing: an id that is empty, has no region, or has only a region is one error, about the id.
func TestImportOfNothing(t *testing.T) {
	t.Parallel()
	fake := fakecloud.Start(t, fakecloud.Config{})
	for kind := range protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne").Schemas.ResourceSchemas {
		ids := []string{""}
		if kind == "stackpolicy_affinity_attachment" || kind == "stackpolicy_deletion_attachment" {
			ids = append(ids, "s-1", "RegionOne/", "/s-1")
		}
		for _, id := range ids {
			p := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne")
			_, err := p.Adopt(t.Context(), kind, id)
			assert.Error(t, err, "%s: %q", kind, id)
			assert.Equal(t, ": Invalid import id", p.At(), "%s: %q: said %s", kind, id, p.Said())
		}
	}
}
