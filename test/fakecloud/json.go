package fakecloud

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// number is a JSON number as it was written.
type number = json.Number

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

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) { return appendJSON(nil, o), nil }

// appendJSON appends v as JSON. A nil list or map becomes an empty one. It does not use encoding/json, because each
// request for a page of a large cluster makes a megabyte or more of JSON.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		if !slices.ContainsFunc([]byte(v), needsCare) {
			return append(append(append(b, '"'), v...), '"')
		}
	case nil:
		return append(b, "null"...)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case object:
		b = append(b, '{')
		for i, f := range v {
			b = append(appendJSON(comma(b, i), f.key), ':')
			b = appendJSON(b, f.value)
		}
		return append(b, '}')
	case []object:
		b = append(b, '[')
		for i, o := range v {
			b = appendJSON(comma(b, i), o)
		}
		return append(b, ']')
	}
	switch r := reflect.ValueOf(v); {
	case r.Kind() == reflect.Slice && r.Len() == 0:
		return append(b, "[]"...)
	case r.Kind() == reflect.Map && r.Len() == 0:
		return append(b, "{}"...)
	}
	text := bytes.NewBuffer(b)
	e := json.NewEncoder(text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("fakecloud: " + err.Error())
	}
	return bytes.TrimSuffix(text.Bytes(), []byte{'\n'})
}

// needsCare reports whether a character must be escaped.
func needsCare(c byte) bool { return c < ' ' || c > '~' || c == '"' || c == '\\' }

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}
