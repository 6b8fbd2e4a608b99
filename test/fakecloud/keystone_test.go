package fakecloud

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCatalogWithProjectsInURLs(t *testing.T) {
	c := Start(t, Config{ProjectInURL: true})
	k := login(t, c, "member")
	catalog := k.ask("GET identity /auth/tokens", "", "X-Subject-Token", k.token).body
	assert.Contains(t, catalog, `"`+c.url+"/compute/RegionOne/v2.1/"+MemberProjectID+`"`)
	for _, f := range []struct {
		path   string
		status int
	}{
		{"/" + MemberProjectID, http.StatusNotFound}, // only with a slash is that the version document
		{"/" + MemberProjectID + "/", http.StatusOK},
		{"/" + MemberProjectID + "/servers", http.StatusOK},
		{"/servers", http.StatusOK},
		{"/" + AdminProjectID + "/servers", http.StatusBadRequest},
	} {
		a := k.ask("GET compute "+f.path, "")
		assert.Equal(t, f.status, a.status, "%s: %s", f.path, a.body)
	}
	id := k.server("one", "")
	if a := k.ask("GET compute /"+MemberProjectID+"/servers?limit=1", ""); !strings.Contains(a.body,
		"/v2.1/"+MemberProjectID+"/servers?limit=1&marker="+id) {
		t.Errorf("the next page is elsewhere: %s", a.body)
	}
}
