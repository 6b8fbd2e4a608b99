package examples_test

import (
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
