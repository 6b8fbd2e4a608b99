package shape_test

import (
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/shape"
	"github.com/stretchr/testify/assert"
)

var half = big.NewFloat(0.5)

var network = shape.Shape{
	Of: "a network", Short: "name", Like: `[{ name = "shared" }]`,
	Keys: map[string]shape.Kind{
		"name": shape.Text, "id": shape.Text, "regions": shape.Texts, "port": shape.Flag, "mtu": shape.Whole,
		"floating_ip_pool": shape.Text, "floating_ips": shape.Any,
	},
	Needs: [][]string{{"name", "id"}},
	Known: []string{"name", "regions", "port"},
}

func object(fields map[string]attr.Value) attr.Value {
	of := map[string]attr.Type{}
	for name, v := range fields {
		of[name] = v.Type(nil) //nolint:staticcheck // no type needs a context
	}
	return types.ObjectValueMust(of, fields)
}

func tuple(elements ...attr.Value) attr.Value {
	of := make([]attr.Type, len(elements))
	for i, v := range elements {
		of[i] = v.Type(nil) //nolint:staticcheck // no type needs a context
	}
	return types.TupleValueMust(of, elements)
}

// TestList: what people write is read as they mean it, or the error says which element is wrong, how, and what to write.
func TestList(t *testing.T) {
	name, null, unknown := types.StringValue("shared"), types.DynamicNull(), types.StringUnknown()
	named := func(key string, v attr.Value) attr.Value {
		return tuple(object(map[string]attr.Value{"name": name, key: v}))
	}
	for about, c := range map[string]struct {
		given attr.Value
		want  []shape.Object
		wrong string
	}{
		"null":            {given: null},
		"texts":           {given: tuple(name), want: []shape.Object{{"name": name}}},
		"text and object": {given: tuple(name, object(map[string]attr.Value{"id": name})), want: []shape.Object{{"name": name}, {"id": name}}},
		"null in it":      {given: named("id", types.StringNull()), want: []shape.Object{{"name": name}}},
		"unknown id":      {given: tuple(object(map[string]attr.Value{"id": unknown})), want: []shape.Object{{"id": unknown}}},
		"text for a flag": {given: named("port", types.StringValue("true")), want: []shape.Object{{"name": name, "port": types.BoolValue(true)}}},
		"text for number": {given: named("mtu", types.StringValue("1450")), want: []shape.Object{{"name": name, "mtu": types.Int64Value(1450)}}},
		"brackets missing": {given: object(map[string]attr.Value{"name": name}),
			wrong: `networks is one object, and a list of them is needed. Put it in brackets, as in [{ name = "shared" }]`},
		"text for a list": {given: name, wrong: `networks: a list is needed, not "shared", such as [{ name = "shared" }]`},
		"null element":    {given: tuple(name, null), wrong: "networks[1] is null. Leave it out"},
		"misspelled": {given: named("flaoting_ip_pool", name),
			wrong: `networks[0] has "flaoting_ip_pool", and a network has no such key. Did you mean "floating_ip_pool"?`},
		"other key": {given: named("colour", name),
			wrong: `networks[0] has "colour", and a network has no such key. It has floating_ip_pool, floating_ips, id, mtu, name, port, regions`},
		"no name, no id": {given: tuple(object(map[string]attr.Value{"port": types.BoolValue(true)})),
			wrong: `networks[0] has no name and no id, such as [{ name = "shared" }]`},
		"text for texts": {given: named("regions", name), wrong: `networks[0].regions: a list of texts is needed, such as ["a"]`},
		"null in texts":  {given: named("regions", tuple(null)), wrong: "networks[0].regions: element 0: a text is needed, and it is null"},
		"null in a map": {given: named("floating_ips", object(map[string]attr.Value{"web-0": null, "web-1": name})),
			want: []shape.Object{{"name": types.StringValue("shared"),
				"floating_ips": types.MapValueMust(types.StringType, map[string]attr.Value{"web-1": name})}}},
		"object for text": {given: named("id", object(nil)), wrong: "networks[0].id: a text is needed, not an object"},
		"fraction":        {given: named("mtu", types.NumberValue(half)), wrong: "networks[0].mtu: a whole number is needed, not 0.5: use floor() or ceil()"},
		"unknown list":    {given: types.DynamicUnknown(), wrong: "networks is not known while planning"},
		"unknown element": {given: tuple(name, unknown), wrong: "networks[1] is not known while planning"},
		"unknown region":  {given: named("regions", tuple(unknown)), wrong: "networks[0].regions is not known while planning"},
		"unknown flag":    {given: named("port", types.BoolUnknown()), wrong: "networks[0].port is not known while planning"},
	} {
		t.Run(about, func(t *testing.T) {
			got, err := network.List("networks", c.given)
			assert.Equal(t, c.want, got)
			if c.wrong == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, c.wrong)
			}
		})
	}
}

// TestMap: a map is read by the same rules.
func TestMap(t *testing.T) {
	pool := shape.Shape{Of: "a pool", Keys: map[string]shape.Kind{"protocol_port": shape.Whole}, Needs: [][]string{{"protocol_port"}},
		Like: "{ http = { protocol_port = 80 } }"}
	port := object(map[string]attr.Value{"protocol_port": types.StringValue("80")})
	got, err := pool.Map("pools", object(map[string]attr.Value{"http": port}))
	assert.NoError(t, err)
	assert.Equal(t, map[string]shape.Object{"http": {"protocol_port": types.Int64Value(80)}}, got)
	_, err = pool.Map("pools", types.DynamicUnknown())
	assert.EqualError(t, err, "pools is not known while planning")
	for wrong, given := range map[string]attr.Value{
		"pools: an object is needed, not a list, such as { http = { protocol_port = 80 } }": tuple(port),
		`pools["http"] has no protocol_port, such as { http = { protocol_port = 80 } }`:     object(map[string]attr.Value{"http": object(nil)}),
		`pools["http"] is null. Leave it out`: object(map[string]attr.Value{
			"http": types.DynamicNull(),
		}),
		`pools["http"].protocol_port: a whole number is needed, not "eighty"`: object(map[string]attr.Value{
			"http": object(map[string]attr.Value{"protocol_port": types.StringValue("eighty")}),
		}),
		`pools["http"] has "protocol_prot", and a pool has no such key. Did you mean "protocol_port"?`: object(map[string]attr.Value{
			"http": object(map[string]attr.Value{"protocol_prot": types.StringValue("80")}),
		}),
	} {
		_, err := pool.Map("pools", given)
		assert.EqualError(t, err, wrong)
	}
}
