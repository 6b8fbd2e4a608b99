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
	"runtime"
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
	size := len(b.all)
	b.set(nil)
	b.free(size)
	return nil
}

// free gives back the turn of a large answer, and the memory of a huge one: else
// the next would come on top of what is no longer needed.
func (b *wholeBody) free(size int) {
	if b.release == nil {
		return
	}
	if size > hugeAnswer {
		runtime.GC()
	}
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
			body.free(read)
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
		body.free(read)
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

// check reads an answer and makes sure that it is one. Every body passes here:
// what is not a good answer becomes one line without secrets, whatever its
// status, because it ends up in an error; and what is one has no more than it
// may have, see [cleanAnswer].
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
	shown := func(most int) string { return show(string(body.all), cut, most, secrets) }
	media := resp.Header.Get("Content-Type")
	good, empty := k.good(resp.StatusCode), len(bytes.TrimSpace(body.all)) == 0
	switch {
	case good && !empty && !strings.Contains(media, "json"),
		resp.StatusCode == http.StatusNotFound && !ownNotFound(t.hosts.Load().kind(req.URL), media, body.all):
		err = &ForeignError{
			Code:        resp.StatusCode,
			status:      show(resp.Status, false, 100, secrets),
			contentType: show(media, false, 100, secrets),
			start:       shown(200),
		}
	case !good && resp.StatusCode < http.StatusBadRequest && !redirects(resp):
		err = &StatusError{Code: resp.StatusCode, Expected: k.statuses, Start: shown(200)}
	case !good:
		body.set([]byte(shown(shownRefusal)))
	case !empty:
		err = t.clean(body, k, secrets)
	}
	if err != nil {
		body.Close()
	}
	return err
}

// clean makes the body of a good answer fit to be decoded. It refuses an answer that
// breaks off: all answers are objects, so a missing end shows even where no length was
// announced.
func (t *transport) clean(body *wholeBody, k kind, secrets []string) error {
	if whole := bytes.TrimSpace(body.all); whole[0] == '{' && whole[len(whole)-1] != '}' {
		return fmt.Errorf("the answer breaks off after %d bytes", len(whole))
	}
	clean, err := cleanAnswer(body.all, k.bounds, longOnes(secrets))
	body.set(clean)
	return err
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

// StatusError is an answer with a status that says neither that the request was
// done nor that it was refused, such as 200 to a login or 206 to a list.
type StatusError struct {
	Code     int
	Expected []int
	Start    string // of the body
}

func (e *StatusError) Error() string {
	var expected []string
	for _, status := range e.Expected {
		expected = append(expected, strconv.Itoa(status))
	}
	return fmt.Sprintf("answered %d in place of %s: %.60q...; this may not be the address of an OpenStack API, "+
		"or something in between changes answers",
		e.Code, strings.Join(expected, " or "), e.Start)
}

// ownNotFound reports whether a 404 has the form in which the service itself
// says that something is not there. What the service is may be unknown.
func ownNotFound(kind, media string, body []byte) bool {
	media, _, err := mime.ParseMediaType(media)
	var fields map[string]json.RawMessage
	if err != nil || media != "application/json" || json.Unmarshal(body, &fields) != nil {
		return false
	}
	var title, description, code, fault string
	_ = json.Unmarshal(fields["title"], &title) // what is not a string stays empty
	_ = json.Unmarshal(fields["description"], &description)
	_ = json.Unmarshal(fields["code"], &code)
	_ = json.Unmarshal(fields["faultstring"], &fault)
	nova, keystone := false, false
	for name, value := range fields {
		var fault struct {
			Code    int     `json:"code"`
			Message *string `json:"message"`
		}
		err := json.Unmarshal(value, &fault)
		if err == nil && len(fields) == 1 && fault.Code == http.StatusNotFound && fault.Message != nil {
			keystone = name == "error"
			nova = !keystone
		}
	}
	octavia := fault != "" || (string(fields["code"]) == "404" && description != "")
	switch zaqar, glance := title != "" && description != "", strings.HasPrefix(code, "404") && title != ""; {
	case strings.HasPrefix(kind, "compute"):
		return nova
	case strings.HasPrefix(kind, "identity"):
		return keystone
	case strings.HasPrefix(kind, "image"):
		return glance
	case strings.HasPrefix(kind, "messag"):
		return zaqar
	case strings.HasPrefix(kind, "load-balanc"):
		return octavia
	default:
		return nova || keystone || glance || zaqar || octavia
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
		advice = "So it is not known whether it is gone: a proxy or load balancer may have answered. " +
			"Is the service up, and is this its address?"
	}
	return fmt.Sprintf("answered %s, but with %q %s: %.60q... %s", e.status, e.contentType, what, e.start, advice)
}

// final reports whether asking again would give the same.
func final(err error) bool {
	if foreign, ok := errors.AsType[*ForeignError](err); ok {
		return foreign.Code != http.StatusNotFound
	}
	_, status := errors.AsType[*StatusError](err)
	_, bound := errors.AsType[*BoundError](err)
	return status || bound
}

// missing is the error for a good answer that lacks what was asked for, such as one of
// a proxy or of another service. Without this error it would be read as an empty list,
// or as a server without a status.
func missing(key string) error { return fmt.Errorf("the answer has no %q", key) }

// another is the error for an answer about something else than what was asked for. A
// cache that ignores a part of the address gives such answers.
func another(id string) error {
	return fmt.Errorf("the answer is about another one, %q", text.Cut(id, 100))
}

// answered checks that the body of an answer has what was asked for.
func answered(body any, key string) error {
	if object, ok := body.(map[string]any); ok && object[key] != nil {
		return nil
	}
	return missing(key)
}
