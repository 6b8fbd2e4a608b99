package requesttf_test

import (
	"context"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/request"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
)

// object is an object as a decision may have it.
func object(fields map[string]attr.Value) types.Object {
	kinds := map[string]attr.Type{}
	for name, v := range fields {
		kinds[name] = v.Type(context.Background())
	}
	return types.ObjectValueMust(kinds, fields)
}

func number(n float64) types.Number { return types.NumberValue(big.NewFloat(n)) }

// TestRead: each argument of a request is handed on as itself, and only the blocks
// that are there ask for something.
func TestRead(t *testing.T) {
	blocks := requesttf.Blocks("")
	none := requesttf.Model{Decision: types.DynamicNull()}
	for name, into := range map[string]*types.Object{"scale_out": &none.ScaleOut, "scale_in": &none.ScaleIn, "resize": &none.Resize,
		"node_create": &none.NodeCreate} {
		*into = types.ObjectNull(blocks[name].Type().(types.ObjectType).AttrTypes)
	}
	whole := func(n int64) attr.Value { return types.Int64Value(n) }
	of := func(name string, values map[string]attr.Value) types.Object {
		return protocol.Block(t, blocks[name], values)
	}
	least, most, step, one, two := int64(3), int64(9), int64(2), int64(1), int64(2)
	for name, c := range map[string]struct {
		asked func(*requesttf.Model)
		want  *request.Request
	}{
		"nothing": {func(*requesttf.Model) {}, &request.Request{}},
		"one more": {func(m *requesttf.Model) { m.ScaleOut = of("scale_out", nil) },
			&request.Request{ScaleOut: &one}},
		"two fewer": {func(m *requesttf.Model) { m.ScaleIn = of("scale_in", map[string]attr.Value{"count": whole(2)}) },
			&request.Request{ScaleIn: &two}},
		"another size": {func(m *requesttf.Model) {
			m.Resize = of("resize", map[string]attr.Value{"adjustment_type": types.StringValue("CHANGE_IN_PERCENTAGE"), "number": number(12.5),
				"min_size": whole(least), "max_size": whole(most), "min_step": whole(step), "strict": types.BoolValue(true)})
		}, &request.Request{Resize: &request.Resize{AdjustmentType: "CHANGE_IN_PERCENTAGE", Number: big.NewRat(25, 2),
			MinSize: &least, MaxSize: &most, MinStep: &step, Strict: true}}},
		"a place": {func(m *requesttf.Model) {
			m.NodeCreate = of("node_create", map[string]attr.Value{"region": types.StringValue("RegionOne"), "zone": types.StringValue("az-1")})
		}, &request.Request{NodeCreate: &placement.Place{Region: "RegionOne", Zone: "az-1"}}},
		"a decision": {func(m *requesttf.Model) {
			m.Decision = types.DynamicValue(object(map[string]attr.Value{"deletion": object(map[string]attr.Value{"count": number(2)})}))
		}, &request.Request{Decision: &request.Decision{Deletion: &request.Share{Count: 2}}}},
		"what is not known": {func(m *requesttf.Model) {
			m.ScaleOut = of("scale_out", map[string]attr.Value{"count": types.Int64Unknown()})
		}, nil},
		"a decision that is not known": {func(m *requesttf.Model) { m.Decision = types.DynamicUnknown() }, nil},
	} {
		m := none
		c.asked(&m)
		var diags diag.Diagnostics
		if got := m.Read(t.Context(), &diags); diags.HasError() || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v", name, got, diags)
		}
	}
	far := new(big.Float).SetMantExp(big.NewFloat(1), 1<<20)
	var diags diag.Diagnostics
	requesttf.ReadResize(t.Context(), of("resize", map[string]attr.Value{"number": types.NumberValue(far)}), &diags)
	if at := where(diags); at != "resize.number" {
		t.Errorf("a number beyond all bounds: at %q: %v", at, diags)
	}
}

// where is the path of the only diagnostic.
func where(diags diag.Diagnostics) string {
	if len(diags) != 1 {
		return "several, or none"
	}
	if with, ok := diags[0].(diag.DiagnosticWithPath); ok {
		return with.Path().String()
	}
	return ""
}

// TestReport: a fault is reported at its argument, and one of the request as a whole
// at none.
func TestReport(t *testing.T) {
	for name, c := range map[string]struct {
		err      error
		at, says string
	}{
		"an argument":   {&request.ArgumentError{Argument: "resize.min_size", Fault: "It is too small."}, "resize.min_size", "It is too small."},
		"the whole":     {&request.ArgumentError{Fault: "Nothing is requested."}, path.Empty().String(), "Nothing is requested."},
		"anything else": {errors.New("no way"), path.Empty().String(), "no way"},
	} {
		var diags diag.Diagnostics
		if requesttf.Report(c.err, &diags); where(diags) != c.at || diags[0].Detail() != c.says {
			t.Errorf("%s: got %v", name, diags)
		}
	}
	var diags diag.Diagnostics
	if requesttf.Report(nil, &diags); len(diags) > 0 {
		t.Errorf("nothing is wrong: %v", diags)
	}
}

// TestWarnOfCut: what the warning says of a cluster that has nodes, and of one that
// has none.
func TestWarnOfCut(t *testing.T) {
	for _, c := range []struct {
		asked, size int64
		says        string
	}{
		{0, 3, ""},
		{9, 3, "9 nodes must be removed, and the cluster has 3: all of them would be removed."},
		{1, 0, "1 node must be removed, and the cluster has 0: there is nothing to remove."},
	} {
		var diags diag.Diagnostics
		requesttf.WarnOfCut(c.asked, c.size, &diags)
		if len(diags) != min(1, len(c.says)) || c.says != "" && diags[0].Detail() != c.says {
			t.Errorf("%d of %d: %v", c.asked, c.size, diags)
		}
	}
}

// TestReadDecision: what the parts of a decision come to, and what is wrong with one
// is said at the argument and names the part.
func TestReadDecision(t *testing.T) {
	type fields = map[string]attr.Value
	text := func(s string) attr.Value { return types.StringValue(s) }
	names := func(list ...attr.Value) attr.Value {
		kinds := make([]attr.Type, len(list))
		for i, v := range list {
			kinds[i] = v.Type(t.Context())
		}
		return types.TupleValueMust(kinds, list)
	}
	zones := func(n int64) map[string]map[string]int64 { return map[string]map[string]int64{"": {"az-1": n}} }
	for name, c := range map[string]struct {
		creation, deletion attr.Value
		want               request.Decision
		says               string
	}{
		"the number alone": {creation: object(fields{"count": number(3)}), want: request.Decision{Creation: &request.Share{Count: 3}}},
		"one region": {creation: object(fields{"count": number(3), "region": text("RegionTwo")}),
			want: request.Decision{Creation: &request.Share{Count: 3, Regions: map[string]int64{"RegionTwo": 3}}}},
		"regions": {creation: object(fields{"regions": object(fields{"RegionOne": number(1), "RegionTwo": number(2)})}),
			want: request.Decision{Creation: &request.Share{Count: 3, Regions: map[string]int64{"RegionOne": 1, "RegionTwo": 2}}}},
		"zones":    {creation: object(fields{"zones": object(fields{"az-1": number(2)})}), want: request.Decision{Creation: &request.Share{Count: 2, Zones: zones(2)}}},
		"no zones": {creation: object(fields{"count": number(2), "zones": object(nil)}), want: request.Decision{Creation: &request.Share{Count: 2}}},
		"what is null is left out": {creation: object(fields{"count": number(2), "regions": types.DynamicNull(), "zones": types.DynamicNull()}),
			want: request.Decision{Creation: &request.Share{Count: 2}}},
		"nodes": {deletion: object(fields{"candidates": names(text("a"), text("b"))}),
			want: request.Decision{Deletion: &request.Share{Count: 2, Nodes: []string{"a", "b"}}}},
		"nothing to delete": {creation: object(fields{"count": number(1)}), deletion: types.DynamicNull(),
			want: request.Decision{Creation: &request.Share{Count: 1}}},
		"what other policies add": {deletion: object(fields{"count": number(1), "names": names(text("a"))}), want: request.Decision{Deletion: &request.Share{Count: 1}}},
		"on what terms": {deletion: object(fields{"count": number(1), "grace_period": number(60), "destroy_after_deletion": types.BoolValue(false)}),
			want: request.Decision{Deletion: &request.Share{Count: 1, Terms: request.Terms{DestroyAfterDeletion: new(false), GracePeriod: new(int64(60))}}}},
		"no zones, and no count": {deletion: object(fields{"zones": object(nil)}), want: request.Decision{Deletion: &request.Share{}}},
		"no candidates":          {deletion: object(fields{"candidates": names()}), want: request.Decision{Deletion: &request.Share{Nodes: []string{}}}},

		"regions, as the documents spell them": {creation: object(fields{"region": object(fields{"RegionOne": number(1), "RegionTwo": number(2)})}),
			want: request.Decision{Creation: &request.Share{Count: 3, Regions: map[string]int64{"RegionOne": 1, "RegionTwo": 2}}}},
		"zones by region": {creation: object(fields{"zones": object(fields{"RegionOne": object(fields{"az-1": number(3)})})}),
			want: request.Decision{Creation: &request.Share{Count: 3, Regions: map[string]int64{"RegionOne": 3}, Zones: map[string]map[string]int64{"RegionOne": {"az-1": 3}}}}},

		"nothing":             {says: "It has neither creation nor deletion."},
		"a misspelled key":    {creation: object(fields{"cuont": number(1)}), says: `creation: it has "cuont"`},
		"half a node":         {creation: object(fields{"count": number(1.5)}), says: "creation: count: a whole number is needed, not 1.5."},
		"a region's null":     {creation: object(fields{"regions": object(fields{"RegionOne": types.NumberNull()})}), says: `creation: regions: "RegionOne": a whole number is needed, and it is null.`},
		"a zone's text":       {creation: object(fields{"zones": object(fields{"az-1": number(1), "az-2": text("two")})}), says: `creation: zones: "az-2": a whole number is needed, not "two".`},
		"a name that is null": {deletion: object(fields{"candidates": names(types.StringNull())}), says: "deletion: candidates: a name or an id is needed, and it is null."},
		"a list as a name":    {deletion: object(fields{"candidates": names(names())}), says: "deletion: candidates: a name or an id is needed, not a list."},
		"a name as a list":    {deletion: object(fields{"candidates": text("a")}), says: `deletion: candidates: a list is needed, not "a".`},
		"less than its names": {deletion: object(fields{"candidates": names(text("a")), "count": number(0)}), says: "The decision has a count of 0, but its candidates are 1."},
		"less than its parts": {deletion: object(fields{"count": number(5), "regions": object(fields{"A": number(3)})}), says: "The decision has a count of 5, but its regions or zones add up to 3."},
		"less than none":      {creation: object(fields{"count": number(-1)}), says: "creation: count: A number of nodes is 0 or more, not -1."},
		"no object":           {creation: number(3), says: "creation: an object is needed, not 3."},
		"zones of both kinds": {deletion: object(fields{"zones": object(fields{"A": object(fields{"a": number(1)}), "B": text("x")})}), says: `deletion: zones: "A": a whole number is needed, not an object.`},
		"zones of no region":  {creation: object(fields{"regions": object(fields{"A": number(1)}), "zones": object(fields{"az-1": number(1)})}), says: "Write the zones by region, as in { RegionOne = { az-1 = 1 } }."},
		"nodes to create":     {creation: object(fields{"candidates": names(text("a"))}), says: `creation: it has "candidates"`},
	} {
		given := fields{}
		if c.creation != nil {
			given["creation"] = c.creation
		}
		if c.deletion != nil {
			given["deletion"] = c.deletion
		}
		var diags diag.Diagnostics
		got := requesttf.ReadDecision(types.DynamicValue(object(given)), &diags)
		if c.says != "" {
			if where(diags) != "decision" || !strings.Contains(diags[0].Detail(), c.says) {
				t.Errorf("%s: want %q, got %v", name, c.says, diags)
			}
			continue
		}
		if diags.HasError() || !reflect.DeepEqual(got, &c.want) {
			t.Errorf("%s: got %+v, %v", name, got, diags)
		}
	}
	for says, given := range map[string]types.Object{
		"status: a text is needed, not 1.":                      object(fields{"status": number(1), "creation": object(fields{"count": number(1)})}),
		`It has "creaton", and can have creation and deletion.`: object(fields{"creaton": object(fields{"count": number(1)})}),
	} {
		var diags diag.Diagnostics
		if requesttf.ReadDecision(types.DynamicValue(given), &diags); where(diags) != "decision" || !strings.Contains(diags[0].Detail(), says) {
			t.Errorf("want %q, got %v", says, diags)
		}
	}
	var diags diag.Diagnostics // the affinity policy's document alone decides no number
	placed := types.DynamicValue(object(fields{"status": text("OK"), "placement": object(fields{"count": number(2)})}))
	if got := requesttf.ReadDecision(placed, &diags); got != nil || diags.HasError() {
		t.Errorf("of what was placed: %+v, %v", got, diags)
	}
	for _, status := range []string{"ERROR", "OK", ""} {
		var diags diag.Diagnostics
		given := object(fields{"status": text(status), "reason": text("why"), "status_reason": text("why"), "placement": object(fields{"count": number(2)}), "creation": object(fields{"count": number(1)})})
		if requesttf.ReadDecision(types.DynamicValue(given), &diags); diags.HasError() != (status == "ERROR") {
			t.Errorf("status %q: %v", status, diags)
		}
	}
}
