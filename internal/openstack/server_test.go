package openstack_test

import (
	"net/http"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestServerStatus: a server that Nova keeps only until its removal is gone.
func TestServerStatus(t *testing.T) {
	fake, _, compute := discovered(t)
	for status, want := range map[string]string{"ACTIVE": "ACTIVE", "SHELVED": "SHELVED", "DELETED": "", "SOFT_DELETED": ""} {
		id := fake.AddServers("RegionOne", fakecloud.Server{Name: "web", Status: status})[0]
		if got, err := (openstack.Server{Compute: compute, ID: id}).Status(t.Context()); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", status, got, err, want)
		}
	}
}

// TestServerDirty: the decoder's error quotes an invalid time, and no control character is shown.
func TestServerDirty(t *testing.T) {
	fake, _, compute := discovered(t)
	fake.Inject(fakecloud.Fault{Path: "/servers/s", Status: http.StatusOK, Body: `{"server": {"id": "s", "status": "ACTIVE", "created": "now\u007f"}}`})
	_, err := openstack.Server{Compute: compute, ID: "s"}.Status(t.Context())
	require.ErrorContains(t, err, `now\x7f`)
	assert.NotContains(t, err.Error(), "\x7f")
}

// TestServerExists: servers are listed once. A server that is not in the list, because it is new or for
// another reason, is requested before it counts as gone.
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

// TestEmptyPage: a list that announces more items and returns an empty page is an error, and is not requested
// for ever.
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
