//go:build unix

package deletiontf_test

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
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
	acctest.Interrupt(t, destroy)
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
