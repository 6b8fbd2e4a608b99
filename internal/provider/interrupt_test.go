//go:build unix

package provider_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
)

// TestAccDeletionAttachment_interrupt: Ctrl-C ends the wait, the node stays, and
// the next attempt goes on.
func TestAccDeletionAttachment_interrupt(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	graced := func(n, seconds int) string { return drained(c, region, n, "grace_period = %d", seconds) }
	w := c.Installed(t, graced(1, 600))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	destroy, err := w.Start(t.Context(), "destroy", "-auto-approve", "-no-color")
	if err != nil {
		t.Fatal(err)
	}
	if err := destroy.Until("Still destroying..."); err != nil { // after ten seconds
		t.Fatal(err)
	}
	interrupt(t, destroy)
	if len(c.Servers(t)) != 1 {
		t.Errorf("servers %v", c.Servers(t))
	}
	if err := w.Write(graced(1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestAccReadinessAttachment_interrupt: Ctrl-C ends the wait at once, and the
// next apply goes on.
func TestAccReadinessAttachment_interrupt(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	h := startHealth(t, "1")
	w := c.Installed(t, ready(c, c.Regions(t)[0], 2, 1, h.check()))
	apply, err := w.Start(t.Context(), "apply", "-auto-approve", "-no-color")
	if err != nil {
		t.Fatal(err)
	}
	waiting := func() bool { return h.requests("1") > 0 && marks(t, c)["0"] == "1" }
	for end := time.Now().Add(time.Minute); !waiting() && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
	}
	interrupt(t, apply, "The wait for new servers was interrupted")
	if got := fmt.Sprint(marks(t, c)); got != "map[0:1 1:]" {
		t.Errorf("marks %s", got)
	}
	h.set()
	if _, err := w.Apply(t.Context()); err != nil || h.requests("0") != 0 {
		t.Errorf("%v; asked %v", err, h.asked)
	}
}

// TestAccFault_interrupt: Ctrl-C ends the wait for an answer at once.
func TestAccFault_interrupt(t *testing.T) {
	c, w, _, two := twoRegions(t, "request_timeout = 300")
	c.Break(t, acctest.Hanging, two)
	plan, err := w.Start(t.Context(), "plan", "-input=false", "-no-color")
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Until("Still reading..."); err != nil { // after ten seconds
		t.Fatal(err)
	}
	interrupt(t, plan, "Unable to read the cluster")
}

// interrupt ends a run of Terraform as Ctrl-C does: soon, and with these words.
func interrupt(t *testing.T, run *workspace.Background, words ...string) {
	t.Helper()
	start := time.Now()
	if err := run.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	text, err := run.Wait()
	for _, words := range append(words, "Terraform was interrupted") {
		if !says(words).MatchString(text) {
			t.Errorf("nothing says %q", words)
		}
	}
	if took := time.Since(start); err == nil || took > 5*time.Second || says(context.Canceled.Error()).MatchString(text) {
		t.Errorf("interrupted: %v after %s\n%s", err, took, text)
	}
}
