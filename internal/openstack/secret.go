package openstack

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// redacted stands for a secret.
const redacted = "(redacted)"

// shortestSecret is the length below which a secret is left in place: a password
// of three letters would blacken half of every message.
const shortestSecret = 4

// redact takes secrets out of text that others wrote: bodies that repeat what
// was sent. A secret is found as it is, and as JSON, Python and URLs escape it.
func redact(s string, secrets ...string) string {
	var forms []string
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
		forms = append(forms, secret, ascii[1:len(ascii)-1], strings.Trim(plain.String(), "\"\n"), strings.Trim(string(escaped), `"`),
			url.QueryEscape(secret), url.PathEscape(secret))
	}
	// The longest first: an escaped form may contain a plain one.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	for _, form := range forms {
		if len(form) >= shortestSecret {
			s = strings.ReplaceAll(s, form, redacted)
		}
	}
	return s
}
