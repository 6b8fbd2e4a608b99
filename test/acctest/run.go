package acctest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/gophercloud/utils/v2/openstack/clientconfig"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// mirror has the providers, built once for all tests of a process.
var mirror = sync.OnceValues(func() (*workspace.Mirror, error) {
	dir, err := temporary()
	if err != nil {
		return nil, err
	}
	built, err := workspace.Build(context.Background(), dir)
	if err == nil {
		os.Setenv("TF_CLI_CONFIG_FILE", built.Config)
	}
	return built, err
})

// temporary is a folder for all tests of a process. [Main] removes it.
var temporary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "stackpolicy-tests-")
	temporaryDir = dir
	return dir, err
})

var temporaryDir string

// openStack is the program of terraform-provider-openstack.
var openStack = sync.OnceValues(func() (string, error) { return workspace.OpenStackProvider(context.Background()) })

// providers returns mirror for a test.
func providers(t testing.TB) *workspace.Mirror {
	t.Helper()
	Terraform(t) // providers are not needed without terraform
	built, err := mirror()
	require.NoError(t, err)
	return built
}

// Main runs the tests of a package, for its TestMain, and exits. Tests on the fake cloud do not see the variables of
// the user's cloud.
func Main(m *testing.M) {
	debug.SetGCPercent(400) // as in [Terraform]
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "OS_") && !Live() {
			os.Unsetenv(name)
		}
	}
	m.Run()
	if temporaryDir != "" {
		os.RemoveAll(temporaryDir)
	}
}

// Workspace returns a folder in which a real terraform works on the cloud, with the provider of this tree served from
// this process, and terraform-provider-openstack by a process that stays: without starting them each command takes a
// third of the time. The end of the test destroys what is left.
func (c *Cloud) Workspace(t *testing.T, config string) *workspace.Workspace {
	t.Helper()
	var w *workspace.Workspace
	served := &workspace.Served{}
	t.Cleanup(served.Close)
	w = c.workspace(t, config, func(ctx context.Context) (workspace.Attached, context.CancelFunc, error) {
		all, end, err := attach(ctx, t)
		if err != nil || !w.Needs(workspace.OpenStack) {
			return all, end, err
		}
		program, err := openStack()
		if err != nil {
			return nil, end, err
		}
		served.Programs = map[string]string{workspace.OpenStack: program}
		foreign, err := served.Attach(ctx, w)
		maps.Copy(all, foreign)
		return all, end, err
	})
	return w
}

// Installed is Workspace with the providers as processes that terraform starts, as for users. It is for tests that
// kill or measure them, or change their environment.
func (c *Cloud) Installed(t testing.TB, config string) *workspace.Workspace {
	t.Helper()
	return c.workspace(t, config, nil)
}

func (c *Cloud) workspace(
	t testing.TB, config string, attach func(context.Context) (workspace.Attached, context.CancelFunc, error),
) *workspace.Workspace {
	t.Helper()
	var env []string
	if c.Fake != nil {
		env = c.Fake.Environment(c.user)
	}
	mirror := &workspace.Mirror{Config: os.DevNull}
	if attach == nil {
		mirror = providers(t)
	}
	w := workspace.Open(t.TempDir(), Terraform(t), mirror, env...)
	if w.Attach = attach; attach != nil {
		w.Blocks = map[string]string{}
		for _, name := range []string{"stackpolicy", "openstack"} {
			w.Blocks[name] = c.ProviderBlock(name)
		}
	}
	require.NoError(t, errors.Join(w.Write(config), w.Init(t.Context())))
	t.Cleanup(func() {
		if c.Fake != nil {
			return // the cloud is closed as a whole
		}
		if _, err := w.Destroy(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
	return w
}

// Example returns a folder of a copy of the examples, in which a real terraform works on the cloud. A clouds.yaml has
// the names that the examples give to clouds, and "production" is the default. The providers are processes with the
// environment of the workspace that stay until the test ends: terraform would start each up to four times for one
// command.
func (c *Cloud) Example(t testing.TB, folder string) *workspace.Workspace {
	t.Helper()
	built := providers(t)
	clouds := c.clouds(t)
	top := t.TempDir()
	dir, file := filepath.Join(top, folder), filepath.Join(top, "clouds.yaml")
	if err := errors.Join(os.CopyFS(top, os.DirFS(filepath.Join(workspace.Root(), "examples"))),
		os.WriteFile(file, clouds, 0o600), needProviders(top)); err != nil {
		t.Fatal(err)
	}
	w := workspace.Open(dir, Terraform(t), built, "OS_CLIENT_CONFIG_FILE="+file, "OS_CLOUD=production",
		"OS_AUTH_URL=", "OS_REGION_NAME=")
	served := &workspace.Served{Programs: built.Programs}
	t.Cleanup(served.Close)
	w.Attach = func(ctx context.Context) (workspace.Attached, context.CancelFunc, error) {
		all, err := served.Attach(ctx, w)
		return all, func() {}, err
	}
	require.NoError(t, w.Init(t.Context()))
	return w
}

// clouds returns a clouds.yaml in which each name that the examples give to a cloud means the cloud of the test.
func (c *Cloud) clouds(t testing.TB) []byte {
	t.Helper()
	if c.Fake != nil {
		return fakecloud.CloudsYAML(c.Fake.AuthURL(),
			map[string]string{"production": c.user, "paris": c.user, "oslo": c.user})
	}
	own, err := clientconfig.GetCloudFromYAML(&clientconfig.ClientOpts{Cloud: os.Getenv("OS_CLOUD")})
	if err != nil {
		t.Skipf("needs a clouds.yaml with the cloud that OS_CLOUD names: %v", err)
	}
	text, err := yaml.Marshal(map[string]any{"clouds": map[string]any{"production": own, "paris": own, "oslo": own}})
	require.NoError(t, err)
	return text
}

// needProviders writes where providers come from into each folder with a configuration that does not say it, such as
// the examples in the documentation of a single resource.
func needProviders(top string) error {
	need := map[string]bool{}
	err := filepath.WalkDir(top, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".tf" {
			return err
		}
		text, err := os.ReadFile(file)
		dir := filepath.Dir(file)
		is, known := need[dir]
		need[dir] = (is || !known) && !strings.Contains(string(text), "required_providers")
		return err
	})
	required := workspace.Required(workspace.StackPolicy, workspace.OpenStack)
	for dir, is := range need {
		if is {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, "required.tf"), []byte(required), 0o600))
		}
	}
	return err
}

// TerraformMinor returns the minor version of the Terraform 1 that tests use, for differences between versions. It
// returns 0 for OpenTofu.
func TerraformMinor(t testing.TB) int {
	t.Helper()
	Terraform(t)
	minor, err := terraformMinor()
	require.NoError(t, err)
	return minor
}

var terraformMinor = sync.OnceValues(func() (minor int, err error) {
	path, err := terraform()
	if err != nil || strings.Contains(filepath.Base(path), "tofu") { // in the order in which Terraform is looked for
		return 0, err
	}
	text, err := exec.CommandContext(context.Background(), path, "version", "-json").Output()
	if err != nil {
		return 0, err
	}
	var doc struct {
		Version string `json:"terraform_version"`
	}
	err = json.Unmarshal(text, &doc)
	if _, scanErr := fmt.Sscanf(doc.Version, "1.%d.", &minor); scanErr != nil {
		err = errors.Join(err, fmt.Errorf("the version of %s is %q: %w", path, doc.Version, scanErr))
	}
	return minor, err
})
