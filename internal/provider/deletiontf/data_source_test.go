package deletiontf_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chooser plans deletions among the nodes a to e, without Terraform. e has no name.
func chooser(t *testing.T) (p *protocol.Provider, list []any) {
	t.Helper()
	p, err := protocol.Connect(t.Context(), attributes{})
	require.NoError(t, err)
	for _, n := range []struct {
		id, region, zone, status string
		day, profile             int
		protected                bool
	}{
		{"a", "R1", "z1", "ACTIVE", 5, 1, false},
		{"b", "R1", "z2", "ACTIVE", 1, 3, false},
		{"c", "R2", "z1", "ACTIVE", 3, 2, false},
		{"d", "R2", "z2", "ERROR", 4, 4, false},
		{"e", "R2", "z1", "ACTIVE", 2, 5, true},
	} {
		node := attributes{"id": n.id, "region": n.region, "zone": n.zone, "status": n.status, "protected": n.protected,
			"created_at": fmt.Sprintf("2026-11-%02dT00:00:00Z", n.day), "profile_created_at": fmt.Sprintf("2026-10-%02dT00:00:00Z", n.profile)}
		if n.id != "e" {
			node["name"] = "web-" + n.id
		}
		list = append(list, node)
	}
	return p, list
}

func named(names ...any) attributes {
	return attributes{"delete_nodes": attributes{"candidates": names}}
}

// TestChosen: the nodes that leave, for each kind of request, and the diagnostics. The other
// nodes survive, in their order.
func TestChosen(t *testing.T) {
	t.Parallel()
	in := func(n int, more ...any) attributes {
		config := attributes{"scale_in": attributes{"count": n}, "criteria": "OLDEST_FIRST"}
		for i := 0; i < len(more); i += 2 {
			config[more[i].(string)] = more[i+1]
		}
		return config
	}
	decided := func(deletion any) attributes {
		return attributes{"criteria": "OLDEST_FIRST", "decision": attributes{"deletion": deletion}}
	}
	const warned = "Protected candidate"
	for name, c := range map[string]struct {
		config attributes
		leave  string // nodes that leave; "-": the plan fails
		at     string
		says   string
	}{
		"the oldest":                {in(2), "d b", "", ""},
		"by another criterion":      {in(3, "criteria", "OLDEST_PROFILE_FIRST"), "d a c", "", ""},
		"by lot":                    {in(3, "criteria", "RANDOM", "seed", "x"), "d a c", "", ""},
		"by another lot":            {in(3, "criteria", "RANDOM", "seed", "w"), "d b a", "", ""},
		"one protected by its name": {in(2, "protected", []any{"web-b"}), "d c", "", ""},
		"one protected by its id":   {in(2, "protected", []any{"b"}), "d c", "", ""},
		"nobody protected":          {in(2, "protected", []any{"db-7"}), "d b", "protected[0]: A protected node is not there", `"db-7"`},
		"one protected, misspelled": {in(2, "protected", []any{"wbe-b"}), "-", "protected[0]: A protected node is not there", `"web-b" would be removed`},
		"too many":                  {in(5), "-", ": Too few nodes can be removed", "protect fewer"},
		"more than there are":       {in(9), "-", ": The count is above the cluster's size\n: Too few nodes can be removed", ""},
		"none":                      {in(0), "", "", ""},
		"to a size":                 {attributes{"resize": attributes{"adjustment_type": "EXACT_CAPACITY", "number": 4}}, "d", "", ""},
		"two requests": {in(1, "resize", attributes{"max_size": 3}), "-", "resize: Invalid request",
			"made at once, scale_in and resize: make one"},
		"no request": {attributes{}, "-", ": Invalid request", "give one of scale_in, resize and delete_nodes"},

		"named":                  {named("web-c", "a"), "c a", "", ""},
		"named, and protected":   {named("a", "e"), "a e", "delete_nodes.candidates: " + warned, `The node "e" is protected.`},
		"named, and not there":   {named("a", "z"), "-", "delete_nodes.candidates[1]: Invalid candidate", `"z"`},
		"decided, by region":     {decided(attributes{"regions": attributes{"R1": 1, "R2": 1}}), "b d", "", ""},
		"decided, by zone":       {decided(attributes{"region": "R2", "zones": attributes{"z1": 1}}), "c", "", ""},
		"decided, and named":     {decided(attributes{"count": 2, "candidates": []any{"web-d"}}), "d b", "", ""}, // d would be first anyway
		"decided, and protected": {decided(attributes{"candidates": []any{"e"}}), "e", "decision: " + warned, `The node "e" is protected.`},
		"decided, and nobody":    {decided(attributes{"candidates": []any{}}), "", "", ""},
		"decided, in no region":  {decided(attributes{"regions": attributes{}}), "", "", ""},
		"decided, in no zone":    {decided(attributes{"zones": attributes{}}), "", "", ""},
		"nobody named":           {named(), "", "", ""},
		"decided, and not there": {decided(attributes{"candidates": []any{"z"}}), "-", "decision: Invalid request", `"z"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, nodes := chooser(t)
			c.config["nodes"] = nodes
			plan, err := p.ReadData(t.Context(), "stackpolicy_deletion_plan", c.config)
			p.Expect(t, c.at, c.says)
			if assert.Equal(t, c.leave == "-", err != nil, "%v", err); err != nil {
				return
			}
			result, leave, names, stay := protocol.Object(plan), "", "", []string{}
			reason := map[bool]string{true: "Nothing to delete.", false: "Candidates generated"}[c.leave == ""]
			assert.Equal(t, "OK: "+reason, protocol.Shown(result["status"])+": "+protocol.Shown(result["reason"]))
			if deletion := result["deletion"]; !deletion.IsNull() {
				leave, names = protocol.Shown(protocol.Object(deletion)["candidates"]), protocol.Shown(protocol.Object(deletion)["names"])
			}
			for _, id := range []string{"a", "b", "c", "d", "e"} {
				if !slices.Contains(strings.Fields(c.leave), id) {
					stay = append(stay, id)
				}
			}
			assert.Equal(t, c.leave, leave, "who leaves")
			assert.Equal(t, strings.Join(stay, " "), protocol.Shown(result["survivors"]), "who stays")
			called := strings.NewReplacer("a", "web-a", "b", "web-b", "c", "web-c", "d", "web-d")
			assert.Equal(t, names, called.Replace(c.leave), "the names")
		})
	}
}

// TestTerms: a plan hands on its terms, in the units of the policy documents.
func TestTerms(t *testing.T) {
	t.Parallel()
	decided := attributes{"deletion": attributes{ // the decision of another deletion plan
		"count": 1, "candidates": []any{"a"}, "names": []any{"web-a"}, "destroy_after_deletion": false, "grace_period": 60, "reduce_desired_capacity": false}}
	for name, c := range map[string]struct {
		terms           attributes
		destroy, reduce bool
		grace           int
	}{
		"by default":  {attributes{}, true, true, 0},
		"kept":        {attributes{"destroy_after_deletion": false}, false, true, 0},
		"decided":     {attributes{"decision": decided}, false, false, 60},
		"named":       {attributes{"decision": decided, "delete_nodes": attributes{"candidates": []any{"a"}}, "scale_in": nil}, false, false, 60},
		"otherwise":   {attributes{"decision": decided, "destroy_after_deletion": true, "grace_period": "0s"}, true, false, 0},
		"not reduced": {attributes{"reduce_desired_capacity": false, "grace_period": "2m"}, true, false, 120},
	} {
		p, nodes := chooser(t)
		config := attributes{"nodes": nodes, "scale_in": attributes{}}
		maps.Copy(config, c.terms)
		plan, err := p.ReadData(t.Context(), "stackpolicy_deletion_plan", config)
		require.NoError(t, err)
		deletion := protocol.Object(protocol.Object(plan)["deletion"])
		for field, want := range map[string]any{"destroy_after_deletion": c.destroy, "reduce_desired_capacity": c.reduce, "grace_period": c.grace, "count": 1} {
			assert.Equal(t, fmt.Sprint(want), protocol.Shown(deletion[field]), "%s: %s", name, field)
		}
	}
}

// TestPlanValidated: a fault is reported before the nodes are known, and unknown values are
// not reported.
func TestPlanValidated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config attributes
		at     string
	}{
		"nothing":            {attributes{}, ": Invalid request"},
		"a decision":         {attributes{"decision": "all"}, "decision: Invalid decision"},
		"a decision, later":  {attributes{"decision": tftypes.UnknownValue}, ""},
		"a number, later":    {attributes{"scale_in": attributes{"count": tftypes.UnknownValue}, "resize": attributes{}}, ""},
		"the nodes are late": {attributes{"scale_in": attributes{"count": 1}}, ""},
		"less than none":     {attributes{"scale_in": attributes{"count": -1}}, "scale_in.count: Invalid Attribute Value"},
		"another criterion":  {attributes{"scale_in": attributes{}, "criteria": "NEWEST"}, "criteria: Invalid Attribute Value Match"},
		"another type":       {attributes{"resize": attributes{"adjustment_type": "EXACT", "number": 4}}, "resize.adjustment_type: Invalid request"},
		"half a second":      {attributes{"scale_in": attributes{}, "grace_period": "1.5"}, "grace_period: Invalid duration"},
		"nobody, protected":  {attributes{"scale_in": attributes{}, "protected": []any{nil}}, "protected: Null List Value"},
		"a name, null":       {named(nil), "delete_nodes.candidates: Null List Value"},
		"half a node":        {attributes{"scale_in": attributes{"count": 0.5}}, "scale_in.count: Not a whole number"},
		"no names":           {attributes{"delete_nodes": attributes{}}, "delete_nodes.candidates: A missing argument"},
	} {
		p, _ := chooser(t)
		c.config["nodes"] = tftypes.UnknownValue
		_ = p.ValidateData(t.Context(), "stackpolicy_deletion_plan", c.config)
		assert.Equal(t, c.at, p.At(), "%s: said %s", name, p.Said())
	}
}
