package instance_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slow is a cloud that shows a server for a moment after its deletion, as all real ones do.
var slow = fakecloud.Config{DeleteTime: time.Second}

// run is a bench with a configuration.
type run struct {
	*bench
	*workspace.Workspace
	rows []string
}

func (b *bench) run(rows ...string) *run {
	b.t.Helper()
	return &run{b, b.Workspace(b.t, b.config(rows...)), rows}
}

// config is a server for each row.
func (b *bench) config(rows ...string) string {
	text := b.ProviderBlock("openstack", b.settings)
	for i, arguments := range rows {
		text += b.resource(i, arguments)
	}
	return text
}

// change replaces the configuration.
func (r *run) change(rows ...string) {
	r.t.Helper()
	r.rows = rows
	require.NoError(r.t, r.Write(r.config(rows...)))
}

// apply applies, and expects a failure with this text, or none for "".
func (r *run) apply(failure string) {
	r.t.Helper()
	_, err := r.Apply(r.t.Context())
	if failure == "" {
		require.NoError(r.t, err)
	} else if err == nil || !acctest.Says(failure).MatchString(err.Error()) {
		r.t.Errorf("the apply is to fail with %q: %v", failure, err)
	}
}

// gone waits until no server is left, because a server that is being deleted fails the refresh.
func (r *run) gone() {
	r.t.Helper()
	for end := time.Now().Add(5 * time.Minute); len(r.Servers(r.t)) > 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("left are %v", r.Servers(r.t))
		}
	}
	for _, id := range ids(r.t, r.Workspace) {
		r.Kill(r.t, r.region, id) // a server in DELETED exists until Nova has removed it
	}
}

// plan checks what a plan does with each server.
func (r *run) plan(want ...string) {
	r.t.Helper()
	plan, err := r.Plan(r.t.Context(), "next.tfplan")
	require.NoError(r.t, err)
	got := map[string]string{}
	for _, c := range plan.ResourceChanges {
		got[c.Name] = answer(c.Change)
	}
	for i, w := range want {
		assert.Equal(r.t, w, got[fmt.Sprint("row", i)], "the plan has %q", r.rows[i])
	}
}

// TestAccInstance_paused: destroying a paused server takes two attempts.
func TestAccInstance_paused(t *testing.T) {
	t.Parallel()
	b := newBench(t, slow)
	r := b.run(`power_state = "paused"`)
	r.apply("")
	r.plan("in place") // a new server runs
	r.apply("")
	r.plan("nothing")
	r.change()
	r.apply("unexpected state 'PAUSED', wanted target 'DELETED, SOFT_DELETED'")
	r.gone()
	r.apply("")
}

// TestAccInstance_states: some states of a server fail every refresh, others do not change.
func TestAccInstance_states(t *testing.T) {
	t.Parallel()
	b := newBench(t, slow)
	r := b.run(``)
	r.apply("")
	id := ids(t, r.Workspace)["row0"]
	b.Act(t, b.region, id, b.expand(`{"resize": {"flavorRef": "$flavor2"}}`), "VERIFY_RESIZE")
	r.apply("Invalid power_state for instance " + id + ": VERIFY_RESIZE")
	b.Act(t, b.region, id, `{"revertResize": null}`, "ACTIVE")
	r.plan("nothing")
	b.Reset(t, b.region, id)
	r.plan("nothing")
	r.change()
	r.apply("unexpected state 'ERROR', wanted target 'DELETED, SOFT_DELETED'")
	r.gone()
	r.apply("")
	r.change(``) // a server that was stopped in ERROR fails nothing
	r.apply("")
	id = ids(t, r.Workspace)["row0"]
	b.Reset(t, b.region, id)
	b.Act(t, b.region, id, `{"os-stop": null}`, "SHUTOFF")
	r.change()
	r.apply("")
}

// TestAccInstance_busy: a cloud that limits requests answers 429. Without max_retries in the block of the provider the
// first such answer fails the apply, and Terraform marks the server that was made as tainted: the next plan replaces it.
// With max_retries the request is repeated, at once where the answer has no Retry-After.
func TestAccInstance_busy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings, wait string
		failure, then  string
	}{
		{"", "", "but got 429 instead", "replaced"},
		{"", "1", "but got 429 instead", "replaced"},
		{"max_retries = 3", "", "", "nothing"},
		{"max_retries = 3", "1", "", "nothing"},
	} {
		t.Run(c.settings+", Retry-After "+c.wait, func(t *testing.T) {
			t.Parallel()
			cloud := acctest.NewFake(t, fakecloud.Config{})
			b := benchOn(t, cloud)
			b.settings = c.settings
			busy := fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodGet, Path: "/servers/*", Status: http.StatusTooManyRequests, Times: 2}
			if c.wait != "" {
				busy.Header = http.Header{"Retry-After": {c.wait}}
			}
			limit := cloud.Fake.Inject(busy)
			r := b.run(``)
			r.apply(c.failure)
			assert.NotZero(t, limit.Fired(), "answers with 429")
			limit.Remove()
			r.plan(c.then)
		})
	}
}

// TestAccInstance_import: the attributes of an imported server. All its metadata counts as configured, even if
// somebody else wrote it.
func TestAccInstance_import(t *testing.T) {
	t.Parallel()
	b := newBench(t, fakecloud.Config{})
	b.group = b.Group(t, b.region, "group", "soft-anti-affinity")
	rows := []struct{ arguments, want string }{
		{`network_mode = "none"`, "replaced"},
		{`network { name = "$netname" }`, "nothing"},
		{`network { uuid = "$netid" }`, "nothing"},
		{`network { name = "$netname" }; metadata = { a = "1" }`, "nothing"},
		{`network { name = "$netname" }; metadata = { a = "2" }`, "in place"},
		{`network { name = "$netname" }; metadata = { a = "2" }; lifecycle { ignore_changes = [metadata] }`, "nothing"},
		{`network { name = "$netname" }; availability_zone = "$zone1"`, "nothing"},
		{`network { name = "$netname" }; image_name = "$imagename1"; flavor_name = "$flavorname1"`, "nothing"},
		{`network { name = "$netname" }; tags = ["one"]`, "in place"},
		{`network { name = "$netname" }; user_data = "#!/bin/sh"`, "replaced"},
		{`network { name = "$netname" }; scheduler_hints { group = "$group" }`, "replaced"},
		{`network { name = "$netname" }; scheduler_hints { group = "$group" }; lifecycle { ignore_changes = [scheduler_hints] }`, "nothing"},
	}
	var all, want []string
	for _, row := range rows {
		all, want = append(all, row.arguments), append(want, row.want)
	}
	r := b.run(all...)
	r.apply("")
	config, made := r.config(all...), ids(t, r.Workspace)
	for i, row := range rows {
		if strings.Contains(row.arguments, `a = "2"`) {
			b.Mark(t, b.region, made[fmt.Sprint("row", i)], openstack.MarkKey, "1")
		}
	}
	for name, id := range made {
		config += fmt.Sprintf("import {\n  to = openstack_compute_instance_v2.%s\n  id = %q\n}\n", name, id)
		acctest.Must(t, r.Workspace, "state", "rm", "openstack_compute_instance_v2."+name)
	}
	require.NoError(t, r.Write(config))
	t.Cleanup(func() { // they are not in the state
		r.change()
		for _, id := range made {
			b.Kill(t, b.region, id)
		}
	})
	r.plan(want...)
}

// TestAccInstance_host: a zone with a host means that zone. If the host is in another zone, every plan sees another
// zone.
func TestAccInstance_host(t *testing.T) {
	t.Parallel()
	c := acctest.NewAdmin(t, fakecloud.Config{})
	b := benchOn(t, c)
	host := c.Host(t, b.region, b.zones[1])
	r := b.run(`availability_zone = "$zone2:`+host+`"`, `availability_zone = "nova:`+host+`"`)
	r.apply("")
	r.plan("nothing", "replaced")
}
