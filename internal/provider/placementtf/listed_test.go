package placementtf

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestListed: what is added to a closed set is missing in no list of it: descriptions of the provider and of the modules,
// and guides. A line of a module that has three values of a set has all of them.
func TestListed(t *testing.T) {
	const cluster, stateful = "examples/modules/cluster/variables_cluster.tf", "examples/modules/stateful/variables_stateful.tf"
	const decides, rolling = "templates/guides/how-the-planner-decides.md.tmpl", "templates/guides/rolling-out-an-image.md.tmpl"
	for _, c := range []struct {
		what   string
		values []string
		blocks []string       // block and argument whose description names them
		pages  []string       // guides that name them
		lines  map[string]int // lines that list them, by file
		except string         // value that does not suit nodes with slots
	}{
		{"criteria", deletion.AllCriteria(), []string{"deletion", "criteria"}, []string{decides}, map[string]int{cluster: 1, stateful: 1}, ""},
		{"causes", causes(), []string{"update", "causes"}, []string{rolling}, map[string]int{cluster: 1, stateful: 1}, string(roster.Misplaced)},
		{"methods", roster.Methods(), []string{"update", "method"}, []string{rolling}, nil, ""},
	} {
		block := attachmentSchema().Blocks[c.blocks[0]].GetNestedObject().GetAttributes()[c.blocks[1]].GetMarkdownDescription()
		for _, value := range c.values {
			assert.Contains(t, block, "`"+value+"`", "description of %s", c.what)
		}
		for _, page := range c.pages {
			for _, value := range c.values {
				assert.Contains(t, read(t, page), "`"+value+"`", page)
			}
		}
		for file, want := range c.lines {
			lists := 0
			for line := range strings.Lines(read(t, file)) {
				missing := slices.DeleteFunc(slices.Clone(c.values), func(value string) bool { return strings.Contains(line, value) })
				if len(c.values)-len(missing) < 3 {
					continue
				}
				lists++
				if file == stateful {
					missing = slices.DeleteFunc(missing, func(value string) bool { return value == c.except })
				}
				assert.Empty(t, missing, "%s: %s", file, line)
			}
			assert.Equal(t, want, lists, "%s: lists of %s", file, c.what)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile("../../../" + file)
	require.NoError(t, err)
	return string(text)
}
