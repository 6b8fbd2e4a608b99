package words_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// exceptions are passages that may keep their word order, by file and a part of the passage, each with its reason.
var exceptions = map[[2]string]string{
	{"CONTRIBUTING.md", "What is not found holds"}:             "a bad commit subject, shown as one",
	{"CONTRIBUTING.md", "Of large answers"}:                    "a bad commit subject, shown as one",
	{"test/fakecloud/schedule.go", "None"}:                     "Python's word, in a message of Nova",
	{"test/fakecloud/tokens.go", "None"}:                       "Python's word, in a message of Keystone",
	{"internal/provider/durations/durations.go", "Of returns"}: "the name of the function",
	{"test/fakecloud/serve.go", "of returns"}:                  "the name of the function",
}

// TestWordOrder: no sentence has an order of words in order.txt. An exception that is not needed leaves its list.
func TestWordOrder(t *testing.T) {
	orders := list(t, "order.txt")
	unused := map[[2]string]bool{}
	for exception := range exceptions {
		unused[exception] = true
	}
	walk(t, func(p passage) {
		if p.kind == goText && strings.HasSuffix(p.file, "_test.go") {
			return
		}
		text, _ := p.text()
		if p.kind == goComment { // a comment on a field begins in lower case
			p.lines = append([]string{strings.ToUpper(p.lines[0][:1]) + p.lines[0][1:]}, p.lines[1:]...)
		}
		faults := p.check(orders)
		if len(faults) == 0 {
			return
		}
		for exception := range exceptions {
			if exception[0] == p.file && strings.Contains(text, exception[1]) {
				delete(unused, exception)
				return
			}
		}
		t.Error(strings.Join(faults, "\n"))
	})
	assert.Empty(t, unused, "exceptions without a passage")
}
