package examples_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// pipeline is the folder with the scripts and workflows of the guide "Looking at a
// plan".
const pipeline = "guides/looking-at-a-plan"

// script runs a script of the pipeline in a folder.
func script(t *testing.T, dir, name, path string, env ...string) (string, error) {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(pipeline, name))
	require.NoError(t, errors.Join(err, workspace.Watch(file)))
	cmd := exec.CommandContext(t.Context(), file)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), env...), "PATH="+path+string(os.PathListSeparator)+os.Getenv("PATH"))
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// TestPipeline rolls out an image as the workflows do: each batch has a plan that is described and approved, until a
// plan is empty. By day no batch begins, as the guide says.
func TestPipeline(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "guides/rolling-out-an-image")
	e.edit(t, "= 9", "= 4")
	night := regexp.MustCompile("(?s)## At night only.*?```terraform\n(.*?)```.*?```terraform\n *(.*?)\n```").
		FindStringSubmatch(read(t, "../templates/guides/rolling-out-an-image.md.tmpl"))
	require.Len(t, night, 3)
	e.edit(t, `causes         = ["UNHEALTHY", "TEMPLATE"]`, night[2])
	e.edit(t, `variable "image"`, night[1]+`variable "image"`)
	e.apply(t)
	e.edit(t, `"debian-12"`, `"debian-13"`)
	e.edit(t, "max_batch_size = 2", "max_batch_size = 2\n    pause = \"10m\"")
	path, outputs := t.TempDir(), filepath.Join(t.TempDir(), "outputs")
	require.NoError(t, os.Symlink(e.Terraform, filepath.Join(path, "terraform")))
	require.NoError(t, workspace.Program(t.Context(), filepath.Join(path, "planview"), "./cmd/planview"))
	env, end, err := e.Attached(t.Context())
	require.NoError(t, err)
	defer end()
	plan := func() (changes, markdown string) {
		t.Helper()
		require.NoError(t, os.WriteFile(outputs, nil, 0o600))
		output, err := script(t, e.Dir, "plan.sh", path, append(env, "GITHUB_OUTPUT="+outputs)...)
		require.NoError(t, err, output)
		return read(t, outputs), read(t, filepath.Join(e.Dir, "plan.md"))
	}
	_, byDay := plan()
	assert.NotContains(t, byDay, "removed", "by day")
	env = append(env, "TF_VAR_night=true")
	for _, left := range []string{"- paused: ", ""} {
		changes, markdown := plan()
		if changes != "changes=true\n" || !strings.Contains(markdown, "2 removed, 2 added.") || !strings.Contains(markdown, left) ||
			(left == "") == strings.Contains(markdown, "- paused: ") {
			t.Fatalf("%s\n%s", changes, markdown)
		}
		acctest.Must(t, e.Workspace, "apply", "-input=false", "-no-color", "batch.tfplan")
		if left != "" { // the pause after a batch is not the end
			output, err := script(t, e.Dir, "plan.sh", path, env...)
			assert.Error(t, err)
			assert.Contains(t, output, "web: paused, and this plan changes nothing")
		}
		e.c.Fake.Advance(11 * time.Minute)
	}
	changes, markdown := plan()
	assert.Equal(t, "changes=false\n", changes)
	assert.Contains(t, markdown, "no node changes")

	// A plan that fails ends the pipeline.
	e.edit(t, "= 4", "= -1")
	output, err := script(t, e.Dir, "plan.sh", path, env...)
	assert.Error(t, err)
	assert.Contains(t, output, "desired_capacity")
	assert.NotContains(t, output, `"@level"`)
	for _, name := range []string{"plan.log", "plan.json"} {
		assert.NoFileExists(t, filepath.Join(e.Dir, name))
	}

	// A plan without an attachment continues, and the output says so.
	e = example{e.c.Workspace(t, "resource \"terraform_data\" \"a\" {}\n"), e.c}
	output, err = script(t, e.Dir, "plan.sh", path, env...)
	require.NoError(t, err, output)
	assert.Equal(t, "The plan has no placement attachment.\n", read(t, filepath.Join(e.Dir, "plan.md")))
}

// TestPipelineComment: the first plan of a pull request makes a comment, and each
// later one changes it.
func TestPipelineComment(t *testing.T) {
	t.Parallel()
	for found, want := range map[string]string{
		"":         "--method POST repos/acme/cloud/issues/7/comments --field body=@comment.md",
		"41\n42\n": "--method PATCH repos/acme/cloud/issues/comments/41 --field body=@comment.md",
	} {
		dir, work := t.TempDir(), t.TempDir()
		gh := "#!/bin/sh\necho \"$@\" >>\"$CALLS\"\ncase \"$*\" in *--paginate*) printf \"$FOUND\" ;; esac\n"
		calls := filepath.Join(dir, "calls")
		for name, text := range map[string]string{filepath.Join(dir, "gh"): gh, filepath.Join(work, "plan.md"): "the plan\n"} {
			require.NoError(t, workspace.WriteProgram(name, []byte(text)))
		}
		output, err := script(t, work, "comment.sh", dir, "CALLS="+calls, "FOUND="+found, "GITHUB_REPOSITORY=acme/cloud", "PULL_REQUEST=7")
		require.NoError(t, err, output)
		assert.Contains(t, read(t, calls), want)
		assert.Equal(t, "<!-- planview -->\nthe plan\n", read(t, filepath.Join(work, "comment.md")), "the comment")
	}
}

// TestPipelineWorkflows: actions are pinned to commits, and the scripts exist. "make lint" checks the rest.
func TestPipelineWorkflows(t *testing.T) {
	t.Parallel()
	pinned, scripts := regexp.MustCompile(`^[a-z-]+/[a-z-]+@[0-9a-f]{40}$`), regexp.MustCompile(`\./ci/[a-z.]+`)
	for _, name := range []string{pipeline + "/plan.yml", pipeline + "/batches.yml", "guides/rolling-out-an-image/github.yml"} {
		var workflow struct {
			Jobs map[string]struct {
				Steps []struct{ Uses, Run string }
			}
		}
		require.NoError(t, yaml.Unmarshal([]byte(read(t, name)), &workflow))
		steps := 0
		for _, job := range workflow.Jobs {
			for _, step := range job.Steps {
				steps++
				if step.Uses != "" {
					assert.Regexp(t, pinned, step.Uses, "%s: not pinned", name)
				}
				for _, run := range scripts.FindAllString(step.Run, -1) {
					if info, err := os.Stat(filepath.Join(pipeline, filepath.Base(run))); err != nil || info.Mode()&0o100 == 0 {
						t.Errorf("%s runs %s: %v", name, run, err)
					}
				}
			}
		}
		assert.NotZero(t, steps, "steps of %s", name)
	}
}

// TestScriptsCheckArguments: an argument of a script is never evaluated, and never becomes an option of a program.
func TestScriptsCheckArguments(t *testing.T) {
	t.Parallel()
	shell := "sh"
	if bash, err := exec.LookPath("bash"); err == nil {
		shell = bash // if /bin/sh is bash, arithmetic runs commands in an index
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
		{"guides/kubernetes-workers/command/node.sh", []string{"STACKPOLICY_NODE_NAME=--all", "STACKPOLICY_TRANSITION=termination"}, nil},
		{"guides/looking-at-a-plan/comment.sh", []string{"PULL_REQUEST=1/../2", "GITHUB_REPOSITORY=a/b"}, nil},
		{"guides/looking-at-a-plan/comment.sh", []string{"PULL_REQUEST=1", "GITHUB_REPOSITORY=a/b/c"}, nil},
		{"guides/looking-at-a-plan/install.sh", []string{"STACKPOLICY_VERSION=--clobber"}, []string{"bin"}},
		{"guides/looking-at-a-plan/install.sh", []string{"STACKPOLICY_VERSION=1.0.0"}, []string{"bin", "../tool"}},
	} {
		script, err := filepath.Abs(c.script)
		require.NoError(t, err)
		dir := t.TempDir()
		tools := filepath.Join(dir, "tools") // programs that must not run
		require.NoError(t, os.Mkdir(tools, 0o700))
		for _, tool := range []string{"terraform", "openstack", "kubectl", "gh", "gpg", "unzip", "cp"} {
			require.NoError(t, workspace.WriteProgram(filepath.Join(tools, tool), []byte("#!/bin/sh\n: >'"+filepath.Join(dir, "owned")+"'\n")))
		}
		run := exec.CommandContext(t.Context(), shell, append([]string{script}, c.args...)...)
		run.Dir, run.Env = dir, append(append(os.Environ(), "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH")), c.env...)
		output, err := run.CombinedOutput()
		assert.Error(t, err, "%s %q %q succeeded: %s", c.script, c.env, c.args, output)
		assert.NoFileExists(t, filepath.Join(dir, "owned"), "%s %q %q ran a program: %s", c.script, c.env, c.args, output)
	}
}
