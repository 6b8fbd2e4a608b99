package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Webhook posts the message to a URL. An answer 2xx completes it; 202 says that
// the node still drains: then its Location is asked, or the same URL with the
// token as a query, until the answer is another 2xx. A consumer that cannot be
// reached, or answers 429 or 5xx, is asked again until the hook times out; any
// other answer is a failure.
//
// Posting again is safe: the token is the same.
type Webhook struct {
	Client *http.Client // must not follow redirects; see [NewClient]
	URL    string       // may have a secret in it, and is told to nobody

	Pause time.Duration // between two requests; 0: a second
}

// NewClient is a client for webhooks that uses the transport, and gives a
// request up after the timeout. It does not follow redirects: what was meant for
// one address goes to no other, and a redirected POST would lose its body.
func NewClient(transport http.RoundTripper, timeout time.Duration) *http.Client {
	return &http.Client{
		Transport:     transport,
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// posted is the receipt of a webhook: posting again is safe, so it says no more.
const posted = "posted"

// Run implements [Hook].
func (w *Webhook) Run(ctx context.Context, m Message, _ string, out func(string)) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	target, err := url.Parse(w.URL)
	if err != nil {
		return errors.New("the URL of the webhook cannot be read")
	}
	method, address := http.MethodPost, target
	state := "could not be reached"
	for {
		answer, err := w.ask(ctx, method, address, body)
		switch {
		case err != nil: // not reached: again
		case answer.StatusCode == http.StatusAccepted:
			out(posted)
			if method, address, err = w.next(target, answer, m.Token); err != nil {
				return err
			}
		case answer.StatusCode/100 == 2:
			out(posted)
			return nil
		case answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode/100 != 5:
			return fmt.Errorf("the webhook at %s answered %s%s", target.Host, answer.Status, whereTo(answer))
		}
		if err == nil {
			state = "last answered " + answer.Status
		}
		if err := sleep(ctx, w.pause()); err != nil {
			return fmt.Errorf("%w; the webhook at %s %s", err, target.Host, state)
		}
	}
}

func (w *Webhook) pause() time.Duration {
	if w.Pause == 0 {
		return time.Second
	}
	return w.Pause
}

// ask sends one request and reads the answer to its end.
func (w *Webhook) ask(ctx context.Context, method string, address *url.URL, body []byte) (*http.Response, error) {
	if method == http.MethodGet {
		body = nil
	}
	req, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := w.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	return resp, err
}

// next is where to ask after a 202.
func (w *Webhook) next(target *url.URL, answer *http.Response, token string) (method string, address *url.URL, err error) {
	if location := answer.Header.Get("Location"); location != "" {
		address, err := target.Parse(location)
		if err != nil || address.Scheme != "http" && address.Scheme != "https" {
			return "", nil, fmt.Errorf("the webhook at %s gave a Location that cannot be asked", target.Host)
		}
		return http.MethodGet, address, nil
	}
	again := *target
	query := again.Query()
	query.Set("lifecycle_action_token", token)
	again.RawQuery = query.Encode()
	return http.MethodGet, &again, nil
}

// whereTo tells the host of a redirect that is not followed.
func whereTo(answer *http.Response) string {
	location, err := answer.Location()
	if err != nil {
		return ""
	}
	return ", a redirect to " + location.Host + ", which is not followed: give the final address"
}
