package fakecloud

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDecodeRefuses(t *testing.T) {
	for _, given := range []string{"", "{", `{"a"}`, `{"a": }`, `{"a": 1,}`, "[1", "[1,]", "{} {}", "{]", "nul", `{1: 2}`} {
		if v, err := decode([]byte(given)); err == nil {
			t.Errorf("%q is %v", given, v)
		}
	}
}

// FuzzJSON: what is written is what was read.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a": [1, -2.5e7, "\u00e4\ud83d\ude00\u0001\"\\/<>&\u007f"], "b": null, "": {}}`, `"\ud800"`, `[true, false, []]`, "{"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, given []byte) {
		v, err := decode(given)
		require.Equal(t, err == nil, json.Valid(given), "%q: %v", given, err)
		if err != nil {
			return
		}
		written := string(appendJSON(nil, v))
		var a, b any
		if err := json.Unmarshal(given, &a); err != nil {
			return // a number that is too large
		}
		if err := json.Unmarshal([]byte(written), &b); err != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%q became %q: %v", given, written, err)
		}
	})
}
