package text

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
