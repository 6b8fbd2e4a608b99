package openstack

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// bounds limit how much memory an answer may take. A limit on its bytes is not enough: 2 of them ("[]") can
// take 300 bytes, as a map that is decoded three times.
type bounds struct {
	bytes  int64 // maximum number of bytes of the body, after decompression
	values int   // maximum number of objects, lists, members and items, at all depths
}

const (
	deepest = 32 // levels of objects and lists within each other; real answers have 6

	longestText = 256 << 10 // bytes of one text, also of one that nobody reads; user_data has 64 KiB
	longestKept = 4 << 10   // bytes of one text that is kept; names and metadata have 255 characters
	mostKept    = 4 << 20   // bytes of all texts that are kept of a list; 1,000 groups with 50 members have 3.6 MiB

	largestRefusal = 64 << 10 // bytes that are read of a refusal's body
	shownRefusal   = 1 << 10  // bytes that are shown of it
	largestHeader  = 1 << 20  // bytes of all headers

	// An answer above this size waits for a slot and holds it until it is decoded, so that all regions
	// together do not take much more memory than one. Only pages of more than 300 servers are so large. They
	// hold the slot for a short time: it is taken when the service has already built the page and sent a part
	// of it.
	largeAnswer  = 1 << 20
	largeAtOnce  = 1
	largestItems = 20_000 // items of one page; Nova's pages have 1,000, or what the operator sets (max_limit)
)

// Bounds by kind of answer, each with the size of a real answer.
var (
	smallAnswer     = bounds{256 << 10, 5_000}    // a server with all 128 metadata items has 70 KiB, and 500 values
	catalogueAnswer = bounds{4 << 20, 60_000}     // 40 regions, 25 services, 3 interfaces have 0.8 MiB, 25,000 values
	groupsAnswer    = bounds{4 << 20, 400_000}    // 1,000 groups with 50 members have 2.3 MiB, and 60,000 values
	hostsAnswer     = bounds{4 << 20, 400_000}    // 5,000 hosts with one service have 0.8 MiB, and 35,000 values
	machinesAnswer  = bounds{16 << 20, 600_000}   // 1,000 hypervisors with cpu_info have 3 MiB, and 150,000 values
	serversAnswer   = bounds{24 << 20, 1_000_000} // 1,000 servers with all metadata have 16 MiB, and 220,000 values
	membersAnswer   = bounds{4 << 20, 200_000}    // 1,000 members have 0.6 MiB, and 20,000 values
	listAnswer      = bounds{4 << 20, 200_000}    // 1,000 flavors have 0.6 MiB, and 30,000 values; so do 400 images
	messagesAnswer  = bounds{6 << 20, 20_000}     // 20 messages of the largest size have 5 MiB; 20 of hooks, 400 values
)

// kind is a kind of request, with the answers that are valid for it.
type kind struct {
	method   string
	path     string // last segments of the address; * matches any segment
	statuses []int  // statuses of a good answer
	bounds
}

// kinds lists all requests that the provider makes, with the statuses of a good answer. Any other status is
// an error, even if gophercloud would accept it, because its body is not what was asked for. The first kind
// that matches counts.
var kinds = []kind{
	{http.MethodPost, "auth/tokens", []int{http.StatusCreated}, catalogueAnswer},
	{http.MethodGet, "regions", []int{http.StatusOK}, smallAnswer},
	{http.MethodGet, "servers/detail", []int{http.StatusOK}, serversAnswer},
	{http.MethodGet, "servers", []int{http.StatusOK}, serversAnswer},
	{http.MethodGet, "servers/*", []int{http.StatusOK}, smallAnswer},
	// 204 is the answer to the confirmation of a resize.
	{http.MethodPost, "servers/*/action", []int{http.StatusAccepted, http.StatusNoContent}, smallAnswer},
	{http.MethodGet, "servers/*/os-instance-actions", []int{http.StatusOK}, hostsAnswer},
	{http.MethodPost, "servers/*/metadata", []int{http.StatusOK}, smallAnswer},
	{http.MethodPut, "servers/*/metadata/*", []int{http.StatusOK}, smallAnswer},
	{http.MethodDelete, "servers/*/metadata/*", []int{http.StatusNoContent}, smallAnswer},
	{http.MethodGet, "os-server-groups", []int{http.StatusOK}, groupsAnswer},
	{http.MethodPost, "os-server-groups", []int{http.StatusOK}, smallAnswer},
	{http.MethodGet, "os-server-groups/*", []int{http.StatusOK}, groupsAnswer},
	{http.MethodDelete, "os-server-groups/*", []int{http.StatusNoContent}, smallAnswer},
	{http.MethodGet, "os-hypervisors/detail", []int{http.StatusOK}, machinesAnswer},
	{http.MethodGet, "os-availability-zone", []int{http.StatusOK}, smallAnswer},
	{http.MethodGet, "os-availability-zone/detail", []int{http.StatusOK}, hostsAnswer},
	{http.MethodGet, "limits", []int{http.StatusOK}, smallAnswer},
	{http.MethodGet, "flavors/detail", []int{http.StatusOK}, listAnswer},
	{http.MethodGet, "flavors/*", []int{http.StatusOK}, smallAnswer},
	{http.MethodGet, "images", []int{http.StatusOK}, listAnswer},
	{http.MethodGet, "images/*", []int{http.StatusOK}, smallAnswer},
	{http.MethodGet, "pools/*/members", []int{http.StatusOK}, membersAnswer},
	{http.MethodGet, "pools/*/members/*", []int{http.StatusOK}, smallAnswer},
	{http.MethodPut, "pools/*/members/*", []int{http.StatusOK}, smallAnswer},
	{http.MethodGet, "queues", []int{http.StatusOK, http.StatusNoContent}, smallAnswer},
	{http.MethodGet, "queues/*/messages", []int{http.StatusOK, http.StatusNoContent}, messagesAnswer},
	{http.MethodPost, "queues/*/messages", []int{http.StatusCreated}, smallAnswer},
	{http.MethodGet, "queues/*/messages/*", []int{http.StatusOK}, messagesAnswer},
	{http.MethodDelete, "queues/*/messages/*", []int{http.StatusNoContent}, smallAnswer},
	{http.MethodGet, "v2*", []int{http.StatusOK}, smallAnswer}, // the version document of Nova
}

// other is the kind of all other requests; only tests make some.
var other = kind{
	statuses: []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent},
	bounds:   groupsAnswer,
}

// kindOf returns the kind of a request.
func kindOf(req *http.Request) kind {
	segments := strings.Split(strings.Trim(req.URL.EscapedPath(), "/"), "/")
	i := slices.IndexFunc(kinds, func(k kind) bool {
		return k.method == req.Method && matches(strings.Split(k.path, "/"), segments)
	})
	if i < 0 {
		return other
	}
	return kinds[i]
}

// matches reports whether an address ends with a pattern.
func matches(pattern, segments []string) bool {
	if len(segments) < len(pattern) {
		return false
	}
	segments = segments[len(segments)-len(pattern):]
	for i, p := range pattern {
		start, open := strings.CutSuffix(p, "*")
		if p != segments[i] && (!open || !strings.HasPrefix(segments[i], start)) {
			return false
		}
	}
	return true
}

// good reports whether a good answer may have the status.
func (k kind) good(status int) bool { return slices.Contains(k.statuses, status) }

// BoundError is an answer that exceeds a bound. Another try would not help.
type BoundError struct{ Has string }

func (e *BoundError) Error() string {
	return "the answer is not read: it has " + e.Has + ", and a real one has far less"
}

// tooLarge is the error for an answer with more bytes than its kind may have.
func (b bounds) tooLarge() error {
	if b.bytes < 1<<20 {
		return &BoundError{fmt.Sprintf("more than %d KiB", b.bytes>>10)}
	}
	return &BoundError{fmt.Sprintf("more than %d MiB", b.bytes>>20)}
}
