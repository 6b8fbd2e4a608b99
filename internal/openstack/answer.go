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
	"strconv"
	"strings"
	"sync"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"golang.org/x/text/unicode/norm"
)

// wholeBody is the body of every answer. It has been read to its end and is in memory.
type wholeBody struct {
	bytes.Reader
	all     []byte
	release func() // gives back the slot of a large answer; nil without one
}

// Close frees the memory, and then gives back the slot of a large answer: otherwise the next page of a list, which may
// have a thousand, would need memory in addition to a page that nobody needs any more.
func (b *wholeBody) Close() error {
	b.set(nil)
	if b.release != nil {
		b.release()
	}
	return nil
}

// set replaces the body.
func (b *wholeBody) set(all []byte) {
	b.all = all
	b.Reset(all)
}

// read reads the body of an answer, and not more than a byte above the limit.
func (t *transport) read(ctx context.Context, resp *http.Response, limit int) (*wholeBody, error) {
	defer resp.Body.Close()
	body := &wholeBody{}
	all, err := io.ReadAll(io.LimitReader(resp.Body, int64(min(limit, largeAnswer))+1))
	if err == nil && len(all) > largeAnswer && limit > largeAnswer {
		if body.release, err = t.takeLargeSlot(ctx); err == nil {
			// The maximum is reserved: the system provides memory only for pages that are written. The length that a
			// peer announces does not count, because the peer may never send so much.
			whole := bytes.NewBuffer(append(make([]byte, 0, limit+1+bytes.MinRead), all...))
			_, err = whole.ReadFrom(io.LimitReader(resp.Body, int64(limit+1-len(all))))
			all = whole.Bytes()
		}
	}
	if err != nil {
		_ = body.Close()
		return nil, fmt.Errorf("the answer breaks off after %d bytes: %w", len(all), err)
	}
	body.set(all)
	return body, nil
}

// takeLargeSlot waits for one of the slots of large answers.
func (t *transport) takeLargeSlot(ctx context.Context) (release func(), err error) {
	select {
	case t.large <- struct{}{}:
		return sync.OnceFunc(func() { <-t.large }), nil
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
	k, secrets, status := kindOf(req), t.secretsOf(req), resp.StatusCode
	good, limit := k.good(status), largestRefusal
	if good {
		limit = k.bytes
	}
	body, err := t.read(ctx, resp, limit)
	if err != nil {
		return err
	}
	resp.Body = body
	if status/100 == 3 && resp.Header.Get("Location") != "" {
		body.set(nil)
		return checkRedirect(resp)
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	said := describe(media, len(body.all), limit)
	words, own := "", false
	if !good {
		words, own = ownWords(req.URL.Path, status, media, body.all)
	}
	switch {
	case len(body.all) > limit && good:
		err = tooMuch("more than %d KiB", limit>>10)
	case good && len(bytes.TrimSpace(body.all)) == 0:
	case good && strings.Contains(media, "json"):
		body.set(redactAnswer(body.all, secrets))
		err = k.check(body.all)
	case good, status < http.StatusBadRequest, status == http.StatusNotFound && !own:
		err = foreign(status, k, said)
	case own && isLogin(req):
		body.set(nil)
	case own && !repeats(words, secrets):
		body.set([]byte(show(words, nil)))
	default:
		body.set([]byte(said))
	}
	if err == nil && busy(resp) {
		body.set(fmt.Appendf(body.all, " (max_retries in the provider block is %d: with more, the request is repeated)",
			t.retries))
	}
	if err != nil {
		_ = body.Close()
	}
	return err
}

// describe returns the size and media type of a body.
func describe(media string, size, limit int) string {
	if size > limit {
		return fmt.Sprintf("(more than %d KiB of %s)", limit>>10, text.Media(media))
	}
	return fmt.Sprintf("(%d bytes of %s)", size, text.Media(media))
}

// ownWords returns the message in a refusal, and whether the refusal has the form that the service at a path uses,
// because a proxy in between may answer 404 too. Other refusals, such as an invalid token, may have Keystone's form.
func ownWords(path string, status int, media string, body []byte) (words string, own bool) {
	var fields map[string]json.RawMessage
	if media != "application/json" || json.Unmarshal(body, &fields) != nil {
		return "", false
	}
	word := func(name string) (s string) {
		_ = json.Unmarshal(fields[name], &s) // a value that is not a string stays empty
		return s
	}
	var wrapper, message string // name of the only field, if that has the status and a message
	for name, value := range fields {
		var fault struct {
			Code    int     `json:"code"`
			Message *string `json:"message"`
		}
		err := json.Unmarshal(value, &fault)
		if err == nil && len(fields) == 1 && fault.Code == status && fault.Message != nil {
			wrapper, message = name, *fault.Message
		}
	}
	code, title, description, fault := strconv.Itoa(status), word("title"), word("description"), word("faultstring")
	switch {
	case strings.Contains(path, "/lbaas/"):
		own = fault != "" || string(fields["code"]) == code && description != ""
	case strings.Contains(path, "/queues"):
		own = title != "" && description != ""
	case strings.Contains(path, "/images"):
		own = title != "" && strings.HasPrefix(word("code"), code)
	case strings.HasSuffix(path, "/regions"), strings.HasSuffix(path, "/auth/tokens"):
		own = wrapper == "error"
	default: // Nova
		own = wrapper != "" && wrapper != "error"
	}
	own = own || wrapper == "error" && status != http.StatusNotFound
	return cmp.Or(fault, description, message, word("message"), title), own
}

// AnswerError is an answer that is not used, because no OpenStack service gives it: a status that means neither success
// nor refusal, such as 200 to a login or 206 to a list; a good status without JSON; a 404 of a proxy in between; or an
// answer larger than a real one.
type AnswerError struct {
	Code int
	said string
}

func (e *AnswerError) Error() string { return e.said }

// tooMuch is the error for an answer that exceeds a bound.
func tooMuch(format string, args ...any) error {
	has := fmt.Sprintf(format, args...)
	return &AnswerError{said: "the answer is not read: it has " + has + ", and a real one has far less"}
}

func foreign(status int, k kind, body string) error {
	said := strings.TrimSpace(fmt.Sprintf("answered %d %s", status, http.StatusText(status)))
	switch {
	case status == http.StatusNotFound:
		said += ", and not in the service's own words " + body + ". So it is not known whether it is gone: a proxy " +
			"or load balancer may have answered. Is the service up, and is this its address?"
	case k.good(status):
		said += ", but not with JSON " + body + ". Is this the address of an OpenStack API?"
	default:
		said += fmt.Sprintf(" in place of %d %s; this may not be the address of an OpenStack API, or something in "+
			"between changes answers", k.status, body)
	}
	return &AnswerError{status, said}
}

// final reports whether the same request would fail in the same way again.
func final(err error) bool {
	answer, ok := errors.AsType[*AnswerError](err)
	return ok && answer.Code != http.StatusNotFound
}

// missing is the error for a good answer without the value that was asked for, such as an answer of a proxy or of
// another service. Without this error it would be read as an empty list, or as a server without a status.
func missing(key string) error { return fmt.Errorf("the answer has no %q", key) }

// wrongObject is the error for an answer about something other than what was asked for. A cache that ignores a part of
// the address gives such answers.
func wrongObject(id Text) error {
	return fmt.Errorf("the answer is about another one, %q", text.Cut(string(id), 100))
}

// Text is a text from the cloud. It is cleaned when it is decoded, and in Unicode's form NFC, as all texts of
// Terraform are: so names from both can be compared.
type Text string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *Text) UnmarshalText(raw []byte) error {
	*t = Text(text.Clean(norm.NFC.String(string(raw))))
	return nil
}

// extracted returns what was decoded. The errors of decoders quote the value that cannot be
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
