package placementtf_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlacementAdopts: an import takes over the servers of a pattern in their places, and the slots
// that its id names. With an equal configuration the next plan is empty.
func TestPlacementAdopts(t *testing.T) {
	t.Parallel()
	const (
		bad  = ": Invalid import id"
		rest = "RegionOne/az-1: web-0; RegionTwo/az-1: web-12"
		own  = "web-0={disks= in_use=true index=0 networks= region=RegionOne template= zone=az-1} " +
			"web-12={disks= in_use=true index=12 networks= region=RegionTwo template= zone=az-1}"
		both = `{"cluster": "web", "templates": [{"image": "a"}, {"image": "b"}], "generations": {"web-12": 7}}`
	)
	for id, c := range map[string]struct{ nodes, slots, at string }{
		"web":                       {nodes: rest, slots: "{" + own + "}"},
		"web/{cluster}-{index}":     {nodes: rest},
		"my web":                    {nodes: "RegionOne/az-1: my web-3"},
		"my web/{cluster}-{index}":  {nodes: "RegionOne/az-1: my web-3"},
		"web/a/b-{index}":           {nodes: "RegionOne/az-1: a/b-3"},
		"web/{cluster}{index}":      {nodes: "RegionTwo/az-1: web7"},
		"web/{cluster}{index+1:03}": {nodes: "RegionTwo/az-1: web7"},
		`{"cluster": "web", "slots": {"web-4": "RegionOne"}}`: {nodes: rest,
			slots: "{" + own + " web-4={disks= in_use=false index=4 networks= region=RegionOne template={} zone=}}"},
		`{"cluster": "web", "slots": {"web-4": "RegionOne/az-1", "web-12": "RegionTwo"}}`: {nodes: rest,
			slots: "{web-0={disks= in_use=true index=0 networks= region=RegionOne template= zone=az-1} " +
				"web-12={disks= in_use=true index=12 networks= region=RegionTwo template= zone=} " +
				"web-4={disks= in_use=false index=4 networks= region=RegionOne template={} zone=az-1}}"},
		`{"cluster": "web", "node_name_pattern": "{cluster}{index}"}`: {nodes: "RegionTwo/az-1: web7"},
		both: {nodes: rest},
		`{"cluster": "web", "slots": {"www-4": "RegionOne"}}`: {at: bad},
		`{"cluster": "web", "generations": {"www-4": 2}}`:     {at: bad},
		`{"cluster": "web", "generations": {"web-0": 0}}`:     {at: bad},
		`{"cluster": "web"} "slots"`:                          {at: bad},
		`{"cluster": "web", "slot": {}}`:                      {at: bad},
		`{"slots": {}}`:                                       {at: bad},
		`{"cluster": `:                                        {at: bad},
		`{"cluster": "a/b"}`:                                  {at: bad},
		"a/b":                                                 {at: bad},
		"":                                                    {at: bad},
		" ":                                                   {at: bad},
		"web/{index}-{index}":                                 {at: bad},
		"db":                                                  {at: "cluster: Unable to adopt the cluster"},
		"db/{cluster}-{index}.example.org":                    {nodes: "RegionOne/az-1: db-3.example.org"}, // as that error says
	} {
		a := begin(t)
		for name, region := range map[string]string{"web-0": "RegionOne", "web-12": "RegionTwo", "web7": "RegionTwo", "a/b-3": "RegionOne",
			"my web-3": "RegionOne", "db-3.example.org": "RegionOne"} {
			a.Fake.AddServers(region, fakecloud.Server{Name: name, Zone: "az-1"})
		}
		i, err := a.Adopt(t.Context(), a.I.Kind, id)
		assert.Equal(t, c.at, a.At(), id)
		if assert.Equal(t, c.at == "", err == nil, "%q: %v", id, err); err != nil {
			continue
		}
		state := protocol.Object(i.State)
		assert.Equal(t, c.nodes, settled(state["nodes"]), id)
		if c.slots != "" {
			assert.Equal(t, c.slots, protocol.Shown(state["slots"]), id)
		}
		a.I = i
		assert.Equal(t, "0 in step", a.Shows("remaining")+" "+a.Shows("status"), id)
		assert.Equal(t, fmt.Sprint(len(protocol.Object(state["nodes"]))), a.Shows("desired_capacity"), id)
		assert.Len(t, protocol.Elements(state["regions"]), strings.Count(c.nodes, "Region"), id)
	}
}

// TestPlacementAdoptsMetadata: an import says what would be lost with the metadata of the servers.
func TestPlacementAdoptsMetadata(t *testing.T) {
	t.Parallel()
	a := begin(t)
	for name, key := range map[string]string{"web-0": "stackpolicy_in_service", "web-1": "stackpolicy_protected", "web-2": "stackpolicy_tainted",
		"web-3": "a"} {
		a.Fake.AddServers("RegionOne", fakecloud.Server{Name: name, Zone: "az-1", Metadata: map[string]string{key: "true"}})
	}
	a.adopt(t, "web")
	assert.Equal(t, ": An import of servers removes their metadata\n: Generations are guesses", a.At())
	assert.Contains(t, a.Said(), "Metadata says which nodes are in service: web-0; protected: web-1; tainted: web-2.")
}

// ownMark is the mark that a node of a generation and an image sets.
func ownMark(generation int, image string) string {
	return fmt.Sprintf("%d-%.4x", generation, sha256.Sum256(fmt.Appendf(nil, `{"image":%q}`, image)))
}

// TestPlacementAdoptsGenerations: an import takes a generation from the server's metadata, or from the import id, or guesses it.
// It names the guesses. In the middle of a rollout the hash in a mark says which of the given templates a
// node has.
func TestPlacementAdoptsGenerations(t *testing.T) {
	t.Parallel()
	a := begin(t)
	for name, metadata := range map[string]map[string]string{
		"web-0": {"stackpolicy_generation": "3", "stackpolicy_in_service": ownMark(4, "a")},
		"web-1": {"stackpolicy_generation": "-1", "stackpolicy_in_service": ownMark(2, "b")},
		"web-2": {"stackpolicy_generation": "99999999999999999999"},
		"web-3": {},
	} {
		a.Fake.AddServers("RegionOne", fakecloud.Server{Name: name, Zone: "az-1", Metadata: metadata})
	}
	const id = `{"cluster": "web", "templates": [{"image": "a"}], "generations": {"web-3": 5}}`
	a.adopt(t, id)
	assert.Contains(t, a.Said(), "by their marks: web-1 (2), web-2 (1). ")
	got := ""
	for i := range 4 {
		node := protocol.Object(protocol.Object(protocol.Object(a.I.State)["nodes"])[fmt.Sprint("web-", i)])
		got += protocol.Shown(node["generation"]) + protocol.Shown(node["template"]) + " "
	}
	assert.Equal(t, "3{image=a} 2 1 5 ", got, "the generations and templates")
}

// TestPlacementAdoptsMarks: servers without their node's own mark are waited for. If no marks are required, the first
// template counts as the template of all servers, and no server is waited for.
func TestPlacementAdoptsMarks(t *testing.T) {
	t.Parallel()
	for marks, want := range map[string]string{
		"":              "in step", // no mark is required
		"1":             "waits: web-0 (it is marked as in service with 1, not 1-a4db6e5b), web-1 (it is not marked as in service)",
		ownMark(2, "a"): "waits: web-1 (it is not marked as in service)",
	} {
		a := begin(t)
		a.server("web-0", "az-1", 2, func(s *fakecloud.Server) {
			if marks != "" {
				s.Metadata["stackpolicy_in_service"] = marks
			}
		})
		a.server("web-1", "az-1", 1, nil)
		a.adopt(t, "web")
		config := templated("a", "RECREATE", "TEMPLATE")
		if marks != "" {
			delete(config["update"].(attributes), "require_in_service")
		}
		a.Must(t, zonal(2, "az-1", config))
		a.Look(t)
		assert.Equal(t, want, a.Shows("status"), "marked with %q", marks)
	}
}

// TestPlacementIdentity: the identity has the pattern of names too, and is enough for an import.
func TestPlacementIdentity(t *testing.T) {
	t.Parallel()
	a := attach(t, zonal(2, "az-1", attributes{"node_name_pattern": "{cluster}{index}"}))
	a.boot(t, nil)
	got, err := a.AdoptBy(t.Context(), a.I.Kind, a.I.Identity)
	require.NoError(t, err)
	a.I = got
	assert.Equal(t, "RegionOne/az-1: web0 web1", settled(protocol.Object(a.I.State)["nodes"]), "adopted")
	a.Must(t, across(2, "RegionOne", attributes{"cluster": "www", "node_name_pattern": "{cluster}{index}"}))
	assert.NotEqual(t, got.Identity, a.I.Identity, "of a cluster that is renamed")
}
