package openstack

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/bench"
	"github.com/stretchr/testify/assert"
)

// TestEncodedSecrets: no encoding of a secret that a refusal repeats is shown, and other words are.
func TestEncodedSecrets(t *testing.T) {
	const secret = `kV2+d/Rq81 "<pass&word'>\é`
	quote := func(s string) string {
		text, _ := json.Marshal(s)
		return string(text)
	}
	reversed := func(s string) string {
		letters := []rune(s)
		slices.Reverse(letters)
		return string(letters)
	}
	each := func(format string, s string) (all string) {
		for _, b := range []byte(s) {
			all += fmt.Sprintf(format, b)
		}
		return all
	}
	code := base64.StdEncoding
	for name, said := range map[string]string{
		"HTML":                   html.EscapeString(secret),
		"HTML, all letters":      each("&#x%x;", secret[:len(secret)-2]),
		"percent":                url.QueryEscape(secret),
		"percent in lower case":  each("%%%02x", secret),
		"percent, some letters":  strings.NewReplacer(" ", "%20", "+", "%2b", `"`, "%22").Replace(secret),
		"percent twice":          url.PathEscape(url.PathEscape(secret)),
		"base64":                 code.EncodeToString([]byte(secret)),
		"base64 of URLs":         base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"Basic":                  "Basic " + code.EncodeToString([]byte("ann:"+secret)),
		"Basic of another":       "Basic " + code.EncodeToString([]byte("annie:"+secret)),
		"hex":                    fmt.Sprintf("%x", secret),
		"hex in capitals":        fmt.Sprintf("%X", secret),
		"repr":                   "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(secret) + "'",
		"repr of bytes":          "b'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "é", `\xc3\xa9`).Replace(secret) + "'",
		"JSON":                   quote(secret),
		"JSON in JSON":           quote(quote(secret)),
		"JSON in JSON in JSON":   quote(quote(quote(secret))),
		"JSON in HTML":           html.EscapeString(quote(secret)),
		"without its end":        secret[:len(secret)-3],
		"without its beginning":  secret[1:],
		"all letters of JSON":    each(`\u%04x`, secret[:len(secret)-2]),
		"percent more than ever": "%" + strings.Repeat("25", 9) + "41",
		"capitals":               strings.ToUpper(secret),
		"reversed":               reversed(secret),
		"reversed, in capitals":  strings.ToUpper(reversed(secret)),
		"spaced":                 strings.Join(strings.Split(secret, ""), " "),
		"in the middle":          secret[4:22],
		"dashes, in hex":         each("%02X-", secret),
	} {
		assert.True(t, repeats("no "+said, []string{secret}), name)
	}
	for _, said := range []string{"Quota exceeded for cores: 5% of 20 \"m1.large\" left &c.", "kV2+d", `C:\users\x`} {
		assert.False(t, repeats(said, []string{secret, ""}), said)
	}
}

// BenchmarkInspect: one name that is not ASCII does not make the redaction of a page slower.
func BenchmarkInspect(b *testing.B) {
	secrets := []string{strings.Repeat("gAAAA", 40), strings.Repeat("password", 4)}
	page := strings.Repeat(`{"name": "web-1", "metadata": {"a": "`+strings.Repeat("x", 2000)+`"}}, `, 1100)
	side := func(name, first string) bench.Side {
		body := []byte(`{"servers": [{"name": "` + first + `"}, ` + page + `{}]}`)
		return bench.Side{Name: name, Do: func() error { return kind{values: 1 << 20}.inspect(body, secrets) }}
	}
	costs := bench.Compare(b, side("ascii", "web"), side("not-ascii", `w\u00e9b`))
	b.ReportMetric(float64(costs[1].CPU)/float64(costs[0].CPU), "times-more-cpu-with-a-name-that-is-not-ascii")
}
