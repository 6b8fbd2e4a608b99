package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/proxied"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestProxy: requests to a user's service use a proxy of the environment, over https as a tunnel. A guarded request
// never does.
func TestProxy(t *testing.T) {
	direct := func(ctx context.Context) context.Context { return ctx }
	guarded := func(ctx context.Context) context.Context { return Guarded(ctx, func(string) error { return nil }) }
	for i, c := range []struct {
		address string
		way     func(context.Context) context.Context
		want    []string
	}{
		{"http://consumer.invalid", direct, []string{"POST http://consumer.invalid/drain?key=secret"}},
		{"https://consumer.invalid", direct, []string{"CONNECT consumer.invalid:443"}},
		{"http://consumer.invalid", guarded, nil},
		{"https://consumer.invalid", guarded, nil},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			assert.Equal(t, c.want, proxied.Seen(t, func() {
				req, err := http.NewRequestWithContext(c.way(t.Context()), http.MethodPost, c.address+"/drain?key=secret", strings.NewReader("{}"))
				require.NoError(t, err)
				if resp, err := NewClient(nil, 10*time.Second).Do(req); err == nil {
					_ = resp.Body.Close()
				}
			}), c.address)
		})
	}
}
