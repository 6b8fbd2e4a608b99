package openstack

import (
	"errors"
	"fmt"
	"hash/maphash"
	"net/url"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// longestList is the number of items above which a list counts as endless: ten times the largest project that
// was measured, which had 10,000 servers.
const longestList = 100_000

// mostPages is the number of pages above which a list counts as endless. The 10,000 servers are 10 pages, or
// 100 if the operator made pages small.
const mostPages = 1_000

// longestTime is the time after which a list counts as endless, however slow its pages are. 100 pages may
// take 18 seconds each.
const longestTime = 30 * time.Minute

// list makes sure that a list in pages ends. A service, or a cache in front of it, that does not understand
// how to continue returns the same page again and again. The list remembers a hash of each item, which takes
// less memory than a string.
type list struct {
	seed maphash.Seed
	made time.Time
	seen map[uint64]struct{}
	last Text // id of the last item
	read int  // number of pages
	kept int  // bytes of the texts that were kept
}

func newList() *list {
	return &list{seed: maphash.MakeSeed(), made: time.Now(), seen: map[uint64]struct{}{}}
}

// page counts a page before it is requested.
func (l *list) page() error {
	if l.read++; l.read > mostPages {
		return fmt.Errorf("the list does not end: it has more than %d pages", mostPages)
	}
	if time.Since(l.made) > longestTime {
		return fmt.Errorf("the list does not end: its %d pages took more than %s", l.read-1, longestTime)
	}
	return nil
}

// item records an item and the texts that are kept. It fails if the item was there before.
func (l *list) item(id Text, kept ...Text) error {
	l.last = id
	for _, s := range append(kept, id) {
		if len(s) > longestKept {
			return &BoundError{fmt.Sprintf("a name or another text of %d bytes, after %d items", len(s), len(l.seen))}
		}
	}
	for _, s := range kept {
		l.kept += len(s) + 32 // its header, and what the allocator adds to it
	}
	switch {
	case l.kept > mostKept:
		return &BoundError{fmt.Sprintf("more than %d MiB of texts, after %d items", mostKept>>20, len(l.seen))}
	case l.seenBefore("item " + string(id)):
		return fmt.Errorf("the list does not end: %q comes twice", text.Cut(string(id), 100))
	case len(l.seen) > longestList:
		return fmt.Errorf("the list does not end: it has more than %d items", longestList)
	}
	return nil
}

// seenBefore reports whether something was seen before.
func (l *list) seenBefore(what string) bool {
	hash := maphash.String(l.seed, what)
	_, met := l.seen[hash]
	l.seen[hash] = struct{}{}
	return met
}

// next returns the address of the next page, or "". It does not follow a link to another host, which would
// get the token.
func (l *list) next(address, link string) (string, error) {
	if link == "" {
		return "", nil
	}
	from, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	to, err := from.Parse(link)
	switch {
	case err != nil:
		return "", errors.New("the list goes on at an address that cannot be read")
	case origin(to) != origin(from) || to.User != nil:
		return "", fmt.Errorf("the list goes on at %s: credentials are not sent to another host", shownOrigin(to))
	}
	l.seenBefore("page " + address)
	if l.seenBefore("page " + to.String()) {
		return "", errors.New("the list does not end: its next page was there before")
	}
	return to.String(), nil
}
