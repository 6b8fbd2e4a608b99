package acctest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/utils/v2/openstack/clientconfig"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"gopkg.in/yaml.v3"
)

// mirror has the providers, built once for all tests of a process. Close
// removes it.
var mirror = sync.OnceValues(func() (*workspace.Mirror, error) {
	dir, err := os.MkdirTemp("", "stackpolicy-mirror-")
	if err != nil {
		return nil, err
	}
	mirrorDir = dir
	return workspace.Build(context.Background(), dir)
})

var mirrorDir string

// providers is mirror for a test.
func providers(t testing.TB) *workspace.Mirror {
	t.Helper()
	withoutRace(t)
	built, err := mirror()
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// withoutRace skips a test under the race detector: the same code runs there in
// tests that take less time.
func withoutRace(t testing.TB) {
	t.Helper()
	if raceDetector {
		t.Skip("needs more time than there is with the race detector")
	}
}

// Main runs the tests of a package, for its TestMain. Those on the fake cloud
// do not see which cloud the user works with.
func Main(m *testing.M) int {
	debug.SetGCPercent(400) // as in [Terraform]
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "OS_") && !Live() {
			os.Unsetenv(name)
		}
	}
	defer func() {
		if mirrorDir == "" {
			return
		}
		os.RemoveAll(mirrorDir)
		if stub := workspace.Stub(); stub != "" {
			fmt.Fprintln(os.Stderr, stub) // go test shows it of one package, or of one that failed
		}
	}()
	return m.Run()
}

// Workspace is a folder in which a real terraform works on the cloud, with
// the providers of this tree served from this process: without their start each
// command takes a third of the time. The end of the test destroys what is left.
func (c *Cloud) Workspace(t *testing.T, config string) *workspace.Workspace {
	t.Helper()
	return c.workspace(t, config, func(ctx context.Context) (string, context.CancelFunc, error) { return attach(ctx, t) })
}

// Installed is Workspace with the providers as processes, which terraform starts:
// as users have it, and for what kills, measures or changes their environment.
func (c *Cloud) Installed(t testing.TB, config string) *workspace.Workspace {
	t.Helper()
	return c.workspace(t, config, nil)
}

func (c *Cloud) workspace(t testing.TB, config string, attach func(context.Context) (string, context.CancelFunc, error)) *workspace.Workspace {
	t.Helper()
	var env []string
	if c.Fake != nil {
		env = []string{"OS_AUTH_URL=" + c.Fake.AuthURL(), "OS_USERNAME=" + c.user, "OS_PASSWORD=" + fakecloud.Password,
			"OS_PROJECT_NAME=" + c.user, "OS_REGION_NAME=" + fakecloud.DefaultRegions()[0].Name, "OS_CLOUD="}
	}
	mirror := &workspace.Mirror{Config: os.DevNull}
	if attach == nil || slices.Contains(workspace.Mentioned(config), workspace.OpenStack) {
		mirror = providers(t)
	} else {
		withoutRace(t)
	}
	w := workspace.Open(t.TempDir(), Terraform(t), mirror, env...)
	if w.Attach = attach; attach != nil {
		w.Blocks = map[string]string{"stackpolicy": c.ProviderBlock("stackpolicy"), "nova": c.ProviderBlock("nova")}
	}
	if err := errors.Join(w.Write(config), w.Init(t.Context())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.Fake != nil {
			return // it goes as a whole
		}
		if _, err := w.Destroy(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
	return w
}

// Example is a folder of a copy of the examples, in which a real terraform works
// on the cloud. It has the names that the examples give to clouds in a
// clouds.yaml, and "production" is the default.
func (c *Cloud) Example(t testing.TB, folder string) *workspace.Workspace {
	t.Helper()
	built := providers(t)
	own := c.entry(t)
	clouds, err := yaml.Marshal(map[string]any{"clouds": map[string]any{"production": own, "paris": own, "oslo": own}})
	if err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	dir, file := filepath.Join(top, folder), filepath.Join(top, "clouds.yaml")
	if err := errors.Join(os.CopyFS(top, os.DirFS(filepath.Join(workspace.Root(), "examples"))), os.WriteFile(file, clouds, 0o600), require(dir)); err != nil {
		t.Fatal(err)
	}
	w := workspace.Open(dir, Terraform(t), built, "OS_CLIENT_CONFIG_FILE="+file, "OS_CLOUD=production", "OS_AUTH_URL=", "OS_REGION_NAME=")
	if err := w.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// entry is the test's cloud in a clouds.yaml.
func (c *Cloud) entry(t testing.TB) any {
	t.Helper()
	if c.Fake == nil {
		own, err := clientconfig.GetCloudFromYAML(&clientconfig.ClientOpts{Cloud: os.Getenv("OS_CLOUD")})
		if err != nil {
			t.Skipf("needs a clouds.yaml with the cloud that OS_CLOUD names: %v", err)
		}
		return own
	}
	var file struct {
		Clouds map[string]any `yaml:"clouds"`
	}
	if err := yaml.Unmarshal(c.Fake.CloudsYAML(), &file); err != nil {
		t.Fatal(err)
	}
	return file.Clouds["stackpolicy-"+c.user]
}

// require says where a folder's providers come from, where it does not itself,
// as examples for the documentation of one thing do not.
func require(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.tf"))
	for _, file := range files {
		text, readErr := os.ReadFile(file)
		if readErr != nil || strings.Contains(string(text), "required_providers") {
			return readErr
		}
	}
	required := workspace.Required(workspace.StackPolicy, workspace.OpenStack)
	return errors.Join(err, os.WriteFile(filepath.Join(dir, "required.tf"), []byte(required), 0o600))
}

// Servers are the servers whose names begin with the test's prefix, by name
// without it.
func (c *Cloud) Servers(t testing.TB) map[string]servers.Server {
	t.Helper()
	found := map[string]servers.Server{}
	for _, s := range c.AllServers(t) {
		found[s.Name[len(c.Prefix):]] = s
	}
	return found
}

// AllServers are those servers with twins of one name.
func (c *Cloud) AllServers(t testing.TB) (found []servers.Server) {
	t.Helper()
	for _, region := range c.Regions(t) {
		found = append(found, c.In(t, region)...)
	}
	return found
}

// In are those of a region.
func (c *Cloud) In(t testing.TB, region string) []servers.Server {
	t.Helper()
	pages, err := servers.List(c.client(t, region), servers.ListOpts{Name: "^" + c.Prefix}).AllPages(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatalf("list servers of %s: %v", region, err)
	}
	list, err := servers.ExtractServers(pages)
	if err != nil {
		t.Fatalf("list servers of %s: %v", region, err)
	}
	return list
}

// ByAge orders servers, the oldest first. On a real cloud those made at once may
// be of one second, because Nova gives no fractions; then, as everywhere, ids decide.
func (c *Cloud) ByAge(t testing.TB, names ...string) []string {
	t.Helper()
	all := c.Servers(t)
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(all[a].Created.Compare(all[b].Created), cmp.Compare(all[a].ID, all[b].ID))
	})
	return names
}

// Kill deletes a server behind Terraform's back.
func (c *Cloud) Kill(t testing.TB, region, id string) {
	t.Helper()
	client, ctx := c.client(t, region), context.WithoutCancel(t.Context())
	err := servers.Delete(ctx, client, id).ExtractErr()
	for err == nil {
		_, err = servers.Get(ctx, client, id).Extract()
	}
	if !gophercloud.ResponseCodeIs(err, 404) {
		t.Fatalf("delete %s: %v", id, err)
	}
}

// Mark sets a server's metadata behind Terraform's back.
func (c *Cloud) Mark(t testing.TB, region, id, key, value string) {
	t.Helper()
	if _, err := servers.UpdateMetadata(t.Context(), c.client(t, region), id, servers.MetadataOpts{key: value}).Extract(); err != nil {
		t.Fatalf("mark %s: %v", id, err)
	}
}

// Group makes a server group named after the prefix, which the end of the test
// deletes.
func (c *Cloud) Group(t testing.TB, region, name, policy string) string {
	t.Helper()
	compute, err := c.API.Compute(t.Context(), region)
	if err != nil {
		t.Fatal(err)
	}
	group, err := compute.CreateServerGroup(t.Context(), c.Prefix+name, policy, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := compute.DeleteServerGroup(context.WithoutCancel(t.Context()), group.ID); err != nil {
			t.Error(err)
		}
	})
	return group.ID
}

// GroupsIn are the server groups of the test: on the fake all of the region,
// else those named after the prefix.
func (c *Cloud) GroupsIn(t testing.TB, region string) (list []openstack.ServerGroup) {
	t.Helper()
	compute, err := c.API.Compute(context.WithoutCancel(t.Context()), region)
	if err != nil {
		t.Fatal(err)
	}
	all, err := compute.ServerGroups(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		if c.Fake != nil || strings.HasPrefix(g.Name, c.Prefix) {
			list = append(list, g)
		}
	}
	return list
}

// Groups counts the server groups that the test has in a region.
func (c *Cloud) Groups(t testing.TB, region string) int { return len(c.GroupsIn(t, region)) }

// GroupID is the id of a group, by its name after the prefix.
func (c *Cloud) GroupID(t testing.TB, region, name string) string {
	t.Helper()
	for _, g := range c.GroupsIn(t, region) {
		if g.Name == c.Prefix+name {
			return g.ID
		}
	}
	t.Fatalf("no server group is named %s%s", c.Prefix, name)
	return ""
}

// DropGroups deletes the test's groups behind Terraform's back.
func (c *Cloud) DropGroups(t testing.TB, region string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	compute, err := c.API.Compute(ctx, region)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range c.GroupsIn(t, region) {
		if err := compute.DeleteServerGroup(ctx, g.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// DRS finds a region with a hypervisor that is taken for a vSphere cluster with
// DRS, and its host. Without one the test is skipped.
func (c *Cloud) DRS(t testing.TB) (region, host string) {
	t.Helper()
	for _, region := range c.Regions(t) {
		compute, err := c.API.Compute(t.Context(), region)
		if err != nil {
			t.Fatal(err)
		}
		hypervisors, err := compute.Hypervisors(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if zone, err := affinity.DRSZone(hypervisors, nil, ""); err == nil {
			return region, strings.TrimPrefix(zone, "nova:")
		}
	}
	t.Skip("needs a hypervisor with drs in its hostname, and the cloud has none")
	return "", ""
}

// Zaqar is a consumer's client for the messages of a region. Without a Zaqar the
// test is skipped.
func (c *Cloud) Zaqar(t testing.TB, region string) *gophercloud.ServiceClient {
	t.Helper()
	client, err := c.API.Messaging(t.Context(), region, "0b6f3c1e-7d2a-4c58-9e41-5a8d6f7b2c30")
	if _, missing := errors.AsType[*openstack.NoEndpointError](err); missing {
		t.Skip("needs Zaqar, and the cloud has none")
	}
	if err != nil {
		t.Fatal(err)
	}
	return client
}
