package openstack

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

const (
	longestText    = 256 << 10 // bytes of one text, also of one that nobody reads; user_data has 64 KiB
	longestKept    = 4 << 10   // bytes of one text that is kept; names and metadata have 255 characters
	mostKept       = 4 << 20   // bytes of all texts that are kept of a list; 1,000 groups with 50 members have 3.6 MiB
	largestRefusal = 64 << 10  // bytes that are read of a refusal's body
	shownRefusal   = 1 << 10   // bytes that are shown of it
	largestHeader  = 1 << 20   // bytes of all headers

	// A larger answer, such as a page of 300 servers, waits for a slot and holds it until it is decoded: all regions
	// together take the memory of one. The service has built the page by then, so that the time is short.
	largeAnswer = 1 << 20
	largeAtOnce = 1
)

// kind is a kind of request, with the status and the size of a good answer. Any other status, even one that gophercloud
// accepts, is an error. The bytes are not enough of a limit: 2 ("[]") take 300 as a map that is decoded three times.
type kind struct {
	request *regexp.Regexp // method and path
	status  int            // 0 leaves it to gophercloud
	bytes   int            // maximum number of bytes of the body, after decompression
	values  int            // maximum number of values at all depths; an object and a list count twice
}

// kinds lists the kinds of requests. The first one that matches counts.
var kinds = []kind{
	like("POST .*/auth/tokens", 201, 4<<20, 60_000),            // 40 regions, 25 services: 0.8 MiB, 25,000 values
	like("GET .*/servers(/detail)?", 200, 24<<20, 1_000_000),   // 1,000 with all metadata: 16 MiB, 220,000 values
	like("GET .*/os-hypervisors/detail", 200, 16<<20, 600_000), // 1,000 with cpu_info: 3 MiB, 150,000 values
	// 1,000 groups with 50 members have 2.3 MiB and 60,000 values; 5,000 hosts have 0.8 MiB and 35,000.
	like("GET .*/(os-server-groups(/[^/]*)?|os-availability-zone/detail|os-instance-actions)", 200, 4<<20, 400_000),
	like("GET .*/(flavors/detail|images|members)", 200, 4<<20, 200_000), // 1,000 flavors: 0.6 MiB, 30,000 values
	like("GET .*/messages(/[^/]*)?", 200, 6<<20, 20_000),                // 20 of the largest size: 5 MiB
	like("POST .*/action", 202, 256<<10, 5_000),
	like("POST .*/messages", 201, 256<<10, 5_000),
	like("DELETE .*/(metadata|os-server-groups|messages)/[^/]*", 204, 256<<10, 5_000),
	// A server with all 128 metadata items has 70 KiB, and 500 values.
	like("(GET|POST|PUT) .*/(metadata(/[^/]*)?|os-server-groups|members/[^/]*)", 200, 256<<10, 5_000),
	like("GET .*", 200, 256<<10, 5_000),
	like(".*", 0, 256<<10, 5_000), // only tests make other requests
}

func like(request string, status, bytes, values int) kind {
	return kind{regexp.MustCompile("^" + request + "$"), status, bytes, values}
}

// kindOf returns the kind of a request.
func kindOf(req *http.Request) kind {
	asked := req.Method + " " + strings.TrimSuffix(req.URL.EscapedPath(), "/")
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.request.MatchString(asked) })]
}

// good reports whether a good answer may have the status. gophercloud decides about a 204, which has no body.
func (k kind) good(status int) bool {
	return status == k.status || status == http.StatusNoContent || k.status == 0 && status/100 == 2
}

// inspect checks a good answer against the bounds of its kind, before anything decodes it, and hides each text with a
// long secret, even if JSON escapes letters that need no escape.
func (k kind) inspect(body []byte, secrets []string) error {
	long := longForms(secrets)
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for values := 0; ; {
		before := d.InputOffset()
		_, err := d.ReadToken()
		raw := bytes.TrimLeft(body[before:d.InputOffset()], " \t\r\n,:")
		if in, length := d.StackIndex(d.StackDepth()); in != '{' || length%2 == 0 { // not a name
			values++
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("the answer breaks off after %d bytes", len(bytes.TrimSpace(body)))
		case err != nil:
			return &AnswerError{said: fmt.Sprintf("the answer is no JSON after %d bytes", before)}
		case len(raw) > longestText:
			return tooMuch("a text of more than %d KiB", longestText>>10)
		case values > k.values:
			return tooMuch("more than %d values", k.values)
		}
		said := raw
		if bytes.IndexByte(raw, '\\') >= 0 {
			said, _ = jsontext.AppendUnquote(nil, raw)
		}
		if slices.ContainsFunc(long, func(form []byte) bool { return bytes.Contains(said, form) }) {
			copy(raw, fmt.Sprintf("%-*q", len(raw), redacted)) // blanks follow
		}
	}
}

// Bounds above which a list counts as endless. The largest project measured has 10,000 servers: 100 pages of 18 s.
const (
	longestList = 100_000
	mostPages   = 1_000
	longestTime = 30 * time.Minute
)

// list makes sure that a list in pages ends: a service, or a cache, that does not know how to continue returns the same
// page again and again. A hash of each item takes less memory than a string.
type list struct {
	made  time.Time
	seen  map[uint64]bool
	last  Text // id of the last item
	pages int
	kept  int // bytes of the texts that were kept
}

func newList() *list { return &list{made: time.Now(), seen: map[uint64]bool{}} }

// hashed returns the hash of an id, which is another one in each process.
func hashed(id string) uint64 { return maphash.String(seed, id) }

var seed = maphash.MakeSeed()

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
	switch hash := hashed(string(id)); {
	case l.kept > mostKept:
		return tooMuch("more than %d MiB of texts, after %d items", mostKept>>20, len(l.seen))
	case l.seen[hash]:
		return fmt.Errorf("the list does not end: %q comes twice", text.Cut(string(id), 100))
	case len(l.seen) == longestList:
		return fmt.Errorf("the list does not end: it has more than %d items", longestList)
	default:
		l.seen[hash] = true
		return nil
	}
}
