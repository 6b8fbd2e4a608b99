package requesttf_test

import (
	"errors"
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/requesttf"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/request"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/dynamic"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stretchr/testify/assert"
)

// TestRead: each argument of a request is handed on unchanged, and only blocks that are
// given ask for something.
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
			m.Resize = of("resize", map[string]attr.Value{"adjustment_type": types.StringValue("CHANGE_IN_PERCENTAGE"),
				"number":   types.NumberValue(big.NewFloat(12.5)),
				"min_size": whole(least), "max_size": whole(most), "min_step": whole(step), "strict": types.BoolValue(true)})
		}, &request.Request{Resize: &request.Resize{AdjustmentType: "CHANGE_IN_PERCENTAGE", Number: big.NewRat(25, 2),
			MinSize: &least, MaxSize: &most, MinStep: &step, Strict: true}}},
		"a place": {func(m *requesttf.Model) {
			m.NodeCreate = of("node_create", map[string]attr.Value{"region": types.StringValue("RegionOne"), "zone": types.StringValue("az-1")})
		}, &request.Request{NodeCreate: &placement.Place{Region: "RegionOne", Zone: "az-1"}}},
		"a decision": {func(m *requesttf.Model) {
			m.Decision = dynamic.Framework(t, `{"deletion": {"count": 2}}`)
		}, &request.Request{Decision: &request.Decision{Deletion: &request.Share{Count: 2}}}},
		"what is not known": {func(m *requesttf.Model) {
			m.ScaleOut = of("scale_out", map[string]attr.Value{"count": types.Int64Unknown()})
		}, nil},
		"a decision that is not known": {func(m *requesttf.Model) { m.Decision = types.DynamicUnknown() }, nil},
	} {
		m := none
		c.asked(&m)
		var diags diag.Diagnostics
		assert.Equal(t, c.want, m.Read(t.Context(), &diags), name)
		assert.Empty(t, diags, name)
	}
	far := new(big.Float).SetMantExp(big.NewFloat(1), 1<<20)
	var diags diag.Diagnostics
	requesttf.ReadResize(t.Context(), of("resize", map[string]attr.Value{"number": types.NumberValue(far)}), &diags)
	assert.Equal(t, "resize.number", pathOf(diags), "a number beyond all bounds: %v", diags)
}

// pathOf returns the path of the only diagnostic.
func pathOf(diags diag.Diagnostics) string {
	if len(diags) != 1 {
		return "several, or none"
	}
	if with, ok := diags[0].(diag.DiagnosticWithPath); ok {
		return with.Path().String()
	}
	return ""
}

// TestReport: a fault is reported at its argument, and a fault of the whole request
// without a path.
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
		requesttf.Report(c.err, &diags)
		assert.Equal(t, c.at+c.says, pathOf(diags)+diags[0].Detail(), name)
	}
	var diags diag.Diagnostics
	requesttf.Report(nil, &diags)
	assert.Empty(t, diags, "nothing is wrong")
}

// TestWarnOfCut: the warning for a cluster that has nodes, and for a cluster without
// nodes.
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
		said := ""
		for _, d := range diags {
			said += d.Detail()
		}
		assert.Equal(t, c.says, said, "%d of %d", c.asked, c.size)
	}
}

// TestReadDecision: each part of a decision is translated, and a fault is reported at
// the argument and names the part.
func TestReadDecision(t *testing.T) {
	creation := func(share request.Share) *request.Decision { return &request.Decision{Creation: &share} }
	deletion := func(share request.Share) *request.Decision { return &request.Decision{Deletion: &share} }
	two := map[string]int64{"RegionOne": 1, "RegionTwo": 2}
	for name, c := range map[string]struct {
		given string
		want  *request.Decision
		says  string
	}{
		"the number alone": {`{"creation": {"count": 3}}`, creation(request.Share{Count: 3}), ""},
		"one region": {`{"creation": {"count": 3, "region": "RegionTwo"}}`,
			creation(request.Share{Count: 3, Regions: map[string]int64{"RegionTwo": 3}}), ""},
		"regions": {`{"creation": {"regions": {"RegionOne": 1, "RegionTwo": 2}}}`, creation(request.Share{Count: 3, Regions: two}), ""},
		"zones": {`{"creation": {"zones": {"az-1": 2}}}`,
			creation(request.Share{Count: 2, Zones: map[string]map[string]int64{"": {"az-1": 2}}}), ""},
		"no zones":                 {`{"creation": {"count": 2, "zones": {}}}`, creation(request.Share{Count: 2}), ""},
		"what is null is left out": {`{"creation": {"count": 2, "regions": null, "zones": null}}`, creation(request.Share{Count: 2}), ""},
		"nodes":                    {`{"deletion": {"candidates": ["a", "b"]}}`, deletion(request.Share{Count: 2, Nodes: []string{"a", "b"}}), ""},
		"nothing to delete":        {`{"creation": {"count": 1}, "deletion": null}`, creation(request.Share{Count: 1}), ""},
		"what other policies add":  {`{"deletion": {"count": 1, "names": ["a"]}}`, deletion(request.Share{Count: 1}), ""},
		"on what terms": {`{"deletion": {"count": 1, "grace_period": "1m", "destroy_after_deletion": false}}`,
			deletion(request.Share{Count: 1, Terms: request.Terms{DestroyAfterDeletion: new(false), GracePeriod: new(int64(60))}}), ""},
		"no zones, and no count": {`{"deletion": {"zones": {}}}`, deletion(request.Share{}), ""},
		"no candidates":          {`{"deletion": {"candidates": []}}`, deletion(request.Share{Nodes: []string{}}), ""},
		// As the documents spell them.
		"regions, as region": {`{"creation": {"region": {"RegionOne": 1, "RegionTwo": 2}}}`, creation(request.Share{Count: 3, Regions: two}), ""},
		"zones by region": {`{"creation": {"zones": {"RegionOne": {"az-1": 3}}}}`, creation(request.Share{Count: 3, Regions: map[string]int64{"RegionOne": 3},
			Zones: map[string]map[string]int64{"RegionOne": {"az-1": 3}}}), ""},

		"nothing":           {`{}`, nil, "It has neither creation nor deletion."},
		"a misspelled part": {`{"creaton": {"count": 1}}`, nil, `It has "creaton", and can only have creation and deletion.`},
		"a misspelled key":  {`{"creation": {"cuont": 1}}`, nil, `creation: it has "cuont"`},
		"half a node":       {`{"creation": {"count": 1.5}}`, nil, "creation: count: a whole number is needed, not 1.5: use floor() or ceil()."},
		"a region's null": {`{"creation": {"regions": {"RegionOne": null}}}`, nil,
			`creation: regions: "RegionOne": a whole number is needed, and it is null.`},
		"a zone's text":       {`{"creation": {"zones": {"az-1": 1, "az-2": "two"}}}`, nil, `creation: zones: "az-2": a whole number is needed, not "two".`},
		"a name that is null": {`{"deletion": {"candidates": [null]}}`, nil, "deletion: candidates: a name or an id is needed, and it is null."},
		"a list as a name":    {`{"deletion": {"candidates": [[]]}}`, nil, "deletion: candidates: a name or an id is needed, not a list."},
		"a name as a list":    {`{"deletion": {"candidates": "a"}}`, nil, `deletion: candidates: a list is needed, not "a".`},
		"less than its names": {`{"deletion": {"candidates": ["a"], "count": 0}}`, nil, "The decision has a count of 0, but its candidates are 1."},
		"less than its parts": {`{"deletion": {"count": 5, "regions": {"A": 3}}}`, nil, "The decision has a count of 5, but its regions or zones add up to 3."},
		"less than none":      {`{"creation": {"count": -1}}`, nil, "creation: count: A number of nodes is 0 or more, not -1."},
		"no object":           {`{"creation": 3}`, nil, "creation: an object is needed, not 3."},
		"zones of both kinds": {`{"deletion": {"zones": {"A": {"a": 1}, "B": "x"}}}`, nil, `deletion: zones: "A": a whole number is needed, not an object.`},
		"zones of no region": {`{"creation": {"regions": {"A": 1}, "zones": {"az-1": 1}}}`, nil,
			"Write the zones by region, as in { RegionOne = { az-1 = 1 } }."},
		"nodes to create":     {`{"creation": {"candidates": ["a"]}}`, nil, `creation: it has "candidates"`},
		"a status of no text": {`{"status": 1, "creation": {"count": 1}}`, nil, "status: a text is needed, not 1."},
		"a status of ERROR":   {`{"status": "ERROR", "reason": "why", "creation": {"count": 1}}`, nil, `Its status is "ERROR"`},
		"a time of no unit":   {`{"deletion": {"grace_period": "soon"}}`, nil, `deletion: grace_period: A duration from 0s to`},
		"a status of OK": {`{"status": "OK", "reason": "why", "status_reason": "why", "placement": {"count": 2}, "hooks": {"type": "webhook"}, ` +
			`"health": {}, "update": {}, "creation": {"count": 1}}`,
			creation(request.Share{Count: 1}), ""},
		"an empty status": {`{"status": "", "creation": {"count": 1}}`, creation(request.Share{Count: 1}), ""},
		// The affinity policy's document alone decides no number.
		"what was placed": {`{"status": "OK", "placement": {"count": 2}}`, nil, ""},
	} {
		var diags diag.Diagnostics
		got := requesttf.ReadDecision(dynamic.Framework(t, c.given), &diags)
		if c.says != "" {
			assert.Equal(t, "decision", pathOf(diags), name)
			assert.Contains(t, diags[0].Detail(), c.says, name)
			continue
		}
		assert.Empty(t, diags, name)
		assert.Equal(t, c.want, got, name)
	}
}
