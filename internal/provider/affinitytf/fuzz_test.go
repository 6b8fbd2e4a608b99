package affinitytf

import (
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

// FuzzImportID: the parts of an accepted id make up the same id.
func FuzzImportID(f *testing.F) {
	for _, seed := range []string{"RegionOne/4b1c", "RegionOne/4b1c/created", "a/b/4b1c", "a/b:c é/4b1c/created", "/4b1c", "RegionOne/", "created", "/created",
		"//created", "a/created/created", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		region, id, created, err := parseGroupID(text)
		again := region + "/" + id
		if created {
			again += "/created"
		}
		if err == nil && (again != text || region == "" || id == "" || strings.Contains(id, "/")) {
			t.Errorf("%q was read as %q, %q, %t", text, region, id, created)
		}
		if region, id, ok := value.ParseRegionalID(text); ok && (region+"/"+id != text || region == "" || id == "" || strings.Contains(id, "/")) {
			t.Errorf("%q was read as %q, %q", text, region, id)
		}
	})
}
