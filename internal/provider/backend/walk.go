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
	mu      sync.Mutex
	notes   map[note]string
	drained int                 // servers that the plan drains, as far as that is reported
	groups  map[string][]string // names that wait to be reported together, by what is said of them
	alone   map[string]bool     // groups of which the last that waited did so in vain
}

// Topic is what notes are about.
type Topic int

// The topics, with the keys and the values of their notes.
const (
	Known    Topic = iota // servers that have a deletion attachment in the state
	Attached              // servers that have one after the plan
	Detached              // servers of which the plan destroys one
	Leaving               // servers whose nodes leave, with the cluster that makes substitutes for them, or ""
	Marks                 // nodes, each after its cluster, with the marks of their servers
	Names                 // names that new placement attachments give, each after its region
	Found                 // nodes, each after its cluster, with the ids of servers that no refresh saw before
	Ready                 // clusters whose readiness attachment has found all servers in service
)

type note struct {
	topic Topic
	key   string
}

// Key is a key of two parts.
func Key(first, second string) string { return first + "\x00" + second }

// Note notes a value, and reports whether the key was noted before. Terraform walks in no
// order that we know: of two resources that note first and look then, one sees the other.
func (w *Walk) Note(topic Topic, key, value string) (again bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.notes == nil {
		w.notes = map[note]string{}
	}
	_, again = w.notes[note{topic, key}]
	w.notes[note{topic, key}] = value
	return again
}

// Noted returns what was noted.
func (w *Walk) Noted(topic Topic, key string) (value string, noted bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	value, noted = w.notes[note{topic, key}]
	return value, noted
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
