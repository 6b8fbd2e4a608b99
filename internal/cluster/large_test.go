package cluster_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/bench"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// The large cloud has 4 regions of 25 pages of 1,000 servers, and takes 20 ms more for each answer.
const (
	largeRegions   = 4
	largePerRegion = 25_000
	largeDelay     = 20 * time.Millisecond
	serveLarge     = "STACKPOLICY_SERVE_LARGE_CLOUD"
)

// TestMain serves the large cloud if a benchmark starts this program for it. The cloud has a process of its own, so
// that the reader's CPU time is measured without it.
func TestMain(m *testing.M) {
	if os.Getenv(serveLarge) == "" {
		os.Exit(m.Run())
	}
	var config fakecloud.Config
	for i := range largeRegions {
		config.Regions = append(config.Regions, fakecloud.Region{Name: fmt.Sprintf("Region%d", i),
			Zones: []fakecloud.Zone{{Name: "az-1", Hosts: []string{"a", "b"}}, {Name: "az-2", Hosts: []string{"c"}}}})
	}
	debug.SetGCPercent(-1) // the garbage collector would look through 100,000 servers and slow each answer
	debug.SetMemoryLimit(1 << 30)
	fake := fakecloud.New(config)
	for _, region := range config.Regions {
		servers := make([]fakecloud.Server, largePerRegion)
		for i := range servers {
			servers[i] = fakecloud.Server{Name: fmt.Sprintf("web-%06d", i), Zone: region.Zones[i%2].Name, Network: true}
		}
		fake.AddServers(region.Name, servers...)
	}
	fake.Inject(fakecloud.Fault{Effect: fakecloud.Delay, Delay: largeDelay, Times: fakecloud.Forever})
	if err := fake.Listen("127.0.0.1:0"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(fake.AuthURL())
	_, _ = io.Copy(io.Discard, os.Stdin) // until the benchmark ends
}

// startLarge starts the large cloud and returns a function that reads servers of its regions with a new login each
// time.
func startLarge(b *testing.B) func(name string, regions ...string) ([]node.Node, error) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), serveLarge+"=1"), os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(b, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(b, err)
	return func(name string, regions ...string) ([]node.Node, error) {
		cloud, err := openstack.New(openstack.Config{AuthURL: strings.TrimSpace(address), UserName: fakecloud.MemberUser, Password: fakecloud.Password,
			TenantName: fakecloud.MemberProject, DefaultDomain: fakecloud.DomainID})
		if err != nil {
			return nil, err
		}
		return cluster.Read(b.Context(), cloud, cluster.Query{Regions: regions, Selector: cluster.Selector{NameRegex: name}})
	}
}

func largeNames() []string {
	names := make([]string, largeRegions)
	for i := range names {
		names[i] = fmt.Sprintf("Region%d", i)
	}
	return names
}

// BenchmarkReadRegions reads the large cloud: all regions at once, and each by itself.
func BenchmarkReadRegions(b *testing.B) {
	read := startLarge(b)
	side := func(name string, regions ...string) bench.Side {
		return bench.Side{Name: name, Do: func() error {
			nodes, err := read("^web-", regions...)
			if err == nil && len(nodes) != len(regions)*largePerRegion {
				err = fmt.Errorf("%d nodes", len(nodes))
			}
			return err
		}}
	}
	sides := []bench.Side{side("all", largeNames()...)}
	for _, region := range largeNames() {
		sides = append(sides, side(region, region))
	}
	costs := bench.Compare(b, sides...)
	var slowest time.Duration
	for _, c := range costs[1:] {
		slowest = max(slowest, c.Wall)
	}
	b.ReportMetric(bench.Milliseconds(costs[0].Wall), "all-ms")
	b.ReportMetric(bench.Milliseconds(slowest), "slowest-ms")
	b.ReportMetric(float64(costs[0].Wall)/float64(slowest), "times-slowest-region")
}
