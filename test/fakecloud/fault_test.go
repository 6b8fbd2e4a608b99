package fakecloud

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFaultAnswers(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	page := "<html><body>Please log in</body></html>"
	for _, row := range []struct {
		name   string
		fault  Fault
		what   string
		header string // expected header, as "Key: value"
		want   string
	}{
		{"rate limit", Fault{Status: 429, Header: http.Header{"retry-after": {"7"}}}, "compute /servers", "Retry-After: 7",
			`{"overLimit":{"code":429,"message":"Too Many Requests","retryAfter":"7"}}`},
		{"rate limit without a date", Fault{Status: 429}, "compute /servers", "Retry-After: ",
			`{"overLimit":{"code":429,"message":"Too Many Requests"}}`},
		{"nova", Fault{Status: 500}, "compute /servers", "Content-Type: application/json",
			`{"computeFault":{"code":500,"message":"Internal Server Error"}}`},
		{"keystone", Fault{Status: 503}, "identity /regions", "Content-Type: application/json",
			`{"error":{"code":503,"message":"Service Unavailable","title":"Service Unavailable"}}`},
		{"glance", Fault{Status: 503}, "image /images", "",
			`{"message":"Service Unavailable<br /><br />\n\n\n","code":"503 Service Unavailable","title":"Service Unavailable"}`},
		{"html", Fault{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: page}, "compute /servers", "Content-Type: text/html", page},
		{"malformed", Fault{Status: 200, Body: `{"servers": [{"id": `}, "compute /servers", "Content-Type: application/json", `{"servers": [{"id": `},
		{"nothing", Fault{Status: 204}, "compute /servers", "Content-Length: ", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := c.Inject(row.fault)
			a := k.ask("GET "+row.what, "")
			key, value, _ := strings.Cut(row.header, ": ")
			if a.status != row.fault.Status || strings.TrimSpace(a.body) != strings.TrimSpace(row.want) || a.header.Get(key) != value {
				t.Errorf("%d %v %s", a.status, a.header, a.body)
			}
			assert.Equal(t, 1, in.Fired(), "fired")
			assert.Less(t, k.ask("GET "+row.what, "").status, 300, "then")
		})
	}
}

// TestFaultActs: the state changes or not, whatever answer the client gets.
func TestFaultActs(t *testing.T) {
	for _, row := range []struct {
		name  string
		fault Fault
		acted bool
		fails bool // reports whether the client gets no answer, or half of one
	}{
		{"error before", Fault{Status: 503}, false, false},
		{"error after", Fault{Status: 503, Acts: true}, true, false},
		{"reset before", Fault{Effect: Reset}, false, true},
		{"reset after", Fault{Effect: Reset, Acts: true}, true, true},
		{"truncate", Fault{Effect: Truncate}, true, true},
		{"delay", Fault{Effect: Delay, Delay: time.Millisecond}, true, false},
		{"hang before", Fault{Effect: Hang}, false, true},
		{"hang after", Fault{Effect: Hang, Acts: true}, true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := Start(t, Config{})
			k := login(t, c, "member")
			row.fault.Method = "POST"
			in := c.Inject(row.fault)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if row.fault.Effect == Hang {
				go func() {
					<-in.Hit()
					cancel()
				}()
			}
			_, err := k.attempt(ctx, "POST compute /os-server-groups", `{"server_group": {"name": "g", "policies": ["affinity"]}}`)
			assert.Equal(t, row.fails, err != nil, "err is %v", err)
			assert.True(t, row.fault.Effect != Reset || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF), "not a reset: %v", err)
			assert.Equal(t, row.acted, len(c.ServerGroups("RegionOne")) == 1, "acted")
			assert.Equal(t, 1, c.Count("POST compute /os-server-groups"), "requests")
			assert.Equal(t, 1, in.Fired(), "faults")
			for _, r := range c.Requests() {
				if silent := row.fault.Effect == Reset || row.fault.Effect == Hang; r.Service == Compute && (r.Status == 0) != silent {
					t.Errorf("on record as %d", r.Status)
				}
			}
		})
	}
}

// TestHang: a hanging request blocks no other, and Close ends it.
func TestHang(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	in := c.Inject(Fault{Effect: Hang, Path: "/servers", Times: 3})
	var hanging sync.WaitGroup
	failed := make(chan error, 3)
	for range 3 {
		hanging.Go(func() {
			_, err := k.attempt(context.Background(), "GET compute /servers", "")
			failed <- err
		})
	}
	for in.Fired() < 3 {
		time.Sleep(time.Millisecond)
	}
	k.must(200, "GET compute /flavors/detail", "")
	k.must(200, "GET compute /servers", "")
	require.Empty(t, failed, "requests that hang have not ended")
	c.Close()
	hanging.Wait()
	for range 3 {
		assert.Error(t, <-failed, "a request that hangs got an answer")
	}
	_, err := k.attempt(t.Context(), "GET compute /servers", "")
	assert.Error(t, err, "a closed cloud answers")
	c.Close()
}
