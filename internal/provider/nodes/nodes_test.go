package nodes_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	assert.Equal(t, want, nodes.Read(list, &diags))
	assert.Empty(t, diags)
	for i, facts := range []map[string]attr.Value{
		{"in_service": types.StringValue("3-0f3a9c21"), "drained": types.BoolValue(true)},
		{"in_service": types.StringNull(), "drained": types.BoolValue(false), "created_at": types.StringNull()},
	} {
		for name, want := range facts {
			assert.Equal(t, want, list.Elements()[i].(types.Object).Attributes()[name], "%s of node %d", name, i)
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
		require.Len(t, diags, 1, c.attribute)
		assert.Contains(t, diags[0].Detail(), c.says, c.attribute)
		assert.Equal(t, path.Root("nodes").AtListIndex(1).AtName(c.attribute), diags[0].(diag.DiagnosticWithPath).Path())
	}
	var diags diag.Diagnostics
	assert.Equal(t, "az-2", nodes.Read(change("zone", "az-2:host-1"), &diags)[1].Zone, "of a zone with a host")
	assert.Empty(t, diags)
}

// TestSelector: each argument is handed on unchanged.
func TestSelector(t *testing.T) {
	text := types.StringValue
	list := func(word string) types.List { return types.ListValueMust(types.StringType, []attr.Value{text(word)}) }
	all := nodes.Selector{NameRegex: text("^web"), Metadata: types.MapValueMust(types.StringType, map[string]attr.Value{"role": text("web")}),
		Tags: list("blue"), ServerGroupID: text("g-1"), IDs: list("s-1")}
	var diags diag.Diagnostics
	selector := cluster.Selector{NameRegex: "^web", Metadata: map[string]string{"role": "web"}, Tags: []string{"blue"},
		ServerGroupID: "g-1", IDs: []string{"s-1"}}
	assert.Equal(t, selector, all.Selector(t.Context(), &diags))
	assert.Empty(t, diags)
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
		"a region": {fmt.Errorf("read: %w", &cluster.RegionError{Region: "RegionOne", Err: errors.New("no answer")}), path.Empty(), "no answer", true},
		"a login that is refused": {&cluster.RegionError{Region: "RegionOne", Err: gophercloud.ErrUnexpectedResponseCode{Actual: http.StatusForbidden}},
			path.Empty(), "The region answers, and refuses this login.", false},
		"anything else": {errors.New("no pattern"), path.Empty(), "no pattern", false},
	} {
		var diags diag.Diagnostics
		nodes.ReportRead(c.err, group, advice, &diags)
		require.Len(t, diags, 1, name)
		assert.Contains(t, diags[0].Detail(), c.says, name)
		assert.Equal(t, c.advises, strings.Contains(diags[0].Detail(), advice), name)
		at := path.Empty()
		if with, ok := diags[0].(diag.DiagnosticWithPath); ok {
			at = with.Path()
		}
		assert.Equal(t, c.at, at, name)
	}
}
