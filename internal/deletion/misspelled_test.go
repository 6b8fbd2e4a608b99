package deletion

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMisspelled(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"web-00", "web-0"}:  true,
		{"wbe-0", "web-0"}:   true,
		{"Web0", "web-0"}:    true,
		{"webs-7", "web-07"}: true,
		{"web-0", "web-0"}:   false,
		{"web-1", "web-0"}:   false,
		{"web-10", "web-1"}:  false,
		{"db-0", "web-0"}:    false,
		{"ewb-", "wbe-"}:     false,
		{"z", "a"}:           false,
		{"web-x", "web-"}:    true,
		{"web-7", "we-7"}:    true,
		{"", "web-0"}:        false,
		{"web", "web-"}:      true,
		{"wéb-1", "web-1"}:   true,
	} {
		assert.Equal(t, want, Misspelled(pair[0], pair[1]), pair)
	}
}
