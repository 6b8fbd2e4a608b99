package planstf_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/dynamic"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { acctest.Main(m) }

type attributes = protocol.Attributes

// literal returns nodes at places: "RegionOne/az-1!" is a protected node, "-" is a node
// without a region. Each node is a second younger than the one before it.
func literal(places string) (list []any) {
	for i, place := range strings.Fields(places) {
		place, protected := strings.CutSuffix(place, "!")
		region, zone, _ := strings.Cut(place, "/")
		created := time.Date(2026, 11, 1, 0, 0, i, 0, time.UTC).Format(time.RFC3339)
		n := attributes{"id": fmt.Sprint("n", i), "protected": protected, "created_at": created}
		if region != "-" {
			n["region"] = region
		}
		if zone != "" {
			n["zone"] = zone
		}
		list = append(list, n)
	}
	return list
}

// planCase is a plan, and what is expected of it.
type planCase struct {
	nodes   string     // in the notation of literal
	places  string     // in the notation of [protocol.Listing]
	asked   attributes // the rest of the configuration
	want    string     // in the notation of shown; "": there is no plan
	summary string     // part of the summary
	at      string     // all diagnostics
	says    string     // part of the diagnostics
}

// shown returns a plan as a line: the nodes at each place, the nodes created or deleted, the nodes afterwards, and why.
func shown(plan map[string]tftypes.Value) string {
	text := protocol.Shown(plan["distribution"])
	for sign, share := range map[string]string{" + ": protocol.Shown(plan["creation"]), " - ": protocol.Shown(plan["deletion"])} {
		if share != "" {
			text += sign + share
		}
	}
	return text + " = " + protocol.Shown(plan["target"]) + ": " + protocol.Shown(plan["reason"])
}

// read reads a plan of "region" or "zone".
func (c planCase) read(t *testing.T, fake *fakecloud.Cloud, name, of string) {
	t.Helper()
	config := attributes{"nodes": literal(c.nodes), of + "s": protocol.Listing(c.places)}
	maps.Copy(config, c.asked)
	p := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne")
	value, err := p.ReadData(t.Context(), "stackpolicy_"+of+"_plan", config)
	assert.Equal(t, c.at, p.At(), "%s: said %s", name, p.Said())
	assert.Contains(t, p.Said(), c.says, name)
	assert.Equal(t, c.want != "", err == nil, "%s: %v", name, err)
	if err != nil || c.want == "" {
		return
	}
	got := protocol.Object(value)
	assert.Equal(t, c.want, shown(got), name)
	assert.Equal(t, "OK", protocol.Shown(got["status"]), "%s: status", name)
	if region, ok := got["region"]; ok {
		assert.Equal(t, cmp.Or(config["region"], any("RegionOne")), protocol.Shown(region), "%s: region", name)
	}
	assert.Contains(t, strings.Join(strings.Fields(protocol.Shown(got["summary"])), " "), cmp.Or(c.summary, " "), "%s: the summary", name)
}

// grow and shrink ask for more and for fewer nodes.
func grow(count int, more ...any) attributes { return asking("scale_out", count, more) }

func shrink(count int, more ...any) attributes { return asking("scale_in", count, more) }

// decided asks for an earlier decision.
func decided(t *testing.T, decision string) attributes {
	t.Helper()
	return attributes{"decision": dynamic.Value(t, decision)}
}

func asking(block string, count int, more []any) attributes {
	asked := attributes{block: attributes{"count": count}}
	for i := 0; i < len(more); i += 2 {
		asked[more[i].(string)] = more[i+1]
	}
	return asked
}

// TestRegionPlanRead: the plan and the diagnostics of a region plan for each request.
func TestRegionPlanRead(t *testing.T) {
	t.Parallel()
	fake := acctest.NewFake(t, fakecloud.Config{}).Fake
	fake.AddRegion("Dark")
	fake.SetQuota("RegionOne", fakecloud.MemberProjectID, "cores", 3)
	fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0"})
	fake.AddFlavor(fakecloud.Flavor{ID: "big", Name: "big", VCPUs: 4, RAM: 64})
	const two, three = "RegionOne RegionTwo", "RegionOne RegionOne RegionTwo"
	for name, c := range map[string]planCase{
		"growth up to a cap": {nodes: three, asked: grow(3, "regions", protocol.Listing(two, 2)), summary: "total 3 6",
			want: "{RegionOne=2 RegionTwo=1} + {count=3 regions={RegionTwo=3} zones=} = {RegionOne=2 RegionTwo=4}: 3 nodes to create."},
		"a shrink": {nodes: three, places: two, asked: shrink(1, "respect_quotas", true),
			want: "{RegionOne=2 RegionTwo=1} - {count=1 regions={RegionOne=1} zones=} = {RegionOne=1 RegionTwo=1}: 1 node to delete."},
		"a shrink of what is not listed in a region": {places: "RegionOne:az-1 RegionTwo", asked: shrink(1),
			nodes: "RegionOne/az-1 RegionOne/az-1 RegionOne/az-2 RegionTwo RegionTwo RegionTwo",
			want:  "{RegionOne=3 RegionTwo=3} - {count=1 regions={RegionOne=1} zones={RegionOne={az-2=1}}} = {RegionOne=2 RegionTwo=3}: 1 node to delete."},
		"the share of no region": {nodes: "RegionOne", places: two, asked: decided(t, `{"creation": {"regions": {}}}`),
			want: "{RegionOne=1 RegionTwo=0} = {RegionOne=1 RegionTwo=0}: Nothing to create or to delete."},
		"zones of one of them": {nodes: "RegionOne/az-1 RegionTwo", places: "RegionOne:az-1,az-2 RegionTwo", asked: grow(4),
			want: "{RegionOne=1 RegionTwo=1} + {count=4 regions={RegionOne=2 RegionTwo=2} zones={RegionOne={az-1=1 az-2=1}}}" +
				" = {RegionOne=3 RegionTwo=3}: 4 nodes to create."},
		"a share": {nodes: "Elsewhere", places: two, asked: decided(t, `{"creation": {"count": 5, "regions": {"RegionOne": 2, "Dark": 3}}}`),
			want: "{Elsewhere=1 RegionOne=0 RegionTwo=0} + {count=2 regions={RegionOne=1 RegionTwo=1} zones=}" +
				" = {Elsewhere=1 RegionOne=1 RegionTwo=1}: 2 nodes to create. The decision has 5 nodes, of which 3 are for other regions."},
		"a share, misspelled": {places: two, asked: decided(t, `{"creation": {"regions": {"Regionone": 2}}}`), at: "decision: Unknown region"},
		"the share of a region that is not listed": {nodes: "Elsewhere", places: two,
			asked: decided(t, `{"creation": {"regions": {"RegionOne": 2, "Elsewhere": 1}}}`),
			want: "{Elsewhere=1 RegionOne=0 RegionTwo=0} + {count=2 regions={RegionOne=1 RegionTwo=1} zones=}" +
				" = {Elsewhere=1 RegionOne=1 RegionTwo=1}: 2 nodes to create. The decision has 3 nodes, of which 1 are for other regions."},
		"the leaving share of a region that is not listed": {nodes: two, places: "RegionOne",
			asked: decided(t, `{"deletion": {"count": 1, "regions": {"RegionTwo": 1}}}`),
			want:  "{RegionOne=1 RegionTwo=1} - {count=1 regions={RegionTwo=1} zones=} = {RegionOne=1 RegionTwo=0}: 1 node to delete."},
		"a place that takes precedence": {places: "RegionOne:az-1,az-2", asked: attributes{"node_create": attributes{"region": "RegionOne"}},
			want: "{RegionOne=0} = {RegionOne=0}: The region RegionOne that the node names takes precedence: nothing is planned. " +
				"To choose its zone use a plan of zones."},
		"a place that takes precedence, and none that takes nodes": {places: "Dark", asked: attributes{"node_create": attributes{"region": "RegionTwo"}},
			want: "{Dark=0} = {Dark=0}: The region RegionTwo that the node names takes precedence: nothing is planned."},
		"a node of a region without compute": {places: two, asked: attributes{"node_create": attributes{"region": "Dark"}},
			want: "{RegionOne=0 RegionTwo=0} = {RegionOne=0 RegionTwo=0}: The region Dark that the node names takes precedence: nothing is planned.",
			at:   "node_create.region: The place of the node takes no nodes", says: "Name another region."},
		"a node of a closed region": {places: "RegionOne! RegionTwo", asked: attributes{"node_create": attributes{"region": "RegionOne"}},
			want: "{RegionOne=0 RegionTwo=0} = {RegionOne=0 RegionTwo=0}: The region RegionOne that the node names takes precedence: nothing is planned.",
			at:   "node_create.region: The place of the node takes no nodes", says: "would place no node in RegionOne: it is closed."},
		"a node of a full region": {nodes: three, asked: attributes{"node_create": attributes{"region": "RegionOne"}, "regions": protocol.Listing(two, 2)},
			want: "{RegionOne=2 RegionTwo=1} = {RegionOne=2 RegionTwo=1}: The region RegionOne that the node names takes precedence: nothing is planned.",
			at:   "node_create.region: The place of the node takes no nodes", says: "it has 2 nodes, and its cap is 2."},
		"a node of a region that a quota fills": {nodes: "RegionOne RegionOne RegionOne", places: two,
			asked: attributes{"node_create": attributes{"region": "RegionOne"}, "respect_quotas": true, "flavor_id": "big"},
			want:  "{RegionOne=3 RegionTwo=0} = {RegionOne=3 RegionTwo=0}: The region RegionOne that the node names takes precedence: nothing is planned.",
			at:    "node_create.region: The place of the node takes no nodes", says: "in RegionOne: quota: 1 of 3 cores in use."},
		"a node of a zone, without its region": {nodes: "RegionTwo", places: two, asked: attributes{"node_create": attributes{"zone": "az-3"}},
			want: "{RegionOne=0 RegionTwo=1} + {count=1 regions={RegionOne=1} zones=} = {RegionOne=1 RegionTwo=1}: 1 node to create."},
		"a node of a zone of another region": {nodes: "RegionOne", places: two, asked: attributes{"node_create": attributes{"zone": "az-3:host"}},
			at: "node_create.zone: Unknown availability zone", says: "The plan chose that region: name the region of the node."},
		"a node of a zone that no region has": {places: two, asked: attributes{"node_create": attributes{"zone": "az-9"}},
			at: "node_create.zone: Unknown availability zone", says: `in region "RegionTwo" does not list`},
		"nodes where none can be deleted": {nodes: "Dark Dark RegionTwo RegionOne", places: "RegionOne", asked: shrink(1),
			want: "{Dark=2 RegionOne=1 RegionTwo=1} - {count=1 regions={RegionTwo=1} zones=} = {Dark=2 RegionOne=1 RegionTwo=0}: 1 node to delete.",
			at:   "regions: Region skipped", says: "It keeps its nodes", summary: "not listed, no compute endpoint"},
		"one that takes none": {places: "Dark RegionOne", asked: grow(1), at: "regions[0]: Region skipped", says: "It takes no nodes",
			want: "{Dark=0 RegionOne=0} + {count=1 regions={RegionOne=1} zones=} = {Dark=0 RegionOne=1}: 1 node to create."},
		"growth where one is closed": {nodes: two, places: "RegionOne! RegionTwo", asked: grow(2),
			want: "{RegionOne=1 RegionTwo=1} + {count=2 regions={RegionTwo=2} zones=} = {RegionOne=1 RegionTwo=3}: 2 nodes to create."},
		"a shrink where one is closed": {nodes: "RegionOne RegionOne RegionTwo RegionTwo", places: "RegionOne! RegionTwo", asked: shrink(3),
			want: "{RegionOne=2 RegionTwo=2} - {count=3 regions={RegionOne=1 RegionTwo=2} zones=} = {RegionOne=1 RegionTwo=0}: 3 nodes to delete.",
			at:   "regions[0]: A closed place loses nodes", says: "RegionOne is closed and loses 1 node"},
		"none that takes nodes": {places: "Dark", asked: grow(1), at: "regions[0]: Region skipped\nregions: No region is found usable."},
		"the nodes of a place that are more than it has": {nodes: two, places: two,
			asked: decided(t, `{"deletion": {"count": 9, "regions": {"RegionTwo": 9}}}`),
			at:    "regions: There is no feasible plan to handle all nodes."}, // the count is not cut
		"who is protected": {nodes: "RegionOne! RegionOne! RegionTwo", places: two, asked: shrink(1),
			want: "{RegionOne=2 RegionTwo=1} - {count=1 regions={RegionTwo=1} zones=} = {RegionOne=2 RegionTwo=0}: 1 node to delete."},
		"more than there are": {nodes: two, places: two, asked: shrink(5),
			want: "{RegionOne=1 RegionTwo=1} - {count=2 regions={RegionOne=1 RegionTwo=1} zones=} = {RegionOne=0 RegionTwo=0}: 2 nodes to delete.",
			at:   ": The count is above the cluster's size", says: "5 nodes must be removed, and the cluster has 2"},
		"a quota": {nodes: "RegionOne", places: two, asked: grow(7, "respect_quotas", true, "flavor_id", "m1.tiny"),
			want: "{RegionOne=1 RegionTwo=0} + {count=7 regions={RegionOne=2 RegionTwo=5} zones=} = {RegionOne=3 RegionTwo=5}: 7 nodes to create.",
			at:   ": A quota binds", says: `The region "RegionOne" gets 2 nodes and is full then: 1 of 3 cores in use.`},
		"a quota of another flavor": {nodes: "RegionOne", places: two, asked: grow(5, "respect_quotas", true),
			want: "{RegionOne=1 RegionTwo=0} + {count=5 regions={RegionOne=2 RegionTwo=3} zones=} = {RegionOne=3 RegionTwo=3}: 5 nodes to create."},
		"a quota that nobody asks for": {nodes: "RegionOne", places: two, asked: grow(7, "flavor_id", "m1.tiny"),
			want: "{RegionOne=1 RegionTwo=0} + {count=7 regions={RegionOne=3 RegionTwo=4} zones=} = {RegionOne=4 RegionTwo=4}: 7 nodes to create."},
		"a request that contradicts itself": {nodes: "RegionOne", places: two, at: ": Invalid request", // both bounds and number may be the wrong one
			asked: attributes{"resize": attributes{"adjustment_type": "EXACT_CAPACITY", "number": 9, "max_size": 3, "strict": true}},
			says:  "The target capacity (9) is greater than the specified max_size (3)."},
		"a region that nobody knows": {nodes: "RegionOne", places: "RegionOne Atlantis", asked: grow(1, "respect_quotas", true),
			at: "regions[1]: Unknown region"},
		"a node without a region": {nodes: "RegionOne -/az-1", places: two, asked: grow(1), at: "nodes[1]: Node without a region",
			says: `The node "n1" has no region.`},
	} {
		fake.ResetRequests()
		c.read(t, fake, name, "region")
		wants := strings.Contains(name, "a quota") && !strings.Contains(name, "nobody")
		assert.Equal(t, wants, fake.Count("GET compute /limits") > 0, "%s: the quotas were asked for", name)
	}
	fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodGet, Path: "/limits", Status: http.StatusForbidden, Times: fakecloud.Forever})
	planCase{places: two, asked: grow(1, "respect_quotas", true), at: ": Unable to look up quotas"}.read(t, fake, "limits", "region")
}

func object(fields map[string]tftypes.Value) tftypes.Value {
	of := map[string]tftypes.Type{}
	for name, v := range fields {
		of[name] = v.Type()
	}
	return tftypes.NewValue(tftypes.Object{AttributeTypes: of}, fields)
}

// TestZonePlanRead: the plan and the diagnostics of a zone plan for each request.
func TestZonePlanRead(t *testing.T) {
	t.Parallel()
	fake := acctest.NewFake(t, fakecloud.Config{}).Fake
	fake.AddZone("RegionOne", fakecloud.Zone{Name: "az-4", Hosts: []string{"h"}})
	fake.SetZoneAvailable("RegionOne", "az-4", false)
	fake.SetQuota("RegionTwo", fakecloud.MemberProjectID, "cores", 2)
	const three = "az-1 az-2 az-3"
	for name, c := range map[string]planCase{
		"growth": {nodes: "RegionOne/az-1 RegionTwo/az-2 -/az-2", asked: grow(3, "zones", protocol.Listing(three, 1)), summary: "total 2 5",
			want: "{az-1=1 az-2=1 az-3=0} + {count=3 region=RegionOne zones={az-2=1 az-3=2}} = {az-1=1 az-2=2 az-3=2}: 3 nodes to create."},
		"a shrink": {nodes: "-/az-1 -/az-1 -/az-2", places: three, asked: shrink(1),
			want: "{az-1=2 az-2=1 az-3=0} - {count=1 region=RegionOne zones={az-1=1}} = {az-1=1 az-2=1 az-3=0}: 1 node to delete."},
		"a shrink of what is in no zone": {nodes: "-/az-1 - RegionTwo/az-1", places: three, asked: shrink(1),
			summary: "(no zone) 1 0 none none none none not listed: removed first",
			want:    "{=1 az-1=1 az-2=0 az-3=0} - {count=1 region=RegionOne zones={=1}} = {=0 az-1=1 az-2=0 az-3=0}: 1 node to delete."},
		"another region": {nodes: "RegionOne/az-1", places: "az-1 az-2", asked: grow(2, "region", "RegionTwo", "respect_quotas", true, "flavor_id", "m1.tiny"),
			want: "{az-1=0 az-2=0} + {count=2 region=RegionTwo zones={az-1=1 az-2=1}} = {az-1=1 az-2=1}: 2 nodes to create.",
			at:   ": A quota binds", says: `The region "RegionTwo" gets 2 nodes and is full then`},
		"a node of another region": {places: "az-1", asked: attributes{"node_create": attributes{"region": "RegionTwo"}},
			want: "{az-1=0} = {az-1=0}: The node is for the region RegionTwo: nothing is planned in RegionOne."},
		"a node of a region, misspelled": {places: "az-1", asked: attributes{"node_create": attributes{"region": "RegionTow"}},
			at: "node_create.region: Unknown region"},
		"a node of a zone, misspelled": {places: "az-1", asked: attributes{"node_create": attributes{"zone": "az-99"}},
			at: "node_create.zone: Unknown availability zone"},
		"a node of a zone that is down": {places: "az-1", asked: attributes{"node_create": attributes{"zone": "az-4"}},
			at:   "node_create.zone: The availability zone is down",
			want: "{az-1=0} = {az-1=0}: The availability zone az-4 that the node names takes precedence: nothing is planned."},
		"a node of a closed zone, on a host": {places: "az-1! az-2", asked: attributes{"node_create": attributes{"zone": "az-1:r1-cmp-1"}},
			want: "{az-1=0 az-2=0} = {az-1=0 az-2=0}: The availability zone az-1:r1-cmp-1 that the node names takes precedence: nothing is planned.",
			at:   "node_create.zone: The place of the node takes no nodes", says: "would place no node in RegionOne/az-1: it is closed."},
		"a share of a region, misspelled": {places: "az-1", asked: decided(t, `{"deletion": {"regions": {"RegionTow": 2}}}`), at: "decision: Unknown region"},
		"a region that is not there":      {places: "az-1", asked: grow(1, "region", "Atlantis"), at: "region: Unknown region"},
		"a node that is there twice": {places: "az-1", asked: grow(1, "nodes", append(literal("-/az-1"), literal("-/az-1")...)),
			at: "nodes[1]: Node given twice"},
		"who is protected, or in a zone that Nova does not list": {nodes: "-/az-1! -/az-1 -/cell -/cell", places: "az-1", asked: shrink(2),
			want: "{az-1=2 cell=2} - {count=2 region=RegionOne zones={az-1=1 cell=1}} = {az-1=1 cell=1}: 2 nodes to delete.",
			at:   "zones: Availability zone skipped\nzones: A closed place loses nodes",
			says: "loses its own nodes last, because Nova deletes no server there."},
		"a zone that is down loses its share": {nodes: "-/az-1 -/az-4 -/az-4", places: "az-1 az-4", asked: shrink(1),
			want: "{az-1=1 az-4=2} - {count=1 region=RegionOne zones={az-4=1}} = {az-1=1 az-4=1}: 1 node to delete.",
			at:   "zones[1]: Availability zone skipped", says: "Nova still deletes servers there."},
		"none that is up": {places: "az-4", asked: grow(1),
			at: "zones[0]: Availability zone skipped\nzones: No availability zone found available."},
		"a zone that is not there": {places: "az-1 cloud-nine", asked: grow(1), at: "zones[1]: Unknown availability zone"},
	} {
		c.read(t, fake, name, "zone")
	}
}

// TestPlanValidate: a wrong configuration is refused before anything is read; unknown values are not reported.
func TestPlanValidate(t *testing.T) {
	t.Parallel()
	p := protocol.Start(t, acctest.NewFake(t, fakecloud.Config{}).Fake, fakecloud.MemberUser, "RegionOne")
	region := func(more attributes) attributes {
		config := attributes{"name": "R"}
		maps.Copy(config, more)
		return attributes{"regions": []any{config}}
	}
	const bins = "value must be at least"
	placed := dynamic.Value(t, `{"placement": {}}`) // a decision of the affinity policy
	for _, c := range []struct {
		more attributes
		want string // "": no error
	}{
		{attributes{"scale_in": attributes{}}, "made at once, scale_out and scale_in: make one"},
		{attributes{"scale_out": nil}, "Nothing is requested"},
		{attributes{"scale_out": nil, "resize": attributes{}}, "Nothing is requested"},
		{attributes{"scale_out": attributes{"count": -1}}, "Attribute scale_out.count " + bins + " 0"},
		{attributes{"scale_out": nil, "node_create": attributes{"region": ""}}, "Attribute node_create.region string length must be at least 1"},
		{attributes{"scale_out": nil, "resize": attributes{"adjustment_type": "BY_HALF", "number": 1}}, `"BY_HALF" is not one of`},
		{attributes{"scale_out": nil, "resize": attributes{"number": 1}}, "A number needs an adjustment_type"},
		{attributes{"scale_out": nil, "resize": attributes{"min_size": 5, "max_size": 3}},
			"The specified min_size (5) is greater than the specified max_size (3)."},
		{attributes{"scale_out": nil, "decision": tftypes.NewValue(tftypes.DynamicPseudoType, tftypes.UnknownValue)}, ""},
		{attributes{"decision": placed}, ""},
		{attributes{"scale_out": nil, "decision": placed}, "Nothing is requested"},
		{attributes{"regions": []any{}}, "Nothing says where nodes may go."},
		{attributes{"regions": []any{nil}}, "regions[0] is null. Leave it out."},
		{region(attributes{"name": ""}), "regions[0].name is empty. Leave it out."},
		{attributes{"regions": []any{attributes{"weight": 1}}}, "A region plan needs all names."},
		{region(attributes{"wieght": 1}), `regions[0] has "wieght", and a region has no such key. Did you mean "weight"?`},
		{region(attributes{"zones": []any{nil}}), "regions[0].zones[0] is null. Leave it out."},
		{attributes{"regions": protocol.Listing("R R")}, `"R" is at the indices 0 and 1.`},
		{attributes{"regions": protocol.Listing("R:a,a")}, `"a" is at the indices 0 and 1.`},
		{region(attributes{"weight": 0}), "regions[0].weight is 0, and must be between 1"},
		{region(attributes{"cap": -2}), "regions[0].cap is -2, and must be between -1"},
		{region(attributes{"min": -1}), "regions[0].min is -1, and must be between 0"},
		{region(attributes{"cap": 2, "min": 3}), `The min of the region "R" (3) is larger than its cap (2).`},
		{region(attributes{"cap": 2, "zones": []any{attributes{"name": "a", "min": 2}, attributes{"name": "b", "min": 1}}}),
			`The mins of the zones of the region "R" add up to 3, and its cap is 2.`},
		{region(attributes{"cap": 3, "zones": []any{attributes{"name": "a", "min": 2}, attributes{"name": "b", "min": 1}}}), ""},
		{region(attributes{"min": 5, "zones": []any{attributes{"name": "a", "cap": 1}, attributes{"name": "b", "cap": 1}}}),
			`The caps of the zones of the region "R" add up to 2, and its min is 5.`},
		{attributes{"nodes": []any{attributes{"id": ""}}}, "Attribute nodes[0].id string length must be at least 1"},
		{attributes{"nodes": []any{attributes{"id": "a"}, nil}}, "This attribute contains a null value."},
	} {
		config := attributes{"nodes": literal(""), "regions": protocol.Listing("R"), "scale_out": attributes{}}
		maps.Copy(config, c.more)
		err := p.ValidateData(t.Context(), "stackpolicy_region_plan", config)
		if c.want == "" {
			assert.NoError(t, err, "%v", c.more)
			continue
		}
		assert.ErrorContains(t, err, c.want, "%v", c.more)
	}
	err := p.ValidateData(t.Context(), "stackpolicy_zone_plan",
		attributes{"nodes": literal(""), "zones": protocol.Listing("a"), "region": "", "scale_out": attributes{}})
	assert.ErrorContains(t, err, "Attribute region string length must be at least 1")
}

// TestDecisionPlaces: a decision keeps its places from plan to plan: a region plan's has the zones to choose from, and
// a zone plan's its region. TestAccPlans does it through Terraform.
func TestDecisionPlaces(t *testing.T) {
	t.Parallel()
	p := protocol.Start(t, acctest.NewFake(t, fakecloud.Config{}).Fake, fakecloud.MemberUser, "RegionOne")
	for name, c := range map[string]struct {
		asked             attributes
		regions, one, two string // the region plan, and the zone plan of each region
		byZone, byPlace   string // the nodes left after the zone plan of RegionOne, or the region plan, is followed
	}{
		"four and four, not eight and eight": {
			grow(8), "{RegionOne=6 RegionTwo=2} + {count=8 regions={RegionOne=2 RegionTwo=6} zones=} = {RegionOne=8 RegionTwo=8}: 8 nodes to create.",
			"{az-1=2 az-2=2 az-3=2} + {count=2 region=RegionOne zones={az-1=1 az-2=1}} = {az-1=3 az-2=3 az-3=2}: " +
				"2 nodes to create. The decision has 8 nodes, of which 6 are for other regions.",
			"{az-1=1 az-2=1} + {count=6 region=RegionTwo zones={az-1=3 az-2=3}} = {az-1=4 az-2=4}: " +
				"6 nodes to create. The decision has 8 nodes, of which 2 are for other regions.", "", "",
		},
		"the oldest of each zone of RegionOne, and none of RegionTwo": {
			shrink(4), "{RegionOne=6 RegionTwo=2} - {count=4 regions={RegionOne=4} zones=} = {RegionOne=2 RegionTwo=2}: 4 nodes to delete.",
			"{az-1=2 az-2=2 az-3=2} - {count=4 region=RegionOne zones={az-1=1 az-2=1 az-3=2}} = {az-1=1 az-2=1 az-3=0}: 4 nodes to delete.",
			"{az-1=1 az-2=1} = {az-1=1 az-2=1}: Nothing to create or to delete. The decision has 4 nodes, of which 4 are for other regions.",
			"n3 n4 n6 n7", "n4 n5 n6 n7",
		},
	} {
		read := func(kind string, config attributes) map[string]tftypes.Value {
			config["nodes"] = literal("RegionOne/az-1 RegionOne/az-2 RegionOne/az-3 RegionOne/az-1 RegionOne/az-2 RegionOne/az-3 RegionTwo/az-1 RegionTwo/az-2")
			value, err := p.ReadData(t.Context(), "stackpolicy_"+kind+"_plan", config)
			require.NoError(t, err, name)
			return protocol.Object(value)
		}
		c.asked["regions"] = protocol.Listing("RegionOne RegionTwo")
		regions := read("region", c.asked)
		assert.Equal(t, c.regions, shown(regions), name)
		decision := object(map[string]tftypes.Value{"creation": regions["creation"], "deletion": regions["deletion"]})
		one := read("zone", attributes{"zones": protocol.Listing("az-1 az-2 az-3"), "decision": decision})
		assert.Equal(t, c.one, shown(one), name)
		assert.Equal(t, c.two, shown(read("zone", attributes{"region": "RegionTwo", "zones": protocol.Listing("az-1 az-2"), "decision": decision})), name)
		for want, plan := range map[string]map[string]tftypes.Value{c.byZone: one, c.byPlace: regions} {
			if want != "" {
				chosen := read("deletion", attributes{"criteria": "OLDEST_FIRST", "decision": object(map[string]tftypes.Value{"deletion": plan["deletion"]})})
				assert.Equal(t, want, protocol.Shown(chosen["survivors"]), name)
			}
		}
	}
}

// TestAccPlans: the nodes of a cluster fit into the plans, and the decision of one plan fits into the next.
func TestAccPlans(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	one, two := c.TwoRegions(t)
	zone := c.Zones(t, one)[0]
	c.Boot(t, acctest.Server{Name: "web-0", Region: one, Zone: zone}, acctest.Server{Name: "web-1", Region: one, Zone: zone},
		acctest.Server{Name: "web-2", Region: two})
	config := fmt.Sprintf(`
data "stackpolicy_cluster" "web" {
  regions    = [%[1]q, %[2]q]
  name_regex = "^%[4]sweb-"
}
data "stackpolicy_region_plan" "p" {
  nodes   = data.stackpolicy_cluster.web.nodes
  regions = [{ name = %[1]q, weight = 200 }, { name = %[2]q, cap = 5 }]
  resize {
    adjustment_type = "CHANGE_IN_PERCENTAGE"
    number          = -66.7
  }
}
data "stackpolicy_zone_plan" "z" {
  region   = %[1]q
  nodes    = concat(data.stackpolicy_cluster.web.nodes, [{ id = "far", region = "Elsewhere", zone = %[3]q }])
  zones    = [{ name = %[3]q, min = 1 }]
  decision = { creation = data.stackpolicy_region_plan.p.creation, deletion = data.stackpolicy_region_plan.p.deletion }
}
data "stackpolicy_deletion_plan" "d" {
  nodes    = data.stackpolicy_cluster.web.nodes
  decision = { deletion = data.stackpolicy_region_plan.p.deletion }
  criteria = "OLDEST_FIRST"
}
output "victims" {
  value = join(" ", [for n in data.stackpolicy_cluster.web.nodes : n.name if contains(data.stackpolicy_deletion_plan.d.deletion.candidates, n.id)])
}
`, one, two, zone, c.Prefix)
	is := func(plan, attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.stackpolicy_"+plan, tfjsonpath.New(attribute), check)
	}
	c.Test(t,
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{
			is("region_plan.p", "deletion", acctest.Share(2, acctest.Counts(one, 1, two, 1))),
			is("region_plan.p", "creation", knownvalue.Null()),
			is("region_plan.p", "target", acctest.Counts(one, 1, two, 0)),
			is("region_plan.p", "summary", knownvalue.StringRegexp(regexp.MustCompile(`(?m)^total +3 +1$`))),
			is("zone_plan.z", "deletion", acctest.ZoneShare(1, one, acctest.Counts(zone, 1))),
			is("zone_plan.z", "distribution", acctest.Counts(zone, 2)), // a node elsewhere is not ours
			statecheck.ExpectKnownOutputValue("victims", knownvalue.StringExact(c.Prefix+c.ByAge(t, "web-0", "web-1")[0]+" "+c.Prefix+"web-2")),
		}},
		resource.TestStep{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
	)
}
