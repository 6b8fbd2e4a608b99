package examples_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// example is an example that is applied.
type example struct {
	*workspace.Workspace
	c *acctest.Cloud
}

// sideBySide lets examples run at the same time on the fake cloud. On a real one they run after one another, because
// all of them name their servers web-0 and so on.
func sideBySide(t *testing.T) {
	t.Helper()
	if !acctest.Live() {
		t.Parallel()
	}
}

// start prepares an example.
func start(t *testing.T, folder string) example {
	t.Helper()
	sideBySide(t)
	return startOn(t, acctest.New(t, fakecloud.Config{}), folder)
}

func startOn(t *testing.T, c *acctest.Cloud, folder string) example {
	t.Helper()
	c.Prefix = "web-" // all names in the examples begin with it
	answers := func(string) bool { return true }
	if c.Fake != nil { // as "make cloud" is
		c.Fake.Furnish()
		broken := c.Fake.AddImage(fakecloud.Image{Name: "debian-broken"})
		answers = func(name string) bool { // a server that never served runs until the new one of its name serves
			is, works := false, false
			for _, s := range slices.Concat(c.Fake.Servers("RegionOne"), c.Fake.Servers("RegionTwo")) {
				is, works = is || s.Name == name, works || s.Name == name && s.ImageID != broken
			}
			return works || !is
		}
	}
	health := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answers(path.Base(r.URL.Path)) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(health.Close)
	if regions := c.Regions(t); c.Fake == nil && !slices.Equal(regions, []string{"RegionOne", "RegionTwo"}) {
		t.Skipf("needs the regions of the examples, and the cloud has %v", regions)
	}
	e := example{c.Example(t, folder), c}
	e.Env = append(e.Env, "TF_VAR_health_url="+health.URL+"/{name}")
	require.Empty(t, e.servers(t), "the cloud has servers with the names of the example")
	if c.Fake == nil {
		t.Cleanup(func() { e.clear(t) })
	}
	return e
}

// clear removes everything that the example made, without its hooks.
func (e example) clear(t *testing.T) {
	for _, region := range e.c.Regions(t) {
		for _, s := range e.c.In(t, region) {
			e.c.Kill(t, region, s.ID)
		}
		e.c.Prefix = "web"
		e.c.DropGroups(t, region)
		e.c.Prefix = "web-"
	}
}

// apply applies, and fails unless the next plan is empty.
func (e example) apply(t *testing.T, variables ...string) string {
	t.Helper()
	text := acctest.Apply(t, e.Workspace, variables...)
	assert.Empty(t, e.planned(t, variables...), "the next plan")
	return text
}

// servers returns the servers of the cloud, by name.
func (e example) servers(t *testing.T) map[string]string {
	t.Helper()
	ids := map[string]string{}
	for name, s := range e.c.Servers(t) {
		ids[e.c.Prefix+name] = s.ID
	}
	return ids
}

// kept fails unless the remaining servers were there before.
func kept(t *testing.T, before, after map[string]string, size int) {
	t.Helper()
	assert.Len(t, after, size, "servers")
	for name, id := range after {
		if was, there := before[name]; there && was != id {
			t.Errorf("%s was replaced", name)
		}
	}
}

// groups lists the server groups of the example, which are named web.
func (e example) groups(t *testing.T, region string) []openstack.ServerGroup {
	t.Helper()
	e.c.Prefix = "web"
	defer func() { e.c.Prefix = "web-" }()
	return e.c.GroupsIn(t, region)
}

// read returns the content of a file.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// edit replaces a text of an example, in whatever file it is, as a reader would.
func (e example) edit(t *testing.T, old, changed string) {
	t.Helper()
	text := read(t, filepath.Join(e.Dir, "main.tf"))
	require.Contains(t, text, old, "the example")
	e.file(t, "main.tf", strings.ReplaceAll(text, old, changed))
}

// shown fails unless a page has the text, line by line.
func shown(t *testing.T, page, text string) {
	t.Helper()
	content := read(t, filepath.Join("..", page))
	for line := range strings.Lines(text) {
		assert.Contains(t, content, strings.TrimSpace(line), "%s does not show %q", page, line)
	}
}

// quoted is shown for a guide.
func quoted(t *testing.T, guide, text string) {
	t.Helper()
	shown(t, "templates/guides/"+guide+".md.tmpl", text)
}

// planned plans, and returns the line that counts the changes, or "" if no resource changes.
func (e example) planned(t *testing.T, variables ...string) string {
	t.Helper()
	text := acctest.Must(t, e.Workspace, append([]string{"plan", "-input=false", "-no-color"}, workspace.Vars(variables)...)...)
	return counts(text)
}

// counts returns the line of a plan that counts the changes. OpenTofu also counts resources that it forgets.
func counts(plan string) string {
	return regexp.MustCompile(`, \d+ to forget`).ReplaceAllString(regexp.MustCompile("(?m)^Plan: .*").FindString(plan), "")
}

// file writes a file into the folder of the example: a text, or any other value as JSON.
func (e example) file(t *testing.T, name string, content any) {
	t.Helper()
	text, err := json.Marshal(content)
	if is, ok := content.(string); ok {
		text = []byte(is)
	}
	require.NoError(t, errors.Join(err, os.WriteFile(filepath.Join(e.Dir, name), text, 0o600)))
}

// TestAccExample_firstCluster follows the README, and the index of the docs: the first cluster, another image for it, and one that does not serve.
func TestAccExample_firstCluster(t *testing.T) {
	e := start(t, "clusters/first")
	public := strings.Replace(read(t, "clusters/first/main.tf"), "../..", "github.com/stackpolicy/terraform-provider-stackpolicy//examples", 1)
	assert.Contains(t, read(t, "../templates/index.md.tmpl"), "```terraform\n"+public+"```\n")
	block := regexp.MustCompile(`(?s)module "web" \{.*?\n\}\n`).FindString(public)
	assert.Contains(t, read(t, "../README.md"), "```terraform\n"+block+"```\n")
	assert.LessOrEqual(t, strings.Count(block, "\n"), 15, "lines of the block")
	acctest.Apply(t, e.Workspace)
	var summary string
	require.NoError(t, e.Output(t.Context(), "placement", &summary))
	shown(t, "README.md", summary)
	shown(t, "templates/index.md.tmpl", summary)
	six := e.servers(t)
	e.edit(t, `"debian-12"`, `"debian-13"`)
	text := acctest.Apply(t, e.Workspace)
	shown(t, "README.md", counts(text))
	leaves := regexp.MustCompile(`\+ "(web-)\d (leaves: replaced \(TEMPLATE\): .*debian-13)"`)
	assert.Equal(t, leaves.FindStringSubmatch(read(t, "../README.md"))[1:], leaves.FindStringSubmatch(text)[1:], "the line of the README")
	seven := e.servers(t)
	maps.DeleteFunc(six, func(name, id string) bool { return seven[name] == id })
	assert.Len(t, six, 1, "servers that left")
	if e.c.Fake == nil {
		return // it has no such image
	}
	e.edit(t, `"debian-13"`, `"debian-broken"`)
	e.edit(t, `"2m"`, `"2s"`)
	e.fails(t, "Servers are not in service")
	kept(t, seven, e.servers(t), 7)
}

// output returns an output of the configuration.
func (e example) output(t *testing.T, name string) (text string) {
	t.Helper()
	require.NoError(t, e.Output(t.Context(), name, &text))
	return text
}
