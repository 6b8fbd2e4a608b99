package placementtf_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/bench"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// applyVariables are the number of nodes, and the number of first nodes that had a
// substitute.
const applyVariables = `
variable "size" { type = number }
variable "replaced" { type = number }
`

// applyPlaces replaces a tenth of the nodes in each apply.
const applyPlaces = applyVariables + `
resource "stackpolicy_placement_attachment" "web" {
  cluster           = %q
  node_name_pattern = "{cluster}{index}"
  desired_capacity  = var.size
  template          = { image = var.replaced > 0 ? "debian-14" : "debian-13", flavor = "m1.small", user_data_version = "7" }
  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] },
    { name = "RegionTwo", zones = [{ name = "az-1" }, { name = "az-2" }] },
  ]
  update {
    causes         = ["TEMPLATE"]
    max_batch_size = "10%%"
    require_in_service = false
  }
}
`

// applyMap is the map that applyPlaces works out. A range of Terraform has at most 1,024
// numbers.
const applyMap = applyVariables + `
locals {
  indexes = flatten([for k in range(ceil((var.size + var.replaced) / 1000)) : range(k * 1000, min(var.size + var.replaced, (k + 1) * 1000))])
  nodes = { for i in local.indexes : "%s${i}" => {
    index      = i
    region     = i %% 2 == 0 ? "RegionOne" : "RegionTwo"
    zone       = "az-${1 + i %% 2}"
    template   = { image = i < var.size ? "debian-13" : "debian-14", flavor = "m1.small", user_data_version = "7" }
    generation = 1
    mark       = i < var.size ? "1-8ad5d3a1" : "1-bb4a2f3c"
  } if i >= var.replaced }
}
`

const applyData = applyMap + `
resource "terraform_data" "web" {
  input = local.nodes
}
`

// localNodes makes Terraform read the nodes from the state once, and not once for each
// server.
const localNodes = `
locals {
  nodes = stackpolicy_placement_attachment.web.nodes
}
`

// made returns servers for a map of nodes.
const made = `
resource "openstack_compute_instance_v2" "web" {
  for_each          = local.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  metadata          = each.value.template
  %s
  lifecycle {
    create_before_destroy = true
  }
}
`

// BenchmarkTerraformApply applies a placement attachment, and a terraform_data
// that holds the same map: a new cluster, a plan with nothing to do, one node more,
// a batch of a rollout, and its end.
func BenchmarkTerraformApply(b *testing.B) {
	for _, size := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("nodes=%d", size), func(b *testing.B) {
			compareLives(b, size, func() (mine, other *workspace.Workspace, meanwhile func()) {
				c := acctest.NewFake(b, fakecloud.Config{})
				mine, other = measured(b, c, fmt.Sprintf(applyPlaces, c.Prefix)), measured(b, c, fmt.Sprintf(applyData, c.Prefix))
				return mine, other, func() { boot(b, c, mine) }
			})
		})
	}
}

// BenchmarkTerraformApplyServers does the same with servers that follow a
// placement attachment or a map of the configuration.
func BenchmarkTerraformApplyServers(b *testing.B) {
	compareLives(b, 250, func() (mine, other *workspace.Workspace, meanwhile func()) {
		c, d := acctest.NewFake(b, fakecloud.Config{}), acctest.NewFake(b, fakecloud.Config{})
		mine = measured(b, c, fmt.Sprintf(applyPlaces+localNodes+made, c.Prefix, c.Bare()))
		other = measured(b, d, fmt.Sprintf(applyMap+made, d.Prefix, d.Bare()))
		return mine, other, func() {} // terraform made the servers
	})
}

// compareLives takes two clusters through their lives, step by step in turn, and
// reports the CPU time of the first as a multiple of the second's. It counts terraform
// and the providers, and not the cloud, which is this process.
func compareLives(b *testing.B, size int, start func() (mine, other *workspace.Workspace, meanwhile func())) {
	b.Helper()
	lives := []string{"create", "plan", "grow", "batch", "destroy"}
	var sides [2]*workspace.Workspace
	var meanwhile func()
	steps := []bench.Side{{Name: "start", Do: func() error {
		sides[0], sides[1], meanwhile = start()
		return nil
	}}}
	for _, name := range lives {
		for i, which := range []string{"", "-other"} {
			steps = append(steps, bench.Side{Name: name + which, Do: func() error { return turn(b, sides[i], name, size) }})
		}
		steps = append(steps, bench.Side{Name: "between", Do: func() error {
			switch name {
			case "create":
				meanwhile()
			case "batch":
				wasReplaced(b, sides[0], size/10)
			}
			return nil
		}})
	}
	costs := bench.Compare(b, steps...)
	for i, name := range lives {
		mine, other := costs[1+3*i].Others, costs[2+3*i].Others
		b.ReportMetric(mine.Seconds(), name+"-s")
		b.ReportMetric(float64(mine)/float64(other), "times-"+name)
		b.ReportMetric(float64((mine-other).Microseconds())/float64(size), name+"-own-us/node")
	}
}

// turn is one step of a cluster's life.
func turn(b *testing.B, w *workspace.Workspace, name string, size int) (err error) {
	replaced := 0
	switch name {
	case "grow":
		size++
	case "batch":
		size, replaced = size+1, size/10
	}
	variables := []string{fmt.Sprintf("size=%d", size), fmt.Sprintf("replaced=%d", replaced)}
	switch name {
	case "plan":
		_, err = w.Run(b.Context(), "plan", "-input=false", "-no-color", "-detailed-exitcode", "-var="+variables[0], "-var="+variables[1])
	case "destroy":
		_, err = w.Destroy(b.Context(), variables...)
	default:
		_, err = w.Apply(b.Context(), variables...)
	}
	return err
}

// wasReplaced fails unless the apply replaced a batch.
func wasReplaced(b *testing.B, w *workspace.Workspace, batch int) {
	b.Helper()
	placed := acctest.Resources(b, w, "stackpolicy_placement_attachment")[0]
	require.GreaterOrEqual(b, int(placed["next_index"].(float64)), len(placed["nodes"].(map[string]any))+batch*9/10, "the next index")
}

// measured is a workspace whose providers start as users start them.
func measured(b *testing.B, c *acctest.Cloud, config string) *workspace.Workspace {
	b.Helper()
	w := c.Installed(b, config)
	w.Env = slices.DeleteFunc(w.Env, func(v string) bool { return v == workspace.WithoutTLS })
	return w
}

// boot makes a server for each node in the state.
func boot(b *testing.B, c *acctest.Cloud, w *workspace.Workspace) {
	b.Helper()
	byRegion := map[string][]fakecloud.Server{}
	for name, node := range acctest.Resources(b, w, "stackpolicy_placement_attachment")[0]["nodes"].(map[string]any) {
		at := node.(map[string]any)
		region := at["region"].(string)
		byRegion[region] = append(byRegion[region], fakecloud.Server{Name: name, Zone: at["zone"].(string)})
	}
	for region, list := range byRegion {
		c.Fake.AddServers(region, list...)
	}
}
