package readiness

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/web"
)

const (
	connectTime = 5 * time.Second  // for a TCP connection
	answerTime  = 10 * time.Second // for an answer over HTTP, from the connection to the end of the body
	mostBody    = 64 << 10         // bytes of an answer that are read
)

// TCP is a port that accepts connections.
type TCP struct {
	Port int64
}

// look returns what is wrong, or "".
func (c *TCP) look(ctx context.Context, n Node) string {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	address := net.JoinHostPort(PlainAddress(n.Address), strconv.FormatInt(c.Port, 10))
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return fmt.Sprintf("no connection to %s: %s", address, web.Reason(err))
	}
	_ = connection.Close()
	return ""
}

// HTTP is a GET request that is answered with one of the statuses.
type HTTP struct {
	URL    URL
	Status Statuses
	Client *http.Client // see [web.NewClient]; how it times out and follows redirects is decided here
}

// follow follows redirects only to where the request was sent in the first place:
// no other host can answer for a node.
func follow(req *http.Request, via []*http.Request) error {
	if len(via) > 5 || !web.SameOrigin(req.URL, via[0].URL) {
		return http.ErrUseLastResponse
	}
	return nil
}

// look returns what is wrong, or "".
func (c *HTTP) look(ctx context.Context, n Node) string {
	address, err := c.URL.For(n.Name, n.Address)
	if err != nil {
		return err.Error()
	}
	// A proxy could answer for a node that is not there.
	req, err := http.NewRequestWithContext(web.Direct.On(ctx), http.MethodGet, address.String(), nil)
	if err != nil {
		return "its URL cannot be asked"
	}
	req.Close = true // each look makes a connection, as a user of the service does
	client := *c.Client
	client.Timeout, client.CheckRedirect = answerTime, follow
	shown := fmt.Sprintf("GET %s://%s%s", address.Scheme, address.Host, text.Clean(address.EscapedPath())) // a query may have a secret in it
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Sprintf("%s: %s", shown, web.Reason(err))
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, mostBody))
	switch {
	case !c.Status.has(resp.StatusCode):
		return fmt.Sprintf("%s answered %s%s", shown, web.Status(resp), web.Redirect(resp))
	case err != nil:
		return fmt.Sprintf("%s: the answer breaks off: %s", shown, web.Reason(err))
	}
	return ""
}
