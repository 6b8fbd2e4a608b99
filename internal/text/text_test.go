package text

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"web-0":                    "web-0",
		`a\b "c" 'd'`:              `a\b "c" 'd'`,
		"Größe 日本 🙂\u00a0x":        "Größe 日本 🙂\u00a0x",
		"a\nb\r\n\tc":              `a\nb\r\n\tc`,
		"\x1b[31mred\x1b[0m":       `\x1b[31mred\x1b[0m`,
		"\x1b]8;;http://x\x07link": `\x1b]8;;http://x\alink`,
		"\u009b2J":                 `\u009b2J`,
		"a\u2028b\u2029":           `a\u2028b\u2029`,
		"safe\u202etxt.exe":        `safe\u202etxt.exe`,
		"zero\u200bwidth\ufeff":    `zero\u200bwidth\ufeff`,
		"x\u034f\ufe0f\u3164\u115f\u1160\uffa0\u2800\u17b4\u180by": `x\u034f\ufe0f\u3164\u115f\u1160\uffa0\u2800\u17b4\u180by`,
		"\U000e0100": `\U000e0100`,
		"half \xc3":  `half \xc3`,
		"\xff\x00":   `\xff\x00`,
		"\ufffd":     "\ufffd",
	} {
		assert.Equal(t, want, Clean(in), in)
	}
	assert.Equal(t, "one\\a\ntwo\\r\n", CleanLines("one\x07\ntwo\r\n"))
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		most int
		want string
	}{
		{"short", 5, "short"},
		{"longer", 5, "longe... (6 bytes)"},
		{"añb", 2, "a... (4 bytes)"},
		{"日本", 0, "... (6 bytes)"},
		{"\x80\x80\x80", 2, "... (3 bytes)"},
	} {
		assert.Equal(t, c.want, Cut(c.in, c.most), "%q at %d", c.in, c.most)
	}
}

// FuzzClean: cleaning a text again does not change it, a clean text has no character that moves the cursor, and
// different texts stay different unless they have backslashes.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"web-0", "a\nb", "\x1b[2J", "\xff\u202e\u2028", "日本"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		for _, r := range got {
			if !strconv.IsGraphic(r) {
				t.Fatalf("%q has %q", got, r)
			}
		}
		if !utf8.ValidString(got) || Clean(got) != got {
			t.Errorf("%q is not clean", got)
		}
		if !strings.Contains(s, `\`) {
			if again, err := strconv.Unquote(`"` + strings.ReplaceAll(got, `"`, `\"`) + `"`); err != nil || again != s {
				t.Errorf("%q became %q, and that %q (%v)", s, got, again, err)
			}
		}
		if short := Cut(s, 10); len(short) > 10+len("... ( bytes)")+20 {
			t.Errorf("%q is not short", short)
		}
	})
}

// TestFew: a notice names five, and counts the others.
func TestFew(t *testing.T) {
	for want, list := range map[string][]string{
		"a":                        {"a"},
		"a, b, c, d, e":            {"a", "b", "c", "d", "e"},
		"a, b, c, d, e and 1 more": {"a", "b", "c", "d", "e", "f"},
	} {
		assert.Equal(t, want, Few(list))
	}
}

func TestAnd(t *testing.T) {
	for names, want := range map[string]string{"": "", "a": "a", "a b": "a and b", "a b c": "a, b and c"} {
		assert.Equal(t, want, And(strings.Fields(names)), names)
	}
}

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{"it failed": "It failed.", "it failed.": "It failed.", "is it up?": "Is it up?"} {
		assert.Equal(t, want, Sentence(errors.New(text)), text)
	}
}
