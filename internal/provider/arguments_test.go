package provider_test

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type block = protocol.Attributes

// TestEveryArgument: each argument of everything that the provider has, each nested one, and each element of a list or
// a map is unknown, null, a number that is not whole or too large, or of another kind where it may be of any. Nothing
// panics, the framework never blames the provider, and an error names the argument.
func TestEveryArgument(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	t.Run("of", func(t *testing.T) {
		for kind := range configurations("", "") {
			t.Run(kind, func(t *testing.T) {
				t.Parallel()
				cloud := acctest.NewFake(t, fakecloud.Config{}).Fake
				all := configurations(cloud.AddServers("RegionOne", fakecloud.Server{Name: "server"})[0],
					cloud.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "group", Policy: "anti-affinity"}))
				all["provider"][0]["auth_url"] = cloud.AuthURL()
				r := &asking{t: t, kind: kind, block: all["provider"][0], calls: &calls}
				r.Provider = r.connect()
				r.all(all)
			})
		}
	})
	t.Logf("%d calls", calls.Load())
	assert.Greater(t, calls.Load(), int64(3_000), "calls")
}

// configurations returns valid configurations by what they are of. Together they give each block and each list.
func configurations(server, group string) map[string][]block {
	zones := []any{block{"name": "az-1", "weight": 100, "cap": 9, "min": 0, "closed": false}, block{"name": "az-2"}}
	regions := []any{block{"name": "RegionOne", "weight": 100, "cap": 20, "zones": zones}, block{"name": "RegionTwo"}}
	placed := []any{block{"name": "RegionOne", "zones": []any{block{"name": "az-1", "template": block{"a": "b"}}}}}
	hook := block{"type": "webhook", "url": "http://127.0.0.1:1/x", "timeout": "1s", "default_result": "CONTINUE"}
	nodes := []any{block{"id": server, "name": "web-0", "region": "RegionOne", "zone": "az-1", "created_at": "2026-01-02T03:04:05Z"}}
	servers := block{"web-0": block{"id": server, "name": "web-0", "region": "RegionOne", "network": []any{block{"port": "p"}}}}
	node := block{"generation": 1, "mark": "1", "region": "RegionOne", "template": block{"a": "b"}}
	closed := block{"region": "RegionOne", "closed": true}
	decision := block{"creation": block{"count": 2, "regions": block{"RegionOne": 2}}}
	drain := block{"server_id": server, "region": "RegionOne", "node_name": "web-0", "cluster": "web", "grace_period": "0s", "hook": hook}
	return map[string][]block{
		"provider": {{"user_name": "member", "password": fakecloud.Password, "tenant_name": "member", "region": "RegionOne",
			"user_domain_id": fakecloud.DomainID}},
		"stackpolicy_placement_attachment": {
			{"cluster": "web", "desired_capacity": 3, "min_size": 1, "max_size": 6, "regions": regions, "image": "cirros", "flavors": []any{"m1.tiny"},
				"networks": []any{block{"name": fakecloud.NetworkName, "port": true, "regions": []any{"RegionOne", "RegionTwo"}}},
				"pools":    block{"web": block{"region": "RegionOne", "pool_id": "p", "protocol_port": 80}},
				"deletion": block{"criteria": "OLDEST_FIRST", "protected": []any{"web-1"}, "candidates": []any{"web-2"}},
				"update":   block{"causes": []any{"TEMPLATE", "UNHEALTHY"}, "max_batch_size": "1", "pause": "1s"},
				"selector": block{"name_regex": "^web-", "metadata": block{"a": "b"}},
				"health":   block{"tcp": block{"port": 1}}},
			{"cluster": "db", "desired_capacity": 3, "regions": placed, "template": block{"a": "b"},
				"disks": block{"data": block{"size": 1}}, "stateful": block{"on_removal": "RETAIN"}},
		},
		"stackpolicy_affinity_attachment": {
			{"servergroup": block{"name": "g", "policies": "anti-affinity", "max_server_per_host": 1}},
			{"scheduler_hints": block{"group": group}, "region": "RegionOne"},
		},
		"stackpolicy_deletion_attachment": {drain},
		"stackpolicy_readiness_attachment": {{"cluster": "web", "nodes": block{"web-0": node}, "servers": servers},
			{"cluster": "web", "nodes": block{"web-0": closed}, "servers": servers, "addresses": block{"web-0": "10.0.0.1"},
				"timeout": "10s", "http": block{"url": "http://{address}:1/"}, "tcp": block{"port": 1}}},
		"stackpolicy_drain":   {drain},
		"stackpolicy_cluster": {{"name_regex": "web", "metadata": block{"a": "b"}, "regions": []any{"RegionOne"}}, {"ids": []any{server}}},
		"stackpolicy_affinity_plan": {{"servergroup_id": group, "scale_out": block{"count": 2}},
			{"servergroup_id": group, "resize": block{"adjustment_type": "EXACT_CAPACITY", "number": 3}}},
		"stackpolicy_deletion_plan": {{"nodes": nodes, "scale_in": block{"count": 1}}},
		"stackpolicy_region_plan": {{"nodes": nodes, "regions": regions, "scale_out": block{"count": 2}},
			{"nodes": nodes, "regions": regions, "decision": decision}},
		"stackpolicy_zone_plan": {{"nodes": nodes, "zones": zones, "scale_out": block{"count": 2}}},
		"render":                {{"text": "{name}", "values": block{"name": "web-0", "index": 1}}},
		"distribute":            {{"count": 3, "bins": block{"A": block{"weight": 2, "cap": 9, "min": 1, "current": 1}, "B": block{}}}},
		"desired_capacity":      {{"current": 3, "resize": block{"adjustment_type": "CHANGE_IN_CAPACITY", "number": 2, "max_size": 9}}},
	}
}

// asking tries the configurations of one kind, in a cloud of its own.
type asking struct {
	*protocol.Provider
	t     *testing.T
	kind  string
	block block // provider block
	calls *atomic.Int64
}

// all tries all variants of the configurations of the kind.
func (r *asking) all(configurations map[string][]block) {
	var tries sync.WaitGroup
	defer tries.Wait()
	slots := make(chan struct{}, 32) // some plans wait for others
	for i, base := range configurations[r.kind] {
		made := map[string]protocol.Instance{} // resources in the state
		for kind := range r.Schemas.ResourceSchemas {
			if kind == r.kind || r.kind == "provider" {
				var err error
				made[kind], err = r.connect().Apply(r.t.Context(), protocol.Instance{Kind: kind}, configurations[kind][i])
				require.NoError(r.t, err, "%s %d", kind, i)
			}
		}
		try := func(at string, config block) {
			slots <- struct{}{}
			tries.Go(func() {
				defer func() {
					if fault := recover(); fault != nil {
						r.t.Errorf("%d%s: %v\n%s", i, at, fault, debug.Stack())
					}
					<-slots
				}()
				if said := r.ask(at, config, made); !named(at, said) {
					r.t.Errorf("%d%s: no error names it:\n%s", i, at, said)
				}
			})
		}
		try("", base)
		of := r.arguments()
		if i > 0 { // the first configuration has varied the others
			maps.DeleteFunc(of.AttributeTypes, func(name string, _ tftypes.Type) bool { return base[name] == nil })
		}
		varyFields(of, base, "", func(at string, v any) { try(at, v.(block)) })
	}
}

// named reports whether errors name the argument that differs, or there are none. A fraction is always an error of ours,
// except in the one argument that takes it.
func named(at, said string) bool {
	if path, fraction := strings.CutSuffix(at, " = 1.5"); fraction && path != ".resize.number" {
		return strings.Contains(said, path[1:]+": ") && strings.Contains(said, " whole number is needed, not 1.5: use floor() or ceil()")
	}
	path, _, _ := strings.Cut(at, " ")
	argument := strings.Join(regexp.MustCompile(`[a-z_]+`).FindAllString(path, -1), "|")
	return said == "" || argument != "" && regexp.MustCompile(`\b(`+argument+`)\b`).MatchString(said)
}

// arguments returns the type of a configuration, without what the provider works out.
func (r *asking) arguments() tftypes.Object {
	all, schema := tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}, r.Schemas.Provider
	switch {
	case r.Schemas.Functions[r.kind] != nil:
		for _, parameter := range r.Schemas.Functions[r.kind].Parameters {
			all.AttributeTypes[parameter.Name] = parameter.Type
		}
		return all
	case r.Schemas.ActionSchemas[r.kind] != nil:
		schema = r.Schemas.ActionSchemas[r.kind].Schema
	case r.kind != "provider":
		schema = cmp.Or(r.Schemas.ResourceSchemas[r.kind], r.Schemas.DataSourceSchemas[r.kind])
	}
	maps.Copy(all.AttributeTypes, schema.ValueType().(tftypes.Object).AttributeTypes)
	for _, a := range schema.Block.Attributes {
		if a.Computed && !a.Optional {
			delete(all.AttributeTypes, a.Name)
		}
	}
	return all
}

// connect begins another command of Terraform.
func (r *asking) connect() *protocol.Provider {
	p, err := protocol.Connect(r.t.Context(), r.block)
	require.NoError(r.t, err)
	return p
}

// ask makes the calls that Terraform makes with a configuration, and returns the errors with their places. A
// resource is planned to be made, and to be changed; with another provider block, each to be destroyed.
func (r *asking) ask(at string, config block, made map[string]protocol.Instance) (said string) {
	ctx, kind := r.t.Context(), r.kind
	call := func(p *protocol.Provider, f func(p *protocol.Provider) error) (failed bool) {
		r.calls.Add(1)
		err := f(p)
		if err != nil {
			said += p.At() + "\n" + err.Error() + "\n"
		}
		return err != nil
	}
	offline := &protocol.Provider{Server: r.Server, Schemas: r.Schemas}
	plan := func(p *protocol.Provider, i protocol.Instance, config block) {
		call(p, func(p *protocol.Provider) error {
			_, err := p.Plan(ctx, p.Request(i, config))
			return err
		})
	}
	switch {
	case r.Schemas.Functions[kind] != nil:
		call(offline, func(p *protocol.Provider) error { return p.Call(ctx, kind, config) })
	case r.Schemas.ActionSchemas[kind] != nil:
		_ = call(offline, func(p *protocol.Provider) error { return p.ValidateAction(ctx, kind, config) }) ||
			call(r.connect(), func(p *protocol.Provider) error { return p.PlanAction(ctx, kind, config) })
	case r.Schemas.DataSourceSchemas[kind] != nil:
		invalid := call(offline, func(p *protocol.Provider) error { return p.ValidateData(ctx, kind, config) })
		if !invalid && !strings.Contains(at, "unknown") { // otherwise Terraform reads it in the apply
			call(r.connect(), func(p *protocol.Provider) error {
				_, err := p.ReadData(ctx, kind, config)
				return err
			})
		}
	case kind == "provider":
		for _, i := range append(slices.Collect(maps.Values(made)), protocol.Instance{Kind: "stackpolicy_placement_attachment"}) {
			p, err := protocol.Connect(ctx, config)
			if call(p, func(*protocol.Provider) error { return err }) {
				return said
			}
			if i.State.IsNull() {
				plan(p, i, configurations("", "")[i.Kind][0])
			} else {
				plan(p, i, nil)
			}
		}
	case !call(offline, func(p *protocol.Provider) error { return p.Validate(ctx, kind, config) }):
		plan(r.connect(), protocol.Instance{Kind: kind}, config)
		plan(r.connect(), made[kind], config)
	}
	return said
}

// vary calls put with each variant of a value, and the place that differs.
func vary(of tftypes.Type, v any, at string, put func(at string, v any)) {
	varyOne(at, put)
	switch of := of.(type) {
	case tftypes.Object:
		fields, _ := v.(block)
		varyFields(of, fields, at, put)
	case tftypes.Map:
		elements, _ := v.(block)
		for key := range elements {
			varyField(of.ElementType, elements, key, fmt.Sprintf("%s[%q]", at, key), put)
		}
		varyOne(at+`["other"]`, func(at string, v any) {
			put(at, with(elements, "other", v))
		})
	case tftypes.List:
		elements, _ := v.([]any)
		varyElements(of.ElementType, elements, at, put)
	}
	if of.Is(tftypes.Number) {
		put(at+" = 1.5", 1.5)
		put(at+" = 1e30", 1e30)
	}
	if !of.Is(tftypes.DynamicPseudoType) {
		return
	}
	for name, kind := range map[string]any{"a text": "x", "a number": 1.5, "true": true, "a list with unknown": []any{"x", tftypes.UnknownValue},
		"an object with unknown": block{"x": tftypes.UnknownValue}} {
		put(at+" = "+name, anyOf(kind))
	}
	dynamically := func(at string, v any) { put(at, anyOf(v)) }
	switch v := v.(type) {
	case block:
		for key := range v {
			varyField(of, v, key, at+"."+key, dynamically)
		}
	case []any:
		varyElements(of, v, at, dynamically)
	}
}

func varyFields(of tftypes.Object, fields block, at string, put func(at string, v any)) {
	for name, kind := range of.AttributeTypes {
		varyField(kind, fields, name, at+"."+name, put)
	}
}

func varyField(of tftypes.Type, fields block, name, at string, put func(at string, v any)) {
	vary(of, fields[name], at, func(at string, v any) { put(at, with(fields, name, v)) })
}

// varyElements varies the elements of a list, and adds one that says nothing.
func varyElements(of tftypes.Type, elements []any, at string, put func(at string, v any)) {
	for i := range elements {
		vary(of, elements[i], fmt.Sprintf("%s[%d]", at, i), func(at string, v any) {
			all := slices.Clone(elements)
			all[i] = v
			put(at, all)
		})
	}
	varyOne(fmt.Sprintf("%s[%d]", at, len(elements)), func(at string, v any) { put(at, append(slices.Clone(elements), v)) })
}

func varyOne(at string, put func(at string, v any)) {
	put(at+" = null", nil)
	put(at+" = unknown", tftypes.UnknownValue)
}

// with returns fields of which one has another value.
func with(fields block, name string, v any) block {
	all := block{}
	maps.Copy(all, fields)
	all[name] = v
	return all
}

// anyOf returns a value of an argument that may be of any kind.
func anyOf(v any) tftypes.Value {
	switch v := v.(type) {
	case tftypes.Value:
		return v
	case block:
		kinds, values := map[string]tftypes.Type{}, map[string]tftypes.Value{}
		for name, e := range v {
			values[name] = anyOf(e)
			kinds[name] = values[name].Type()
		}
		return tftypes.NewValue(tftypes.Object{AttributeTypes: kinds}, values)
	case []any:
		kinds, values := make([]tftypes.Type, len(v)), make([]tftypes.Value, len(v))
		for i, e := range v {
			values[i] = anyOf(e)
			kinds[i] = values[i].Type()
		}
		return tftypes.NewValue(tftypes.Tuple{ElementTypes: kinds}, values)
	case string:
		return tftypes.NewValue(tftypes.String, v)
	case bool:
		return tftypes.NewValue(tftypes.Bool, v)
	case int, float64:
		return tftypes.NewValue(tftypes.Number, v)
	}
	return tftypes.NewValue(tftypes.DynamicPseudoType, v)
}
