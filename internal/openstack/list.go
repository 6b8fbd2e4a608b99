package openstack

import (
	"fmt"
	"hash/maphash"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Bounds above which a list counts as endless. The largest project that was measured had 10,000 servers: 10 pages, or
// 100 if the operator made pages small, which may take 18 seconds each.
const (
	longestList = 100_000
	mostPages   = 1_000
	longestTime = 30 * time.Minute
)

// list makes sure that a list in pages ends. A service, or a cache in front of it, that does not understand how to
// continue returns the same page again and again. The list remembers a hash of each item, which takes less memory
// than a string.
type list struct {
	seed  maphash.Seed
	made  time.Time
	seen  map[uint64]bool
	last  Text // id of the last item
	pages int
	kept  int // bytes of the texts that were kept
}

func newList() *list {
	return &list{seed: maphash.MakeSeed(), made: time.Now(), seen: map[uint64]bool{}}
}

// page counts a page before it is requested.
func (l *list) page() error {
	took := time.Since(l.made).Round(time.Second)
	if l.pages++; l.pages > mostPages || took > longestTime {
		return fmt.Errorf("the list does not end: its %d pages took %s", l.pages-1, took)
	}
	return nil
}

// item records an item and the texts that are kept. It fails if the item was there before.
func (l *list) item(id Text, kept ...Text) error {
	l.last = id
	for _, s := range append(kept, id) {
		if len(s) > longestKept {
			return tooMuch("a name or another text of %d bytes, after %d items", len(s), len(l.seen))
		}
	}
	for _, s := range kept {
		l.kept += len(s) + 32 // its header, and what the allocator adds to it
	}
	hash := maphash.String(l.seed, string(id))
	switch {
	case l.kept > mostKept:
		return tooMuch("more than %d MiB of texts, after %d items", mostKept>>20, len(l.seen))
	case l.seen[hash]:
		return fmt.Errorf("the list does not end: %q comes twice", text.Cut(string(id), 100))
	case len(l.seen) == longestList:
		return fmt.Errorf("the list does not end: it has more than %d items", longestList)
	}
	l.seen[hash] = true
	return nil
}
