package text

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDistance: letters are counted, whatever bytes they take.
func TestDistance(t *testing.T) {
	for pair, want := range map[[2]string]int{
		{"", ""}: 0, {"", "ab"}: 2, {"ab", ""}: 2, {"cap", "cap"}: 0, {"wieght", "weight"}: 1, {"cpa", "cap"}: 1,
		{"zones", "zone"}: 1, {"wéb", "web"}: 1, {"name", "fame"}: 1, {"abc", "cba"}: 2, {"kitten", "sitting"}: 3,
	} {
		assert.Equal(t, want, Distance(pair[0], pair[1]), pair)
	}
}
