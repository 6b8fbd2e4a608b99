package openstack_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/hostile"
	"github.com/stretchr/testify/assert"
)

// TestEveryString: every string of every answer is cleaned. Reflection finds the fields, so the fields of a
// new call are checked too.
func TestEveryString(t *testing.T) {
	const mark = "~" + hostile.Escapes
	reached := map[string]bool{}     // fields that a marked string reached
	every := map[string]bool{}       // all string fields
	own := func(field string) bool { // reports whether no marked string of an answer can reach a field
		switch {
		case strings.HasSuffix(field, ".Region"), field == "GET / string": // set by the provider, or built from numbers
			return true
		case strings.HasSuffix(field, "InService"), strings.HasSuffix(field, "/g-1 openstack.ServerGroup.ID"),
			strings.HasSuffix(field, "/m openstack.Member.ID"): // a string of one form only
			return true
		case strings.HasSuffix(field, ".Build"), strings.HasSuffix(field, ".Unwell"): // a hash, which is in no answer of Nova
			return true
		}
		return strings.Contains(field, "interface {}") && strings.HasSuffix(field, " key")
	}
	for _, r := range requests {
		fake := fakecloud.Start(t, fakecloud.Config{})
		body := r.target.Good()
		if r.path == "/auth/tokens" {
			body = strings.NewReplacer("elsewhere", "elsewhere"+quotedEscapes, "other", "compute").Replace(body)
		} else {
			body = hostile.Dirty(body, mark)
			if single := strings.HasSuffix(r.path, "/s") || strings.HasSuffix(r.path, "/g-1") || strings.HasSuffix(r.path, "/m"); single { // the id is compared
				body = strings.NewReplacer(`"id":"s`+quotedEscapes, `"id":"s`, `"id":"g-1`+quotedEscapes, `"id":"g-1`,
					`"id":"m`+quotedEscapes, `"id":"m`).Replace(body)
			}
			body = strings.ReplaceAll(body, "2026-01-01T00:00:00Z"+quotedEscapes, "2026-01-01T00:00:00Z")
			body = strings.ReplaceAll(body, `"action":"stop`+quotedEscapes, `"action":"stop`)
			body = strings.ReplaceAll(body, `"host":{`, `"host`+quotedEscapes+`":{`) // a member whose name is kept
		}
		status := r.target.Status
		if status == 0 {
			status = http.StatusOK
		}
		fault := fake.Inject(fakecloud.Fault{Method: r.method, Path: r.path, Status: status, Header: http.Header{"X-Subject-Token": {"t"}}, Body: body,
			Times: fakecloud.Forever})
		value, err := r.ask(t.Context(), open(t, member(fake)), "RegionOne")
		assert.NotZero(t, fault.Fired(), "%s %s: nothing was asked: %v", r.method, r.path, err)
		assert.True(t, err == nil || text.CleanLines(err.Error()) == err.Error(), "%s %s: %q", r.method, r.path, err)
		walkStrings(reflect.ValueOf(value), fmt.Sprintf("%s %s %T", r.method, r.path, value), func(field, s string) {
			if strings.HasSuffix(field, ".Tags[]") || strings.Contains(field, "/queues") {
				return // compared or written back, and never shown
			}
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

// quotedEscapes is the mark as it is written in JSON text.
var quotedEscapes = strings.Trim(hostile.Dirty(`"~"`, hostile.Escapes), `"`)

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
