package placementtf

import (
	"crypto/sha256"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// hashOf is what a template has of user data, which is too long and too secret for a plan: the first 16 hex digits of
// its SHA-256.
func hashOf(userData string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(userData)))[:16] }

// rememberUserData keeps the texts that a node has, may go back to, or should have, and forgets all others.
func (m *attachmentModel) rememberUserData(r roster.Roster) {
	given := map[string]attr.Value{}
	maps.Copy(given, m.UserDataTexts.Elements())
	for _, text := range m.userData() {
		given[hashOf(text)] = types.StringValue(text)
	}
	used, asked := map[string]attr.Value{}, map[roster.Template]bool{}
	use := func(t roster.Template) {
		if asked[t] {
			return
		}
		asked[t] = true
		hash := t.Values()[roster.KeyUserData]
		if text, there := given[hash]; there {
			used[hash] = text
		}
	}
	for _, nodes := range []map[string]roster.Node{r.Nodes, r.Leaving} {
		for _, n := range nodes {
			use(n.Template)
		}
	}
	for _, t := range r.Settled {
		use(t)
	}
	for _, t := range m.templates() {
		use(t)
	}
	m.UserDataTexts = types.MapNull(types.StringType)
	if len(used) > 0 {
		m.UserDataTexts = types.MapValueMust(types.StringType, used)
	}
}
