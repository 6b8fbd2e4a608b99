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

// redacted replaces a secret.
const redacted = "(redacted)"

// shortestSecret is the number of characters below which a secret is not redacted: redacting a password of
// three letters would hide half of every message.
const shortestSecret = 4

// longSecret is the number of characters from which a secret is removed from good answers too. No word that
// an answer must have, such as "password" or the name of a region, equals a secret of that length by chance.
const longSecret = 16

// redactAnswer removes the long secrets from a good answer, even if JSON escapes letters that need no escape.
// It decodes only texts that have an escaped letter.
func redactAnswer(body []byte, secrets []string) []byte {
	long := slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return len(s) < longSecret })
	for _, form := range forms(long) {
		if bytes.Contains(body, []byte(form)) {
			body = bytes.ReplaceAll(body, []byte(form), []byte(redacted))
		}
	}
	var clean []byte
	done := 0 // number of bytes of the body that are in clean
	for at := bytes.IndexByte(body, '\\'); at >= 0; {
		start := max(0, bytes.LastIndexByte(body[:at], '"'))
		end := start + 1 + lengthOf(body[start+1:])
		var said string
		if end-start > longSecret && json.Unmarshal(body[start:end], &said) == nil && containsAny(said, long) {
			shown, _ := json.Marshal(redact(said, long...)) // encoding a string never fails
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

// forms lists secrets as they are and as URLs escape them. The longest comes first, because it may contain
// another.
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

// redact removes secrets from a service's own words, which may repeat the request. If the words contain most
// of a secret in another encoding, or are encoded more often than is ever needed, it returns none of them.
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

// coded lists seven eighths of each secret, from its beginning and from its end: as they are, in hex, and in
// base64 at each offset within a longer text.
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
				code = code[[]int{0, 2, 3}[shift] : len(code)-4] // the characters that are the same after any letters
				parts = append(parts, code, strings.NewReplacer("+", "-", "/", "_").Replace(code))
			}
		}
	}
	return slices.DeleteFunc(parts, func(part string) bool { return len(part) < shortestSecret })
}

var escapes = regexp.MustCompile(`(?:[\\%]u[0-9A-Fa-f]{4})+|(?:%|\\x)[0-9A-Fa-f]{2}|\\.`)

// decode decodes one layer of escapes of HTML, URLs, JSON or Python.
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
			unit, _ := strconv.ParseUint(escape[i:i+4], 16, 16) // four digits always parse
			units = append(units, uint16(unit))
		}
		return string(utf16.Decode(units))
	}))
}

// show prepares a foreign text for an error or a log: without secrets, in one line, and no longer than
// shownRefusal. It cuts last, because half a secret would not be found.
func show(s string, secrets []string) string {
	return text.Cut(text.Clean(redact(strings.TrimSpace(s), secrets...)), shownRefusal)
}
