//go:build unix

package readinesstf_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

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
	for end := time.Now().Add(5 * time.Minute); !waiting(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("asked %v, marks %v", h.requests("1"), marks(t, c))
		}
	}
	acctest.Interrupt(t, apply, "The wait for new servers was interrupted")
	if got := fmt.Sprint(marks(t, c)); got != "map[0:1 1:]" {
		t.Errorf("marks %s", got)
	}
	h.set()
	if _, err := w.Apply(t.Context()); err != nil || h.requests("0") != 0 {
		t.Errorf("%v; asked %v", err, h.asked)
	}
}
