package fakecloud

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// errMalformed is the error for a request body that is not JSON.
var errMalformed = errors.New("malformed JSON")

// decode reads JSON into object, []any, string, number, bool and nil.
func decode(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, errMalformed
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errMalformed
	}
	return ordered(v), nil
}

// ordered turns maps into objects, sorted by their keys.
func ordered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		o := object{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			o = append(o, field{key, ordered(v[key])})
		}
		return o
	case []any:
		for i := range v {
			v[i] = ordered(v[i])
		}
	}
	return v
}

// bare returns a number, a flag or a word as text.
func bare(v any) string { return fmt.Sprint(v) }

// object is a JSON object whose keys keep their order.
type object []field

type field struct {
	key   string
	value any
}

// get returns the value of a key.
func (o object) get(key string) (any, bool) {
	for _, f := range o {
		if f.key == key {
			return f.value, true
		}
	}
	return nil, false
}

// documents returns the documents of a list.
func documents[T any](list []T, of func(T) object) []object {
	all := make([]object, len(list))
	for i, item := range list {
		all[i] = of(item)
	}
	return all
}

// MarshalJSONTo implements [jsonv2.MarshalerTo].
func (o object) MarshalJSONTo(e *jsontext.Encoder) error {
	err := e.WriteToken(jsontext.BeginObject)
	for _, f := range o {
		err = cmp.Or(err, e.WriteToken(jsontext.String(f.key)), jsonv2.MarshalEncode(e, f.value))
	}
	return cmp.Or(err, e.WriteToken(jsontext.EndObject))
}

// encoded returns a value as JSON. A nil list or map becomes an empty one.
func encoded(v any) []byte {
	text, err := jsonv2.Marshal(v, jsonv2.Deterministic(true), jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(true))
	if err != nil {
		panic("fakecloud: " + err.Error())
	}
	return text
}
