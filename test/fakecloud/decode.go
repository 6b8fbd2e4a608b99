package fakecloud

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
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
