package fakecloud

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// object is a JSON object whose keys keep their order.
type object []field

type field struct {
	key   string
	value any
}

// get returns the value of a key. Of a key that is there twice the last one
// counts, as in Python.
func (o object) get(key string) (any, bool) {
	for _, f := range slices.Backward(o) {
		if f.key == key {
			return f.value, true
		}
	}
	return nil, false
}

// raw is JSON that is ready.
type raw string

// appendJSON appends v as Python's json module writes it: a blank after commas
// and colons, nothing but ASCII. It knows the few types that this package uses.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case raw:
		return append(b, v...)
	case string:
		return appendString(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case number:
		return append(b, v...)
	case object:
		b = append(b, '{')
		for i, f := range v {
			b = comma(b, i)
			b = append(appendString(b, f.key), ": "...)
			b = appendJSON(b, f.value)
		}
		return append(b, '}')
	case map[string]string:
		b = append(b, '{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			b = comma(b, i)
			b = append(appendString(b, k), ": "...)
			b = appendString(b, v[k])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, e := range v {
			b = appendJSON(comma(b, i), e)
		}
		return append(b, ']')
	case []object:
		b = append(b, '[')
		for i, e := range v {
			b = appendJSON(comma(b, i), e)
		}
		return append(b, ']')
	case []string:
		b = append(b, '[')
		for i, e := range v {
			b = appendString(comma(b, i), e)
		}
		return append(b, ']')
	}
	panic(fmt.Sprintf("fakecloud: no JSON for a %T", v))
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ", "...)
	}
	return b
}

const hexDigits = "0123456789abcdef"

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		ch := s[i]
		if ch >= ' ' && ch < 0x7f && ch != '"' && ch != '\\' {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		size := 1
		switch ch {
		case '"', '\\':
			b = append(b, '\\', ch)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			if r > 0xffff {
				r -= 0x10000
				b = appendEscape(b, 0xd800+r>>10)
				r = 0xdc00 + r&0x3ff
			}
			b = appendEscape(b, r)
		}
		i += size
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

func appendEscape(b []byte, r rune) []byte {
	return append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
