package fakecloud

import (
	"bytes"
	"encoding/json"
	"reflect"
)

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

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, f := range o {
		b = appendJSON(append(appendJSON(comma(b, i), f.key), ':'), f.value)
	}
	return append(b, '}'), nil
}

// appendJSON appends v as JSON. A list or a map that is nil is an empty one.
func appendJSON(b []byte, v any) []byte {
	switch r := reflect.ValueOf(v); {
	case r.Kind() == reflect.Slice && r.Len() == 0:
		if _, is := v.(object); !is {
			return append(b, "[]"...)
		}
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

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}
