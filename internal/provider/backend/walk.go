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
	attached map[string]bool      // servers that have a deletion attachment after the plan
	detached map[string]bool      // servers of which the plan destroys one
	found    map[[2]string]string // ids of servers by cluster and node: see [Walk.Find]
	groups   map[string][]string  // names that wait to be reported together, by what is said of them
	alone    map[string]bool      // groups of which the last that waited did so in vain
}

// Attach notes that a server has a deletion attachment after the plan, and
// reports whether the plan destroys another one of it. Terraform plans in no
// order that we know, so either of the two may be the first.
func (w *Walk) Attach(server string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.attached == nil {
		w.attached = map[string]bool{}
	}
	w.attached[server] = true
	return w.detached[server]
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

// Detached counts the servers whose deletion attachments the plan destroys, as far as
// Terraform has planned.
func (w *Walk) Detached() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.detached)
}

// Find notes the server of a node that no refresh before this one saw.
func (w *Walk) Find(cluster, node, server string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.found == nil {
		w.found = map[[2]string]string{}
	}
	w.found[[2]string{cluster, node}] = server
}

// Found returns what [Walk.Find] noted; "": nothing.
func (w *Walk) Found(cluster, node string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.found[[2]string{cluster, node}]
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
