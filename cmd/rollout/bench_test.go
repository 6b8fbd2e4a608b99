//go:build unix

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/rollout"
)

// BenchmarkUnattended: a rollout of 100 nodes in batches of 10 with a pause, without
// anybody, of a good image and of a bad one, which is taken back. It reports applies,
// requests, the fewest servers in service, and how many nodes ever had the image.
func BenchmarkUnattended(b *testing.B) {
	for image, want := range map[string]rollout.Outcome{"good": rollout.Done, "bad": rollout.Reverted} {
		b.Run(image, func(b *testing.B) {
			for range b.N {
				unattended(b, image, want)
			}
		})
	}
}

func unattended(b *testing.B, image string, want rollout.Outcome) {
	b.Helper()
	b.StopTimer()
	file, err := program()
	if err != nil {
		b.Fatal(err)
	}
	c := acctest.NewFake(b, fakecloud.Config{Now: time.Now})
	health := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/bad/") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer health.Close()
	w := c.Installed(b, hundred(c, health.URL))
	for range 2 {
		if _, err := w.Apply(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	c.Fake.ResetRequests()
	least, most := 100, 0
	ended := make(chan struct{})
	cmd := exec.Command(file, "-dir", w.Dir, "-terraform", w.Terraform, "-var", "image="+image, "-poll", "1s")
	cmd.Env = append(os.Environ(), w.Env...)
	said := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = said, said
	b.StartTimer()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // its exit code is looked at below
		close(ended)
	}()
	for running := true; running; {
		select {
		case <-ended:
			running = false
		case <-time.After(20 * time.Millisecond):
		}
		serve, have := 0, 0
		for _, s := range c.Fake.Servers("RegionOne") {
			if s.Status == "ACTIVE" && s.Metadata["stackpolicy_in_service"] != "" {
				serve++
			}
			if s.Metadata["image"] == image {
				have++
			}
		}
		least, most = min(least, serve), max(most, have)
	}
	b.StopTimer()
	if got := cmd.ProcessState.ExitCode(); got != want.Code() {
		b.Fatalf("exit code %d\n%s", got, said)
	}
	b.ReportMetric(float64(strings.Count(said.String(), "\nApply ")/2), "applies")
	b.ReportMetric(float64(len(c.Fake.Requests())), "requests")
	b.ReportMetric(float64(least), "in-service-min")
	b.ReportMetric(float64(most), "nodes-with-it")
}

func hundred(c *acctest.Cloud, health string) string {
	return fmt.Sprintf(`
variable "image" { default = "first" }
resource "stackpolicy_placement_attachment" "web" {
  cluster           = %[1]q
  node_name_pattern = "{cluster}{index}"
  desired_capacity  = 100
  zones             = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }]
  template          = { image = var.image }
  update {
    causes         = ["TEMPLATE"]
    max_batch_size = 10
    pause          = "5s"
    revert_after   = "20s"
  }
}
resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  availability_zone = each.value.zone
  image_id          = %[2]q
  flavor_id         = %[3]q
  network_mode      = "none"
  metadata          = { image = each.value.template.image }
  lifecycle { create_before_destroy = true }
}
resource "stackpolicy_readiness_attachment" "web" {
  cluster = %[1]q
  servers = { for name, s in openstack_compute_instance_v2.web : name => {
    id = s.id, mark = stackpolicy_placement_attachment.web.nodes[name].mark } }
  timeout = "10s"
  http {
    url = "%[4]s/${var.image}/{name}"
  }
}
`, c.Prefix, c.Image, c.Flavor, health)
}
