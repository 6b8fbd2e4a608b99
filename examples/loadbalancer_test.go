package examples_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// TestAccExample_loadBalancer: a node that is replaced has its member's weight
// taken, then its member, then its server, and none of it before the new node is
// in service and in the pool. A node that was drained and stays gets the weight
// that it had.
func TestAccExample_loadBalancer(t *testing.T) {
	e := start(t, "guides/behind-a-load-balancer")
	pool := e.c.Pool(t, "RegionOne")
	e.Env = append(e.Env, "TF_VAR_pool_id="+pool)
	file := filepath.Join(e.Dir, "main.tf")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	shorter := strings.NewReplacer(`grace_period    = "1m"`, `grace_period    = "1s"`, `stable_for = "10s"`, `stable_for = "1s"`).Replace(string(text))
	require.NoError(t, os.WriteFile(file, []byte(shorter), 0o600))
	weights := func(want map[string]int) {
		t.Helper()
		got := e.c.Members(t, "RegionOne", pool)
		for name, m := range got {
			tagged := slices.ContainsFunc(m.Tags, func(tag string) bool { return strings.HasPrefix(tag, "stackpolicy_weight=") })
			if weight, there := want[name]; !there || weight != m.Weight || tagged != (weight == 0) {
				t.Errorf("the member is %+v, want %v", m, want)
			}
		}
		if len(got) != len(want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	e.apply(t)
	weights(map[string]int{"web-0": 1, "web-1": 1, "web-2": 1})
	before := e.servers(t)
	if e.c.Fake != nil {
		e.c.Fake.ResetRequests()
	}
	e.apply(t, `candidates=["web-1"]`)
	if e.c.Fake != nil {
		var order []string
		for _, r := range e.c.Fake.Requests() {
			member := r.Service == fakecloud.LoadBalancing && strings.Contains(r.Path, "/members")
			switch {
			case r.Status >= http.StatusBadRequest, r.Method == http.MethodGet:
			case member:
				order = append(order, r.Method+" member")
			case regexp.MustCompile(`^/servers(/[^/]*)?$`).MatchString(r.Path):
				order = append(order, r.Method+" server")
			}
		}
		want := []string{"POST server", "POST member", "PUT member", "DELETE member", "DELETE server"}
		if !slices.Equal(order, want) {
			t.Errorf("got %q, want %q", order, want)
		}
	}
	weights(map[string]int{"web-0": 1, "web-2": 1, "web-3": 1})
	after := e.servers(t)
	kept(t, before, after, 3)
	if _, there := after["web-1"]; there {
		t.Errorf("left are %v", after)
	}
}
