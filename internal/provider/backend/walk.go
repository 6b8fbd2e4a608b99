package backend

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

// Walk is what the resources of one walk through Terraform's graph know of each
// other. Each walk, such as a plan, configures the provider once. The zero value
// is one of a walk in which nothing has been seen yet.
type Walk struct {
	mu       sync.Mutex
	known    map[string]bool     // servers that have a deletion attachment in the state
	attached map[string]bool     // servers that have a deletion attachment after the plan
	detached map[string]bool     // servers of which the plan destroys one
	drained  int                 // servers that the plan drains, as far as that is reported
	leaving  map[string]string   // servers whose nodes leave, with the cluster that makes substitutes for them, or ""
	marks    map[string]string   // of nodes, by cluster and name: see [Walk.Marks]
	given    map[string]bool     // names that new placement attachments give, with their regions
	ready    map[string]bool     // clusters whose readiness attachment has found all servers in service
	groups   map[string][]string // names that wait to be reported together, by what is said of them
	alone    map[string]bool     // groups of which the last that waited did so in vain
}

// Leaving notes that the node of a server leaves, and in which cluster the same plan makes
// a substitute for it; "": it makes none.
func (w *Walk) Leaving(server, cluster string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.leaving == nil {
		w.leaving = map[string]string{}
	}
	w.leaving[server] = cluster
}

// Leaves reports what [Walk.Leaving] noted.
func (w *Walk) Leaves(server string) (cluster string, leaves bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	cluster, leaves = w.leaving[server]
	return cluster, leaves
}

// Marks notes which mark the server of a node carries once it is in service.
func (w *Walk) Marks(cluster, node, mark string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.marks == nil {
		w.marks = map[string]string{}
	}
	w.marks[cluster+"\x00"+node] = mark
}

// Mark returns what [Walk.Marks] noted; "": nothing.
func (w *Walk) Mark(cluster, node string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.marks[cluster+"\x00"+node]
}

// Give notes that a new placement attachment gives a name in a region, and reports whether
// another one does too.
func (w *Walk) Give(region, name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.given == nil {
		w.given = map[string]bool{}
	}
	key := region + "\x00" + name
	twice := w.given[key]
	w.given[key] = true
	return twice
}

// Ready notes that the readiness attachment of a cluster has found all servers in service.
func (w *Walk) Ready(cluster string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ready == nil {
		w.ready = map[string]bool{}
	}
	w.ready[cluster] = true
}

// IsReady reports what [Walk.Ready] noted.
func (w *Walk) IsReady(cluster string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ready[cluster]
}

// Has notes that the state has a deletion attachment of a server.
func (w *Walk) Has(server string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known == nil {
		w.known = map[string]bool{}
	}
	w.known[server] = true
}

// Attach notes that a server has a deletion attachment after the plan, and
// reports whether the plan destroys another one of it: Terraform plans in no
// order that we know, so either of the two may be the first. Of an attachment that
// -replace or a taint makes again, only the new one is planned.
func (w *Walk) Attach(server string, again bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.attached == nil {
		w.attached = map[string]bool{}
	}
	w.attached[server] = true
	return w.detached[server] || again && w.known[server]
}

// Detach notes that the plan destroys a deletion attachment of a server, and
// reports whether the server has another one after it.
func (w *Walk) Detach(server string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.detached == nil {
		w.detached = map[string]bool{}
	}
	w.detached[server] = true
	return w.attached[server]
}

// Drained counts the servers that the plan drains, with those that are reported now.
func (w *Walk) Drained(now int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drained += now
	return w.drained
}

// quiet is the pause after which a group is complete: no resource has joined it for
// that long.
const quiet = 300 * time.Millisecond

// Gather turns the diagnostics of many resources into one. The first resource of a
// group waits until no other has joined for a moment, and gets the names of all,
// sorted, to report. The others get none, and have nothing to report.
//
// Where resources come one after the other, as with -parallelism=1, waiting is in
// vain, and after the first time nobody waits any more.
func (w *Walk) Gather(ctx context.Context, group, name string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.groups == nil {
		w.groups, w.alone = map[string][]string{}, map[string]bool{}
	}
	w.groups[group] = append(w.groups[group], name)
	if len(w.groups[group]) > 1 {
		return nil
	}
	for come := 0; come < len(w.groups[group]) && !w.alone[group] && ctx.Err() == nil; {
		come = len(w.groups[group])
		w.mu.Unlock()
		_ = wait.For(ctx, quiet)
		w.mu.Lock()
	}
	names := w.groups[group]
	delete(w.groups, group)
	w.alone[group] = len(names) == 1
	slices.Sort(names)
	return names
}
