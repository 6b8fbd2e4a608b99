package words_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reads finds code that takes a decision from a sentence that the code wrote: what it needs is a field of a value.
var reads = regexp.MustCompile(`strings\.(Contains|ContainsAny|HasPrefix|HasSuffix|Cut|CutPrefix|CutSuffix|Split|SplitN|Fields|TrimPrefix|Index|EqualFold)` +
	`\([\w.()\[\]]*\.(Reason|Why|Said|Notice|Title|Detail|Summary|Status|Now|Moves|Held|Error\(\))[,)]`)

// TestSentencesAreNotRead: sentences are for people.
func TestSentencesAreNotRead(t *testing.T) {
	assert.True(t, reads.MatchString(`strings.Contains(n.Reason, n.Place)`), "a sentence that is read")
	for _, root := range []string{"../../internal", "../../cmd"} {
		require.NoError(t, filepath.WalkDir(root, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			code, err := os.ReadFile(file)
			for _, found := range reads.FindAllString(string(code), -1) {
				t.Errorf("%s: %s", file, found)
			}
			return err
		}))
	}
}
