package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/utils/v2/openstack/clientconfig"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// cloud is the cloud that gets the requests.
type cloud struct {
	*acctest.Cloud
	client   *http.Client
	release  fakecloud.Release
	patience time.Duration     // between the requests of a row with awaits
	second   time.Duration     // until a time in whole seconds changes; the fake's clock moves by itself
	urls     map[string]string // URLs of the services, without a slash at the end
	vars     map[string]string // values of $name
	unknown  []string          // names that the last expansion did not know
}

// everywhere sends the requests to a fake cloud of each release, or to the live one.
func everywhere(t *testing.T, ask func(*testing.T, *cloud)) {
	t.Helper()
	if acctest.Live() {
		ask(t, start(t, fakecloud.Zed))
		return
	}
	for _, release := range slices.Sorted(maps.Keys(fakecloud.Releases)) {
		t.Run(release, func(t *testing.T) { ask(t, start(t, release)) })
	}
}

// start logs both users in. They are the users of clouds.yaml, whatever their names there: the one with the role
// admin is the admin.
func start(t *testing.T, release string) *cloud {
	t.Helper()
	c := &cloud{Cloud: acctest.New(t, fakecloud.Config{Release: release}), client: &http.Client{Timeout: time.Minute}, urls: map[string]string{},
		vars: map[string]string{}}
	if c.Fake != nil {
		file := filepath.Join(t.TempDir(), "clouds.yaml")
		clouds := map[string]string{"stackpolicy-admin": fakecloud.AdminUser, "stackpolicy-member": fakecloud.MemberUser}
		require.NoError(t, os.WriteFile(file, fakecloud.CloudsYAML(c.Fake.AuthURL(), clouds), 0o600))
		t.Setenv("OS_CLIENT_CONFIG_FILE", file)
		t.Setenv("OS_CLOUD", "stackpolicy-member")
	} else {
		c.patience, c.second = 200*time.Millisecond, time.Second
	}
	maps.Copy(c.vars, map[string]string{
		"prefix": c.Prefix, "image": c.Image, "flavor": c.Flavor,
		"none": "00000000-0000-0000-0000-000000000000",
		// Patterns.
		"time":    `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`,
		"uuid":    `[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`,
		"request": `req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`,
	})
	for i, o := range logins(t) {
		if ok := c.login(t, o); !ok && i == 0 {
			t.Fatalf("cannot log in to %s", o.IdentityEndpoint)
		}
	}
	c.know(t)
	return c
}

// logins are the login of the environment, and the logins of its clouds.yaml to the same cloud.
func logins(t *testing.T) []*gophercloud.AuthOptions {
	t.Helper()
	own, err := clientconfig.AuthOptions(&clientconfig.ClientOpts{Cloud: os.Getenv("OS_CLOUD")})
	require.NoError(t, err)
	list := []*gophercloud.AuthOptions{own}
	clouds, _ := clientconfig.LoadCloudsYAML() // an error is ignored: the variables are enough
	for _, name := range slices.Sorted(maps.Keys(clouds)) {
		if other, err := clientconfig.AuthOptions(&clientconfig.ClientOpts{Cloud: name}); err == nil && other.IdentityEndpoint == own.IdentityEndpoint {
			list = append(list, other)
		}
	}
	return list
}

// login gets a token, and keeps its facts about the user, unless there is a user with such rights already.
func (c *cloud) login(t *testing.T, o *gophercloud.AuthOptions) bool {
	t.Helper()
	scope, err := o.ToTokenV3ScopeMap()
	require.NoError(t, err)
	body, err := o.ToTokenV3CreateMap(scope)
	require.NoError(t, err)
	root := strings.TrimSuffix(strings.TrimSuffix(o.IdentityEndpoint, "/"), "/v3") // many name no version
	c.urls["identity-root"], c.urls["identity"] = root, root+"/v3"
	a := c.send(t, "nobody POST identity /auth/tokens "+encoded(body))
	var doc struct{ Token token }
	if err := json.Unmarshal(a.body, &doc); err != nil || a.status != http.StatusCreated {
		return false
	}
	got, who := doc.Token, "member"
	if slices.ContainsFunc(got.Roles, func(r struct{ Name string }) bool { return r.Name == "admin" }) {
		who = "admin"
	}
	if c.vars[who+"_token"] != "" {
		return true
	}
	for name, value := range map[string]string{
		"token": a.header.Get("X-Subject-Token"), "id": got.User.ID, "name": got.User.Name, "domain": got.User.Domain.ID,
		"project": got.Project.ID, "project_name": got.Project.Name, "password": o.Password,
	} {
		if value != "" {
			c.vars[who+"_"+name] = value
		}
	}
	region := c.Regions(t)[0]
	c.vars["region"] = region
	for _, s := range got.Catalog {
		for _, e := range s.Endpoints {
			if e.Interface == "public" && e.Region == region && s.Type != "identity" {
				c.endpoint(s.Type, strings.TrimSuffix(e.URL, "/"))
			}
		}
	}
	return true
}

// endpoint keeps the URL of a service. Many catalogues name no version in the URLs of Glance and Neutron.
func (c *cloud) endpoint(service, url string) {
	version := "/v2"
	switch service {
	case "network":
		version = "/v2.0"
	case "block-storage":
		version = "/v3"
	}
	root, _, versioned := strings.Cut(url, version)
	if !versioned {
		url += version
	}
	c.urls[service], c.urls[service+"-root"] = url, root
}

// token has the parts of a token that the test needs.
type token struct {
	User struct {
		ID, Name string
		Domain   struct{ ID string }
	}
	Project struct{ ID, Name string }
	Roles   []struct{ Name string }
	Catalog []struct {
		Type      string
		Endpoints []struct{ Interface, Region, URL string }
	}
}

// know determines the release by Nova's newest microversion, and skips a test if the facts are not about that
// release.
func (c *cloud) know(t *testing.T) {
	t.Helper()
	a := c.send(t, "nobody GET compute /")
	newest, _ := at(a.doc, "version.version")
	release := fakecloud.ReleaseOf(fmt.Sprint(newest))
	if release == "" {
		t.Skipf("needs one of the releases %v, and the newest microversion of the cloud's Nova is %v",
			slices.Sorted(maps.Keys(fakecloud.Releases)), newest)
	}
	c.release = fakecloud.Releases[release]
	c.vars["newest"] = c.release.Microversion
}

// addDiskless adds a flavor without a disk until the test ends, and keeps its id as $diskless. Only an admin may do that.
func (c *cloud) addDiskless(t *testing.T) {
	t.Helper()
	name := c.Prefix + "diskless"
	id := "zero-" + name // the last of a list
	if c.Fake != nil {
		c.vars["diskless"] = c.Fake.AddFlavor(fakecloud.Flavor{ID: id, Name: name, VCPUs: 1, RAM: 64})
	} else if c.vars["admin_token"] != "" {
		flavor := map[string]any{"id": id, "name": name, "vcpus": 1, "ram": 64, "disk": 0}
		require.Equal(t, http.StatusOK, c.send(t, "admin POST compute /flavors "+encoded(map[string]any{"flavor": flavor})).status)
		c.vars["diskless"] = id
		t.Cleanup(func() { c.send(t, "admin DELETE compute /flavors/"+id) })
	}
}
