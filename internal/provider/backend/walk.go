package backend

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

// Walk has the notes that resources share during one walk through Terraform's graph,
// such as a plan. Each walk configures the provider once.
type Walk struct {
	mu     sync.Mutex
	notes  map[note]string
	groups map[string]*group // by what is reported
}

func newWalk() *Walk {
	return &Walk{notes: map[note]string{}, groups: map[string]*group{}}
}

// group has names that are reported together.
type group struct {
	names []string // names that wait
	asks  int      // resources that ask the cloud before they join, or do not
	steps int      // number of joins and of answers so far
	alone bool     // whether the last wait found no other name
}

// Topic is the subject of a note.
type Topic int

// The topics, with the keys and the values of their notes.
const (
	Known     Topic = iota // servers with a deletion attachment in the state
	Attached               // servers with a deletion attachment after the plan
	Detached               // servers whose deletion attachment the plan destroys
	Refreshed              // noted once the walk reads an attachment, as no plan to destroy all does
	Planned                // clusters whose placement attachment was planned, and "" for any
	InUse                  // servers of nodes that the plan keeps; of those that it changes too
	Leaving                // servers whose nodes leave or change, with the cluster that replaces them, or ""
	Drained                // noted once a warning has counted servers that are drained
	Marks                  // nodes, each after its cluster, with the marks of their servers
	Diskless               // flavors without a disk, by region and id
	Secret                 // clusters, with the secret for the proofs of their notes: see openstack.Proof
	Believed               // clusters, with the secret of the notes of the last apply
	Serves                 // nodes that the plan leaves as they are and that serve, with the ids of their servers
	Rises                  // nodes, each after its cluster, whose generation the plan raises
	Batch                  // clusters, with the number of nodes that the plan may still replace
	Begins                 // clusters in which a batch of TEMPLATE begins
	Names                  // names that new placement attachments give to nodes, each after its region
	Found                  // nodes, each after its cluster, with the ids of servers that no earlier refresh saw
	Methods                // clusters, with the method of their update
	Refused                // errors about the hook of a node that were reported
	Ready                  // clusters whose readiness attachment found all servers in service
	Orders                 // by cluster, region and the orders before: see package deletiontf
)

type note struct {
	topic Topic
	key   string
}

// Key returns a key of two parts.
func Key(first, second string) string { return first + "\x00" + second }

// Note notes a value, and reports whether the key was noted before. The order of a walk
// is not known, so a resource notes first and looks then: of two, the second sees the first.
func (w *Walk) Note(topic Topic, key, value string) (again bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, again = w.notes[note{topic, key}]
	w.notes[note{topic, key}] = value
	return again
}

// Agree notes a value, and "" if others noted another one.
func (w *Walk) Agree(topic Topic, key, value string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if is, noted := w.notes[note{topic, key}]; noted && is != value {
		value = ""
	}
	w.notes[note{topic, key}] = value
}

// Noted returns the value that was noted.
func (w *Walk) Noted(topic Topic, key string) (value string, noted bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	value, noted = w.notes[note{topic, key}]
	return value, noted
}

// quiet is the pause after which a group is complete: no resource joined it during
// the pause.
const quiet = 300 * time.Millisecond

// Settle waits for a moment, so that resources that Terraform plans at the same time have made their notes.
func (w *Walk) Settle(ctx context.Context) { _ = wait.For(ctx, quiet) }

// Announce says that a resource may join a group once the cloud has answered it: the group waits until answered is
// called, however slow the cloud is.
func (w *Walk) Announce(name string) (answered func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	g := w.group(name)
	g.asks++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		g.asks--
		g.steps++
	}
}

func (w *Walk) group(name string) *group {
	if w.groups[name] == nil {
		w.groups[name] = new(group)
	}
	return w.groups[name]
}

// Gather turns the diagnostics of many resources into one. The first resource of a
// group waits for those that are announced, and until no other has joined for a moment. It
// gets all names, sorted, to report. The others get nil, and report nothing.
//
// The wait gains nothing if resources come one after the other, as with -parallelism=1.
// After a wait that found no other name, the group does not wait again.
func (w *Walk) Gather(ctx context.Context, of, name string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	g := w.group(of)
	if g.names = append(g.names, name); len(g.names) > 1 {
		g.steps++
		return nil
	}
	waits := func() bool { return !g.alone || len(g.names) > 1 }
	for steps := -1; (g.asks > 0 || steps < g.steps && waits()) && ctx.Err() == nil; {
		steps = g.steps
		w.mu.Unlock()
		_ = wait.For(ctx, quiet)
		w.mu.Lock()
	}
	names := g.names
	g.names, g.alone = nil, len(names) == 1
	slices.Sort(names)
	return names
}
