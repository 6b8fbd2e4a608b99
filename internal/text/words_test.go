package text

import (
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
