package openstack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stretchr/testify/require"
)

// canned is a cloud whose answers a test makes up.
type canned func(r *http.Request) (status int, contentType string, body []byte)

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	status, contentType, body := c(r)
	header := http.Header{"Content-Type": {contentType}, "X-Subject-Token": {"hidden-token"}, "Retry-After": {"0"}}
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status), Header: header, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}

// FuzzAnswer: an error shows any answer of a service in short, in one line, and without secrets; and only the
// service's own 404 counts as one.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{novaGone, keystoneGone, glanceGone, octaviaGone, "", "{", "null", "<html>404</html>", `{"error": {"code": 404}}`,
		"hidden-password\x1b[2J\n\xff", "\xe2\x80\xae" + strings.Repeat("é", 2000)} {
		f.Add(uint16(404), "application/json", []byte(body))
		f.Add(uint16(200), "text/html; charset=\x80", []byte(body))
		f.Add(uint16(503), "", []byte(body))
	}
	f.Fuzz(func(t *testing.T, status uint16, contentType string, body []byte) {
		tr := &transport{secrets: []string{"hidden-password"}}
		resp, err := http.NewRequest(http.MethodGet, "http://cloud.example/", nil)
		require.NoError(t, err)
		trusted := hosts(nil).with("http://cloud.example/")
		tr.hosts.Store(&trusted)
		answer, _ := canned(func(*http.Request) (int, string, []byte) { return int(status), contentType, body }).RoundTrip(resp)
		failed := tr.check(resp, answer)
		var shown string
		if failed != nil {
			shown = failed.Error()
		} else if status/100 != 2 {
			all, _ := io.ReadAll(answer.Body)
			shown = string(all)
		}
		if len(shown) > shownRefusal+500 || text.Clean(shown) != shown || !utf8.ValidString(shown) || strings.Contains(shown, "hidden-password") {
			t.Errorf("shown: %q", shown)
		}
		if status == http.StatusNotFound && failed == nil {
			var fault map[string]struct{ Code int }
			if json.Unmarshal(body, &fault) != nil || len(fault) != 1 {
				t.Errorf("taken for Nova's own: %q", body)
			}
		}
	})
}
