// Package hostile has answers with characters that no terminal may get.
package hostile

import (
	"fmt"
	"strings"
)

// Target is the expected kind of answer.
type Target struct {
	Status int    // status of a good answer; 0 means 200
	Around string // the answer with %s for Item, such as {"server_groups": [%s]}
	Item   string // one item, or the only one; %d, if it is there, makes each item different
}

// Good returns a good answer with one item.
func (t Target) Good() string { return fmt.Sprintf(t.Around, t.item(1)) }

func (t Target) item(i int) string {
	if strings.Contains(t.Item, "%d") {
		return fmt.Sprintf(t.Item, i)
	}
	return t.Item
}

// Escapes are characters with an effect on a terminal or in a log: they clear the screen, set its title, begin a line
// that a workflow reads as a command, change the direction of writing, or are invisible.
const Escapes = "\x1b[2J\x1b]0;owned\x07\r\n::error::owned\u202e\u200b\u2028\u0000\x7f\u009b31m"
