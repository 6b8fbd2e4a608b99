package fakecloud

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// names of the servers of a list, in its order.
func names(t *testing.T, a answer) string {
	t.Helper()
	var list []string
	for _, s := range a.object(t)["servers"].([]any) {
		name, ok := s.(map[string]any)["name"].(string)
		if !ok {
			name = "?"
		}
		list = append(list, name)
	}
	return strings.Join(list, " ")
}

// TestServersOfOneAge are in the order of their ids.
func TestServersOfOneAge(t *testing.T) {
	c := Start(t, Config{Now: func() time.Time { return Epoch.Add(time.Millisecond) }})
	k := login(t, c, "member")
	for range 5 {
		k.server("x", "")
	}
	var ids []string
	for _, s := range k.must(200, "GET compute /servers", "").object(t)["servers"].([]any) {
		ids = append(ids, s.(map[string]any)["id"].(string))
	}
	if !slices.IsSorted(ids) {
		t.Errorf("not sorted: %v", ids)
	}
	second := k.must(200, "GET compute /servers?limit=2&marker="+ids[1], "").object(t)["servers"].([]any)
	if second[0].(map[string]any)["id"] != ids[2] {
		t.Errorf("the page after %s starts with %v", ids[1], second[0])
	}
}
