package examples_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const storageID = "c7d8e9f0-1a2b-4c3d-8e4f-5a6b7c8d9e0f"

// moduleChanges are arguments of the modules with other values. Others act in between. A server has what it was made with, and whatever others
// added.
var moduleChanges = []struct {
	name, module, first, then string
	happens                   func(e example)
	remakes                   bool // whether each server is made again
	old, fresh                string
	has                       func(e example, s servers.Server) string
}{
	{name: "others add pairs", first: `networks = [{ name = "shared", port = true }]`, then: `networks = [{ name = "shared", port = true }]`,
		happens: func(e example) { e.c.Fake.AddPair("RegionOne", "10.233.1.0/24") }, old: "10.233.1.0/24", has: pairs},
	{name: "a network loses its pairs", module: "cluster", first: `networks = [{ name = "shared", allowed_address_pairs = ["10.9.0.250"] }]`,
		then: `networks = [{ name = "shared", port = true }]`, remakes: true, old: "10.9.0.250", has: pairs},
	{name: "a network loses its pairs", module: "stateful", first: `networks = [{ name = "shared", allowed_address_pairs = ["10.9.0.250"] }]`,
		then: `networks = [{ name = "shared", port = true }]`, old: "10.9.0.250", has: pairs},
	{name: "a network leaves", first: `networks = [{ name = "shared", port = true }, { name = "storage", port = true }]`,
		then: `networks = [{ name = "shared", port = true }]`, remakes: true, old: "shared storage", fresh: "shared", has: networksOf},
	{name: "another network by its id", first: `networks = [{ id = "` + fakecloud.NetworkID + `" }]`, then: `networks = [{ id = "` + storageID + `" }]`,
		remakes: true, old: "shared", fresh: "storage", has: networksOf},
	{name: "a port without security", first: `networks = [{ name = "shared", port = true }]`, module: "cluster",
		then: `networks = [{ name = "shared", port = true, port_security_enabled = false }]`, remakes: true, has: pairs},
	{name: "another security group", module: "cluster", first: "networks = [\"shared\"]\nsecurity_groups = [\"a\"]",
		then: "networks = [\"shared\"]\nsecurity_groups = [\"b\"]", remakes: true, old: "a", fresh: "b", has: func(_ example, s servers.Server) string {
			return fmt.Sprint(s.SecurityGroups[0]["name"])
		}},
	{name: "another flavor", first: "networks = [\"shared\"]\nflavors = [\"m1.small\"]", then: "networks = [\"shared\"]\nflavors = [\"m1.tiny\"]",
		remakes: true, old: "m1.small", fresh: "m1.tiny", has: func(_ example, s servers.Server) string { return fmt.Sprint(s.Flavor["original_name"]) }},
}

func pairs(e example, s servers.Server) string {
	return strings.Join(e.c.Fake.Pairs("RegionOne")[s.ID], " ")
}

func networksOf(_ example, s servers.Server) string {
	return strings.Join(slices.Sorted(maps.Keys(s.Addresses)), " ")
}

// with writes the block of clusters/first with a module and with arguments, in place of the ones that it has.
func (e example) with(t *testing.T, module, arguments string) {
	t.Helper()
	text := read(t, "clusters/first/main.tf")
	text = strings.NewReplacer("modules/cluster", "modules/"+module, "desired_capacity = 6", "desired_capacity = 3", "weight = 200, cap = 3", "weight = 100",
		"../..", workspace.Root()+"/examples").Replace(text)
	for line := range strings.Lines(arguments + "\n") {
		name, _, _ := strings.Cut(line, " = ")
		lines := strings.SplitAfter(text, "\n")
		text = strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  "+name+" ") }), "")
	}
	if !strings.Contains(arguments, "update = ") {
		arguments += "\nupdate = { max_batch_size = 1 }"
	}
	const block = "module \"web\" {"
	e.file(t, "main.tf", strings.Replace(text, block, block+strings.ReplaceAll("\n"+arguments, "\n", "\n  "), 1)+
		"output \"status\" {\n  value = module.web.status\n}\n")
}

// TestModuleChanges: what others add stays. What the user changes comes with new servers, one with each apply, and takes nothing from the
// others.
func TestModuleChanges(t *testing.T) {
	t.Parallel()
	for _, module := range []string{"cluster", "stateful"} {
		for _, c := range moduleChanges {
			if c.module != "" && c.module != module {
				continue
			}
			t.Run(module+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
				e.with(t, module, c.first)
				require.NoError(t, e.Init(t.Context()))
				e.apply(t)
				if c.happens != nil {
					c.happens(e)
				}
				made := map[string]bool{}
				for _, id := range e.servers(t) {
					made[id] = true
				}
				e.with(t, module, c.then)
				check := func() (fresh int) {
					for _, s := range e.c.Servers(t) {
						want := c.old
						if !made[s.ID] {
							want = c.fresh
							fresh++
						}
						assert.Equal(t, want, c.has(e, s), "%s, made before: %t", s.Name, made[s.ID])
					}
					return fresh
				}
				for again := range 3 {
					if !c.remakes {
						assert.Contains(t, []string{"", "Plan: 0 to add, 1 to change, 0 to destroy."}, e.planned(t), "what the cluster remembers")
						again = -1
					}
					acctest.Apply(t, e.Workspace)
					assert.Equal(t, again+1, check(), "servers that were made again")
				}
				assert.Empty(t, e.planned(t))
				assert.Equal(t, "in step", e.output(t, "status"))
			})
		}
	}
}

// TestModuleTaint: a tainted server is made again. Where it would ask for the port that it has, the plan is refused, and both ways out make
// it again with another port.
func TestModuleTaint(t *testing.T) {
	t.Parallel()
	const given, server = `networks = [{ name = "shared", floating_ip_pool = "public" }]`, `module.web.openstack_compute_instance_v2.node["web-1"]`
	port := "-replace=module.web.openstack_networking_port_v2.node[\"web-1/shared\"]"
	for name, c := range map[string]struct{ module, way string }{
		"stateful": {"stateful", ""}, "candidates": {"cluster", "candidates"}, "its port too": {"cluster", port},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
			e.with(t, c.module, given)
			require.NoError(t, e.Init(t.Context()))
			e.apply(t)
			before := e.servers(t)
			acctest.Must(t, e.Workspace, "taint", server)
			if c.module == "cluster" {
				_, err := e.Run(t.Context(), "plan", "-input=false", "-no-color")
				require.ErrorContains(t, err, "A port is still in use")
			}
			switch c.way {
			case "candidates":
				acctest.Must(t, e.Workspace, "untaint", server)
				e.with(t, c.module, given+"\ndeletion = { candidates = [\"web-1\"] }")
			case port:
				acctest.Must(t, e.Workspace, "apply", "-auto-approve", "-input=false", "-no-color", port)
			}
			acctest.Finish(t, func() string { return acctest.Apply(t, e.Workspace) })
			after := e.servers(t)
			assert.Len(t, after, 3)
			for name, id := range before {
				assert.Equal(t, name != "web-1", after[name] == id, name)
			}
			for address, of := range e.c.Floating(t, "RegionOne") {
				assert.NotEmpty(t, of, "the server of %s", address)
			}
		})
	}
}

// TestModuleSix: addresses of IPv6 reach probes, the members of a pool, and the outputs.
func TestModuleSix(t *testing.T) {
	t.Parallel()
	for _, module := range []string{"cluster", "stateful"} {
		e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
		pool := e.c.Fake.AddPool("RegionOne")
		e.with(t, module,
			"networks = [\"six\"]\nreadiness = { url = var.health_url, timeout = \"1s\" }\n"+
				"pools = { http = { region = \"RegionOne\", pool_id = \""+pool+"\", protocol_port = 80 } }")
		e.edit(t, "var.health_url", `"http://{address}:1/"`)
		e.edit(t, "module.web.summary", `join(" ", values(module.web.addresses))`)
		require.NoError(t, e.Init(t.Context()))
		e.fails(t, "GET http://[fd00::")
		e.edit(t, `"http://{address}:1/"`, "var.health_url")
		e.apply(t)
		members := e.c.Fake.Members("RegionOne", pool)
		assert.Len(t, members, 3)
		for _, m := range members {
			assert.Contains(t, m.Address, "fd00::", module)
			assert.Contains(t, e.output(t, "placement"), m.Address)
		}
	}
}
