package openstack_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

// TestEveryString: every string of every answer is cleaned. Reflection finds the fields, so the fields of a
// new call are checked too.
func TestEveryString(t *testing.T) {
	const mark = "~" + escapes
	reached := map[string]bool{}     // fields that a marked string reached
	every := map[string]bool{}       // all string fields
	own := func(field string) bool { // reports whether no marked string of an answer can reach a field
		switch {
		case strings.HasSuffix(field, ".Region"), field == "GET / string": // set by the provider, or built from numbers
			return true
		case strings.HasSuffix(field, "InService"), strings.HasSuffix(field, "/g-1 openstack.ServerGroup.ID"),
			strings.HasSuffix(field, "/f openstack.Flavor.ID"): // a string of one form only
			return true
		case strings.HasSuffix(field, ".Build"), strings.HasSuffix(field, ".Unwell"): // a hash, which is in no answer of Nova
			return true
		}
		return strings.Contains(field, "interface {}") && strings.HasSuffix(field, " key")
	}
	for _, r := range requests {
		fake := fakecloud.Start(t, fakecloud.Config{})
		body := r.good
		if r.path == "/auth/tokens" {
			body = strings.NewReplacer("elsewhere", "elsewhere"+quotedEscapes, "other", "compute").Replace(body)
		} else {
			body = dirty(body, mark)
			if single := strings.HasSuffix(r.path, "/s") || strings.HasSuffix(r.path, "/g-1") || strings.HasSuffix(r.path, "/f"); single { // the id is compared
				body = strings.NewReplacer(`"id":"s`+quotedEscapes, `"id":"s`, `"id":"g-1`+quotedEscapes, `"id":"g-1`,
					`"id":"f`+quotedEscapes, `"id":"f`).Replace(body)
			}
			body = strings.ReplaceAll(body, "2026-01-01T00:00:00Z"+quotedEscapes, "2026-01-01T00:00:00Z")
			body = strings.ReplaceAll(body, `"action":"stop`+quotedEscapes, `"action":"stop`)
			body = strings.ReplaceAll(body, `"host":{`, `"host`+quotedEscapes+`":{`) // a member whose name is kept
		}
		fault := fake.Inject(fakecloud.Fault{Method: r.method, Path: r.path, Status: r.status(), Header: http.Header{"X-Subject-Token": {"t"}}, Body: body,
			Times: fakecloud.Forever})
		value, err := r.ask(t.Context(), open(t, member(fake)), "RegionOne")
		assert.NotZero(t, fault.Fired(), "%s %s: nothing was asked: %v", r.method, r.path, err)
		assert.True(t, err == nil || text.CleanLines(err.Error()) == err.Error(), "%s %s: %q", r.method, r.path, err)
		walkStrings(reflect.ValueOf(value), fmt.Sprintf("%s %s %T", r.method, r.path, value), func(field, s string) {
			every[field] = true
			assert.Equal(t, s, text.Clean(s), field)
			reached[field] = reached[field] || strings.Contains(s, `~\x1b[2J`)
		})
	}
	for field := range every {
		assert.True(t, reached[field] || own(field), "%s: no string of the answer came there", field)
	}
	assert.GreaterOrEqual(t, len(reached), 20, "fields: %v", reached)
}

// escapes are characters with an effect on a terminal or in a log: they clear the screen, set its title, begin a line
// that a workflow reads as a command, change the direction of writing, or are invisible.
const escapes = "\x1b[2J\x1b]0;owned\x07\r\n::error::owned\u202e\u200b\u2028\u0000\x7f\u009b31m"

// quotedEscapes is the mark as it is written in JSON text.
var quotedEscapes = strings.Trim(dirty(`"~"`, escapes), `"`)

// dirty appends a text to every string that is a value in JSON text.
func dirty(body, dirt string) string {
	var value any
	if json.Unmarshal([]byte(body), &value) != nil {
		return body
	}
	all, _ := json.Marshal(dirtied(value, dirt))
	return string(all)
}

func dirtied(value any, dirt string) any {
	switch v := value.(type) {
	case string:
		return v + dirt
	case []any:
		for i := range v {
			v[i] = dirtied(v[i], dirt)
		}
	case map[string]any:
		for name := range v {
			v[name] = dirtied(v[name], dirt)
		}
	}
	return value
}

// walkStrings calls a function for each string in a value, with the path to it.
func walkStrings(v reflect.Value, path string, found func(path, s string)) {
	switch v.Kind() {
	case reflect.String:
		found(path, v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walkStrings(v.Elem(), path, found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walkStrings(v.Field(i), path+"."+v.Type().Field(i).Name, found)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			walkStrings(v.Index(i), path+"[]", found)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			walkStrings(key, path+" key", found)
			walkStrings(v.MapIndex(key), path+" value", found)
		}
	}
}
