// Package acctest runs acceptance tests through a real terraform: the same tests on the fake cloud and on a real one.
//
// By default the cloud is a [fakecloud.Cloud] of the test's own. With STACKPOLICY_ACC=live it is the cloud that
// OS_CLOUD or the OS_* variables name.
package acctest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/gophercloud/utils/v2/openstack/clientconfig"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// Cloud is the cloud that a test runs on.
type Cloud struct {
	Fake   *fakecloud.Cloud // nil on a real cloud
	API    *openstack.Cloud // logged in as the user of the test
	Prefix string           // beginning of the names of everything that the test makes
	Image  string           // image of its servers
	Flavor string

	user string // user of the fake cloud; each user's project has the user's name

	login  openstack.Config
	once   sync.Once
	client *gophercloud.ProviderClient
}

// Live reports whether tests run on a real cloud.
func Live() bool { return os.Getenv("STACKPOLICY_ACC") == "live" }

// New returns the cloud for a test: a fake cloud of its own, in the shape of the config, or the real one.
func New(t testing.TB, config fakecloud.Config) *Cloud {
	t.Helper()
	return start(t, config, fakecloud.MemberUser)
}

// NewAdmin is New for tests that need the rights of an admin. A real cloud without these rights skips them.
func NewAdmin(t testing.TB, config fakecloud.Config) *Cloud {
	t.Helper()
	c := start(t, config, fakecloud.AdminUser)
	if !isAdmin(t, c.API, c.Regions(t)[0]) {
		t.Skip("needs an admin, and the user is none")
	}
	return c
}

// isAdmin reports whether a login has the rights of an administrator.
func isAdmin(t testing.TB, api *openstack.Cloud, region string) bool {
	t.Helper()
	compute, err := api.Compute(context.WithoutCancel(t.Context()), region)
	if err == nil {
		_, err = compute.Hypervisors(t.Context())
	}
	if err != nil && !gophercloud.ResponseCodeIs(err, http.StatusForbidden) {
		t.Fatal(err)
	}
	return err == nil
}

// NeedsMember skips a test on a real cloud if the user is an admin. The test is about restrictions of an ordinary
// user, or about a user's own project.
func (c *Cloud) NeedsMember(t testing.TB) {
	t.Helper()
	if isAdmin(t, c.API, c.Regions(t)[0]) {
		t.Skip("needs an ordinary user, and this one is an admin")
	}
}

// Login is the login to the real cloud that the environment names.
func Login() openstack.Config {
	return openstack.Config{
		Cloud:         os.Getenv("OS_CLOUD"),
		AuthURL:       os.Getenv("OS_AUTH_URL"),
		DefaultDomain: "default",
		Region:        os.Getenv("OS_REGION_NAME"),
		MaxRetries:    3,
	}
}

// fakeLogin is the login of a user to a fake cloud, in which the user's project has the same name.
func fakeLogin(fake *fakecloud.Cloud, user, region string) openstack.Config {
	return openstack.Config{
		AuthURL: fake.AuthURL(), UserName: user, Password: fakecloud.Password, TenantName: user,
		DefaultDomain: fakecloud.DomainID, Region: region,
	}
}

func start(t testing.TB, config fakecloud.Config, user string) *Cloud {
	t.Helper()
	c := &Cloud{Prefix: newPrefix(time.Now()), user: user}
	login := Login()
	if !Live() {
		c.Fake = fakecloud.Start(t, config)
		login = fakeLogin(c.Fake, user, fakecloud.DefaultRegions()[0].Name)
	}
	c.login = login
	api, err := openstack.New(login)
	require.NoError(t, err, "the cloud of the test")
	c.API = api
	c.Image, c.Flavor = c.bootable(t)
	return c
}

// ProviderBlock returns a provider's block for the cloud, with more arguments.
func (c *Cloud) ProviderBlock(name string, more ...string) string {
	if c.Fake == nil {
		return fmt.Sprintf("provider %q {\n%s\n}\n", name, strings.Join(more, "\n"))
	}
	region := fakecloud.DefaultRegions()[0].Name
	return fmt.Sprintf("provider %q {\n  auth_url = %q\n  user_name = %q\n  password = %q\n  tenant_name = %[3]q\n"+
		"  region = %[5]q\n%s\n}\n",
		name, c.Fake.AuthURL(), c.user, fakecloud.Password, region, strings.Join(more, "\n"))
}

// bootable finds an image and the smallest flavor.
func (c *Cloud) bootable(t testing.TB) (image, flavor string) {
	t.Helper()
	sizes, found := c.flavors(t), c.images(t, images.ListOpts{Status: images.ImageStatusActive})
	if len(sizes) == 0 || len(found) == 0 {
		t.Fatalf("the cloud has %d flavors and %d images", len(sizes), len(found))
	}
	return found[0].ID, sizes[0].ID
}

// Regions lists the regions with a compute endpoint, sorted.
func (c *Cloud) Regions(t testing.TB) []string {
	t.Helper()
	names, err := c.API.ComputeRegions(context.WithoutCancel(t.Context()))
	require.NoError(t, err, "the regions of the cloud")
	return names
}

// Zones lists the availability zones of a region in which servers can be made, sorted.
func (c *Cloud) Zones(t testing.TB, region string) []string {
	t.Helper()
	zones, err := c.API.Zones(t.Context(), region)
	require.NoError(t, err, "the zones of %s", region)
	var names []string
	for _, z := range zones {
		if z.Available && z.Name != "internal" {
			names = append(names, z.Name)
		}
	}
	return names
}

// compute returns the Nova of a region. Its context outlives the test, because cleaning up needs it too.
func (c *Cloud) compute(t testing.TB, region string) *openstack.Compute {
	t.Helper()
	compute, err := c.API.Compute(context.WithoutCancel(t.Context()), region)
	require.NoError(t, err, "the compute service of %s", region)
	return compute
}

// Provider returns a client of the test's own.
func (c *Cloud) Provider(t testing.TB) *gophercloud.ProviderClient {
	t.Helper()
	c.once.Do(func() {
		var err error
		c.client, err = Authenticate(context.WithoutCancel(t.Context()), c.login)
		require.NoError(t, err, "log in for the test")
	})
	return c.client
}

// Authenticate logs in with a client that takes all good answers. [openstack.Cloud] takes only those to the requests of
// the product.
func Authenticate(ctx context.Context, login openstack.Config) (*gophercloud.ProviderClient, error) {
	opts := &gophercloud.AuthOptions{
		IdentityEndpoint: login.AuthURL, Username: login.UserName, Password: login.Password,
		TenantName: login.TenantName, DomainID: login.DefaultDomain,
	}
	if login.UserName == "" {
		var err error
		opts, err = clientconfig.AuthOptions(&clientconfig.ClientOpts{Cloud: login.Cloud})
		if err != nil {
			return nil, err
		}
	}
	opts.AllowReauth = true
	return gopher.AuthenticatedClient(ctx, *opts)
}

func (c *Cloud) nova(t testing.TB, region string) *gophercloud.ServiceClient {
	t.Helper()
	client, err := gopher.NewComputeV2(c.Provider(t), gophercloud.EndpointOpts{Region: region})
	require.NoError(t, err)
	client.Microversion = "2.79"
	return client
}

// Server describes a server to boot.
type Server struct {
	Name     string // name after the prefix
	Region   string
	Zone     string
	Metadata map[string]string
	Tags     []string
	Group    string // id of a server group
	Network  string // id of a network; "" means none
}

// Boot makes servers, waits until they are ACTIVE and returns their ids. The end of the test deletes them.
func (c *Cloud) Boot(t testing.TB, list ...Server) []string {
	t.Helper()
	ids := make([]string, len(list))
	for i, s := range list {
		client := c.nova(t, s.Region)
		opts := servers.CreateOpts{
			Name:             c.Prefix + s.Name,
			ImageRef:         c.Image,
			FlavorRef:        c.Flavor,
			AvailabilityZone: s.Zone,
			Networks:         "none",
			Metadata:         s.Metadata,
			Tags:             s.Tags,
		}
		if s.Network != "" {
			opts.Networks = []servers.Network{{UUID: s.Network}}
		}
		server, err := servers.Create(t.Context(), client, opts, servers.SchedulerHintOpts{Group: s.Group}).Extract()
		require.NoError(t, err, "boot %s", opts.Name)
		ids[i] = server.ID
		t.Cleanup(func() {
			if err := servers.Delete(context.WithoutCancel(t.Context()), client, server.ID).ExtractErr(); err != nil &&
				!gophercloud.ResponseCodeIs(err, 404) {
				t.Errorf("delete %s: %v", opts.Name, err)
			}
		})
	}
	for i, s := range list {
		err := servers.WaitForStatus(t.Context(), c.nova(t, s.Region), ids[i], "ACTIVE")
		require.NoError(t, err, "boot %s", s.Name)
	}
	return ids
}

// Test runs steps through terraform. Their configurations need no provider blocks, unless a test brings its own.
func (c *Cloud) Test(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	Terraform(t)
	test := resource.TestCase{IsUnitTest: true, ProtoV6ProviderFactories: Factories(), Steps: steps}
	blocks := c.ProviderBlock("stackpolicy")
	if slices.ContainsFunc(steps, func(s resource.TestStep) bool { return strings.Contains(s.Config, `"openstack_`) }) {
		blocks += c.ProviderBlock("openstack")
		test.ExternalProviders = map[string]resource.ExternalProvider{"openstack": {Source: workspace.OpenStack}}
		test.WorkingDir = attachOpenStack(t)
	}
	for i, s := range steps {
		if s.Config != "" && !strings.Contains(s.Config, "provider \"stackpolicy\"") {
			steps[i].Config = blocks + s.Config
		}
	}
	resource.Test(t, test)
}

// Factories serve the provider from this process.
func Factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"stackpolicy": func() (tfprotov6.ProviderServer, error) { return provider.NewServer("test") },
	}
}

var terraform = sync.OnceValues(func() (string, error) {
	path, err := workspace.Terraform(context.Background())
	if err != nil {
		return "", err
	}
	return path, attaching(path)
})

// Terraform finds the terraform (or tofu) for the tests, and sets it for the test framework. Without one the test
// fails.
// Under the race detector the test is skipped, because most of its time is terraform's, which has no detector; "make
// race" runs a few tests anyway.
func Terraform(t testing.TB) string {
	t.Helper()
	if raceDetector && os.Getenv("STACKPOLICY_RACE") == "" {
		t.Skip("needs more time than there is with the race detector")
	}
	path, err := terraform()
	require.NoError(t, err)
	withoutConfig()
	os.Setenv("GOGC", "400") // terraform runs too briefly to collect
	if strings.Contains(filepath.Base(path), "tofu") {
		os.Setenv("TF_ACC_PROVIDER_HOST", "registry.opentofu.org")
	}
	return path
}

// withoutConfig keeps the user's own configuration of terraform from affecting tests. Providers are not installed
// before [providers] sets another one.
var withoutConfig = sync.OnceFunc(func() { os.Setenv("TF_CLI_CONFIG_FILE", os.DevNull) })

// TwoRegions returns the first two regions. It skips the test on a cloud with one region.
func (c *Cloud) TwoRegions(t testing.TB) (one, two string) {
	t.Helper()
	names := c.Regions(t)
	if len(names) < 2 {
		t.Skipf("needs two regions, and the cloud has %v", names)
	}
	return names[0], names[1]
}

// NewFake is New for tests that need abilities of the fake cloud.
func NewFake(t testing.TB, config fakecloud.Config) *Cloud {
	t.Helper()
	if Live() {
		t.Skip("needs the fake cloud: no real one can be made to do this")
	}
	return New(t, config)
}
