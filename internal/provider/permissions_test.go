package provider_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// anID matches a part of a path that names one object.
var anID = regexp.MustCompile(`^([0-9a-f]{24,}|[0-9a-f-]{36}|m1\.tiny|leaving|stackpolicy_(in_service(_at)?|not_in_service_at|drained))$`)

// call returns a request as the guide on permissions lists it.
func call(r fakecloud.Request) string {
	parts := strings.Split(r.Path, "/")
	for i, part := range parts {
		if anID.MatchString(part) {
			parts[i] = "{id}"
		}
	}
	return r.Service + " " + r.Method + " " + strings.Join(parts, "/")
}

// permissions returns the calls in the guide, with the role that each needs.
func permissions(t *testing.T) map[string]string {
	t.Helper()
	guide, err := os.ReadFile("../../templates/guides/your-cloud.md.tmpl")
	require.NoError(t, err)
	services := map[string]string{"Keystone": fakecloud.Identity, "Nova": fakecloud.Compute, "Glance": fakecloud.Images, "Octavia": fakecloud.LoadBalancing}
	roles := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (\\w+) \\| `([A-Z]+ /[^`]*)` \\| ([\\w-]+) \\|").FindAllStringSubmatch(string(guide), -1) {
		roles[services[row[1]]+" "+row[2]] = row[3]
	}
	return roles
}

// TestPermissions: the guide lists each call that an operation makes, and no other
// calls. TestRequestBudgets shows that a member is refused only what needs an admin there.
func TestPermissions(t *testing.T) {
	t.Parallel()
	roles, made := permissions(t), map[string]bool{}
	for _, o := range operations() {
		_, targets := o.baseline(t)
		for _, g := range targets {
			if g.Service != "" { // the address of a hook
				made[call(g.Request)] = true
			}
		}
	}
	for _, c := range slices.Sorted(maps.Keys(made)) {
		assert.Contains(t, roles, c, "calls in the guide")
	}
	for _, rare := range []string{ // operations with their own tests make these
		fakecloud.Compute + " GET /flavors/{id}",                     // a flavor that is gone
		fakecloud.Compute + " DELETE /servers/{id}/metadata/{id}",    // a rollout in place
		fakecloud.Compute + " GET /servers/{id}/os-instance-actions", // a stop that fails
		fakecloud.LoadBalancing + " GET /lbaas/pools/{id}/members",   // health checks of pools
	} {
		assert.False(t, made[rare], "%q is not rare any more", rare)
		made[rare] = true
	}
	for _, c := range slices.Sorted(maps.Keys(roles)) {
		assert.Contains(t, made, c, "calls that operations make")
	}
}
