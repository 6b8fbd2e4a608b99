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
func (t *Turns) Begin(ctx context.Context, a Ask) error {
	for told := false; ; told = true {
		t.mu.Lock()
		busy, err := t.admit(ctx, a)
		patience, expired := t.patience(a, busy)
		if t.changed == nil {
			t.changed = make(chan struct{})
		}
		changed := t.changed
		t.mu.Unlock()
		if err != nil || busy == nil {
			return err
		}
		if !told {
			a.Tell(fmt.Sprintf("waiting for a turn, for at most %s: %s out of service", duration.Format(patience), text.Few(busy)))
		}
		limited, cancel := context.WithTimeoutCause(ctx, patience, expired)
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

// admit begins the turn and returns nil, or the nodes because of which the node has to wait, sorted.
func (t *Turns) admit(ctx context.Context, a Ask) (busy []string, err error) {
	if t.stopped != nil {
		return nil, t.stopped
	}
	if _, again := t.open[a.Server]; again {
		return nil, nil
	}
	for _, turn := range t.open {
		busy = append(busy, turn.node)
	}
	if len(busy) < a.AtOnce {
		out, err := a.Out(ctx)
		if err != nil {
			return nil, err
		}
		_, already := out[a.Server]
		maps.DeleteFunc(out, func(server, _ string) bool { _, counted := t.open[server]; return counted })
		if busy = slices.AppendSeq(busy, maps.Values(out)); already || len(busy) < a.AtOnce {
			if t.open == nil {
				t.open = map[string]turn{}
			}
			t.open[a.Server] = turn{a.Node, time.Now()}
			t.change()
			return nil, nil
		}
	}
	slices.Sort(busy)
	return busy, nil
}

// patience returns how long to wait for a change, and the error after that. A wait without an open turn is short: it
// would keep Terraform from updating the nodes that are out of service.
func (t *Turns) patience(a Ask, busy []string) (time.Duration, error) {
	if len(t.open) == 0 {
		return order, &FullError{busy, a.AtOnce}
	}
	open := slices.Collect(maps.Values(t.open))
	oldest := slices.MinFunc(open, func(a, b turn) int { return a.began.Compare(b.began) })
	return a.Limit - time.Since(oldest.began), &OverdueError{oldest.node, a.Limit}
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
