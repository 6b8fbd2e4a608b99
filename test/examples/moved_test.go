package examples_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// theirs is a cluster of three servers in a group, as others write it. %s are the name of a server, and its arguments.
const theirs = `
variable "health_url" {}
locals { networks = ["shared", "storage"] }
data "openstack_networking_network_v2" "all" {
  for_each = toset(local.networks)
  name     = each.key
}
data "openstack_images_image_v2" "debian" { name = "debian-12" }
resource "openstack_compute_servergroup_v2" "apart" {
  name     = "theirs"
  policies = ["soft-anti-affinity"]
}
resource "openstack_compute_instance_v2" "n" {
  count             = 3
  name              = "%s"
  availability_zone = "az-${count.index %% 2 + 1}"
  flavor_name       = "m1.small"
  scheduler_hints { group = openstack_compute_servergroup_v2.apart.id }
  %s
}
output "group" { value = openstack_compute_servergroup_v2.apart.id }
`

const (
	theirPorts = `
resource "openstack_networking_port_v2" "n" {
  count      = 3
  name       = "port-${count.index}"
  network_id = data.openstack_networking_network_v2.all["shared"].id
}
`
	theirVolumes = `
resource "openstack_blockstorage_volume_v3" "n" {
  count             = 3
  name              = "data-${count.index}"
  availability_zone = "az-${count.index % 2 + 1}"
  size              = 10
}
resource "openstack_compute_volume_attach_v2" "n" {
  count       = 3
  instance_id = openstack_compute_instance_v2.n[count.index].id
  volume_id   = openstack_blockstorage_volume_v3.n[count.index].id
}
`
	theirMembers = `
resource "openstack_lb_member_v2" "n" {
  count         = 3
  name          = openstack_compute_instance_v2.n[count.index].name
  pool_id       = var.pool
  address       = openstack_compute_instance_v2.n[count.index].access_ip_v4
  protocol_port = 5432
}
`
	ofImage = `image_name = "debian-12"` + "\n"
	ofPort  = "network { port = openstack_networking_port_v2.n[count.index].id }\n"
)

// moved are clusters of others: how they are written, what the module says of them, and what is imported beside the servers: the
// resource in the module, its key with NAME for the name of a node, and its id.
var moved = []struct {
	name, module, cluster, names, id string
	server, resources, arguments     string
	imports                          [][3]string
}{
	{"Patroni", "stateful", "pg", "pg-${count.index}", "pg", ofImage + ofPort, theirPorts + theirVolumes + theirMembers,
		"networks = [\"shared\"]\ndisks = { data = { size = 10 } }\n" +
			"pools = { sql = { region = \"RegionOne\", pool_id = var.pool, protocol_port = 5432 } }",
		[][3]string{
			{"openstack_blockstorage_volume_v3.slot", "NAME/data", "openstack_blockstorage_volume_v3.n[count.index].id"},
			{"openstack_networking_port_v2.slot", "NAME/shared", "openstack_networking_port_v2.n[count.index].id"},
			{"openstack_compute_volume_attach_v2.node", "NAME/data", "openstack_compute_volume_attach_v2.n[count.index].id"},
			{"openstack_lb_member_v2.node", "NAME/sql", `"${var.pool}/${openstack_lb_member_v2.n[count.index].id}"`},
		}},
	{"kubeadm", "cluster", "k8s-worker", "k8s-worker-${count.index}.k8s.example.org", "k8s-worker/{cluster}-{index}.k8s.example.org",
		ofImage + ofPort, theirPorts, "networks = [{ name = \"shared\", port = true }]\n" + `node_name_pattern = "{cluster}-{index}.k8s.example.org"`,
		[][3]string{{"openstack_networking_port_v2.node", "NAME/shared", "openstack_networking_port_v2.n[count.index].id"}}},
	{"boot volumes, counted from 1", "cluster", "app", "app-${count.index + 1}", "app", `network { name = "shared" }
  block_device {
    uuid                  = data.openstack_images_image_v2.debian.id
    source_type           = "image"
    destination_type      = "volume"
    volume_size           = 20
    delete_on_termination = true
  }`, "", "networks = [\"shared\"]\ndisks = { root = { size = 20, boot = true } }", nil},
	{"two networks and a pool", "cluster", "api", "api-${count.index}", "api", ofImage + "network { name = \"shared\" }\nnetwork { name = \"storage\" }",
		theirMembers, "networks = [\"shared\", \"storage\"]\npools = { http = { region = \"RegionOne\", pool_id = var.pool, protocol_port = 5432 } }",
		[][3]string{{"openstack_lb_member_v2.node", "NAME/http", `"${var.pool}/${openstack_lb_member_v2.n[count.index].id}"`}}},
}

// TestModuleMoved: clusters of others are imported with what hangs on them, and keep their servers, their volumes and their group. Then they
// get another image, grow and shrink, one server with each apply.
func TestModuleMoved(t *testing.T) {
	t.Parallel()
	for i, m := range moved {
		t.Run(m.name, func(t *testing.T) {
			runs.In(t, runs.Some(i%3 == 0, runs.Sweep, runs.Night))
			t.Parallel()
			e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
			e.c.Prefix = ""
			pool := e.c.Fake.AddPool("RegionOne")
			e.Env = append(e.Env, "TF_VAR_pool="+pool)
			lines := ""
			for _, i := range append(m.imports, [3]string{"openstack_compute_instance_v2.node", "NAME", "openstack_compute_instance_v2.n[count.index].id"}) {
				lines += fmt.Sprintf("%q = { for i in range(3) : %q => %s }\n", i[0], strings.Replace(i[1], "NAME", m.names, 1), i[2])
			}
			header, _, _ := strings.Cut(read(t, filepath.Join(e.Dir, "main.tf")), "module \"web\"")
			e.file(t, "main.tf", header+fmt.Sprintf(theirs, m.names, m.server)+m.resources+"output \"imports\" {\n  value = {\n"+
				strings.ReplaceAll(lines, "count.index", "i")+"}\n}\n")
			e.file(t, "pool.tf", "variable \"pool\" {}\n")
			acctest.Apply(t, e.Workspace)
			before, volumes, group := e.servers(t), e.c.Volumes(t, "RegionOne"), e.output(t, "group")
			require.Len(t, before, 3)
			var imports map[string]map[string]string
			require.NoError(t, e.Output(t.Context(), "imports", &imports))

			require.NoError(t, os.Remove(filepath.Join(e.Dir, "terraform.tfstate")))
			blocks := fmt.Sprintf("import {\n  to = module.web.stackpolicy_placement_attachment.cluster\n  id = %q\n}\n", m.id)
			for resource, ids := range imports {
				list, err := json.Marshal(ids)
				require.NoError(t, err)
				blocks += fmt.Sprintf("import {\n  for_each = %s\n  to       = module.web.%s[each.key]\n  id       = each.value\n}\n", list, resource)
			}
			e.file(t, "import.tf", blocks)
			write := func(arguments string) {
				e.with(t, m.module, fmt.Sprintf("cluster = %q\nservergroup = { ids = { RegionOne = %q } }\n%s\n%s", m.cluster, group, m.arguments, arguments))
			}
			write("")
			require.NoError(t, e.Init(t.Context()))
			whole := func(size int) {
				t.Helper()
				groups, all := e.c.GroupsIn(t, "RegionOne"), e.servers(t)
				require.Len(t, groups, 1)
				assert.Equal(t, group, groups[0].ID)
				assert.ElementsMatch(t, slices.Collect(maps.Values(all)), groups[0].Members)
				assert.Len(t, all, size)
				if strings.Contains(m.arguments, "pools") {
					assert.Len(t, e.c.Fake.Members("RegionOne", pool), size)
				}
				if m.module == "stateful" {
					assert.Subset(t, slices.Collect(maps.Values(e.c.Volumes(t, "RegionOne"))), slices.Collect(maps.Values(volumes)))
				}
			}
			e.memorize(t, "module.web.")
			assert.Contains(t, counts(e.apply(t)), "0 to destroy")
			assert.Equal(t, before, e.servers(t))
			whole(3)
			require.NoError(t, os.Remove(filepath.Join(e.Dir, "import.tf")))

			write(`image = "debian-13"`)
			acctest.Finish(t, func() string {
				before := e.servers(t)
				text := acctest.Apply(t, e.Workspace)
				after := e.servers(t)
				maps.DeleteFunc(after, func(name, id string) bool { return before[name] == id })
				assert.LessOrEqual(t, len(after), 1, "new servers")
				whole(3)
				return text
			})
			rolled := e.servers(t)
			for name, id := range before {
				assert.NotEqual(t, id, rolled[name])
			}
			write("image = \"debian-13\"\ndesired_capacity = 4")
			e.apply(t)
			kept(t, rolled, e.servers(t), 4)
			whole(4)
			write(`image = "debian-13"`)
			e.apply(t)
			kept(t, rolled, e.servers(t), 3)
			whole(3)
		})
	}
}

// memorize lets the generations be there before servers are imported, and reports whether it did: OpenTofu replaces an imported server whose
// generation is new.
func (e example) memorize(t *testing.T, modules ...string) bool {
	t.Helper()
	args := []string{"apply", "-auto-approve", "-input=false", "-no-color"}
	for _, module := range modules {
		args = append(args, "-target="+module+"terraform_data.generation")
	}
	tofu := acctest.TerraformMinor(t) == 0
	if tofu {
		acctest.Must(t, e.Workspace, args...)
	}
	return tofu
}
