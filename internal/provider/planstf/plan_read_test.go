package planstf_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type attributes = protocol.Attributes

// literal are nodes at places: "RegionOne/az-1!" is one that is protected, "-" is one
// without a region.
func literal(places string) (list []any) {
	for i, place := range strings.Fields(places) {
		place, protected := strings.CutSuffix(place, "!")
		region, zone, _ := strings.Cut(place, "/")
		n := attributes{"id": fmt.Sprint("n", i), "protected": protected}
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

// planCase is a plan that is read. What is wanted of its attributes are those that
// differ from null, and of summary a part.
type planCase struct {
	config attributes
	want   map[string]string
	at     string // all that is said
	says   string // a part of it
}

func (c planCase) read(t *testing.T, fake *fakecloud.Cloud, name, kind string) {
	t.Helper()
	p := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne")
	value, err := p.ReadData(t.Context(), kind, c.config)
	if p.At() != c.at || !strings.Contains(p.Said(), c.says) {
		t.Errorf("%s: at %q: %s", name, p.At(), p.Said())
	}
	assert.Equal(t, (len(c.want) > 0), err == nil, "%s: %v", name, err)
	if err != nil || len(c.want) == 0 {
		return
	}
	got := protocol.Object(value)
	for _, attribute := range []string{"status", "reason", "creation", "deletion", "distribution", "target"} {
		want := c.want[attribute]
		if attribute == "status" {
			want = "OK"
		}
		assert.Equal(t, want, protocol.Shown(got[attribute]), "%s: %s", name, attribute)
	}
	if region, ok := got["region"]; ok && protocol.Shown(region) != cmp.Or(c.want["region"], "RegionOne") {
		t.Errorf("%s: the region is %s", name, region)
	}
	if summary := strings.Join(strings.Fields(protocol.Shown(got["summary"])), " "); !strings.Contains(summary, c.want["summary"]) || summary == "" {
		t.Errorf("%s: the summary is %s", name, summary)
	}
}

// TestRegionPlanRead: what a plan of regions says of each request, and what it reports.
func TestRegionPlanRead(t *testing.T) {
	t.Parallel()
	fake := acctest.NewFake(t, fakecloud.Config{}).Fake
	fake.AddRegion("Dark")
	fake.SetQuota("RegionOne", fakecloud.MemberProjectID, "cores", 3)
	fake.AddServers("RegionOne", fakecloud.Server{Name: "web-0"})
	const two = "RegionOne RegionTwo"
	grow := func(count int) attributes { return attributes{"count": count} }
	for name, c := range map[string]planCase{
		"growth": {config: attributes{"nodes": literal("RegionOne RegionOne RegionTwo"), "regions": protocol.Listing(two), "scale_out": grow(3)},
			want: map[string]string{"reason": "3 nodes to create.", "creation": "{count=3 regions={RegionOne=1 RegionTwo=2} zones=}",
				"distribution": "{RegionOne=2 RegionTwo=1}", "target": "{RegionOne=3 RegionTwo=3}", "summary": "total 3 6"}},
		"growth of one of them": {
			config: attributes{"nodes": literal("RegionOne RegionOne RegionTwo"), "regions": protocol.Listing(two, 2), "scale_out": grow(3)},
			want: map[string]string{"reason": "3 nodes to create.", "creation": "{count=3 regions={RegionTwo=3} zones=}",
				"distribution": "{RegionOne=2 RegionTwo=1}", "target": "{RegionOne=2 RegionTwo=4}"},
		},
		"a shrink": {
			config: attributes{"nodes": literal("RegionOne RegionOne RegionTwo"), "regions": protocol.Listing(two), "scale_in": grow(1), "respect_quotas": true},
			want: map[string]string{"reason": "1 node to delete.", "deletion": "{count=1 regions={RegionOne=1} zones=}",
				"distribution": "{RegionOne=2 RegionTwo=1}", "target": "{RegionOne=1 RegionTwo=1}"},
		},
		"a shrink of what is not listed in a region": {
			config: attributes{"nodes": literal("RegionOne/az-1 RegionOne/az-1 RegionOne/az-2 RegionTwo RegionTwo RegionTwo"),
				"regions": protocol.Listing("RegionOne:az-1 RegionTwo"), "scale_in": grow(1)},
			want: map[string]string{"reason": "1 node to delete.", "deletion": "{count=1 regions={RegionOne=1} zones={RegionOne={az-2=1}}}",
				"distribution": "{RegionOne=3 RegionTwo=3}", "target": "{RegionOne=2 RegionTwo=3}"},
		},
		"a shrink of what is above a zone's cap": {
			config: attributes{"nodes": literal("RegionOne/az-1 RegionOne/az-1 RegionOne/az-1 RegionTwo RegionTwo RegionTwo"),
				"regions": []any{attributes{"name": "RegionOne", "zones": protocol.Listing("az-1", 2)}, attributes{"name": "RegionTwo"}}, "scale_in": grow(1)},
			want: map[string]string{"reason": "1 node to delete.", "deletion": "{count=1 regions={RegionOne=1} zones={RegionOne={az-1=1}}}",
				"distribution": "{RegionOne=3 RegionTwo=3}", "target": "{RegionOne=2 RegionTwo=3}"},
		},
		"the share of no region": {config: attributes{"nodes": literal("RegionOne"), "regions": protocol.Listing(two), "decision": nowhere("regions")},
			want: map[string]string{"reason": "Nothing to create or to delete.", "distribution": "{RegionOne=1 RegionTwo=0}", "target": "{RegionOne=1 RegionTwo=0}"}},
		"zones of one of them": {
			config: attributes{"nodes": literal("RegionOne/az-1 RegionTwo"), "regions": protocol.Listing("RegionOne:az-1,az-2 RegionTwo"), "scale_out": grow(4)},
			want: map[string]string{"reason": "4 nodes to create.",
				"creation":     "{count=4 regions={RegionOne=2 RegionTwo=2} zones={RegionOne={az-1=1 az-2=1}}}",
				"distribution": "{RegionOne=1 RegionTwo=1}", "target": "{RegionOne=3 RegionTwo=3}"},
		},
		"a share": {
			config: attributes{"nodes": literal("Elsewhere"), "regions": protocol.Listing(two), "decision": share("creation", 5, "RegionOne", 2, "Far", 3)},
			want: map[string]string{"reason": "2 nodes to create. The decision has 5 nodes, of which other regions get 3.",
				"creation":     "{count=2 regions={RegionOne=1 RegionTwo=1} zones=}",
				"distribution": "{Elsewhere=1 RegionOne=0 RegionTwo=0}", "target": "{Elsewhere=1 RegionOne=1 RegionTwo=1}"},
		},
		"the share of a region that is not listed": {
			config: attributes{"nodes": literal("RegionOne RegionTwo"), "regions": protocol.Listing("RegionOne"), "decision": share("deletion", 1, "RegionTwo", 1)},
			want: map[string]string{"reason": "1 node to delete.", "deletion": "{count=1 regions={RegionTwo=1} zones=}",
				"distribution": "{RegionOne=1 RegionTwo=1}", "target": "{RegionOne=1 RegionTwo=0}"},
		},
		"a place that takes precedence": {
			config: attributes{"nodes": literal(""), "regions": protocol.Listing("RegionOne:az-1,az-2"), "node_create": attributes{"region": "RegionOne"}},
			want: map[string]string{"distribution": "{RegionOne=0}", "target": "{RegionOne=0}",
				"reason": "The region RegionOne that the node names takes precedence: nothing is planned. To choose its zone use a plan of zones."},
		},
		"nodes where none can be deleted": {
			config: attributes{"nodes": literal("Dark Dark RegionTwo RegionOne"), "regions": protocol.Listing("RegionOne"), "scale_in": grow(1)},
			want: map[string]string{"reason": "1 node to delete.", "deletion": "{count=1 regions={RegionTwo=1} zones=}",
				"distribution": "{Dark=2 RegionOne=1 RegionTwo=1}", "target": "{Dark=2 RegionOne=1 RegionTwo=0}"},
			at:   "regions: Region skipped",
			says: "It keeps the nodes that it has",
		},
		"a listed one where none can be": {
			config: attributes{"nodes": literal("Dark Dark Dark RegionOne"), "regions": protocol.Listing("RegionOne Dark"), "scale_in": grow(1)},
			want: map[string]string{"reason": "1 node to delete.", "deletion": "{count=1 regions={RegionOne=1} zones=}",
				"distribution": "{Dark=3 RegionOne=1}", "target": "{Dark=3 RegionOne=0}"},
			at: "regions[1].name: Region skipped",
		},
		"one that takes none": {config: attributes{"nodes": literal(""), "regions": protocol.Listing("Dark RegionOne"), "scale_out": grow(1)},
			at: "regions[0].name: Region skipped", says: "It takes no nodes",
			want: map[string]string{"reason": "1 node to create.", "creation": "{count=1 regions={RegionOne=1} zones=}",
				"distribution": "{Dark=0 RegionOne=0}", "target": "{Dark=0 RegionOne=1}"}},
		"growth where one is closed": {
			config: attributes{"nodes": literal("RegionOne RegionTwo"), "regions": protocol.Listing("RegionOne! RegionTwo"), "scale_out": grow(2)},
			want: map[string]string{"reason": "2 nodes to create.", "creation": "{count=2 regions={RegionTwo=2} zones=}",
				"distribution": "{RegionOne=1 RegionTwo=1}", "target": "{RegionOne=1 RegionTwo=3}"},
		},
		"a shrink where one is closed": {
			config: attributes{"nodes": literal("RegionOne RegionOne RegionTwo RegionTwo"), "regions": protocol.Listing("RegionOne! RegionTwo"), "scale_in": grow(3)},
			want: map[string]string{"reason": "3 nodes to delete.", "deletion": "{count=3 regions={RegionOne=1 RegionTwo=2} zones=}",
				"distribution": "{RegionOne=2 RegionTwo=2}", "target": "{RegionOne=1 RegionTwo=0}"},
		},
		"none that takes nodes": {config: attributes{"nodes": literal(""), "regions": protocol.Listing("Dark"), "scale_out": grow(1)},
			at: "regions[0].name: Region skipped\nregions: No region is found usable."},
		"the nodes of a place that are more than it has": { // that count is not cut
			config: attributes{"nodes": literal("RegionOne RegionTwo"), "regions": protocol.Listing(two), "decision": share("deletion", 9, "RegionTwo", 9)},
			at:     ": There is no feasible plan to handle all nodes.",
		},
		"who is protected": {config: attributes{"nodes": literal("RegionOne! RegionOne! RegionTwo"), "regions": protocol.Listing(two), "scale_in": grow(1)},
			want: map[string]string{"reason": "1 node to delete.", "deletion": "{count=1 regions={RegionTwo=1} zones=}",
				"distribution": "{RegionOne=2 RegionTwo=1}", "target": "{RegionOne=2 RegionTwo=0}"}},
		"more than there are": {config: attributes{"nodes": literal("RegionOne RegionTwo"), "regions": protocol.Listing(two), "scale_in": grow(5)},
			at: ": The count is above the cluster's size", says: "5 nodes must be removed, and the cluster has 2",
			want: map[string]string{"reason": "2 nodes to delete.", "deletion": "{count=2 regions={RegionOne=1 RegionTwo=1} zones=}",
				"distribution": "{RegionOne=1 RegionTwo=1}", "target": "{RegionOne=0 RegionTwo=0}"}},
		"a quota": {
			config: attributes{"nodes": literal("RegionOne"), "regions": protocol.Listing(two), "scale_out": grow(7), "respect_quotas": true, "flavor_id": "m1.tiny"},
			want: map[string]string{"reason": "7 nodes to create.", "creation": "{count=7 regions={RegionOne=2 RegionTwo=5} zones=}",
				"distribution": "{RegionOne=1 RegionTwo=0}", "target": "{RegionOne=3 RegionTwo=5}"},
			at:   ": A quota binds",
			says: `The region "RegionOne" gets 2 nodes and is full then: 1 of 3 cores in use.`,
		},
		"a quota of another flavor": {
			config: attributes{"nodes": literal("RegionOne"), "regions": protocol.Listing(two), "scale_out": grow(5), "respect_quotas": true},
			want: map[string]string{"reason": "5 nodes to create.", "creation": "{count=5 regions={RegionOne=2 RegionTwo=3} zones=}",
				"distribution": "{RegionOne=1 RegionTwo=0}", "target": "{RegionOne=3 RegionTwo=3}"},
		},
		"a quota that nobody asks for": {
			config: attributes{"nodes": literal("RegionOne"), "regions": protocol.Listing(two), "scale_out": grow(7), "flavor_id": "m1.tiny"},
			want: map[string]string{"reason": "7 nodes to create.", "creation": "{count=7 regions={RegionOne=3 RegionTwo=4} zones=}",
				"distribution": "{RegionOne=1 RegionTwo=0}", "target": "{RegionOne=4 RegionTwo=4}"},
		},
		"a request that contradicts itself": {
			config: attributes{"nodes": literal("RegionOne"), "regions": protocol.Listing(two), "resize": attributes{"adjustment_type": "EXACT_CAPACITY", "number": 9, "max_size": 3, "strict": true}},
			at:     ": Invalid request", // both bounds and number may be the wrong one
			says:   "The target capacity (9) is greater than the specified max_size (3).",
		},
		"a region that nobody knows": {
			config: attributes{"nodes": literal("RegionOne"), "regions": protocol.Listing("RegionOne Atlantis"), "scale_out": grow(1), "respect_quotas": true},
			at:     "regions[1].name: Unknown region",
		},
		"no room": {config: attributes{"nodes": literal("RegionOne"), "regions": protocol.Listing("RegionOne", 2), "scale_out": grow(5)},
			at: ": There is no feasible plan to handle all nodes."},
		"a node without a region": {config: attributes{"nodes": literal("RegionOne -/az-1"), "regions": protocol.Listing(two), "scale_out": grow(1)},
			at: "nodes[1].region: Node without a region", says: `The node "n1" has no region.`},
	} {
		fake.ResetRequests()
		c.read(t, fake, name, "stackpolicy_region_plan")
		if asked := fake.Count("GET compute /limits"); (asked > 0) != (strings.Contains(name, "a quota") && !strings.Contains(name, "nobody")) {
			t.Errorf("%s: the quotas were asked for %d times", name, asked)
		}
	}
	limits := fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodGet, Path: "/limits", Status: http.StatusForbidden, Times: fakecloud.Forever})
	planCase{config: attributes{"nodes": literal(""), "regions": protocol.Listing(two), "scale_out": grow(1), "respect_quotas": true},
		at: ": Unable to look up quotas"}.read(t, fake, "limits", "stackpolicy_region_plan")
	limits.Remove()
}

// share is a decision about nodes in regions.
func share(kind string, count int, regions ...any) tftypes.Value {
	counts := map[string]tftypes.Value{}
	for i := 0; i < len(regions); i += 2 {
		counts[regions[i].(string)] = tftypes.NewValue(tftypes.Number, regions[i+1])
	}
	return object(map[string]tftypes.Value{kind: object(map[string]tftypes.Value{"count": tftypes.NewValue(tftypes.Number, count), "regions": object(counts)})})
}

// nowhere is a decision whose places of a kind are none.
func nowhere(places string) tftypes.Value {
	return object(map[string]tftypes.Value{"creation": object(map[string]tftypes.Value{places: object(nil)})})
}

func object(fields map[string]tftypes.Value) tftypes.Value {
	of := map[string]tftypes.Type{}
	for name, v := range fields {
		of[name] = v.Type()
	}
	return tftypes.NewValue(tftypes.Object{AttributeTypes: of}, fields)
}

// TestZonePlanRead: what a plan of zones says of each request, and what it reports.
func TestZonePlanRead(t *testing.T) {
	t.Parallel()
	fake := acctest.NewFake(t, fakecloud.Config{})
	fake.Fake.AddZone("RegionOne", fakecloud.Zone{Name: "az-4", Hosts: []string{"h"}})
	fake.Fake.SetZoneAvailable("RegionOne", "az-4", false)
	fake.Fake.SetQuota("RegionTwo", fakecloud.MemberProjectID, "cores", 2)
	const three = "az-1 az-2 az-3"
	count := func(n int) attributes { return attributes{"count": n} }
	for name, c := range map[string]planCase{
		"growth": {config: attributes{"nodes": literal("RegionOne/az-1 RegionTwo/az-2 -/az-2"), "zones": protocol.Listing(three, 1), "scale_out": count(3)},
			want: map[string]string{"reason": "3 nodes to create.", "creation": "{count=3 region=RegionOne zones={az-2=1 az-3=2}}",
				"distribution": "{az-1=1 az-2=1 az-3=0}", "target": "{az-1=1 az-2=2 az-3=2}", "summary": "total 2 5"}},
		"a shrink": {config: attributes{"nodes": literal("-/az-1 -/az-1 -/az-2"), "zones": protocol.Listing(three), "scale_in": count(1)},
			want: map[string]string{"reason": "1 node to delete.", "deletion": "{count=1 region=RegionOne zones={az-1=1}}",
				"distribution": "{az-1=2 az-2=1 az-3=0}", "target": "{az-1=1 az-2=1 az-3=0}"}},
		"another region": {
			config: attributes{"nodes": literal("RegionOne/az-1"), "region": "RegionTwo", "zones": protocol.Listing("az-1 az-2"), "scale_out": count(2),
				"respect_quotas": true, "flavor_id": "m1.tiny"},
			want: map[string]string{"reason": "2 nodes to create.", "creation": "{count=2 region=RegionTwo zones={az-1=1 az-2=1}}",
				"distribution": "{az-1=0 az-2=0}", "target": "{az-1=1 az-2=1}", "region": "RegionTwo"},
			at:   ": A quota binds",
			says: `The region "RegionTwo" gets 2 nodes and is full then`,
		},
		"the share of no zone": {config: attributes{"nodes": literal("-/az-1"), "zones": protocol.Listing("az-1"), "decision": nowhere("zones")},
			want: map[string]string{"reason": "Nothing to create or to delete.", "distribution": "{az-1=1}", "target": "{az-1=1}"}},
		"a node of another region": {
			config: attributes{"nodes": literal(""), "zones": protocol.Listing("az-1"), "node_create": attributes{"region": "RegionTwo"}},
			want: map[string]string{"distribution": "{az-1=0}", "target": "{az-1=0}",
				"reason": "The node is for the region RegionTwo: nothing is planned in RegionOne."},
		},
		"a region that is not there": {config: attributes{"nodes": literal(""), "region": "Atlantis", "zones": protocol.Listing("az-1"), "scale_out": count(1)},
			at: "region: Unable to use the region"},
		"a node that is there twice": {
			config: attributes{"nodes": append(literal("-/az-1"), literal("-/az-1")...), "zones": protocol.Listing("az-1"), "scale_out": count(1)},
			at:     "nodes[1].id: Node given twice",
		},
		"who is protected, or where none can be deleted": {
			config: attributes{"nodes": literal("-/az-1! -/az-1 -/az-4 -/az-4"), "zones": protocol.Listing("az-1"), "scale_in": count(1)},
			want: map[string]string{"reason": "1 node to delete.", "deletion": "{count=1 region=RegionOne zones={az-1=1}}",
				"distribution": "{az-1=2 az-4=2}", "target": "{az-1=1 az-4=2}"},
			at: "zones: Availability zone skipped", says: "It keeps the nodes that it has",
		},
		"none that is up": {config: attributes{"nodes": literal(""), "zones": protocol.Listing("az-4"), "scale_out": count(1)},
			at: "zones[0].name: Availability zone skipped\nzones: No availability zone found available."},
		"a zone that is not there": {config: attributes{"nodes": literal(""), "zones": protocol.Listing("az-1 cloud-nine"), "scale_out": count(1)},
			at: "zones[1].name: Unknown availability zone"},
	} {
		c.read(t, fake.Fake, name, "stackpolicy_zone_plan")
	}
}

// TestPlanOfChange: the change of an attachment fits into a decision as it is, also where its lists leave names out.
func TestPlanOfChange(t *testing.T) {
	t.Parallel()
	a := protocol.Attach(t, "stackpolicy_placement_attachment")
	for i, want := range [][2]any{{20, ""}, {270, "{count=250 region=RegionOne zones={az-1=125 az-2=125}}"}, {30, "{count=240 region=RegionOne zones={az-1=120 az-2=120}}"}} {
		a.Must(t, attributes{"cluster": "web", "desired_capacity": want[0], "zones": protocol.Listing("az-1 az-2")})
		if i == 0 {
			continue
		}
		kind := []string{"", "creation", "deletion"}[i]
		change := protocol.Object(protocol.Elements(protocol.Object(a.I.State)["change"])[0])
		plan, err := a.ReadData(t.Context(), "stackpolicy_zone_plan", attributes{"nodes": literal(strings.Repeat("-/az-1 -/az-2 ", 150)), "zones": protocol.Listing("az-1 az-2"),
			"decision": object(map[string]tftypes.Value{"creation": change["creation"], "deletion": change["deletion"]})})
		if err != nil || protocol.Shown(protocol.Object(change[kind])["omitted"]) == "0" {
			t.Fatalf("%v: %s", err, change[kind])
		}
		if got := protocol.Shown(protocol.Object(plan)[kind]); got != want[1] {
			t.Errorf("%s is %s, want %s", kind, got, want[1])
		}
	}
}

// TestPlanValidate: what is wrong is refused before anything is read, and nothing is said of what is not known yet.
func TestPlanValidate(t *testing.T) {
	t.Parallel()
	p := protocol.Start(t, acctest.NewFake(t, fakecloud.Config{}).Fake, fakecloud.MemberUser, "RegionOne")
	region := func(more attributes) attributes {
		config := attributes{"name": "R"}
		maps.Copy(config, more)
		return attributes{"regions": []any{config}}
	}
	const bins = "value must be at least"
	placed := object(map[string]tftypes.Value{"placement": object(nil)}) // by the affinity policy
	for _, c := range []struct {
		more attributes
		want string // "": it is good
	}{
		{attributes{"scale_in": attributes{}}, "make one"},
		{attributes{"scale_out": nil}, "Nothing is requested"},
		{attributes{"scale_out": nil, "resize": attributes{}}, "Nothing is requested"},
		{attributes{"scale_out": attributes{"count": -1}}, "Attribute scale_out.count " + bins + " 0"},
		{attributes{"scale_out": nil, "node_create": attributes{"region": ""}}, "Attribute node_create.region string length must be at least 1"},
		{attributes{"scale_out": nil, "resize": attributes{"adjustment_type": "BY_HALF", "number": 1}}, `"BY_HALF" is not one of`},
		{attributes{"scale_out": nil, "resize": attributes{"adjustment_type": "CHANGE_IN_PERCENTAGE"}}, "CHANGE_IN_PERCENTAGE needs a number."},
		{attributes{"scale_out": nil, "resize": attributes{"adjustment_type": "CHANGE_IN_CAPACITY", "number": 12.5}}, "CHANGE_IN_CAPACITY needs a whole number, not 12.5."},
		{attributes{"scale_out": nil, "resize": attributes{"number": 1}}, "A number needs an adjustment_type"},
		{attributes{"scale_out": nil, "resize": attributes{"min_size": 5, "max_size": 3}}, "The specified min_size (5) is greater than the specified max_size (3)."},
		{attributes{"scale_out": nil, "decision": tftypes.NewValue(tftypes.DynamicPseudoType, tftypes.UnknownValue)}, ""},
		{attributes{"decision": placed}, ""},
		{attributes{"scale_out": nil, "decision": placed}, "Nothing is requested"},
		{attributes{"regions": []any{}}, "list must contain at least 1 elements"},
		{attributes{"regions": []any{nil}}, "The element 0 of the list is null."},
		{region(attributes{"name": ""}), "Attribute regions[0].name string length must be at least 1"},
		{region(attributes{"zones": []any{nil}}), "The element 0 of the list is null."},
		{attributes{"regions": protocol.Listing("R R")}, `"R" is at the indices 0 and 1.`},
		{attributes{"regions": protocol.Listing("R:a,a")}, `"a" is at the indices 0 and 1.`},
		{region(attributes{"weight": 0}), "Attribute regions[0].weight " + bins + " 1"},
		{region(attributes{"cap": -2}), "Attribute regions[0].cap " + bins + " -1"},
		{region(attributes{"min": -1}), "Attribute regions[0].min " + bins + " 0"},
		{region(attributes{"cap": 2, "min": 3}), `The min of the region "R" (3) is larger than its cap (2).`},
		{region(attributes{"cap": 2, "zones": []any{attributes{"name": "a", "min": 2}, attributes{"name": "b", "min": 1}}}), `The mins of the zones of the region "R" add up to 3, and its cap is 2.`},
		{region(attributes{"cap": 3, "zones": []any{attributes{"name": "a", "min": 2}, attributes{"name": "b", "min": 1}}}), ""},
		{region(attributes{"min": 5, "zones": []any{attributes{"name": "a", "cap": 1}, attributes{"name": "b", "cap": 1}}}), `The caps of the zones of the region "R" add up to 2, and its min is 5.`},
		{attributes{"nodes": []any{attributes{"id": "a"}, nil}}, "This attribute contains a null value."},
	} {
		config := attributes{"nodes": literal(""), "regions": protocol.Listing("R"), "scale_out": attributes{}}
		maps.Copy(config, c.more)
		err := p.ValidateData(t.Context(), "stackpolicy_region_plan", config)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.more, err, c.want)
		}
	}
	if err := p.ValidateData(t.Context(), "stackpolicy_zone_plan", attributes{"nodes": literal(""), "zones": protocol.Listing("a"), "region": "", "scale_out": attributes{}}); err == nil ||
		!strings.Contains(err.Error(), "Attribute region string length must be at least 1") {
		t.Errorf("a region without a name: %v", err)
	}
}

// eightNodes are eight nodes: six in RegionOne, two in RegionTwo, two a zone.
func eightNodes() (list []any) {
	for i := range 8 {
		region := "RegionOne"
		if i >= 6 {
			region = "RegionTwo"
		}
		list = append(list, attributes{"id": fmt.Sprint("n", i), "name": fmt.Sprint("web-", i), "region": region, "zone": fmt.Sprint("az-", i%3+1),
			"status": "ACTIVE", "created_at": fmt.Sprintf("2026-11-0%dT00:00:00Z", i+1)})
	}
	return list
}

// TestDecisionPlaces: a decision carries its places along, from plan to plan: a region plan's has zones to choose by, and
// a zone plan's its region. TestAccZonePlan does it through Terraform.
func TestDecisionPlaces(t *testing.T) {
	t.Parallel()
	fake := acctest.NewFake(t, fakecloud.Config{}).Fake
	const two = "RegionOne RegionTwo"
	for name, c := range map[string]struct {
		request attributes
		want    map[string]string // of the plans: of regions, of zones of either region, of deletion by zones and by regions
	}{
		"four and four, not eight and eight": {attributes{"scale_out": attributes{"count": 8}, "regions": protocol.Listing(two)}, map[string]string{
			"regions": "{count=8 regions={RegionOne=2 RegionTwo=6} zones=} / ",
			"one":     "{count=2 region=RegionOne zones={az-1=1 az-2=1}} /  / 2 nodes to create. The decision has 8 nodes, of which other regions get 6.",
			"two":     "{count=6 region=RegionTwo zones={az-1=3 az-2=3}} /  / 6 nodes to create. The decision has 8 nodes, of which other regions get 2.",
		}},
		"the oldest of each zone of RegionOne, and none of RegionTwo": {attributes{"scale_in": attributes{"count": 4}, "regions": protocol.Listing(two)}, map[string]string{
			"regions":  " / {count=4 regions={RegionOne=4} zones=}",
			"one":      " / {count=4 region=RegionOne zones={az-1=1 az-2=1 az-3=2}} / 4 nodes to delete.",
			"two":      " /  / Nothing to create or to delete. The decision has 4 nodes, of which other regions get 4.",
			"by zone":  "n3 n4 n6 n7",
			"by place": "n4 n5 n6 n7",
		}},
	} {
		p := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne")
		read := func(kind string, config attributes) map[string]tftypes.Value {
			config["nodes"] = eightNodes()
			value, err := p.ReadData(t.Context(), kind, config)
			require.NoError(t, err, name)
			return protocol.Object(value)
		}
		decided := func(by map[string]tftypes.Value) tftypes.Value {
			return object(map[string]tftypes.Value{"creation": by["creation"], "deletion": by["deletion"]})
		}
		both := func(plan map[string]tftypes.Value) string {
			return protocol.Shown(plan["creation"]) + " / " + protocol.Shown(plan["deletion"])
		}
		regions := read("stackpolicy_region_plan", c.request)
		assert.Equal(t, c.want["regions"], both(regions), name)
		one := read("stackpolicy_zone_plan", attributes{"zones": protocol.Listing("az-1 az-2 az-3"), "decision": decided(regions)})
		assert.Equal(t, c.want["one"], both(one)+" / "+protocol.Shown(one["reason"]), name)
		other := read("stackpolicy_zone_plan", attributes{"region": "RegionTwo", "zones": protocol.Listing("az-1 az-2"), "decision": decided(regions)})
		assert.Equal(t, c.want["two"], both(other)+" / "+protocol.Shown(other["reason"]), name)
		for way, plan := range map[string]map[string]tftypes.Value{"by zone": one, "by place": regions} {
			if c.want[way] == "" {
				continue
			}
			chosen := read("stackpolicy_deletion_plan", attributes{"criteria": "OLDEST_FIRST", "decision": object(map[string]tftypes.Value{"deletion": plan["deletion"]})})
			assert.Equal(t, c.want[way], protocol.Shown(chosen["survivors"]), "%s: %s", name, way)
		}
	}
}
