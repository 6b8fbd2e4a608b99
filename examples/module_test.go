package examples_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
)

// TestModuleArguments: the module hands on all that it is given. Nothing here is
// as by default.
func TestModuleArguments(t *testing.T) {
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "cluster")
	const hook = `hook = { type = "webhook", url = "https://consumer.example/%s", timeout = 77, default_result = "CONTINUE" }`
	replace(t, filepath.Join(e.Dir, "main.tf"), `network_name = "shared"`, `network_name = "shared"
  deletion  = { criteria = "YOUNGEST_FIRST", protected = ["web-0"] }
  update    = { causes = ["TEMPLATE"], max_batch_size = "3", target = "40%", method = "IN_PLACE", stop_above = "5", require_in_service = false }
  readiness = {
    http       = { url = "http://{address}/health", status = "204" }
    tcp        = { port = 8443 }
    stable_for = "11s"
    timeout    = 222
    `+fmt.Sprintf(hook, "launch")+`
  }
  drain = {
    shutdown     = false
    grace_period = "33s"
    `+fmt.Sprintf(hook, "leave")+`
  }`)
	plan, err := e.Plan(t.Context(), "arguments.tfplan", "size=4")
	if err != nil {
		t.Fatal(err)
	}
	planned := map[string]any{}
	for _, change := range plan.ResourceChanges {
		planned[change.Address] = change.Change.After
	}
	for _, c := range []struct {
		address string
		want    map[string]any // by argument; a block's in JSON are those that are given
	}{
		{"module.web.stackpolicy_placement_attachment.cluster", map[string]any{
			"cluster": "web", "desired_capacity": 4, "min_size": 3, "max_size": 20,
			"deletion": map[string]any{"criteria": "YOUNGEST_FIRST", "protected": []any{"web-0"}},
			"update":   map[string]any{"causes": []any{"TEMPLATE"}, "max_batch_size": "3", "target": "40%", "method": "IN_PLACE", "stop_above": "5", "require_in_service": false},
		}},
		{"module.web.stackpolicy_readiness_attachment.cluster", map[string]any{
			"cluster": "web", "stable_for": "11s", "timeout": "222",
			"http": map[string]any{"url": "http://{address}/health", "status": "204"},
			"tcp":  map[string]any{"port": 8443},
			"hook": map[string]any{"type": "webhook", "url": "https://consumer.example/launch", "timeout": "77", "default_result": "CONTINUE"},
		}},
		{`module.web.stackpolicy_deletion_attachment.node["web-0"]`, map[string]any{
			"cluster": "web", "node_name": "web-0", "region": "RegionOne", "shutdown": false, "grace_period": "33s",
			"hook": map[string]any{"type": "webhook", "url": "https://consumer.example/leave", "timeout": "77", "default_result": "CONTINUE"},
		}},
	} {
		holds(t, c.address, planned[c.address], c.want)
	}
}

// holds fails unless a planned value has what is wanted, and whatever else.
func holds(t *testing.T, at string, got, want any) {
	t.Helper()
	if list, ok := got.([]any); ok && len(list) == 1 {
		if _, ok := want.(map[string]any); ok {
			got = list[0] // a block
		}
	}
	if wanted, ok := want.(map[string]any); ok {
		values, _ := got.(map[string]any)
		for name, w := range wanted {
			holds(t, at+"."+name, values[name], w)
		}
		return
	}
	is, _ := json.Marshal(got)
	should, _ := json.Marshal(want)
	if string(is) != string(should) {
		t.Errorf("%s is %s, want %s", at, is, should)
	}
}

// TestModuleOrder: where new servers do not get into service, no node in service
// is drained; once they do, the one that they replace is.
func TestModuleOrder(t *testing.T) {
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "cluster")
	var bad atomic.Bool
	health := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if bad.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(health.Close)
	var drained atomic.Int32
	consumer := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { drained.Add(1) }))
	t.Cleanup(consumer.Close)
	main := filepath.Join(e.Dir, "main.tf")
	replace(t, main, `network_name = "shared"`, fmt.Sprintf(`network_name = "shared"
  readiness = { http = { url = "%s/{name}" }, timeout = 300 }
  drain     = { hook = { type = "webhook", url = "%s/", default_result = "ABANDON" } }`, health.URL, consumer.URL))
	e.apply(t, "size=4")
	before := e.servers(t)

	bad.Store(true)
	replace(t, main, `"debian-12"`, `"debian-13"`)
	replace(t, main, "timeout = 300", "timeout = 2")
	_, err := e.Apply(t.Context(), "size=4")
	if err == nil || !acctest.Says("not in service").MatchString(err.Error()) || drained.Load() != 0 {
		t.Errorf("%d nodes were drained: %v", drained.Load(), err)
	}
	after := e.servers(t)
	for name, id := range before {
		if after[name] != id {
			t.Errorf("%s is gone", name)
		}
	}

	bad.Store(false)
	replace(t, main, "timeout = 2", "timeout = 300")
	if _, err := e.Apply(t.Context(), "size=4"); err != nil || drained.Load() == 0 {
		t.Errorf("%d nodes were drained: %v", drained.Load(), err)
	}
}
