package acctest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// Watched counts what happens to the servers of a cluster, as the cloud sees it with
// each request. A server is in service while it is ACTIVE, is what it was when it got a
// mark, and is not drained. What somebody wipes or forges afterwards changes nothing.
type Watched struct {
	mu      sync.Mutex
	size    int // capacity that is wanted
	servers map[string]fakecloud.Server
	marks   map[string][2]string // by id: the mark, and what the server was then
	served  map[string]bool      // by id
	Tally
	Unmarked bool // nobody marks servers: each that is ACTIVE is in service
	reached  int  // number of servers in service that there was, at most the size
}

// Tally is about the time since a [Watched.Restart].
type Tally struct {
	Least, Of int // servers in service when most were missing, and how many there had been
	Most      int // servers at a time
	Destroyed int
	Served    int // of those destroyed: had been in service
	Undrained int // of those that served: not drained
	Changed   int // had been in service, and became something else in place
}

// Watch begins to watch a region. A real cloud cannot be watched: then it is nil.
func (c *Cloud) Watch(t testing.TB, region string, size int) *Watched {
	t.Helper()
	if c.Fake == nil {
		return nil
	}
	w := &Watched{
		size:    size,
		servers: map[string]fakecloud.Server{},
		marks:   map[string][2]string{},
		served:  map[string]bool{},
	}
	c.Fake.Watch(region, w.see)
	return w
}

// Resize says which capacity is wanted from now on.
func (w *Watched) Resize(size int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.size, w.reached = size, min(size, w.reached)
}

// Restart returns what was counted, and counts from zero.
func (w *Watched) Restart() Tally {
	w.mu.Lock()
	defer w.mu.Unlock()
	tally := w.Tally
	w.Tally = Tally{Least: w.reached, Of: w.reached, Most: len(w.servers)}
	return tally
}

func (w *Watched) see(list []fakecloud.Server) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, serving := map[string]fakecloud.Server{}, 0
	for _, s := range list {
		if s.TaskState == "deleting" || s.Status == "DELETED" {
			continue
		}
		now[s.ID] = s
		mark, is := s.Metadata[openstack.MarkKey], build(s)
		if w.Unmarked && s.Status == "ACTIVE" {
			mark = is
		}
		if was := build(w.servers[s.ID]); w.served[s.ID] && was == w.marks[s.ID][1] && was != is {
			w.Changed++
		}
		if mark != "" && mark != w.marks[s.ID][0] {
			w.marks[s.ID] = [2]string{mark, is}
		}
		serves := s.Status == "ACTIVE" && s.Metadata[openstack.DrainedKey] == ""
		if marked := w.marks[s.ID]; marked[0] != "" && marked[1] == is && serves {
			w.served[s.ID] = true
			serving++
		}
	}
	for id, s := range w.servers {
		if _, there := now[id]; there {
			continue
		}
		w.Destroyed++
		if w.served[id] {
			w.Served++
			if s.Metadata[openstack.DrainedKey] == "" {
				w.Undrained++
			}
		}
	}
	w.servers = now
	w.Most = max(w.Most, len(now))
	w.reached = max(w.reached, min(w.size, serving))
	if w.reached-serving > w.Of-w.Least {
		w.Least, w.Of = serving, w.reached
	}
}

// build is what a server is made from.
func build(s fakecloud.Server) string { return fmt.Sprint(s.ImageID, s.Flavor, s.Metadata["version"]) }
