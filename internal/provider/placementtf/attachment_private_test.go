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
	}
	whole := reflect.New(reflect.TypeFor[node.Node]()).Elem()
	for i := range whole.NumField() {
		switch f := whole.Field(i); f.Interface().(type) {
		case string:
			f.SetString("some " + whole.Type().Field(i).Name)
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
		seen:   roster.Seen{Servers: map[string]node.Node{}, Missing: map[string]bool{"web-9": true}},
		zones:  map[string]string{"shelved": "az-2"},
		order:  []roster.Template{`{"image":"a"}`, `{"image":"b"}`},
		former: map[roster.Naming]int64{{Cluster: "web", Pattern: "{cluster}-{index}"}: 7, {Cluster: "www", Pattern: "{index}"}: 3},
		marked: true,
		looked: map[placement.Place]string{{Region: "R"}: "", {Region: "R", Zone: "az-1"}: "it is down"},
	}
	r := roster.Roster{Nodes: map[string]roster.Node{"shelved": {Place: placement.Place{Region: "R", Zone: "az-2"}, Unplaced: true}}}
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
	r.Nodes["web-ACTIVE"] = roster.Node{Place: placement.Place{Region: "R", Zone: "az-1"}}
	before.store(t.Context(), state, r, &diags)
	if got := loadMemory(t.Context(), state, &diags).seen.Servers["web-ACTIVE"].Zone; got != "" {
		t.Errorf("the zone %q is kept", got)
	}
}
