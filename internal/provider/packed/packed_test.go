package packed

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vmihailenco/msgpack/v5"
)

// refined is an unknown value of which Terraform says more, such as that it is not null.
var refined = Value{0xc7, 3, 12, 0x81, 1, 0xc2}

// TestMap: a map is one text, whatever its order in memory, and texts in it stay null, unknown or known.
func TestMap(t *testing.T) {
	elements := map[string]Text{"null": {types.StringNull()}, "unknown": {types.StringUnknown()}}
	for i := range 50 {
		elements[fmt.Sprint(i)] = Text{types.StringValue(fmt.Sprint(i))}
	}
	text := Map(elements)
	for range 5 {
		assert.Equal(t, text, Map(elements))
	}
	got, err := Elements[Text](text.ValueString())
	require.NoError(t, err)
	assert.Equal(t, elements, got)
	got, err = Elements[Text](Map(map[string]Value{"a": refined}).ValueString())
	require.NoError(t, err)
	assert.True(t, got["a"].IsUnknown(), "a text of which more is known")
}

// TestNames: a large value is a text for the framework, and the same value for Terraform. Null and unknown stay so.
func TestNames(t *testing.T) {
	hidden := Names{"nodes"}
	resource := func(nodes Value) *tfprotov6.DynamicValue {
		all, err := msgpack.Marshal(map[string]Value{"nodes": nodes})
		require.NoError(t, err)
		return &tfprotov6.DynamicValue{MsgPack: all}
	}
	nodes := Value(Map(map[string]int{"a": 1, "b": 2}).ValueString())
	text, err := msgpack.Marshal(string(nodes))
	require.NoError(t, err)
	for name, c := range map[string]struct{ shown, packed Value }{
		"known":                      {nodes, text},
		"null":                       {Value{0xc0}, Value{0xc0}},
		"unknown":                    {Unknown, Unknown},
		"unknown, and more is known": {refined, refined},
	} {
		in := hidden.In(resource(c.shown))
		assert.Equal(t, resource(c.packed), in, name)
		assert.Equal(t, resource(c.shown), hidden.Out(in), name)
	}
	other := Value(bytes.Clone(nodes))
	copy(other[1:], nodes[4:7]) // the same map in another order
	copy(other[4:], nodes[1:4])
	assert.NotEqual(t, nodes, other)
	prior := hidden.In(resource(nodes))
	assert.Equal(t, prior, hidden.Keep(hidden.In(resource(other)), prior), "the order of the prior state")
	assert.Equal(t, prior, hidden.Keep(prior, nil), "of a new resource")
}

// TestFromJSON: a state file is encoded without the framework if it is a resource of the type, and is left to it if not. Its
// whole numbers are integers, and attributes that it lacks are null.
func TestFromJSON(t *testing.T) {
	node := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"index": tftypes.Number, "share": tftypes.Number, "zone": tftypes.String}}
	of := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"nodes": tftypes.Map{ElementType: node}, "names": tftypes.List{ElementType: tftypes.String}}}
	for state, want := range map[string]any{
		`{"nodes":{"a":{"index":7,"share":0.5,"zone":"z"}},"names":["a"]}`: map[string]any{
			"nodes": map[string]any{"a": map[string]any{"index": int64(7), "share": "0.5", "zone": "z"}}, "names": []any{"a"}},
		`{"nodes":{"a":{}}}`:           map[string]any{"nodes": map[string]any{"a": map[string]any{"index": nil, "share": nil, "zone": nil}}, "names": nil},
		`{"nodes":{"a":{"former":1}}}`: nil, `{"former":1}`: nil, `{"nodes":[]}`: nil, `{"nodes":{"a":1}}`: nil, `{"names":{}}`: nil, `{"names":[[]]}`: nil,
		`{"nodes":`: nil, `[]`: nil,
	} {
		got, ok := FromJSON([]byte(state), of)
		assert.Equal(t, want != nil, ok, state)
		if !ok || want == nil {
			continue
		}
		var is any
		decoder := msgpack.NewDecoder(bytes.NewReader(got.MsgPack))
		decoder.UseLooseInterfaceDecoding(true)
		require.NoError(t, decoder.Decode(&is))
		assert.Equal(t, want, is, state)
	}
}
