package openstack_test

import (
	"net/http"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestServerStatus: a server that only waits for its removal is gone.
func TestServerStatus(t *testing.T) {
	fake, _, compute := discovered(t)
	for status, want := range map[string]string{"ACTIVE": "ACTIVE", "SHELVED": "SHELVED", "DELETED": "", "SOFT_DELETED": ""} {
		id := fake.AddServers("RegionOne", fakecloud.Server{Name: "web", Status: status})[0]
		if got, err := (openstack.Server{Compute: compute, ID: id}).Status(t.Context()); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", status, got, err, want)
		}
	}
}

// TestServerDirty: a time that is none is quoted by its decoder, and shown as a terminal may show it.
func TestServerDirty(t *testing.T) {
	fake, _, compute := discovered(t)
	fake.Inject(fakecloud.Fault{Path: "/servers/s", Status: http.StatusOK, Body: `{"server": {"id": "s", "status": "ACTIVE", "created": "now\u007f"}}`})
	_, err := openstack.Server{Compute: compute, ID: "s"}.Status(t.Context())
	require.ErrorContains(t, err, `now\x7f`)
	assert.NotContains(t, err.Error(), "\x7f")
}

// TestServerExists: servers are listed once. One that came since, or that the list
// does not have for another reason, is asked for before it counts as gone.
func TestServerExists(t *testing.T) {
	fake, _, compute := discovered(t)
	there := func(id string, want bool) {
		t.Helper()
		if got, err := (openstack.Server{Compute: compute, ID: id}).Exists(t.Context()); err != nil || got != want {
			t.Errorf("got %t, %v, want %t", got, err, want)
		}
	}
	first := fake.AddServers("RegionOne", fakecloud.Server{Name: "first"})[0]
	there(first, true)
	there(fake.AddServers("RegionOne", fakecloud.Server{Name: "second"})[0], true)
	there("00000000-0000-0000-0000-000000000000", false)
	assert.Equal(t, 1, fake.Count("GET compute /servers"), "lists")
	assert.Equal(t, 2, fake.Count("GET compute /servers/*"), "servers that were asked for")
	fake.Inject(fakecloud.Fault{Path: "/servers/*", Status: 500, Times: fakecloud.Forever})
	_, err := openstack.Server{Compute: compute, ID: "1"}.Exists(t.Context())
	assert.Error(t, err, "a server that cannot be read counts as gone")
}

// TestEmptyPage: a list that announces more, and has nothing on the next page, is
// an error, and not asked for without end.
func TestEmptyPage(t *testing.T) {
	const link = `"servers_links": [{"rel": "next", "href": "/"}]`
	for name, page := range map[string]string{
		"the first page": `{"servers": [], ` + link + `}`,
		"a later page":   `{"servers": [{"id": "1"}], ` + link + `}`,
	} {
		fake, _, compute := discovered(t)
		if name == "a later page" {
			fake.Inject(fakecloud.Fault{Path: "/servers", Status: 200, Body: page})
		}
		fake.Inject(fakecloud.Fault{Path: "/servers", Status: 200, Body: `{"servers": [], ` + link + `}`, Times: 10})
		_, err := openstack.Server{Compute: compute, ID: "1"}.Exists(t.Context())
		assert.ErrorContains(t, err, "more items are announced after", name)
		assert.LessOrEqual(t, fake.Count("GET compute /servers"), 2, "%s: requests", name)
	}
}
