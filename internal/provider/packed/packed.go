// Package packed hides values that are as large as a cluster from the plugin framework.
//
// The framework walks every value of a resource, and looks up the path of each in the schema, about ten times in
// each call. That takes longer than everything else. So for the framework such a value is one text: its
// msgpack, which Terraform sent or will get. A resource decodes the text into a Go map, and a server in front of the
// framework exchanges values and texts.
package packed

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// Value is an encoded value.
type Value = msgpack.RawMessage

// Unknown is a value that is not known yet.
var Unknown = Value{msgpcode.FixExt1, 0, 0}

// Text is a text that may be null or unknown.
type Text struct{ types.String }

// EncodeMsgpack implements msgpack.CustomEncoder.
func (t Text) EncodeMsgpack(encoder *msgpack.Encoder) error {
	switch {
	case t.IsNull():
		return encoder.EncodeNil()
	case t.IsUnknown():
		return encoder.Encode(Unknown)
	}
	return encoder.EncodeString(t.ValueString())
}

// DecodeMsgpack implements msgpack.CustomDecoder.
func (t *Text) DecodeMsgpack(decoder *msgpack.Decoder) error {
	code, err := decoder.PeekCode()
	switch {
	case err != nil:
		return err
	case code == msgpcode.Nil:
		t.String = types.StringNull()
		return decoder.Skip()
	case msgpcode.IsExt(code):
		t.String = types.StringUnknown()
		return decoder.Skip()
	}
	text, err := decoder.DecodeString()
	t.String = types.StringValue(text)
	return err
}

// Map returns a map as text, sorted by name.
func Map[E any](elements map[string]E) types.String {
	var text bytes.Buffer
	encoder := msgpack.NewEncoder(&text)
	encoder.UseCompactInts(true)
	_ = encoder.EncodeMapLen(len(elements)) // a buffer takes everything
	for _, name := range slices.Sorted(maps.Keys(elements)) {
		_ = encoder.EncodeMulti(name, elements[name])
	}
	return types.StringValue(text.String())
}

// Elements returns the elements of a map. An empty text has no elements.
func Elements[E any](text string) (elements map[string]E, err error) {
	if text != "" {
		err = msgpack.Unmarshal([]byte(text), &elements)
	}
	return elements, err
}

// FromJSON returns a resource as a state file has it, of which Terraform has removed what its type does not have. It
// reports false if that is not so, or if it is no resource of the type.
func FromJSON(state []byte, of tftypes.Type) (_ *tfprotov6.DynamicValue, ok bool) {
	var attributes any
	decoder := json.NewDecoder(bytes.NewReader(state))
	decoder.UseNumber()
	if decoder.Decode(&attributes) != nil {
		return nil, false
	}
	attributes, ok = complete(attributes, of)
	text, err := msgpack.Marshal(attributes)
	return &tfprotov6.DynamicValue{MsgPack: text}, ok && err == nil
}

// complete returns a value with all attributes of its objects. Whole numbers are integers: Terraform takes long to
// write a number that it read as a text.
func complete(v any, of tftypes.Type) (_ any, ok bool) {
	elements, isMap := v.(map[string]any)
	list, isList := v.([]any)
	ok = true
	is := func(element any, of tftypes.Type) any {
		element, fits := complete(element, of)
		ok = ok && fits
		return element
	}
	if of.Is(tftypes.DynamicPseudoType) {
		return dynamic(v)
	}
	switch of := of.(type) {
	case tftypes.Object:
		for name, of := range of.AttributeTypes {
			if isMap {
				elements[name] = is(elements[name], of)
			}
		}
		ok = ok && (v == nil || len(elements) == len(of.AttributeTypes))
	case tftypes.Map:
		for name, element := range elements {
			elements[name] = is(element, of.ElementType)
		}
		ok = ok && (v == nil || isMap)
	case tftypes.List:
		for i, element := range list {
			list[i] = is(element, of.ElementType)
		}
		ok = ok && (v == nil || isList)
	case tftypes.Set:
		for i, element := range list {
			list[i] = is(element, of.ElementType)
		}
		ok = ok && (v == nil || isList)
	case tftypes.Tuple:
		ok = len(list) == len(of.ElementTypes)
		for i := range list {
			list[i] = is(list[i], of.ElementTypes[min(i, len(of.ElementTypes)-1)])
		}
		ok = ok && (v == nil || isList)
	default:
		ok = !isMap && !isList
		if number, is := v.(json.Number); is {
			v = number.String()
			if whole, err := number.Int64(); err == nil {
				v = whole
			}
		}
	}
	return v, ok
}

// dynamic returns a value that a state file has with its type.
func dynamic(v any) (_ any, ok bool) {
	if v == nil {
		return nil, true
	}
	typed, _ := v.(map[string]any)
	written, err := json.Marshal(typed["type"])
	if err != nil || len(typed) != 2 {
		return v, false
	}
	of, err := tftypes.ParseJSONType(written) //nolint:staticcheck // the only way to read it
	if err != nil {
		return v, false
	}
	value, ok := complete(typed["value"], of)
	return []any{written, value}, ok
}

// Names are the names of the hidden attributes of a resource.
type Names []string

// Hide returns a schema in which these attributes are texts.
func (n Names) Hide(s schema.Schema) schema.Schema {
	for _, name := range n {
		s.Attributes[name] = schema.StringAttribute{Computed: true}
	}
	return s
}

// In returns a resource with these attributes as texts.
func (n Names) In(v *tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
	return n.exchange(v, func(_ string, value Value) Value {
		if code := value[0]; code == msgpcode.Nil || msgpcode.IsExt(code) {
			return value // null or unknown
		}
		text, _ := msgpack.Marshal(string(value)) // every string can be encoded
		return text
	})
}

// Keep returns a proposed state with the texts of the prior state. Terraform proposes the prior values of computed
// attributes, but the order of a map may be another one, and then their texts differ.
func (n Names) Keep(proposed, prior *tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
	var before map[string]Value
	if len(n) == 0 || prior == nil || msgpack.Unmarshal(prior.MsgPack, &before) != nil || before == nil {
		return proposed
	}
	return n.exchange(proposed, func(name string, _ Value) Value { return before[name] })
}

// Out is the opposite of [Names.In].
func (n Names) Out(v *tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
	return n.exchange(v, func(_ string, value Value) Value {
		var text string
		if !msgpcode.IsString(value[0]) || msgpack.Unmarshal(value, &text) != nil {
			return value // null or unknown
		}
		return Value(text)
	})
}

// exchange changes these attributes of a resource. Null stays null, and other values stay unchanged: their reader
// says what is wrong with them.
func (n Names) exchange(v *tfprotov6.DynamicValue, change func(string, Value) Value) *tfprotov6.DynamicValue {
	var attributes map[string]Value
	if len(n) == 0 || v == nil || msgpack.Unmarshal(v.MsgPack, &attributes) != nil {
		return v
	}
	for _, name := range n {
		if value := attributes[name]; value != nil {
			attributes[name] = change(name, value)
		}
	}
	text, _ := msgpack.Marshal(attributes) // all of it was decoded
	return &tfprotov6.DynamicValue{MsgPack: text}
}
