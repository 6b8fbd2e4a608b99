package openstack

import (
	"context"
	"sync"
)

// shared makes a call once for all who ask for its result. The call outlives
// the one who asked first: cancelling that one does not fail the others, and
// whoever is cancelled stops waiting at once. An error is kept like a result,
// so that a cloud that refuses is not asked again.
type shared[K comparable, V any] struct {
	mu    sync.Mutex
	calls map[K]*call[V]
}

type call[V any] struct {
	done  chan struct{}
	value V
	err   error
}

func (s *shared[K, V]) get(ctx context.Context, key K, fetch func(context.Context) (V, error)) (V, error) {
	s.mu.Lock()
	c, ok := s.calls[key]
	if !ok {
		if s.calls == nil {
			s.calls = make(map[K]*call[V])
		}
		c = &call[V]{done: make(chan struct{})}
		s.calls[key] = c
		go func() {
			defer close(c.done)
			c.value, c.err = fetch(context.WithoutCancel(ctx))
		}()
	}
	s.mu.Unlock()
	select {
	case <-c.done:
		return c.value, c.err
	case <-ctx.Done():
		var none V
		return none, context.Cause(ctx)
	}
}
