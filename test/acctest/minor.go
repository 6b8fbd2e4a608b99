package acctest

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TerraformMinor returns the minor version of the Terraform 1 that tests use, for differences between versions. It
// returns 0 for OpenTofu.
func TerraformMinor(t testing.TB) int {
	t.Helper()
	path := Terraform(t)
	if strings.Contains(filepath.Base(path), "tofu") { // in the order in which Terraform is looked for
		return 0
	}
	text, err := exec.CommandContext(t.Context(), path, "version", "-json").Output()
	require.NoError(t, err)
	var doc struct {
		Version string `json:"terraform_version"`
	}
	require.NoError(t, json.Unmarshal(text, &doc))
	var minor int
	if _, err := fmt.Sscanf(doc.Version, "1.%d.", &minor); err != nil {
		t.Fatalf("the version of %s is %q: %v", path, doc.Version, err)
	}
	return minor
}
