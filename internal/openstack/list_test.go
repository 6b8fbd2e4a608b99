package openstack

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestListKeeps: the texts that are kept of a list have one bound for all pages together, and the error says
// how many items were read.
func TestListKeeps(t *testing.T) {
	l := newList()
	for i := range longestList {
		if err := l.item(Text(fmt.Sprint(i)), Text(strings.Repeat("x", 1000))); err != nil {
			if i != mostKept/1032 || !isBound(err) || !strings.Contains(err.Error(), fmt.Sprintf("more than 4 MiB of texts, after %d items", i)) {
				t.Errorf("item %d: %v", i, err)
			}
			return
		}
	}
	t.Error("all are kept")
}

// TestListItem: no text of an item is longer than a real one can be, whether it is the id or not.
func TestListItem(t *testing.T) {
	long := Text(strings.Repeat("x", 5<<10))
	for _, err := range []error{newList().item(long), newList().item("1", "short", long)} {
		assert.ErrorContains(t, err, "a name or another text of 5120 bytes, after 0 items")
	}
	assert.NoError(t, newList().item("1", long[:longestKept]))
}

// TestListSlow: a list of slow pages, each within its timeout, does not take hours.
func TestListSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newList()
		for range 30 {
			require.NoError(t, l.page())
			time.Sleep(time.Minute + time.Second)
		}
		assert.EqualError(t, l.page(), "the list does not end: its 30 pages took 30m30s")
	})
}
