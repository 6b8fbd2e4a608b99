package fakecloud

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// client sends requests to a cloud as one user, over HTTP.
type client struct {
	t     testing.TB
	cloud *Cloud
	token string
}

// login logs in as the admin or the member; nobody has no token.
func login(t testing.TB, c *Cloud, who string) *client {
	t.Helper()
	k := &client{t: t, cloud: c}
	if who == "nobody" {
		return k
	}
	a := k.must(http.StatusCreated, "POST identity /auth/tokens", fmt.Sprintf(`{"auth": {
		"identity": {"methods": ["password"], "password": {"user": {"name": %[1]q, "domain": {"id": "default"}, "password": "secret"}}},
		"scope": {"project": {"name": %[1]q, "domain": {"id": "default"}}}}}`, who))
	k.token = a.header.Get("X-Subject-Token")
	return k
}

// answer is an answer of a cloud.
type answer struct {
	status int
	header http.Header
	body   string
}

// object decodes the body.
func (a answer) object(t testing.TB) map[string]any {
	t.Helper()
	var v map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &v), a.body)
	return v
}

var roots = map[string]string{
	"identity": "/identity/v3", "compute": "/compute/RegionOne/v2.1", "two": "/compute/RegionTwo/v2.1",
	"image": "/image/v2", "raw": "",
	"network": "/network/RegionOne/v2.0", "load-balancer": "/load-balancer/RegionOne/v2", "block-storage": "/block-storage/RegionOne/v3",
}

// request makes a request such as "GET compute /servers 2.79": the service stands for the root of its paths, and the
// microversion is optional.
func (k *client) request(what, body string, header ...string) *http.Request {
	k.t.Helper()
	words := strings.Fields(what)
	r, err := http.NewRequest(words[0], k.cloud.url+roots[words[1]]+words[2], strings.NewReader(body))
	require.NoError(k.t, err)
	r.Header.Set("Accept", "application/json")
	if k.token != "" {
		r.Header.Set("X-Auth-Token", k.token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if len(words) > 3 {
		r.Header.Set("OpenStack-API-Version", "compute "+words[3])
	}
	for i := 0; i+1 < len(header); i += 2 {
		if r.Header.Del(header[i]); header[i+1] != "" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	return r
}

// attempt sends a request on a connection of its own, so that net/http does not try again.
func (k *client) attempt(ctx context.Context, what, body string, header ...string) (answer, error) {
	k.t.Helper()
	r := k.request(what, body, header...).WithContext(ctx)
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(text)}, err
}

func (k *client) ask(what, body string, header ...string) answer {
	k.t.Helper()
	a, err := k.attempt(k.t.Context(), what, body, header...)
	require.NoError(k.t, err, what)
	return a
}

// must sends a request and expects the status.
func (k *client) must(status int, what, body string) answer {
	k.t.Helper()
	a := k.ask(what, body)
	require.Equal(k.t, status, a.status, "%s: %s", what, a.body)
	return a
}

// server creates a server with the name on no network and returns its id.
func (k *client) server(name, more string) string {
	k.t.Helper()
	body := fmt.Sprintf(`{"server": {"name": %q, "flavorRef": "m1.tiny", "imageRef": %q, "networks": "none"%s`, name, k.cloud.images[0].ID, more)
	a := k.must(202, "POST compute /servers 2.93", body+strings.Repeat("}", strings.Count(body, "{")-strings.Count(body, "}")))
	return a.object(k.t)["server"].(map[string]any)["id"].(string)
}

// TestSameSeedSameBytes: the same requests get the same answers.
func TestSameSeedSameBytes(t *testing.T) {
	run := func(seed uint64) string {
		c := Start(t, Config{Seed: seed})
		var said bytes.Buffer
		for _, who := range []string{"member", "admin"} {
			k := login(t, c, who)
			k.server("one", "")
			k.must(200, "POST compute /os-server-groups", `{"server_group": {"name": "g", "policies": ["affinity"]}}`)
			for _, what := range []string{"identity /regions", "compute /servers/detail 2.93", "two /os-availability-zone", "image /images"} {
				fmt.Fprintln(&said, k.ask("GET "+what, ""))
			}
		}
		return strings.ReplaceAll(said.String(), c.url, "") // the system chooses the port
	}
	one := run(1)
	assert.Equal(t, one, run(1), "two runs")
	assert.NotEqual(t, one, run(2), "another seed changes nothing")
}

// TestClock: time passes when something is created, and when somebody waits.
func TestClock(t *testing.T) {
	c := Start(t, Config{BuildTime: 2 * time.Second, DeleteTime: time.Second, PowerTime: time.Second})
	k := login(t, c, "member")
	status := func(id string) string {
		a := k.ask("GET compute /servers/"+id+" 2.79", "")
		if a.status == http.StatusNotFound {
			return "gone"
		}
		s := a.object(t)["server"].(map[string]any)
		return fmt.Sprint(s["status"], s["OS-EXT-STS:task_state"])
	}
	looks := func(id string, want ...string) {
		t.Helper()
		for i, w := range want {
			require.Equal(t, w, status(id), "look %d", i)
		}
	}
	id := k.server("one", "")
	looks(id, "BUILDscheduling", "BUILDscheduling", "ACTIVE<nil>")
	k.must(202, "POST compute /servers/"+id+"/action", `{"os-stop": null}`)
	k.must(409, "POST compute /servers/"+id+"/action", `{"os-stop": null}`)
	looks(id, "ACTIVEpowering-off", "SHUTOFF<nil>", "SHUTOFF<nil>")
	k.must(204, "DELETE compute /servers/"+id, "")
	k.must(204, "DELETE compute /servers/"+id, "") // again, while it can still be seen
	looks(id, "SHUTOFFdeleting", "gone")

	other := k.server("two", "")
	c.Advance(time.Hour)
	looks(other, "ACTIVE<nil>")
	servers := c.Servers("RegionOne")
	require.Len(t, servers, 1)
	assert.False(t, servers[0].Created.Before(Epoch))
}

func TestCatalogWithProjectsInURLs(t *testing.T) {
	c := Start(t, Config{ProjectInURL: true})
	k := login(t, c, "member")
	catalog := k.ask("GET identity /auth/tokens", "", "X-Subject-Token", k.token).body
	assert.Contains(t, catalog, `"`+c.url+"/compute/RegionOne/v2.1/"+MemberProjectID+`"`)
	for _, f := range []struct {
		path   string
		status int
	}{
		{"/" + MemberProjectID, http.StatusNotFound}, // the version document needs the slash at the end
		{"/" + MemberProjectID + "/", http.StatusOK},
		{"/" + MemberProjectID + "/servers", http.StatusOK},
		{"/servers", http.StatusOK},
		{"/" + AdminProjectID + "/servers", http.StatusBadRequest},
	} {
		a := k.ask("GET compute "+f.path, "")
		assert.Equal(t, f.status, a.status, "%s: %s", f.path, a.body)
	}
	id := k.server("one", "")
	page := k.ask("GET compute /"+MemberProjectID+"/servers?limit=1", "").body
	assert.Contains(t, page, "/v2.1/"+MemberProjectID+"/servers?limit=1&marker="+id, "the next page")
}
