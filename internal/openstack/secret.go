package openstack

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
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
// letters that it need not. It decodes only texts that have an escaped letter.
func redactAnswer(body []byte, secrets []string) []byte {
	long := slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return len(s) < longSecret })
	for _, form := range forms(long) {
		if bytes.Contains(body, []byte(form)) {
			body = bytes.ReplaceAll(body, []byte(form), []byte(redacted))
		}
	}
	var clean []byte
	done := 0 // bytes of the body that are in clean
	for at := bytes.IndexByte(body, '\\'); at >= 0; {
		start := max(0, bytes.LastIndexByte(body[:at], '"'))
		end := start + 1 + lengthOf(body[start+1:])
		var said string
		if end-start > longSecret && json.Unmarshal(body[start:end], &said) == nil && containsAny(said, long) {
			shown, _ := json.Marshal(redact(said, long...)) // a string always encodes
			clean, done = append(append(clean, body[done:start]...), shown...), end
		}
		if at = bytes.IndexByte(body[end:], '\\'); at >= 0 {
			at += end
		}
	}
	if clean == nil {
		return body
	}
	return append(clean, body[done:]...)
}

func containsAny(s string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}

// forms lists secrets as they are and as URLs escape them. The longest comes first, because it
// may contain another.
func forms(secrets []string) (all []string) {
	for _, secret := range secrets {
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
			if len(secret) >= shortestSecret && !slices.Contains(all, form) {
				all = append(all, form)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}

// redact takes secrets out of the own words of a service, which may repeat what was sent. It
// shows none of the words that have most of a secret in another encoding, or are encoded more
// often than anybody needs.
func redact(s string, secrets ...string) string {
	for _, form := range forms(secrets) {
		s = strings.ReplaceAll(s, form, redacted)
	}
	parts, decoded := coded(secrets), s
	for range 5 {
		before := decoded
		if containsAny(decoded, parts) {
			break
		}
		if decoded = decode(decoded); decoded == before {
			return s
		}
	}
	return redacted
}

// coded lists the beginning and the end of each secret, all but an eighth: as they are, in hex, and in
// base64 at each place of a longer text.
func coded(secrets []string) (parts []string) {
	for _, secret := range secrets {
		most := len(secret) - len(secret)/8
		if most < shortestSecret {
			continue
		}
		for _, part := range []string{secret[:most], secret[len(secret)-most:]} {
			parts = append(parts, part, fmt.Sprintf("%x", part), fmt.Sprintf("%X", part))
			for shift := range 3 {
				code := base64.StdEncoding.EncodeToString(append(make([]byte, shift), part...))
				code = code[[]int{0, 2, 3}[shift] : len(code)-4] // what no other letter changes
				parts = append(parts, code, strings.NewReplacer("+", "-", "/", "_").Replace(code))
			}
		}
	}
	return slices.DeleteFunc(parts, func(part string) bool { return len(part) < shortestSecret })
}

var escapes = regexp.MustCompile(`(?:[\\%]u[0-9A-Fa-f]{4})+|(?:%|\\x)[0-9A-Fa-f]{2}|\\.`)

// decode takes one layer off what HTML, URLs, JSON or Python escape.
func decode(s string) string {
	return html.UnescapeString(escapes.ReplaceAllStringFunc(s, func(escape string) string {
		if code, err := hex.DecodeString(strings.TrimLeft(escape, `\%x`)); err == nil && len(code) == 1 {
			return string(code)
		}
		if escape[1] != 'u' || len(escape) < 6 {
			return escape[1:]
		}
		var units []uint16
		for i := 2; i < len(escape); i += 6 {
			unit, _ := strconv.ParseUint(escape[i:i+4], 16, 16) // it has four digits
			units = append(units, uint16(unit))
		}
		return string(utf16.Decode(units))
	}))
}

// show is text of others as an error or a log may show it: without secrets, in one line,
// and no longer than shownRefusal. It is cut last: half a secret is not found any more.
func show(s string, secrets []string) string {
	return text.Cut(text.Clean(redact(strings.TrimSpace(s), secrets...)), shownRefusal)
}
