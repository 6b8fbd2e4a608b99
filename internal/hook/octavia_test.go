package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pooled is a fake cloud with nodes, and a runner of hooks for them.
type pooled struct {
	fake   *fakecloud.Cloud
	runner *Runner
	ids    []string // ids of the servers
}

// inPool makes servers with the addresses 10.9.0.2, 10.9.0.3 and so on.
func inPool(t *testing.T, config fakecloud.Config, servers ...fakecloud.Server) *pooled {
	t.Helper()
	fake := fakecloud.Start(t, config)
	cloud := openCloud(t, fake)
	return &pooled{fake, &Runner{LoadBalancer: cloud.LoadBalancer, Addresses: cloud.Addresses, pause: time.Millisecond},
		fake.AddServers("RegionOne", servers...)}
}

func (p *pooled) run(t *testing.T, i int, name, transition string, more map[string][]string, pools ...string) error {
	t.Helper()
	spec := Spec{Type: "octavia", Arguments: map[string][]string{"pool_ids": pools}, Default: Abandon, Timeout: time.Minute}
	maps.Copy(spec.Arguments, more)
	_, err := p.runner.Run(t.Context(), spec, Message{Token: "t", NodeID: p.ids[i], NodeName: name, Transition: transition, Region: "RegionOne"}, &Progress{})
	return err
}

// expect compares the members of a pool with texts: name, weight and tags.
func (p *pooled) expect(t *testing.T, pool string, want ...string) {
	t.Helper()
	var list []string
	for _, m := range p.fake.Members("RegionOne", pool) {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %d %s", m.Name, m.Weight, strings.Join(m.Tags, " "))))
	}
	assert.Equal(t, want, list)
}

// changes counts the requests that change a member.
func (p *pooled) changes() int { return p.fake.Count("PUT load-balancer /lbaas/pools/*/members/*") }

// TestOctavia: a node that leaves gets no new connections, and a node that stays gets its previous weight. Members of
// other nodes do not change. A server without an address has the members with its name.
func TestOctavia(t *testing.T) {
	p := inPool(t, fakecloud.Config{}, fakecloud.Server{Name: "web-0", Network: true}, fakecloud.Server{Name: "web-1", Network: true},
		fakecloud.Server{Name: "x"})
	pool := p.fake.AddPool("RegionOne",
		fakecloud.Member{Name: "a", Address: "10.9.0.2", Weight: 5, Tags: []string{"mine"}},
		fakecloud.Member{Name: "b", Address: "10.9.0.3", Weight: 3},
		fakecloud.Member{Name: "web-0", Address: "10.9.0.9", Weight: 2}, // another server with the same name
	)
	other := p.fake.AddPool("RegionOne", fakecloud.Member{Name: "c", Address: "::ffff:10.9.0.2", Weight: 1},
		fakecloud.Member{Name: "d", Address: "10.9.0.2", Weight: 0})

	for range 2 { // the second run finds everything done
		require.NoError(t, p.run(t, 0, "web-0", Termination, nil, pool, other))
		p.expect(t, pool, "a 0 mine stackpolicy_weight=5", "b 3", "web-0 2")
		p.expect(t, other, "c 0 stackpolicy_weight=1", "d 0")
		assert.Equal(t, 2, p.changes(), "changes")
	}
	require.NoError(t, p.run(t, 0, "web-0", Launch, nil, pool))
	p.expect(t, pool, "a 5 mine", "b 3", "web-0 2")
	require.NoError(t, p.run(t, 1, "web-1", Launch, nil, pool))
	assert.Equal(t, 3, p.changes(), "a member that has a weight keeps it: changes")
	require.NoError(t, p.run(t, 2, "web-0", Termination, nil, pool))
	p.expect(t, pool, "a 5 mine", "b 3", "web-0 0 stackpolicy_weight=2")
	assert.ErrorContains(t, p.run(t, 2, "web-2", Termination, nil, pool),
		`the pool `+pool+` has no member at an address of the node (Nova shows none), and none with its name "web-2"`)
}

// TestOctaviaWeight: the weight that a member gets, and the previous weight in its tag. A tag with the weight 0
// counts too, a tag is not overwritten, and it is removed from a member that has its weight already.
func TestOctaviaWeight(t *testing.T) {
	for _, c := range []struct {
		before     fakecloud.Member
		transition string
		weight     []string // weight argument of the hook
		want       string
		err        string
	}{
		{fakecloud.Member{Weight: 5, Tags: []string{"mine", "stackpolicy_weight=5"}}, Launch, nil, "a 5 mine", ""},
		{fakecloud.Member{Weight: 0, Tags: []string{"stackpolicy_weight=0"}}, Launch, nil, "a 0", ""},
		{fakecloud.Member{Weight: 7, Tags: []string{"stackpolicy_weight=0"}}, Termination, nil, "a 0 stackpolicy_weight=0", ""},
		{fakecloud.Member{Weight: 7, Tags: []string{"stackpolicy_weight=257"}}, Termination, nil, "a 0 stackpolicy_weight=257 stackpolicy_weight=7", ""},
		{fakecloud.Member{Weight: 0, Tags: []string{"stackpolicy_weight=1"}}, Launch, []string{"9"}, "a 9", ""},
		{fakecloud.Member{Weight: 9}, Termination, []string{"1"}, "a 1 stackpolicy_weight=9", ""},
		{fakecloud.Member{Weight: 0}, Launch, nil, "a 0",
			"has the weight 0, so it gets no connections, and no tag notes which weight it had: give weight in the hook"},
	} {
		p := inPool(t, fakecloud.Config{}, fakecloud.Server{Name: "web-0", Network: true})
		c.before.Name, c.before.Address = "a", "10.9.0.2"
		pool := p.fake.AddPool("RegionOne", c.before)
		err := p.run(t, 0, "web-0", c.transition, map[string][]string{"weight": c.weight}, pool)
		assert.Contains(t, fmt.Sprint(err), cmp.Or(c.err, "<nil>"), "%+v", c.before)
		p.expect(t, pool, c.want)
	}
}

// TestOctaviaBusy: hooks of many nodes change one load balancer at once. Octavia makes one change at a time and
// refuses the others with 409, or with 500 if its database sees two changes at once.
func TestOctaviaBusy(t *testing.T) {
	var servers []fakecloud.Server
	var members []fakecloud.Member
	for i := range 20 {
		servers = append(servers, fakecloud.Server{Name: fmt.Sprintf("web-%d", i), Network: true})
		members = append(members, fakecloud.Member{Address: fmt.Sprintf("10.9.0.%d", i+2), Weight: 5})
	}
	p := inPool(t, fakecloud.Config{PowerTime: 5 * time.Second}, servers...)
	pool := p.fake.AddPool("RegionOne", members...)
	broken := p.fake.Inject(fakecloud.Fault{Service: fakecloud.LoadBalancing, Method: http.MethodPut, Status: 500, Times: 10})
	var wait sync.WaitGroup
	for i := range servers {
		wait.Go(func() {
			assert.NoError(t, p.run(t, i, "", Termination, nil, pool))
		})
	}
	wait.Wait()
	for _, m := range p.fake.Members("RegionOne", pool) {
		assert.Zero(t, m.Weight)
		assert.Equal(t, []string{"stackpolicy_weight=5"}, m.Tags)
	}
	refused := 0
	for _, r := range p.fake.Requests() {
		if r.Status == http.StatusConflict {
			refused++
		}
	}
	assert.NotZero(t, refused, "requests that were refused")
	assert.Equal(t, 10, broken.Fired(), "requests that failed")
}

// TestOctaviaNever: a hook that times out reports Octavia's last answer.
func TestOctaviaNever(t *testing.T) {
	p := inPool(t, fakecloud.Config{PowerTime: 1000 * time.Hour}, fakecloud.Server{Network: true}, fakecloud.Server{Network: true})
	pool := p.fake.AddPool("RegionOne", fakecloud.Member{Address: "10.9.0.2", Weight: 5}, fakecloud.Member{Address: "10.9.0.3", Weight: 5})
	for i, want := range []string{"has the weight 0 and is PENDING_UPDATE in Octavia", "is immutable and cannot be updated"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		end := p.fake.Inject(fakecloud.Fault{Service: fakecloud.LoadBalancing, Nth: 4, Times: fakecloud.Forever, Effect: fakecloud.Hang})
		go func() {
			<-end.Hit() // three looks are enough
			cancel(errors.New("not completed within 1m"))
		}()
		spec := Spec{Type: "octavia", Arguments: map[string][]string{"pool_ids": {pool}}}
		made, err := spec.make(p.runner)
		require.NoError(t, err)
		err = made.Run(ctx, Message{NodeID: p.ids[i], Transition: Termination, Region: "RegionOne"}, &Progress{})
		end.Remove()
		assert.Regexp(t, "^not completed within 1m; .*"+want, err.Error())
	}
}

// TestOctaviaErrors: an error that waiting does not change fails at once.
func TestOctaviaErrors(t *testing.T) {
	const none = "8d3a1e6c-1f2b-4c5d-9e8f-0a1b2c3d4e5f"
	for name, c := range map[string]struct {
		change func(p *pooled, pool string) (asked string)
		want   string
	}{
		"no such pool": {func(*pooled, string) string { return none }, "the region RegionOne has no such pool, or no longer: correct pool_ids"},
		"no member": {func(p *pooled, _ string) string {
			return p.fake.AddPool("RegionOne", fakecloud.Member{Name: "web-0", Address: "10.9.0.77", Weight: 1})
		}, "has no member at an address of the node (10.9.0.2)"},
		"no Octavia": {func(p *pooled, pool string) string {
			p.fake.HideEndpoint(fakecloud.LoadBalancing, "RegionOne", true)
			return pool
		}, `the load balancer service (Octavia) was not found: region "RegionOne" has no load-balancer endpoint in the catalogue of this user; there is one ` +
			`in RegionTwo`},
		"no Octavia at all": {func(p *pooled, pool string) string {
			p.fake.HideEndpoint(fakecloud.LoadBalancing, "RegionOne", true)
			p.fake.HideEndpoint(fakecloud.LoadBalancing, "RegionTwo", true)
			return pool
		}, `no region has one`},
		"no right": {func(p *pooled, pool string) string {
			p.fake.Inject(fakecloud.Fault{Service: fakecloud.LoadBalancing, Method: http.MethodPut, Status: 403, Times: fakecloud.Forever})
			return pool
		}, "403"},
	} {
		p := inPool(t, fakecloud.Config{}, fakecloud.Server{Name: "web-0", Network: true})
		pool := c.change(p, p.fake.AddPool("RegionOne", fakecloud.Member{Address: "10.9.0.2", Weight: 1}))
		err := p.run(t, 0, "web-0", Termination, nil, pool)
		assert.ErrorAs(t, err, new(*AbandonedError), name)
		assert.ErrorContains(t, err, c.want, name)
		assert.NotContains(t, fmt.Sprint(err), "not completed within", name)
	}
	_, err := (&Runner{}).Run(t.Context(), Spec{Type: "octavia", Arguments: map[string][]string{"pool_ids": {none}}}, Message{}, &Progress{})
	assert.ErrorContains(t, err, "needs an OpenStack cloud")
}

func openCloud(t *testing.T, fake *fakecloud.Cloud) *openstack.Cloud {
	t.Helper()
	cloud, err := openstack.New(openstack.Config{AuthURL: fake.AuthURL(), UserName: fakecloud.MemberUser, Password: fakecloud.Password,
		TenantName: fakecloud.MemberProject, DefaultDomain: fakecloud.DomainID})
	require.NoError(t, err)
	return cloud
}
