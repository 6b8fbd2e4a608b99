package placementtf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestPlacementAdopts: an import takes over the servers of a pattern where they run, and the slots
// that its id names. With a configuration that says the same the next plan is empty.
func TestPlacementAdopts(t *testing.T) {
	t.Parallel()
	const (
		bad  = ": Invalid import id"
		rest = "RegionOne/az-1: web-0; RegionTwo/az-1: web-12"
	)
	for id, c := range map[string]struct{ nodes, slots, at string }{
		"web":                   {nodes: rest},
		"web/{cluster}-{index}": {nodes: rest},
		"a/b":                   {nodes: "RegionOne/az-1: a/b-3"},
		"a/b/{cluster}-{index}": {at: "cluster: Unable to adopt the cluster"},
		"web/{cluster}{index}":  {nodes: "RegionTwo/az-1: web7"},
		"web,web-4=RegionOne":   {nodes: rest, slots: "{web-4={in_use=false index=4 region=RegionOne zone=}}"},
		"web,web-4=RegionOne/az-1,web-12=RegionTwo": {nodes: rest,
			slots: "{web-12={in_use=true index=12 region=RegionTwo zone=} web-4={in_use=false index=4 region=RegionOne zone=az-1}}"},
		"web,www-4=RegionOne": {at: bad},
		"":                    {at: bad},
		" ":                   {at: bad},
		"web/{index}-{index}": {at: bad},
		"db":                  {at: "cluster: Unable to adopt the cluster"},
	} {
		a := begin(t)
		for name, region := range map[string]string{"web-0": "RegionOne", "web-12": "RegionTwo", "web7": "RegionTwo", "a/b-3": "RegionOne"} {
			a.Fake.AddServers(region, fakecloud.Server{Name: name, Zone: "az-1"})
		}
		i, err := a.Adopt(t.Context(), a.I.Kind, id)
		if a.At() != c.at || (err == nil) != (c.at == "") {
			t.Errorf("%q: at %q, %v", id, a.At(), err)
		}
		if err != nil {
			continue
		}
		state := protocol.Object(i.State)
		if nodes, slots := settled(state["nodes"]), protocol.Shown(state["slots"]); nodes != c.nodes || slots != c.slots {
			t.Errorf("%q: the nodes are %s, the slots %s", id, nodes, slots)
		}
		if protocol.Shown(state["id"]) != protocol.Shown(state["cluster"]) || protocol.Shown(state["remaining"]) != "0" || protocol.Shown(state["status"]) != "in step" {
			t.Errorf("%q: %s", id, works(i.State))
		}
		size, regions := fmt.Sprint(len(protocol.Object(state["nodes"]))), strings.Count(c.nodes, "Region")
		if protocol.Shown(state["desired_capacity"]) != size || len(protocol.Elements(state["regions"])) != regions {
			t.Errorf("%q: %s nodes in %s", id, protocol.Shown(state["desired_capacity"]), state["regions"])
		}
	}
}

// TestPlacementAdoptsMarks: where servers are marked as in service, one without a mark may serve anyway: it
// is replaced within the batch, after its substitute serves.
func TestPlacementAdoptsMarks(t *testing.T) {
	t.Parallel()
	for marks, want := range map[string]string{"": "+2 -web-0 -web-1", "1": "+2 -web-0 -web-1"} {
		a := begin(t)
		a.server("web-0", "az-1", 2, func(s *fakecloud.Server) {
			if marks != "" {
				s.Metadata["stackpolicy_in_service"] = marks
			}
		})
		a.server("web-1", "az-1", 1, nil)
		var err error
		if a.I, err = a.Adopt(t.Context(), a.I.Kind, "web"); err != nil {
			t.Fatal(err)
		}
		a.Must(t, zonal(2, "az-1", templated("a", "SUBSTITUTE", "TEMPLATE")))
		_, state := a.plan(t, zonal(2, "az-1", templated("b", "SUBSTITUTE", "TEMPLATE")))
		if change := changed(protocol.Object(state)["change"]); change != want {
			t.Errorf("marked with %q: the change is %s, want %s", marks, change, want)
		}
	}
}

// TestPlacementIdentity: the identity has the pattern of names too, and it is enough to import by.
func TestPlacementIdentity(t *testing.T) {
	t.Parallel()
	a := attach(t, zonal(2, "az-1", attributes{"node_name_pattern": "{cluster}{index}"}))
	a.boot(t, nil)
	resp, err := a.Server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: a.I.Kind, Identity: a.I.Identity})
	if err := protocol.Failure(err, resp.Diagnostics); err != nil {
		t.Fatal(err)
	}
	got := resp.ImportedResources[0]
	a.I = protocol.Instance{Kind: a.I.Kind, State: protocol.Unpack(a.TypeOf(a.I.Kind), got.State), Private: got.Private, Identity: got.Identity}
	a.Look(t)
	if nodes := settled(protocol.Object(a.I.State)["nodes"]); nodes != "RegionOne/az-1: web0 web1" {
		t.Errorf("adopted are %s", nodes)
	}
	if a.Must(t, across(2, "RegionOne", attributes{"cluster": "www", "node_name_pattern": "{cluster}{index}"})); string(a.I.Identity.IdentityData.MsgPack) == string(got.Identity.IdentityData.MsgPack) {
		t.Error("a cluster that is renamed keeps its identity")
	}
}

// TestPlacementValidates: what is wrong is reported before anything is planned.
func TestPlacementValidates(t *testing.T) {
	t.Parallel()
	a := begin(t)
	config := a.Request(a.I, zonal(3, "az-1", attributes{"max_size": 2})).Config
	resp, err := a.Server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: a.I.Kind, Config: config})
	if at := protocol.At(resp.Diagnostics); err != nil || at != "desired_capacity: Size outside its bounds" {
		t.Errorf("at %q, %v", at, err)
	}
}
