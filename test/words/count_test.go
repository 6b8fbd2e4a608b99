package words_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What users read: a rule stands in one place, and a guide is read in ten minutes.
const (
	mostWords     = 38000 // of all pages together
	mostGuides    = 20
	mostOfGuide   = 1800
	mostOfSenlin  = 2500
	mostPlacement = 2300
)

// TestCounts: nobody reads more than this.
func TestCounts(t *testing.T) {
	total, guides := 0, 0
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md"} {
		pages, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(pages), err)
		}
		for _, page := range pages {
			content, err := os.ReadFile(page)
			require.NoError(t, err)
			words, most := len(strings.Fields(string(content))), mostWords
			switch {
			case filepath.Base(page) == "from-senlin.md":
				most = mostOfSenlin
			case filepath.Base(page) == "placement_attachment.md":
				most = mostPlacement
			case filepath.Base(filepath.Dir(page)) == "guides":
				most = mostOfGuide
			}
			if filepath.Base(filepath.Dir(page)) == "guides" {
				guides++
			}
			if words > most {
				t.Errorf("%s has %d words, more than %d", page, words, most)
			}
			total += words
		}
	}
	if total > mostWords {
		t.Errorf("all pages together have %d words, more than %d", total, mostWords)
	}
	if guides > mostGuides {
		t.Errorf("there are %d guides, more than %d", guides, mostGuides)
	}
}
