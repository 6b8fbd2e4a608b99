package openstack_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lists are the paths of all lists that are read page by page.
var lists = []string{"/servers", "/os-hypervisors/detail", "/os-server-groups"}

// discovered returns a cloud that has found Nova's microversions, so that the next request is the test's own.
func discovered(t *testing.T) (*fakecloud.Cloud, *openstack.Cloud, *openstack.Compute) {
	t.Helper()
	fake := fakecloud.Start(t, fakecloud.Config{})
	cloud := open(t, member(fake))
	compute, err := cloud.Compute(t.Context(), "RegionOne")
	require.NoError(t, err)
	fake.ResetRequests()
	return fake, cloud, compute
}

// pageOf returns a page with one item of such a list, and a link to another page.
func pageOf(path, id, next string) string {
	switch path {
	case "/servers":
		return fmt.Sprintf(`{"servers": [{"id": %q}], "servers_links": [{"rel": "next", "href": %q}]}`, id, next)
	case "/os-hypervisors/detail":
		return fmt.Sprintf(`{"hypervisors": [{"id": %q, "service": {"id": "1", "host": "h"}}], "hypervisors_links": [{"rel": "next", "href": %q}]}`, id, next)
	case "/os-server-groups":
		return fmt.Sprintf(`{"server_groups": [{"id": %q}]}`, id)
	}
	return fmt.Sprintf(`{"regions": [{"id": %q}], "links": {"next": %q}}`, id, next)
}

// TestEndlessLists: a list that repeats a page, or two pages in turn, ends with an error that says so, after
// a few requests.
func TestEndlessLists(t *testing.T) {
	for _, path := range lists {
		for _, pages := range []string{"A", "AB", "ABC"} {
			fake, cloud, _ := discovered(t)
			for i := range 1000 {
				id := string(pages[i%len(pages)])
				fake.Inject(fakecloud.Fault{Path: path, Status: http.StatusOK, Body: pageOf(path, id, fake.AuthURL()+"/regions?page="+id)})
			}
			_, err := get(path).ask(t.Context(), cloud, "RegionOne")
			assert.ErrorContains(t, err, "the list does not end", "%s, %s", path, pages)
			assert.LessOrEqual(t, len(fake.Requests()), len(pages)+1, "%s, %s: requests", path, pages)
		}
	}
}

// TestVersionLinks: an address without a version means Keystone v3, and no link of a version document is
// followed.
func TestVersionLinks(t *testing.T) {
	var strangers atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers.Add(1) }))
	defer elsewhere.Close()
	for _, suffix := range []string{"", "/", "/v3", "/v3/"} {
		fake := fakecloud.Start(t, fakecloud.Config{})
		links := fmt.Sprintf(`{"id": "v3.14", "status": "stable", "links": [{"rel": "self", "href": "%s/v3/"}]}`, elsewhere.URL)
		for _, path := range []string{"/", "", "/v3", "/v3/"} {
			fake.Inject(fakecloud.Fault{Service: fakecloud.Identity, Method: http.MethodGet, Path: path, Status: http.StatusMultipleChoices,
				Times: fakecloud.Forever,
				Body:  fmt.Sprintf(`{"version": %s, "versions": {"values": [%s]}}`, links, links)})
		}
		config := member(fake)
		config.AuthURL = strings.TrimSuffix(fake.AuthURL(), "/v3") + suffix
		hasZones(t, open(t, config), "RegionOne", 3, suffix)
	}
	assert.Equal(t, int64(0), strangers.Load(), "requests that went elsewhere")
}

// TestCatalogueUnusable: an error says why a region cannot be used. An address with a password is not used,
// and no error shows it.
func TestCatalogueUnusable(t *testing.T) {
	const password = "region RegionOne: the compute endpoint in the catalogue has a user name or a password"
	for endpoint, want := range map[string]string{
		`"public", "url": "http://nova:hidden@nova.example/v2.1"`:    password,
		`"public", "url": "http://nova:hid%zzden@nova.example/v2.1"`: password,
		`"public", "url": "http://hidden@nova.example/v2.1"`:         password,
		`"internal", "url": "http://nova.example/v2.1"`: `region "RegionOne" has no compute endpoint in the catalogue of this user; ` +
			"it has one with the interface internal: set endpoint_type, or OS_INTERFACE",
	} {
		fake := fakecloud.Start(t, fakecloud.Config{})
		fake.Inject(fakecloud.Fault{Path: "/auth/tokens", Status: http.StatusCreated, Header: http.Header{"X-Subject-Token": {"t-1"}},
			Body: `{"token": {"catalog": [{"type": "compute", "endpoints": [{"region_id": "RegionOne", "interface": ` + endpoint + `}]}, ` +
				`{"type": "identity", "endpoints": [{"region_id": "RegionOne", "interface": "public", "url": "` + fake.AuthURL() + `"}]}]}}`})
		cloud := open(t, member(fake))
		_, err := cloud.Zones(t.Context(), "RegionOne")
		assert.ErrorContains(t, err, want)
		state, why, more := cloud.RegionState(t.Context(), "RegionOne")
		assert.NoError(t, more)
		assert.Equal(t, openstack.RegionNoCompute, state)
		assert.NotContains(t, fmt.Sprint(err, why), "hid")
		assert.Contains(t, why, want[1:])
	}
}
