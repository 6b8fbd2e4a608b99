package provider_test

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/bench"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
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
	for _, size := range []int{100, 1_000, 10_000} {
		for _, servers := range []bool{false, true} {
			for _, grow := range []int{0, size / 10} {
				b.Run(fmt.Sprintf("nodes=%d/servers=%t/grow=%d", size, servers, grow), func(b *testing.B) {
					c := acctest.NewFake(b, fakecloud.Config{})
					places, data := c.Workspace(b, holdPlaces), c.Workspace(b, holdData)
					for _, w := range []*workspace.Workspace{places, data} {
						if _, err := w.Apply(b.Context(), fmt.Sprintf("size=%d", size)); err != nil {
							b.Fatal(err)
						}
					}
					if servers {
						boot(b, c, places)
						if _, err := places.Apply(b.Context(), fmt.Sprintf("size=%d", size)); err != nil {
							b.Fatal(err)
						}
					}
					costs := bench.Compare(b, planned(b, "attachment", places, size+grow, grow > 0), planned(b, "data", data, size+grow, grow > 0))
					b.ReportMetric(float64(costs[0].CPU)/float64(costs[1].CPU), "times-cpu")
					b.ReportMetric(bench.Milliseconds(costs[0].Wall), "attachment-ms")
					b.ReportMetric(bench.Milliseconds(costs[1].Wall), "data-ms")
					b.ReportMetric(float64(costs[0].Wall)/float64(costs[1].Wall), "times-wall")
				})
			}
		}
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
	if err != nil {
		b.Fatal(err)
	}
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
