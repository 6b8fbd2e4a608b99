package openstack

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// cleanAnswer checks a good answer before anybody decodes it: it has no more
// than its kind may have, and no string in it has control characters or a
// secret. This is the one place where strings come in from OpenStack: what is
// decoded from here on can be shown and kept anywhere.
//
// Nearly every answer is clean. So it is looked through first, which takes 3 ms
// for 1,000 servers, and only a dirty one is written again.
func cleanAnswer(body []byte, b bounds, secrets []string) ([]byte, error) {
	dirty, err := look(body, b)
	if err != nil {
		return nil, err
	}
	for _, form := range forms(secrets) {
		dirty = dirty || bytes.Contains(body, []byte(form))
	}
	switch {
	case !dirty:
		return body, nil
	case len(body) > hugeAnswer: // it would be there twice
		return nil, &BoundError{fmt.Sprintf("more than %d MiB, and control characters in them", hugeAnswer>>20)}
	}
	return rewrite(body, b, secrets)
}

// look counts the values of JSON text, and reports whether a string in it needs
// cleaning. It checks no syntax: the decoders do.
func look(body []byte, b bounds) (dirty bool, err error) {
	depth, values, items := 0, 0, 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '"':
			length, needs := lookString(body[i+1:])
			if length > longestText {
				return false, &BoundError{fmt.Sprintf("a text of more than %d KiB", longestText>>10)}
			}
			i += length
			dirty = dirty || needs
		case '{', '[':
			depth++
			values++
		case '}', ']':
			depth--
		case ',':
			values++
			if depth == 2 {
				items++ // of the list that is asked for, such as {"servers": [...]}
			}
		}
		switch {
		case depth > deepest:
			return false, &BoundError{fmt.Sprintf("more than %d objects or lists in each other", deepest)}
		case values > b.values:
			return false, &BoundError{fmt.Sprintf("more than %d values", b.values)}
		case items >= largestItems:
			return false, &BoundError{fmt.Sprintf("more than %d items", largestItems)}
		}
	}
	return dirty, nil
}

// lookString looks through a string up to and with its closing quote.
func lookString(s []byte) (length int, dirty bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i + 1, dirty
		case c == '\\':
			i++
			dirty = dirty || i < len(s) && s[i] != '"' && s[i] != '\\' && s[i] != '/' // \n, \u001b and the like
		case c < ' ' || c == 0x7f:
			dirty = true
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(s[i:])
			i += size - 1
			dirty = dirty || r == utf8.RuneError || !strconv.IsGraphic(r)
		}
	}
	return len(s), dirty
}

// rewrite writes JSON text again with each string cleaned, names of members too.
func rewrite(body []byte, b bounds, secrets []string) ([]byte, error) {
	// The decoders decide about what is odd.
	odd := []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}
	decoder := jsontext.NewDecoder(bytes.NewReader(body), odd...)
	clean := new(bytes.Buffer)
	if len(body) > largeAnswer {
		clean.Grow(2 * len(body)) // once, and rarely more
	}
	encoder := jsontext.NewEncoder(clean, odd...)
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			if rest := bytes.TrimSpace(body[decoder.InputOffset():]); decoder.StackDepth() == 0 && len(rest) == 0 {
				return clean.Bytes(), nil
			}
			return nil, errors.New("the answer is not JSON")
		}
		if token.Kind() == '"' {
			token = jsontext.String(text.Clean(redact(token.String(), secrets...)))
		}
		if err := encoder.WriteToken(token); err != nil {
			return nil, errors.New("the answer is not JSON")
		}
		if int64(clean.Len()) > b.bytes {
			return nil, b.tooLarge()
		}
	}
}
