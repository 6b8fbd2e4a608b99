package fakecloud

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// number is a JSON number as it was written.
type number = json.Number

// errMalformed is a request body that is no JSON.
var errMalformed = errors.New("malformed JSON")

// decode reads JSON into object, []any, string, number, bool and nil. Objects
// keep the order of their keys: the services quote bodies in their errors.
func decode(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	v, err := decodeValue(d)
	if err != nil {
		return nil, errMalformed
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errMalformed
	}
	return v, nil
}

func decodeValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		return decodeObject(d)
	case json.Delim('['):
		return decodeArray(d)
	}
	return t, nil
}

func decodeObject(d *json.Decoder) (any, error) {
	o := object{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := decodeValue(d)
		if err != nil {
			return nil, err
		}
		o = append(o, field{key.(string), v})
	}
	_, err := d.Token()
	return o, err
}

func decodeArray(d *json.Decoder) (any, error) {
	list := []any{}
	for d.More() {
		v, err := decodeValue(d)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, err
}

// python writes a decoded value as Python prints it: that is how it stands in
// the services' errors.
func python(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case number:
		return string(v)
	case string:
		quote := "'"
		if strings.Contains(v, "'") && !strings.Contains(v, `"`) {
			quote = `"`
		}
		escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
		s := escape.Replace(v)
		if quote == "'" {
			s = strings.ReplaceAll(s, "'", `\'`)
		}
		return quote + s + quote
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = python(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case object:
		parts := make([]string, len(v))
		for i, f := range v {
			parts[i] = python(f.key) + ": " + python(f.value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return ""
}

// bare is python without the quotes of a string: the value of an error, where
// python is what is wrong with it.
func bare(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return python(v)
}
