package placementtf

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stretchr/testify/assert"
)

// keys is a private state.
type keys map[string][]byte

func (k keys) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return k[key], nil }

func (k keys) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	k[key] = value
	return nil
}

// fill gives a value to every field, two keys to every map, and two elements to every list.
func fill(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(name)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		if at, ok := reflect.TypeAssert[*time.Time](v.Addr()); ok {
			*at = time.Date(2026, 11, 1, len(name), 0, 0, 0, time.UTC)
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Name+" of "+name)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for _, which := range []string{"/one", "two"} {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, which)
			fill(value, which)
			v.SetMapIndex(key, value)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), fmt.Sprint(name, i))
		}
	default:
		panic("a field of a new type: " + name)
	}
}

// without clears fields of the elements of a map. A new field must be kept, or named here.
func without[T any](m map[string]T, fields ...string) {
	for name, value := range m {
		for _, field := range fields {
			reflect.ValueOf(&value).Elem().FieldByName(field).SetZero()
		}
		m[name] = value
	}
}

// TestMemory: the next plan reads all that a refresh stored. The memory leaves out what no
// plan uses, and what the attributes show.
func TestMemory(t *testing.T) {
	var before, want memory
	for _, m := range []*memory{&before, &want} {
		fill(reflect.ValueOf(m).Elem(), "memory")
		m.Seen.Servers["three"] = node.Node{Name: "three", ID: "id", Status: "ACTIVE", Zone: "az-3"}
		m.Seen.Servers["four"] = node.Node{Name: "four", ID: "id", Status: "UNKNOWN"}
		m.Roster.Nodes["four"] = roster.Node{Served: true}
	}
	// Attributes show the node's region and index; only a refresh uses what a server is made from and has; a plan uses the facts that it drew
	// from times and hosts; the build is kept with the mark that its node had.
	unkept := []string{"Region", "Index", "Generation", "HostID", "Profile", "LaunchedAt", "SeenAt", "InServiceAt", "NotInServiceAt", "Build",
		"Flavor", "Addresses", "Ports", "Volumes"}
	without(want.Seen.Servers, unkept...)
	for _, list := range want.Seen.Others {
		for i := range list {
			other := map[string]node.Node{"": list[i]}
			without(other, append(unkept, "Name")...)
			list[i] = other[""]
		}
	}
	for _, name := range []string{"/one", "two"} {
		s := want.Seen.Servers[name]
		s.Name, s.Zone = name, "" // the node has a zone
		want.Seen.Servers[name] = s
	}
	want.Roster.Next, want.Roster.Slots, want.Open = 0, nil, nil
	without(want.Roster.Nodes, "Index", "Region", "Template", "Flavor", "FlavorID", "Image", "Generation", "Ordinal", "Mark")

	var diags diag.Diagnostics
	state := keys{}
	before.store(t.Context(), state, before.Roster, &diags)
	assert.Equal(t, want, loadMemory(t.Context(), state, &diags))
	assert.Empty(t, diags)
	n := before.Roster.Nodes["two"]
	n.Unplaced = false // so that an attribute shows the zone
	assert.Equal(t, (roster.Node{Served: true, Doubt: true, Retried: true, StandsIn: true, Named: true, Tried: true}), unshown(n),
		"kept of a node")
}

// TestMemoryTampered: a private state that somebody edited, or that another provider wrote, is
// refused, or its strange parts count as unknown facts. No private state causes a crash.
func TestMemoryTampered(t *testing.T) {
	listed := []placement.Region{{Bin: placement.Bin{Name: "R", Cap: placement.Unlimited}}}
	var m attachmentModel
	m.Cluster, m.NodeNamePattern, m.DesiredCapacity = types.StringValue("web"), types.StringValue("{cluster}-{index}"), types.Int64Value(2)
	m.Slots = types.StringNull()
	m.remember(roster.Roster{Next: 2, Nodes: map[string]roster.Node{"web-0": {Place: placement.Place{Region: "R"}, Generation: 1, Mark: "1"},
		"web-1": {Index: 1, Place: placement.Place{Region: "R"}, Generation: 1, Mark: "1"}}}, listed)
	for text, refused := range map[string]bool{
		`{`: true, `[]`: true, `"seen"`: true, `{"seen":[]}`: true, `{"seen":{"servers":{"web-0":[]}}}`: true, `{"blind":"1"}`: true,
		`{"seen":{"servers":{"web-0":{"created":"yesterday"}}}}`: true, `{"seen":{"full":{"R":"now"}}}`: true, `{"roster":{"leaving":[]}}`: true,
		`{"roster":{"settled":{"R":[]}}}`: true, `{"roster":{"nodes":{"web-0":{"index":1e40}}}}`: true,
		``: false, `null`: false, `{}`: false, `{"another":"provider's"}`: false, `{"seen":null,"roster":null,"looked":null}`: false,
		`{"seen":{"servers":null,"missing":null,"builds":null,"full":null}}`: false, `{"seen":{"servers":{"web-0":null},"missing":{"web-0":true}}}`: false,
		`{"roster":{"leaving":{"web-0":{},"":{"index":-1,"mark":"-"}},"order":["",""],"settled":null}}`:                   false,
		`{"roster":{"nodes":{"web-0":{"region":"X","zone":"y","unplaced":true,"generation":-7},"web-9":{}}}}`:             false,
		`{"roster":{"settled":{"":{"":"[]"}},"failed":[{}],"order":["[]"],"next":-1,"slots":{"web-0":{}}},"marked":true}`: false,
	} {
		var diags diag.Diagnostics
		memory := loadMemory(t.Context(), keys{seenKey: []byte(text)}, &diags)
		assert.Equal(t, refused, diags.HasError(), "%s: %v", text, diags)
		if refused {
			continue
		}
		r := m.roster(memory, &diags)
		if n := r.Nodes["web-0"]; len(r.Nodes) != 2 || r.Next != 2 || len(r.Slots) != 0 || n.Region != "R" || n.Generation != 1 || n.Mark != "1" {
			t.Errorf("%s: %+v", text, r)
		}
		policy := roster.Policy{Name: m.naming().Name, Capacity: 2, Regions: listed, Update: &roster.Update{}}
		nowhere := func(string) bool { return false }
		looked, seen, _ := learn.Match(r, nil, memory.Seen, nowhere, nowhere)
		learn.NoteTimes(&seen, looked, policy, time.Time{})
		next, _, err := planner.Plan(learn.Learn(looked, seen, policy), seen, policy)
		assert.NoError(t, err, text)
		assert.Len(t, next.Nodes, 2, text)
		memory.store(t.Context(), keys{}, next, &diags)
		assert.Empty(t, diags, text)
	}
}

// TestFuture: a mark from the future is named if pause counts from it, and if it is further ahead than the clocks of a
// cloud may differ.
func TestFuture(t *testing.T) {
	now := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	r := roster.Roster{Nodes: map[string]roster.Node{"web-0": {}, "web-1": {Index: 1}, "web-2": {Index: 2}}}
	seen := roster.NewSeen()
	for name, ahead := range map[string]time.Duration{"web-0": time.Hour, "web-1": time.Minute, "web-2": -time.Hour, "web-9": time.Hour} {
		seen.Servers[name] = node.Node{SeenAt: now, InServiceAt: now.Add(ahead)}
	}
	pause := &roster.Update{Pause: time.Hour}
	for want, policy := range map[string]roster.Policy{
		"web-0 (2026-10-01T01:00:00Z)": {Update: pause, RequireMarks: true},
		"no marks":                     {Update: pause},
		"no pause":                     {Update: &roster.Update{}, RequireMarks: true},
		"no update":                    {RequireMarks: true},
	} {
		var diags diag.Diagnostics
		warnOfFuture(r, seen, policy, &diags)
		if named := len(diags) == 1 && strings.Contains(diags[0].Detail(), "nodes: "+want+". "); named != strings.HasPrefix(want, "web") || len(diags) > 1 {
			t.Errorf("%s: %+v", want, diags)
		}
	}
}
