package openstack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// redacted stands for a secret.
const redacted = "(redacted)"

// shortestSecret is the length below which a secret is left in place: to redact a
// password of three letters would hide half of every message.
const shortestSecret = 4

// longSecret is the length from which a secret is looked for in good answers
// too: nothing that an answer has to have, such as "password" or the name of a
// region, is one of so many characters by chance.
const longSecret = 16

// redactAnswer takes the long ones of secrets out of a good answer, also where JSON escapes
// letters that it need not.
func redactAnswer(body []byte, secrets []string) []byte {
	long := slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return len(s) < longSecret })
	for _, form := range forms(long) {
		if bytes.Contains(body, []byte(form)) {
			body = bytes.ReplaceAll(body, []byte(form), []byte(redacted))
		}
	}
	if !bytes.Contains(body, []byte(`\u`)) && !bytes.Contains(body, []byte(`\/`)) {
		return body // it has no other escapes of letters, and this is the dear part
	}
	for _, secret := range long {
		body = escaped(secret).ReplaceAllLiteral(body, []byte(redacted))
	}
	return body
}

// escaped finds a secret in JSON, whichever of its letters are escaped.
func escaped(secret string) *regexp.Regexp {
	var letters strings.Builder
	for _, r := range secret {
		var code strings.Builder
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&code, `\\u%04x`, unit)
		}
		fmt.Fprintf(&letters, `(?:\\?%s|(?i:%s))`, regexp.QuoteMeta(string(r)), code.String())
	}
	return regexp.MustCompile(letters.String())
}

// forms lists how secrets are written: as they are, and as JSON, Python and URLs
// escape them. The longest comes first: an escaped form may contain a plain one.
func forms(secrets []string) (all []string) {
	for _, secret := range secrets {
		if len(secret) < shortestSecret {
			continue
		}
		ascii := strconv.QuoteToASCII(secret)
		var plain bytes.Buffer
		encoder := json.NewEncoder(&plain)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(secret) // a string always encodes
		escaped, _ := json.Marshal(secret)
		all = append(all, secret, ascii[1:len(ascii)-1], strings.Trim(plain.String(), "\"\n"),
			strings.Trim(string(escaped), `"`), url.QueryEscape(secret), url.PathEscape(secret))
	}
	slices.SortFunc(all, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(form string) bool { return len(form) < shortestSecret })
}

// redact takes secrets out of the own words of a service, which may repeat what was sent.
func redact(s string, secrets ...string) string {
	for _, form := range forms(secrets) {
		s = strings.ReplaceAll(s, form, redacted)
	}
	return s
}

// show is text of others as an error or a log may show it: without secrets, in one line,
// and no longer than most. It is cut last: half a secret is not found any more.
func show(s string, most int, secrets []string) string {
	return text.Cut(text.Clean(redact(strings.TrimSpace(s), secrets...)), most)
}
