// Package readiness waits until new servers are in service, and marks those that are.
//
// A server is in service when its status in Nova is ACTIVE and all configured checks pass: an HTTP request, a TCP
// connection, a hook.
package readiness

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/probe"
)

// Server is the server of a node, with the requests that a wait makes.
type Server interface {
	// State returns the state of the server in Nova, with the time.
	State(ctx context.Context) (openstack.State, error)
	// ForgetDrain removes the note of a drain from the server.
	ForgetDrain(ctx context.Context) error
	// NoteFailure notes in the metadata that a wait ended without the server's mark, and when.
	NoteFailure(ctx context.Context, mark string, at time.Time) error
	// ForgetFailure removes that note.
	ForgetFailure(ctx context.Context) error
	// Mark writes the mark that the server is in service, and since when.
	Mark(ctx context.Context, mark string, at time.Time) error
}

// Node is a node to wait for.
type Node struct {
	Name    string
	ID      string // id of its server
	Region  string
	Address string // "" without an address
	Mark    string // mark of a server that is in service
	Drained bool   // its drain has begun; passing readiness removes that note
	Failed  bool   // a wait ended without it; passing readiness removes that note
	Late    bool   // that wait was for the same mark
	Server  Server
}

// Token identifies the node to the consumer of its hook. It is the same for a server and its mark, however often the
// server is waited for.
func (n Node) Token() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "launch %q %q %q", n.Region, n.ID, n.Mark))
	return base32.StdEncoding.EncodeToString(sum[:])[:26]
}

// Waiter waits for nodes.
type Waiter struct {
	HTTP *probe.HTTP // nil: not checked
	TCP  *probe.TCP  // nil: not checked
	// Hook runs the hook of a node, once, after the checks have passed. The warning says what went wrong with a hook
	// that counts as completed anyway. It may be nil.
	Hook      func(ctx context.Context, n Node) (warning string, err error)
	StableFor time.Duration
	Timeout   time.Duration // for all nodes together

	// Progress is called when the state of a node changes, and every 30 seconds. It may be called for several nodes at
	// once. It may be nil.
	Progress func(n Node, seen string)

	poll time.Duration // pause before the second look at a node; 0 means a second
}

const (
	looksAtOnce = 32               // servers that are looked at
	hooksAtOnce = 32               // hooks that run
	longestPoll = 10 * time.Second // between two looks at one node
	longestNote = 30 * time.Second // for all notes of failed waits together
	logEvery    = 30 * time.Second
)

// notReadyError lists the nodes that did not get into service, by name.
type notReadyError struct {
	nodes    int // number of nodes that were waited for
	failures []*watch
}

func (e *notReadyError) Error() string {
	lines := []string{
		fmt.Sprintf("%d of %d servers that this apply checked are not in service:", len(e.failures), e.nodes),
	}
	const many = 50
	for i, f := range e.failures {
		if i == many {
			lines = append(lines, fmt.Sprintf("and %d more", len(e.failures)-many))
			break
		}
		lines = append(lines, fmt.Sprintf("%s (server %s, region %s): %s", f.node.Name, f.node.ID, f.node.Region,
			cmp.Or(f.seen, "it was not checked")))
	}
	return strings.Join(lines, "\n  - ")
}

// MarksRefused reports whether an error of [Waiter.Run] is that Nova refused the mark of each server that did not get
// into service, so that no other image would help.
func MarksRefused(err error) bool {
	e, is := errors.AsType[*notReadyError](err)
	return is && !slices.ContainsFunc(e.failures, func(f *watch) bool { return !f.refused })
}

// Run waits until all nodes are in service, and marks each node as soon as it is. It looks at all nodes at the same
// time. The warnings, in the order of the nodes' names, are about hooks that did not complete and count as completed.
//
// The error is a [*notReadyError] if nodes did not get into service in time, or cannot any more because their server
// is gone or in ERROR, or their hook failed. If ctx ended, all waits end at once, and the error wraps the cause.
//
// If a server is ACTIVE and did not get into service, Run notes that in its metadata, with the time of the last look
// by Nova's clock. A wait that was interrupted writes no note.
func (w *Waiter) Run(ctx context.Context, nodes []Node) (warnings []string, err error) {
	limited, cancel := context.WithTimeout(ctx, w.Timeout)
	defer cancel()
	noting, done := context.WithTimeout(ctx, w.Timeout+longestNote)
	defer done()
	nodes = slices.SortedFunc(slices.Values(nodes), func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	watches := make([]watch, len(nodes))
	looks, hooks := make(chan struct{}, looksAtOnce), make(chan struct{}, hooksAtOnce)
	notes := make(chan struct{}, looksAtOnce) // a note that hangs keeps no other node from being looked at
	var all sync.WaitGroup
	for i, n := range nodes {
		watches[i] = watch{Waiter: w, node: n, looks: looks, hooks: hooks, notes: notes}
		all.Go(func() {
			watches[i].run(limited)
			watches[i].note(noting)
		})
	}
	all.Wait()
	failed := &notReadyError{nodes: len(nodes)}
	var names []string
	for i := range watches {
		if warning := watches[i].warning; warning != "" {
			warnings = append(warnings, warning)
		}
		if !watches[i].marked {
			failed.failures, names = append(failed.failures, &watches[i]), append(names, nodes[i].Name)
		}
	}
	switch {
	case len(names) == 0:
		return warnings, nil
	case ctx.Err() != nil:
		return warnings, fmt.Errorf("%w; not in service yet: %s", context.Cause(ctx), strings.Join(names, ", "))
	}
	return warnings, failed
}

// Pending lists, sorted, the names of the nodes whose server has no mark, was drained, or does not exist. The
// snapshot has the servers of the cluster. A server in a cell that is down, whose metadata is hidden, is not pending:
// it may still be in service, and nothing could be done about it now.
func Pending(wanted map[string]Node, snapshot []node.Node) []string {
	marks, hidden := make(map[serverKey]string, len(snapshot)), map[serverKey]bool{}
	for _, n := range snapshot {
		if !n.Drained {
			marks[serverKey{n.Region, n.ID}] = n.InService
		}
		if n.Status == "UNKNOWN" && n.Name == "" {
			hidden[serverKey{n.Region, n.ID}] = true
		}
	}
	pending := []string{}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		n := wanted[name]
		if key := (serverKey{n.Region, n.ID}); marks[key] != n.Mark && !hidden[key] {
			pending = append(pending, name)
		}
	}
	return pending
}

// Turn divides pending nodes into those to wait for now, and those that are late. New servers do not wait for late
// ones, because a later batch may change these. If all nodes are late, they are waited for once more.
func Turn(pending []Node) (now, late []Node) {
	for _, n := range pending {
		if n.Late {
			late = append(late, n)
		} else {
			now = append(now, n)
		}
	}
	if len(now) == 0 {
		return late, nil
	}
	return now, late
}

// Overtaken lists, sorted, the names of nodes that were in service and whose servers are already gone or drained,
// although the nodes that replace them are not in service yet. With create_before_destroy these servers would still
// serve. A node that keeps its name does not count: its cluster, or somebody, wants it to be made again, and its
// server is destroyed first if a port and a volume can belong to one server at a time. The result untouched reports
// that nodes left, and that each of them still has its server, undrained.
//
// The nodes in before are from the last apply, and unsure are the ones that were not in service; after has the
// nodes of this apply.
func Overtaken(
	before, after map[string]Node, unsure []string, snapshot []node.Node,
) (names []string, untouched bool) {
	whole := make(map[serverKey]bool, len(snapshot))
	for _, n := range snapshot {
		whole[serverKey{n.Region, n.ID}] = !n.Drained && !n.Draining
	}
	left, kept := 0, 0
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, stays := after[name]; stays {
			continue
		}
		left++
		if whole[serverKey{before[name].Region, before[name].ID}] {
			kept++
		} else if !slices.Contains(unsure, name) {
			names = append(names, name)
		}
	}
	untouched = left > 0 && left == kept
	for name := range after {
		if _, was := before[name]; !was {
			return names, untouched
		}
	}
	return nil, untouched
}

type serverKey struct{ region, id string }

// refused reports whether Nova refused a request, and would refuse it again. A 409 means that Nova is changing the
// server in another way, and 429 or 413 that it has too many requests.
func refused(err error) bool {
	answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	return ok && answer.Actual/100 == 4 && answer.Actual != http.StatusConflict &&
		answer.Actual != http.StatusTooManyRequests && answer.Actual != http.StatusRequestEntityTooLarge
}
