package hook

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/web"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// consumer answers requests with the handlers in turn, the last one for ever, and records the requests.
type consumer struct {
	mu      sync.Mutex
	last    time.Time
	got     []string // method, path and query; before that, the time without a request if it was a second or more
	bodies  []string
	headers []http.Header
	answers []http.HandlerFunc
}

func (c *consumer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	what := r.Method + " " + r.URL.RequestURI()
	if pause := time.Since(c.last); pause >= time.Second && len(c.got) > 0 {
		what = fmt.Sprintf("after %s %s", pause, what)
	}
	c.last, c.got = time.Now(), append(c.got, what)
	c.bodies, c.headers = append(c.bodies, string(body)), append(c.headers, r.Header)
	answer := c.answers[min(len(c.got), len(c.answers))-1]
	c.mu.Unlock()
	answer(w, r)
}

func answer(code int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
	}
}

func says(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	}
}

func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func reset(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// inProcess is a consumer without a network, for a bubble of synctest, in which time passes when all goroutines wait.
type inProcess struct{ http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	defer r.Body.Close()
	defer func() {
		if broken := recover(); broken != nil {
			err = io.ErrUnexpectedEOF // as if the connection were lost
		}
	}()
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	answer = w.Result()
	answer.Request = r
	return answer, r.Context().Err()
}

// hookAt is a webhook with short pauses.
func hookAt(t *testing.T, address string, consumer http.RoundTripper) hook {
	t.Helper()
	client := web.NewClient(nil, time.Hour)
	if consumer != nil {
		client.Transport = consumer
	}
	spec := Spec{Type: Webhook, URL: address}
	w, err := spec.make(&Runner{HTTP: client, UserAgent: "agent/1", pause: time.Second / 2})
	require.NoError(t, err)
	return w
}

// TestWebhook: what each answer of a consumer leads to. A pause that the consumer asks for is kept, up to five
// minutes.
func TestWebhook(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []http.HandlerFunc
		got     string
		err     string
	}{
		{"done at once", []http.HandlerFunc{answer(200)}, "POST /hook?key=secret", ""},
		{"done without words", []http.HandlerFunc{answer(204)}, "POST /hook?key=secret", ""},
		{"drains, and tells where to ask", []http.HandlerFunc{answer(202, "Location", "/jobs/7"), answer(202), answer(200)},
			"POST /hook?key=secret, GET /jobs/7, GET /hook?key=secret&lifecycle_action_token=t-1", ""},
		{"drains, and is asked again", []http.HandlerFunc{answer(202), answer(202), answer(200)},
			"POST /hook?key=secret, GET /hook?key=secret&lifecycle_action_token=t-1, GET /hook?key=secret&lifecycle_action_token=t-1", ""},
		{"done, and says so in JSON", []http.HandlerFunc{says("application/json", ` {"drained": true} `)}, "POST /hook?key=secret", ""},
		{"done, with a blank line", []http.HandlerFunc{says("text/plain", "\n")}, "POST /hook?key=secret", ""},
		{"shows a login page", []http.HandlerFunc{says("text/html; charset=utf-8", "<html>Log in</html>")}, "POST /hook?key=secret",
			"answered 200 OK with a text that is not JSON (text/html), as a login page or a proxy does"},
		{"shows one that is called JSON", []http.HandlerFunc{says("application/json", "<html>Log in</html>")}, "POST /hook?key=secret",
			"is not JSON (application/json)"},
		{"shows one when it is asked again", []http.HandlerFunc{answer(202), says("text/html", "<html>")},
			"POST /hook?key=secret, GET /hook?key=secret&lifecycle_action_token=t-1", "is not JSON (text/html)"},
		{"fails for now", []http.HandlerFunc{answer(503), answer(429), answer(200)}, "POST /hook?key=secret, POST /hook?key=secret, POST /hook?key=secret", ""},
		{"loses the connection", []http.HandlerFunc{reset, answer(200)}, "POST /hook?key=secret, POST /hook?key=secret", ""},
		{"refuses", []http.HandlerFunc{answer(403)}, "POST /hook?key=secret", "answered 403 Forbidden"},
		{"is not there", []http.HandlerFunc{answer(404), answer(200)}, "POST /hook?key=secret", "answered 404 Not Found"},
		{"begins again", []http.HandlerFunc{answer(202), answer(404), answer(202), answer(200)},
			"POST /hook?key=secret, GET /hook?key=secret&lifecycle_action_token=t-1, POST /hook?key=secret, GET /hook?key=secret&lifecycle_action_token=t-1",
			""},
		{"forgets what it drains", []http.HandlerFunc{answer(202), answer(404), answer(202), answer(404)},
			"POST /hook?key=secret, GET /hook?key=secret&lifecycle_action_token=t-1, POST /hook?key=secret, GET /hook?key=secret&lifecycle_action_token=t-1",
			"answered 404 Not Found"},
		{"does not know it", []http.HandlerFunc{answer(202), answer(404), answer(404)},
			"POST /hook?key=secret, GET /hook?key=secret&lifecycle_action_token=t-1, POST /hook?key=secret", "answered 404 Not Found"},
		{"redirects", []http.HandlerFunc{answer(307, "Location", "https://elsewhere.example/hook")}, "POST /hook?key=secret",
			"answered 307 Temporary Redirect, a redirect to another host, which is not followed: give the final address"},
		{"tells where to ask in full", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			answer(202, "Location", "HTTP://"+r.Host+"/jobs/7#x")(w, r)
		}, answer(200)}, "POST /hook?key=secret, GET /jobs/7", ""},
		{"sends to another host", []http.HandlerFunc{answer(202, "Location", "http://elsewhere.example/jobs/7")}, "POST /hook?key=secret",
			"gave a Location that is not asked: it has another scheme, host or port"},
		{"sends to what is no address", []http.HandlerFunc{answer(202, "Location", "http://[::1/")}, "POST /hook?key=secret",
			"gave a Location that is not asked: it cannot be read"},
		{"asks for a pause", []http.HandlerFunc{answer(503, "Retry-After", "2"), answer(200)}, "POST /hook?key=secret, after 2s POST /hook?key=secret", ""},
		{"asks for no pause", []http.HandlerFunc{answer(202, "Retry-After", "0"), answer(200)}, // must not lead to a request without a pause
			"POST /hook?key=secret, after 1s GET /hook?key=secret&lifecycle_action_token=t-1", ""},
		{"asks for years", []http.HandlerFunc{answer(429, "Retry-After", "9223372037"), answer(200)},
			"POST /hook?key=secret, after 5m0s POST /hook?key=secret", ""},
		{"asks for more years", []http.HandlerFunc{answer(429, "Retry-After", "9223372037")}, "POST /hook?key=secret, after 5m0s POST /hook?key=secret",
			"too late; the webhook at 127.0.0.1:8080 last answered 429 Too Many Requests"},
		{"always drains", []http.HandlerFunc{answer(202)}, "", "last answered 202 Accepted"},
		{"always fails", []http.HandlerFunc{answer(500)}, "", "last answered 500 Internal Server Error"},
		{"never answers", []http.HandlerFunc{silent}, "POST /hook?key=secret", "could not be reached"},
		{"always loses the connection", []http.HandlerFunc{reset}, "", "too late; the webhook at 127.0.0.1:8080 could not be reached: unexpected EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				consumer := &consumer{answers: c.answers}
				ctx, cancel := context.WithTimeoutCause(t.Context(), 7*time.Minute, errors.New("too late"))
				defer cancel()
				w := hookAt(t, "http://127.0.0.1:8080/hook?key=secret", inProcess{consumer})
				m := Message{Token: "t-1", NodeID: "n-1", Transition: Termination, Region: "R", NodeName: "web-1", Cluster: "web"}
				err := w(ctx, m)
				require.Contains(t, fmt.Sprint(err), cmp.Or(c.err, "<nil>"))
				assert.NotRegexp(t, "secret|t-1", fmt.Sprint(err), "a secret")
				consumer.mu.Lock()
				defer consumer.mu.Unlock()
				if got := strings.Join(consumer.got, ", "); c.got != "" && got != c.got {
					t.Errorf("got %s, want %s", got, c.got)
				}
				var sent Message
				require.NoError(t, json.Unmarshal([]byte(consumer.bodies[0]), &sent))
				m.Consumer = "127.0.0.1:8080"
				assert.Equal(t, m, sent)
				for i, headers := range consumer.headers {
					kind := map[bool]string{true: "application/json"}[strings.Contains(consumer.got[i], "POST")]
					assert.Equal(t, []string{kind, "agent/1"}, []string{headers.Get("Content-Type"), headers.Get("User-Agent")}, consumer.got[i])
				}
			})
		})
	}
}

// TestWebhookTLS: a consumer whose certificate is not trusted fails at once, and the error has the reason. The given
// authorities are trusted in addition to the system's.
func TestWebhookTLS(t *testing.T) {
	serve := func(how *tls.Config) *httptest.Server {
		s := httptest.NewUnstartedServer(answer(200))
		s.TLS, s.Config.ErrorLog = how, log.New(io.Discard, "", 0) // errors of refused handshakes
		s.StartTLS()
		t.Cleanup(s.Close)
		return s
	}
	consumer, needsClient := serve(nil), serve(&tls.Config{ClientAuth: tls.RequireAnyClientCert})
	plainHTTP := httptest.NewServer(answer(200))
	defer plainHTTP.Close()
	ssh, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ssh.Close()
	go func() {
		for connection, err := ssh.Accept(); err == nil; connection, err = ssh.Accept() {
			_, _ = io.WriteString(connection, "SSH-2.0-OpenSSH_9.2p1\r\n")
			_, _ = connection.Read(make([]byte, 1<<10)) // an earlier close would discard the answer
			_ = connection.Close()
		}
	}()
	pemText := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: consumer.Certificate().Raw})
	trusting, err := web.Authorities(pemText)
	require.NoError(t, err)
	_, err = web.Authorities([]byte("nothing"))
	assert.ErrorContains(t, err, "there is no certificate in it")
	for _, c := range []struct {
		name, url   string
		authorities *x509.CertPool
		err         string
	}{
		{"trusted", consumer.URL, trusting, ""},
		{"not trusted", consumer.URL, nil, "is not trusted: tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		{"another name", strings.Replace(consumer.URL, "127.0.0.1", "localhost", 1), trusting,
			"is not trusted: tls: failed to verify certificate: x509: certificate is valid for"},
		{"wants a certificate of ours", needsClient.URL, trusting, "is not trusted: remote error: tls: "},
		{"speaks no TLS", strings.Replace(plainHTTP.URL, "http:", "https:", 1), trusting, "is not trusted: http: server gave HTTP response to HTTPS client"},
		{"is no web server", "https://" + ssh.Addr().String(), trusting, "is not trusted: tls: first record does not look like a TLS handshake"},
	} {
		spec := Spec{Type: Webhook, URL: c.url + "/?key=secret"}
		w, err := spec.make(&Runner{HTTP: web.NewClient(c.authorities, time.Minute), pause: time.Hour})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		err = w(ctx, Message{Token: "t-1"})
		assert.Contains(t, fmt.Sprint(err), cmp.Or(c.err, "<nil>"), c.name)
		assert.NotContains(t, fmt.Sprint(err), "secret", c.name)
	}
}

// TestWebhookSigned: a consumer with the library of the standard accepts all requests, and refuses one with another
// body.
func TestWebhookSigned(t *testing.T) {
	const secret, former = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwEXAMPLE=", "Zm9ybWVyLUdLWXFyVHdqVVBEOElMUFpJbzI="
	verifier, err := standardwebhooks.NewWebhook(secret)
	require.NoError(t, err)
	requests := 0
	consumer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		body, _ := io.ReadAll(r.Body)
		assert.NoError(t, verifier.Verify(body, r.Header), r.Method)
		assert.Error(t, verifier.Verify(append(body, '!'), r.Header), "%s: another body", r.Method)
		assert.Equal(t, []string{"t-1", "agent/1"}, []string{r.Header.Get("Webhook-Id"), r.UserAgent()}, r.Method)
		if requests < 3 {
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	defer consumer.Close()
	signer, err := NewSigner(former + " " + secret)
	require.NoError(t, err)
	w := &webhook{runner: &Runner{HTTP: web.NewClient(nil, time.Minute), Signer: signer, UserAgent: "agent/1", pause: time.Millisecond}}
	w.url, err = url.Parse(consumer.URL)
	require.NoError(t, err)
	assert.NoError(t, w.run(t.Context(), Message{Token: "t-1"}))
	assert.Equal(t, 3, requests)
	for _, bad := range []string{"", "short", "whsec_c2hvcnQ=", strings.Repeat("QUFB", 30), "not base64, and long enough to be a secret"} {
		if _, err := NewSigner(bad); err == nil || (bad != "" && strings.Contains(err.Error(), bad)) {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

// TestWebhookHuge: an endless answer is not read to its end, and does not complete the hook.
func TestWebhookHuge(t *testing.T) {
	consumer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		chunk := []byte(strings.Repeat("[", 1<<16))
		for r.Context().Err() == nil {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer consumer.Close()
	assert.ErrorContains(t, hookAt(t, consumer.URL, nil)(t.Context(), Message{}), "of at most 64 KiB")
}
