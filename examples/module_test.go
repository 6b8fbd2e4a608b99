package examples_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestModuleArguments: the module hands on all that it is given. Nothing here is
// as by default.
func TestModuleArguments(t *testing.T) {
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "cluster")
	e.edit(t, `[{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] },`,
		`[{ name = "az-1", min = 1 }, { name = "az-2", cap = 2, template = { image = "debian-13" } }, { name = "az-3", weight = 300, closed = true }],
      min = 1, template = { flavor = "m1.tiny" } },`)
	e.edit(t, `zones = [{ name = "az-1" }, { name = "az-2" }], weight`, "weight")
	e.edit(t, `network_name = "shared"`, `network_name = "shared"
  deletion  = { criteria = "YOUNGEST_FIRST", candidates = ["web-1"], protected = ["web-0"] }
  update    = { causes = ["TEMPLATE"], max_batch_size = "3", target = "40%", method = "IN_PLACE", stop_above = "5", require_in_service = false }
  readiness = {
    http       = { url = "http://{address}/health", status = "204" }
    tcp        = { port = 8443 }
    stable_for = "11s"
    timeout    = 222
    hook       = { type = "webhook", url = "https://consumer.example/launch", timeout = 77, default_result = "CONTINUE" }
  }
  drain = {
    shutdown     = false
    grace_period = "33s"
    hook         = { type = "webhook", url = "https://consumer.example/leave", timeout = 77, default_result = "CONTINUE" }
  }
  affinity          = "soft-affinity"
  group_size        = 2
  key_pair          = "ops"
  security_groups   = ["web"]
  user_data         = { v1 = "#!/bin/sh" }
  user_data_version = "v1"
  metadata          = { team = "a", cluster = "b" }`)
	block := func(more ...any) map[string]any {
		all := map[string]any{"timeout": "77", "default_result": "CONTINUE"}
		for i := 0; i < len(more); i += 2 {
			all[more[i].(string)] = more[i+1]
		}
		return all
	}
	e.plans(t, map[string]map[string]any{
		"stackpolicy_placement_attachment.cluster": {
			"cluster": "web", "desired_capacity": 4, "min_size": 3, "max_size": 20,
			"deletion": map[string]any{"criteria": "YOUNGEST_FIRST", "candidates": []any{"web-1"}, "protected": []any{"web-0"}},
			"update": map[string]any{"causes": []any{"TEMPLATE"}, "max_batch_size": "3", "target": "40%", "method": "IN_PLACE", "stop_above": "5",
				"require_in_service": false},
			"template": map[string]any{"image": "debian-12", "flavor": "m1.small", "user_data": "v1"},
			"regions": []any{
				map[string]any{"name": "RegionOne", "weight": 100, "cap": -1, "min": 1, "closed": false,
					"template": map[string]any{"flavor": "m1.tiny"}, "zones": []any{
						map[string]any{"name": "az-1", "weight": 100, "cap": -1, "min": 1, "closed": false, "template": nil},
						map[string]any{"name": "az-2", "weight": 100, "cap": 2, "min": 0, "closed": false, "template": map[string]any{"image": "debian-13"}},
						map[string]any{"name": "az-3", "weight": 300, "cap": -1, "min": 0, "closed": true, "template": nil},
					}},
				map[string]any{"name": "RegionTwo", "weight": 200, "cap": 6, "min": 0, "closed": false, "template": nil, "zones": nil},
			},
		},
		`stackpolicy_affinity_attachment.cluster["RegionTwo/any/0"]`: {
			"region": "RegionTwo", "servergroup": map[string]any{"name": "web-0", "policies": "soft-affinity"},
		},
		`stackpolicy_affinity_attachment.cluster["RegionTwo/any/1"]`:  {"servergroup": map[string]any{"name": "web-1"}},
		`stackpolicy_affinity_attachment.cluster["RegionOne/az-1/0"]`: {"region": "RegionOne", "servergroup": map[string]any{"name": "web-az-1-0"}},
		`openstack_compute_instance_v2.node["web-0"]`:                 {"availability_zone": "az-1", "flavor_name": "m1.tiny"},
		`openstack_compute_instance_v2.node["web-1"]`: {
			"name": "web-1", "region": "RegionTwo", "image_name": "debian-12", "flavor_name": "m1.small", "key_pair": "ops", "security_groups": []any{"web"},
			"user_data": "8ba27a5c52aadda081f0346f31b2e3044f15894c", // its SHA-1
			"metadata":  map[string]any{"cluster": "web", "team": "a"}, "network": map[string]any{"name": "shared"},
			"scheduler_hints": map[string]any{"group": unknown},
		},
		`stackpolicy_deletion_attachment.node["web-1"]`: {
			"server_id": unknown, "cluster": "web", "node_name": "web-1", "region": "RegionTwo", "shutdown": false,
			"grace_period": "33s", "only_in_service": true,
			"hook": block("type", "webhook", "url", "https://consumer.example/leave"),
		},
		"stackpolicy_readiness_attachment.cluster": {
			"cluster": "web", "stable_for": "11s", "timeout": "222",
			"servers": map[string]any{"web-1": map[string]any{"id": unknown, "region": "RegionTwo", "address": unknown, "mark": "1-cc26881e"}},
			"http":    map[string]any{"url": "http://{address}/health", "status": "204"},
			"tcp":     map[string]any{"port": 8443},
			"hook":    block("type", "webhook", "url", "https://consumer.example/launch"),
		},
	})
	e.edit(t, "provider \"stackpolicy\" {", "provider \"stackpolicy\" {\n  allow_commands = true")
	e.edit(t, `type = "webhook", url = "https://consumer.example/launch"`, `type = "zaqar", queue = "launch"`)
	e.edit(t, `type = "webhook", url = "https://consumer.example/leave"`, `type = "command", command = ["leave", "now"]`)
	e.plans(t, map[string]map[string]any{
		`stackpolicy_deletion_attachment.node["web-1"]`: {"hook": block("type", "command", "command", []any{"leave", "now"})},
		"stackpolicy_readiness_attachment.cluster":      {"hook": block("type", "zaqar", "queue", "launch")},
	})
	e.edit(t, `type = "command", command = ["leave", "now"]`, `type = "zaqar", queue = "leave"`)
	e.edit(t, `type = "zaqar", queue = "launch"`, `type = "command", command = ["launch", "now"]`)
	e.plans(t, map[string]map[string]any{
		`stackpolicy_deletion_attachment.node["web-1"]`: {"hook": block("type", "zaqar", "queue", "leave")},
		"stackpolicy_readiness_attachment.cluster":      {"hook": block("type", "command", "command", []any{"launch", "now"})},
	})
}

// unknown is a value that only the apply knows.
const unknown = "(known after apply)"

// plans plans four nodes, and holds resources of the module to what is wanted of them.
func (e example) plans(t *testing.T, want map[string]map[string]any) {
	t.Helper()
	plan, err := e.Plan(t.Context(), "arguments.tfplan", "size=4")
	require.NoError(t, err)
	planned := map[string]any{}
	for _, change := range plan.ResourceChanges {
		planned[change.Address] = merged(change.Change.After, change.Change.AfterUnknown)
	}
	for address, arguments := range want {
		holds(t, address, planned["module.web."+address], arguments)
	}
}

// merged is a planned value with what is not known yet. Where all of a list is known,
// nothing is said of its elements.
func merged(after, isUnknown any) any {
	switch of := isUnknown.(type) {
	case bool:
		if of {
			return unknown
		}
	case map[string]any:
		values, _ := after.(map[string]any)
		for name, u := range of {
			if m := merged(values[name], u); m != nil && values != nil {
				values[name] = m
			}
		}
	case []any:
		values, _ := after.([]any)
		for i := range values {
			if i < len(of) {
				values[i] = merged(values[i], of[i])
			}
		}
	}
	return after
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
	assert.Equal(t, string(should), string(is), at)
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
	e.edit(t, `network_name = "shared"`, fmt.Sprintf(`network_name = "shared"
  readiness = { http = { url = "%s/{name}" }, timeout = 300 }
  drain     = { hook = { type = "webhook", url = "%s/", default_result = "ABANDON" } }`, health.URL, consumer.URL))
	_, err := e.Apply(t.Context(), "size=4")
	require.NoError(t, err)
	before := e.servers(t)

	bad.Store(true)
	e.edit(t, `"debian-12"`, `"debian-13"`)
	e.edit(t, "timeout = 300", "timeout = 2")
	_, err = e.Apply(t.Context(), "size=4")
	require.Error(t, err)
	assert.Regexp(t, acctest.Says("not in service"), err.Error())
	assert.Zero(t, drained.Load(), "nodes that were drained")
	after := e.servers(t)
	for name, id := range before {
		assert.Equal(t, id, after[name], "%s stays", name)
	}

	bad.Store(false)
	e.edit(t, "timeout = 2", "timeout = 300")
	_, err = e.Apply(t.Context(), "size=4")
	require.NoError(t, err)
	assert.NotZero(t, drained.Load(), "nodes that were drained")
}

// TestModuleBatch: a new template is for as many nodes as a batch has. The others keep the image and the user data that
// they were made with. Another policy of the groups is for new servers, and without one there are no groups. The nodes of a
// region that is closed stay, and are not waited for.
func TestModuleBatch(t *testing.T) {
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "cluster")
	e.edit(t, `network_name = "shared"`, `network_name = "shared"
  affinity  = "soft-affinity"
  user_data = { v1 = "one", v2 = "two" }
  user_data_version = "v1"`)
	_, err := e.Apply(t.Context(), "size=8")
	require.NoError(t, err)
	const server, group, waited = "openstack_compute_instance_v2", "stackpolicy_affinity_attachment", "servers of stackpolicy_readiness_attachment"
	for _, c := range []struct {
		old, changed string
		want         map[string]int // by type and what is done
	}{
		{`"debian-12"`, `"debian-13"`, map[string]int{server + " no-op": 6, server + " create": 2, server + " delete": 2}}, // 25%
		{`user_data_version = "v1"`, `user_data_version = "v2"`, map[string]int{server + " no-op": 6, server + " create": 2, server + " delete": 2}},
		{`"soft-affinity"`, `"affinity"`, map[string]int{server + " no-op": 8, group + " update": 5}},
		{`"soft-affinity"`, `null`, map[string]int{server + " no-op": 8, group + " delete": 5}},
		{`cap = 6`, `closed = true`, map[string]int{server + " no-op": 8, waited: len(e.c.In(t, "RegionOne"))}},
	} {
		e.edit(t, c.old, c.changed)
		plan, err := e.Plan(t.Context(), "changed.tfplan", "size=8")
		require.NoError(t, err)
		done := map[string]int{}
		for _, change := range plan.ResourceChanges {
			for _, action := range change.Change.Actions {
				done[change.Type+" "+string(action)]++
			}
			if after, is := change.Change.After.(map[string]any); is && change.Type == "stackpolicy_readiness_attachment" {
				done[waited] = len(after["servers"].(map[string]any))
			}
		}
		for what, n := range c.want {
			assert.Equal(t, n, done[what], "%s: %s of %v", c.changed, what, done)
		}
		e.edit(t, c.changed, c.old)
	}
}
