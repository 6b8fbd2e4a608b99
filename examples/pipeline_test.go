package examples_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// pipeline is the folder with the scripts and workflows of the guide "Looking at a
// plan".
const pipeline = "guides/looking-at-a-plan"

// programs is a folder for PATH with terraform, and planview of this tree.
func programs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Symlink(acctest.Terraform(t), filepath.Join(dir, "terraform")))
	require.NoError(t, workspace.Program(t.Context(), filepath.Join(dir, "planview"), "./cmd/planview"))
	return dir
}

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

// TestPipeline rolls out an image as the workflows do: a plan that is described
// and approved for each batch, until a plan is empty.
func TestPipeline(t *testing.T) {
	t.Parallel()
	cloud := acctest.NewFake(t, fakecloud.Config{})
	cloud.Prefix = "" // all servers are the cluster's
	config := func(image string) string {
		return attached("desired_capacity = 6", threeZones, fmt.Sprintf("template = { image = %q }", image),
			"update {\n    causes = [\"TEMPLATE\"]\n    max_batch_size = 2\n  }")
	}
	w := cloud.Installed(t, config("debian-12"))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, w.Write(config("debian-13")))
	path, outputs := programs(t), filepath.Join(t.TempDir(), "outputs")
	plan := func() (changes, markdown string) {
		t.Helper()
		for name, n := range nodesOf(t, w) { // the servers that an apply would have made
			if len(cloud.Servers(t)) > 12 {
				t.Fatal("the rollout does not end")
			}
			if _, there := cloud.Servers(t)[name]; !there {
				cloud.Fake.AddServers(n.Region, fakecloud.Server{Name: name, Zone: n.Zone})
			}
		}
		for name, s := range cloud.Servers(t) { // and those that it would have destroyed
			if _, stays := nodesOf(t, w)[name]; !stays {
				cloud.Kill(t, cloud.Regions(t)[0], s.ID)
			}
		}
		require.NoError(t, os.WriteFile(outputs, nil, 0o600))
		if output, err := script(t, w.Dir, "plan.sh", path, append(w.Env, "GITHUB_OUTPUT="+outputs)...); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		said, err := os.ReadFile(outputs)
		require.NoError(t, err)
		text, err := os.ReadFile(filepath.Join(w.Dir, "plan.md"))
		require.NoError(t, err)
		return string(said), string(text)
	}
	for _, left := range []string{"4 nodes wait", "2 nodes wait", ""} {
		changes, markdown := plan()
		if changes != "changes=true\n" || !strings.Contains(markdown, "2 removed, 2 added.") || !strings.Contains(markdown, left) || (left == "") == strings.Contains(markdown, "**Waiting**") {
			t.Fatalf("%s\n%s", changes, markdown)
		}
		if _, err := w.Run(t.Context(), "apply", "-input=false", "-no-color", "batch.tfplan"); err != nil {
			t.Fatal(err)
		}
	}
	if changes, markdown := plan(); changes != "changes=false\n" || !strings.Contains(markdown, "no node changes") {
		t.Errorf("%s\n%s", changes, markdown)
	}
	for _, name := range []string{"plan.log", "plan.json"} {
		if _, err := os.Stat(filepath.Join(w.Dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}

	// A plan that fails ends the pipeline.
	require.NoError(t, w.Write(attached("desired_capacity = -1", threeZones)))
	if output, err := script(t, w.Dir, "plan.sh", path, w.Env...); err == nil || !strings.Contains(output, "desired_capacity") || strings.Contains(output, `"@level"`) {
		t.Errorf("%v\n%s", err, output)
	}
	if _, err := os.Stat(filepath.Join(w.Dir, "plan.log")); err == nil {
		t.Error("plan.log is still there after a plan that failed")
	}
	// One without an attachment goes on, and says so.
	if err := w.Write("resource \"terraform_data\" \"a\" {}\nremoved {\n  from = stackpolicy_placement_attachment.web\n  lifecycle {\n    destroy = false\n  }\n}\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Run(t.Context(), "apply", "-auto-approve", "-input=false", "-no-color"); err != nil {
		t.Fatal(err)
	}
	if output, err := script(t, w.Dir, "plan.sh", path, w.Env...); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	if text, err := os.ReadFile(filepath.Join(w.Dir, "plan.md")); err != nil || string(text) != "The plan has no placement attachment.\n" {
		t.Errorf("%v\n%s", err, text)
	}
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
		if err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		made, _ := os.ReadFile(calls)
		if !strings.Contains(string(made), want) {
			t.Errorf("%q was not called:\n%s", want, made)
		}
		if body, _ := os.ReadFile(filepath.Join(work, "comment.md")); string(body) != "<!-- planview -->\nthe plan\n" {
			t.Errorf("the comment is %q", body)
		}
	}
}

// TestPipelineWorkflows: actions are pinned to commits, and the scripts that are
// run are there. "make lint" checks the rest.
func TestPipelineWorkflows(t *testing.T) {
	t.Parallel()
	pinned, scripts := regexp.MustCompile(`^[a-z-]+/[a-z-]+@[0-9a-f]{40}$`), regexp.MustCompile(`\./ci/[a-z.]+`)
	for _, name := range []string{pipeline + "/plan.yml", pipeline + "/batches.yml", "guides/rolling-out-an-image/github.yml"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var workflow struct {
			Jobs map[string]struct {
				Steps []struct{ Uses, Run string }
			}
		}
		require.NoError(t, yaml.Unmarshal(text, &workflow))
		steps := 0
		for _, job := range workflow.Jobs {
			for _, step := range job.Steps {
				steps++
				if step.Uses != "" && !pinned.MatchString(step.Uses) {
					t.Errorf("%s: %q is not pinned", name, step.Uses)
				}
				for _, run := range scripts.FindAllString(step.Run, -1) {
					if info, err := os.Stat(filepath.Join(pipeline, filepath.Base(run))); err != nil || info.Mode()&0o100 == 0 {
						t.Errorf("%s runs %s: %v", name, run, err)
					}
				}
			}
		}
		if steps == 0 {
			t.Errorf("%s has no steps", name)
		}
	}
}
