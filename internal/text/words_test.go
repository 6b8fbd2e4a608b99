package text

import (
	"errors"
	"strings"
	"testing"
)

func TestAnd(t *testing.T) {
	for names, want := range map[string]string{"": "", "a": "a", "a b": "a and b", "a b c": "a, b and c"} {
		if got := And(strings.Fields(names)); got != want {
			t.Errorf("%q: got %q, want %q", names, got, want)
		}
	}
}

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{"it failed": "It failed.", "it failed.": "It failed.", "is it up?": "Is it up?"} {
		if got := Sentence(errors.New(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
