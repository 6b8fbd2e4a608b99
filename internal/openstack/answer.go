package openstack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Bounds of what is read. A page of 1,000 servers has about 3 MiB.
const (
	largestAnswer  = 128 << 20 // bytes of a body, after decompression
	largestRefusal = 64 << 10  // bytes read of the body of an error
	shownRefusal   = 1 << 10   // bytes shown of it
	largestHeader  = 1 << 20   // bytes of all headers
)

// errTooLarge says that an answer passes the bound. Asking again would not help.
var errTooLarge = fmt.Errorf("the answer has more than %d MiB", largestAnswer>>20)

// wholeBody is the body of every answer: read already, and there as a whole.
type wholeBody struct {
	bytes.Reader
	all []byte
}

// Close does nothing.
func (b *wholeBody) Close() error { return nil }

// newBody makes the body of an answer.
func newBody(all []byte) *wholeBody {
	b := &wholeBody{all: all}
	b.Reset(all)
	return b
}

// buffer reads the body of the answer: all of it where it is a good one, and
// otherwise what is needed to understand the refusal.
func buffer(resp *http.Response) error {
	defer resp.Body.Close()
	good := resp.StatusCode/100 == 2
	limit := int64(largestAnswer)
	if !good {
		limit = largestRefusal
	}
	if good && resp.ContentLength > limit {
		return errTooLarge
	}
	var all bytes.Buffer
	if resp.ContentLength > 0 {
		all.Grow(int(min(resp.ContentLength, limit, 1<<24)) + bytes.MinRead) // what a peer promises is not yet memory well spent
	}
	if _, err := all.ReadFrom(io.LimitReader(resp.Body, limit+1)); err != nil {
		return fmt.Errorf("the answer breaks off after %d bytes: %w", all.Len(), err)
	}
	if int64(all.Len()) > limit {
		if good {
			return errTooLarge
		}
		all.Truncate(int(limit))
	}
	resp.Body = newBody(all.Bytes())
	return nil
}

// checkAnswer refuses a page of HTML in place of an answer: a proxy's, a
// portal's, or that of a dashboard at a wrong address. It also refuses half an
// answer, where no length was announced that would show it: all answers are
// objects. A 404 counts only in the words of the service itself: a load balancer
// that has lost its servers also says 404, and nothing is gone then.
func checkAnswer(resp *http.Response, kind string) error {
	media, body := resp.Header.Get("Content-Type"), bytes.TrimSpace(resp.Body.(*wholeBody).all)
	switch {
	case resp.StatusCode == http.StatusNotFound && !ownNotFound(kind, media, body):
	case resp.StatusCode/100 != 2 || len(body) == 0:
		return nil
	case !strings.Contains(media, "json"):
	case body[0] == '{' && body[len(body)-1] != '}':
		return fmt.Errorf("the answer breaks off after %d bytes", len(body))
	default:
		return nil
	}
	return &ForeignError{Code: resp.StatusCode, status: resp.Status, contentType: media, start: string(body[:min(len(body), 200)])}
}

// ownNotFound reports whether a 404 has the form in which the service itself
// says that something is not there. What the service is may be unknown.
func ownNotFound(kind, media string, body []byte) bool {
	media, _, err := mime.ParseMediaType(media)
	var fields map[string]json.RawMessage
	if err != nil || media != "application/json" || json.Unmarshal(body, &fields) != nil {
		return false
	}
	var title, description, code string
	_ = json.Unmarshal(fields["title"], &title) // what is not a string stays empty
	_ = json.Unmarshal(fields["description"], &description)
	_ = json.Unmarshal(fields["code"], &code)
	nova, keystone := false, false
	for name, value := range fields {
		var fault struct {
			Code    int     `json:"code"`
			Message *string `json:"message"`
		}
		if len(fields) == 1 && json.Unmarshal(value, &fault) == nil && fault.Code == http.StatusNotFound && fault.Message != nil {
			keystone = name == "error"
			nova = !keystone
		}
	}
	switch zaqar, glance := title != "" && description != "", strings.HasPrefix(code, "404") && title != ""; {
	case strings.HasPrefix(kind, "compute"):
		return nova
	case strings.HasPrefix(kind, "identity"):
		return keystone
	case strings.HasPrefix(kind, "image"):
		return glance
	case strings.HasPrefix(kind, "messag"):
		return zaqar
	default:
		return nova || keystone || glance || zaqar
	}
}

// ForeignError is an answer that no OpenStack service gave: a good status with
// something else than JSON behind it, or a 404 of something in between.
type ForeignError struct {
	Code        int
	status      string
	contentType string
	start       string // of the body
}

func (e *ForeignError) Error() string {
	what := "in place of JSON"
	advice := "Is this the address of an OpenStack API?"
	if e.Code == http.StatusNotFound {
		what = "in place of the service's own words"
		advice = "So it is not known whether it is gone: a proxy or load balancer may have answered. Is the service up, and is this its address?"
	}
	return fmt.Sprintf("answered %s, but with %q %s: %s... %s", text.Cut(text.Clean(e.status), 100), text.Cut(e.contentType, 100), what, text.Cut(fmt.Sprintf("%.60q", e.start), 200), advice)
}

// final reports whether asking again would give the same.
func final(err error) bool {
	foreign, ok := errors.AsType[*ForeignError](err)
	return ok && foreign.Code != http.StatusNotFound || errors.Is(err, errTooLarge)
}

// showable shortens the body of a refusal to what an error shows, takes the
// secrets out, and makes it one line: it ends up on a terminal.
func showable(resp *http.Response, secrets []string) {
	read, ok := resp.Body.(*wholeBody)
	if ok && resp.StatusCode/100 != 2 {
		shown := text.Clean(redact(string(bytes.TrimSpace(read.all)), secrets...))
		resp.Body = newBody([]byte(text.Cut(shown, shownRefusal)))
	}
}

// missing says that a good answer lacks what was asked for: a proxy's, or that
// of another service. Taken as it is, it would be an empty list, or a server
// without a status.
func missing(key string) error { return fmt.Errorf("the answer has no %q", key) }

// answered checks that the body of an answer has what was asked for.
func answered(body any, key string) error {
	if object, ok := body.(map[string]any); ok && object[key] != nil {
		return nil
	}
	return missing(key)
}
