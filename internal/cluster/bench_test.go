package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/pagination"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/bench"
	"github.com/stretchr/testify/require"
)

// canned answers every request with one page.
type canned []byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(c)), ContentLength: int64(len(c)), Request: r}, nil
}

// BenchmarkPage reads a page of 1,000 servers, all of the cluster, with this package, and with
// gophercloud's pager and ExtractServers.
func BenchmarkPage(b *testing.B) {
	page := novaPage(1000, "")
	client := &gophercloud.ServiceClient{Endpoint: "http://nova/", Type: "compute",
		ProviderClient: &gophercloud.ProviderClient{HTTPClient: http.Client{Transport: canned(page)}}}
	match, err := Selector{NameRegex: "^web-"}.compile()
	require.NoError(b, err)
	all := func(n int, err error) error {
		if err == nil && n != 1000 {
			err = fmt.Errorf("%d servers", n)
		}
		return err
	}
	costs := bench.Compare(b,
		bench.Side{Name: "reader", Do: func() error {
			var p part
			resp, err := client.Get(b.Context(), client.ServiceURL("servers", "detail"), nil, &gophercloud.RequestOpts{KeepResponseBody: true})
			if err != nil {
				return err
			}
			body, err := io.ReadAll(resp.Body)
			if err == nil {
				_, err = readPage(body, func(s *server) error { return p.add(s, time.Time{}, *match, Query{}) })
			}
			return all(len(p.nodes), err)
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
	reader, theirs := costs[0], costs[1]
	b.ReportMetric(float64(theirs.CPU)/float64(reader.CPU), "times-less-cpu-than-gophercloud")
	b.ReportMetric(theirs.Allocs/reader.Allocs, "times-fewer-allocs-than-gophercloud")
}
