package openstack

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

const (
	longestText = 256 << 10 // bytes of one text, also of one that nobody reads; user_data has 64 KiB
	longestKept = 4 << 10   // bytes of one text that is kept; names and metadata have 255 characters
	mostKept    = 4 << 20   // bytes of all texts that are kept of a list; 1,000 groups with 50 members have 3.6 MiB
	mostItems   = 20_000    // items of one page; Nova's pages have 1,000, or what the operator sets (max_limit)

	largestRefusal = 64 << 10 // bytes that are read of a refusal's body
	shownRefusal   = 1 << 10  // bytes that are shown of it
	largestHeader  = 1 << 20  // bytes of all headers

	// An answer above this size waits for a slot and holds it until it is decoded, so that all regions together do not
	// take much more memory than one. Only pages of more than 300 servers are so large. They hold the slot for a short
	// time: it is taken when the service has already built the page and sent a part of it.
	largeAnswer = 1 << 20
	largeAtOnce = 1
)

// kind is a kind of request, with the status and the size of a good answer. Any other status is an error, even if
// gophercloud would accept it, because its body is not what was asked for. A limit on the bytes is not enough: 2 of
// them ("[]") can take 300 bytes, as a map that is decoded three times.
type kind struct {
	request *regexp.Regexp // method and path
	status  int            // 0 leaves it to gophercloud
	bytes   int            // maximum number of bytes of the body, after decompression
	values  int            // maximum number of objects, lists, members and items, at all depths
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

// good reports whether a good answer may have the status. A 204 has no body that could be misread, and gophercloud
// decides about it.
func (k kind) good(status int) bool {
	return status == k.status || status == http.StatusNoContent || k.status == 0 && status/100 == 2
}

// check checks a good answer against the bounds of its kind, before anything decodes it. It also refuses an answer
// that breaks off: all answers are objects, so a missing end shows even if no length was announced. It checks no
// other syntax, because the decoders do. It takes 3 ms for 1,000 servers.
func (k kind) check(body []byte) error {
	depth, values, items := 0, 0, 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '"':
			length := lengthOf(body[i+1:])
			if length > longestText {
				return tooMuch("a text of more than %d KiB", longestText>>10)
			}
			i += length
		case '{', '[':
			depth++
			values++
		case '}', ']':
			depth--
		case ',':
			values++
			if depth == 2 {
				items++ // item of the list that was asked for, such as {"servers": [...]}
			}
		}
	}
	whole := bytes.TrimSpace(body)
	switch {
	case values > k.values:
		return tooMuch("more than %d values", k.values)
	case items >= mostItems:
		return tooMuch("more than %d items", mostItems)
	case whole[0] == '{' && whole[len(whole)-1] != '}':
		return fmt.Errorf("the answer breaks off after %d bytes", len(whole))
	}
	return nil
}

// lengthOf returns the length of a string, including its closing quote.
func lengthOf(s []byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(s)
}
