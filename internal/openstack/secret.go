package openstack

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

const (
	redacted       = "(redacted)" // in place of a secret
	shortestSecret = 4            // characters: hiding a password of three letters would hide half of every message
	cutSecret      = 12           // characters of a secret that no message may repeat, in a row

	// longSecret is the number of characters from which a secret is removed from good answers too. No word that an
	// answer must have, such as "password" or the name of a region, equals a secret of that length by chance.
	longSecret = 16
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
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
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
