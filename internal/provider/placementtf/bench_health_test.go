package placementtf_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/bench"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// BenchmarkTerraformHealth runs terraform plan on a cluster of 1,000 nodes that nobody
// asks whether they are well, whose services answer, or accept a connection and never
// answer.
func BenchmarkTerraformHealth(b *testing.B) {
	const size = 1_000
	listen := func() (listener net.Listener, health string) {
		listener, err := net.Listen("tcp", "0.0.0.0:0")
		require.NoError(b, err)
		b.Cleanup(func() { _ = listener.Close() })
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		return listener, fmt.Sprintf("  health {\n    http {\n      url = \"http://{address}:%s/health\"\n    }\n  }\n}\n", port)
	}
	answers, well := listen()
	_, silent := listen()
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	go func() { _ = server.Serve(answers) }()
	b.Cleanup(func() { _ = server.Close() })
	var sides []bench.Side
	for _, c := range []struct{ name, health string }{{"without", "}\n"}, {"well", well}, {"silent", silent}} {
		cloud := acctest.NewFake(b, fakecloud.Config{})
		w := measured(b, cloud, strings.TrimSuffix(holdPlaces, "}\n")+c.health)
		apply(b, w, size)
		boot(b, cloud, w)
		n := 0
		for _, region := range []string{"RegionOne", "RegionTwo"} {
			for _, s := range cloud.Fake.Servers(region) {
				n++
				cloud.Fake.UpdateServer(region, s.ID, func(s *fakecloud.Server) {
					s.Network, s.Address = true, fmt.Sprintf("127.78.%d.%d", n/250, n%250+1)
				})
			}
		}
		cloud.Fake.Advance(time.Hour) // the grace is over
		apply(b, w, size)
		sides = append(sides, planned(b, c.name, w, size, false))
	}
	for i, cost := range bench.Compare(b, sides...) {
		b.ReportMetric(cost.Wall.Seconds(), sides[i].Name+"-s")
		b.ReportMetric(cost.CPU.Seconds(), sides[i].Name+"-cpu-s")
	}
}
