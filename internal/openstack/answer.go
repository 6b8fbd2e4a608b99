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
)

// wholeBody is the body of every answer: read already, and there as a whole.
type wholeBody struct {
	bytes.Reader
	all      []byte
	deadline time.Time // until which it has to be decoded
	release  func()    // gives back the turn of a large answer
}

// Close lets the next large answer be read.
func (b *wholeBody) Close() error {
	b.set(nil)
	b.free()
	return nil
}

// free gives back the turn of a large answer, and its memory: else the next would come on
// top of what is no longer needed, and a list has a thousand.
func (b *wholeBody) free() {
	if b.release == nil {
		return
	}
	runtime.GC()
	b.release()
	b.release = nil
}

// set makes other bytes the body.
func (b *wholeBody) set(all []byte) {
	b.all = all
	b.Reset(all)
}

// read reads the body of an answer: all of it where it is a good one, and
// otherwise what is needed to understand the refusal. Then cut reports whether
// there was more.
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
	// A small answer grows by doubling. A large one waits for its turn, and then
	// reserves as much as it may ever need: the system provides memory only where
	// something is written. The length that a peer announces does not count, because
	// it may never send so much.
	all, read := make([]byte, 4<<10), 0
	for {
		n, err := fill(resp.Body, all[read:])
		if read += n; errors.Is(err, io.EOF) {
			break
		}
		if err == nil && read >= largeAnswer && body.release == nil {
			body.release, err = t.turn(ctx)
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

// fill reads until the piece is full. Unlike [io.ReadFull] it leaves the error of
// the body as it is, which tells an end from a connection that was closed.
func fill(from io.Reader, piece []byte) (n int, err error) {
	for n < len(piece) && err == nil {
		var m int
		m, err = from.Read(piece[n:])
		n += m
	}
	return n, err
}

// turn waits for one of the turns of large answers.
func (t *transport) turn(ctx context.Context) (release func(), err error) {
	select {
	case t.large <- struct{}{}:
		return func() { <-t.large }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// check reads an answer and makes sure that it is one. Every body passes here: a good
// answer has no more than it may have, and no secret; its texts are cleaned where they are
// decoded, see [Text]. The service's own words in a refusal are left as its body, because
// they end up in an error. A refused login has none left, and of what is no answer of
// OpenStack's only length and type are shown: both may repeat the request, with its secrets
// in any encoding.
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
	foreign := &ForeignError{Code: resp.StatusCode, Expected: k.statuses, body: described(media, len(body.all), cut)}
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
	case own:
		body.set([]byte(show(words, secrets)))
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

// described says what a body is, and nothing of what is in it.
func described(media string, size int, cut bool) string {
	if cut {
		return fmt.Sprintf("(more than %d KiB of %s)", largestRefusal>>10, text.Media(media))
	}
	return fmt.Sprintf("(%d bytes of %s)", size, text.Media(media))
}

// redirects reports whether net/http follows an answer elsewhere.
func redirects(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return resp.Header.Get("Location") != ""
	}
	return false
}

// ownWords is what a service of a kind says in a refusal, and whether the answer has the
// form of its own ones. Of a 404 that is whether the service itself says that something is
// not there, and nothing in between. What the service is may be unknown.
func ownWords(kind string, status int, media string, body []byte) (words string, own bool) {
	var fields map[string]json.RawMessage
	if media != "application/json" || json.Unmarshal(body, &fields) != nil {
		return "", false
	}
	var title, description, message, code, fault string
	for name, into := range map[string]*string{
		"title": &title, "description": &description, "message": &message, "code": &code, "faultstring": &fault,
	} {
		_ = json.Unmarshal(fields[name], into) // what is not a string stays empty
	}
	nova, keystone := false, false
	for name, value := range fields {
		var fault struct {
			Code    int     `json:"code"`
			Message *string `json:"message"`
		}
		err := json.Unmarshal(value, &fault)
		if err == nil && len(fields) == 1 && fault.Code == status && fault.Message != nil {
			keystone = name == "error"
			nova = !keystone
			message = *fault.Message
		}
	}
	zaqar := title != "" && description != ""
	glance := title != "" && strings.HasPrefix(code, strconv.Itoa(status))
	octavia := fault != "" || (string(fields["code"]) == strconv.Itoa(status) && description != "")
	own = nova || keystone || glance || zaqar || octavia
	if status == http.StatusNotFound { // any service may say that the token is not good, for one
		switch {
		case strings.HasPrefix(kind, "compute"):
			own = nova
		case strings.HasPrefix(kind, "identity"):
			own = keystone
		case strings.HasPrefix(kind, "image"):
			own = glance
		case strings.HasPrefix(kind, "messag"):
			own = zaqar
		case strings.HasPrefix(kind, "load-balanc"):
			own = octavia
		}
	}
	return cmp.Or(fault, description, message, title), own
}

// ForeignError is an answer that no OpenStack service gives: a status that says neither
// that the request was done nor that it was refused, such as 200 to a login or 206 to a
// list; a good one with something else than JSON behind it; or a 404 of something in between.
type ForeignError struct {
	Code     int
	Expected []int
	body     string // what it is
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

// final reports whether asking again would give the same.
func final(err error) bool {
	if foreign, ok := errors.AsType[*ForeignError](err); ok {
		return foreign.Code != http.StatusNotFound
	}
	_, bound := errors.AsType[*BoundError](err)
	return bound
}

// missing is the error for a good answer that lacks what was asked for, such as one of
// a proxy or of another service. Without this error it would be read as an empty list,
// or as a server without a status.
func missing(key string) error { return fmt.Errorf("the answer has no %q", key) }

// another is the error for an answer about something else than what was asked for. A
// cache that ignores a part of the address gives such answers.
func another(id Text) error {
	return fmt.Errorf("the answer is about another one, %q", text.Cut(string(id), 100))
}

// extracted is what gophercloud decoded. An error of that quotes what could not be read, such as a time, and is shown:
// so it has what a terminal only shows.
func extracted[T any](got T, err error) (T, error) {
	if err != nil {
		err = quoting{err}
	}
	return got, err
}

type quoting struct{ error }

func (q quoting) Error() string { return text.CleanLines(q.error.Error()) }

func (q quoting) Unwrap() error { return q.error }
