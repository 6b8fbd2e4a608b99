package openstack_test

import (
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func member(fake *fakecloud.Cloud) openstack.Config {
	return openstack.Config{AuthURL: fake.AuthURL(), UserName: fakecloud.MemberUser, Password: fakecloud.Password,
		TenantName: fakecloud.MemberProject, DefaultDomain: fakecloud.DomainID, RequestTimeout: time.Minute}
}

func open(t *testing.T, config openstack.Config) *openstack.Cloud {
	t.Helper()
	cloud, err := openstack.New(config)
	require.NoError(t, err)
	return cloud
}

// hasZones fails unless the region has as many zones as wanted.
func hasZones(t *testing.T, cloud *openstack.Cloud, region string, want int, name string) {
	t.Helper()
	zones, err := cloud.Zones(t.Context(), region)
	assert.NoError(t, err, name)
	assert.Len(t, zones, want, name)
}

// TestLoginIsShared: preparing a cloud makes no request, and what many callers need is requested once.
func TestLoginIsShared(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	cloud := open(t, member(fake))
	assert.Empty(t, fake.Requests(), "requests")
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			_, err := cloud.Zones(t.Context(), "RegionOne")
			assert.NoError(t, err)
		})
	}
	wait.Wait()
	for _, pattern := range []string{"POST identity /auth/tokens", "GET compute /", "GET compute /os-availability-zone"} {
		assert.Equal(t, 1, fake.Count(pattern), "requests %s", pattern)
	}
}

func TestLogins(t *testing.T) {
	for name, change := range map[string]func(*openstack.Config){
		"password": func(*openstack.Config) {},
		"user and project by id": func(c *openstack.Config) {
			c.UserName, c.TenantName, c.UserID, c.TenantID = "", "", fakecloud.MemberUserID, fakecloud.MemberProjectID
		},
		"credential by id": func(c *openstack.Config) {
			*c = openstack.Config{AuthURL: c.AuthURL, ApplicationCredentialID: fakecloud.AppCredentialID,
				ApplicationCredentialSecret: fakecloud.AppCredentialSecret}
		},
		"credential by name": func(c *openstack.Config) {
			*c = openstack.Config{AuthURL: c.AuthURL, UserID: fakecloud.MemberUserID, ApplicationCredentialName: fakecloud.AppCredentialName,
				ApplicationCredentialSecret: fakecloud.AppCredentialSecret}
		},
	} {
		fake := fakecloud.Start(t, fakecloud.Config{})
		config := member(fake)
		change(&config)
		hasZones(t, open(t, config), "RegionTwo", 2, name)
	}
}

// TestToken: a token logs in, and cannot be renewed.
func TestToken(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	_, err := open(t, member(fake)).Zones(t.Context(), "RegionOne")
	require.NoError(t, err)
	requests := fake.Requests()
	token := requests[len(requests)-1].Token
	cloud := open(t, openstack.Config{AuthURL: fake.AuthURL(), Token: token})
	_, err = cloud.Zones(t.Context(), "RegionOne")
	require.NoError(t, err)
	fake.ExpireTokens()
	_, err = cloud.Zones(t.Context(), "RegionTwo")
	assert.ErrorContains(t, err, "401")
	assert.NotContains(t, fmt.Sprint(err), token)
}

func TestWrongPassword(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	config := member(fake)
	config.Password, config.MaxRetries = "not-the-password", 3
	cloud := open(t, config)
	for range 3 {
		err := cloud.Login(t.Context())
		assert.EqualError(t, err, "log in at "+config.AuthURL+": 401 Unauthorized") // Keystone may repeat the password
	}
	assert.Equal(t, 1, fake.Count("POST identity /auth/tokens"), "logins: a login that was refused is not repeated")
}

// TestExpiredToken: requests that find the token expired share one new login.
func TestExpiredToken(t *testing.T) {
	fake, _, compute := discovered(t)
	fake.ExpireTokens()
	release := make(chan struct{})
	fake.Inject(fakecloud.Fault{Path: "/auth/tokens", Effect: fakecloud.Delay, Delay: time.Minute, Until: release})
	var wait sync.WaitGroup
	for range 10 {
		wait.Go(func() {
			_, err := compute.ServerGroup(t.Context(), "00000000-0000-0000-0000-000000000000")
			assert.ErrorContains(t, err, "404", "the group is not there")
		})
	}
	for fake.Count("GET compute /os-server-groups/*") < 10 { // until all of them have seen that the token expired
		time.Sleep(time.Millisecond)
	}
	close(release)
	wait.Wait()
	assert.Equal(t, 1, fake.Count("POST identity /auth/tokens"), "logins")
}

// TestRelogin: a second login that is refused is reported and not repeated. A login that fails only for the
// moment is repeated.
func TestRelogin(t *testing.T) {
	for _, c := range []struct{ status, times, logins int }{
		{http.StatusUnauthorized, fakecloud.Forever, 2},
		{http.StatusServiceUnavailable, 1, 3},
	} {
		fake := fakecloud.Start(t, fakecloud.Config{})
		cloud := open(t, member(fake))
		require.NoError(t, cloud.Login(t.Context()))
		fake.ExpireTokens()
		fake.Inject(fakecloud.Fault{Path: "/auth/tokens", Status: c.status, Times: c.times})
		_, err := cloud.Zones(t.Context(), "RegionOne")
		assert.ErrorContains(t, err, "logging in again failed", "%d", c.status)
		_, err = cloud.Zones(t.Context(), "RegionTwo")
		assert.Equal(t, c.logins == 3, err == nil, "%d: asked again: %v", c.status, err)
		assert.Equal(t, c.logins, fake.Count("POST identity /auth/tokens"), "%d: logins", c.status)
	}
}

func TestRegions(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	fake.AddRegion("Dark")
	fake.HideEndpoint(fakecloud.Compute, "RegionTwo", true)
	cloud := open(t, member(fake))
	for region, want := range map[string]openstack.RegionState{
		"RegionOne": openstack.RegionWithCompute, "RegionTwo": openstack.RegionNoCompute, "Dark": openstack.RegionNoCompute, "Moon": openstack.RegionUnknown,
	} {
		got, _, err := cloud.RegionState(t.Context(), region)
		assert.NoError(t, err, region)
		assert.Equal(t, want, got, region)
	}
	assert.Equal(t, 1, fake.Count("GET identity /regions"), "requests for regions")
	if region, err := cloud.Region(t.Context()); err != nil || region != "RegionOne" {
		t.Errorf("the only region with compute: got %q, %v", region, err)
	}
	_, err := cloud.Compute(t.Context(), "RegionTwo")
	if missing, ok := errors.AsType[*openstack.NoEndpointError](err); !ok || missing.Region != "RegionTwo" ||
		!slices.Equal(missing.Regions, []string{"RegionOne"}) {
		t.Errorf("got %v", err)
	}
	fake.HideEndpoint(fakecloud.Compute, "RegionTwo", false)
	_, err = open(t, member(fake)).Region(t.Context())
	assert.ErrorContains(t, err, "RegionOne, RegionTwo")
	// If Keystone lists no regions for this user, the catalogue names them.
	for _, status := range []int{401, 403, 404, 405, 501} {
		hiding := fake.Inject(fakecloud.Fault{Path: "/regions", Status: status, Times: fakecloud.Forever})
		cloud = open(t, member(fake))
		state, _, err := cloud.RegionState(t.Context(), "Moon")
		assert.NoError(t, err, status)
		assert.Equal(t, openstack.RegionUnknown, state)
		regions, err := cloud.Regions(t.Context())
		assert.NoError(t, err, status)
		assert.Equal(t, []string{"RegionOne", "RegionTwo"}, regions)
		hiding.Remove()
	}
}

// TestLoginAdvice: the advice depends on who answered, and with which status.
func TestLoginAdvice(t *testing.T) {
	const user, token, keystone = "Check the user", "does not take the token", "nothing is known about the credentials"
	for name, c := range map[string]struct {
		change func(*openstack.Config)
		status int
		want   string
	}{
		"a wrong password":     {func(c *openstack.Config) { c.Password = "x" }, 0, user},
		"an expired token":     {func(c *openstack.Config) { *c = openstack.Config{AuthURL: c.AuthURL, Token: "t-1"} }, 0, token},
		"a proxy":              {nil, http.StatusServiceUnavailable, keystone},
		"another address":      {func(c *openstack.Config) { c.AuthURL = strings.TrimSuffix(c.AuthURL, "/identity/v3") + "/nothing" }, 0, keystone},
		"a connection refused": {func(c *openstack.Config) { c.AuthURL = "http://127.0.0.1:1/v3" }, 0, keystone},
	} {
		fake := fakecloud.Start(t, fakecloud.Config{})
		config := member(fake)
		if c.change != nil {
			c.change(&config)
		}
		if c.status != 0 {
			fake.Inject(fakecloud.Fault{Path: "/auth/tokens", Status: c.status, Times: fakecloud.Forever})
		}
		cloud := open(t, config)
		err := cloud.Login(t.Context())
		require.Error(t, err, name)
		assert.Contains(t, cloud.LoginAdvice(err), c.want, "%s: %v", name, err)
	}
}

// TestEndpointOverrides: an address of endpoint_overrides is used for the provider's own region only, because
// two regions must not have one Nova.
func TestEndpointOverrides(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	config := member(fake)
	config.Region = "RegionOne"
	base := strings.TrimSuffix(fake.AuthURL(), "/identity/v3")
	config.EndpointOverrides = map[string]string{"compute": base + "/compute/RegionTwo/v2.1"}
	cloud := open(t, config)
	hasZones(t, cloud, "RegionOne", 2, "overridden")
	hasZones(t, cloud, "RegionTwo", 2, "not overridden")
	config.Region = "RegionTwo"
	hasZones(t, open(t, config), "RegionOne", 3, "of another region")
	config.EndpointOverrides = map[string]string{"compute": "compute_legacy"}
	_, err := open(t, config).Zones(t.Context(), "RegionTwo")
	assert.ErrorContains(t, err, "no compute endpoint")
}

// TestMicroversions: a Nova that is older than each supported release is refused, with both versions.
func TestMicroversions(t *testing.T) {
	for newest, want := range map[string]string{"2.93": "", "2.69": "", "2.68": "find the microversions of Nova: it offers 2.68, and 2.69 is needed"} {
		fake := fakecloud.Start(t, fakecloud.Config{MaxMicroversion: newest, ProjectInURL: true})
		compute, err := open(t, member(fake)).Compute(t.Context(), "RegionOne")
		if want != "" {
			assert.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err, newest)
		assert.Equal(t, "2.64", compute.At(64).Microversion)
	}
}

func TestTLS(t *testing.T) {
	fake := fakecloud.New(fakecloud.Config{})
	t.Cleanup(fake.Close)
	server := httptest.NewUnstartedServer(fake)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // errors of handshakes that clients break off
	server.StartTLS()
	t.Cleanup(server.Close)
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	yes, no := true, false
	for name, c := range map[string]struct {
		change  func(*openstack.Config)
		trusted bool
	}{
		"by default":        {func(*openstack.Config) {}, false},
		"insecure is false": {func(c *openstack.Config) { c.Insecure = &no }, false},
		"insecure":          {func(c *openstack.Config) { c.Insecure = &yes }, true},
		"with its CA":       {func(c *openstack.Config) { c.CACertFile = authority }, true},
	} {
		config := member(fake)
		config.AuthURL, config.MaxRetries = server.URL+"/identity/v3", 0
		c.change(&config)
		cloud := open(t, config)
		_, err := cloud.Zones(t.Context(), "RegionOne")
		assert.Contains(t, fmt.Sprint(err), map[bool]string{true: "<nil>", false: "failed to verify certificate"}[c.trusted], name)
	}
}
