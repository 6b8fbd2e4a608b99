package hook

import (
	"net/url"
	"strings"
	"testing"
	"unicode"

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
