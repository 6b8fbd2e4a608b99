package hook

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/gophercloud/gophercloud/v2/openstack/messaging/v2/messages"
	"github.com/stretchr/testify/require"
)

// FuzzLocation: no answer of a consumer makes the webhook ask another host, and every text about it is fit for a
// terminal.
func FuzzLocation(f *testing.F) {
	for _, location := range []string{"/jobs/7", "jobs", "?a=b", "//elsewhere.example/", "http://elsewhere.example", "HTTPS://consumer.example:443/x",
		"https://consumer.example:0443/",
		"https://consumer.example@elsewhere.example/", "\\\\elsewhere.example", "https://consumer.example\x1b[31m", "https://\xc2\x9b/", "", "#", "https:jobs",
		"https:///x", "https://consumer.example:99999/"} {
		f.Add(location)
	}
	base, err := url.Parse("https://ann:secret@consumer.example/drain?key=secret")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, location string) {
		address, err := sameOrigin(base, location)
		if err != nil {
			if strings.ContainsFunc(err.Error(), unicode.IsControl) || strings.Contains(err.Error(), "secret") != strings.Contains(location, "secret") {
				t.Errorf("%q", err)
			}
			return
		}
		if address.Scheme != "https" || !strings.EqualFold(address.Hostname(), "consumer.example") || (address.Port() != "" && address.Port() != "443") ||
			address.User != base.User {
			t.Errorf("%q is asked", address)
		}
	})
}

// FuzzZaqarMessage: any message of Zaqar is kept for two weeks at most, and its id is one step of a path.
func FuzzZaqarMessage(f *testing.F) {
	f.Add(`{"id": "m-1", "href": "/v2/queues/drain/messages/m-1", "ttl": 3600, "age": 60, "body": {}}`)
	f.Add(`{"href": "/", "ttl": 9223372036854775807, "age": -9223372036854775808}`)
	f.Add(`{"href": "http://[", "ttl": -1, "age": 1e3, "body": null}`)
	f.Add(`{"href": "..", "body": []}`)
	f.Add(`{"href": "/a%2fb?claim_id=1"}`)
	f.Fuzz(func(t *testing.T, answer string) {
		var m messages.Message
		if json.Unmarshal([]byte(answer), &m) != nil {
			return
		}
		if d := remaining(m); d > 14*24*time.Hour || d < -14*24*time.Hour {
			t.Errorf("lasts %s", d)
		}
		if id := messageID.FindString(m.Href); strings.Contains(id, "/") || id == "." || id == ".." {
			t.Errorf("the id of %q is %q", m.Href, id)
		}
	})
}
