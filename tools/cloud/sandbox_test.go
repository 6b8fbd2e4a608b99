package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOperations: a fault is listed until it is repaired, and an unknown name is an error. A server answers unless
// Nova or its host has a fault; the clock is the real one.
func TestOperations(t *testing.T) {
	p := newSandbox("127.0.0.1:1")
	p.cloud.AddServers("RegionOne", fakecloud.Server{Name: "web-0", Host: "r1-cmp-3"})
	do := func(method, path string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest(method, p.url+path, nil)
		p.handler().ServeHTTP(w, r)
		return w
	}
	clock := func() time.Time {
		now, err := http.ParseTime(do("GET", "/identity/v3").Header().Get("Date"))
		if err != nil || time.Since(now).Abs() > time.Hour {
			t.Fatalf("the cloud's clock shows %v, %v", now, err)
		}
		return now
	}
	for first, tries := clock(), 0; clock().Sub(first) < 2*time.Second; tries++ { // ends a pause of that length
		require.Less(t, tries, 600, "the cloud's clock stands still")
		time.Sleep(100 * time.Millisecond)
	}
	silences := []string{"host/RegionOne/r1-cmp-3", "service/RegionOne/web-0", "stop/RegionOne/web-0", "error/RegionOne/web-0"}
	for _, what := range append([]string{"nova/RegionTwo", "quota/RegionOne", "zone/RegionOne/az-2"}, silences...) {
		if w := do("POST", "/break/"+what); w.Code != 200 || !slices.Equal(p.state().Broken, []string{what}) {
			t.Errorf("%s: %d %s, broken is %v", what, w.Code, w.Body, p.state().Broken)
		}
		assert.Equal(t, slices.Contains(silences, what), do("GET", "/health/web-0").Code != 200, "%s: the service is silent", what)
		do("POST", "/repair/"+what)
		if now := p.state(); len(now.Broken) != 0 || !now.Servers[0].Answers {
			t.Errorf("%s is repaired: %+v", what, now)
		}
	}
	for _, what := range []string{"zone/RegionOne/az-9", "host/RegionOne/x", "nova/RegionX", "stop/RegionTwo/web-0",
		"flood/RegionOne/web-0"} {
		if w := do("POST", "/break/"+what); w.Code != 404 || w.Body.Len() == 0 {
			t.Errorf("%s: %d %s", what, w.Code, w.Body)
		}
	}
	do("POST", "/break/delete/RegionOne/web-0")
	assert.Empty(t, p.state().Servers, "it is deleted")
	assert.Empty(t, p.state().Broken)
	page := do("GET", "/page/")
	assert.Contains(t, page.Body.String(), "A cloud to play on")
	assert.Equal(t, "frame-ancestors 'none'", page.Header().Get("Content-Security-Policy"))
}
