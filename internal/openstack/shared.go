package openstack

import (
	"context"
	"sync"
)

// shared makes a call once for all callers that need its result. The call does not belong to the first
// caller: if that one is cancelled, the others still get their result, and a caller that is cancelled stops
// waiting at once. When the last caller has left, the call is cancelled too, and a later caller starts
// another.
//
// An error is kept like a result, so that a cloud that refuses is not asked again, except for an error that
// passes.
type shared[K comparable, V any] struct {
	passes func(error) bool // reports whether an error passes; nil if no error does

	mu    sync.Mutex
	calls map[K]*call[V]
}

type call[V any] struct {
	done    chan struct{}
	value   V
	err     error
	waiting int
	cancel  context.CancelFunc
}

func (s *shared[K, V]) get(ctx context.Context, key K, fetch func(context.Context) (V, error)) (V, error) {
	c := s.join(ctx, key, fetch)
	select {
	case <-c.done:
	case <-ctx.Done():
		if s.leave(key, c) {
			var none V
			return none, context.Cause(ctx)
		}
	}
	return c.value, c.err
}

// join returns the running or finished call for a key, or starts it.
func (s *shared[K, V]) join(ctx context.Context, key K, fetch func(context.Context) (V, error)) *call[V] {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.calls[key]
	if !ok {
		if s.calls == nil {
			s.calls = make(map[K]*call[V])
		}
		fetching, cancel := context.WithCancel(context.WithoutCancel(ctx))
		c = &call[V]{done: make(chan struct{}), cancel: cancel}
		s.calls[key] = c
		go func() {
			defer cancel()
			c.value, c.err = fetch(fetching)
			if c.err != nil && s.passes != nil && s.passes(c.err) {
				s.mu.Lock()
				s.forget(key, c)
				s.mu.Unlock()
			}
			close(c.done)
		}()
	}
	c.waiting++
	return c
}

// leave stops waiting for a call, and cancels a call that no one waits for. It reports false if the call has
// finished: then its result counts, also for a caller that is cancelled.
func (s *shared[K, V]) leave(key K, c *call[V]) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.waiting--
	select {
	case <-c.done:
		return false
	default:
	}
	if c.waiting == 0 {
		s.forget(key, c)
		c.cancel()
	}
	return true
}

// forget removes a call, so that the next caller starts another. The caller holds the lock.
func (s *shared[K, V]) forget(key K, c *call[V]) {
	if s.calls[key] == c {
		delete(s.calls, key)
	}
}
