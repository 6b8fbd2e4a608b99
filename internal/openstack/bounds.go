package openstack

import (
	"fmt"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

const (
	largestAnswer  = 32 << 20 // bytes of a good answer; a page of 1,000 servers with all metadata has 16 MiB
	mostItems      = 20_000   // items of one list in it; Nova's pages have 1,000, or what the operator sets (max_limit)
	largestRefusal = 64 << 10 // bytes that are read of a refusal's body
	shownRefusal   = 1 << 10  // bytes that are shown of it
	largestHeader  = 1 << 20  // bytes of all headers
)

// Bounds above which a list counts as endless. The largest project measured has 10,000 servers: 100 pages of 18 s.
const (
	longestList = 100_000
	mostPages   = 1_000
	longestTime = 30 * time.Minute
)

// list makes sure that a list in pages ends: a service, or a cache, that does not know how to continue returns the same
// page again and again.
type list struct {
	made  time.Time
	seen  map[Text]bool
	last  Text // id of the last item
	pages int
}

func newList() *list { return &list{made: time.Now(), seen: map[Text]bool{}} }

// page counts a page before it is requested.
func (l *list) page() error {
	took := time.Since(l.made).Round(time.Second)
	if l.pages++; l.pages > mostPages || took > longestTime {
		return fmt.Errorf("the list does not end: its %d pages took %s", l.pages-1, took)
	}
	return nil
}

// item records an item. It fails if the item was there before.
func (l *list) item(id Text) error {
	l.last = id
	switch {
	case l.seen[id]:
		return fmt.Errorf("the list does not end: %q comes twice", text.Cut(string(id), 100))
	case len(l.seen) == longestList:
		return fmt.Errorf("the list does not end: it has more than %d items", longestList)
	default:
		l.seen[id] = true
		return nil
	}
}
