package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/proxied"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestProxy: what goes to a user's service over http goes to no proxy of the
// environment unless the user says so, and over https only through a tunnel.
func TestProxy(t *testing.T) {
	const overTLS = "CONNECT consumer.invalid:443"
	for i, c := range []struct {
		address string
		way     Way
		want    []string
	}{
		{"http://consumer.invalid", Tunnel, nil},
		{"https://consumer.invalid", Tunnel, []string{overTLS}},
		{"http://consumer.invalid", Direct, nil},
		{"https://consumer.invalid", Direct, nil},
		{"http://consumer.invalid", Proxied, []string{"POST http://consumer.invalid/drain?key=secret"}},
		{"https://consumer.invalid", Proxied, []string{overTLS}},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			assert.Equal(t, c.want, proxied.Seen(t, func() {
				req, err := http.NewRequestWithContext(c.way.On(t.Context()), http.MethodPost, c.address+"/drain?key=secret", strings.NewReader("{}"))
				require.NoError(t, err)
				if resp, err := NewClient(nil, 10*time.Second).Do(req); err == nil {
					_ = resp.Body.Close()
				}
			}), "%s, way %d", c.address, c.way)
		})
	}
}
