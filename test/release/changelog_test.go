package release_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChangelog: the version of a release follows from the kinds of its changes.
func TestChangelog(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join(workspace.Root(), "tools", "changelog"))
	require.NoError(t, err)
	for _, c := range []struct {
		name    string
		changes string // kinds
		version string
		fails   string
		want    string // CHANGELOG.md, after its first lines
	}{
		{"all kinds, in their order", "security fixed changed added breaking", "2.0.0", "",
			"\n## 2.0.0 (2026-11-21)\n\n### breaking\n\n- breaking\n\n  more\n\n### added\n\n- added\n\n  more\n\n### changed\n\n- changed\n\n  more\n" +
				"\n### fixed\n\n- fixed\n\n  more\n\n### security\n\n- security\n\n  more\n\n## 1.0.0 (2026-01-01)\n\n- old\n"},
		{"a minor version", "added", "1.1.0", "", "\n## 1.1.0 (2026-11-21)\n\n### added\n\n- added\n\n  more\n\n## 1.0.0 (2026-01-01)\n\n- old\n"},
		{"a patch", "security", "1.0.1", "", "\n## 1.0.1 (2026-11-21)\n\n### security\n\n- security\n\n  more\n\n## 1.0.0 (2026-01-01)\n\n- old\n"},
		{"breaking in a minor version", "breaking", "1.1.0", "new major", ""},
		{"added in a patch", "added fixed", "1.0.1", "new minor", ""},
		{"changed in a patch", "changed", "1.0.1", "new minor", ""},
		{"nothing", "", "1.1.0", "nothing", ""},
		{"a version that is there", "fixed", "1.0.0", "already", ""},
		{"no version", "fixed", "v1.0.1", "not a version", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			const head = "# Changes\n\nHow this is made.\n"
			err := errors.Join(os.Mkdir(filepath.Join(dir, "tools"), 0o700), os.Mkdir(filepath.Join(dir, "changes"), 0o700),
				workspace.WriteProgram(filepath.Join(dir, "tools", "changelog"), script),
				os.WriteFile(filepath.Join(dir, "CHANGELOG.md"), []byte(head+"\n## 1.0.0 (2026-01-01)\n\n- old\n"), 0o600))
			for kind := range strings.FieldsSeq(c.changes) {
				err = errors.Join(err, os.WriteFile(filepath.Join(dir, "changes", kind+"-something.md"), []byte(kind+"\n\nmore\n"), 0o600))
			}
			require.NoError(t, err)
			output, err := exec.CommandContext(t.Context(), filepath.Join(dir, "tools", "changelog"), c.version, "2026-11-21").CombinedOutput()
			left, _ := filepath.Glob(filepath.Join(dir, "changes", "*"))
			if c.fails != "" {
				if err == nil || !strings.Contains(string(output), c.fails) || len(left) != len(strings.Fields(c.changes)) {
					t.Errorf("%v, %d changes left: %s", err, len(left), output)
				}
				return
			}
			text, readErr := os.ReadFile(filepath.Join(dir, "CHANGELOG.md"))
			require.NoError(t, errors.Join(err, readErr), string(output))
			assert.Empty(t, left, "changes that are left")
			assert.Equal(t, head+c.want, string(text), "CHANGELOG.md")
		})
	}
}
