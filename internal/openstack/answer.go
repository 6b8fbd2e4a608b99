package openstack

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"golang.org/x/text/unicode/norm"
)

// wholeBody is the body of every answer. It has been read to its end and is in memory.
type wholeBody struct {
	bytes.Reader
	all      []byte
	deadline time.Time // time by which it must be decoded
	release  func()    // gives back the slot of a large answer
}

// Close gives back the slot of a large answer, so that the next one can be read.
func (b *wholeBody) Close() error {
	b.set(nil)
	b.free()
	return nil
}

// free gives back the slot of a large answer. It frees the memory first: otherwise the next page of a list,
// which may have a thousand, would need memory in addition to a page that nobody needs any more.
func (b *wholeBody) free() {
	if b.release == nil {
		return
	}
	runtime.GC()
	b.release()
	b.release = nil
}

// set replaces the body.
func (b *wholeBody) set(all []byte) {
	b.all = all
	b.Reset(all)
}

// read reads the body of an answer: all of a good answer, and as much of a refusal as is needed to understand
// it. The result cut reports whether a refusal was longer.
func (t *transport) read(ctx context.Context, resp *http.Response, k kind) (body *wholeBody, cut bool, err error) {
	defer resp.Body.Close()
	good := k.good(resp.StatusCode)
	limit := int64(largestRefusal)
	if good {
		limit = k.bytes
	}
	if good && resp.ContentLength > limit {
		return nil, false, k.tooLarge()
	}
	body = &wholeBody{}
	body.deadline, _ = ctx.Deadline()
	// The buffer of a small answer doubles. A large answer waits for a slot and then reserves the maximum:
	// the system provides memory only for pages that are written. The length that a peer announces does not
	// count, because the peer may never send so much.
	all, read := make([]byte, 4<<10), 0
	for {
		n, err := fill(resp.Body, all[read:])
		if read += n; errors.Is(err, io.EOF) {
			break
		}
		if err == nil && read >= largeAnswer && body.release == nil {
			body.release, err = t.takeLargeSlot(ctx)
		}
		if err != nil {
			body.free()
			return nil, false, fmt.Errorf("the answer breaks off after %d bytes: %w", read, err)
		}
		if int64(read) > limit {
			break
		}
		size := limit + 1
		if body.release == nil {
			size = min(size, 2*int64(read))
		}
		all = append(make([]byte, 0, size), all[:read]...)[:size]
	}
	if cut = int64(read) > limit; cut && good {
		body.free()
		return nil, false, k.tooLarge()
	}
	body.set(all[:read])
	return body, cut, nil
}

// fill reads until the piece is full. Unlike [io.ReadFull] it returns the error of the body unchanged, so
// that an end differs from a connection that was closed.
func fill(from io.Reader, piece []byte) (n int, err error) {
	for n < len(piece) && err == nil {
		var m int
		m, err = from.Read(piece[n:])
		n += m
	}
	return n, err
}

// takeLargeSlot waits for one of the slots of large answers.
func (t *transport) takeLargeSlot(ctx context.Context) (release func(), err error) {
	select {
	case t.large <- struct{}{}:
		return func() { <-t.large }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// check reads an answer and decides whether it is valid. Every body passes here:
//
//   - A good answer stays within the bounds of its kind, and secrets are removed from it. Its texts are cleaned when
//     they are decoded, see [Text].
//   - A refusal keeps only the service's own words, because they end up in an error, and none that repeat a secret.
//   - A refused login keeps no words. An answer that is not from OpenStack, or repeats a secret, keeps only its length
//     and media type.
func (t *transport) check(ctx context.Context, req *http.Request, resp *http.Response) error {
	k, secrets := kindOf(req), t.secretsOf(req)
	body, cut, err := t.read(ctx, resp, k)
	if err != nil {
		return err
	}
	resp.Body = body
	if err := checkRedirect(req.URL, resp); err != nil {
		return err
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	foreign := &ForeignError{Code: resp.StatusCode, Expected: k.statuses, body: describeBody(media, len(body.all), cut)}
	good, words, own := k.good(resp.StatusCode), "", false
	if !good {
		words, own = ownWords(t.hosts.Load().kind(req.URL), resp.StatusCode, media, body.all)
	}
	switch {
	case good && len(bytes.TrimSpace(body.all)) == 0:
	case good && strings.Contains(media, "json"):
		body.set(redactAnswer(body.all, secrets))
		err = k.check(body.all)
	case good, resp.StatusCode < http.StatusBadRequest && !redirects(resp),
		resp.StatusCode == http.StatusNotFound && !own:
		err = foreign
	case own && isLogin(req):
		body.set(nil)
	case own && !repeats(words, secrets):
		body.set([]byte(show(words, nil)))
	default:
		body.set([]byte(foreign.body))
	}
	if err == nil && busy(resp) {
		body.set(fmt.Appendf(body.all, " (max_retries in the provider block is %d: with more, the request is repeated)",
			t.retries))
	}
	if err != nil {
		body.Close()
	}
	return err
}

// describeBody returns the size and media type of a body.
func describeBody(media string, size int, cut bool) string {
	if cut {
		return fmt.Sprintf("(more than %d KiB of %s)", largestRefusal>>10, text.Media(media))
	}
	return fmt.Sprintf("(%d bytes of %s)", size, text.Media(media))
}

// redirects reports whether net/http follows the answer to another address.
func redirects(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return resp.Header.Get("Location") != ""
	}
	return false
}

// jsonRefusal is a refusal in JSON, in the form of any OpenStack service.
type jsonRefusal struct {
	fields                                   map[string]json.RawMessage
	title, description, message, code, fault string
	wrapped                                  string // name of the only field if that has the status and a message
}

// ownWords returns the message in a refusal, and whether the refusal has the form that OpenStack services
// use. A 404 counts only if it has the form of this very kind of service, because a proxy in between may
// answer 404 too. The kind may be unknown.
func ownWords(kind string, status int, media string, body []byte) (words string, own bool) {
	var r jsonRefusal
	if media != "application/json" || json.Unmarshal(body, &r.fields) != nil {
		return "", false
	}
	r.read(status)
	for _, form := range forms {
		// other refusals than a 404, such as an invalid token, may have the form of any service
		other := status == http.StatusNotFound && known(kind) && !strings.HasPrefix(kind, form.kind)
		own = own || !other && form.is(r, strconv.Itoa(status))
	}
	return cmp.Or(r.fault, r.description, r.message, r.title), own
}

// read takes the texts from the fields.
func (r *jsonRefusal) read(status int) {
	for name, into := range map[string]*string{
		"title": &r.title, "description": &r.description, "message": &r.message, "code": &r.code,
		"faultstring": &r.fault,
	} {
		_ = json.Unmarshal(r.fields[name], into) // a value that is not a string stays empty
	}
	for name, value := range r.fields {
		var fault struct {
			Code    int     `json:"code"`
			Message *string `json:"message"`
		}
		err := json.Unmarshal(value, &fault)
		if err == nil && len(r.fields) == 1 && fault.Code == status && fault.Message != nil {
			r.wrapped, r.message = name, *fault.Message
		}
	}
}

// forms are the forms of refusals, by the beginning of the kind of the service.
var forms = []struct {
	kind string
	is   func(r jsonRefusal, status string) bool
}{
	{"compute", func(r jsonRefusal, _ string) bool { return r.wrapped != "" && r.wrapped != "error" }},
	{"identity", func(r jsonRefusal, _ string) bool { return r.wrapped == "error" }},
	{"image", func(r jsonRefusal, status string) bool { return r.title != "" && strings.HasPrefix(r.code, status) }},
	{"messag", func(r jsonRefusal, _ string) bool { return r.title != "" && r.description != "" }},
	{"load-balanc", func(r jsonRefusal, status string) bool {
		return r.fault != "" || string(r.fields["code"]) == status && r.description != ""
	}},
}

// known reports whether the form of a kind's refusals is known.
func known(kind string) bool {
	for _, form := range forms {
		if strings.HasPrefix(kind, form.kind) {
			return true
		}
	}
	return false
}

// ForeignError is an answer that no OpenStack service gives: a status that means neither success nor refusal,
// such as 200 to a login or 206 to a list; a good status without JSON; or a 404 of a proxy in between.
type ForeignError struct {
	Code     int
	Expected []int
	body     string // description of the body: its size and media type
}

func (e *ForeignError) Error() string {
	expected := make([]string, len(e.Expected))
	for i, status := range e.Expected {
		expected[i] = strconv.Itoa(status)
	}
	answered := strings.TrimSpace(fmt.Sprintf("answered %d %s", e.Code, http.StatusText(e.Code)))
	switch {
	case e.Code == http.StatusNotFound:
		return answered + ", and not in the service's own words " + e.body + ". So it is not known whether it is " +
			"gone: a proxy or load balancer may have answered. Is the service up, and is this its address?"
	case slices.Contains(e.Expected, e.Code):
		return answered + ", but not with JSON " + e.body + ". Is this the address of an OpenStack API?"
	}
	return fmt.Sprintf("%s in place of %s %s; this may not be the address of an OpenStack API, or something in "+
		"between changes answers", answered, strings.Join(expected, " or "), e.body)
}

// final reports whether the same request would fail in the same way again.
func final(err error) bool {
	if foreign, ok := errors.AsType[*ForeignError](err); ok {
		return foreign.Code != http.StatusNotFound
	}
	_, bound := errors.AsType[*BoundError](err)
	return bound
}

// missing is the error for a good answer without the value that was asked for, such as an answer of a proxy
// or of another service. Without this error it would be read as an empty list, or as a server without a
// status.
func missing(key string) error { return fmt.Errorf("the answer has no %q", key) }

// wrongObject is the error for an answer about something other than what was asked for. A cache that ignores a
// part of the address gives such answers.
func wrongObject(id Text) error {
	return fmt.Errorf("the answer is about another one, %q", text.Cut(string(id), 100))
}

// extracted returns what gophercloud decoded. The errors of gophercloud quote the value that cannot be
// decoded, such as a time. They are shown to users, so control characters are removed from them.
func extracted[T any](got T, err error) (T, error) {
	if err != nil {
		err = quoting{err}
	}
	return got, err
}

type quoting struct{ error }

func (q quoting) Error() string { return text.CleanLines(q.error.Error()) }

func (q quoting) Unwrap() error { return q.error }

// Text is a text from the cloud. It is cleaned when it is decoded, and in Unicode's form NFC, as all texts of
// Terraform are: so names from both can be compared.
type Text string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *Text) UnmarshalText(raw []byte) error {
	*t = Text(text.Clean(norm.NFC.String(string(raw))))
	return nil
}
