package openstack

import (
	"fmt"
	"strings"
	"testing"
)

// TestCleanAnswer: what a decoder gets has no control character and no secret,
// and what is clean already stays as it is, to the byte.
func TestCleanAnswer(t *testing.T) {
	const secret = "a-long-password-of-ours"
	for _, c := range []struct{ name, body, want string }{
		{"clean", `{"a": ["b", 1, null, true, {"c": -1.5e3}]}` + "\n", ""},
		{"letters", `{"名": "é \\ \" \/"}`, ""},
		{"not JSON, and clean", `{"a": `, ""},
		{"a newline", `{"a":"b\nc"}`, `{"a":"b\\nc"}`},
		{"an escape sequence", `{"a":"\u001b[2J"}`, `{"a":"\\x1b[2J"}`},
		{"delete", "{\"a\":\"\x7f\"}", `{"a":"\\x7f"}`},
		{"the first printable character", `{"a":" "}`, ""},
		{"a character that turns writing round", "{\"a\":\"\u202e\"}", `{"a":"\\u202e"}`},
		{"after a letter of two bytes", "{\"a\":\"é\u202e\"}", `{"a":"é\\u202e"}`},
		{"behind a letter of two bytes", "{\"a\":\"é\x7fb\"}", `{"a":"é\\x7fb"}`},
		{"a dirty string before a clean one", `["\r","b"]`, `["\\r","b"]`},
		{"a dirty escape before a clean one", `["\r\"b"]`, `["\\r\"b"]`},
		{"a string without an end", `["b`, ""},
		{"an escape without an end", `["b\`, ""},
		{"a dirty letter before a clean one", "[\"\u202eé\"]", `["\\u202eé"]`},
		{"half of a letter", "[\"\x80\"]", `["�"]`},
		{"no UTF-8", "{\"a\":\"\xff\"}", `{"a":"�"}`},
		{"the character that stands for it", `{"a":"�"}`, `{"a":"�"}`},
		{"the name of a member", `{"a\tb":1}`, `{"a\\tb":1}`},
		{"the last string", `["a","b","\r"]`, `["a","b","\\r"]`},
		{"an escape at the end", `["\\","\r"]`, `["\\","\\r"]`},
		{"a secret", `{"a":"` + secret + `"}`, `{"a":"(redacted)"}`},
		{"a secret as a name", `{"` + secret + `":1}`, `{"(redacted)":1}`},
		{"one name twice", `{"a":1,"a":"\n"}`, `{"a":1,"a":"\\n"}`},
	} {
		want := c.want
		if want == "" {
			want = c.body
		}
		got, err := cleanAnswer([]byte(c.body), smallAnswer, []string{secret})
		if err != nil || strings.TrimSuffix(string(got), "\n") != strings.TrimSuffix(want, "\n") {
			t.Errorf("%s: got %s, %v, want %s", c.name, got, err, want)
		}
		if c.want == "" && string(got) != c.body {
			t.Errorf("%s: was written again: %q", c.name, got)
		}
	}
	for name, body := range map[string]string{
		"a raw character":      "{\"a\":\"\x1b[2J\"}",
		"text behind it":       `{"a":"\n"} {`,
		"a letter behind it":   `{"a":"\n"} x`,
		"a member without one": `{"\n"}`,
		"an end that is not":   `["\n"`,
	} {
		if got, err := cleanAnswer([]byte(body), smallAnswer, nil); err == nil || err.Error() != "the answer is not JSON" {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
}

// TestCleanBounds: an answer with as much as its kind may have is good, and one
// with more is not.
func TestCleanBounds(t *testing.T) {
	b := bounds{bytes: 1 << 20, values: 100_000}
	texts := func(n int) string { return strings.Repeat(`"`+strings.Repeat("x", 1021)+`",`, n/1024) }
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	items := func(n int) string { return `{"servers":[` + strings.Repeat("1,", n-1) + `1]}` }
	for _, c := range []struct {
		name, body, err string
		bounds          bounds
	}{
		{"deep", nested(deepest), "", b},
		{"too deep", nested(deepest + 1), "more than 32 objects or lists in each other", b},
		{"deep objects", strings.Repeat(`{"a":`, deepest+1), "more than 32 objects", b},
		{"one after the other", "[" + strings.Repeat("[],", 40) + "{}]", "", b},
		{"brackets in a string", `["` + nested(100) + `,,,,"]`, "", b},
		{"values", "[1,2,3]", "", bounds{1 << 20, 3}},
		{"too many values", "[1,2,3]", "more than 2 values", bounds{1 << 20, 2}},
		{"too many objects", "[{},[]]", "more than 3 values", bounds{1 << 20, 3}},
		{"items", items(largestItems), "", b},
		{"too many items", items(largestItems + 1), "more than 20000 items", b},
		{"many members elsewhere", `[` + strings.Repeat("1,", largestItems+10) + `1]`, "", b},
		{"huge", `[` + texts(hugeAnswer) + `1]`, "", b},
		{"a long text", `["` + strings.Repeat("x", longestText-1) + `"]`, "", b},
		{"too long a text", `["` + strings.Repeat("x", longestText) + `"]`, "a text of more than 256 KiB", b},
		{"too many strings", `["1","2","3"]`, "more than 2 values", bounds{1 << 20, 2}},
		{"as huge as it may be, and dirty", `["\n",` + texts(hugeAnswer-1024) + `1]`, "", bounds{16 << 20, 10_000}},
		{"huge and dirty", `["\n",` + texts(hugeAnswer) + `1]`, "more than 8 MiB, and control characters in them", b},
		{"grows", `["` + strings.Repeat("\x7f", 150<<10) + `","` + strings.Repeat("\x7f", 150<<10) + `"]`, "more than 1 MiB", b},
		{"grows to its bound", `["` + "\x7f" + `"]`, "", bounds{10, 10}},
		{"grows over it", `["` + "\x7f" + `"]`, "more than 0 KiB", bounds{9, 10}},
		{"grows less", `["` + strings.Repeat("\x7f", 100<<10) + `"]`, "", b},
		{"grows over its small bound", `["` + strings.Repeat("\x7f", 100<<10) + `"]`, "more than 256 KiB", smallAnswer},
	} {
		_, err := cleanAnswer([]byte(c.body), c.bounds, nil)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %v, want %q", c.name, fmt.Sprintf("%.200v", err), c.err)
		}
	}
}

// TestListKeeps: what is kept of a list is bounded for all of its pages together, and the
// error says how far it came.
func TestListKeeps(t *testing.T) {
	l := newList()
	for i := range longestList {
		if err := l.item(fmt.Sprint(i), strings.Repeat("x", 1000)); err != nil {
			if i != mostKept/1032 || !isBound(err) || !strings.Contains(err.Error(), fmt.Sprintf("more than 4 MiB of texts, after %d items", i)) {
				t.Errorf("item %d: %v", i, err)
			}
			return
		}
	}
	t.Error("all are kept")
}
