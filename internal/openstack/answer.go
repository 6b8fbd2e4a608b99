package openstack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"golang.org/x/text/unicode/norm"
)

// wholeBody is the body of an answer, as it was read. A large answer must be closed before the next one is read.
type wholeBody struct {
	*bytes.Reader
	all  []byte
	done func() // ends the turn of a large answer; nil for others
}

// Close implements [io.Closer].
func (b *wholeBody) Close() error {
	if b.done != nil {
		b.done()
		b.done, b.all = nil, nil
	}
	return nil
}

// read reads the body of an answer, and not more than a byte above the limit. Large answers take turns, and one buffer:
// what they are decoded to takes several times their size.
func (t *transport) read(resp *http.Response, limit int) (*wholeBody, error) {
	defer resp.Body.Close()
	counting := &counted{Reader: resp.Body}
	all, err := io.ReadAll(io.LimitReader(counting, int64(min(limit, smallAnswer))+1))
	b := &wholeBody{all: all}
	if err == nil && len(all) > smallAnswer {
		select {
		case t.large <- struct{}{}:
			b.done = func() { <-t.large }
		case <-resp.Request.Context().Done():
			return b, context.Cause(resp.Request.Context())
		}
		into := bytes.NewBuffer(t.buffer[:0])
		into.Grow(limit + 1 + bytes.MinRead)
		into.Write(all)
		_, err = into.ReadFrom(io.LimitReader(counting, int64(limit+1-len(all))))
		b.all = into.Bytes()
		t.buffer = b.all
	}
	if _, tooMany := errors.AsType[*AnswerError](err); err != nil && !tooMany {
		err = fmt.Errorf("the answer breaks off after %d bytes: %w", len(b.all), err)
	}
	return b, err
}

// counted reads JSON, and fails at a list or an object with more than [mostItems] items, or at an answer with more than
// [mostInAll], before they fill the memory: {} takes two bytes, and a server that is read from it hundreds.
type counted struct {
	io.Reader
	counts          [16]int // by depth; what lies deeper counts as one depth
	all             int
	depth           int
	quoted, escaped bool
}

func (s *counted) Read(p []byte) (n int, err error) {
	n, err = s.Reader.Read(p)
	for _, b := range p[:n] {
		switch at := max(0, min(s.depth, len(s.counts)-2)); {
		case s.escaped:
			s.escaped = false
		case s.quoted && b == '\\':
			s.escaped = true
		case b == '"':
			s.quoted = !s.quoted
		case s.quoted:
		case b == '{', b == '[':
			s.depth++
			s.counts[at+1] = 0
		case b == '}', b == ']':
			s.depth--
		case b == ',':
			s.counts[at]++
			s.all++
			if s.counts[at] >= mostItems {
				return n, tooMuch("more than %d items", mostItems)
			}
			if s.all >= mostInAll {
				return n, tooMuch("more than %d items in all", int(mostInAll))
			}
		}
	}
	return n, err
}

// usual returns the only status of a good answer to a request. gophercloud knows others, and puts the whole body of an
// answer that it turns down into its error, so none may reach it.
func usual(req *http.Request) int {
	switch {
	case isLogin(req) && req.Method == http.MethodPost:
		return http.StatusCreated
	case req.Method == http.MethodDelete:
		return http.StatusNoContent
	case strings.HasSuffix(req.URL.Path, "/action"):
		return http.StatusAccepted
	}
	return http.StatusOK
}

// complete reports JSON that breaks off, or is none.
func complete(body []byte) error {
	var fault *json.SyntaxError
	if json.Valid(body) {
		return nil
	}
	switch err := json.Unmarshal(body, new(json.RawMessage)); {
	case errors.As(err, &fault) && fault.Offset >= int64(len(body)):
		return fmt.Errorf("the answer breaks off after %d bytes", len(bytes.TrimSpace(body)))
	case err != nil:
		return &AnswerError{said: "the answer is no JSON: " + err.Error()}
	}
	return nil
}

// check reads an answer and decides whether it is valid. Every body passes here:
//
//   - A good answer has the usual status, and is JSON of a bounded size. [Text] cleans its texts.
//   - Any other answer that is no refusal is an error that repeats nothing of it.
//   - A refusal keeps only the service's own words, because they end up in an error, and none that repeat a secret.
//   - A refused login keeps no words, and an answer that is not from OpenStack only its size and media type.
func (t *transport) check(req *http.Request, resp *http.Response) (err error) {
	status, limit := resp.StatusCode, largestRefusal
	good := status == usual(req)
	if good {
		limit = largestAnswer
	}
	read, err := t.read(resp, limit)
	defer func() {
		if err != nil {
			read.Close()
		}
	}()
	all := read.all
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	size, words := fmt.Sprintf("(%d bytes of %s)", len(all), text.Media(media)), ""
	if len(all) > limit {
		size = fmt.Sprintf("(more than %d KiB of %s)", limit>>10, text.Media(media))
	}
	if !good {
		words = ownWords(req.URL.Path, status, media, all)
	}
	switch {
	case err != nil:
	case status/100 == 3 && resp.Header.Get("Location") != "":
		all, err = nil, checkRedirect(resp)
	case good && len(all) > limit:
		err = tooMuch("more than %d KiB", limit>>10)
	case good && len(bytes.TrimSpace(all)) == 0:
	case good && strings.Contains(media, "json"):
		err = complete(all)
	case good, status < http.StatusBadRequest, status == http.StatusNotFound && words == "":
		err = foreign(status, media, size)
	case words == "":
		all = []byte(size)
	case isLogin(req):
		all = nil
	case repeats(words, t.secretsOf(req)):
		all = []byte(redacted)
	default:
		all = []byte(shown(words))
	}
	if err != nil {
		return err
	}
	if busy(resp) {
		all = fmt.Appendf(all, " (max_retries in the provider block is %d: with more, the request is repeated)",
			t.retries)
	}
	read.all, read.Reader = all, bytes.NewReader(all)
	resp.Body = read
	return nil
}

// services matches what shows in a path that it is not Nova's.
var services = regexp.MustCompile(`/lbaas/|/images|/regions$|/auth/tokens$`)

// ownWords returns the message of a refusal, if it has the form that the service at a path uses, because a proxy in
// between may answer 404 too. Other refusals, such as an invalid token, may have Keystone's form.
func ownWords(path string, status int, media string, body []byte) string {
	var said map[string]any
	if media != "application/json" || json.Unmarshal(body, &said) != nil {
		return ""
	}
	word := func(name string) string { s, _ := said[name].(string); return s }
	var wrapper, message string // only field, and the message in it, if it has the status
	for name, value := range said {
		if inner, _ := value.(map[string]any); len(said) == 1 && inner["code"] == float64(status) {
			wrapper = name
			message, _ = inner["message"].(string)
		}
	}
	switch service := services.FindString(path); {
	case wrapper == "error" && (service == "/regions" || service == "/auth/tokens" || status != http.StatusNotFound):
		return message
	case service == "/lbaas/" && said["code"] == float64(status):
		return word("description")
	case service == "/lbaas/":
		return word("faultstring")
	case service == "/images" && strings.HasPrefix(word("code"), strconv.Itoa(status)):
		return word("message")
	case service == "" && wrapper != "error":
		return message // in the form that Nova uses
	}
	return ""
}

// AnswerError is an answer that no OpenStack service gives, and that is not used: a status that means neither success
// nor refusal of this request, such as 206 to a list; a good status without JSON; a 404 of a proxy; or a body that is
// too large.
type AnswerError struct {
	Code int
	said string
}

func (e *AnswerError) Error() string { return e.said }

// tooMuch is the error for an answer that exceeds a bound.
func tooMuch(format string, args ...any) error {
	said := "the answer is not read: it has " + format + ", and a real one has far less"
	return &AnswerError{said: fmt.Sprintf(said, args...)}
}

func foreign(status int, media, body string) error {
	said := strings.TrimSpace(fmt.Sprintf("answered %d %s", status, http.StatusText(status)))
	switch {
	case status == http.StatusNotFound:
		said += ", and not in the service's own words " + body + ". So it is not known whether it is gone: a proxy " +
			"or load balancer may have answered. Is the service up, and is this its address?"
	case status/100 == 2 && status != http.StatusPartialContent && !strings.Contains(media, "json"):
		said += ", but not with JSON " + body + ". Is this the address of an OpenStack API?"
	default:
		said += fmt.Sprintf(" %s; this may not be the address of an OpenStack API, or something in between changes "+
			"answers", body)
	}
	return &AnswerError{status, said}
}

// missing is the error for a good answer without the value that was asked for. Another service gives one, and it would
// be read as an empty list, or as a server without a status.
func missing(key string) error { return fmt.Errorf("%w %q", errMissing, key) }

var errMissing = errors.New("the answer has no")

// wrongObject is the error for an answer about another object, as of a cache that ignores a part of the address.
func wrongObject(id Text) error {
	return fmt.Errorf("the answer is about another one, %q", text.Cut(string(id), 100))
}

// Text is a text from the cloud. Decoding cleans it, and gives it the form NFC, in which Terraform compares names.
type Text string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *Text) UnmarshalText(raw []byte) error {
	*t = Text(text.Clean(norm.NFC.String(string(raw))))
	return nil
}

// extracted returns what was decoded. Errors of decoders quote the value, such as a time, and are shown to users.
func extracted[T any](got T, err error) (T, error) {
	if err != nil {
		err = clean(err)
	}
	return got, err
}

const (
	largestAnswer  = 32 << 20 // bytes of a good answer; a page of 1,000 servers with all metadata has 16 MiB
	smallAnswer    = 1 << 20  // bytes up to which answers are read at the same time
	mostItems      = 20_000   // items of one list in it; Nova's pages have 1,000, or what the operator sets (max_limit)
	mostInAll      = 1e6      // items of all lists and objects in it; that page has 300,000
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
