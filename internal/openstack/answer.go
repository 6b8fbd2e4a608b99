package openstack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
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
	release func() // gives back the slot of a large answer
}

// Close frees the memory of a page before the next one needs some, and then gives back the slot of a large answer.
func (b *wholeBody) Close() error {
	b.all = nil
	b.Reset(nil)
	b.release()
	return nil
}

// read reads the body of an answer, and not more than a byte above the limit. It takes a slot for a large answer.
func (t *transport) read(ctx context.Context, resp *http.Response, limit int) (b *wholeBody, err error) {
	defer resp.Body.Close()
	b = &wholeBody{release: func() {}}
	b.all, err = io.ReadAll(io.LimitReader(resp.Body, int64(min(limit, largeAnswer))+1))
	if err == nil && len(b.all) > largeAnswer && limit > largeAnswer {
		select {
		case t.large <- struct{}{}:
			b.release = sync.OnceFunc(func() { <-t.large })
		case <-ctx.Done():
			return b, context.Cause(ctx)
		}
		// The maximum is reserved: the system provides memory only for pages that are written. The length that a peer
		// announces does not count, because the peer may never send so much.
		whole := bytes.NewBuffer(append(make([]byte, 0, limit+1+bytes.MinRead), b.all...))
		_, err = whole.ReadFrom(io.LimitReader(resp.Body, int64(limit+1-len(b.all))))
		b.all = whole.Bytes()
	}
	if err != nil {
		err = fmt.Errorf("the answer breaks off after %d bytes: %w", len(b.all), err)
	}
	return b, err
}

// check reads an answer and decides whether it is valid. Every body passes here:
//
//   - A good answer stays within the bounds of its kind, and without secrets. [Text] cleans its texts.
//   - A refusal keeps only the service's own words, because they end up in an error, and none that repeat a secret.
//   - A refused login keeps no words, and an answer that is not from OpenStack only its size and media type.
func (t *transport) check(ctx context.Context, req *http.Request, resp *http.Response) error {
	k, status, limit := kindOf(req), resp.StatusCode, largestRefusal
	good := k.good(status)
	if good {
		limit = k.bytes
	}
	body, err := t.read(ctx, resp, limit)
	all := body.all
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
		err = k.inspect(all, t.secretsOf(req))
	case good, status < http.StatusBadRequest, status == http.StatusNotFound && words == "":
		err = foreign(status, k, size)
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
		body.release()
		return err
	}
	if busy(resp) {
		all = fmt.Appendf(all, " (max_retries in the provider block is %d: with more, the request is repeated)",
			t.retries)
	}
	body.all, resp.Body = all, body
	body.Reset(all)
	return nil
}

// services matches what shows in a path that it is not Nova's.
var services = regexp.MustCompile(`/lbaas/|/queues|/images|/regions$|/auth/tokens$`)

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
	case service == "/lbaas/" && said["code"] == float64(status), service == "/queues" && word("title") != "":
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
// nor refusal, such as 206 to a list; a good status without JSON; a 404 of a proxy; or a body that is too large.
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

// missing is the error for a good answer without the value that was asked for. Another service gives one, and it would
// be read as an empty list, or as a server without a status.
func missing(key string) error { return fmt.Errorf("the answer has no %q", key) }

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
