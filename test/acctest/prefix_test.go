package acctest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestAge(t *testing.T) {
	begun := time.Date(2026, 11, 21, 7, 50, 0, 0, time.UTC)
	for later, want := range map[time.Duration]time.Duration{
		-time.Hour: 0, 0: 0, 9 * time.Minute: 0, // the hour has not ended
		10 * time.Minute:      0,
		130 * time.Minute:     2 * time.Hour,
		hours / 2 * time.Hour: hours/2*time.Hour - 10*time.Minute,
	} {
		got, ok := Age(newPrefix(begun)+"web", begun.Add(later))
		assert.True(t, ok, "%v later", later)
		assert.Equal(t, want, got, "%v later", later)
	}
	for _, name := range []string{"", "acc-", "acc-abcdefghijk", "acc-abcdefghij-x", "acc-abcdefghijkl-x", "acc-ABCdefghijk-x", "acc-wbcdefghijk-x",
		"acc-abc1efghijk-x", "xacc-abcdefghijk-x"} {
		_, ok := Age(name, begun)
		assert.False(t, ok, "%q is taken for a test's", name)
	}
}
