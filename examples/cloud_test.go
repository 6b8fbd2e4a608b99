package examples_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
)

// TestTryWithoutACloud follows the guide: "make cloud" prints an environment, and
// in it the first cluster is made.
func TestTryWithoutACloud(t *testing.T) {
	t.Parallel()
	terraform, dir := acctest.Terraform(t), t.TempDir()
	binary := filepath.Join(dir, "cloud")
	if err := workspace.Program(t.Context(), binary, "./tools/cloud"); err != nil {
		t.Fatal(err)
	}
	cloud := exec.CommandContext(t.Context(), binary, "-out", filepath.Join(dir, "it's out")) // a path that a shell has to be shown with care
	cloud.Dir, cloud.Stderr = workspace.Root(), t.Output()
	out, err := cloud.StdoutPipe()
	if err == nil {
		err = cloud.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cloud.Wait() }) // the test's context has ended by then, and it with that
	var printed strings.Builder
	lines := bufio.NewScanner(out)
	for !strings.Contains(printed.String(), "Ctrl-C") && lines.Scan() {
		printed.WriteString(lines.Text() + "\n")
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	for _, line := range regexp.MustCompile(`(?m)^(export|unset) [A-Z_ ]+`).FindAllString(printed.String(), -1) {
		quoted(t, "try-it-without-a-cloud", line)
	}
	main, err := os.ReadFile("first-cluster/main.tf")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "main.tf"), main, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	shell := exec.CommandContext(t.Context(), "sh", "-euc", printed.String()+"\n\"$0\" init -input=false && \"$0\" apply -auto-approve -input=false", terraform)
	shell.Dir = dir
	text, err := shell.CombinedOutput()
	if err != nil || !strings.Contains(string(text), "7 added, 0 changed, 0 destroyed") {
		t.Errorf("%v\n%s\n%s", err, printed.String(), text)
	}
}

// TestFromSource follows the guide: the provider is built where terraform looks
// for it, and init finds it with the configuration of the page.
func TestFromSource(t *testing.T) {
	t.Parallel()
	terraform, home := acctest.Terraform(t), t.TempDir()
	page, err := os.ReadFile("../templates/guides/installing.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## From the source")
	build := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(section)
	config := regexp.MustCompile("(?s)```terraform\n(.*?)```").FindStringSubmatch(section)
	if build == nil || config == nil {
		t.Fatal("the section has no script, or no configuration")
	}
	script := regexp.MustCompile(`git clone .* && cd .*`).ReplaceAllString(build[1], "cd "+workspace.Root())
	if strings.Contains(filepath.Base(terraform), "tofu") {
		script = strings.ReplaceAll(script, "registry.terraform.io", "registry.opentofu.org")
	}
	if err := os.WriteFile(filepath.Join(home, "main.tf"), []byte(config[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE", "GOCACHE", "GOPATH").Output()
	if err != nil {
		t.Fatal(err)
	}
	folders := strings.Fields(string(output))
	shell := exec.CommandContext(t.Context(), "sh", "-euc", script+"\ncd ~ && \"$0\" init -input=false", terraform)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") && !strings.HasPrefix(variable, "HOME=") {
			shell.Env = append(shell.Env, variable)
		}
	}
	shell.Env = append(shell.Env, "HOME="+home, "GOMODCACHE="+folders[0], "GOCACHE="+folders[1], "GOPATH="+folders[2], "GOFLAGS=-buildvcs=false")
	if text, err := shell.CombinedOutput(); err != nil || !strings.Contains(string(text), "stackpolicy/stackpolicy v0.0.1") {
		t.Errorf("%v\n%s", err, text)
	}
}
