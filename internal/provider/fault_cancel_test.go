package provider_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
)

// TestCancelSweep cancels each operation at each of its requests, which the cloud
// keeps waiting. The operation ends long before the timeout of that request, and nothing
// is lost: the next apply ends as if there had been no cancellation.
func TestCancelSweep(t *testing.T) {
	runs.In(t, runs.Sweep)
	var wait sync.WaitGroup
	slots := make(chan struct{}, 24)
	for _, o := range operations() {
		base, targets := o.baseline(t)
		for _, g := range targets {
			for _, acts := range []bool{false, true} {
				slots <- struct{}{}
				wait.Go(func() {
					defer func() { <-slots }()
					fault := g.aim(fakecloud.Fault{Effect: fakecloud.Hang, Acts: acts}, fakecloud.Forever)
					c := sweepCase{o, base, g, fmt.Sprintf("%s: cancelled while %s (%d) hangs, acts %t", o.name, g.Request, g.nth, acts), fault, 1}
					c.cancel(t)
				})
			}
		}
	}
	wait.Wait()
}

func (c sweepCase) cancel(t *testing.T) {
	r, err := c.prepare(t.Context(), patient, c.target, c.fault)
	if err != nil {
		t.Errorf("%s: %v", c.label, err)
		return
	}
	defer r.fake.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cancelled := make(chan time.Time, 1)
	go func() {
		select {
		case <-r.injected.Hit():
		case <-ctx.Done():
		}
		cancelled <- time.Now()
		cancel()
	}()
	c.operation.run(ctx, r)
	cancel()
	took := time.Since(<-cancelled)
	assert.LessOrEqual(t, took, 20*time.Second, c.label)
	assert.NotZero(t, r.injected.Fired(), "%s: the fault hit nothing", c.label)
	c.checkEnd(t, r)
}
