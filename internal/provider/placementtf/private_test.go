package placementtf

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// keys is a private state.
type keys map[string][]byte

func (k keys) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return k[key], nil }

func (k keys) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	k[key] = value
	return nil
}

// TestMemory: what a refresh saw is what the next plan decides by. Every field of
// a node is kept, except those that no plan of an attachment looks at.
func TestMemory(t *testing.T) {
	forgotten := map[string]bool{
		"Region":  true, // the node's own is in the state
		"HostID":  true, // only the deletion policy of a data source asks for it
		"Profile": true, // its age is kept
		"Index":   true, // the node's own is in the state
		"Build":   true, // kept with the mark of its node

		"LaunchedAt":     true, // no plan decides by a time, but by what it came to
		"SeenAt":         true,
		"InServiceAt":    true,
		"NotInServiceAt": true,
	}
	whole := reflect.New(reflect.TypeFor[node.Node]()).Elem()
	for i := range whole.NumField() {
		switch f := whole.Field(i); f.Interface().(type) {
		case string:
			f.SetString("some " + whole.Type().Field(i).Name)
		case int64:
		case bool:
			f.SetBool(true)
		case time.Time:
			f.Set(reflect.ValueOf(time.Date(2026, 11, 1, i, 0, 0, 0, time.UTC)))
		default:
			t.Fatalf("a field of a new type: %s", whole.Type().Field(i).Name)
		}
		if forgotten[whole.Type().Field(i).Name] {
			whole.Field(i).SetZero()
		}
	}
	before := memory{
		seen: roster.NewSeen(),
		roster: roster.Roster{
			Order:   []roster.Template{`{"image":"a"}`, `{"image":"b"}`},
			Former:  map[roster.Naming]int64{{Cluster: "web", Pattern: "{cluster}-{index}"}: 7, {Cluster: "www", Pattern: "{index}"}: 3},
			Failed:  []roster.Failure{{Template: "1f2e3d4c", Node: "web-7", After: 42 * time.Minute}},
			Settled: roster.Templates{{}: `{"image":"a"}`, {Region: "R", Zone: "az-1"}: `{"image":"b"}`},
			Leaving: map[string]roster.Node{"web-8": {Index: 8, Place: placement.Place{Region: "R", Zone: "az-1"},
				Template: `{"image":"a"}`, Generation: 2, Mark: "3-12345678", Served: true}},
		},
		zones:    map[string]string{"shelved": "az-2"},
		unserved: map[string]bool{"web-9": true},
		marked:   true,
		looked:   map[placement.Place]string{{Region: "R"}: "", {Region: "R", Zone: "az-1"}: "it is down"},
	}
	before.seen.Missing["web-9"] = true
	before.seen.Full[placement.Place{Region: "R", Zone: "az-2"}] = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	before.seen.Full[placement.Place{Region: "S"}] = time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	before.seen.Aged["web-ACTIVE"] = roster.Aged{Mark: "1", Launched: time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)}
	before.seen.Baking["web-SHUTOFF"] = true
	before.seen.Builds["web-ACTIVE"] = roster.Build{Mark: "1", Of: "some Build"}
	r := before.roster
	r.Nodes = map[string]roster.Node{
		"shelved":    {Place: placement.Place{Region: "R", Zone: "az-2"}, Unplaced: true},
		"web-9":      {Index: 9, Place: placement.Place{Region: "R", Zone: "az-1"}},
		"web-ACTIVE": {Template: `{"image":"a"}`, Served: true},
	}
	for _, status := range []string{"ACTIVE", "BUILD", "ERROR", "SHELVED", "SHUTOFF", "UNKNOWN", "VERIFY_RESIZE"} {
		s := whole.Interface().(node.Node)
		s.Name, s.Status = "web-"+status, status
		if status != "ERROR" {
			s.Fault = "" // Nova gives it with an ERROR
		}
		before.seen.Servers[s.Name] = s
	}
	before.seen.Servers["web-new"] = node.Node{Name: "web-new", ID: "id", Status: "ACTIVE"}
	var diags diag.Diagnostics
	state := keys{}
	before.store(t.Context(), state, r, &diags)
	after := loadMemory(t.Context(), state, &diags)
	if diags.HasError() || !reflect.DeepEqual(after, before) {
		t.Errorf("%v\n got %+v\nwant %+v", diags, after, before)
	}
	// A node that has a zone is there: what a server is in does not matter.
	r.Nodes["web-ACTIVE"] = roster.Node{Place: placement.Place{Region: "R", Zone: "az-1"}, Served: true}
	before.store(t.Context(), state, r, &diags)
	if got := loadMemory(t.Context(), state, &diags).seen.Servers["web-ACTIVE"].Zone; got != "" {
		t.Errorf("the zone %q is kept", got)
	}
}
