//go:build unix

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/rollout"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
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
	require.NoError(b, err)
	c := acctest.NewFake(b, fakecloud.Config{Now: time.Now})
	health := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/bad/") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer health.Close()
	w := c.Installed(b, config(c, 100, `
    max_batch_size = 10
    pause          = "5s"
    revert_after   = "20s"`, `
  timeout = "10s"
  http { url = "`+health.URL+`/${var.image}/{name}" }`))
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
	require.NoError(b, cmd.Start())
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
			if s.Metadata["version"] == image {
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
