package cluster_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDecodeAtOnce: regions that answer just below the bound, all at once, take less than 200 MiB together, with the
// fake cloud. Ten regions take 10 MiB more than three: 93 MiB.
func TestDecodeAtOnce(t *testing.T) {
	const servers, most = 1_000, 200 << 20
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // as users have it
	var config fakecloud.Config
	query := cluster.Query{Selector: cluster.Selector{NameRegex: "^"}, NoProfiles: true, Attached: true}
	for i := range 3 {
		query.Regions = append(query.Regions, fmt.Sprint("Region", i))
		config.Regions = append(config.Regions, fakecloud.Region{Name: query.Regions[i], Zones: []fakecloud.Zone{{Name: "az", Hosts: []string{"h"}}}})
	}
	var metadata strings.Builder // 128 entries, as many as Nova allows
	for i := range 128 {
		fmt.Fprintf(&metadata, `"%d": "%s", `, i, strings.Repeat("x", 249))
	}
	rest := `", "name": "web", "status": "ACTIVE", "metadata": {` + metadata.String() + `"last": ""}}`
	fake := fakecloud.Start(t, config)
	answers := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"servers": [`)
		for i := range servers {
			fmt.Fprintf(w, `%s{"id": "%d`, strings.Repeat(",", min(i, 1)), i)
			_, _ = io.WriteString(w, rest)
		}
		_, _ = io.WriteString(w, `]}`)
	})
	assert.InDelta(t, 32<<20, servers*len(rest), 1<<20, "bytes of an answer")
	fake.Inject(fakecloud.Fault{Path: "/servers/detail", Effect: fakecloud.Handle, Times: fakecloud.Forever, Handler: answers})
	cloud, err := openstack.New(openstack.Config{AuthURL: fake.AuthURL(), UserName: fakecloud.MemberUser, Password: fakecloud.Password,
		TenantName: fakecloud.MemberProject, DefaultDomain: fakecloud.DomainID})
	require.NoError(t, err)

	debug.FreeOSMemory()
	ctx, end := context.WithCancel(t.Context())
	peak := make(chan uint64)
	go func() {
		var top uint64
		for ctx.Err() == nil {
			used := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
			metrics.Read(used)
			top = max(top, used[0].Value.Uint64()-used[1].Value.Uint64())
			time.Sleep(time.Millisecond)
		}
		peak <- top
	}()
	nodes, err := cluster.Read(ctx, cloud, query)
	end()
	assert.NoError(t, err)
	assert.Len(t, nodes, len(config.Regions)*servers)
	assert.LessOrEqual(t, <-peak, uint64(most), "bytes")
}
