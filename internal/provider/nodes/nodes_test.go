package nodes_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stretchr/testify/assert"
)

// full is a node in which no two fields have the same value.
func full() node.Node {
	return node.Node{ID: "s-7", Name: "web-7", Index: 7, Region: "RegionOne", Zone: "az-1", Status: "ACTIVE", HostID: "h-1", Profile: "image-1", Tainted: true,
		Protected: true, CreatedAt: time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC), ProfileCreatedAt: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
}

// TestRoundTrip: a plan that takes the nodes of a cluster sees each of their fields, and
// the fields that no plan uses are shown.
func TestRoundTrip(t *testing.T) {
	want := []node.Node{full(), {ID: "s-8", Name: "web-8", Index: 8, Region: "RegionTwo"}}
	shown := []node.Node{full(), want[1]}
	shown[0].InService, shown[0].Drained = "3-0f3a9c21", true
	list := nodes.Values(shown)
	var diags diag.Diagnostics
	if got := nodes.Read(list, &diags); diags.HasError() || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n got %+v\nwant %+v", diags, got, want)
	}
	for i, facts := range []map[string]attr.Value{
		{"in_service": types.StringValue("3-0f3a9c21"), "drained": types.BoolValue(true)},
		{"in_service": types.StringNull(), "drained": types.BoolValue(false), "created_at": types.StringNull()},
	} {
		for name, want := range facts {
			if got := list.Elements()[i].(types.Object).Attributes()[name]; !got.Equal(want) {
				t.Errorf("%s of node %d is %s, want %s", name, i, got, want)
			}
		}
	}
}

// TestReadFaults: an invalid value is reported at the attribute of its node.
func TestReadFaults(t *testing.T) {
	const created, profiled = "created_at", "profile_created_at"
	change := func(attribute, text string) types.List {
		list := nodes.Values([]node.Node{full(), {ID: "s-8", Region: "RegionOne"}})
		second := list.Elements()[1].(types.Object)
		fields := second.Attributes()
		fields[attribute] = types.StringValue(text)
		changed := types.ObjectValueMust(second.AttributeTypes(t.Context()), fields)
		return types.ListValueMust(list.ElementType(t.Context()), []attr.Value{list.Elements()[0], changed})
	}
	for _, c := range []struct{ attribute, text, says string }{
		{"id", "s-7", `The nodes 0 and 1 have the same id "s-7".`},
		{created, "yesterday", `"yesterday" is not a time`},
		{profiled, "long ago", `"long ago" is not a time`},
	} {
		var diags diag.Diagnostics
		nodes.Read(change(c.attribute, c.text), &diags)
		if len(diags) != 1 || !strings.Contains(diags[0].Detail(), c.says) {
			t.Errorf("%s: got %v", c.attribute, diags)
			continue
		}
		want := path.Root("nodes").AtListIndex(1).AtName(c.attribute)
		if at := diags[0].(diag.DiagnosticWithPath).Path(); !at.Equal(want) {
			t.Errorf("%s: at %s", c.attribute, at)
		}
	}
	var diags diag.Diagnostics
	if got := nodes.Read(change("zone", "az-2:host-1"), &diags); diags.HasError() || got[1].Zone != "az-2" {
		t.Errorf("a zone with a host: %+v, %v", got[1], diags)
	}
}

// TestSelector: each argument is handed on unchanged, and a key that is not given has
// its default.
func TestSelector(t *testing.T) {
	text := types.StringValue
	list := func(word string) types.List { return types.ListValueMust(types.StringType, []attr.Value{text(word)}) }
	all := nodes.Selector{NameRegex: text("^web"), Metadata: types.MapValueMust(types.StringType, map[string]attr.Value{"role": text("web")}),
		Tags: list("blue"), ServerGroupID: text("g-1"), IDs: list("s-1"), ProfileMetadataKey: text("release"), TaintedMetadataKey: text("old"),
		ProtectedMetadataKey: text("keep")}
	var diags diag.Diagnostics
	selector := cluster.Selector{NameRegex: "^web", Metadata: map[string]string{"role": "web"}, Tags: []string{"blue"},
		ServerGroupID: "g-1", IDs: []string{"s-1"}}
	if got := all.Selector(t.Context(), &diags); diags.HasError() || !reflect.DeepEqual(got, selector) {
		t.Errorf("got %+v, %v", got, diags)
	}
	if got, want := all.Keys(), (cluster.Keys{Profile: "release", Tainted: "old", Protected: "keep"}); got != want {
		t.Errorf("got %+v", got)
	}
	byDefault := cluster.Keys{Tainted: "stackpolicy_tainted", Protected: "stackpolicy_protected"}
	assert.Equal(t, byDefault, (nodes.Selector{}).Keys(), "by default")
	if all.SelectsNothing() || !(nodes.Selector{}).SelectsNothing() {
		t.Error("only an empty selector selects nothing")
	}
	unknown, word := types.StringUnknown(), types.StringType
	for name, one := range map[string]nodes.Selector{
		"name_regex":     {NameRegex: all.NameRegex},
		"metadata":       {Metadata: all.Metadata},
		"tags":           {Tags: all.Tags},
		"servergroup_id": {ServerGroupID: all.ServerGroupID},
		"ids":            {IDs: all.IDs},

		"name_regex, not known yet":     {NameRegex: unknown},
		"metadata, not known yet":       {Metadata: types.MapUnknown(word)},
		"tags, not known yet":           {Tags: types.ListUnknown(word)},
		"servergroup_id, not known yet": {ServerGroupID: unknown},
		"ids, not known yet":            {IDs: types.ListUnknown(word)},
	} {
		if one.SelectsNothing() {
			t.Errorf("%s selects nothing", name)
		}
	}
}

// TestReportRead: a missing group is reported at its argument; the advice to go on
// without a region is given only if a region failed.
func TestReportRead(t *testing.T) {
	const advice = "Leave it out."
	group := path.Root("selector").AtName("servergroup_id")
	for name, c := range map[string]struct {
		err     error
		at      path.Path
		says    string
		advises bool
	}{
		"a group": {&cluster.GroupGoneError{ID: "g-1", Regions: []string{"RegionOne", "RegionTwo"}}, group,
			`No region that is read (RegionOne, RegionTwo) has the server group "g-1".`, false},
		"a region":      {fmt.Errorf("read: %w", &cluster.RegionError{Region: "RegionOne", Err: errors.New("no answer")}), path.Empty(), "no answer", true},
		"anything else": {errors.New("no pattern"), path.Empty(), "no pattern", false},
	} {
		var diags diag.Diagnostics
		nodes.ReportRead(c.err, group, advice, &diags)
		if len(diags) != 1 || !strings.Contains(diags[0].Detail(), c.says) || strings.Contains(diags[0].Detail(), advice) != c.advises {
			t.Errorf("%s: got %v", name, diags)
			continue
		}
		at := path.Empty()
		if with, ok := diags[0].(diag.DiagnosticWithPath); ok {
			at = with.Path()
		}
		if !at.Equal(c.at) {
			t.Errorf("%s: at %s", name, at)
		}
	}
}
