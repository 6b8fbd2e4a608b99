package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/pagination"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/bench"
)

// canned answers every request with one page.
type canned []byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(c)), ContentLength: int64(len(c)), Request: r}, nil
}

// BenchmarkPage reads a page of 1,000 servers, all of the cluster, as this
// package does, by encoding/json, and by gophercloud's pager and ExtractServers.
func BenchmarkPage(b *testing.B) {
	page := novaPage(1000, "")
	client := &gophercloud.ServiceClient{Endpoint: "http://nova/", Type: "compute",
		ProviderClient: &gophercloud.ProviderClient{HTTPClient: http.Client{Transport: canned(page)}}}
	keys := Keys{Tainted: "stackpolicy_tainted", Protected: "stackpolicy_protected"}
	match, err := Selector{NameRegex: "^web-"}.compile()
	if err != nil {
		b.Fatal(err)
	}
	all := func(n int, err error) error {
		if err == nil && n != 1000 {
			err = fmt.Errorf("%d servers", n)
		}
		return err
	}
	costs := bench.Compare(b,
		bench.Side{Name: "decoder", Do: func() error {
			var p part
			resp, err := client.Get(b.Context(), client.ServiceURL("servers", "detail"), nil, &gophercloud.RequestOpts{KeepResponseBody: true})
			if err != nil {
				return err
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				return err
			}
			_, _, err = newDecoder(nil, keys).page(body, func(s *server) error { return p.take(s, *match, Query{Keys: keys}) })
			return all(len(p.nodes), err)
		}},
		bench.Side{Name: "encoding-json", Do: func() error {
			list, _, err := decodeSlowly(page)
			return all(len(list), err)
		}},
		bench.Side{Name: "gophercloud", Do: func() error {
			n := 0
			err := servers.List(client, nil).EachPage(b.Context(), func(_ context.Context, page pagination.Page) (bool, error) {
				list, err := servers.ExtractServers(page)
				n += len(list)
				return true, err
			})
			return all(n, err)
		}})
	b.ReportMetric(float64(costs[2].CPU)/float64(costs[0].CPU), "times-less-cpu")
	b.ReportMetric(costs[2].Allocs/costs[0].Allocs, "times-fewer-allocs")
}
