package affinitytf_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
)

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }

// says matches a text however terraform breaks its lines.
func says(text string) *regexp.Regexp {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	return regexp.MustCompile(strings.Join(words, `[\s│╷╵]+`))
}
