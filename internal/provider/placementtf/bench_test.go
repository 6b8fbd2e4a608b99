package placementtf_test

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/bench"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

const holdPlaces = `
variable "size" { type = number }
resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = var.size
  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] },
    { name = "RegionTwo", zones = [{ name = "az-1" }, { name = "az-2" }] },
  ]
}
`

// holdData holds the map that holdPlaces works out. A range has no more than
// 1,024 numbers.
const holdData = `
variable "size" { type = number }
resource "terraform_data" "web" {
  input = { for i in flatten([for k in range(ceil(var.size / 1000)) : range(k * 1000, min(var.size, (k + 1) * 1000))]) : "web-${i}" => { index = i, region = i % 2 == 0 ? "RegionOne" : "RegionTwo", zone = "az-${1 + i % 2}" } }
}
`

// BenchmarkTerraformPlan runs terraform plan on a cluster under placement, and
// on a terraform_data that merely holds the same map of nodes: unchanged, and
// when a tenth is added.
func BenchmarkTerraformPlan(b *testing.B) {
	for _, c := range []struct {
		size    int
		servers bool // that the refresh finds, and reports each
	}{{100, false}, {1_000, false}, {10_000, false}, {100, true}, {1_000, true}, {10_000, true}} {
		b.Run(fmt.Sprintf("nodes=%d/servers=%t", c.size, c.servers), func(b *testing.B) {
			cloud := acctest.NewFake(b, fakecloud.Config{})
			places, data := measured(b, cloud, holdPlaces), measured(b, cloud, holdData)
			apply(b, places, c.size)
			apply(b, data, c.size)
			if c.servers {
				boot(b, cloud, places)
				apply(b, places, c.size)
			}
			for _, grow := range []int{0, c.size / 10} {
				b.Run(fmt.Sprintf("grow=%d", grow), func(b *testing.B) {
					costs := bench.Compare(b, planned(b, "attachment", places, c.size+grow, grow > 0), planned(b, "data", data, c.size+grow, grow > 0))
					b.ReportMetric(float64(costs[0].CPU)/float64(costs[1].CPU), "times-cpu")
					b.ReportMetric(float64(costs[0].Wall)/float64(costs[1].Wall), "times-wall")
				})
			}
		})
	}
}

func apply(b *testing.B, w *workspace.Workspace, size int) {
	b.Helper()
	if _, err := w.Apply(b.Context(), fmt.Sprintf("size=%d", size)); err != nil {
		b.Fatal(err)
	}
}

// measured is a workspace with providers as users start them.
func measured(b *testing.B, c *acctest.Cloud, config string) *workspace.Workspace {
	b.Helper()
	w := c.Installed(b, config)
	w.Env = slices.DeleteFunc(w.Env, func(v string) bool { return v == workspace.WithoutTLS })
	return w
}

// BenchmarkTerraformServers is the whole way of a cluster of 1,000 nodes: its
// servers are planned, made, and planned again. The placement alone is planned
// too, to show which part is its own.
func BenchmarkTerraformServers(b *testing.B) {
	var w *workspace.Workspace
	run := func(name string, args ...string) bench.Side {
		return bench.Side{Name: name, Do: func() error {
			_, err := w.Run(b.Context(), args...)
			return err
		}}
	}
	fresh := bench.Side{Name: "init", Do: func() error {
		c := acctest.NewFake(b, fakecloud.Config{})
		w = measured(b, c, acctest.Attached(c, 1_000, acctest.Places("RegionOne: az-1 az-2 az-3; RegionTwo: az-1 az-2"), ""))
		return nil
	}}
	steps := []bench.Side{fresh,
		run("placement", "plan", "-no-color", "-target=stackpolicy_placement_attachment.web"),
		run("plan", "plan", "-no-color", "-out=bench.tfplan"),
		run("apply", "apply", "-no-color", "bench.tfplan"),
		run("plan-again", "plan", "-no-color", "-detailed-exitcode"),
	}
	for i, cost := range bench.Compare(b, steps...) {
		b.ReportMetric(cost.Wall.Seconds(), steps[i].Name+"-s")
	}
}

func planned(b *testing.B, name string, w *workspace.Workspace, size int, changed bool) bench.Side {
	return bench.Side{Name: name, Do: func() error {
		_, err := w.Run(b.Context(), "plan", "-input=false", "-no-color", "-detailed-exitcode", fmt.Sprintf("-var=size=%d", size))
		exit, failed := errors.AsType[*exec.ExitError](err)
		switch {
		case failed && exit.ExitCode() == 2 && changed:
			return nil
		case err == nil && changed:
			return errors.New("the plan is empty")
		}
		return err
	}}
}

// boot makes a server for each node that is remembered.
func boot(b *testing.B, c *acctest.Cloud, w *workspace.Workspace) {
	b.Helper()
	state, err := w.State(b.Context())
	require.NoError(b, err)
	byRegion := map[string][]fakecloud.Server{}
	for name, node := range state.Values.RootModule.Resources[0].AttributeValues["nodes"].(map[string]any) {
		at := node.(map[string]any)
		region := at["region"].(string)
		byRegion[region] = append(byRegion[region], fakecloud.Server{Name: name, Zone: at["zone"].(string)})
	}
	for region, list := range byRegion {
		c.Fake.AddServers(region, list...)
	}
}
