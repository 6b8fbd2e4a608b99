package hook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/web"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// checkURL returns what is wrong with an address. It does not repeat the address, which may have a secret in it.
func checkURL(address string) []Fault {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return []Fault{{Argument: "url", Text: "The address of a webhook begins with https:// (or http://) and has a host."}}
	case u.Scheme == "http" && (u.User != nil || u.RawQuery != ""):
		return []Fault{
			{Argument: "url", Warning: true, Text: fmt.Sprintf("The URL of the webhook at %s has credentials or a "+
				"query in it, and everybody on the way can read them. Use https.", plain(u.Host))},
		}
	}
	return nil
}

// webhook posts the message to a URL. The answers of the consumer mean:
//
//   - 2xx with JSON or without a body: the hook has completed, except for 202.
//   - 202: the consumer is not done. Its Location is requested, or the same URL with the token as a query, until the
//     answer is another 2xx.
//   - 429, 5xx or no connection: the request is repeated until the hook times out.
//   - Any other answer, or a certificate that cannot be verified: the hook has failed. So has it after 200 with a
//     page, such as a login page or the page of a filter, which is not from the consumer.
//
// A message may be posted again, because its token is the same.
type webhook struct {
	runner *Runner
	url    *url.URL // address that may have a secret in it and is never shown
}

// run is the [hook].
func (w *webhook) run(ctx context.Context, m Message) error {
	m.Consumer = w.url.Host
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	host := plain(w.url.Host)
	method, address, state := http.MethodPost, w.url, "could not be reached"
	forgot := false
	for {
		answer, said, err := w.ask(ctx, method, address, body, m.Token)
		switch {
		case untrusted(err):
			return fmt.Errorf("the webhook at %s is not trusted: %s", host, web.Reason(err))
		case err != nil && ctx.Err() == nil: // no connection: try again
			state = "could not be reached: " + web.Reason(err)
		case err != nil:
		case answer.StatusCode == http.StatusAccepted:
			method = http.MethodGet
			if address, err = w.next(answer, m.Token); err != nil {
				return err
			}
			state = "last answered " + web.Status(answer)
		case answer.StatusCode/100 == 2 && emptyOrJSON(said):
			return nil
		case answer.StatusCode/100 == 2:
			return fmt.Errorf("the webhook at %s answered %s with a text that is not JSON (%s), "+
				"as a login page or a proxy does: a consumer that is done answers without a body, or with JSON of at "+
				"most %d KiB",
				host, web.Status(answer), text.Media(answer.Header.Get("Content-Type")), mostSaid>>10)
		case answer.StatusCode == http.StatusNotFound && method == http.MethodGet && !forgot:
			// The consumer took the message and does not know the token any more, so it has restarted.
			method, address, forgot = http.MethodPost, w.url, true
			state = "forgot the message"
		case answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode/100 != 5:
			return fmt.Errorf("the webhook at %s answered %s%s", host, web.Status(answer), advice(answer))
		default:
			state = "last answered " + web.Status(answer)
		}
		if err := w.wait(ctx, answer); err != nil {
			return fmt.Errorf("%w; the webhook at %s %s", err, host, state)
		}
	}
}

// mostSaid is the number of bytes of an answer that are read.
const mostSaid = 64 << 10

// emptyOrJSON reports whether a consumer can have sent the body: it is empty, or JSON.
func emptyOrJSON(body []byte) bool {
	return len(body) <= mostSaid && (len(bytes.TrimSpace(body)) == 0 || json.Valid(body))
}

// ask sends one request, and returns the answer and the beginning of its body.
func (w *webhook) ask(
	ctx context.Context, method string, address *url.URL, body []byte, token string,
) (*http.Response, []byte, error) {
	if method == http.MethodGet {
		body = nil
	}
	req, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", w.runner.UserAgent)
	if w.runner.Signer != nil {
		if err := w.runner.Signer.sign(req, token, time.Now(), body); err != nil {
			return nil, nil, err
		}
	}
	resp, err := w.runner.HTTP.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(io.LimitReader(resp.Body, mostSaid+1))
	return resp, said, err
}

// next returns the address to request after a 202: the Location, if it belongs to the same consumer, or the URL with
// the token.
func (w *webhook) next(answer *http.Response, token string) (*url.URL, error) {
	location := answer.Header.Get("Location")
	if location == "" {
		again := *w.url
		query := again.Query()
		query.Set("lifecycle_action_token", token)
		again.RawQuery = query.Encode()
		return &again, nil
	}
	address, err := sameOrigin(w.url, location)
	if err != nil {
		return nil, fmt.Errorf("the webhook at %s gave a Location that is not asked: %w", plain(w.url.Host), err)
	}
	return address, nil
}

// sameOrigin resolves a Location, which must have the same scheme, host and port.
func sameOrigin(base *url.URL, location string) (*url.URL, error) {
	address, err := base.Parse(location)
	switch {
	case err != nil:
		return nil, errors.New("it cannot be read")
	case !web.SameOrigin(address, base):
		return nil, errors.New("it has another scheme, host or port, and only the consumer is asked that was posted to")
	}
	address.User, address.Fragment = base.User, "" // the credentials of the configured URL
	return address, nil
}

// longestPause is the longest Retry-After that is obeyed. After a longer one the end of the consumer's work would be
// noticed too late.
const longestPause = 5 * time.Minute

// wait waits as long as the answer asks for, or for the usual pause.
func (w *webhook) wait(ctx context.Context, answer *http.Response) error {
	if answer != nil {
		if pause, ok := wait.RetryAfter(answer.Header.Get("Retry-After"), time.Now(), longestPause); ok {
			return wait.For(ctx, max(pause, time.Second))
		}
	}
	return wait.For(ctx, cmp.Or(w.runner.pause, time.Second))
}

// advice says what to do about a redirect.
func advice(answer *http.Response) string {
	redirect := web.Redirect(answer)
	if redirect == "" {
		return ""
	}
	return redirect + ": give the final address"
}

// untrusted reports whether TLS failed. Waiting does not change that.
func untrusted(err error) bool {
	if err == nil {
		return false
	}
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	_, refused := web.Alert(err)
	return certificate || refused || noTLS || errors.Is(err, http.ErrSchemeMismatch)
}

// Signer signs webhooks as https://www.standardwebhooks.com describes, with one signature for each secret.
type Signer []*standardwebhooks.Webhook // one for each secret

// NewSigner makes a signer from secrets with spaces between them. Each is the base64 text of 24 to 64 random bytes,
// with or without the prefix whsec_. Each of them signs, so that a consumer may have the old or the new secret while
// they are rotated.
func NewSigner(secrets string) (signer Signer, err error) {
	for secret := range strings.SplitSeq(secrets, " ") {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) < 24 || len(key) > 64 {
			return nil, errors.New("a secret for webhooks is the base64 text of 24 to 64 random bytes, such as " +
				"openssl rand -base64 32 prints")
		}
		webhook, err := standardwebhooks.NewWebhookRaw(key)
		if err != nil {
			return nil, err
		}
		signer = append(signer, webhook)
	}
	return signer, nil
}

// sign adds the three headers. The id is the token, so it is the same if a message is sent again. A GET is signed
// with an empty body.
func (s Signer) sign(req *http.Request, token string, now time.Time, body []byte) error {
	signatures := make([]string, len(s))
	for i, webhook := range s {
		var err error
		if signatures[i], err = webhook.Sign(token, now, body); err != nil {
			return err
		}
	}
	req.Header.Set(standardwebhooks.HeaderWebhookID, token)
	req.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	req.Header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return nil
}
