package openstack

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/web"
)

// hosts lists the addresses that requests, with a token or a password, may go to. A list that is built never changes.
type hosts []*url.URL

// with adds an address to a copy of the list.
func (h hosts) with(address string) hosts {
	if u, err := url.Parse(address); err == nil && u.Host != "" { // other addresses cannot be requested anyway
		return append(slices.Clone(h), u)
	}
	return h
}

// allow refuses an address that nobody named, such as a link in an answer, or the same host without TLS.
func (h hosts) allow(u *url.URL) error {
	if slices.ContainsFunc(h, func(host *url.URL) bool { return web.SameOrigin(host, u) }) {
		return nil
	}
	return fmt.Errorf("credentials are not sent to %s, which neither the configuration nor the catalogue names",
		shownOrigin(u))
}

// shownOrigin names a host in an error, without the path and the query, which may repeat a token.
func shownOrigin(u *url.URL) string { return text.Cut(text.Clean(u.Scheme+"://"+u.Host), 200) }

// checkRedirect refuses a redirect to another host, or to one without TLS, before net/http repeats the address.
func checkRedirect(resp *http.Response) error {
	to, err := resp.Location()
	switch from := resp.Request.URL; {
	case err != nil:
		return errors.New("redirected to an address that cannot be read")
	case !web.SameOrigin(from, to):
		return fmt.Errorf("redirected from %s to %s: credentials are not sent to another host",
			shownOrigin(from), shownOrigin(to))
	}
	return nil
}

const (
	redacted       = "(redacted)" // in place of a secret
	shortestSecret = 4            // characters: hiding a password of three letters would hide half of every message
	cutSecret      = 12           // characters of a secret that no message may repeat, in a row
	longSecret     = 16           // characters from which good answers lose it too: no word such as a region is so long
)

// longForms lists the long secrets, as they are and as addresses have them.
func longForms(secrets []string) (forms [][]byte) {
	for _, s := range secrets {
		if len(s) >= longSecret {
			forms = append(forms, []byte(s), []byte(url.QueryEscape(s)), []byte(url.PathEscape(s)))
		}
	}
	return forms
}

// repeats reports whether a text repeats a secret, or a part of it: in any encoding of a log or a web page, in
// capitals, reversed, or with other characters between its letters. A text that is encoded more often than is ever
// needed counts too.
func repeats(s string, secrets []string) bool {
	for range 5 {
		if folded := fold(s); slices.ContainsFunc(secrets, func(secret string) bool { return has(folded, secret) }) {
			return true
		}
		before := s
		if s = decode(s); s == before {
			return false
		}
	}
	return true
}

// fold returns the letters and digits of a text, in lower case.
func fold(s string) string {
	other := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), other), "")
}

// has reports whether a folded text has seven eighths of a secret in a row, or [cutSecret] characters of it: as it is,
// reversed, in hex, or in base64 at each offset within a longer text.
func has(folded, secret string) bool {
	reversed := []rune(secret)
	slices.Reverse(reversed)
	forms := []string{secret, string(reversed), hex.EncodeToString([]byte(secret))}
	for shift, same := range []int{0, 2, 3} { // from which character on the code is the same after any letters
		code := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), secret...))
		forms = append(forms, code[min(same, len(code)):])
	}
	return len(secret) >= shortestSecret && slices.ContainsFunc(forms, func(form string) bool {
		form = fold(form)
		length := min(cutSecret, len(form)-len(form)/8)
		for i := 0; length >= shortestSecret && i+length <= len(form); i++ {
			if strings.Contains(folded, form[i:i+length]) {
				return true
			}
		}
		return false
	})
}

var escapes = regexp.MustCompile(`[\\%]u[0-9A-Fa-f]{4}|(?:%|\\x)[0-9A-Fa-f]{2}|\\.`)

// decode decodes one layer of escapes of HTML, URLs, JSON or Python.
func decode(s string) string {
	return html.UnescapeString(escapes.ReplaceAllStringFunc(s, func(escape string) string {
		digits := strings.TrimLeft(escape, `\%xu`)
		code, err := strconv.ParseUint(digits, 16, 16)
		switch {
		case err != nil || len(digits) == 1:
			return escape[1:]
		case len(digits) == 2:
			return string([]byte{byte(code)})
		}
		return string(rune(code)) // half of a letter of two codes is no letter, and does not count
	}))
}

// shown prepares a foreign text for an error or a log: in one line, no longer than shownRefusal.
func shown(s string) string { return text.Cut(text.Clean(strings.TrimSpace(s)), shownRefusal) }
