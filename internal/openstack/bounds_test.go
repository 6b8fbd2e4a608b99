package openstack

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRedactAnswer: long secrets are removed from good answers, however JSON writes them, and an answer
// without any is unchanged.
func TestRedactAnswer(t *testing.T) {
	const secret = "a-long-password/of ours \u00e9"
	for body, want := range map[string]string{
		`{"a": "b"}`:                             `{"a":"b"}`,
		`{"a":"x` + secret + `y"}`:               `{"a":"(redacted)"}`,
		`{"` + secret + `":1}`:                   `{"(redacted)":1}`,
		`{"a":"a-long-password/of ours \u00e9"}`: `{"a":"(redacted)"}`,
		`{"a":"short"}`:                          `{"a":"short"}`,

		`{"a":"\u0061-long\u002Dpassword\/of ours \u00E9"}`: `{"a":"(redacted)"}`, // characters that need no escape are escaped
	} {
		var got bytes.Buffer
		answer := []byte(body)
		assert.NoError(t, kind{values: 10}.inspect(answer, []string{secret, "short"}))
		assert.NoError(t, json.Compact(&got, answer))
		assert.Equal(t, want, got.String())
	}
}

// TestCleanBounds: an answer exactly at the bounds of its kind is good, and a larger one is not.
func TestCleanBounds(t *testing.T) {
	b := kind{values: 100_000}
	texts := func(n int) string { return strings.Repeat(`"`+strings.Repeat("x", 1021)+`",`, n/1024) }
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		name, body, err string
		kind            kind
	}{
		{"brackets in a string", `["` + nested(100) + `,,,,"]`, "", b},
		{"values", "[1,2,3]", "", kind{values: 5}},
		{"too many values", "[1,2,3]", "more than 4 values", kind{values: 4}},
		{"too many objects", "[{},[]]", "more than 5 values", kind{values: 5}},
		{"huge", `[` + texts(8<<20) + `1]`, "", b},
		{"a long text", `["` + strings.Repeat("x", longestText-2) + `"]`, "", b},
		{"too long a text", `["` + strings.Repeat("x", longestText-1) + `"]`, "a text of more than 256 KiB", b},
		{"too many strings", `["1","2","3"]`, "more than 4 values", kind{values: 4}},
	} {
		err := c.kind.inspect([]byte(c.body), nil)
		assert.Contains(t, fmt.Sprint(err), cmp.Or(c.err, "<nil>"), c.name)
	}
}
