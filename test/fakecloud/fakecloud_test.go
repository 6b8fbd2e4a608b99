package fakecloud

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// client asks a cloud as one user, over HTTP.
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
	a := k.ask("POST identity /auth/tokens", fmt.Sprintf(`{"auth": {
		"identity": {"methods": ["password"], "password": {"user": {"name": %[1]q, "domain": {"id": "default"}, "password": "secret"}}},
		"scope": {"project": {"name": %[1]q, "domain": {"id": "default"}}}}}`, who))
	if a.status != http.StatusCreated {
		t.Fatalf("login as %s: %d %s", who, a.status, a.body)
	}
	k.token = a.header.Get("X-Subject-Token")
	return k
}

// answer is what a cloud said.
type answer struct {
	status int
	header http.Header
	body   string
}

// object decodes the body.
func (a answer) object(t testing.TB) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		t.Fatalf("%v in %q", err, a.body)
	}
	return v
}

var roots = map[string]string{
	"identity": "/identity/v3", "compute": "/compute/RegionOne/v2.1", "two": "/compute/RegionTwo/v2.1",
	"image": "/image/v2", "messaging": "/messaging/v2", "raw": "",
}

// request makes "GET compute /servers 2.79": the service stands for the root of
// its paths, the microversion may be left out.
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
	if words[1] == "messaging" {
		r.Header.Set("Client-ID", "3381af92-2b9e-11e3-b191-71861300734c")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if r.Header.Del(header[i]); header[i+1] != "" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	return r
}

func (k *client) ask(what, body string, header ...string) answer {
	k.t.Helper()
	r, err := http.DefaultClient.Do(k.request(what, body, header...))
	require.NoError(k.t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(k.t, err, what)
	if strings.Contains(r.Header.Get("Content-Type"), "json") {
		text = spaced(text)
	}
	return answer{r.StatusCode, r.Header, string(text)}
}

// spaced writes a blank after the commas and colons of JSON, as people do.
func spaced(text []byte) (b []byte) {
	inside := false
	for i, c := range text {
		b = append(b, c)
		switch {
		case c == '"' && (!inside || !escaped(text[:i])):
			inside = !inside
		case !inside && (c == ',' || c == ':') && i+1 < len(text) && text[i+1] != ' ':
			b = append(b, ' ')
		}
	}
	return b
}

// escaped reports whether a text ends in an odd number of backslashes.
func escaped(text []byte) bool { return (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1 }

// must asks and wants the status.
func (k *client) must(status int, what, body string) answer {
	k.t.Helper()
	a := k.ask(what, body)
	if a.status != status {
		k.t.Fatalf("%s: %d, not %d: %s", what, a.status, status, a.body)
	}
	return a
}

// server creates a server of the name on no network and returns its id.
func (k *client) server(name, more string) string {
	k.t.Helper()
	body := fmt.Sprintf(`{"server": {"name": %q, "flavorRef": "m1.tiny", "imageRef": %q, "networks": "none"%s`, name, k.cloud.images[0].ID, more)
	a := k.must(202, "POST compute /servers 2.93", body+strings.Repeat("}", strings.Count(body, "{")-strings.Count(body, "}")))
	return a.object(k.t)["server"].(map[string]any)["id"].(string)
}

// TestSameSeedSameBytes: all that a cloud says can be repeated.
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
		return strings.ReplaceAll(said.String(), c.url, "") // the port is not of the cloud's making
	}
	if a, b := run(1), run(1); a != b {
		t.Errorf("two runs differ:\n%s\n%s", a, b)
	}
	if run(1) == run(2) {
		t.Error("another seed changes nothing")
	}
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
	if len(servers) != 1 || servers[0].Created.Before(Epoch) {
		t.Errorf("servers are %v", servers)
	}
}
