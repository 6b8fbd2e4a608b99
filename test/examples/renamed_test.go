package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRenamed: no server or member is replaced where the cluster, its module, a network without ports, or a zone of the cloud, gets another
// name, as "Operating a cluster" says. TestWhole renames images, and networks with ports.
func TestRenamed(t *testing.T) {
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
	pool := e.c.Fake.AddPool("RegionOne")
	e.edit(t, `["shared"]`, `["shared", "storage"]`+"\n  pools = { http = { region = \"RegionOne\", pool_id = \""+pool+"\", protocol_port = 80 } }")
	e.apply(t)
	was, members := e.servers(t), e.c.Fake.Members("RegionOne", pool)
	same := func(what string) {
		t.Helper()
		assert.Equal(t, was, e.servers(t), what)
		assert.Subset(t, e.c.Fake.Members("RegionOne", pool), members, what)
	}
	e.c.RenameNetwork(t, "shared", "old")
	assert.Empty(t, e.planned(t), "the plan after a network of two, without ports, was renamed")
	e.edit(t, `"web"`+"\n  desired", `"shop"`+"\n  desired")
	e.apply(t)
	same("the cluster")
	e.edit(t, "desired_capacity = 6", "desired_capacity = 7")
	assert.Contains(t, e.apply(t), `["shop-6"]`, "a new node")
	same("a growth")
	e.c.Fake.AddZone("RegionOne", fakecloud.Zone{Name: "az-9", Hosts: []string{"host-9"}})
	for _, s := range e.c.Fake.Servers("RegionOne") {
		if s.Zone == "az-1" {
			e.c.Fake.UpdateServer("RegionOne", s.ID, func(s *fakecloud.Server) { s.Zone = "az-9" })
		}
	}
	e.c.Fake.RemoveZone("RegionOne", "az-1")
	_, err := e.Apply(t.Context())
	require.ErrorContains(t, err, "Unknown availability zone")
	e.edit(t, `"az-1"`, `"az-9"`)
	e.apply(t)
	same("the zone")
	e.c.RenameNetwork(t, "old", "shared")
	e.edit(t, `module "web"`, `module "shop"`)
	e.edit(t, "module.web.", "module.shop.")
	require.NoError(t, e.Init(t.Context()))
	_, err = e.Apply(t.Context())
	require.Error(t, err)
	_, said, _ := strings.Cut(err.Error(), "Error: ")
	assert.NotContains(t, said, "Error: ", "a second one")
	block := regexp.MustCompile(`(?s)moved \{.*?\}`).FindString(said)
	e.file(t, "moved.tf", strings.NewReplacer("OLD_NAME", "web", "NEW_NAME", "shop").Replace(block)+"\n")
	e.apply(t)
	same("the module")
}

// TestAdded: servers of another cluster become nodes, as "From Senlin" says, and no server is destroyed.
func TestAdded(t *testing.T) {
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
	main := read(t, filepath.Join(e.Dir, "main.tf"))
	e.edit(t, `module "web"`, `module "api"`)
	e.edit(t, `"web"`, `"web-api"`)
	e.edit(t, "= 6", "= 2")
	e.edit(t, "module.web.", "module.api.")
	acctest.Must(t, e.Workspace, "init", "-no-color")
	e.apply(t)
	was := e.servers(t)
	acctest.Must(t, e.Workspace, "state", "rm", "module.api")
	e.file(t, "main.tf", main)
	acctest.Must(t, e.Workspace, "init", "-no-color")
	e.apply(t)
	acctest.Must(t, e.Workspace, "state", "rm", "module.web.stackpolicy_placement_attachment.cluster")
	e.edit(t, "= 6", "= 8")
	servers := map[string]string{}
	for i := range 2 {
		id, name := was[fmt.Sprint("web-api-", i)], fmt.Sprint("web-", i+6)
		e.c.Rename(t, "RegionOne", id, name)
		servers[name] = id
	}
	e.file(t, "import.tf.json", map[string]any{"import": []any{
		map[string]any{"to": "module.web.stackpolicy_placement_attachment.cluster", "id": "web"},
		map[string]any{"for_each": servers, "to": "module.web.openstack_compute_instance_v2.node[each.key]", "id": "${each.value}"},
	}})
	all := e.servers(t)
	assert.Contains(t, counts(acctest.Apply(t, e.Workspace)), "Plan: 3 to import, ")
	require.NoError(t, os.Remove(filepath.Join(e.Dir, "import.tf.json")))
	assert.Empty(t, e.planned(t), "the next plan")
	assert.Equal(t, all, e.servers(t), "the servers")
}
