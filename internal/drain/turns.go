package drain

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Turns lets the servers of a cluster go out of service in turns, never more than a number of them at once. A turn
// begins before the drain of a server, and ends when the server is in service again. The zero value has no turns.
//
// It counts the turns of this process alone. A turn that an earlier process did not end has left its trace in the
// cloud, which each turn looks at before it begins: the note of the drain.
type Turns struct {
	mu      sync.Mutex
	open    map[string]turn // by the id of the server
	changed chan struct{}   // closed with the next change
	stopped error
}

type turn struct {
	node  string
	began time.Time
}

// Ask is what a node asks for.
type Ask struct {
	Node   string // name of the node
	Server string // id of its server
	AtOnce int    // maximum number of nodes out of service
	Limit  time.Duration
	// Out returns the names of the nodes that are out of service in the cloud, by the ids of their servers.
	Out func(ctx context.Context) (map[string]string, error)
	// Tell is called when the node begins to wait.
	Tell func(step string)
}

// StoppedError means that a node failed in its turn, so no other node gets one.
type StoppedError struct{ Node, Why string }

func (e *StoppedError) Error() string { return fmt.Sprintf("%s failed in its turn: %s", e.Node, e.Why) }

// FullError means that other nodes are out of service, and that no turn is open which would bring them back.
type FullError struct {
	Nodes  []string
	AtOnce int
}

func (e *FullError) Error() string {
	return fmt.Sprintf("%s out of service, and at_once is %d", text.Few(e.Nodes), e.AtOnce)
}

// OverdueError means that a turn has not ended in time.
type OverdueError struct {
	Node  string
	Limit time.Duration
}

func (e *OverdueError) Error() string {
	return fmt.Sprintf("the turn of %s has not ended within %s (turn_timeout)", e.Node, duration.Format(e.Limit))
}

// order is how long a node waits for nodes that are out of service already, and whose turn may begin in this apply:
// Terraform updates servers in no order.
const order = 5 * time.Second

// Begin waits until the node may go out of service. An error means that it must not: a [*StoppedError], a [*FullError],
// an [*OverdueError], or an error of Out. A node that is out of service already needs a turn too, and no room.
//
// No lock is held during a look at the cloud, which may be slow. A change meanwhile wakes the node. An old look
// counts too many nodes as out of service, never too few, because a turn that began meanwhile counts as well.
func (t *Turns) Begin(ctx context.Context, a Ask) error {
	for told := false; ; told = true {
		changed, room := t.room(a)
		var out map[string]string
		if room {
			var err error
			if out, err = a.Out(ctx); err != nil {
				return err
			}
		}
		w, err := t.admit(a, room, out)
		if err != nil || w == nil {
			return err
		}
		if !told {
			a.Tell(fmt.Sprintf("waiting for a turn, for at most %s: %s out of service", duration.Format(w.patience),
				text.Few(w.busy)))
		}
		limited, cancel := context.WithTimeoutCause(ctx, w.patience, w.expired)
		select {
		case <-changed:
		case <-limited.Done():
			err = context.Cause(limited)
		}
		cancel()
		if err != nil {
			return err
		}
	}
}

// room reports whether the open turns leave room, so that a look at the cloud is worth it. The channel is closed with
// the next change.
func (t *Turns) room(a Ask) (changed <-chan struct{}, room bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	_, again := t.open[a.Server]
	return t.changed, t.stopped == nil && !again && len(t.open) < a.AtOnce
}

// queued is a node that waits for its turn.
type queued struct {
	busy     []string      // nodes because of which it waits, sorted
	patience time.Duration // how long it waits for a change
	expired  error         // the error after that
}

// admit begins the turn, or returns how to wait for it. Out has the nodes that are out of service in the cloud, if that
// was asked. A wait without an open turn is short: it would keep Terraform from updating the nodes that are out of
// service.
func (t *Turns) admit(a Ask, asked bool, out map[string]string) (*queued, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped != nil {
		return nil, t.stopped
	}
	if _, again := t.open[a.Server]; again {
		return nil, nil //nolint:nilnil // it has a turn
	}
	_, already := out[a.Server]
	maps.DeleteFunc(out, func(server, _ string) bool { _, counted := t.open[server]; return counted })
	if asked && (already || len(t.open)+len(out) < a.AtOnce) {
		if t.open == nil {
			t.open = map[string]turn{}
		}
		t.open[a.Server] = turn{a.Node, time.Now()}
		t.change()
		return nil, nil //nolint:nilnil // it has a turn
	}
	w := &queued{busy: slices.Collect(maps.Values(out))}
	for _, open := range t.open {
		w.busy = append(w.busy, open.node)
	}
	slices.Sort(w.busy)
	if len(t.open) == 0 {
		w.patience, w.expired = order, &FullError{w.busy, a.AtOnce}
		return w, nil
	}
	open := slices.Collect(maps.Values(t.open))
	oldest := slices.MinFunc(open, func(a, b turn) int { return a.began.Compare(b.began) })
	w.patience, w.expired = a.Limit-time.Since(oldest.began), &OverdueError{oldest.node, a.Limit}
	return w, nil
}

// Has reports whether a server has a turn.
func (t *Turns) Has(server string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, has := t.open[server]
	return has
}

// End ends the turn of a server that is in service again.
func (t *Turns) End(server string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, server)
	t.change()
}

// Stop refuses all turns from now on, because a node failed in its turn.
func (t *Turns) Stop(node, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped == nil {
		t.stopped = &StoppedError{node, why}
	}
	t.change()
}

// change wakes all that wait.
func (t *Turns) change() {
	if t.changed != nil {
		close(t.changed)
	}
	t.changed = nil
}
