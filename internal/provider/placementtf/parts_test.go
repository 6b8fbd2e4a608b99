package placementtf

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vmihailenco/msgpack/v5"
)

// written returns an argument as Terraform hands it on: objects and tuples. Nil is unknown.
func written(v any) attr.Value {
	switch v := v.(type) {
	case string:
		return types.StringValue(v)
	case bool:
		return types.BoolValue(v)
	case []any:
		of, values := make([]attr.Type, len(v)), make([]attr.Value, len(v))
		for i, element := range v {
			values[i] = written(element)
			of[i] = values[i].Type(nil) //nolint:staticcheck // no type needs a context
		}
		return types.TupleValueMust(of, values)
	case map[string]any:
		of, values := map[string]attr.Type{}, map[string]attr.Value{}
		for name, element := range v {
			values[name] = written(element)
			of[name] = values[name].Type(nil) //nolint:staticcheck // no type needs a context
		}
		return types.ObjectValueMust(of, values)
	}
	return types.StringUnknown()
}

type o = map[string]any

func modelOf(networks, pools any) attachmentModel {
	m := attachmentModel{Networks: types.DynamicNull(), Pools: types.DynamicNull(), Disks: types.DynamicNull(), Regions: places.Value([]placement.Region{
		{Bin: placement.Bin{Name: "One"}, Zones: []placement.Bin{{Name: "a"}, {Name: "b"}}}, {Bin: placement.Bin{Name: "Two"}},
	})}
	if networks != nil {
		m.Networks = types.DynamicValue(written(networks))
	}
	if pools != nil {
		m.Pools = types.DynamicValue(written(pools))
	}
	m.sources.Networks = map[string]map[string]network{"One": {"shared": {ID: "n1", Word: "old"}, "n3": {ID: "n3"}}, "Two": {"shared": {ID: "n2"}}}
	return m
}

// stateful returns the model with slots.
func (m attachmentModel) withSlots() attachmentModel {
	of := map[string]attr.Type{"on_removal": types.StringType}
	m.Stateful = types.ObjectValueMust(of, map[string]attr.Value{"on_removal": types.StringValue("RETAIN")})
	return m
}

// TestPartTexts: the template of each place has the networks and pools of that place, with ids, and under the name by
// which its nodes call them. What is not known is left out.
func TestPartTexts(t *testing.T) {
	one, two := placement.Place{Region: "One"}, placement.Place{Region: "Two"}
	a, b := placement.Place{Region: "One", Zone: "a"}, placement.Place{Region: "One", Zone: "b"}
	for about, c := range map[string]struct {
		m    attachmentModel
		want map[placement.Place]string
	}{
		"nothing": {modelOf(nil, nil), nil},
		"a name, looked up in each region": {modelOf([]any{"shared"}, nil), map[placement.Place]string{
			one: `[{"id":"n1","name":"old"}]`, a: `[{"id":"n1","name":"old"}]`,
			b: `[{"id":"n1","name":"old"}]`, two: `[{"id":"n2","name":"shared"}]`,
		}},
		"an id, in one zone": {modelOf([]any{o{"id": "n3", "zones": []any{"One/a"}}}, nil), map[placement.Place]string{
			a: `[{"id":"n3","name":"0"}]`,
		}},
		"a port for what only a port has": {modelOf([]any{o{"name": "shared", "regions": []any{"Two"}, "floating_ip_pool": "public"}}, nil),
			map[placement.Place]string{
				two: `[{"floating_ip_pool":"public","id":"n2","name":"shared","port":true}]`,
			}},
		"no port, as written": {modelOf([]any{o{"id": "n3", "port": false, "regions": []any{"Two"}}}, nil), map[placement.Place]string{
			two: `[{"id":"n3","name":"0"}]`,
		}},
		"addresses are no part": {modelOf([]any{o{"id": "n3", "regions": []any{"Two"}, "floating_ips": []any{"203.0.113.1"}}}, nil), map[placement.Place]string{
			two: `[{"given":true,"id":"n3","name":"0","port":true}]`,
		}},
		"unknown": {modelOf([]any{o{"id": nil}}, nil), nil},
		"a slot's port outlives servers, so its settings are no part": {
			modelOf([]any{o{"id": "n3", "regions": []any{"Two"}, "subnet_id": "s", "floating_ips": o{"web-0": "203.0.113.1"}}}, nil).withSlots(),
			map[placement.Place]string{two: `[{"id":"n3","name":"0","port":true}]`},
		},
	} {
		t.Run(about, func(t *testing.T) {
			got := map[placement.Place]string{}
			for at, texts := range c.m.partTexts() {
				if text, has := texts["networks"]; has {
					got[at] = text
				}
			}
			if c.want == nil {
				c.want = map[placement.Place]string{}
			}
			assert.Equal(t, c.want, got)
		})
	}
	pools := modelOf(nil, o{"http": o{"region": "Two", "pool_id": nil, "protocol_port": "80", "backup": true}}).partTexts()
	assert.JSONEq(t, `{"http":{"protocol_port":80}}`, pools[two]["pools"], "neither the id of a pool nor backup is a part")
	assert.NotContains(t, pools[a], "pools")
}

func decoded(t *testing.T, v packed.Value) (list []map[string]any) {
	t.Helper()
	require.NoError(t, msgpack.Unmarshal(v, &list))
	return list
}

// TestShownNetworks: a node shows what its template has, whatever the configuration says now, and a slot its addresses.
func TestShownNetworks(t *testing.T) {
	template := roster.NewTemplate(map[string]string{"networks": `[{"given":true,"id":"n1","name":"old","port":true,"subnet_id":"s"}]`})
	m := modelOf([]any{o{"name": "shared", "floating_ips": []any{"203.0.113.1", "203.0.113.2"}}}, nil)
	at := placement.Place{Region: "One", Zone: "a"}
	shown := m.partsShown()
	assert.Equal(t, []map[string]any{{
		"address": nil, "allowed_address_pairs": nil, "floating_ip": "203.0.113.2", "floating_ip_pool": nil, "given": true, "id": "n1", "name": "old",
		"port": true, "port_security_enabled": nil, "security_group_ids": nil, "subnet_id": "s",
	}}, decoded(t, shown.networks(template, at, 2)))
	assert.Nil(t, decoded(t, shown.networks(template, at, 3))[0]["floating_ip"], "a list that is too short")
	assert.Empty(t, decoded(t, shown.networks("", at, 0)), "no template")

	m = modelOf([]any{o{"name": "shared", "subnet_id": "s2", "addresses": o{"web-0": "10.0.0.7"}, "floating_ips": o{"web-1": "203.0.113.1"}}}, nil).withSlots()
	shown = m.partsShown()
	zero, one := decoded(t, shown.slotNetworks("web-0", template, at))[0], decoded(t, shown.slotNetworks("web-1", template, at))[0]
	assert.Equal(t, []any{"n1", "s2", "10.0.0.7", nil, false}, []any{zero["id"], zero["subnet_id"], zero["address"], zero["floating_ip"], zero["given"]})
	assert.Equal(t, []any{"n1", "s2", nil, "203.0.113.1", true}, []any{one["id"], one["subnet_id"], one["address"], one["floating_ip"], one["given"]})
	assert.Equal(t, "n1", decoded(t, shown.slotNetworks("web-2", "", at))[0]["id"], "a slot that never had a node")
}

// TestShownPools: a pool of a node stays as its server was made. One that is new since then is as the configuration
// says, and what a node shows of it is what it keeps.
func TestShownPools(t *testing.T) {
	pool := func(port string) o { return o{"region": "One", "pool_id": "p" + port, "protocol_port": port} }
	ports := func(v packed.Value) map[string]any {
		all := map[string]any{}
		for _, p := range decoded(t, v) {
			all[p["name"].(string)] = p["protocol_port"]
		}
		return all
	}
	n := roster.Node{Place: placement.Place{Region: "One", Zone: "a"}, Generation: 1, Template: roster.NewTemplate(map[string]string{
		"pools": `{"http":{"protocol_port":80},"gone":{"protocol_port":1}}`,
	})}
	m := modelOf(nil, o{"http": pool("8080"), "new": pool("9100")})
	m.remember(roster.Roster{Nodes: map[string]roster.Node{"web-0": n}}, nil)
	shown := func() (string, map[string]any) {
		s := m.partsShown()
		key := s.nodes["web-0"].Parts
		return key, ports(s.before[key].Pools)
	}
	key, has := shown()
	assert.Equal(t, "One/a", key)
	assert.Equal(t, map[string]any{"http": int8(80), "new": uint16(9100)}, has)
	m.Pools = modelOf(nil, o{"http": pool("8080"), "new": pool("9200")}).Pools
	m.remember(roster.Roster{Nodes: map[string]roster.Node{"web-0": n}}, nil)
	key, has = shown()
	assert.Equal(t, "One/a", key)
	assert.EqualValues(t, uint16(9100), has["new"], "its member was made with that port")
	old := n
	n.Template = roster.NewTemplate(map[string]string{"pools": `{"http":{"protocol_port":8080},"new":{"protocol_port":9200}}`})
	m.remember(roster.Roster{Nodes: map[string]roster.Node{"web-0": n, "web-1": old}}, nil)
	key, has = shown()
	assert.Equal(t, "One/a/2", key, "another node has the first parts, or had")
	assert.EqualValues(t, uint16(9200), has["new"], "another template")
	m.remember(roster.Roster{Nodes: map[string]roster.Node{"web-0": n}}, nil)
	m.remember(roster.Roster{Nodes: map[string]roster.Node{"web-0": n}}, nil)
	key, _ = shown()
	assert.Equal(t, "One/a/2", key, "a node keeps its key")
	m.remember(roster.Roster{Nodes: map[string]roster.Node{"web-0": old}}, nil)
	key, _ = shown()
	assert.Equal(t, "One/a", key, "the first key is free again")
}

// TestPoolText: what templates have of pools changes with a setting, and not with a pool that is added or removed.
func TestPoolText(t *testing.T) {
	pool := func(port string) o { return o{"region": "One", "pool_id": "p" + port, "protocol_port": port} }
	const http, both = `{"http":{"protocol_port":80}}`, `{"http":{"protocol_port":80},"ssh":{"protocol_port":22}}`
	for about, c := range map[string]struct {
		text   string // of the node
		shown  string // pools that the node shows
		pools  o
		before string // what templates had
		want   string
	}{
		"the first pool":              {pools: o{"http": pool("80")}, want: ""},
		"a second pool":               {text: http, shown: http, before: http, pools: o{"http": pool("80"), "ssh": pool("22")}, want: http},
		"one of two pools is removed": {text: both, shown: both, before: both, pools: o{"http": pool("80")}, want: both},
		"all pools are removed":       {text: both, shown: both, before: both, pools: o{}, want: both},
		"another port": {text: http, shown: http, before: http, pools: o{"http": pool("8080")},
			want: `{"http":{"protocol_port":8080}}`},
		"another port of a pool that was added": {text: http, shown: both, before: http, pools: o{"http": pool("80"), "ssh": pool("23")},
			want: `{"http":{"protocol_port":80},"ssh":{"protocol_port":23}}`},
		"the port before is wanted again": {text: http, shown: http, before: `{"http":{"protocol_port":8080}}`,
			pools: o{"http": pool("80")}, want: http},
		"the first port that a pool gets back": {text: "", shown: http, before: "", pools: o{"http": pool("8080")},
			want: `{"http":{"protocol_port":8080}}`},
		"a new cluster of a region without a node": {text: "-", pools: o{"http": pool("80")}, want: http},
	} {
		t.Run(about, func(t *testing.T) {
			m := modelOf(nil, c.pools)
			p := attachmentPlanner{plan: &m}
			if c.before != "" {
				p.memory.Sources.putPools("One", c.before)
			}
			r, shown := roster.Roster{Nodes: map[string]roster.Node{}}, shownParts{}
			if c.text != "-" {
				n := roster.Node{Place: placement.Place{Region: "One"}, Template: roster.NewTemplate(map[string]string{"image": "a", "pools": c.text})}
				if c.text == "" {
					n.Template = roster.NewTemplate(map[string]string{"image": "a"})
				}
				var list []part
				for name, of := range poolsIn(c.shown) {
					of["name"] = name
					list = append(list, of)
				}
				r.Nodes["web-0"] = n
				shown.before = map[string]shownPart{"": {Pools: show(list, poolsType)}}
			}
			assert.Equal(t, c.want, p.poolText(r, shown, "One"))
		})
	}
}
