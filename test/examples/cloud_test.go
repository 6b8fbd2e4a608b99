package examples_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/require"
)

// TestCloud: the unchanged configurations of the guides can be applied on "make cloud", with the variables that it
// prints, and the modules' with another address to ask, as the guide says.
func TestCloud(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "cloud")
	require.NoError(t, workspace.Program(t.Context(), binary, "./tools/cloud"))
	folder := filepath.Join(t.TempDir(), "it's out") // a path that a shell needs quoted
	server := exec.CommandContext(t.Context(), binary, "-listen", "127.0.0.1:0", "-out", folder)
	server.Dir, server.Stderr = workspace.Root(), t.Output()
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Wait() }) // the context of the test has ended by then, and the server with it
	var printed strings.Builder
	for lines := bufio.NewScanner(out); !strings.HasPrefix(lines.Text(), "# Ready") && lines.Scan(); {
		printed.WriteString(lines.Text() + "\n")
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	shell := exec.CommandContext(t.Context(), "sh", "-euc", printed.String()+"env")
	shell.Env = []string{"PATH=" + os.Getenv("PATH")}
	env, err := shell.Output()
	url := regexp.MustCompile(`See it, and break it: (\S+)/`).FindStringSubmatch(printed.String())
	require.NoError(t, err, printed.String())
	require.NotNil(t, url, printed.String())
	_, kubectl := kube(t)
	elsewhere := acctest.NewFake(t, fakecloud.Config{})
	for _, folder := range folders(t) {
		name, guide := strings.CutPrefix(folder, "guides/")
		switch {
		case !guide && (!strings.HasPrefix(name, "clusters/") || name == "clusters/regions"): // which has a third region
			continue
		case slices.Contains([]string{"after", "cluster", "leave", "left", "servers", "zones"}, filepath.Base(name)):
			continue // they begin with resources of another one, as in their own tests, or make no servers
		}
		t.Run(name, func(t *testing.T) {
			runs.In(t, runs.Some(name == tryIt || name == "clusters/database", runs.Short, runs.Night))
			e := example{elsewhere.Example(t, folder), elsewhere}
			e.Env = slices.Concat(e.Env, strings.Split(strings.TrimSpace(string(env)), "\n"), joining, kubectl, []string{"TF_VAR_zone_id=1"})
			_ = os.Remove(filepath.Join(e.Dir, "import.tf")) // there is no stack to take over
			if !guide {
				text := elsewhereAsked.ReplaceAllString(read(t, filepath.Join(e.Dir, "main.tf")), "${1}url = var.health_url")
				if !strings.Contains(text, `variable "health_url"`) {
					text += "\nvariable \"health_url\" {}\n"
				}
				e.file(t, "main.tf", text)
			}
			e.apply(t)
			var state struct {
				Servers []struct{ Name, Region string }
			}
			require.NoError(t, json.Unmarshal(ask(t, http.MethodGet, url[1]+"/state"), &state))
			for _, s := range state.Servers { // the next cluster has the same names
				ask(t, http.MethodPost, url[1]+"/break/delete/"+s.Region+"/"+s.Name)
			}
			if len(state.Servers) < 2 && name != "several-states/placement" {
				t.Errorf("%d servers", len(state.Servers))
			}
		})
	}
}

var elsewhereAsked = regexp.MustCompile(`((?:readiness|health) *= \{ )(?:url = "http[^"]*"|port = \d+)`)

// ask sends a request to the cloud itself, as scripts do.
func ask(t *testing.T, method, url string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode, "%s %s: %s", method, url, body)
	return body
}

// TestFromSource follows the guide: the provider is built where terraform looks for it, and init finds it with the
// configuration of the page.
func TestFromSource(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	terraform, home := acctest.Terraform(t), t.TempDir()
	page := read(t, "../templates/guides/installing.md.tmpl")
	_, section, _ := strings.Cut(page, "## From the source")
	build := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(section)
	config := regexp.MustCompile("(?s)```terraform\n(.*?)```").FindStringSubmatch(section)
	require.NotNil(t, build, "the script of the section")
	require.NotNil(t, config, "the configuration of the section")
	script := regexp.MustCompile(`git clone .* && cd .*`).ReplaceAllString(build[1], "cd "+workspace.Root())
	if strings.Contains(filepath.Base(terraform), "tofu") {
		script = strings.ReplaceAll(script, "registry.terraform.io", "registry.opentofu.org")
	}
	require.NoError(t, os.WriteFile(filepath.Join(home, "main.tf"), []byte(config[1]), 0o600))
	output, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE", "GOCACHE", "GOPATH").Output()
	require.NoError(t, err)
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
