package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestScriptsCheckArguments: an argument of a script is never evaluated, nor
// taken for an option of a program that the script runs.
func TestScriptsCheckArguments(t *testing.T) {
	t.Parallel()
	shell := "sh"
	if bash, err := exec.LookPath("bash"); err == nil {
		shell = bash // where /bin/sh is bash, arithmetic runs commands in an index
	}
	for _, c := range []struct {
		script string
		env    []string
		args   []string
	}{
		{"guides/autoscaling/scale.sh", nil, []string{"per_node[$(touch owned)0]"}},
		{"guides/autoscaling/scale.sh", nil, []string{"-1"}},
		{"guides/autoscaling/scale.sh", nil, []string{"0x10"}},
		{"guides/autoscaling/scale.sh", nil, []string{"010"}},
		{"guides/autoscaling/scale.sh", nil, []string{"99999999999999999999"}},
		{"guides/autoscaling/scale.sh", nil, nil},
		{"guides/installing/filesystem-mirror.sh", nil, []string{"../1.0.0", "mirror"}},
		{"guides/installing/oci-mirror.sh", nil, []string{"1.0.0", "--to"}},
		{"guides/installing/oci-mirror.sh", nil, []string{"$(touch owned)", "r"}},
		{"guides/installing/verify.sh", nil, []string{"--output=owned"}},
		{"guides/kubernetes-workers/command/node.sh", []string{"STACKPOLICY_NODE_NAME=--all", "STACKPOLICY_TRANSITION=termination"}, nil},
		{"guides/looking-at-a-plan/comment.sh", []string{"PULL_REQUEST=1/../2", "GITHUB_REPOSITORY=a/b"}, nil},
		{"guides/looking-at-a-plan/comment.sh", []string{"PULL_REQUEST=1", "GITHUB_REPOSITORY=a/b/c"}, nil},
		{"guides/looking-at-a-plan/install.sh", []string{"STACKPOLICY_VERSION=--clobber"}, []string{"bin"}},
		{"guides/looking-at-a-plan/install.sh", []string{"STACKPOLICY_VERSION=1.0.0"}, []string{"bin", "../tool"}},
	} {
		script, err := filepath.Abs(c.script)
		require.NoError(t, err)
		dir := t.TempDir()
		tools := filepath.Join(dir, "tools") // programs that must not be run
		require.NoError(t, os.Mkdir(tools, 0o700))
		for _, tool := range []string{"terraform", "openstack", "kubectl", "gh", "gpg", "oras", "unzip", "cp"} {
			require.NoError(t, workspace.WriteProgram(filepath.Join(tools, tool), []byte("#!/bin/sh\n: >'"+filepath.Join(dir, "owned")+"'\n")))
		}
		run := exec.CommandContext(t.Context(), shell, append([]string{script}, c.args...)...)
		run.Dir, run.Env = dir, append(append(os.Environ(), "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH")), c.env...)
		output, err := run.CombinedOutput()
		assert.Error(t, err, "%s %q %q succeeded: %s", c.script, c.env, c.args, output)
		assert.NoFileExists(t, filepath.Join(dir, "owned"), "%s %q %q ran a program: %s", c.script, c.env, c.args, output)
	}
}
