package deletiontf

import (
	"context"
	"fmt"
	"time"
)

// every is the interval at which progress says that a step still goes on: the interval of
// Terraform's messages about a resource.
const every = 10 * time.Second

// progress sends each step, and repeats that the step still goes on until the next step
// begins or end is called.
func progress(ctx context.Context, label string, send func(message string)) (tell func(step string), end func()) {
	ctx, cancel := context.WithCancel(ctx)
	steps, ended := make(chan string), make(chan struct{})
	go func() {
		defer close(ended)
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		step, began := "noting the drain in Nova", time.Now()
		for {
			select {
			case step = <-steps:
				began = time.Now()
				ticks.Reset(every)
				send(label + ": " + step)
			case <-ticks.C:
				send(fmt.Sprintf("%s: still %s (%s)", label, step, time.Since(began).Round(time.Second)))
			case <-ctx.Done():
				return
			}
		}
	}()
	tell = func(step string) {
		select {
		case steps <- step:
		case <-ctx.Done():
		}
	}
	return tell, func() { cancel(); <-ended }
}
