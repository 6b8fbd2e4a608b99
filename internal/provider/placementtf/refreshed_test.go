package placementtf_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fails makes all requests for a path fail.
func fails(path string) func(*testing.T, attached) {
	return func(_ *testing.T, a attached) {
		a.Fake.Inject(fakecloud.Fault{Path: path, Status: http.StatusForbidden, Times: fakecloud.Forever})
	}
}

// boots makes a server for each node.
func boots(t *testing.T, a attached) { t.Helper(); a.boot(t, nil) }

// inTurn makes events happen one after the other.
func inTurn(all ...func(*testing.T, attached)) func(*testing.T, attached) {
	return func(t *testing.T, a attached) {
		t.Helper()
		for _, happens := range all {
			happens(t, a)
		}
	}
}

// changes changes the server of a node.
func changes(name string, change func(fake *fakecloud.Cloud, id string)) func(*testing.T, attached) {
	return func(_ *testing.T, a attached) {
		for _, s := range a.Fake.Servers("RegionOne") {
			if s.Name == name {
				change(a.Fake, s.ID)
			}
		}
	}
}

// breaks puts the server of a node into ERROR.
func breaks(name string) func(*testing.T, attached) {
	return changes(name, func(fake *fakecloud.Cloud, id string) {
		fake.UpdateServer("RegionOne", id, func(s *fakecloud.Server) { s.Status = "ERROR" })
	})
}

// homeless makes a server of web-1 for which Nova finds no host now.
func homeless(t *testing.T, a attached) {
	t.Helper()
	a.boot(t, map[string]func(*fakecloud.Server){"web-1": func(s *fakecloud.Server) {
		s.Status, s.Fault, s.Created = "ERROR", "No valid host was found.", time.Time{}
	}})
}

// unscheduledID is the id of the server that unscheduled makes.
const unscheduledID = "00000000-0000-4000-8000-000000000001"

// unscheduled makes a server of web-1 for which Nova finds no host now. Its list does not say why.
func unscheduled(t *testing.T, a attached) {
	t.Helper()
	a.boot(t, map[string]func(*fakecloud.Server){"web-1": func(s *fakecloud.Server) {
		s.ID, s.Created, s.Host = unscheduledID, time.Time{}, "-"
		s.Status, s.Fault = "ERROR", "No valid host was found."
	}})
}

// moves moves the server of a node to az-2, as an operator does.
func moves(name string) func(*testing.T, attached) {
	return changes(name, func(fake *fakecloud.Cloud, id string) { fake.MoveServer("RegionOne", id, "r1-cmp-3") })
}

// loses deletes the server of a node.
func loses(name string) func(*testing.T, attached) {
	return changes(name, func(fake *fakecloud.Cloud, id string) { fake.RemoveServers("RegionOne", id) })
}

// unplugs deletes the port of the server of a node.
func unplugs(name string) func(*testing.T, attached) {
	return changes(name, func(fake *fakecloud.Cloud, id string) {
		fake.UpdateServer("RegionOne", id, func(s *fakecloud.Server) { s.Network = false })
	})
}

// another runs another server of a name, which is not the node's own.
func another(name string) func(*testing.T, attached) {
	return func(_ *testing.T, a attached) { a.server(name, "az-1", 1, nil) }
}

// TestPlacementRefreshed: a refresh reads the servers of all nodes, leaving ones too, in open
// regions. A failed read is an error that leaves the state as it is. A refresh reports servers
// that are lost or exist twice, and the status says what the next plan would do.
func TestPlacementRefreshed(t *testing.T) {
	t.Parallel()
	const (
		looks  = "RegionOne/os-availability-zone RegionOne/servers"
		inStep = "in step"
	)
	repairs, spreads := templated("a", "SUBSTITUTE", "UNHEALTHY"), templated("a", "SUBSTITUTE", "PLACEMENT")
	bare := attributes{"template": spreads["template"]}
	repairs["update"].(attributes)["stop_above"] = "100%"
	ported := templated("a", "SUBSTITUTE", "UNHEALTHY")
	ported["update"].(attributes)["stop_above"] = "100%"
	ported["networks"] = []any{attributes{"id": "n"}}
	looked := func(t *testing.T, a attached) { t.Helper(); a.Look(t) }
	again, young := templated("a", "RECREATE", "UNHEALTHY"), templated("a", "SUBSTITUTE", "AGE")
	again["update"].(attributes)["stop_above"] = "100%"
	young["update"].(attributes)["max_age"] = "30d"
	byProfile := attributes{"deletion": attributes{"criteria": "OLDEST_PROFILE_FIRST"}}
	built := func(name string, month time.Month) func(*testing.T, attached) {
		return changes(name, func(fake *fakecloud.Cloud, id string) {
			image := fake.AddImage(fakecloud.Image{Created: time.Date(2026, month, 1, 0, 0, 0, 0, time.UTC)})
			fake.UpdateServer("RegionOne", id, func(s *fakecloud.Server) { s.ImageID = image })
		})
	}
	mine := attributes{"selector": attributes{"metadata": attributes{"team": "mine"}}}
	for name, c := range map[string]struct {
		before   attributes
		happens  func(*testing.T, attached)
		at, asks string
		says     string // part of the diagnostics
		status   string // status after the refresh; "": the refresh fails
		nodes    string // nodes after the refresh, if they matter
		change   string // change of a plan of two nodes then
	}{
		"all is well": {before: zonal(2, "az-1", nil), happens: boots, asks: looks, status: inStep},
		"servers cannot be read": {before: zonal(2, "az-1", nil), happens: fails("/servers/detail"), at: ": Unable to read the cluster",
			asks: "RegionOne/servers"},
		"a region has lost its endpoint": {before: across(2, "RegionOne RegionTwo", nil), happens: hidden, at: ": Unable to read the cluster",
			asks: "RegionOne/servers",
			says: `set closed = true for it in regions, and apply with -refresh=false: its nodes stay as they are. Do not remove it from regions`},
		"zones cannot be read": {before: zonal(2, "az-1", nil), happens: fails("/os-availability-zone"),
			at: ": Unable to look up regions and availability zones", asks: looks},
		"a region is closed": {before: across(2, "RegionOne RegionTwo", nil), happens: becomes(across(2, "RegionOne! RegionTwo", nil)),
			at: ": The servers do not follow the names of their nodes", asks: "RegionTwo/servers", status: "waits: web-1 (no server of its name was found)"},
		"no node is there": {before: zonal(0, "az-1", nil), status: inStep},
		"the last nodes leave": {before: zonal(2, "az-1", nil), happens: inTurn(boots, becomes(zonal(0, "az-1", nil))), asks: looks,
			status: "waits: web-0 (it leaves, and its server still exists), web-1 (it leaves, and its server still exists)", change: "<web-0 <web-1"},
		"the last nodes are gone": {before: zonal(2, "az-1", nil), happens: inTurn(boots, becomes(zonal(0, "az-1", nil)), loses("web-0"), loses("web-1")),
			asks: looks, status: inStep},
		"a server is lost": {before: zonal(2, "az-1", nil), happens: inTurn(boots, becomes(zonal(2, "az-1", attributes{"max_size": 9})), loses("web-1")),
			at: ": A node has lost its server", asks: looks, status: "waits: web-1 (no server of its name was found)"},
		"a name is there twice": {before: zonal(2, "az-1", nil), happens: inTurn(boots, another("web-1")), at: ": Servers belong to no node",
			asks: looks, status: inStep},
		"a name is there twice, and the selector leaves both out": {before: zonal(2, "az-1", mine), happens: inTurn(boots, another("web-1")), asks: looks,
			at: ": The servers do not follow the selector of their nodes", says: "The selector leaves them out: correct selector",
			status: "waits: web-0 (no server of its name was found), web-1 (no server of its name was found)"},
		"a server is in ERROR": {before: zonal(2, "az-1", repairs), happens: inTurn(boots, breaks("web-1")), asks: looks,
			status: "behind: 1 of 2 nodes to replace", change: "-web-1"},
		"a server loses its port": {before: zonal(2, "az-1", ported), happens: inTurn(boots, looked, unplugs("web-1")), asks: looks,
			status: "behind: 1 of 2 nodes to replace", change: "-web-1"},
		"a server loses its port, and nothing is updated": {before: zonal(2, "az-1", attributes{"networks": ported["networks"]}),
			happens: inTurn(boots, looked, unplugs("web-1")), asks: looks, status: "waits: web-1 (its server has lost 1 port)"},
		"a server loses its port, and Neutron does not say so": {before: zonal(2, "az-1", ported),
			happens: inTurn(boots, looked, unplugs("web-1"), fails("/ports")), asks: looks, status: inStep},
		"a server that never had a port": {before: zonal(2, "az-1", ported), happens: inTurn(boots, unplugs("web-1"), looked), asks: looks, status: inStep},
		"a stopped server loses its port": {before: zonal(2, "az-1", ported), asks: looks,
			happens: inTurn(boots, looked, unplugs("web-1"), changes("web-1", func(fake *fakecloud.Cloud, id string) {
				fake.UpdateServer("RegionOne", id, func(s *fakecloud.Server) { s.Status = "SHUTOFF" })
			})), status: "held: web-1 (its server is in SHUTOFF): start it, or name it in candidates"},
		"a server is being deleted": {before: zonal(2, "az-1", nil), asks: looks, status: "waits: web-1 (its server is being deleted)",
			happens: inTurn(boots, changes("web-1", func(fake *fakecloud.Cloud, id string) {
				fake.UpdateServer("RegionOne", id, func(s *fakecloud.Server) { s.TaskState = "deleting" })
			}))},
		"a server is in ERROR, and nothing is updated": {before: zonal(2, "az-1", nil), happens: inTurn(boots, breaks("web-1")), asks: looks,
			status: "waits: web-1 (its server is in ERROR)"},
		"a server is where Nova finds no host": {before: zonal(2, "az-1", again), happens: homeless, asks: looks,
			status: "held: Nova found no host for web-1 (RegionOne/az-1)"},
		"a server is where Nova finds no host, and only says so where it is shown alone": {before: zonal(2, "az-1", again), happens: unscheduled,
			asks:   "RegionOne/os-availability-zone RegionOne/servers RegionOne/servers/" + unscheduledID,
			status: "held: Nova found no host for web-1 (RegionOne/az-1)"},
		"a server is too old": {before: zonal(2, "az-1", young), happens: inTurn(boots, func(_ *testing.T, a attached) { a.Fake.Advance(40 * 24 * time.Hour) }),
			asks: looks, status: "behind: 2 of 2 nodes to replace"},
		"a server is moved": { // its node moves with it
			before: zonal(2, "az-1 az-2", nil), happens: inTurn(boots, func(t *testing.T, a attached) { t.Helper(); a.Look(t) }, moves("web-0")),
			asks: looks, status: inStep, nodes: "RegionOne/az-2: web-0 web-1",
		},
		"a server is shelved": { // its node keeps its zone, or Terraform would replace the server
			before: zonal(2, "az-1 az-2", nil), happens: inTurn(boots, changes("web-0", func(fake *fakecloud.Cloud, id string) {
				fake.UpdateServer("RegionOne", id, func(s *fakecloud.Server) { s.Status, s.Zone = "SHELVED_OFFLOADED", "" })
			})),
			asks: looks, status: "held: web-0 (its server is in SHELVED_OFFLOADED): start it, or name it in candidates",
			nodes: "RegionOne: web-0; RegionOne/az-2: web-1",
		},
		"profiles are of different ages": {before: zonal(3, "az-1", byProfile),
			happens: inTurn(boots, built("web-0", 2), built("web-1", 1), built("web-2", 3)), asks: looks + " images", status: inStep,
			change: "-web-1"},
		"a region lists zones, and no refresh had seen its servers": {before: across(2, "RegionOne", nil), asks: looks, status: inStep,
			nodes: "RegionOne/az-1: web-0 web-1", happens: func(t *testing.T, a attached) {
				t.Helper()
				a.Must(t, across(2, "RegionOne:az-1,az-2", nil))
				a.boot(t, nil)
			}},
		"the better place is up": {before: zonal(2, "az-1", spreads),
			happens: inTurn(boots, becomes(zonal(2, "az-1 az-2", bare)), becomes(zonal(2, "az-1 az-2", spreads))), asks: looks,
			status: "behind: 1 of 2 nodes to replace"},
		"the better place is down": {before: zonal(2, "az-1", spreads),
			happens: inTurn(boots, becomes(zonal(2, "az-1 az-2", bare)), becomes(zonal(2, "az-1 az-2", spreads)), down("az-2")), asks: looks, status: inStep},
		"the better place is gone": {before: zonal(2, "az-1", spreads),
			happens: inTurn(boots, becomes(zonal(2, "az-1 az-2", bare)), becomes(zonal(2, "az-1 az-2", spreads)),
				func(_ *testing.T, a attached) { a.Fake.RemoveZone("RegionOne", "az-2") }), asks: looks, status: inStep},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := attach(t, c.before)
			if c.happens != nil {
				c.happens(t, a)
			}
			a.Later(t)
			a.Fake.ResetRequests()
			before := a.I
			after, err := a.Refresh(t.Context(), a.I)
			assert.Equal(t, c.at, a.At(), a.Said())
			assert.Contains(t, a.Said(), c.says)
			assert.Equal(t, c.asks, asked(a.Fake), "asks")
			require.Equal(t, c.status != "", err == nil, "%v", err)
			if lists := a.Fake.Count("GET compute /servers/detail"); lists > 1 && !strings.Contains(c.status, "no server of its name was found") {
				t.Errorf("%d lists, though all servers are found", lists)
			}
			if a.I = after; err != nil {
				assert.True(t, after.State.Equal(before.State), "the state is %s", after.State)
				assert.Equal(t, before.Private, after.Private)
				return
			}
			assert.Equal(t, c.status, a.Shows("status"))
			if c.nodes != "" {
				assert.Equal(t, c.nodes, settled(protocol.Object(after.State)["nodes"]), "the nodes")
			}
			if c.change != "" {
				_, state := a.plan(t, with(c.before, attributes{"desired_capacity": 2}))
				assert.Equal(t, c.change, changed(protocol.Object(state)["change"]), "the change")
			}
		})
	}
}
