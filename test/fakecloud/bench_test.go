package fakecloud

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

// fourRegions is a cloud of as many servers as a very large cluster has.
func fourRegions(t testing.TB, perRegion int) *Cloud {
	var config Config
	for i := range 4 {
		config.Regions = append(config.Regions, Region{Name: fmt.Sprintf("Region%d", i), Zones: []Zone{
			{"az-1", []string{"a", "b"}}, {"az-2", []string{"c"}}, {"az-3", []string{"d"}},
		}})
	}
	c := Start(t, config)
	tags, metadata := []string{"cluster=c"}, map[string]string{"role": "node"}
	servers := make([]Server, perRegion)
	for _, r := range config.Regions {
		for i := range servers {
			servers[i] = Server{Name: fmt.Sprintf("node-%06d", i), Zone: r.Zones[i%3].Name, Tags: tags, Metadata: metadata}
		}
		c.AddServers(r.Name, servers...)
	}
	return c
}

// TestManyServers: a hundred thousand servers cost little to hold and to list.
func TestManyServers(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c := fourRegions(t, 25_000)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if size := int64(after.HeapAlloc-before.HeapAlloc) / 100_000; size > 1500 {
		t.Errorf("a server takes %d bytes", size)
	}
	k := login(t, c, "member")
	seen, marker := 0, ""
	for {
		doc := k.must(200, "GET raw /compute/Region2/v2.1/servers?limit=1000&name=node&marker="+marker, "").object(t)
		page := doc["servers"].([]any)
		if seen += len(page); len(page) < 1000 {
			break
		}
		marker = page[999].(map[string]any)["id"].(string)
	}
	assert.Equal(t, 25_000, seen, "servers")
}

// newRequest is a request of the member that goes straight to the cloud.
func newRequest(b *testing.B, c *Cloud, target string) *http.Request {
	b.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Header.Set("X-Auth-Token", login(b, c, "member").token)
	r.Header.Set("OpenStack-API-Version", "compute 2.79")
	return r
}

// BenchmarkPage is a page of 1,000 servers of 25,000, without the way there.
func BenchmarkPage(b *testing.B) {
	c := fourRegions(b, 25_000)
	middle := c.Servers("Region1")[12_000].ID
	for _, query := range []string{
		"servers/detail?limit=1000", "servers?limit=1000", "servers/detail?marker=" + middle, "servers/detail?limit=1000&name=%5Enode-",
		"servers/detail?limit=1000&tags=cluster%3Dc", "servers/detail?limit=1000&tags=other",
	} {
		b.Run(query, func(b *testing.B) {
			r := newRequest(b, c, "/compute/Region1/v2.1/"+query)
			for b.Loop() {
				w := httptest.NewRecorder()
				c.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatalf("%d %s", w.Code, w.Body)
				}
				b.ReportMetric(float64(w.Body.Len()), "bytes")
			}
			c.ResetRequests()
		})
	}
}

func BenchmarkAddServers(b *testing.B) {
	for b.Loop() {
		fourRegions(b, 25_000).Close()
	}
}

// BenchmarkCreate is a POST, the way included.
func BenchmarkCreate(b *testing.B) {
	c := Start(b, Config{})
	k := login(b, c, "member")
	for b.Loop() {
		k.server("node", "")
	}
}
