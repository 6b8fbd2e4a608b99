package acctest

import (
	"regexp"
	"strings"
)

// Says matches a text, however terraform breaks its lines and frames them.
func Says(text string) *regexp.Regexp {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	return regexp.MustCompile(strings.Join(words, `[\s│╷╵]+`))
}
